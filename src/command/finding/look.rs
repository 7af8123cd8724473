//! The defaults of all commands that only read a page.
//!
//! Owns them. Declares no command.

use crate::core::Output;
use crate::spec::{Capability, Category, Class, Everyday, Navigates, Needs, Offered, Spec, TabUse, Writes};

/// The default spec of a command that reads the page and changes nothing.
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
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Reading),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[],
    output: "",
    data: "unknown",
    run: |_, _| Box::pin(async { Ok(Output::default()) }),
};
