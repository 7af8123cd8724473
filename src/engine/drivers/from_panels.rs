//! The person gives a tab to a driver and takes it back, in a panel beside it.
//!
//! Owns the record of it. `leases` moves the tab. Only a confirmed browser's panel gets here
//! (`panel/dispatch.rs`): no page, agent or client does.

use super::driver::Driver;
use super::error::DriversError;
use super::service::Drivers;
use crate::browsers::BrowsersError;
use crate::ports::PortId;
use gstack_command::Call;
use gstack_protocol::activity::ActivitySource;
use gstack_protocol::command::CommandRequest;
use gstack_protocol::driver::{ConnectedDriver, DriversGive, DriversRelease};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::TabId;

impl Drivers {
    /// Takes a tab back for the person, from a panel beside it.
    pub async fn release_from_panel(&self, port: PortId, release: &DriversRelease) -> Result<(), Fault> {
        let tab = self.0.uses.tabs.place_of(port, release.chrome_tab_id).await?.tab_id;
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
    pub async fn give_from_panel(&self, port: PortId, give: &DriversGive) -> Result<(), Fault> {
        let to = self.all().into_iter().find(|driver| driver.id == give.driver_id).ok_or(DriversError::Gone)?;
        let tab = self.0.uses.tabs.place_of(port, give.chrome_tab_id).await?.tab_id;
        let call = Call::parse("lease", &[tab.to_string(), "--to".to_owned(), to.name.clone()])?;
        let begun = self.0.uses.activity.begin(ActivitySource::Panel, Some(tab), &call);
        let outcome = self.give(&to, tab);
        begun.end(outcome.as_ref().map(|result| result.output.as_str()));
        outcome.map(|_| ())
    }

    /// Returns the drivers that may get a tab of a port's browser.
    pub(super) fn connected_to(&self, port: PortId) -> Vec<ConnectedDriver> {
        let browser = self.0.uses.browsers.of_port(port);
        let drives = |driver: &Driver| match &driver.browser {
            Some(only) => browser.as_ref().is_some_and(|browser| browser.run() == only),
            None => true,
        };
        let all = self.all().into_iter().filter(|driver| drives(driver));
        all.map(|driver| ConnectedDriver { driver_id: driver.id.clone(), driver: driver.shown_name() }).collect()
    }

    /// Fails if a driver can't work in a tab because it drives another browser. A client of a browser that is not the
    /// person's everyday one never gets there: the person did not choose that.
    pub(super) fn check_browser(&self, driver: &Driver, tab: TabId) -> Result<(), Fault> {
        let Some(only) = &driver.browser else { return Ok(()) };
        let (browser, _) = self.0.uses.browsers.pages_with(Some(tab)).ok_or(BrowsersError::NotConnected)?;
        if browser.run() == only {
            return Ok(());
        }
        if browser.is_relayed() {
            return Err(DriversError::EverydayNotChosen.into());
        }
        Err(DriversError::OtherBrowser { tab: tab.to_string(), name: driver.name.clone() }.into())
    }
}
