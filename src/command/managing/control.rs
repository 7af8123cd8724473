//! The `status`, `handoff`, `pause`, `resume`, `lease` and `release` commands: about gstack itself, answered by the engine.
//!
//! Owns their specs, so that help, docs and HTTP list them like any other. Never runs them.

use crate::core::{Arguments, Context, Output};
use crate::spec::{
    Capability, Category, Class, EngineCommand, Everyday, Kind, Navigates, Needs, Offered, Spec, TabUse, ValueType,
    Verb, Writes, flag, parameter, phrase,
};
use futures_util::future::BoxFuture;
use gstack_protocol::fault::{Fault, FaultCode};

pub(crate) const COMMANDS: &[Spec] = &[
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
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Control),
        everyday: Everyday::Works,
        needs: Needs::Engine(EngineCommand::Status),
        phrases: &[phrase(Verb::Check, "the browser's status")],
        output: "Status, Mode, URL, Tabs, PID and more, one line each",
        data: "unknown",
        run: by_itself,
    },
    Spec {
        name: "handoff",
        aliases: &[],
        category: Category::Tabs,
        class: Class::Secret,
        parameters: &[parameter("message", false, Kind::Rest, ValueType::Choice, "What the person should do")],
        flags: &[],
        summary: "Show the headless browser's pages in a window, so that a person can take over",
        details: "Restarts the browser on the same profile. Sign-ins stay; pages reopen with their local and session storage and their conversations. Unsent input in pages is lost. Without a display nothing changes. Continue with `resume`.",
        untrusted: false,
        writes: Writes::Tab,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Control),
        everyday: Everyday::Works,
        needs: Needs::Engine(EngineCommand::Handoff),
        phrases: &[phrase(Verb::Show, "the browser to the person")],
        output: "HANDED OFF, and what the person should do",
        data: "",
        run: by_itself,
    },
    Spec {
        name: "pause",
        aliases: &[],
        category: Category::Tabs,
        class: Class::Secret,
        parameters: &[parameter("id", false, Kind::Number, ValueType::Tab, "Default: the current tab")],
        flags: &[],
        summary: "Take a tab over from the agent or MCP client that works in it",
        details: "Its running action there is cancelled, and it can start no other until you run `resume`. Your own input in the page \
            does the same (`agents.pause-on-input`).",
        untrusted: false,
        writes: Writes::Nothing,
        tab: TabUse::Chooses,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Control),
        everyday: Everyday::Works,
        needs: Needs::Engine(EngineCommand::Pause),
        phrases: &[phrase(Verb::Take, "tab {id} over"), phrase(Verb::Take, "the tab over")],
        output: "You took over tab N, and from whom",
        data: "{tab: number, leasedBy: string | null}",
        run: by_itself,
    },
    Spec {
        name: "resume",
        aliases: &[],
        category: Category::Tabs,
        class: Class::Secret,
        parameters: &[parameter(
            "note",
            false,
            Kind::Rest,
            ValueType::Secret,
            "A note for the agent or client that continues",
        )],
        flags: &[],
        summary: "Hand a tab back that you took over, or continue after a handoff",
        details: "The paused agent or client continues with a fresh snapshot and the note. --tab N hands back one tab; without it, \
            all of them. If nothing is paused, prints a snapshot; after a handoff the window stays open.",
        untrusted: true,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Control),
        everyday: Everyday::Works,
        needs: Needs::Engine(EngineCommand::Resume),
        phrases: &[phrase(Verb::LookAt, "the page again")],
        output: "RESUMED, or that nothing was paused; then who continues, or a snapshot with fresh refs",
        data: "",
        run: by_itself,
    },
    Spec {
        name: "lease",
        aliases: &[],
        category: Category::Tabs,
        class: Class::Act,
        parameters: &[parameter("id", false, Kind::Number, ValueType::Tab, "Default: the current tab")],
        flags: &[flag("--to", "NAME", ValueType::Choice, "The driver that gets the tab, as named in `gstack status`")],
        summary: "Lease a tab to a driver, so that no other driver works in it",
        details: "A driver is an MCP client, a CDP client, or a shell or script that runs commands with `--driver \
            NAME` (or `GSTACK_DRIVER`). Such a shell leases any tab that no other driver has, and asks the person for \
            others; a client of `gstack mcp` asks for every tab. The person learns whose tab it is and answers in the side \
            panel or with `gstack approvals`: a yes moves the tab. With `--to`, the person gives a tab to any driver, and takes \
            it from the one that had it. A lease ends with `release`, with its tab, and with its driver.",
        untrusted: false,
        writes: Writes::Nothing,
        tab: TabUse::Chooses,
        navigates: Navigates::Nowhere,
        offered: Offered::Client,
        everyday: Everyday::Works,
        needs: Needs::Engine(EngineCommand::Lease),
        phrases: &[phrase(Verb::Use, "tab {id}"), phrase(Verb::Use, "the tab")],
        output: "Leased tab N, and to whom",
        data: "{tab: number, leasedBy: string | null}",
        run: by_itself,
    },
    Spec {
        name: "release",
        aliases: &[],
        category: Category::Tabs,
        class: Class::Act,
        parameters: &[parameter("id", false, Kind::Number, ValueType::Tab, "Default: the current tab")],
        flags: &[],
        summary: "End a driver's lease of a tab",
        details: "The tab stays open. A driver releases its own tabs; the person takes a tab from whichever driver leases it.",
        untrusted: false,
        writes: Writes::Nothing,
        tab: TabUse::Chooses,
        navigates: Navigates::Nowhere,
        offered: Offered::Client,
        everyday: Everyday::Works,
        needs: Needs::Engine(EngineCommand::Release),
        phrases: &[phrase(Verb::Release, "tab {id}"), phrase(Verb::Release, "the tab")],
        output: "Released tab N, which DRIVER leased",
        data: "{tab: number, leasedBy: string | null}",
        run: by_itself,
    },
];

/// Reached only inside a `chain` or `tab-each`; otherwise the engine answers.
fn by_itself(_: &Context, _: Arguments) -> BoxFuture<'_, Result<Output, Fault>> {
    Box::pin(std::future::ready(Err(Fault::new(FaultCode::BadRequest, "this command can't be combined with others")
        .hint("Run it alone: status, handoff, pause, resume, lease or release."))))
}
