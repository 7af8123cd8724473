//! What the looks at a page have in common: what their commands do not say otherwise.
//!
//! Owns that. Declares no command.

use crate::command::core::Output;
use crate::command::spec::{Capability, Category, Class, Everyday, Leads, Needs, Offered, Spec, TabUse, Writes};

/// A look at the page, which changes nothing: what its commands don't say otherwise.
pub(super) const READ: Spec = Spec {
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
    offered: Offered::Extended(Capability::Reading),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[],
    output: "",
    run: |_, _| Box::pin(async { Ok(Output::default()) }),
};
