//! What an agent may do without asking, what persons have said about that, and the record of every decision.
//!
//! Owns the rules, their file, and the audit. `rules` decides and is pure; everything that is not plainly allowed asks,
//! everything that can't be asked is denied, and what can't be read or written allows nothing.

mod audit;
mod permission;
mod readings;
mod requests;
mod rules;
mod store;
mod trail;
mod trails;
mod wish;

pub(super) use audit::Audit;
pub(super) use permission::Permitted;
pub(super) use store::PolicyStore;
pub(super) use trail::Trail;
pub(super) use wish::{Deed, Shape, Wish};
