//! The engine's beginning and end: its services wired, a newer release, what earlier daemons left, how it is.

mod leftovers;
mod opening;
mod status;
mod upgrade;
