//! Drivers: the MCP clients that are registered now, the tabs that they lease, and the approvals that they wait for.
//!
//! Owns who is registered, under which name and for which process, who leases which tab, and what panels are told of it.
//! Never decides what a driver may do: the policy does. The sets that leases are made of are in `tabs`.

mod approvals;
mod driver;
mod error;
mod leases;
mod names;
mod service;
mod taking_over;
mod telling;

pub(super) use approvals::DriverAnswer;
pub(crate) use driver::Driver;
pub(super) use driver::NewDriver;
pub(super) use error::DriversError;
pub(super) use leases::Leases;
pub(super) use service::{DriverServices, Drivers};
pub(super) use taking_over::CLIENT_WAITS;
