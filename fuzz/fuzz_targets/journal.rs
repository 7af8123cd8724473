//! Feeds libFuzzer's bytes to `gstack::fuzz::journal`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gstack::fuzz::journal(bytes));
