//! Finding elements and reading them as data.
//!
//! Owns what these commands share. Each file declares its own.

pub(super) mod data;
pub(super) mod extract;
mod extraction;
pub(super) mod find;

use super::context::Output;
use super::spec::{Category, Class, Everyday, Leads, Needs, Offered, Spec, TabUse, Writes};

/// A look at the page, which changes nothing: what its commands don't say otherwise.
const READ: Spec = Spec {
    name: "",
    aliases: &[],
    category: Category::Reading,
    class: Class::Read,
    parameters: &[],
    flags: &[],
    summary: "",
    details: "",
    untrusted: true,
    writes: Writes::Nothing,
    tab: TabUse::ThisPage,
    leads: Leads::Nowhere,
    offered: Offered::Extended,
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[],
    output: "",
    run: |_, _| Box::pin(async { Ok(Output::default()) }),
};
