//! Drivers: the MCP clients, CDP clients and named terminals that are registered now, the tabs that they lease, the approvals that they wait for, and
//! the CDP endpoints.
//!
//! Owns the registrations (name and process), the leases, and the messages to panels about them.
//! Never decides what a driver may do: the policy does. The sets that leases are made of are in `tabs`.

mod approvals;
mod audit_lines;
mod driver;
mod endpoints;
mod error;
mod from_panels;
mod holders;
mod leases;
mod names;
mod own_tabs;
mod running_calls;
mod service;
mod taking_over;
mod telling;
mod terminals;
mod withdrawals;

pub(super) use approvals::{DriverAnswer, PendingDriverApproval};
pub(super) use audit_lines::{agent_name, driver_entry, endpoint_entry};
pub use driver::Driver;
pub(super) use driver::{NewDriver, TunnelFacts};
pub use endpoints::{Endpoint, Taken};
pub(super) use error::DriversError;
pub(super) use holders::Holder;
pub(super) use leases::{Leases, result as lease_result};
pub(super) use service::{DriverServices, Drivers};
pub(super) use taking_over::CLIENT_WAITS;
