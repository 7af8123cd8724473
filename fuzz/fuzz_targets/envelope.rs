//! Feeds libFuzzer's bytes to `gstack::fuzz::envelope`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gstack::fuzz::envelope(bytes));
