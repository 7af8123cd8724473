//! Feeds libFuzzer's bytes to `gstack_fuzz::http_guard`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gstack_fuzz::http_guard(bytes));
