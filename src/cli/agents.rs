//! Formats the output of `gstack agents`.

use super::terminal::Terminal;
use gstack_protocol::agents::{Agents, ModeInfo};

pub(super) fn text(agents: &Agents, terminal: Terminal) -> String {
    let lines = agents.agents.iter().map(|agent| {
        let mark = if agent.fault.is_none() { terminal.good("✓") } else { terminal.bad("✗") };
        let version = agent.version.as_deref().unwrap_or_default();
        let default = if agent.default { " (default)" } else { "" };
        let label = format!("{} {version}", agent.label);
        let mut line = format!("{mark} {:<12} {}{default}", agent.name.as_str(), label.trim_end());
        if let Some(path) = &agent.path {
            line.push_str(&terminal.dim(&format!("  {path}")));
        }
        if !agent.modes.is_empty() {
            let mode = |mode: &ModeInfo| if mode.asks { format!("{} (asks)", mode.id) } else { mode.id.clone() };
            line.push_str(&format!("\n    Modes: {}", agent.modes.iter().map(mode).collect::<Vec<_>>().join(", ")));
        }
        if let Some(account) = &agent.account {
            line.push_str(&format!("\n    Signed in: {account}"));
        }
        if let Some(warning) = &agent.warning {
            line.push_str(&format!("\n    {warning}"));
        }
        if let Some(fault) = &agent.fault {
            line.push_str(&format!("\n    {}", fault.message));
            if let Some(command) = &fault.command {
                line.push_str(&format!("\n    Run: {command}"));
            }
        }
        line
    });
    lines.collect::<Vec<_>>().join("\n")
}
