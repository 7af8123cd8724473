//! Tunnels: drivers that act for a program on another machine.
//!
//! Owns their limits and their end. The registered process serves their socket; the daemon never listens for them.

use super::{Registered, Registrations};
use crate::drivers::{Driver, DriversError, TunnelFacts, driver_entry};
use crate::tabs::JoinedBy;
use gstack_base::clock::now_millis;
use gstack_protocol::audit::AuditBy;
use gstack_protocol::driver::{DriverBegin, DriverLine};
use gstack_protocol::fault::Fault;
use gstack_protocol::tunnel::{Tunnel, TunnelBegin, TunnelEnd, TunnelRevoke, Tunnels};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How long a tunnel may last, in seconds: up to a week.
const TTL: RangeInclusive<u64> = 1..=7 * 24 * 60 * 60;

impl Registrations {
    /// Returns what makes a registration a tunnel. Fails if it would be trusted, a time is not allowed or a tab is not free.
    pub(super) fn tunnel_of(&self, begin: &DriverBegin) -> Result<Option<TunnelFacts>, Fault> {
        let Some(tunnel) = &begin.tunnel else { return Ok(None) };
        if begin.trusted {
            return Err(DriversError::TunnelNotTrusted.into());
        }
        if !TTL.contains(&tunnel.ttl_seconds) {
            return Err(DriversError::TunnelTime.into());
        }
        for tab in &tunnel.tabs {
            self.drivers.open_tab(*tab)?;
        }
        Ok(Some(TunnelFacts {
            to: tunnel.to.clone(),
            expires_at: now_millis().saturating_add(tunnel.ttl_seconds.saturating_mul(1000)),
            revoked: CancellationToken::new(),
        }))
    }

    /// Leases a tunnel its tabs and records it.
    pub(super) fn open_tunnel(&self, driver: &Arc<Driver>, tunnel: &TunnelBegin) -> Result<(), Fault> {
        for tab in &tunnel.tabs {
            self.drivers.lease_to(driver, *tab, JoinedBy::Person)?;
        }
        driver.conversation.own_tab(tunnel.tabs.first().copied());
        let to = tunnel.to.as_ref().map(|to| format!(" --to {to}")).unwrap_or_default();
        let tabs: Vec<String> = tunnel.tabs.iter().map(ToString::to_string).collect();
        let tabs = if tabs.is_empty() { String::new() } else { format!(" --tabs {}", tabs.join(",")) };
        let opened = format!("tunnel open{to}{tabs} --ttl {}s", tunnel.ttl_seconds);
        self.policy.record(&driver_entry(driver, opened, true, AuditBy::Terminal))
    }

    /// Returns the tunnels that are open.
    pub fn tunnels(&self) -> Tunnels {
        let shown = |driver: Arc<Driver>| {
            let facts = driver.tunnel.as_ref()?;
            let info = self.drivers.info(&driver);
            Some(Tunnel {
                id: info.driver_id,
                name: info.name,
                to: facts.to.clone(),
                tabs: info.tabs,
                pid: info.pid,
                expires_at: facts.expires_at,
            })
        };
        let tunnels = self.drivers.all().into_iter().filter(|driver| !is_revoked(driver)).filter_map(shown);
        Tunnels { tunnels: tunnels.collect() }
    }

    /// Ends a tunnel, or all of them.
    pub fn revoke_tunnel(&self, revoke: &TunnelRevoke) -> Result<Tunnels, Fault> {
        let is_meant = |driver: &&Arc<Driver>| match &revoke.id {
            Some(id) => {
                driver.id.as_str() == id || driver.name == *id || driver.shown_name().label.as_ref() == Some(id)
            }
            None => true,
        };
        let all = self.drivers.all();
        let meant: Vec<_> = all.iter().filter(|driver| driver.tunnel.is_some()).filter(is_meant).collect();
        if let (true, Some(id)) = (meant.is_empty(), &revoke.id) {
            return Err(DriversError::NoSuchTunnel { id: id.clone() }.into());
        }
        for driver in meant {
            if let Some(facts) = &driver.tunnel {
                facts.revoked.cancel();
            }
        }
        Ok(self.tunnels())
    }
}

fn is_revoked(driver: &Driver) -> bool {
    driver.tunnel.as_ref().is_some_and(|facts| facts.revoked.is_cancelled())
}

/// Resolves when a tunnel is revoked or its time is over, and its process has been told. Never resolves for another driver.
pub(super) async fn ended(registered: &Registered, lines: &mpsc::Sender<DriverLine>) {
    let Some(facts) = &registered.driver.tunnel else { return std::future::pending().await };
    let left = Duration::from_millis(facts.expires_at.saturating_sub(now_millis()));
    let end = tokio::select! {
        () = facts.revoked.cancelled() => TunnelEnd::Revoked,
        () = tokio::time::sleep(left) => TunnelEnd::Expired,
    };
    // Nothing more runs under this registration, whatever its process does.
    if let Some(tools) = &registered.tools {
        registered.services.tools.revoke(tools);
    }
    let word = match end {
        TunnelEnd::Revoked => "tunnel revoke",
        TunnelEnd::Expired => "tunnel expire",
    };
    if let Err(fault) =
        registered.services.policy.record(&driver_entry(&registered.driver, word.to_owned(), true, AuditBy::Terminal))
    {
        tracing::warn!(%fault, "the audit does not have the end of a tunnel");
    }
    // A process that does not read is not waited for.
    if lines.try_send(DriverLine::TunnelEnded(end)).is_err() {
        tracing::debug!("a tunnel's process was not told of its end");
    }
}
