//! wait.

use super::arguments::{Arguments, usage};
use super::context::{Context, Output};
use super::downloads::{self, DOWNLOAD_DIR};
use super::registry;
use super::spec::{
    Category, Class, Everyday, Flag, Holds, Kind, Leads, Needs, Offered, Parameter, Spec, TIMEOUT, TabUse, Verb, When,
    Writes, phrase, phrase_when, selector, switch,
};
use crate::browser::page::{LoadState, Target};
use crate::protocol::fault::Fault;
use std::time::Duration;

const WAIT_LIMIT: Duration = Duration::from_secs(15);

pub(super) const COMMANDS: &[Spec] = &[Spec {
    name: "wait",
    aliases: &[],
    category: Category::Interaction,
    class: Class::Read,
    parameters: &[
        selector(false, "What must become visible"),
        Parameter {
            name: "ms",
            required: false,
            kind: Kind::Number,
            holds: Holds::Choice,
            help: "How long at most (15000)",
        },
    ],
    flags: &[
        Flag {
            name: "--networkidle",
            alias: "",
            value: None,
            holds: Holds::Choice,
            help: "Until no request was open for half a second",
        },
        Flag {
            name: "--load",
            alias: "",
            value: None,
            holds: Holds::Choice,
            help: "Until the page and its resources are loaded",
        },
        Flag {
            name: "--domcontentloaded",
            alias: "",
            value: None,
            holds: Holds::Choice,
            help: "Until the document is parsed",
        },
        switch("--download", "Until the downloads of the tab have ended; without one under way, for the next"),
        TIMEOUT,
        DOWNLOAD_DIR,
    ],
    summary: "Wait for an element, the page, the network or a download",
    details: "",
    untrusted: false,
    writes: Writes::Nothing,
    tab: TabUse::ThisPage,
    leads: Leads::Nowhere,
    offered: Offered::Core,
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[
        phrase_when(When::Flag("--download"), Verb::Wait, "for a download"),
        phrase_when(When::Flag("--networkidle"), Verb::Wait, "for the network"),
        phrase_when(When::Flag("--load"), Verb::Wait, "for the page"),
        phrase_when(When::Flag("--domcontentloaded"), Verb::Wait, "for the page"),
        phrase(Verb::Wait, "for {sel}"),
    ],
    output: "Element sel appeared, Network idle, Page loaded, DOM content loaded or Downloaded: path (N B)",
    run: |context, arguments| Box::pin(wait(context, arguments)),
}];

async fn wait(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    if arguments.has("--download") {
        return downloads::wait(context, &arguments).await;
    }
    let states = [
        ("--networkidle", LoadState::NetworkIdle, "Network idle"),
        ("--load", LoadState::Load, "Page loaded"),
        ("--domcontentloaded", LoadState::DomContentLoaded, "DOM content loaded"),
    ];
    let asked: Vec<_> = states.iter().filter(|(flag, ..)| arguments.has(flag)).collect();
    let (first, second) = (arguments.text("sel"), arguments.text("ms"));
    let spec = registry::get("wait")?;
    let one_thing = || usage(spec, "wait takes one thing to wait for".to_owned());
    let is_time = |text: &str| text.parse::<u64>().is_ok();
    let millis = |text: Option<&String>| match text {
        Some(text) if is_time(text) => Ok(Duration::from_millis(arguments.number("ms", text)?)),
        // A second thing to wait for.
        Some(_) => Err(one_thing()),
        None => arguments.timeout(WAIT_LIMIT),
    };
    match (asked.as_slice(), first) {
        ([(_, state, words)], first) if second.is_none() => {
            let limit = millis(first.as_ref())?;
            context.page().await?.wait_until(*state, limit).await?;
            Ok(Output::text(*words))
        }
        ([], Some(time)) if is_time(&time) => {
            Err(usage(spec, "wait waits for something, not for a time: it needs a selector or a flag".to_owned()))
        }
        ([], Some(selector)) => {
            let limit = millis(second.as_ref())?;
            let target = Target::parse(&selector);
            context.page().await?.wait_for(&target, limit).await?;
            Ok(Output::text(format!("Element {target} appeared")))
        }
        _ => Err(one_thing()),
    }
}
