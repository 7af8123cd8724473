//! Opening and closing the engine.

mod leftovers;
mod opening;
mod wiring;
