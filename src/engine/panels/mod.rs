//! Panel requests that do not concern conversations: connecting, pointing at elements, keyboard focus, checking the
//! hops.
//!
//! Owns who is connected and what is drawn for them. `ports` holds the ports themselves.

mod connected;
mod elements;
mod error;
mod hops;
mod keyboard;
mod pointing;

pub(in crate::engine) use pointing::Pointing;
