//! Feeds libFuzzer's bytes to `gstack_fuzz::envelope`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gstack_fuzz::envelope(bytes));
