//! Feeds libFuzzer's bytes to `gstack::fuzz::frames`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gstack::fuzz::frames(bytes));
