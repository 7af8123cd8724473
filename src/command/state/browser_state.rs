//! The browser state that can be restored: cookies, open pages and their storage.
//!
//! Owns capture and restore, for `state` and for `handoff`. Never writes a file, never closes a tab.

use crate::core::Context;
use futures_util::future::join_all;
use gstack_browser::page::{Cookie, PageStorage};
use gstack_browser::tab::Tab;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::Duration;

const NAVIGATION_LIMIT: Duration = Duration::from_secs(15);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BrowserState {
    pub cookies: Vec<Cookie>,
    pub pages: Vec<PageState>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageState {
    pub url: String,
    pub local_storage: Map<String, Value>,
    /// Belongs to the tab and is not written to files.
    #[serde(skip)]
    pub session_storage: Map<String, Value>,
    /// Whether commands worked on this page.
    pub current: bool,
    /// The tab that showed it; `None` if the state was read from a file.
    #[serde(skip)]
    pub tab: Option<TabId>,
}

/// The result of a restore.
pub struct Restored {
    /// How many cookies the browser did not keep.
    pub lost: usize,
    /// In the order of the state's pages: each page's new tab, or why it has none.
    pub pages: Vec<Result<TabId, Fault>>,
    /// The tab that commands work on.
    pub current: Option<TabId>,
}

/// Captures the cookies of the tab's browser context, and its pages that have a web address. A page of another context, such
/// as a private window, has other cookies.
pub async fn capture(context: &Context) -> Result<BrowserState, Fault> {
    let current = context.tab().await?;
    let cookies = context.pages.open(&current).await?.cookies().await?;
    let own = current.info()?;
    let tabs = context.browser.tabs().into_iter().filter(|tab| tab.url.starts_with("http") && tab.shares_context(&own));
    let tabs: Vec<_> = tabs.collect();
    let pages = tabs.iter().map(|tab| async {
        let storage = match context.browser.tab(tab.id) {
            Ok(tab) => storage(context, &tab).await,
            Err(error) => Err(error.into()),
        };
        let storage = storage.unwrap_or_else(|fault| {
            tracing::info!(tab = %tab.id, %fault, "a page's storage could not be read");
            PageStorage::default()
        });
        PageState {
            url: tab.url.clone(),
            local_storage: storage.local_storage,
            session_storage: storage.session_storage,
            current: tab.id == current.id(),
            tab: Some(tab.id),
        }
    });
    Ok(BrowserState { cookies, pages: join_all(pages).await })
}

async fn storage(context: &Context, tab: &Tab) -> Result<PageStorage, Fault> {
    Ok(context.pages.open(tab).await?.storage().await?)
}

/// Sets the cookies and opens the pages in new tabs.
pub async fn restore(context: &Context, state: &BrowserState) -> Result<Restored, Fault> {
    let lost = context.page().await?.set_cookies(&state.cookies).await?.len();
    let info = context.tab().await?.info()?;
    // The pages need the cookies, which are in the tab's context.
    let isolated = info.context.filter(|_| info.incognito);
    let pages = join_all(state.pages.iter().map(|page| open(context, page, isolated.as_deref()))).await;
    let opened = || state.pages.iter().zip(&pages).filter_map(|(page, tab)| Some((page, *tab.as_ref().ok()?)));
    let chosen = opened().find(|(page, _)| page.current).or_else(|| opened().next());
    let current = chosen.map(|(_, tab)| tab);
    if let Some(id) = current {
        context.switch_to(id)?;
    }
    Ok(Restored { lost, pages, current })
}

/// Opens a page. If its storage is missing, sets it and reloads, because the page must find it at startup.
async fn open(context: &Context, saved: &PageState, isolated: Option<&str>) -> Result<TabId, Fault> {
    let address = context.address(&saved.url)?;
    let tab = context.browser.new_tab_in(isolated).await?;
    let page = context.pages.open(&tab).await?;
    page.goto(address.as_str(), NAVIGATION_LIMIT).await?;
    let wanted =
        PageStorage { local_storage: saved.local_storage.clone(), session_storage: saved.session_storage.clone() };
    let lacks = |there: &Map<String, Value>, wanted: &Map<String, Value>| {
        wanted.iter().any(|(key, value)| there.get(key) != Some(value))
    };
    let there = page.storage().await?;
    if lacks(&there.local_storage, &wanted.local_storage) || lacks(&there.session_storage, &wanted.session_storage) {
        page.set_storage(&wanted).await?;
        page.reload(false, NAVIGATION_LIMIT).await?;
    }
    Ok(tab.id())
}
