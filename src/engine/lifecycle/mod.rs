//! The engine's lifecycle: wiring its services, upgrading to a newer release, removing leftovers, reporting its status.

mod leftovers;
mod opening;
mod status;
mod upgrade;
