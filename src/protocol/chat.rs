//! The parts of a conversation: events with gapless numbers, and text that grows.
//!
//! The same types are the journal's lines and the panel's events. Never holds state.

use super::action::ActionRecord;
pub use super::conversation::{
    AllowedTab, ConversationInfo, ConversationState, EarlierConversation, HistoryPage, Subscribed, Worktree,
};
use super::fault::{Fault, FaultWords};
use super::ids::{AgentName, ApprovalId, ClientMessageId, ConversationId, FileId, QuestionId, StepId, TurnId};
use super::told::Sentence;
use serde::{Deserialize, Serialize};

/// The number of an event within its conversation: 1, 2, 3 … without gaps.
pub type Seq = u64;
/// Milliseconds since 1970-01-01 UTC.
pub type Millis = u64;

/// How many messages may wait behind the running one. The panel has it from `extension/shared/constants.js`.
pub const QUEUE_LIMIT: usize = 5;

/// One event of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ChatEvent {
    #[cfg_attr(test, ts(type = "number"))]
    pub seq: Seq,
    #[cfg_attr(test, ts(type = "number"))]
    pub at: Millis,
    #[serde(flatten)]
    pub body: ChatBody,
}

/// An event. A reader ignores a `type` that it does not know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ChatBody {
    /// A person's message was accepted. It waits in the queue until a `turn-started` names it.
    Message {
        client_id: ClientMessageId,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        page: Option<PageContext>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<Attachment>,
        /// The place where it was typed.
        from: MessageSource,
        /// The model that was asked for with it, for its turn alone: `fast`, `deep` or one of the agent's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// A waiting message was taken back before its turn began.
    MessageRemoved {
        client_id: ClientMessageId,
    },
    TurnStarted {
        turn_id: TurnId,
        client_id: ClientMessageId,
        agent: AgentName,
        /// The agent's name as people know it: `Claude Code`, `Built-in`.
        agent_label: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// The message was exactly one command and runs without a model.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        direct: bool,
    },
    /// A block of the agent's answer, as Markdown. It begins empty and grows by `chat.delta`;
    /// read back from the journal it holds all of its text.
    Text {
        turn_id: TurnId,
        text: String,
    },
    /// The agent's reasoning, where it reports it. Grows like `text`.
    Thinking {
        turn_id: TurnId,
        text: String,
    },
    /// The agent does something.
    Step {
        turn_id: TurnId,
        step_id: StepId,
        kind: StepKind,
        /// The action in plain words, without its object: `Opening`, `Clicking`.
        verb: String,
        /// The object of the action: `example.com`, `Submit`.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        object: String,
        /// The same for readers of other languages.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        phrase: Option<SaidPhrase>,
        /// The tool's own name, for the details.
        tool: String,
        /// The arguments as JSON text, cut at 4 KiB.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        arguments: String,
    },
    /// More is known of a step: the name of the element that a selector found, or the text that a person wrote instead.
    StepUpdated {
        turn_id: TurnId,
        step_id: StepId,
        /// Takes the place of the step's own; empty: that one stands.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        object: String,
        /// The same for readers of other languages.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        phrase: Option<SaidPhrase>,
        /// The same of its arguments.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        arguments: String,
    },
    StepDone {
        turn_id: TurnId,
        step_id: StepId,
        outcome: StepOutcome,
        #[cfg_attr(test, ts(type = "number"))]
        duration_ms: u64,
        /// The result's text, cut at 4 KiB.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        result: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Attachment>,
    },
    /// The agent may not go on until a person has answered.
    Approval {
        turn_id: TurnId,
        approval_id: ApprovalId,
        /// The sentence that is asked: `Click “Revoke key”`.
        ask: String,
        /// The same for readers of other languages.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        phrase: Option<SaidPhrase>,
        /// The host of the page it is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        site: Option<String>,
        /// The reason why gstack asks although a rule seems to cover it. The agent's own reason is `action.agentReason`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
        /// The command as it would run, on one line: `click @e14`.
        does: String,
        /// All that it would do. Absent in conversations of older versions.
        #[serde(default)]
        action: Box<ActionRecord>,
        kind: StepKind,
        /// The answers that can be given.
        choices: Vec<Decision>,
    },
    ApprovalDone {
        turn_id: TurnId,
        approval_id: ApprovalId,
        decision: Decision,
        by: AnsweredBy,
    },
    /// The agent's plan. A later one of the same turn replaces it.
    Plan {
        turn_id: TurnId,
        entries: Vec<PlanEntry>,
    },
    /// The agent asks the person something and waits for the answer.
    Question {
        turn_id: TurnId,
        question_id: QuestionId,
        parts: Vec<QuestionPart>,
    },
    QuestionDone {
        turn_id: TurnId,
        question_id: QuestionId,
        /// One list of answers a part; none when it was withdrawn or not answered.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        answers: Vec<Vec<String>>,
        by: AnsweredBy,
    },
    /// Something that a person should know while the turn goes on: a retry, a rate limit.
    Notice {
        turn_id: TurnId,
        text: String,
        /// The text as a code, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        words: Option<Box<FaultWords>>,
    },
    TurnDone {
        turn_id: TurnId,
        outcome: TurnOutcome,
        #[cfg_attr(test, ts(type = "number"))]
        duration_ms: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// The cost of this turn, in US dollars, if the agent reports it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost_usd: Option<f64>,
        /// The tokens that the model read and wrote in this turn, if the agent reports them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// The reason of the failure.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<Fault>,
    },
}

impl ChatBody {
    /// A line of the turn that a panel says in its own language.
    pub fn notice(turn_id: TurnId, sentence: Sentence) -> Self {
        let (text, words) = FaultWords::of(sentence);
        Self::Notice { turn_id, text, words }
    }
}

/// The action as a stable code with its values: a panel that has words for the code shows them in its own language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SaidPhrase {
    /// `fill_sel`, `read_the_page`; `own_…` for what an agent's own tools do.
    pub code: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<Vec<String>>", optional))]
    pub values: Vec<String>,
}

impl SaidPhrase {
    /// The action of an agent's own tool, by its English verb.
    pub fn of_own_tool(verb: &str, object: &str) -> Self {
        let code = format!("own_{}", verb.to_lowercase().replace(' ', "_"));
        Self { code, values: vec![object.to_owned()] }
    }
}

/// The place where a message was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum MessageSource {
    Panel,
    Terminal,
}

/// The page that a person was looking at when they wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PageContext {
    pub url: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<String>,
}

/// The longest address that is kept of a page. Pages choose their addresses, and everything that names one travels in
/// frames of a limited size.
pub const LONGEST_ADDRESS: usize = 2048;
/// The longest title that is kept of a page.
pub const LONGEST_TITLE: usize = 512;
/// The longest selection that is kept of a page. Agents are given less.
pub const LONGEST_SELECTION: usize = 32 * 1024;
/// The longest text of a message, as JSON. Its event has a page and attachments too, and fits into one frame.
pub const LONGEST_MESSAGE: usize = 640 * 1024;

impl PageContext {
    /// The page with an address, a title and a selection that fit into any message.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        if self.url.len() > LONGEST_ADDRESS
            && let Ok(mut parsed) = url::Url::parse(&self.url)
        {
            // A name and a password stand before the host: cut within them, another host would be named.
            let cleared = parsed.set_username("").and_then(|()| parsed.set_password(None));
            if cleared.is_ok() {
                self.url = parsed.into();
            }
        }
        cut(&mut self.url, LONGEST_ADDRESS);
        cut(&mut self.title, LONGEST_TITLE);
        if let Some(selection) = &mut self.selection {
            cut(selection, LONGEST_SELECTION);
        }
        self
    }
}

/// Cuts to so many bytes, the sign of that included.
fn cut(text: &mut String, longest: usize) {
    const SIGN: &str = "…";
    if text.len() > longest {
        let end = (0..=longest - SIGN.len()).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push_str(SIGN);
    }
}

#[cfg(test)]
mod bounded_tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_address_that_is_cut_keeps_its_host() {
        let page = |url: String| PageContext { url, ..PageContext::default() }.bounded().url;
        let long = "x".repeat(600_000);
        assert!(page(format!("https://a.example/#{long}")).starts_with("https://a.example/#xx"));
        assert!(page(format!("https://bank.example{long}@b.example/")).starts_with("https://b.example/"));
        assert_eq!(page("https://me:pw@a.example/".into()), "https://me:pw@a.example/", "a short one is left alone");
    }

    proptest! {
        #[test]
        fn whatever_a_page_calls_itself_fits(url in any::<String>(), title in any::<String>(), times in 1_usize..2000) {
            let page = PageContext { url: url.repeat(times), title: title.repeat(times), selection: None }.bounded();
            prop_assert!(page.url.len() <= LONGEST_ADDRESS && page.title.len() <= LONGEST_TITLE);
            prop_assert_eq!(page.clone().bounded(), page);
        }
    }
}

/// One line of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PlanEntry {
    pub text: String,
    pub status: PlanStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum PlanStatus {
    Pending,
    Running,
    Done,
}

/// One question with the answers that the agent proposes; a person may also write their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct QuestionPart {
    pub text: String,
    /// A word or two that name it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub header: String,
    pub options: Vec<QuestionOption>,
    /// More than one may be chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multiple: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct QuestionOption {
    pub label: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// Tokens of one turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Read again.
    #[cfg_attr(test, ts(type = "number"))]
    pub input_tokens: u64,
    #[cfg_attr(test, ts(type = "number"))]
    pub output_tokens: u64,
    /// Read from the provider's cache.
    #[serde(default)]
    #[cfg_attr(test, ts(type = "number"))]
    pub cached_tokens: u64,
    /// How much of the model's window the conversation fills now, and the window's size; 0 where not reported.
    #[serde(default)]
    #[cfg_attr(test, ts(type = "number"))]
    pub context_tokens: u64,
    #[serde(default)]
    #[cfg_attr(test, ts(type = "number"))]
    pub context_window: u64,
}

/// A file kept with the conversation and read by `file.read`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Attachment {
    pub id: FileId,
    pub name: String,
    /// The media type: `image/png`.
    pub mime: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub bytes: u64,
}

/// The kind of a step, for its icon and its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    Navigate,
    Read,
    Act,
    Control,
    File,
    Shell,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum StepOutcome {
    Ok,
    Failed,
    Denied,
    /// It was cut off; whether it took effect is not known.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum TurnOutcome {
    Done,
    Failed,
    /// A person stopped it.
    Stopped,
    /// The daemon ended while it ran.
    Interrupted,
}

/// A person's answer to an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    AllowOnce,
    AllowSite,
    AllowConversation,
    /// On every site, in every conversation, until the rule is taken back.
    AllowAlways,
    Deny,
}

impl Decision {
    pub fn allows(self) -> bool {
        self != Self::Deny
    }
}

/// The one who answered an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum AnsweredBy {
    Panel,
    Terminal,
    /// The turn ended, or the agent took its request back.
    Withdrawn,
    /// A rule that a person made before.
    Rule,
    /// Nobody answered in time.
    Timeout,
}

/// `chat.delta`: text that grows the event `seq` at `offset`.
/// A receiver that already holds text at `offset` ignores that part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ChatDelta {
    pub conversation_id: ConversationId,
    #[cfg_attr(test, ts(type = "number"))]
    pub seq: Seq,
    /// In UTF-16 code units, as JavaScript counts.
    #[cfg_attr(test, ts(type = "number"))]
    pub offset: u64,
    pub text: String,
}

/// `chat.event`: one new event of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ChatEventPush {
    pub conversation_id: ConversationId,
    pub event: ChatEvent,
}

/// `chat.gap`: events were left out because the panel read too slowly; it reads again from `after`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ChatGap {
    pub conversation_id: ConversationId,
    #[cfg_attr(test, ts(type = "number"))]
    pub head: Seq,
}
