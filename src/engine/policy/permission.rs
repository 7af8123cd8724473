//! Decides a request: first by the rules, then by those of the agent's project, then by the person. Records each decision.
//!
//! Owns the order. An action that cannot be recorded does not run, unless it only looks.

use super::action_request::{ActionKind, ActionRequest};
use super::error::{PolicyError, Refused};
use super::project::{self, Narrowed};
use super::rules::{self, Verdict};
use super::service::PolicyService;
use gstack_base::clock::now_millis;
use gstack_base::mutex::lock;
use gstack_chat::Conversation;
use gstack_protocol::action::ActionRecord;
use gstack_protocol::audit::{AuditBy, AuditEntry};
use gstack_protocol::catalogue::{self, MessageTemplate};
use gstack_protocol::chat::{AnsweredBy, Decision};
use gstack_protocol::fault::Fault;
use gstack_protocol::policy::PolicyScope;

/// The content of an approval card, and how the approval is recorded.
#[derive(Clone, Debug)]
pub(crate) struct ApprovalPrompt {
    /// The possible answers.
    pub choices: Vec<Decision>,
    /// Why the person is asked although a rule seems to cover the action.
    pub why: Option<MessageTemplate>,
}

/// An action as the audit records it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AuditedAction<'a> {
    /// The command without the typed text.
    pub line: &'a str,
    /// The full record; `None` for an action that only looks.
    pub record: Option<&'a ActionRecord>,
}

/// The decision of the rules.
#[derive(Clone, Debug)]
pub(crate) enum PolicyOutcome {
    Allowed,
    Denied(Fault),
    /// The person decides; their answer goes to [`PolicyService::settle`].
    NeedsApproval(ApprovalPrompt),
}

impl PolicyService {
    /// Applies the rules. `action` is recorded in the audit.
    pub(crate) fn judge(
        &self,
        conversation: &Conversation,
        request: &ActionRequest,
        action: &AuditedAction<'_>,
    ) -> PolicyOutcome {
        let (verdict, readable) = {
            let store = lock(&self.0.rules);
            (rules::decide(store.rules(), request, store.now(now_millis())), store.fault().is_none())
        };
        let entry = |allowed, by, rule| AuditEntry { allowed, by, rule, ..entry(conversation, request, action) };
        let project = self.project_rules(&conversation.info().folder);
        let verdict = match project::narrow(verdict, project.as_ref(), request) {
            Narrowed::Unchanged(verdict) => verdict,
            Narrowed::Asks(_) => {
                let why = why(request, readable).or(Some(catalogue::WHY_PROJECT));
                return PolicyOutcome::NeedsApproval(ApprovalPrompt { choices: project::choices(), why });
            }
            Narrowed::Denied(rule) => {
                self.record(&entry(false, AuditBy::Rule, Some(rule.clone()))).ok();
                return PolicyOutcome::Denied(Refused::ByProject { rule }.into());
            }
            Narrowed::Unusable(fault) => {
                self.record(&entry(false, AuditBy::Rule, Some(fault.file.display().to_string()))).ok();
                return PolicyOutcome::Denied(Refused::ProjectUnusable(fault).into());
            }
        };
        match verdict {
            Verdict::Run(rule) => {
                let by = if rule.is_some() { AuditBy::Rule } else { AuditBy::Default };
                match self.record(&entry(true, by, rule)) {
                    Err(fault) if request.kind != ActionKind::Read => PolicyOutcome::Denied(fault),
                    _ => PolicyOutcome::Allowed,
                }
            }
            Verdict::Denied(rule) => {
                self.record(&entry(false, AuditBy::Rule, Some(rule))).ok();
                PolicyOutcome::Denied(Refused::ByRule { site: request.site.clone() }.into())
            }
            Verdict::NotOffered => {
                self.record(&entry(false, AuditBy::Default, None)).ok();
                PolicyOutcome::Denied(Refused::NotOffered.into())
            }
            Verdict::Ask(choices) => {
                PolicyOutcome::NeedsApproval(ApprovalPrompt { choices, why: why(request, readable) })
            }
        }
    }

    /// Returns whether the rules let an action run without asking. Nothing is done by it, so it is not recorded.
    pub(crate) fn would_run(&self, request: &ActionRequest) -> bool {
        let store = lock(&self.0.rules);
        matches!(rules::decide(store.rules(), request, store.now(now_millis())), Verdict::Run(_))
    }

    /// Handles the person's answer: records it, and keeps it as a rule if it applies more than once.
    pub(crate) fn settle(
        &self,
        conversation: &Conversation,
        request: &ActionRequest,
        action: &AuditedAction<'_>,
        (decision, by): (Decision, AnsweredBy),
    ) -> Result<(), Fault> {
        let now = now_millis();
        let rule = rules::remembered(request, decision, rule_id(), now);
        let written = self.record(&AuditEntry {
            allowed: decision.allows(),
            by: audit_by(by),
            answer: Some(decision),
            rule: rule.as_ref().map(|rule| rule.id.clone()),
            ..entry(conversation, request, action)
        });
        // A rule is in force only after its line in the audit. One that cannot be saved holds for this once, and the person
        // is told.
        if let (Ok(()), Some(rule)) = (&written, rule)
            && let Err(fault) = lock(&self.0.rules).add(rule, now)
        {
            self.0.ports.tell_fault(&fault);
        }
        match by {
            _ if decision.allows() => written,
            AnsweredBy::Timeout => Err(Refused::NotAnswered.into()),
            AnsweredBy::Withdrawn => Err(Refused::Withdrawn.into()),
            AnsweredBy::Panel | AnsweredBy::Terminal | AnsweredBy::Link | AnsweredBy::Rule => {
                Err(Refused::ByPerson.into())
            }
        }
    }

    /// Records an action that the person typed themselves, so that nobody was asked.
    pub(crate) fn record_typed(
        &self,
        conversation: &Conversation,
        request: &ActionRequest,
        action: &AuditedAction<'_>,
    ) -> Result<(), Fault> {
        self.record(&AuditEntry { allowed: true, by: AuditBy::Typed, ..entry(conversation, request, action) })
    }

    /// Writes a line to the audit. Tells the person if that fails.
    pub(crate) fn record(&self, entry: &AuditEntry) -> Result<(), Fault> {
        lock(&self.0.audit).append(entry).map_err(|error| {
            let fault = PolicyError::AuditNotWritten(error).into();
            self.0.ports.tell_fault(&fault);
            fault
        })
    }
}

fn why(request: &ActionRequest, readable: bool) -> Option<MessageTemplate> {
    use super::action_request::Risk;
    if !readable {
        return Some(catalogue::WHY_POLICY_NOT_READ);
    }
    match (request.risk, request.kind) {
        (Risk::Carrying, ActionKind::Does(PolicyScope::Control | PolicyScope::Intercept | PolicyScope::Upload)) => {
            Some(catalogue::WHY_COULD_SEND)
        }
        (Risk::Carrying, _) => Some(catalogue::WHY_CARRIES),
        (Risk::NewSite, _) => Some(catalogue::WHY_NEW_SITE),
        (Risk::ClosesTheirs, _) => Some(catalogue::WHY_NOT_ITS_TAB),
        (Risk::AnswersDialog, _) => Some(catalogue::WHY_DIALOG),
        (Risk::ReadsSecret, _) => Some(catalogue::WHY_READS_SECRET),
        (Risk::Plain, ActionKind::Does(PolicyScope::Password)) => Some(catalogue::WHY_PASSWORD),
        (Risk::Plain, _) => None,
    }
}

/// Returns a new rule id that is short enough to type.
pub(super) fn rule_id() -> String {
    uuid::Uuid::new_v4().simple().to_string()[..8].to_owned()
}

pub(crate) fn audit_by(by: AnsweredBy) -> AuditBy {
    match by {
        AnsweredBy::Panel => AuditBy::Panel,
        AnsweredBy::Terminal => AuditBy::Terminal,
        AnsweredBy::Link => AuditBy::Link,
        AnsweredBy::Withdrawn => AuditBy::Withdrawn,
        AnsweredBy::Rule => AuditBy::Rule,
        AnsweredBy::Timeout => AuditBy::Timeout,
    }
}

fn entry(conversation: &Conversation, request: &ActionRequest, action: &AuditedAction<'_>) -> AuditEntry {
    AuditEntry {
        at: now_millis(),
        conversation_id: Some(request.conversation_id.clone()),
        agent: conversation.info().agent,
        action: action.line.to_owned(),
        record: action.record.map(|record| Box::new(record.clone())),
        scope: match request.kind {
            ActionKind::Read => "read".to_owned(),
            ActionKind::Does(scope) => scope.name().to_owned(),
            ActionKind::Secret => "secret".to_owned(),
        },
        site: request.site.clone(),
        allowed: false,
        by: AuditBy::Default,
        answer: None,
        rule: None,
    }
}
