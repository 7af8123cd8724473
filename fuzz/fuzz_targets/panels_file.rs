//! Feeds libFuzzer's bytes to `gstack_fuzz::panels_file`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gstack_fuzz::panels_file(bytes));
