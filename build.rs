//! How the program is linked.
//!
//! Owns one flag: relative relocations are packed. There are tens of thousands of them, and the loader goes through them at
//! each start of a command. Only for a program that runs where it is built: an older glibc (before 2.36) does not load it.
//! `GSTACK_PORTABLE=1` leaves it out, for a release that others run.

use std::env;
use std::process::Command;

/// Since then the loader reads them.
const OLDEST_GLIBC: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=GSTACK_PORTABLE");
    let target = env::var("TARGET").unwrap_or_default();
    let here = env::var("HOST").is_ok_and(|host| host == target);
    let portable = env::var_os("GSTACK_PORTABLE").is_some_and(|value| !value.is_empty());
    if here && !portable && target.ends_with("linux-gnu") && glibc().is_some_and(|found| found >= OLDEST_GLIBC) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// `None` if it can't be told.
fn glibc() -> Option<(u32, u32)> {
    let said = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let said = String::from_utf8(said.stdout).ok()?;
    let (major, minor) = said.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
