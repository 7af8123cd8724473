//! Feeds libFuzzer's bytes to `gstack_fuzz::keeper`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gstack_fuzz::keeper(bytes));
