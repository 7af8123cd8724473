//! What a person's hands do in a page beyond a plain click: other buttons, fingers, keys that stay down, the wheel, the clipboard.
//!
//! Owns what these commands share. Each file declares its own.

pub(super) mod clipboard;
pub(super) mod fields;
pub(super) mod keys;
pub(super) mod mouse;
pub(super) mod pointer;
pub(super) mod scrolling;

use super::context::Output;
use super::spec::{Category, Class, Everyday, Leads, Needs, Offered, Spec, TabUse, Writes};
use std::time::Duration;

/// How long an act waits for its element.
pub(super) const ACTION_LIMIT: Duration = Duration::from_secs(5);

/// An act on an element of the page, which leads nowhere by itself: what its commands don't say otherwise.
const ACT: Spec = Spec {
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
    offered: Offered::Extended,
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[],
    output: "",
    run: |_, _| Box::pin(async { Ok(Output::default()) }),
};
