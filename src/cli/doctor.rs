//! `gstack doctor`: checks each hop and reports what is wrong.
//!
//! Owns the checks without a daemon: a daemon that cannot be started or does not answer is the first finding, and the
//! host registrations are read from the browsers' folders.

use super::terminal::{Terminal, clean_line, print};
use crate::install::hosts::{self, Action, Options};
use gstack_client::http::Client;
use gstack_protocol::control::Doctor;
use gstack_protocol::fault::Hop;
use gstack_protocol::hops::HopState;

/// Returns the daemon's check of every hop, or if none runs, only that hop with the reason.
pub(super) async fn examine(client: &Client) -> Doctor {
    let asked = async {
        client.check_answers().await?;
        client.get::<Doctor>("/doctor").await
    };
    let mut report = asked.await.unwrap_or_else(|fault| Doctor {
        hops: vec![HopState {
            hop: Hop::Daemon,
            ok: false,
            detail: fault.message.clone(),
            words: None,
            millis: None,
            fault: Some(fault),
        }],
        notes: Vec::new(),
    });
    let host_is_missing = report.hops.iter().any(|hop| hop.hop == Hop::Host && !hop.ok);
    let looked = tokio::task::spawn_blocking(move || host_notes(host_is_missing));
    report.notes.extend(looked.await.unwrap_or_default());
    report
}

/// Returns notes about browsers whose registered host is another program or missing.
fn host_notes(host_is_missing: bool) -> Vec<String> {
    let Ok(planned) = hosts::install(&Options { dry_run: true, ..Options::default() }) else { return Vec::new() };
    let note = |done: &hosts::Done| {
        let browser = &done.step.browser;
        match done.step.action {
            Action::Replace => Some(format!(
                "{browser} starts a different program as gstack's host. To fix it, run: gstack \
                    install-host"
            )),
            Action::Create if host_is_missing => {
                Some(format!("gstack is not registered with {browser}. To use it there, run: gstack install-host"))
            }
            _ => None,
        }
    };
    planned.browsers.iter().filter_map(note).collect()
}

/// Prints the session, one line per hop, and the notes. `chosen`: what chose the session.
pub(super) fn print_report(report: &Doctor, session: &str, chosen: Option<String>, terminal: Terminal) {
    let chosen = chosen.map(|chosen| format!(", {chosen}")).unwrap_or_default();
    print(&format!("  {:<11} {session}{chosen}\n", "session"));
    for hop in &report.hops {
        let mark = if hop.ok { terminal.good("✓") } else { terminal.bad("✗") };
        let time = hop.millis.map(|m| terminal.dim(&format!("  {m:.1} ms"))).unwrap_or_default();
        print(&format!("{mark} {:<11} {}{time}\n", hop_name(hop.hop), hop.detail));
        if let Some(fault) = &hop.fault {
            if fault.message != hop.detail {
                print(&format!("  {}\n", fault.message));
            }
            if let Some(hint) = &fault.hint {
                print(&format!("  {hint}\n"));
            }
            if let Some(command) = &fault.command {
                print(&format!("  Run: {}\n", terminal.bold(command)));
            }
        }
    }
    for note in &report.notes {
        print(&format!("{} {}\n", terminal.warm("!"), clean_line(note)));
    }
}

pub(super) fn hop_name(hop: Hop) -> &'static str {
    match hop {
        Hop::Panel => "panel",
        Hop::Background => "background",
        Hop::Host => "host",
        Hop::Daemon => "daemon",
        Hop::Browser => "browser",
        Hop::Agent => "agent",
    }
}
