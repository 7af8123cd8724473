//! An agent's action, as the policy sees it.

use gstack_agent::adapter::PermissionAsked;
use gstack_command::Class;
use gstack_protocol::chat::StepKind;
use gstack_protocol::ids::ConversationId;
use gstack_protocol::policy::{PolicyBrowser, PolicyScope, PolicyTool};

/// One action of an agent, before it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ActionRequest {
    pub conversation_id: ConversationId,
    pub kind: ActionKind,
    /// The host of the page that the action affects or navigates to. `None` if there is none or it cannot be
    /// determined.
    pub site: Option<String>,
    /// The kind of the browser that it happens in. `None` for what happens outside of browsers.
    pub browser: Option<PolicyBrowser>,
    /// The page's tool that it calls.
    pub tool: Option<PolicyTool>,
    pub risk: Risk,
}

impl ActionRequest {
    /// Returns the request for an agent's use of one of its own tools.
    pub(crate) fn of_own_tool(conversation_id: ConversationId, asked: &PermissionAsked) -> Self {
        let kind = match asked.kind {
            _ if asked.read_only => ActionKind::Read,
            StepKind::Shell => ActionKind::Does(PolicyScope::Shell),
            StepKind::File => ActionKind::Does(PolicyScope::Write),
            // An unknown kind counts as the most dangerous one.
            _ => ActionKind::Does(PolicyScope::Control),
        };
        Self { conversation_id, kind, site: None, browser: None, tool: None, risk: Risk::Plain }
    }
}

/// The kind of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ActionKind {
    /// Only looks.
    Read,
    /// Covered by rules of this scope.
    Does(PolicyScope),
    /// Reveals a person's credentials. Never offered to agents, and no rule allows it.
    Secret,
}

impl ActionKind {
    /// Returns the kind of a command of this class. Commands that do more declare it themselves.
    pub(crate) fn of(class: Class) -> Self {
        match class {
            Class::Read => Self::Read,
            Class::Act => Self::Does(PolicyScope::Act),
            Class::Download => Self::Does(PolicyScope::Download),
            Class::Upload => Self::Does(PolicyScope::Upload),
            Class::Control => Self::Does(PolicyScope::Control),
            Class::PageTool => Self::Does(PolicyScope::PageTool),
            Class::SignIn => Self::Does(PolicyScope::SignIn),
            Class::Intercept => Self::Does(PolicyScope::Intercept),
            Class::Secret => Self::Secret,
        }
    }
}

/// How far an action reaches beyond the page that it affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Risk {
    /// Not beyond the page.
    Plain,
    /// Takes the tab to a site that neither the person nor a rule has named, after text of another page was read.
    NewSite,
    /// Can carry text that was read to another site.
    Carrying,
    /// Closes a tab that the agent did not open.
    ClosesTheirs,
    /// Answers a dialog that the page opened for the person.
    AnswersDialog,
    /// Could read a password that gstack filled in.
    ReadsSecret,
}
