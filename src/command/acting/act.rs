//! The defaults of all interaction commands, and their time limit.
//!
//! Owns both. Declares no command.

use crate::core::Output;
use crate::spec::{Capability, Category, Class, Everyday, Navigates, Needs, Offered, Spec, TabUse, Writes};
use std::time::Duration;

/// How long an interaction waits for its element.
pub(super) const ACTION_LIMIT: Duration = Duration::from_secs(5);

/// The default spec of an interaction with an element, which does not navigate by itself.
pub(super) const ACT: Spec = Spec {
    name: "",
    aliases: &[],
    category: Category::Interaction,
    class: Class::Act,
    parameters: &[],
    flags: &[],
    summary: "",
    details: "",
    untrusted: false,
    writes: Writes::Page,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Acting),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[],
    output: "",
    data: "",
    run: |_, _| Box::pin(async { Ok(Output::default()) }),
};
