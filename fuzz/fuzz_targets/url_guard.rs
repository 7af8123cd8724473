//! Feeds libFuzzer's bytes to `gstack::fuzz::url_guard`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gstack::fuzz::url_guard(bytes));
