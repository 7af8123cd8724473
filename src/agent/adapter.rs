//! What every agent adapter offers, and the one vocabulary of events that it reports in.

use super::sandbox::{Access, Confinement};
use crate::protocol::agents::{AgentInfo, ModelInfo, SlashCommand};
use crate::protocol::chat::{
    PageContext, PlanEntry, QuestionPart, SaidPhrase, StepKind, StepOutcome, TurnOutcome, Usage,
};
use crate::protocol::fault::Fault;
use crate::protocol::ids::{AgentName, ConversationId, StepId, TabId};
use crate::protocol::told::Sentence;
use futures_util::future::BoxFuture;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// A kind of agent. Cheap to clone behind an `Arc`; it holds no process.
pub trait Agent: Send + Sync {
    fn name(&self) -> AgentName;
    /// As people know it: `Claude Code`.
    fn label(&self) -> &str;
    /// Looks whether it can be used here, and says what to do where it can't.
    fn probe<'a>(&'a self, environment: &'a AgentEnvironment) -> BoxFuture<'a, AgentInfo> {
        Box::pin(async move {
            let mut info = AgentInfo::unknown(self.name(), self.label());
            let outcome = self.examine(environment, &mut info).await;
            info.settle(outcome);
            info
        })
    }
    /// Fills in what is known of it. The fault is what keeps it from being used; its code says which kind.
    fn examine<'a>(
        &'a self,
        environment: &'a AgentEnvironment,
        info: &'a mut AgentInfo,
    ) -> BoxFuture<'a, Result<(), Fault>>;
    /// Starts it for one conversation. Events arrive on `events` until an [`AgentEvent::Exited`].
    fn start(
        &self,
        launch: Launch,
        events: mpsc::Sender<AgentEvent>,
    ) -> BoxFuture<'_, Result<Box<dyn AgentSession>, Fault>>;
}

/// A started agent. Dropping it without `close` kills its processes.
pub trait AgentSession: Send {
    /// Hands over one message. The turn that it begins ends by one [`AgentEvent::TurnDone`] (or `Exited`).
    fn prompt(&mut self, prompt: Prompt) -> BoxFuture<'_, Result<(), Fault>>;
    /// Asks the running turn to end. It still ends by `TurnDone`.
    fn interrupt(&mut self) -> BoxFuture<'_, ()>;
    /// Whether it goes on with [`Launch::resume`]: where not, it knows nothing of what was said before.
    fn resumed(&self) -> bool;
    /// The model for the turns from now on, as the agent names it; `None`: its own default.
    fn set_model(&mut self, model: Option<String>) -> BoxFuture<'_, Result<(), Fault>>;
    /// Ends the process in order (stdin closed, TERM, KILL of all descendants), reaped when this returns.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()>;
}

/// The environment that agents are started in: the login shell's, never the daemon's own.
#[derive(Clone, Debug, Default)]
pub struct AgentEnvironment {
    pub variables: BTreeMap<OsString, OsString>,
    /// Our own program, which a long-lived agent is started beneath: `process::minder`. None: it is started by itself.
    pub minder: Option<PathBuf>,
    /// What keeps a process that is started with it to its own files.
    pub confinement: Confinement,
    /// The files that it needs of the person's, where it is confined.
    pub access: Access,
}

/// What an agent needs to begin a conversation.
#[derive(Clone)]
pub struct Launch {
    pub conversation_id: ConversationId,
    /// Where it works and where its file tools are confined to.
    pub folder: PathBuf,
    /// The agent's own session id from an earlier [`AgentEvent::SessionStarted`], to go on with.
    pub resume: Option<String>,
    pub model: Option<String>,
    /// Instructions that come before everything else.
    pub system_prompt: String,
    /// Where an agent with MCP reaches its tools.
    pub mcp: McpEndpoint,
    /// The same tools for an agent that lives in this process, and words for steps.
    pub tools: Arc<dyn Tools>,
    pub environment: AgentEnvironment,
    /// A private folder (0700) for files that must not be in argv. The adapter removes what it puts there.
    pub run_files: PathBuf,
    /// What it may reach besides its folder: the parts of a repository that its work tree needs.
    pub access: Access,
    /// Folders that file tools never see, besides those with credentials: gstack's own. `folder` stays open
    /// where it lies in one of them.
    pub off_limits: Vec<PathBuf>,
}

/// The daemon's MCP endpoint, open to this one conversation's tabs with this token, which ends with the process.
#[derive(Clone)]
pub struct McpEndpoint {
    /// `http://127.0.0.1:PORT/mcp`
    pub url: String,
    pub token: String,
    /// The MCP names of the tools (`goto`, `click` …).
    pub tools: Vec<String>,
}

/// One message to an agent.
#[derive(Clone, Debug, Default)]
pub struct Prompt {
    pub text: String,
    /// The page that the person looks at now.
    pub page: Option<PageContext>,
    /// The tab that the tools act on, where it is another one.
    pub working_tab: Option<(TabId, PageContext)>,
    /// What was said in the conversation before, for an agent that does not know it.
    pub earlier: Option<String>,
    pub images: Vec<Image>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// `image/png`
    pub mime: String,
    pub bytes: Vec<u8>,
}

/// The browser's commands as tools, already bound to the conversation's tabs and to the policy:
/// `run` asks the person where it must, and says no in words.
pub trait Tools: Send + Sync {
    fn run(&self, call: ToolCall, cancel: CancellationToken) -> BoxFuture<'_, Result<ToolResult, Fault>>;
    /// What a call does, in words, for the step line. `arguments` are as the agent gave them.
    fn describe(&self, tool: &str, arguments: &serde_json::Value) -> StepWords;
}

/// A command of the registry with its arguments as on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    pub command: String,
    pub args: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult {
    pub text: String,
    pub data: Option<serde_json::Value>,
    pub images: Vec<Image>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepWords {
    pub kind: StepKind,
    /// `Clicking`
    pub verb: String,
    /// `Submit`
    pub object: String,
    /// The same for readers of other languages.
    pub phrase: Option<SaidPhrase>,
}

impl StepWords {
    /// The words of an agent's own tool.
    pub fn of_own_tool(kind: StepKind, verb: &str, object: String) -> Self {
        let phrase = Some(SaidPhrase::of_own_tool(verb, &object));
        Self { kind, verb: verb.to_owned(), object, phrase }
    }

    /// Words that have no code: a title that an agent gave.
    pub fn untranslated(kind: StepKind, verb: &str, object: String) -> Self {
        Self { kind, verb: verb.to_owned(), object, phrase: None }
    }
}

/// What an agent does, whatever agent it is.
#[derive(Debug)]
pub enum AgentEvent {
    /// The agent's own name for the session, to resume it by.
    SessionStarted {
        resume: String,
        model: Option<String>,
    },
    /// A new block of the answer begins; deltas follow.
    TextStarted,
    TextDelta(String),
    ThinkingStarted,
    ThinkingDelta(String),
    StepStarted {
        step_id: StepId,
        words: StepWords,
        tool: String,
        arguments: String,
    },
    StepDone {
        step_id: StepId,
        outcome: StepOutcome,
        result: String,
        images: Vec<Image>,
    },
    /// The agent wants to use a tool of its own (not one of [`Tools`]). Dropping `answer` denies.
    PermissionAsked(PermissionAsked),
    /// The agent wants to know something. Dropping `answer` tells it that nobody answered.
    QuestionAsked(QuestionAsked),
    /// The agent took a permission or a question back: the card closes, nothing is answered.
    Withdrawn {
        request: String,
    },
    /// What it means to do, whole: a later one replaces it.
    Plan(Vec<PlanEntry>),
    /// What it offers a person, as far as it has said so now.
    Offers(Offers),
    /// A retry, a rate limit: worth a line while the turn goes on.
    Notice(Sentence),
    TurnDone {
        outcome: TurnOutcome,
        model: Option<String>,
        cost_usd: Option<f64>,
        usage: Option<Usage>,
        fault: Option<Fault>,
    },
    /// The process is gone. The last event.
    Exited {
        fault: Option<Fault>,
    },
}

#[derive(Debug)]
pub struct PermissionAsked {
    /// The agent's id of the request, for `Withdrawn`.
    pub request: String,
    /// `Run a command`, `Write new.txt`
    pub ask: String,
    /// The thing itself: the shell command, the path.
    pub does: String,
    /// All of it: its input, the new content of files.
    pub content: String,
    pub why: Option<String>,
    pub kind: StepKind,
    /// True for what the first policy lets run: reading files inside the folder.
    pub read_only: bool,
    pub answer: oneshot::Sender<PermissionAnswer>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PermissionAnswer {
    Allow,
    /// With the words that the agent is told.
    Deny(String),
}

#[derive(Debug)]
pub struct QuestionAsked {
    /// The agent's id of the request, for `Withdrawn`.
    pub request: String,
    pub parts: Vec<QuestionPart>,
    pub answer: oneshot::Sender<QuestionAnswer>,
}

/// One list of answers a part: labels that were chosen, or a person's own words. Empty: they do not want to answer.
pub type QuestionAnswer = Vec<Vec<String>>;

/// What an agent offers, learned from a running one. `None`: it did not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    pub models: Option<Vec<ModelInfo>>,
    pub commands: Option<Vec<SlashCommand>>,
    /// Who is signed in: an address or a plan.
    pub account: Option<String>,
}
