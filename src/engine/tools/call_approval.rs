//! The approval before an action: how the policy decides about a call, and what the person answers.
//!
//! Owns the approval card of a call and the ways it closes. Never runs the call.

use super::ConversationTools;
use super::action_requests::{self, Effects, TabContext};
use super::error::ToolError;
use super::sign_ins;
use super::step_list::StepList;
use super::target_snapshot::{ApprovedCall, TargetSnapshot};
use crate::conversations::{ApprovalAnswer, Learned, Pending, ToolCallName};
use crate::policy::{self, ActionKind, ActionRequest, AuditedAction, PolicyOutcome};
use gstack_base::site::SiteOrPage;
use gstack_base::visible::visible;
use gstack_chat::turn::ApprovalRequest;
use gstack_command::spec::TabUse;
use gstack_command::words::Words;
use gstack_command::{Call, Class, redaction, tool_arguments};

use gstack_protocol::action::ActionRecord;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{ApprovalId, TabId};
use gstack_protocol::sentence::{LocalizedPhrase, Sentence};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// The number of approvals for one call; each is repeated because the page changed during the previous one.
const MOST_QUESTIONS: usize = 3;

impl ConversationTools {
    /// Checks a call against the policy, and asks the person if needed. `tab` is the tab that the call acts on; `step`
    /// is the call as the agent identified it, if it did; `list` has it among others, which the person allows as one.
    ///
    /// # Errors
    ///
    /// Fails with the denial, worded for the agent.
    pub(super) async fn permit(
        &self,
        call: &Call,
        tab: TabId,
        (step, list): (Option<&ToolCallName>, Option<&StepList>),
        cancel: &CancellationToken,
    ) -> Result<ApprovedCall, Fault> {
        let mut edited: Option<Call> = None;
        for _ in 0..MOST_QUESTIONS {
            let present = edited.as_ref().unwrap_or(call);
            let review = self.review(present, tab).await?;
            self.tell_object(step, &review);
            let Some(asked) = review.asks.as_ref() else {
                return Ok(review.targets.permit(present, review.shown, edited.clone()));
            };
            let of_list = list.filter(|list| list.covers(&asked.request));
            let mut first = match of_list {
                Some(list) => Some(list.lock().await),
                None => None,
            };
            let (answered, text) = match first.as_deref() {
                Some(Some(answered)) => (*answered, None),
                _ => self.ask(present, tab, (&review, of_list), asked, cancel).await?,
            };
            if let Some(first) = &mut first {
                **first = Some(answered);
            }
            drop(first);
            let wrote = text.and_then(|text| present.with_typed(&text));
            let record = wrote.as_ref().map_or_else(|| review.record.clone(), |wrote| review.targets.record(wrote));
            let line = wrote.as_ref().map(redaction::line);
            let is_wider = !record.is_alike(&review.record);
            if wrote.is_some() {
                edited = wrote;
            }
            if is_wider {
                // With the edited text the call does more than the card said, so ask again.
                continue;
            }
            let described =
                AuditedAction { line: line.as_deref().unwrap_or(&review.words.redacted), record: Some(&record) };
            self.services.policy.settle(self.gate.conversation(), &asked.request, &described, answered)?;
            // The page may have changed while the person decided: only what they saw or wrote may run.
            let present = edited.as_ref().unwrap_or(call);
            let now = TargetSnapshot::take((&self.services.browsers, &self.services.sign_ins), present, tab).await?;
            if now.record(present) == record {
                if !now.into_password {
                    self.tell_text(step, edited.as_ref());
                }
                return Ok(now.permit(present, review.shown, edited.clone()));
            }
        }
        Err(ToolError::PageChanged.into())
    }

    /// Records in the audit what the person typed as a command; looking is not recorded.
    pub(super) fn record_typed(&self, call: &Call, tab: TabId) -> Result<(), Fault> {
        if call.class() == Class::Read {
            return Ok(());
        }
        let (conversation, words) = (self.gate.conversation(), self.words(call, Some(tab)));
        let (site, browser) = (self.services.tabs.site_of(tab), self.services.browsers.kind_of(Some(tab)));
        let (conversation_id, effects) = (conversation.id(), Effects::default());
        let request = self.services.policy.with_taint_log(conversation_id, |taint_log| {
            let context = TabContext { conversation_id, site, browser, tool: None, effects, taint_log };
            action_requests::request(call, context)
        });
        let action = AuditedAction { line: &words.redacted, record: None };
        self.services.policy.record_typed(conversation, &request, &action)
    }

    /// Determines what a call would do on the current page, and how the rules decide.
    async fn review(&self, call: &Call, tab: TabId) -> Result<CallReview, Fault> {
        if call.types_beyond_a_tab() {
            return Err(ToolError::TypesBeyondTab.into());
        }
        let reaches_secret = sign_ins::reaches_secret(&self.services.browsers, tab);
        let reads_secret = reaches_secret && sign_ins::could_read_secret(call);
        if reaches_secret && !reads_secret && call.asks_for_values() {
            return Err(ToolError::AsksForValues.into());
        }
        let conversation = self.gate.conversation();
        let closes_theirs =
            call.spec.tab == TabUse::Closes && !self.services.tabs.sets().is_made_by_agent(conversation, tab);
        let shown = self.services.tabs.shown_in(tab);
        let targets = TargetSnapshot::take((&self.services.browsers, &self.services.sign_ins), call, tab).await?;
        let (into_password, submits) = (targets.into_password, targets.submits(call));
        let browser = self.services.browsers.kind_of(Some(tab));
        let request = self.services.policy.with_taint_log(conversation.id(), |taint_log| {
            let site = targets.site(|| self.services.tabs.site_of(tab));
            let conversation_id = conversation.id();
            let tool = targets.policy_tool();
            let effects = Effects { into_password, submits, closes_theirs, reads_secret };
            let context = TabContext { conversation_id, site, browser, tool, effects, taint_log };
            action_requests::request(call, context)
        });
        let destination = targets.subject().filter(|destination| call.may_navigate() && !destination.url.is_empty());
        let beyond = destination.and_then(|destination| {
            self.services.policy.with_taint_log(conversation.id(), |taint_log| {
                action_requests::to_destination(&request, destination, taint_log)
            })
        });
        let words = self.words(call, Some(tab));
        let record = targets.record(call);
        let described = |record| AuditedAction { line: &words.redacted, record: Some(record) };
        // What it does here and where it leads are separate requests; the person is asked about the one with the higher
        // risk.
        let mut asks = None;
        let links = self.services.config.get().agents.approval_link_base.clone();
        let views = &self.services.views;
        let in_view = self.services.tabs.shown(tab).is_some_and(|(_, page)| views.is_page(&page.url));
        for request in [Some(request), beyond].into_iter().flatten() {
            let site = request.site.as_deref().filter(|_| request.kind != ActionKind::Read);
            let in_view = in_view && request.kind != ActionKind::Read;
            if in_view || site.zip(links.as_ref()).is_some_and(|(site, links)| links.is_host(site)) {
                return Err(ToolError::AnswersApprovals.into());
            }
            match self.services.policy.judge(conversation, &request, &described(&record)) {
                PolicyOutcome::Allowed => {}
                PolicyOutcome::Denied(fault) => return Err(fault),
                PolicyOutcome::NeedsApproval(card) => asks = Some(Asked { request, card }),
            }
        }
        Ok(CallReview { words, record, shown, targets, asks })
    }

    /// Adds the element that a selector found to the step, and the text to type unless it is a password.
    fn tell_object(&self, step: Option<&ToolCallName>, review: &CallReview) {
        let (Some(of), Some(subject)) = (step, review.targets.subject()) else { return };
        let object = review.words.object_of(&subject.role, &subject.name);
        let given = of.arguments.to_string();
        let is_told = !review.targets.into_password && tool_arguments::redacted(&of.tool, &given) != given;
        let arguments = if is_told { given } else { String::new() };
        if object.is_some() || is_told {
            let (object, phrase) = object.unzip();
            let object = visible(&object.unwrap_or_default());
            self.gate.learned(Learned { of: of.clone(), object, phrase, arguments });
        }
    }

    /// Adds the text that the person wrote to the step.
    fn tell_text(&self, step: Option<&ToolCallName>, edited: Option<&Call>) {
        let (Some(of), Some((name, text))) = (step, edited.and_then(Call::text)) else { return };
        let mut arguments = of.arguments.clone();
        arguments[name] = Value::from(text);
        self.gate.learned(Learned {
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
        (review, list): (&CallReview, Option<&StepList>),
        asked: &Asked,
        cancel: &CancellationToken,
    ) -> Result<(ApprovalAnswer, Option<String>), Fault> {
        let CallReview { words, record, targets, .. } = review;
        let scope = if let ActionKind::Does(scope) = asked.request.kind { Some(scope) } else { None };
        let approval_id = ApprovalId::random();
        let (ask, phrase) = review.targets.sign_in.as_ref().map_or_else(|| said_of(words, record), sign_ins::request);
        let approval = match list {
            Some(list) => {
                list.card(approval_id.clone(), asked.request.site.clone(), asked.card.why.map(Sentence::from))
            }
            None => ApprovalRequest {
                approval_id: approval_id.clone(),
                ask: visible(&ask),
                phrase: Some(phrase).filter(|phrase| phrase.values.iter().all(|value| visible(value) == *value)),
                site: asked.request.site.clone(),
                why: asked.card.why.map(Sentence::from),
                does: record.command.clone(),
                action: Box::new(ActionRecord { scope, ..record.clone() }),
                kind: words.kind,
                choices: asked.card.choices.clone(),
            },
        };
        let text = call.text().map(|(_, text)| if targets.into_password { "•".repeat(8) } else { visible(&text) });
        tokio::select! {
            answered = self.ask_person(approval, tab, cancel) => answered,
            never = self.preview(call, tab, &approval_id, text) => match never {},
        }
    }

    /// Shows an approval card about a tab and waits for the answer. Returns it with the text that the person wrote in
    /// place of the call's. Denies if none arrives in time. Fails if no more cards fit.
    pub(super) async fn ask_person(
        &self,
        approval: ApprovalRequest,
        tab: TabId,
        cancel: &CancellationToken,
    ) -> Result<(ApprovalAnswer, Option<String>), Fault> {
        let _asking = self.services.pauses.asking(self.conversation().id());
        if let Some(driver) = &self.driver {
            let answered = self.services.approvals.ask_for_driver(driver, approval, tab, (cancel, &self.ended)).await?;
            return Ok(((answered.decision, answered.by), answered.text));
        }
        let id = approval.approval_id.clone();
        let answered =
            Pending::open(&self.gate, approval).answered(self.services.config.approval_limit(), cancel).await;
        Ok((answered, self.gate.take_text(&id)))
    }
}

/// Returns the request for approval in words, with the element as the page has it.
fn said_of(words: &Words, record: &ActionRecord) -> (String, LocalizedPhrase) {
    match &record.element {
        Some(element) => {
            let (role, name) = (&element.role, &element.name);
            (words.request_of(role, name), words.phrase_of(role, name))
        }
        None => (words.request(), words.phrase.clone()),
    }
}

/// A call as the policy judged it, before it runs.
struct CallReview {
    words: Words,
    record: ActionRecord,
    /// The page of the tab before it was looked at.
    shown: SiteOrPage,
    targets: TargetSnapshot,
    asks: Option<Asked>,
}

struct Asked {
    request: ActionRequest,
    card: policy::ApprovalPrompt,
}
