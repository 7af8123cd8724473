//! Every hop from a panel to an agent, proved now rather than remembered.

use super::Engine;
use super::ports::PortId;
use crate::protocol::VERSION;
use crate::protocol::fault::{Fault, FaultCode, Hop};
use crate::protocol::methods::HopState;
use std::time::{Duration, Instant};

/// A hop that does not answer within this is down, for a person who looks at it.
const LIMIT: Duration = Duration::from_secs(5);

impl Engine {
    /// The hops behind the host, for a panel's Connection view: the panel has proved those before by asking.
    pub async fn hops(&self, port: PortId) -> Vec<HopState> {
        let host = self.host_hop(Some(port));
        vec![host, self.daemon_hop(), self.browser_hop().await, self.agent_hop().await]
    }

    /// All hops, for `gstack doctor`.
    pub async fn doctor(&self) -> Vec<HopState> {
        vec![self.daemon_hop(), self.browser_hop().await, self.host_hop(None), self.panel_hop(), self.agent_hop().await]
    }

    fn daemon_hop(&self) -> HopState {
        let detail = format!("version {VERSION}, pid {}, home {}", std::process::id(), self.home().root().display());
        good(Hop::Daemon, detail, None)
    }

    fn host_hop(&self, of: Option<PortId>) -> HopState {
        let ports = self.ports();
        let found: Vec<_> = ports.iter().filter(|(id, _)| of.is_none_or(|of| of == *id)).collect();
        match found.first() {
            Some((_, port)) => {
                let more = if found.len() > 1 { format!(", {} in all", found.len()) } else { String::new() };
                good(Hop::Host, format!("version {}, pid {}{more}", port.preamble.version, port.preamble.pid), None)
            }
            None => bad(
                Hop::Host,
                Fault::new(FaultCode::NotFound, "no browser's extension is connected")
                    .hint(
                        "Open one with `gstack connect`, or register your everyday browser with `gstack install-host`.",
                    )
                    .command("gstack connect"),
            ),
        }
    }

    fn panel_hop(&self) -> HopState {
        match self.ports().panels() {
            0 => bad(
                Hop::Panel,
                Fault::new(FaultCode::NotFound, "no side panel is open")
                    .hint("Click gstack's icon in the browser's toolbar, or run `gstack connect`.")
                    .command("gstack connect"),
            ),
            n => good(Hop::Panel, format!("{n} open"), None),
        }
    }

    async fn browser_hop(&self) -> HopState {
        let Some(browser) = self.browser() else {
            let fault = super::tabs::no_browser("commands and agents have nothing to act on");
            return bad(Hop::Browser, fault);
        };
        let began = Instant::now();
        match tokio::time::timeout(LIMIT, browser.version()).await {
            Ok(Ok(version)) => {
                let pid = self.browser_pid().unwrap_or_default();
                let detail = format!("{version}, pid {pid}, {} tabs", browser.tabs().len());
                good(Hop::Browser, detail, Some(began))
            }
            Ok(Err(error)) => bad(Hop::Browser, error.into()),
            Err(_) => bad(
                Hop::Browser,
                Fault::new(FaultCode::Timeout, "the browser does not answer")
                    .hint("Close it and open it again.")
                    .command("gstack restart"),
            ),
        }
    }

    async fn agent_hop(&self) -> HopState {
        let began = Instant::now();
        let agents = self.agents(true).await.agents;
        let Some(agent) = agents.iter().find(|agent| agent.default) else {
            return bad(Hop::Agent, Fault::new(FaultCode::AgentMissing, "no agent was found"));
        };
        let version = agent.version.as_deref().unwrap_or_default();
        let path = agent.path.as_deref().map(|path| format!(" at {path}")).unwrap_or_default();
        let detail = format!("{} {version}{path}", agent.label);
        match &agent.fault {
            None => good(Hop::Agent, detail.trim().to_owned(), Some(began)),
            Some(fault) => HopState { detail, ..bad(Hop::Agent, fault.clone()) },
        }
    }
}

fn good(hop: Hop, detail: String, began: Option<Instant>) -> HopState {
    let millis = began.map(|began| began.elapsed().as_secs_f64() * 1000.0);
    HopState { hop, ok: true, detail, millis, fault: None }
}

fn bad(hop: Hop, fault: Fault) -> HopState {
    HopState { hop, ok: false, detail: fault.message.clone(), millis: None, fault: Some(fault.at(hop)) }
}
