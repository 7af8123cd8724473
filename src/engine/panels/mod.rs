//! What panels ask of the engine beside conversations: they connect, point at elements, take the keyboard, check the hops.
//!
//! Owns who is connected and what is drawn for them. The ports themselves are `ports`.

mod connected;
mod elements;
mod error;
mod hops;
mod keyboard;
mod pointing;

pub(in crate::engine) use pointing::Pointing;
