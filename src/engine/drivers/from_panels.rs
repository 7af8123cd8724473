//! The person gives a tab to a driver and takes it back, in a panel beside it.
//!
//! Owns what is recorded of it. `leases` moves the tab. Only a confirmed browser's panel gets here
//! (`panel/dispatch.rs`): no page, agent or client does.

use super::error::DriversError;
use super::service::Drivers;
use crate::command::Call;
use crate::engine::ports::PortId;
use crate::protocol::activity::ActivitySource;
use crate::protocol::command::CommandRequest;
use crate::protocol::driver::{ConnectedDriver, DriverKind, DriversGive, DriversRelease};
use crate::protocol::fault::{Fault, FaultCode};

impl Drivers {
    /// Takes a tab back for the person, from a panel beside it.
    pub(crate) fn release_from_panel(&self, port: PortId, release: &DriversRelease) -> Result<(), Fault> {
        let tab = self.0.uses.tabs.place_of(port, release.chrome_tab_id)?.tab_id;
        let call = Call::parse("release", &[tab.to_string()])?;
        let begun = self.0.uses.activity.begin(ActivitySource::Panel, Some(tab), &call);
        let outcome = self.release(None, &CommandRequest::default(), &call);
        begun.end(outcome.as_ref().map(|result| result.output.as_str()));
        match outcome {
            // The lease ended meanwhile.
            Err(fault) if fault.code == FaultCode::NotFound => Ok(()),
            outcome => outcome.map(|_| ()),
        }
    }

    /// Gives a tab to a driver for the person, from a panel beside it.
    pub(crate) fn give_from_panel(&self, port: PortId, give: &DriversGive) -> Result<(), Fault> {
        let to = self.all().into_iter().find(|driver| driver.id == give.driver_id).ok_or(DriversError::Gone)?;
        if to.kind == DriverKind::Cdp && !self.takes_cdp(port) {
            return Err(DriversError::EverydayNotChosen.into());
        }
        let tab = self.0.uses.tabs.place_of(port, give.chrome_tab_id)?.tab_id;
        let call = Call::parse("lease", &[tab.to_string(), "--to".to_owned(), to.name.clone()])?;
        let begun = self.0.uses.activity.begin(ActivitySource::Panel, Some(tab), &call);
        let outcome = self.give(&to, tab);
        begun.end(outcome.as_ref().map(|result| result.output.as_str()));
        outcome.map(|_| ())
    }

    /// Returns the drivers that may get a tab of a port's browser.
    pub(super) fn connected_to(&self, port: PortId) -> Vec<ConnectedDriver> {
        let takes_cdp = self.takes_cdp(port);
        let all = self.all().into_iter().filter(|driver| driver.kind != DriverKind::Cdp || takes_cdp);
        all.map(|driver| ConnectedDriver { driver_id: driver.id.clone(), driver: driver.shown_name() }).collect()
    }

    /// Returns true if a CDP client can drive the port's browser: in an everyday one, gstack has the only session of
    /// each tab.
    fn takes_cdp(&self, port: PortId) -> bool {
        self.0.uses.browsers.of_port(port).is_some_and(|browser| !browser.is_relayed())
    }
}
