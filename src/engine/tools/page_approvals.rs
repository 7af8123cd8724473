//! Events during an agent's action: dialogs, which the person answers, and downloads, which the person approves.
//!
//! Owns both approvals. Never runs the action.

use super::ConversationTools;
use crate::policy::{ActionKind, ActionRequest, AuditedAction, PolicyOutcome, Risk};
use gstack_base::visible::visible;
use gstack_browser::browser::Browser;
use gstack_browser::dialogs::Dialog;
use gstack_browser::tab::Tab;
use gstack_browser::tabs::BrowserEvent;
use gstack_chat::turn::ApprovalRequest;
use gstack_command::Output;
use gstack_command::effects::{on_a_line, replace_download};
use gstack_protocol::action::ActionRecord;
use gstack_protocol::chat::StepKind;
use gstack_protocol::effects::{Download, Effect};
use gstack_protocol::ids::{ApprovalId, TabId};
use gstack_protocol::policy::PolicyScope;
use gstack_protocol::sentence::Sentence;
use std::convert::Infallible;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

impl ConversationTools {
    /// Lets the person answer each dialog that a page of the conversation's tabs opens, until dropped.
    pub(super) async fn answer_dialogs(&self, tab: TabId, cancel: &CancellationToken) -> Infallible {
        if let Some((browser, _)) = self.services.browsers.pages_with(Some(tab)) {
            let mut events = browser.events();
            // A dialog that opened after the previous action.
            self.answer_open_dialog(&browser, tab, cancel).await;
            loop {
                match events.recv().await {
                    Ok(BrowserEvent::DialogOpened(id, _)) if self.is_ours(&browser, tab, id) => {
                        self.answer_open_dialog(&browser, id, cancel).await;
                    }
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => break,
                }
            }
        }
        std::future::pending().await
    }

    /// Returns true for the tab of the action, a tab of the conversation's set, or one that a page of these has just
    /// opened.
    fn is_ours(&self, browser: &Browser, tab: TabId, id: TabId) -> bool {
        let set = self.services.tabs.sets().of(self.conversation());
        let opener = browser.tab(id).and_then(|tab| tab.info()).ok().and_then(|info| info.opener);
        id == tab || set.contains(&id) || opener.is_some_and(|opener| opener == tab || set.contains(&opener))
    }

    async fn answer_open_dialog(&self, browser: &Browser, id: TabId, cancel: &CancellationToken) {
        let Ok(tab) = browser.tab(id) else { return };
        let Some(dialog) = tab.open_dialog() else { return };
        let mut open = OpenDialog { tab, is_answered: false };
        let accept = self.may_accept(&dialog, id, cancel).await;
        open.answer(accept, dialog.default_prompt.filter(|_| dialog.kind == "prompt")).await;
    }

    async fn may_accept(&self, dialog: &Dialog, tab: TabId, cancel: &CancellationToken) -> bool {
        let conversation = self.conversation();
        let request = ActionRequest {
            conversation_id: conversation.id().clone(),
            kind: ActionKind::Does(PolicyScope::Act),
            site: self.services.tabs.site_of(tab),
            browser: Some(self.services.browsers.kind_of(Some(tab))),
            tool: None,
            risk: Risk::AnswersDialog,
        };
        let line = format!("accept {}", dialog.kind);
        let record = record_of(format!("{} \"{}\"", dialog.kind, dialog.message), PolicyScope::Act);
        let described = AuditedAction { line: &line, record: Some(&record) };
        match self.services.policy.judge(conversation, &request, &described) {
            PolicyOutcome::Allowed => true,
            PolicyOutcome::Denied(_) => false,
            PolicyOutcome::NeedsApproval(card) => {
                let message = match dialog.kind.as_str() {
                    "beforeunload" => "Leave the page, although changes may be lost".to_owned(),
                    _ => format!("Accept “{}”", on_a_line(&dialog.message)),
                };
                let approval = ApprovalRequest {
                    approval_id: ApprovalId::random(),
                    ask: message,
                    phrase: None,
                    site: request.site.clone(),
                    why: card.why.map(Sentence::from),
                    does: format!("{} \"{}\"", on_a_line(&dialog.kind), on_a_line(&dialog.message)),
                    action: Box::new(record.clone()),
                    kind: StepKind::Act,
                    choices: card.choices,
                };
                let Ok((answered, _)) = self.ask_person(approval, tab, cancel).await else { return false };
                self.services.policy.settle(conversation, &request, &described, answered).is_ok()
            }
        }
    }

    /// Asks about each file that an action made the browser download, and removes those that are not allowed.
    pub(super) async fn permit_downloads(&self, tab: TabId, output: &mut Output, cancel: &CancellationToken) {
        let downloads: Vec<Download> = output
            .effects
            .iter()
            .filter_map(|effect| if let Effect::Download(download) = effect { Some(download.clone()) } else { None })
            .collect();
        let Some((browser, _)) = self.services.browsers.pages_with(Some(tab)) else { return };
        for download in downloads {
            if let Err(why) = self.may_download(&download, tab, cancel).await {
                browser.discard_download(&download.id, why).await;
                if let Some(refused) = browser.download(&download.id) {
                    replace_download(output, &download, refused);
                }
            }
        }
    }

    /// Asks whether a page's download may be kept. The error says why not.
    async fn may_download(
        &self,
        download: &Download,
        tab: TabId,
        cancel: &CancellationToken,
    ) -> Result<(), &'static str> {
        const NOT_ALLOWED: &str = "the person did not allow it";
        let conversation = self.conversation();
        let request = ActionRequest {
            conversation_id: conversation.id().clone(),
            kind: ActionKind::Does(PolicyScope::Download),
            site: gstack_base::site::of(&download.url).or_else(|| self.services.tabs.site_of(tab)),
            browser: Some(self.services.browsers.kind_of(Some(tab))),
            tool: None,
            risk: Risk::Plain,
        };
        let record = record_of(format!("download {} from {}", download.name, download.url), PolicyScope::Download);
        let described = AuditedAction { line: "download by a page", record: Some(&record) };
        match self.services.policy.judge(conversation, &request, &described) {
            PolicyOutcome::Allowed => Ok(()),
            PolicyOutcome::Denied(_) => Err("a rule denies it"),
            PolicyOutcome::NeedsApproval(card) => {
                let approval = ApprovalRequest {
                    approval_id: ApprovalId::random(),
                    ask: format!("Keep the file “{}”", download.name),
                    phrase: None,
                    site: request.site.clone(),
                    why: card.why.map(Sentence::from),
                    does: format!("download {} ({} B)", download.name, download.total.unwrap_or(download.bytes)),
                    action: Box::new(record.clone()),
                    kind: StepKind::Act,
                    choices: card.choices,
                };
                let (answered, _) = self.ask_person(approval, tab, cancel).await.map_err(|_| NOT_ALLOWED)?;
                let settled = self.services.policy.settle(conversation, &request, &described, answered);
                settled.map_err(|_| NOT_ALLOWED)
            }
        }
    }
}

fn record_of(command: String, scope: PolicyScope) -> ActionRecord {
    ActionRecord { command: visible(&command), scope: Some(scope), ..ActionRecord::default() }
}

/// An open dialog. Dropping it dismisses the dialog, because it blocks the page.
struct OpenDialog {
    tab: Tab,
    is_answered: bool,
}

impl OpenDialog {
    async fn answer(&mut self, accept: bool, text: Option<String>) {
        self.is_answered = true;
        if let Err(error) = self.tab.answer_dialog(accept, text).await {
            tracing::debug!(%error, "a dialog was closed before it was answered");
        }
    }
}

impl Drop for OpenDialog {
    fn drop(&mut self) {
        if !self.is_answered {
            self.tab.dismiss_dialog();
        }
    }
}
