//! Feeds libFuzzer's bytes to `gstack::fuzz::panels_file`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gstack::fuzz::panels_file(bytes));
