//! An independent client, written from docs/PROTOCOL.md alone.

use crate::cases::{begin, cases, finish};
use crate::world::gstack;
use std::fs;
use std::path::Path;
use std::process::Command;

pub const ALL: &[(&str, fn())] = cases![
    a_client_written_from_the_page_of_the_protocol_alone_is_served,
    a_page_of_the_protocol_that_lacks_a_field_is_noticed,
];

/// Runs the client against its own daemon; returns whether it succeeded, and its output.
fn run(page: &str) -> (bool, String) {
    // It starts the daemon, whose socket the client connects to.
    let (world, extension) = begin("", 1);
    let path = world.folder.path().join("PROTOCOL.md");
    fs::write(&path, page).unwrap();
    let mut client = Command::new("python3");
    client.arg(here().join("tests/faults/client.py")).arg(path).arg(world.home().join("panel.sock"));
    client.arg(gstack()).env("GSTACK_HOME", world.home());
    let done = client.output().expect("python3 is installed");
    finish(&world, extension);
    (done.status.success(), String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned())
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page() -> String {
    fs::read_to_string(here().join("docs/PROTOCOL.md")).unwrap()
}

fn a_client_written_from_the_page_of_the_protocol_alone_is_served() {
    let (well, said) = run(&page());
    assert!(well, "{said}");
    println!("{}", said.trim());
}

fn a_page_of_the_protocol_that_lacks_a_field_is_noticed() {
    let without: Vec<String> =
        page().lines().filter(|line| !line.starts_with("  position: number;")).map(str::to_owned).collect();
    let (well, said) = run(&without.join("\n"));
    assert!(!well && said.contains("position is not on the page"), "{said}");
}
