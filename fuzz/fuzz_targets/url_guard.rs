//! Feeds libFuzzer's bytes to `gstack_fuzz::url_guard`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gstack_fuzz::url_guard(bytes));
