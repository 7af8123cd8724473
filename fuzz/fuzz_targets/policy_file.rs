//! Feeds libFuzzer's bytes to `gstack::fuzz::policy_file`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gstack::fuzz::policy_file(bytes));
