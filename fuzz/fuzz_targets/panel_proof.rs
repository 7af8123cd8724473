//! Feeds libFuzzer's bytes to `gstack_fuzz::panel_proof`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gstack_fuzz::panel_proof(bytes));
