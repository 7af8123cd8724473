//! Drivers: the MCP clients that are registered now, and the approvals that they wait for.
//!
//! Owns who is registered, under which name and for which process, and the open approvals. Never decides what a driver
//! may do: the policy does. A driver's tab set is in `tabs`.

mod approvals;
mod error;
mod registry;

pub(super) use approvals::DriverAnswer;
pub(super) use error::DriversError;
pub(crate) use registry::Driver;
pub(super) use registry::{Drivers, NewDriver};
