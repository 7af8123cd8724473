//! How the program is linked.
//!
//! Owns one flag: on Linux with glibc, the program has a fixed address (no PIE). Otherwise the loader writes tens of
//! thousands of addresses at each start, which costs more than the rest of a command. Libraries, stack and heap still
//! have random addresses.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
