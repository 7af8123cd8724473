//! What a registered driver does in the engine: its registration, its leases, its first tab, and what panels are told of these.
//!
//! Joins the services `drivers` and `tabs`. A driver that the policy judges has the tools of `engine/tools`, as an agent
//! has; a trusted one acts as the person, in tabs that no other driver leases.

mod first_tab;
mod leases;
mod registration;
mod telling;

pub(super) use leases::Leases;
pub(super) use registration::driver_entry;
pub(super) use telling::ToldDrivers;
