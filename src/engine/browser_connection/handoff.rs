//! `handoff` and `resume`: shows a headless browser's pages in a window for a person, then returns control to commands.
//!
//! Owns the order: the state is saved before anything is closed, and is restored without a window if none can be
//! opened. Never touches a browser that gstack did not start.

use super::BrowserConnection;
use super::error::HandoffError;
use crate::browsers::{BrowsersError, ChangeTurn};
use crate::command_runner::{Target, tab_switch_of};
use crate::tabs::driven_place;
use gstack_base::counted::counted;
use gstack_browser::browser::Browser;
use gstack_command::browser_state::{self, BrowserState, Restored};
use gstack_command::{Call, Context, Output};
use gstack_protocol::catalogue;
use gstack_protocol::command::{CommandRequest, CommandResult};
use gstack_protocol::control::ConnectRequest;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{ConversationId, TabId};
use serde_json::json;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// The variables that tell a browser which display to use.
const DISPLAYS: [&str; 2] = ["WAYLAND_DISPLAY", "DISPLAY"];

impl BrowserConnection {
    /// Closes the headless browser and reopens it with a window: same profile, same pages, same conversations. Runs to
    /// its end once begun, even if the requester disconnects.
    pub(crate) async fn handoff(
        &self,
        request: CommandRequest,
        message: Option<String>,
    ) -> Result<CommandResult, Fault> {
        let (told, outcome) = oneshot::channel();
        let connection = self.clone();
        self.tasks.spawn(async move {
            let result = connection.hand_off(&request, message).await;
            connection.browsers.set_handed_off(result.is_ok());
            if told.send(result).is_err() {
                tracing::info!("nobody waits for the handoff's end");
            }
        });
        outcome.await.unwrap_or_else(|_| Err(HandoffError::EndedEarly.into()))
    }

    async fn hand_off(&self, request: &CommandRequest, message: Option<String>) -> Result<CommandResult, Fault> {
        let turn = self.browsers.turn().await;
        let browser = self
            .browsers
            .current()
            .ok_or_else(|| BrowsersError::NotOpen(catalogue::NO_BROWSER.with(["there is nothing to hand over"])))?;
        if self.browsers.is_attached() || !browser.is_headless() {
            // The browser is already visible to the person.
            let tab = self.terminal_context(request)?.tab().await?;
            tab.activate().await?;
            let url = tab.info()?.url;
            return Ok(handed_off(&url, message.as_deref(), &[], browser.tabs().len()));
        }
        self.check_that_nothing_is_lost(request)?;
        let state = browser_state::capture(&self.terminal_context(request)?).await?;
        let conversations = self.conversations_of(&state);
        let profile = self.browsers.profile();
        let blank = browser.tabs().len().saturating_sub(state.pages.len());
        tracing::info!(pages = state.pages.len(), blank, "the browser is handed off");
        self.browsers.close(&turn).await?;
        // It opens again with the logins that it had.
        let request = &CommandRequest { profile: profile.map(|profile| profile.to_string()), ..request.clone() };
        let with_window = self.reopen(&turn, request, false, &state, &conversations).await;
        let restored = match with_window {
            Ok(restored) => restored,
            Err(fault) => {
                // The partly opened browser is useless; restore the pages as they were.
                if self.browsers.current().is_some() {
                    self.browsers.close(&turn).await?;
                }
                self.reopen(&turn, request, true, &state, &conversations).await?;
                return Err(HandoffError::NoWindow(fault.message).into());
            }
        };
        let browser = self
            .browsers
            .current()
            .ok_or_else(|| BrowsersError::NotOpen(catalogue::NO_BROWSER.with(["it closed while it was opening"])))?;
        if let Err(fault) = self.open_panel(&browser, &mut |_| {}).await {
            tracing::warn!(%fault, "the side panel did not open for a handoff");
        }
        let current = restored.current.and_then(|id| browser.tab(id).ok()?.info().ok());
        let url = current.map_or_else(|| "about:blank".to_owned(), |tab| tab.url);
        let failed = state
            .pages
            .iter()
            .zip(&restored.pages)
            .filter_map(|(page, tab)| Some(format!("Not loaded: {} ({})", page.url, tab.as_ref().err()?.message)));
        Ok(handed_off(&url, message.as_deref(), &failed.collect::<Vec<_>>(), browser.tabs().len()))
    }

    /// Describes the page after the person used it, or as it is if nothing was handed off.
    pub(crate) async fn resume(&self, request: &CommandRequest) -> Result<CommandResult, Fault> {
        if self.browsers.current().is_none() {
            return Err(BrowsersError::NotOpen(catalogue::NO_BROWSER.with(["there is nothing to continue"])).into());
        }
        let call = Call::parse("snapshot", &["-i".to_owned()])?;
        let output = self.runner.run(&call, terminal_target(request), CancellationToken::new()).await?;
        let was_handed_off = self.browsers.set_handed_off(false);
        let head = if was_handed_off { "RESUMED" } else { "Nothing was paused or handed off. The page now:" };
        let output = Output { head: Some(head.to_owned()), ..output };
        Ok(if request.for_model { output.into_result_for_model() } else { output.into_result() })
    }

    fn check_that_nothing_is_lost(&self, request: &CommandRequest) -> Result<(), Fault> {
        let has_display = cfg!(target_os = "macos")
            || DISPLAYS.iter().any(|name| request.environment.get(*name).is_some_and(|value| !value.is_empty()));
        if !has_display {
            return Err(HandoffError::NoDisplay.into());
        }
        match self.tabs.turns_running() {
            0 => Ok(()),
            turns => Err(HandoffError::TurnsRun(turns).into()),
        }
    }

    /// Opens the browser on its profile and restores the state. Moves the conversations to the new tabs of their pages.
    async fn reopen(
        &self,
        turn: &ChangeTurn<'_>,
        request: &CommandRequest,
        headless: bool,
        state: &BrowserState,
        conversations: &[Option<ConversationId>],
    ) -> Result<Restored, Fault> {
        let connect = ConnectRequest {
            headless: Some(headless),
            cwd: request.cwd.clone(),
            environment: request.environment.clone(),
            profile: request.profile.clone(),
            ..ConnectRequest::default()
        };
        self.open_browser_in_turn(turn, &connect, &mut |_| {}).await?;
        let context = self.terminal_context(&CommandRequest { tab_id: None, ..request.clone() })?;
        let first = context.tab().await?;
        let restored = browser_state::restore(&context, state).await?;
        for (tab, conversation) in restored.pages.iter().zip(conversations) {
            if let (Ok(tab), Some(conversation)) = (tab, conversation) {
                self.move_conversation(&context.browser, conversation, *tab);
            }
        }
        if let Some(current) = restored.current {
            first.close().await?;
            context.browser.tab(current)?.activate().await?;
        }
        self.tabs.tell();
        Ok(restored)
    }

    fn conversations_of(&self, state: &BrowserState) -> Vec<Option<ConversationId>> {
        state.pages.iter().map(|page| self.conversations.store().of_tab(page.tab?)).collect()
    }

    fn move_conversation(&self, browser: &Browser, id: &ConversationId, tab: TabId) {
        let place = browser.tab(tab).and_then(|tab| tab.info()).map(|info| driven_place(browser, &info));
        match place {
            Ok(place) => {
                if let Err(error) = self.conversations.store().attach(id, tab, Some(place.key)) {
                    // A conversation without a message was not kept.
                    tracing::debug!(conversation = %id, %error, "a conversation stays in history");
                }
            }
            Err(error) => tracing::info!(conversation = %id, %error, "a conversation's tab is gone"),
        }
    }

    fn terminal_context(&self, request: &CommandRequest) -> Result<Context, Fault> {
        let (browser, pages) = self
            .browsers
            .pages()
            .ok_or_else(|| BrowsersError::NotOpen(catalogue::NO_BROWSER.with(["it went away"])))?;
        self.runner.context(browser, pages, terminal_target(request), CancellationToken::new())
    }
}

fn terminal_target(request: &CommandRequest) -> Target<'_> {
    let (tab, for_model) = (request.tab_id, request.for_model);
    Target { tab, on_tab_switch: tab_switch_of(tab), for_model, ..Target::default() }
}

fn handed_off(url: &str, message: Option<&str>, failed: &[String], tabs: usize) -> CommandResult {
    let mut lines = vec![format!("HANDED OFF: the browser is in a window, at {url} ({})", counted(tabs, "tab"))];
    lines.extend(message.map(|message| format!("For the person: {message}")));
    lines.extend(failed.iter().cloned());
    lines.push("Continue with: gstack resume".to_owned());
    let data = json!({ "url": url, "message": message, "tabs": tabs, "notLoaded": failed });
    Output { text: lines.join("\n"), data: Some(data), ..Output::default() }.into_result()
}
