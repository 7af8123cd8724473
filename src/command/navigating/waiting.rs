//! The `wait` command.
//!
//! Owns the conditions and the output text. `browser::page` does the waiting.

use crate::core::{Arguments, Context, Output, wrong};
use crate::files::{DOWNLOAD_DIR, downloads};
use crate::network::readable_address;
use crate::spec::{
    Category, Class, Everyday, Flag, Kind, Navigates, Needs, Offered, Parameter, Spec, TIMEOUT, TabUse, ValueType,
    Verb, When, Writes, flag, phrase, phrase_when, selector, switch,
};
use futures_util::FutureExt;
use futures_util::future::{select_all, try_join_all};
use gstack_base::glob::Glob;
use gstack_browser::page::error::PageError;
use gstack_browser::page::{LoadState, Page, Presence, Target};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;
use std::time::Duration;

const WAIT_LIMIT: Duration = Duration::from_secs(15);

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "wait",
    aliases: &[],
    category: Category::Interaction,
    class: Class::Read,
    parameters: &[
        selector(false, ValueType::Element, "The element to wait for"),
        Parameter {
            name: "ms",
            required: false,
            kind: Kind::Number,
            holds: ValueType::Choice,
            help: "Maximum time in milliseconds (default: 15000)",
        },
    ],
    flags: &[
        flag("--state", "STATE", ValueType::Choice, "The element's state: visible, hidden, attached or detached"),
        flag("--text", "TEXT", ValueType::Choice, "Until this text is visible"),
        flag("--text-gone", "TEXT", ValueType::Choice, "Until this text is no longer visible"),
        flag("--url", "GLOB", ValueType::Choice, "Until the URL matches: **/cart, or a part of it"),
        flag(
            "--response",
            "GLOB",
            ValueType::Choice,
            "Until a request of this page to a matching address was answered",
        ),
        flag("--console", "TEXT", ValueType::Choice, "Until this text appears in the page's console"),
        switch("--dialog", ValueType::Choice, "Until the page opens a dialog"),
        switch("--popup", ValueType::Choice, "Until the page opens a tab"),
        Flag {
            name: "--fn",
            alias: "",
            value: Some("JS"),
            holds: ValueType::Script,
            help: "Until this expression, or what its function returns, is true",
        },
        switch("--networkidle", ValueType::Choice, "Until no request has been open for half a second"),
        switch("--load", ValueType::Choice, "Until the page and its resources are loaded"),
        switch("--domcontentloaded", ValueType::Choice, "Until the document is parsed"),
        switch(
            "--download",
            ValueType::Choice,
            "Until the tab's downloads have ended; if none is running, until the next one has",
        ),
        switch("--any", ValueType::Choice, "Wait for the first of several things"),
        switch("--all", ValueType::Choice, "Wait for all of several things"),
        TIMEOUT,
        DOWNLOAD_DIR,
    ],
    summary: "Wait for an element, a text, the page, the network, a dialog, a popup or a download",
    details: "One thing, or several with --any or --all. Other commands work in the tab meanwhile.",
    untrusted: false,
    writes: Writes::Nothing,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Core,
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[
        phrase_when(When::Flag("--download"), Verb::Wait, "for a download"),
        phrase_when(When::Flag("--networkidle"), Verb::Wait, "for the network"),
        phrase(Verb::Wait, "for {sel}"),
        phrase(Verb::Wait, "for the page"),
    ],
    output: "Element sel appeared, Network idle, Page loaded, Now at URL, Downloaded: path (N B) …",
    data: "{met: string[]} | [{id: string, name: string, url: string, state: string, bytes: number, path?: string, total?: number, reason?: string}]",
    run: |context, arguments| Box::pin(wait(context, arguments)),
}];

/// One condition to wait for.
enum Condition {
    Visible(Target),
    Presence(Target, Presence),
    Text(String),
    TextGone(String),
    Url(Glob),
    Response(Glob),
    Console(String),
    Dialog,
    Popup,
    Script(String),
    Load(LoadState),
}

/// A met condition: our text, and the page's text.
struct Met {
    ours: String,
    theirs: Option<String>,
}

impl Met {
    fn said(&self) -> String {
        match &self.theirs {
            Some(theirs) => format!("{} {theirs}", self.ours),
            None => self.ours.clone(),
        }
    }
}

async fn wait(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    if arguments.has("--download") {
        return downloads::wait(context, &arguments).await;
    }
    let (conditions, limit) = Condition::read(&arguments)?;
    let (any, all) = (arguments.has("--any"), arguments.has("--all"));
    if conditions.len() > 1 && any == all {
        return Err(wrong("name one thing to wait for, or several with --any or --all"));
    }
    let page = context.page().await?.beside_others();
    let waits = conditions.iter().map(|condition| condition.met(context, &page, limit).boxed());
    let met = match any {
        true => vec![select_all(waits).await.0?],
        false => try_join_all(waits).await?,
    };
    let said: Vec<String> = met.iter().map(Met::said).collect();
    let ours: Vec<&str> = met.iter().map(|met| met.ours.as_str()).collect();
    let theirs: Vec<&str> = met.iter().filter_map(|met| met.theirs.as_deref()).collect();
    if theirs.is_empty() {
        return Ok(Output::text(said.join("\n")));
    }
    let output = context.told_with_page(&page, ours.join("\n"), theirs.join("\n"), said.join("\n"));
    Ok(output.data(json!({ "met": said })))
}

impl Condition {
    /// Parses the conditions and the time limit.
    fn read(arguments: &Arguments) -> Result<(Vec<Self>, Duration), Fault> {
        let (first, second) = (arguments.text("sel"), arguments.text("ms"));
        let is_time = |text: &String| text.parse::<u64>().is_ok();
        let mut conditions = Self::by_flags(arguments);
        let (selector, time) = match (first, second) {
            (Some(time), None) if is_time(&time) && !conditions.is_empty() => (None, Some(time)),
            (Some(time), None) if is_time(&time) => {
                return Err(wrong("wait does not wait for a fixed time: it needs a selector or a flag".to_owned()));
            }
            (selector, time) => (selector, time),
        };
        if let Some(selector) = selector {
            conditions.insert(0, Self::of_element(Target::parse(&selector), arguments.value("--state"))?);
        } else if arguments.has("--state") {
            return Err(wrong("--state needs a selector"));
        }
        if conditions.is_empty() || time.as_ref().is_some_and(|time| !is_time(time)) {
            return Err(wrong("name one thing to wait for, or several with --any or --all"));
        }
        let limit = match time {
            Some(time) => arguments.limit("ms", &time)?,
            None => arguments.timeout(WAIT_LIMIT)?,
        };
        Ok((conditions, limit))
    }

    fn of_element(target: Target, state: Option<&str>) -> Result<Self, Fault> {
        Ok(match state {
            None | Some("visible") => Self::Visible(target),
            Some("hidden") => Self::Presence(target, Presence::Hidden),
            Some("detached") => Self::Presence(target, Presence::Detached),
            Some("attached") => Self::Presence(target, Presence::Attached),
            Some(other) => {
                return Err(Fault::new(FaultCode::BadRequest, format!("{other:?} is not a state"))
                    .hint("One of: visible, hidden, attached, detached."));
            }
        })
    }

    fn by_flags(arguments: &Arguments) -> Vec<Self> {
        let text = |flag: &str| arguments.value(flag).map(str::to_owned);
        let glob = |flag: &str| arguments.value(flag).map(Glob::new);
        let load = |flag: &str, state: LoadState| arguments.has(flag).then_some(Self::Load(state));
        let all = [
            text("--text").map(Self::Text),
            text("--text-gone").map(Self::TextGone),
            glob("--url").map(Self::Url),
            glob("--response").map(Self::Response),
            text("--console").map(Self::Console),
            arguments.has("--dialog").then_some(Self::Dialog),
            arguments.has("--popup").then_some(Self::Popup),
            text("--fn").map(Self::Script),
            load("--networkidle", LoadState::NetworkIdle),
            load("--load", LoadState::Load),
            load("--domcontentloaded", LoadState::DomContentLoaded),
        ];
        all.into_iter().flatten().collect()
    }

    async fn met(&self, context: &Context, page: &Page, limit: Duration) -> Result<Met, PageError> {
        let by = |text: &str| Target::Selector(format!("text={text}"));
        let met = async {
            let (ours, theirs) = match self {
                Self::Visible(target) => {
                    page.wait_for(target, limit).await?;
                    (format!("Element {target} appeared"), None)
                }
                Self::Presence(target, state) => {
                    page.wait_presence(target, *state, limit).await?;
                    (format!("Element {target} is {}", presence(*state)), None)
                }
                Self::Text(text) => {
                    page.wait_for(&by(text), limit).await?;
                    (format!("Text {text:?} appeared"), None)
                }
                Self::TextGone(text) => {
                    page.wait_presence(&by(text), Presence::Hidden, limit).await?;
                    (format!("Text {text:?} is gone"), None)
                }
                Self::Url(glob) => (format!("Now at {}", page.wait_url(glob).await?), None),
                Self::Response(glob) => {
                    let (status, url) = page.wait_response(glob, readable_address(context, page)?).await?;
                    (format!("Response {status}:"), Some(url))
                }
                Self::Console(words) => ("Console:".to_owned(), Some(page.wait_console(words).await?)),
                Self::Dialog => {
                    let (kind, message) = page.wait_dialog().await?;
                    (format!("Dialog {kind}:"), Some(message))
                }
                Self::Popup => ("Popup:".to_owned(), Some(page.wait_popup().await?)),
                Self::Script(source) => {
                    page.wait_script(source, limit).await?;
                    ("The script is true".to_owned(), None)
                }
                Self::Load(state) => {
                    page.wait_until(*state, limit).await?;
                    (loaded(*state).to_owned(), None)
                }
            };
            Ok(Met { ours, theirs })
        };
        // Conditions with their own timeout message get a little longer.
        match tokio::time::timeout(limit + Duration::from_secs(1), met).await {
            Ok(met) => met,
            Err(_) => Err(PageError::Timeout { what: self.waiting(), after: limit }),
        }
    }

    fn waiting(&self) -> String {
        match self {
            Self::Url(glob) => format!("going to {}", glob.pattern()),
            Self::Response(glob) => format!("a response from {}", glob.pattern()),
            Self::Console(words) => format!("the console message {words:?}"),
            Self::Dialog => "a dialog".to_owned(),
            Self::Popup => "a popup".to_owned(),
            Self::Visible(target) | Self::Presence(target, _) => target.to_string(),
            Self::Text(text) | Self::TextGone(text) => format!("the text {text:?}"),
            Self::Script(_) => "the script".to_owned(),
            Self::Load(_) => "the page".to_owned(),
        }
    }
}

fn presence(state: Presence) -> &'static str {
    match state {
        Presence::Hidden => "hidden",
        Presence::Detached => "detached",
        Presence::Attached => "attached",
    }
}

fn loaded(state: LoadState) -> &'static str {
    match state {
        LoadState::NetworkIdle => "Network idle",
        LoadState::Load => "Page loaded",
        LoadState::DomContentLoaded => "DOM content loaded",
    }
}
