//! The `state` command.

use super::browser_state::{self, BrowserState};
use crate::core::{Arguments, Context, Output, everyday, wrong};
use crate::privacy::path_guard;
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, NotEveryday, Offered, Spec, TabUse, ValueType, Verb,
    When, Writes, parameter, phrase, phrase_when,
};
use gstack_base::home::private_folder;
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;
use std::path::PathBuf;

const LONGEST_NAME: usize = 64;

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "state",
    aliases: &[],
    category: Category::Tabs,
    class: Class::Secret,
    parameters: &[
        parameter("action", true, Kind::Text, ValueType::Choice, "save or load"),
        parameter("name", true, Kind::Text, ValueType::Choice, "Letters, digits, - and _"),
    ],
    flags: &[],
    summary: "Save or load cookies, open pages and their local storage",
    details: "The file contains cookies as plain text; only you can read it (mode 0600). Loading opens the pages in new tabs and closes none.",
    untrusted: false,
    writes: Writes::Browser,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Storage),
    everyday: Everyday::Refused(NotEveryday {
        why: everyday::ITS_COOKIES,
        instead: "Save and load states in the browser of `gstack connect`.",
    }),
    needs: Needs::Browser,
    phrases: &[
        phrase_when(When::Is("action", "load"), Verb::Load, "the state {name}"),
        phrase(Verb::Save, "the state {name}"),
    ],
    output: "State saved: path (N cookies, M pages), and how the file is protected, or: State loaded: N cookies, M pages",
    data: "{path?: string, cookies: number, pages: number}",
    run: |context, arguments| Box::pin(state(context, arguments)),
}];

async fn state(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let name = arguments.required("name")?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if !is_name || name.is_empty() || name.len() > LONGEST_NAME {
        return Err(wrong(format!("{name:?} is not a valid state name: it must be alphanumeric, with - and _")));
    }
    let file = context.state_folder.join(format!("{name}.json"));
    match arguments.required("action")?.as_str() {
        "save" => save(context, file).await,
        "load" => load(context, file, &name).await,
        other => Err(wrong(format!("state does not know {other:?}: use save or load"))),
    }
}

async fn save(context: &Context, file: PathBuf) -> Result<Output, Fault> {
    let state = browser_state::capture(context).await?;
    let written = serde_json::to_vec(&state).map_err(|error| Fault::new(FaultCode::Internal, error.to_string()))?;
    private_folder(&context.state_folder)
        .map_err(|error| Fault::new(FaultCode::Storage, error.to_string()).hint(error.hint()))?;
    let file = path_guard::write_synced(file, written).await?;
    let (cookies, pages) = (state.cookies.len(), state.pages.len());
    let shown = file.display();
    Ok(Output::text(format!("State saved: {shown} ({cookies} cookies, {pages} pages)\nCookies stored in plaintext, in a file that only you can read (mode 0600)."))
        .data(json!({ "path": file.display().to_string(), "cookies": cookies, "pages": pages })))
}

async fn load(context: &Context, file: PathBuf, name: &str) -> Result<Output, Fault> {
    if !file.is_file() {
        return Err(Fault::new(FaultCode::NotFound, format!("State not found: {name}"))
            .hint("Save one first: gstack state save <name>"));
    }
    let state: BrowserState = serde_json::from_str(&path_guard::read_text(&file).await?).map_err(|error| {
        Fault::new(FaultCode::Storage, format!("{} can't be read: {error}", file.display()))
            .hint("Save it again: gstack state save <name>")
    })?;
    let restored = browser_state::restore(context, &state).await?;
    let failed = state.pages.iter().zip(&restored.pages).filter_map(|(page, tab)| Some((page, tab.as_ref().err()?)));
    let mut lost: String =
        failed.map(|(page, fault)| format!("\nNot loaded: {} ({})", page.url, fault.message)).collect();
    let pages = restored.pages.iter().filter(|tab| tab.is_ok()).count();
    let cookies = state.cookies.len() - restored.lost;
    if restored.lost > 0 {
        lost.push_str(&format!("\nThe browser did not keep {} more cookies.", restored.lost));
    }
    let mut output = Output::text(format!("State loaded: {cookies} cookies, {pages} pages{lost}"))
        .data(json!({ "cookies": cookies, "pages": pages }));
    output.moved_to = restored.current;
    Ok(output)
}
