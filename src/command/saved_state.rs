//! state.

use super::arguments::{Arguments, usage};
use super::context::{Context, Output};
use super::spec::{Category, Class, Kind, Spec, parameter};
use super::{path_guard, registry, url_guard};
use crate::base::home::private_folder;
use crate::browser::page::Cookie;
use crate::browser::tab::Tab;
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::ids::TabId;
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::time::Duration;

const NAVIGATION_LIMIT: Duration = Duration::from_secs(15);
const LONGEST_NAME: usize = 64;

pub(super) const COMMANDS: &[Spec] = &[Spec {
    name: "state",
    aliases: &[],
    category: Category::Tabs,
    class: Class::Secret,
    parameters: &[
        parameter("action", true, Kind::Text, "save or load"),
        parameter("name", true, Kind::Text, "Letters, digits, - and _"),
    ],
    flags: &[],
    summary: "Save or load cookies, open pages and their local storage",
    details: "The file is readable by you only. Loading opens the pages in new tabs and closes none.",
    untrusted: false,
    writes: true,
    output: "State saved: path (N cookies, M pages), or: State loaded: N cookies, M pages",
    run: |context, arguments| Box::pin(state(context, arguments)),
}];

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SavedState {
    cookies: Vec<Cookie>,
    pages: Vec<SavedPage>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SavedPage {
    url: String,
    local_storage: Map<String, Value>,
    /// Commands worked on it.
    current: bool,
}

async fn state(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let name = arguments.required("name")?;
    let spec = registry::get("state")?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if !is_name || name.is_empty() || name.len() > LONGEST_NAME {
        return Err(usage(spec, format!("{name:?} is no name for a state: it has letters, digits, - and _ only")));
    }
    let file = context.state_folder.join(format!("{name}.json"));
    match arguments.required("action")?.as_str() {
        "save" => save(context, file).await,
        "load" => load(context, file, &name).await,
        other => Err(usage(spec, format!("state does not know {other:?}: it is save or load"))),
    }
}

async fn save(context: &Context, file: PathBuf) -> Result<Output, Fault> {
    let current = context.tab().await?;
    let cookies = context.pages.open(&current).await?.cookies().await?;
    let tabs: Vec<_> = context.browser.tabs().into_iter().filter(|tab| tab.url.starts_with("http")).collect();
    let pages = tabs.iter().map(|tab| async {
        let local_storage = match context.browser.tab(tab.id) {
            Ok(tab) => local_storage(context, &tab).await,
            Err(error) => Err(error.into()),
        };
        let local_storage = local_storage.unwrap_or_else(|fault| {
            tracing::info!(tab = %tab.id, %fault, "a page's storage could not be read");
            Map::new()
        });
        SavedPage { url: tab.url.clone(), local_storage, current: tab.id == current.id() }
    });
    let state = SavedState { cookies, pages: join_all(pages).await };
    let written = serde_json::to_vec(&state).map_err(|error| Fault::new(FaultCode::Internal, error.to_string()))?;
    private_folder(&context.state_folder)
        .map_err(|error| Fault::new(FaultCode::Storage, error.to_string()).hint(error.hint()))?;
    let file = path_guard::write(file, written).await?;
    let (cookies, pages) = (state.cookies.len(), state.pages.len());
    Ok(Output::text(format!("State saved: {} ({cookies} cookies, {pages} pages)", file.display()))
        .data(json!({ "path": file.display().to_string(), "cookies": cookies, "pages": pages })))
}

async fn local_storage(context: &Context, tab: &Tab) -> Result<Map<String, Value>, Fault> {
    Ok(context.pages.open(tab).await?.storage().await?.local_storage)
}

async fn load(context: &Context, file: PathBuf, name: &str) -> Result<Output, Fault> {
    if !file.is_file() {
        return Err(Fault::new(FaultCode::NotFound, format!("There is no saved state {name:?}"))
            .hint("Save one first: gstack state save <name>"));
    }
    let state: SavedState = serde_json::from_str(&path_guard::read_text(&file).await?).map_err(|error| {
        Fault::new(FaultCode::Storage, format!("{} can't be read: {error}", file.display()))
            .hint("Save it anew: gstack state save <name>")
    })?;
    context.page().await?.set_cookies(&state.cookies).await?;
    let opened = join_all(state.pages.iter().map(|page| open(context, page))).await;
    let mut lost = String::new();
    let mut current = None;
    let mut pages = 0;
    for (page, opened) in state.pages.iter().zip(opened) {
        match opened {
            Ok(id) => {
                pages += 1;
                if page.current || current.is_none() {
                    current = Some(id);
                }
            }
            Err(fault) => lost.push_str(&format!("\nNot loaded: {} ({})", page.url, fault.message)),
        }
    }
    if let Some(id) = current {
        context.move_to(id)?;
    }
    let cookies = state.cookies.len();
    let mut output = Output::text(format!("State loaded: {cookies} cookies, {pages} pages{lost}"))
        .data(json!({ "cookies": cookies, "pages": pages }));
    output.moved_to = current;
    Ok(output)
}

/// Loaded twice where it has a storage: the page must find that when it starts.
async fn open(context: &Context, saved: &SavedPage) -> Result<TabId, Fault> {
    let address = url_guard::check(&saved.url)?;
    let tab = context.browser.new_tab().await?;
    let page = context.pages.open(&tab).await?;
    page.goto(address.as_str(), NAVIGATION_LIMIT).await?;
    if !saved.local_storage.is_empty() {
        page.set_storage(&saved.local_storage).await?;
        page.reload(false, NAVIGATION_LIMIT).await?;
    }
    Ok(tab.id())
}
