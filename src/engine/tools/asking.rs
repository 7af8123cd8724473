//! The approval before an action: how the policy decides about a call, and what the person answers.
//!
//! Owns the approval card of a call and the ways it closes. Never runs the call.

use super::ConversationTools;
use super::action_requests::{self, TabContext};
use super::error::ToolError;
use crate::base::site;
use crate::base::visible::visible;
use crate::browser::page::{ClickDestination, Expected, Page, Target};
use crate::chat::turn::ApprovalRequest;
use crate::command::spec::{Leads, TabUse};
use crate::command::words::Words;
use crate::command::{Call, Class, consequence, redaction, tool_arguments};
use crate::engine::conversations::{Learned, Runner, ToolCallName};
use crate::engine::policy::{self, ActionKind, ActionRequest, Described, Permitted};

use crate::protocol::action::{ActionElement, ActionRecord};
use crate::protocol::chat::{AnsweredBy, Decision};
use crate::protocol::fault::Fault;
use crate::protocol::ids::{ApprovalId, TabId};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// The number of approvals for one call; each is repeated because the page changed during the previous one.
const MOST_QUESTIONS: usize = 3;
/// The longest text that the person can edit in a card, in bytes. A longer text is only shown.
const LONGEST_TEXT: usize = 4 * 1024;

impl ConversationTools {
    /// Checks a call against the policy, and asks the person if needed. `tab` is the tab that the call acts on; `step`
    /// is the call as the agent identified it, if it did.
    ///
    /// # Errors
    ///
    /// Fails with the denial, worded for the agent.
    pub(super) async fn permit(
        &self,
        call: &Call,
        tab: TabId,
        step: Option<&ToolCallName>,
        cancel: &CancellationToken,
    ) -> Result<Permit, Fault> {
        let expected = |call: &Call, look: &Look| {
            look.taken.then(|| Expected::new(call.target().as_ref(), call.activation(), look.subject.clone()))
        };
        let mut edited: Option<Call> = None;
        for _ in 0..MOST_QUESTIONS {
            let present = edited.as_ref().unwrap_or(call);
            let judged = self.judged(present, tab).await?;
            self.tell_object(step, &judged);
            let Some(asked) = judged.asks.as_ref() else {
                return Ok(Permit { expected: expected(present, &judged.look), home: judged.look.home(), edited });
            };
            let (answered, text) = self.ask(present, tab, &judged, asked, cancel).await;
            let wrote = text.and_then(|text| present.with_typed(&text));
            let record = wrote.as_ref().map_or_else(|| judged.record.clone(), |wrote| judged.look.record(wrote));
            let line = wrote.as_ref().map(redaction::line);
            let is_wider = !record.is_alike(&judged.record);
            if wrote.is_some() {
                edited = wrote;
            }
            if is_wider {
                // With the edited text the call does more than the card said, so ask again.
                continue;
            }
            let described =
                Described { line: line.as_deref().unwrap_or(&judged.words.redacted), record: Some(&record) };
            self.engine.policy().settle(self.runner.conversation(), &asked.request, &described, answered)?;
            // The page may have changed while the person decided: only what they saw or wrote may run.
            let present = edited.as_ref().unwrap_or(call);
            let now = self.looked_at(present, tab).await;
            if now.record(present) == record {
                self.tell_text(step, edited.as_ref());
                return Ok(Permit { expected: expected(present, &now), home: now.home(), edited });
            }
        }
        Err(ToolError::PageChanged.into())
    }

    /// Determines what a call would do on the current page, and how the rules decide.
    async fn judged(&self, call: &Call, tab: TabId) -> Result<Judged, Fault> {
        if call.types_beyond_a_tab() {
            return Err(ToolError::TypesBeyondTab.into());
        }
        let conversation = self.runner.conversation();
        let closes_theirs =
            call.spec.tab == TabUse::Closes && !self.engine.tabs().sets().is_made_by_agent(conversation, tab);
        let look = self.looked_at(call, tab).await;
        let (into_password, submits) = (look.into_password, look.submits(call));
        let request = self.engine.policy().with_taint_log(conversation.id(), |taint_log| {
            let site = look.site(|| self.engine.tabs().site_of(tab));
            let conversation_id = conversation.id();
            let context = TabContext { conversation_id, site, into_password, submits, closes_theirs, taint_log };
            action_requests::request(call, context)
        });
        let destination = look.subject.as_ref().filter(|destination| call.may_lead() && !destination.url.is_empty());
        let beyond = destination.and_then(|destination| {
            self.engine.policy().with_taint_log(conversation.id(), |taint_log| {
                action_requests::to_destination(&request, destination, taint_log)
            })
        });
        let words = self.words(call, Some(tab));
        let record = look.record(call);
        let described = |record| Described { line: &words.redacted, record: Some(record) };
        // What it does here and where it leads are separate requests; the person is asked about the one with the higher
        // risk.
        let mut asks = None;
        for request in [Some(request), beyond].into_iter().flatten() {
            match self.engine.policy().judge(conversation, &request, &described(&record)) {
                Permitted::Yes => {}
                Permitted::No(fault) => return Err(fault),
                Permitted::Ask(card) => asks = Some(Asked { request, card }),
            }
        }
        Ok(Judged { words, record, look, asks })
    }

    /// Looks up the element of a call. Calls that only look are skipped.
    async fn looked_at(&self, call: &Call, tab: TabId) -> Look {
        if call.class() == Class::Read || !(call.types() || call.target().is_some()) {
            let resends = call.spec.leads == Leads::Again && self.resends(tab).await;
            return Look { taken: false, into_password: false, resends, subject: None };
        }
        let into_password = call.types() && self.types_into_password(tab, call).await;
        Look { taken: true, into_password, resends: false, subject: self.leads_to(tab, call).await }
    }

    /// Returns true if the command would type into a password field.
    async fn types_into_password(&self, tab: TabId, call: &Call) -> bool {
        // If the page cannot be queried, nothing can be typed into it either.
        let Some((page, target)) = self.page_and_target(tab, call).await else { return false };
        page.is_password(target.as_ref()).await
    }

    /// Returns where a click or Enter would lead, according to the page's markup.
    async fn leads_to(&self, tab: TabId, call: &Call) -> Option<ClickDestination> {
        let (page, target) = self.page_and_target(tab, call).await?;
        page.leads_to(target.as_ref(), call.activation()).await
    }

    /// Returns true if reloading the page would resubmit a form, or if the page cannot be queried. Returns false if the
    /// tab is gone, because nothing can be reloaded then.
    async fn resends(&self, tab: TabId) -> bool {
        let Some((browser, pages)) = self.engine.browsers().pages_with(Some(tab)) else { return false };
        let Ok(tab) = browser.tab(tab) else { return false };
        match pages.open(&tab).await {
            Ok(page) => page.resends().await,
            Err(_) => true,
        }
    }

    async fn page_and_target(&self, tab: TabId, call: &Call) -> Option<(Page, Option<Target>)> {
        let (browser, pages) = self.engine.browsers().pages_with(Some(tab))?;
        let page = pages.open(&browser.tab(tab).ok()?).await.ok()?;
        Some((page, call.target()))
    }

    /// Adds the element that a selector found to the step, and the text to type unless it is a password.
    fn tell_object(&self, step: Option<&ToolCallName>, judged: &Judged) {
        let (Some(of), Some(subject)) = (step, judged.look.subject.as_ref()) else { return };
        let object = judged.words.object_of(&subject.role, &subject.name);
        let given = of.arguments.to_string();
        let is_told = !judged.look.into_password && tool_arguments::redacted(&of.tool, &given) != given;
        let arguments = if is_told { given } else { String::new() };
        if object.is_some() || is_told {
            let (object, phrase) = object.unzip();
            let object = visible(&object.unwrap_or_default());
            self.runner.learned(Learned { of: of.clone(), object, phrase, arguments });
        }
    }

    /// Adds the text that the person wrote to the step.
    fn tell_text(&self, step: Option<&ToolCallName>, edited: Option<&Call>) {
        let (Some(of), Some((name, text))) = (step, edited.and_then(Call::text)) else { return };
        let mut arguments = of.arguments.clone();
        arguments[name] = Value::from(text);
        self.runner.learned(Learned {
            of: of.clone(),
            object: String::new(),
            phrase: None,
            arguments: arguments.to_string(),
        });
    }

    /// Asks the person, and highlights in the page what the approval concerns. Returns the answer and the text that the
    /// person wrote in place of the call's.
    async fn ask(
        &self,
        call: &Call,
        tab: TabId,
        judged: &Judged,
        asked: &Asked,
        cancel: &CancellationToken,
    ) -> ((Decision, AnsweredBy), Option<String>) {
        let Judged { words, record, look, .. } = judged;
        let scope = if let ActionKind::Does(scope) = asked.request.kind { Some(scope) } else { None };
        let approval_id = ApprovalId::random();
        let approval = ApprovalRequest {
            approval_id: approval_id.clone(),
            ask: visible(
                &record
                    .element
                    .as_ref()
                    .map_or_else(|| words.request(), |element| words.request_of(&element.role, &element.name)),
            ),
            phrase: Some(
                record
                    .element
                    .as_ref()
                    .map_or_else(|| words.phrase.clone(), |element| words.phrase_of(&element.role, &element.name)),
            )
            .filter(|phrase| phrase.values.iter().all(|value| visible(value) == *value)),
            site: asked.request.site.clone(),
            why: asked.card.why,
            does: record.command.clone(),
            action: Box::new(ActionRecord { scope, ..record.clone() }),
            kind: words.kind,
            choices: asked.card.choices.clone(),
        };
        let text = call.text().map(|(_, text)| if look.into_password { "•".repeat(8) } else { visible(&text) });
        let answered = tokio::select! {
            answered = self.ask_person(approval, cancel) => answered,
            never = self.preview(call, tab, &approval_id, text) => match never {},
        };
        (answered, self.runner.take_text(&approval_id))
    }

    /// Shows an approval card and waits for the answer. Denies if none arrives in time.
    pub(super) async fn ask_person(
        &self,
        approval: ApprovalRequest,
        cancel: &CancellationToken,
    ) -> (Decision, AnsweredBy) {
        let approval_id = approval.approval_id.clone();
        let mut card = Card::open(&self.runner, approval);
        let limit = self.engine.approval_limit();
        let withdrawn = (Decision::Deny, AnsweredBy::Withdrawn);
        tokio::select! {
            answer = card.answer() => answer.unwrap_or(withdrawn),
            // The agent cancelled the call. If its turn has ended, the card is closed already.
            () = cancel.cancelled() => withdrawn,
            () = tokio::time::sleep(limit) => {
                match self.runner.answer(approval_id, Decision::Deny, AnsweredBy::Timeout) {
                    Ok(()) => (Decision::Deny, AnsweredBy::Timeout),
                    // An answer arrived just as the time ran out: it counts.
                    Err(_) => card.answer().await.unwrap_or(withdrawn),
                }
            }
        }
    }
}

/// A call as the policy judged it, before it runs.
struct Judged {
    words: Words,
    record: ActionRecord,
    look: Look,
    asks: Option<Asked>,
}

/// The permission for a call, from a rule or from the person.
pub(super) struct Permit {
    /// The element that the page must still contain when input is sent.
    pub(super) expected: Option<Expected>,
    /// The address of the document that the call acts on, if known. In a frame it differs from the tab's.
    pub(super) home: Option<String>,
    /// The call with the text that the person wrote, if they did.
    pub(super) edited: Option<Call>,
}

struct Asked {
    request: ActionRequest,
    card: policy::Card,
}

/// The element that a call would act on, as the page has it now.
struct Look {
    /// True if the page was queried.
    taken: bool,
    into_password: bool,
    /// True if it reloads a page that was the result of a form.
    resends: bool,
    subject: Option<ClickDestination>,
}

impl Look {
    /// Returns true if the call submits a form, or its label names an irreversible action.
    fn submits(&self, call: &Call) -> bool {
        if self.resends {
            return true;
        }
        let Some(subject) = self.subject.as_ref().filter(|_| call.may_lead()) else { return false };
        let clicks = call.spec.leads == Leads::ElementsTarget || !subject.takes_text;
        subject.submits || (clicks && consequence::is_told_by(&subject.name))
    }

    /// Returns the site of the document that the call acts on, or `of_tab` if it cannot be determined.
    fn site(&self, of_tab: impl FnOnce() -> Option<String>) -> Option<String> {
        self.subject.as_ref().map_or_else(of_tab, |subject| site::of(&subject.home))
    }

    fn home(&self) -> Option<String> {
        self.subject.as_ref().map(|subject| subject.home.clone())
    }

    fn record(&self, call: &Call) -> ActionRecord {
        let leads = self.subject.as_ref().filter(|subject| call.may_lead() && !subject.url.is_empty());
        ActionRecord {
            // The journal keeps what is shown, which must not include a password.
            command: visible(&if self.into_password { redaction::line(call) } else { call.line() }),
            scope: None,
            element: self.subject.as_ref().map(|subject| ActionElement {
                target: call.target().map(|target| visible(&target.to_string())).unwrap_or_default(),
                role: subject.role.clone(),
                name: visible(&subject.name),
                document: subject.document.clone(),
            }),
            destination: leads
                .map(|subject| visible(&subject.url))
                .or_else(|| call.destinations().first().map(|to| visible(to))),
            submits: self.submits(call),
            text: call
                .text()
                .map(|(_, text)| text)
                .filter(|text| !self.into_password && text.len() <= LONGEST_TEXT && visible(text) == *text),
            content: String::new(),
            agent_reason: None,
        }
    }
}

/// A pending approval. Dropping it withdraws the approval, so that no card outlives its call.
struct Card<'a> {
    runner: &'a Runner,
    approval_id: ApprovalId,
    answer: oneshot::Receiver<(Decision, AnsweredBy)>,
    is_answered: bool,
}

impl<'a> Card<'a> {
    fn open(runner: &'a Runner, request: ApprovalRequest) -> Self {
        let approval_id = request.approval_id.clone();
        Self { runner, approval_id, answer: runner.ask(request), is_answered: false }
    }

    async fn answer(&mut self) -> Option<(Decision, AnsweredBy)> {
        let answer = (&mut self.answer).await.ok();
        self.is_answered = true;
        answer
    }
}

impl Drop for Card<'_> {
    fn drop(&mut self) {
        if self.is_answered {
            return;
        }
        // Close first: a card that is not open yet then never opens.
        self.answer.close();
        let event = crate::chat::Event::ApprovalWithdrawn(self.approval_id.clone());
        if let Some(fault) = self.runner.handle(event) {
            tracing::warn!(%fault, "a withdrawal could not be written");
        }
    }
}
