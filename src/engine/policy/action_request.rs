//! What an agent wants to do, as the policy sees it.

use crate::agent::adapter::PermissionAsked;
use crate::command::Class;
use crate::protocol::chat::StepKind;
use crate::protocol::ids::ConversationId;
use crate::protocol::policy::PolicyScope;

/// One action of an agent, before it is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionRequest {
    pub conversation_id: ConversationId,
    pub kind: ActionKind,
    /// The host of the page that it is done to, or that it goes to; none where there is none or it can't be told.
    pub site: Option<String>,
    pub risk: Risk,
}

impl ActionRequest {
    /// What an agent wants to do with a tool of its own.
    pub fn of_own_tool(conversation_id: ConversationId, asked: &PermissionAsked) -> Self {
        let kind = match asked.kind {
            _ if asked.read_only => ActionKind::Read,
            StepKind::Shell => ActionKind::Does(PolicyScope::Shell),
            StepKind::File => ActionKind::Does(PolicyScope::Write),
            // What is not known is taken for the worst.
            _ => ActionKind::Does(PolicyScope::Control),
        };
        Self { conversation_id, kind, site: None, risk: Risk::Plain }
    }
}

/// What kind of action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// Looking.
    Read,
    /// What rules are made about.
    Does(PolicyScope),
    /// What identifies a person: no agent is offered it and no rule gives it.
    Secret,
}

impl ActionKind {
    /// What a command of this class is. Commands that are more than their class says so themselves.
    pub fn of(class: Class) -> Self {
        match class {
            Class::Read => Self::Read,
            Class::Act => Self::Does(PolicyScope::Act),
            Class::Download => Self::Does(PolicyScope::Download),
            Class::Upload => Self::Does(PolicyScope::Upload),
            Class::Control => Self::Does(PolicyScope::Control),
            Class::Intercept => Self::Does(PolicyScope::Intercept),
            Class::Secret => Self::Secret,
        }
    }
}

/// How far the action reaches beyond the page that it is done to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Risk {
    /// No further.
    Plain,
    /// It takes the tab to a site that neither the person nor a rule has named, after words of another page were read.
    NewSite,
    /// It can carry what was read to another site.
    Carrying,
    /// It closes a tab that the agent did not open.
    ClosesTheirs,
    /// It answers a question that the page asks the person.
    AnswersDialog,
}
