//! Feeds libFuzzer's bytes to `gstack::fuzz::http_guard`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gstack::fuzz::http_guard(bytes));
