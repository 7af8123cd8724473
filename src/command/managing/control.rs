//! The `status`, `handoff` and `resume` commands: about gstack itself, answered by the engine.
//!
//! Owns their specs, so that help, docs and HTTP list them like any other. Never runs them.

use crate::command::core::{Arguments, Context, Output};
use crate::command::spec::{
    Capability, Category, Class, EngineCommand, Everyday, Holds, Kind, Leads, Needs, Offered, Spec, TabUse, Verb,
    Writes, parameter, phrase,
};
use crate::protocol::fault::{Fault, FaultCode};
use futures_util::future::BoxFuture;

pub(in crate::command) const COMMANDS: &[Spec] = &[
    Spec {
        name: "status",
        aliases: &[],
        category: Category::Tabs,
        class: Class::Read,
        parameters: &[],
        flags: &[],
        summary: "Show what is running: browser, tabs, panels, agents",
        details: "",
        untrusted: false,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        leads: Leads::Nowhere,
        offered: Offered::Extended(Capability::Control),
        everyday: Everyday::Works,
        needs: Needs::Engine(EngineCommand::Status),
        phrases: &[phrase(Verb::Check, "what runs")],
        output: "Status, Mode, URL, Tabs, PID and more, a line each",
        run: by_itself,
    },
    Spec {
        name: "handoff",
        aliases: &[],
        category: Category::Tabs,
        class: Class::Secret,
        parameters: &[parameter("message", false, Kind::Rest, Holds::Choice, "What the person is to do")],
        flags: &[],
        summary: "Show the headless browser's pages in a window, so that a person can take over",
        details: "Restarts the browser on the same profile. Sign-ins stay; pages reopen with their local and session storage and their conversations. Unsent input in pages is lost. Without a display nothing changes. Continue with `resume`.",
        untrusted: false,
        writes: Writes::Tab,
        tab: TabUse::ThisPage,
        leads: Leads::Nowhere,
        offered: Offered::Extended(Capability::Control),
        everyday: Everyday::Works,
        needs: Needs::Engine(EngineCommand::Handoff),
        phrases: &[phrase(Verb::Show, "the browser to the person")],
        output: "HANDED OFF, and what the person is to do",
        run: by_itself,
    },
    Spec {
        name: "resume",
        aliases: &[],
        category: Category::Tabs,
        class: Class::Secret,
        parameters: &[],
        flags: &[],
        summary: "Continue after a handoff, with a fresh snapshot",
        details: "The window stays open.",
        untrusted: true,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        leads: Leads::Nowhere,
        offered: Offered::Extended(Capability::Control),
        everyday: Everyday::Works,
        needs: Needs::Engine(EngineCommand::Resume),
        phrases: &[phrase(Verb::LookAt, "the page again")],
        output: "RESUMED, then a snapshot with fresh refs",
        run: by_itself,
    },
];

/// Reached only inside a `chain` or `tab-each`; otherwise the engine answers.
fn by_itself(_: &Context, _: Arguments) -> BoxFuture<'_, Result<Output, Fault>> {
    Box::pin(std::future::ready(Err(Fault::new(
        FaultCode::BadRequest,
        "this command runs by itself, not among others",
    )
    .hint("Run it alone: status, handoff or resume."))))
}
