//! `gstack doctor`: each hop, and what is in the way.

use super::terminal::{Terminal, print};
use crate::protocol::fault::Hop;
use crate::protocol::methods::HopState;

/// Prints a line a hop; true when all are well.
pub fn print_hops(hops: &[HopState], terminal: Terminal) -> bool {
    for hop in hops {
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
    hops.iter().all(|hop| hop.ok)
}

fn hop_name(hop: Hop) -> &'static str {
    match hop {
        Hop::Panel => "panel",
        Hop::Background => "background",
        Hop::Host => "host",
        Hop::Daemon => "daemon",
        Hop::Browser => "browser",
        Hop::Agent => "agent",
    }
}
