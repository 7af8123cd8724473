//! What the acts have in common: what their commands do not say otherwise, and how long they wait.
//!
//! Owns both. Declares no command.

use crate::command::core::Output;
use crate::command::spec::{Capability, Category, Class, Everyday, Leads, Needs, Offered, Spec, TabUse, Writes};
use std::time::Duration;

/// How long an act waits for its element.
pub(super) const ACTION_LIMIT: Duration = Duration::from_secs(5);

/// An act on an element of the page, which leads nowhere by itself: what its commands don't say otherwise.
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
    leads: Leads::Nowhere,
    offered: Offered::Extended(Capability::Acting),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[],
    output: "",
    run: |_, _| Box::pin(async { Ok(Output::default()) }),
};
