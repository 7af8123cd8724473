//! Feeds libFuzzer's bytes to `gstack_fuzz::policy_file`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gstack_fuzz::policy_file(bytes));
