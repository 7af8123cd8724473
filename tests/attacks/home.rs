//! A home that another user can redirect is refused before anything is written there.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, lchown, symlink};
use std::path::Path;
use std::process::{Command, Output};

/// A user other than this one and root.
const STRANGER: u32 = 54_321;

fn gstack(home: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gstack"))
        .args(["settings"])
        .env("GSTACK_HOME", home)
        .env("HOME", home)
        .output()
        .unwrap()
}

#[track_caller]
fn is_refused(home: &Path, why: &str) {
    let output = gstack(home);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains(why), "{}: {output:?}", home.display());
    assert!(said.contains("GSTACK_HOME"), "what to do: {said}");
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn a_home_behind_a_link_or_folder_of_another_user_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["target", "strangers", "mine"] {
        fs::create_dir(at(name)).unwrap();
        fs::set_permissions(at(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    symlink(at("target"), at("link")).unwrap();
    symlink("link", at("mine/to-link")).unwrap();
    symlink("../link", at("mine/relative")).unwrap();
    if lchown(at("link"), Some(STRANGER), None).is_err() {
        // Only root can create files of another user. CI's containers run as root.
        return;
    }
    lchown(at("strangers"), Some(STRANGER), None).unwrap();
    for home in [
        "link",
        "link/below",
        "link/deep/below",
        // Our own link to the stranger's folder.
        "mine/relative",
        "mine/relative/below",
        "mine/../link",
        // The owner of a folder can replace its content.
        "strangers/home",
    ] {
        is_refused(&at(home), "belongs to another user");
    }
    assert!(is_empty(&at("target")) && is_empty(&at("strangers")), "something was written");
}

#[test]
fn a_home_in_a_folder_where_every_user_may_exchange_it_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let open = folder.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    for home in ["home", "deep/home"] {
        is_refused(&open.join(home), "every user can replace");
    }
    symlink(&open, folder.path().join("own-link")).unwrap();
    is_refused(&folder.path().join("own-link/home"), "every user can replace");
    assert!(is_empty(&open));
}

#[test]
fn a_home_behind_a_link_of_ones_own_or_in_a_folder_like_tmp_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let (shared, target) = (folder.path().join("shared"), folder.path().join("target"));
    for name in [&shared, &target] {
        fs::create_dir(name).unwrap();
    }
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o1777)).unwrap();
    symlink("target", folder.path().join("link")).unwrap();
    for home in [shared.join("home"), folder.path().join("link/home"), folder.path().join("shared/../link")] {
        let output = gstack(&home);
        assert!(output.status.success(), "{}: {output:?}", home.display());
        Command::new(env!("CARGO_BIN_EXE_gstack")).arg("stop").env("GSTACK_HOME", &home).output().unwrap();
    }
}
