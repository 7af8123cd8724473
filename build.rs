//! How the program is linked.
//!
//! Owns the flags of Linux with glibc. The program has a fixed address (no PIE): otherwise the loader writes tens of thousands of
//! addresses at each start, which costs more than the rest of a command. A release build for this machine needs no loader at all, if
//! the C library's archive is installed. Stack and heap still have random addresses.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Set by `packaging/release.sh`: a program for other machines uses the C library that they have.
const FOR_OTHERS: &str = "GSTACK_FOR_OTHER_MACHINES";
/// What rustc links to, and the archives that stand for it.
const LIBRARIES: [(&str, &[&str]); 7] = [
    ("c", &["c", "gcc_eh", "gcc"]),
    ("gcc_s", &["gcc_eh", "gcc", "c"]),
    ("m", &["m"]),
    ("dl", &["dl"]),
    ("pthread", &["pthread"]),
    ("rt", &["rt"]),
    ("util", &["util"]),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={FOR_OTHERS}");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") {
        return;
    }
    println!("cargo::rustc-link-arg-bins=-no-pie");
    let runs_here = env::var("HOST").ok() == env::var("TARGET").ok() && env::var_os(FOR_OTHERS).is_none();
    if is("PROFILE", "release")
        && runs_here
        && let Some(folder) = archives()
    {
        println!("cargo::rustc-link-arg-bins=-L{}", folder.display());
        println!("cargo::rustc-link-arg-bins=-static");
    }
}

/// Writes a folder in which each shared library's name leads to archives, because rustc always asks for shared libraries (unless
/// `crt-static` is set for the whole build, its procedural macros included). `None`: an archive is missing.
fn archives() -> Option<PathBuf> {
    let folder = PathBuf::from(env::var_os("OUT_DIR")?).join("static");
    fs::create_dir_all(&folder).ok()?;
    for (name, archives) in LIBRARIES {
        let paths: Option<Vec<String>> = archives.iter().map(|archive| path_of(archive)).collect();
        fs::write(folder.join(format!("lib{name}.so")), format!("GROUP ( {} )\n", paths?.join(" "))).ok()?;
    }
    Some(folder)
}

fn path_of(archive: &str) -> Option<String> {
    let output = Command::new("cc").arg(format!("-print-file-name=lib{archive}.a")).output().ok()?;
    let path = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    Path::new(&path).is_absolute().then_some(path)
}
