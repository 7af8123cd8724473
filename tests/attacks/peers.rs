//! No process that an agent starts can pass as the person on a unix socket, however it connects.
#![cfg(target_os = "linux")]

use crate::hostile::{From, Stage};

/// The reply of each socket to the person.
const SOCKETS: [(&str, &str); 2] = [("http.sock", "200"), ("panel.sock", "welcome")];

fn is_refusal(said: &str) -> bool {
    said == "403" || said == "refused"
}

#[track_caller]
fn all_refused(stage: &Stage, attack: &[&str]) {
    let said = stage.attack(From::Agent, attack);
    assert!(!said.is_empty() && said.iter().all(|said| is_refusal(said)), "{attack:?}: {said:?}");
    assert!(stage.has_no_rules(), "{attack:?}");
}

#[test]
fn a_child_that_connects_and_ends_gives_its_parent_nothing() {
    let stage = Stage::new();
    for (socket, _) in SOCKETS {
        // The child has been reaped; the child is a zombie; it was a grandchild whose parent has ended as well.
        for (reap, grandchild) in [("1", "0"), ("0", "0"), ("1", "1")] {
            all_refused(&stage, &["fork_connect_exit", socket, "200", reap, grandchild]);
        }
    }
    // Nor does the person's own process: the identified process has ended.
    let said = stage.attack(From::Terminal, &["fork_connect_exit", "http.sock", "20"]);
    assert!(said.iter().all(|said| is_refusal(said)), "{said:?}");
}

#[test]
fn a_connection_that_its_host_left_to_another_process_is_closed() {
    let stage = Stage::new();
    for greet in ["0", "1"] {
        for from in [From::Terminal, From::Agent] {
            assert_eq!(stage.attack(from, &["parked_panel", greet]).last().unwrap(), "refused", "{from:?} {greet}");
        }
    }
    assert!(stage.has_no_rules());
}

#[test]
fn a_process_of_an_agent_is_known_when_it_detaches_or_changes_its_namespace() {
    let stage = Stage::new();
    for (socket, _) in SOCKETS {
        all_refused(&stage, &["plain", socket]);
        all_refused(&stage, &["daemonised", socket]);
        let said = stage.attack(From::Agent, &["in_pid_namespace", socket]);
        assert!(said.iter().all(|said| is_refusal(said) || said == "unavailable"), "{socket}: {said:?}");
    }
    assert!(stage.has_no_rules());
}

#[test]
fn the_same_processes_of_the_person_are_served() {
    let stage = Stage::new();
    for (socket, served) in SOCKETS {
        assert_eq!(stage.attack(From::Terminal, &["plain", socket]), [served]);
        assert_eq!(stage.attack(From::Terminal, &["daemonised", socket]), [served]);
    }
    assert!(!stage.has_no_rules(), "the rule that the attacks ask for is one that can be made");
}
