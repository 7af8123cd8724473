//! Feeds libFuzzer's bytes to `gstack::fuzz::keeper`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gstack::fuzz::keeper(bytes));
