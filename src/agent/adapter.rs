//! The interface of every agent adapter, and the common events that it reports.

use super::sandbox::{Access, Confinement};
use futures_util::future::BoxFuture;
use gstack_base::atomic;
use gstack_protocol::agent_endpoint::AgentEndpoint;
use gstack_protocol::agents::{AgentInfo, ModeInfo, ModelInfo, SlashCommand};
use gstack_protocol::catalogue::Sentence;
use gstack_protocol::chat::{
    LocalizedPhrase, PageContext, PlanEntry, QuestionPart, StepKind, StepOutcome, TurnOutcome, Usage,
};
use gstack_protocol::command::ActsOn;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{AgentName, ConversationId, StepId, TabId};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// How long an agent may take to end its turn after an interrupt (it takes 10 to 50 ms) before its process is ended.
pub const INTERRUPT_LIMIT: Duration = Duration::from_millis(800);

/// A kind of agent. Holds no process. Cheap to clone behind an `Arc`.
pub trait Agent: Send + Sync {
    /// Returns the name by which it is chosen: `claude`.
    fn name(&self) -> AgentName;
    /// Returns the name shown to people: `Claude Code`.
    fn label(&self) -> &str;
    /// Checks whether the agent can be used here. If not, the result says what to do.
    fn probe<'a>(&'a self, environment: &'a AgentEnvironment) -> BoxFuture<'a, AgentInfo> {
        Box::pin(async move {
            let mut info = AgentInfo::unknown(self.name(), self.label());
            let outcome = self.examine(environment, &mut info).await;
            info.settle(outcome);
            info
        })
    }
    /// Finds the agent's program, without starting it. `None`: it has none, and its examination starts nothing. Fails if the
    /// program is missing.
    fn locate<'a>(&'a self, _environment: &'a AgentEnvironment) -> Located<'a> {
        Box::pin(std::future::ready(Ok(None)))
    }
    /// Fills in the agent's properties. Fails with the reason why it cannot be used; the fault's code classifies it.
    fn examine<'a>(&'a self, environment: &'a AgentEnvironment, info: &'a mut AgentInfo) -> Examined<'a>;
    /// Returns the person's files that it may access if it is confined. Reads the disk.
    fn access(&self, _environment: &AgentEnvironment) -> Access {
        Access::default()
    }
    /// Returns whether it may forget a turn that was stopped or failed. Then its next message repeats what was said in it.
    fn may_forget(&self) -> bool {
        false
    }
    /// Signs in this way at the next start that is refused without it. `way`: an id of [`AgentNeed::SignIn`](gstack_protocol::fault::AgentNeed).
    fn sign_in_by(&self, _way: String) {}
    /// Starts the agent for one conversation. Events arrive on `events` until an [`AgentEvent::Exited`].
    fn start(&self, launch: Launch, events: mpsc::Sender<AgentEvent>) -> Started<'_>;
}

/// The end of a search for an agent's program.
pub type Located<'a> = BoxFuture<'a, Result<Option<PathBuf>, Fault>>;

/// The end of an examination. Fails with the reason why the agent cannot be used.
pub type Examined<'a> = BoxFuture<'a, Result<(), Fault>>;

/// The end of a start.
pub type Started<'a> = BoxFuture<'a, Result<Box<dyn AgentSession>, Fault>>;

/// A started agent. Dropping it without `close` kills its processes.
pub trait AgentSession: Send {
    /// Sends one message. This starts a turn, which ends with one [`AgentEvent::TurnDone`] (or `Exited`).
    fn prompt(&mut self, prompt: Prompt) -> BoxFuture<'_, Result<(), Fault>>;
    /// Asks the running turn to end. It still ends with `TurnDone`, unless the agent ignores this: the caller closes the
    /// session after [`INTERRUPT_LIMIT`].
    fn interrupt(&mut self) -> BoxFuture<'_, ()>;
    /// Returns whether the session in [`Launch::resume`] was resumed. If not, the agent knows nothing of the earlier
    /// conversation.
    fn resumed(&self) -> bool;
    /// Sets the model for all following turns, by the agent's name for it; `None` for the agent's default.
    fn set_model(&mut self, model: Option<String>) -> BoxFuture<'_, Result<(), Fault>>;
    /// Returns the agent's process; `None` for an agent without one.
    fn pid(&self) -> Option<u32>;
    /// Ends the process gracefully (closes stdin, then TERM, then KILL for all descendants). It is reaped when this
    /// returns.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()>;
}

/// The environment in which agents are started: the login shell's, never the daemon's own.
#[derive(Clone, Debug, Default)]
pub struct AgentEnvironment {
    /// All environment variables; the daemon's own are not inherited.
    pub variables: BTreeMap<OsString, OsString>,
    /// Our own program, which starts a long-lived agent as its minder (`process::minder`). `None`: without a minder.
    pub minder: Option<PathBuf>,
    /// The sandbox of the processes started with it.
    pub confinement: Confinement,
    /// The person's files that a confined process may access.
    pub access: Access,
}

/// The parameters of an agent's start for a conversation.
#[derive(Clone)]
pub struct Launch {
    /// The conversation that it works for.
    pub conversation_id: ConversationId,
    /// The working folder, to which its file tools are confined.
    pub folder: PathBuf,
    /// The agent's own session id from an earlier [`AgentEvent::SessionStarted`], to resume it.
    pub resume: Option<String>,
    /// The model, by the agent's name for it; `None` for the agent's default.
    pub model: Option<String>,
    /// The mode that the person chose, by the agent's name for it; `None` for the one that asks.
    pub mode: Option<String>,
    /// Instructions that precede everything else.
    pub system_prompt: String,
    /// The endpoint of the tools, for an agent that uses MCP.
    pub mcp: McpEndpoint,
    /// The same tools for an agent in this process, and the words for steps.
    pub tools: Arc<dyn Tools>,
    /// The environment in which its process is started.
    pub environment: AgentEnvironment,
    /// A private folder (0700) for files with content that must not be in argv. The adapter removes its files.
    pub run_files: PathBuf,
    /// Additional paths that it may access: the parts of a repository that its work tree needs.
    pub access: Access,
    /// Folders that file tools cannot access, besides those with credentials: gstack's own. `folder` remains accessible
    /// even inside one of them.
    pub off_limits: Vec<PathBuf>,
}

/// The daemon's MCP endpoint. The token gives access to this conversation's tabs only, and expires with the process.
#[derive(Clone)]
pub struct McpEndpoint {
    /// `http://127.0.0.1:PORT/mcp`
    pub url: String,
    /// The bearer token for the endpoint.
    pub token: String,
    /// The MCP names of the tools (`goto`, `click` …).
    pub tools: Vec<String>,
    /// Our own program, which serves the tools to an agent that only starts MCP servers itself. `None`: not to such ones.
    pub program: Option<PathBuf>,
}

impl McpEndpoint {
    /// Whether the agent gets tools: its own for files, and ours. Without ours, it is only to answer.
    pub fn offers_tools(&self) -> bool {
        !self.tools.is_empty()
    }

    /// Writes the file (0600) for `gstack mcp --agent-token-file`, and returns its path. Blocks briefly on disk I/O.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn write_for_stdio(&self, folder: &Path, conversation: &ConversationId) -> std::io::Result<PathBuf> {
        // A conversation's next agent may start before the file of the last one is removed.
        static WRITTEN: AtomicU64 = AtomicU64::new(0);
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let file = folder.join(format!("mcp-{}-{number}.json", conversation.as_str()));
        let content = AgentEndpoint { url: self.url.clone(), token: self.token.clone() };
        atomic::write(&file, &serde_json::to_vec(&content)?)?;
        Ok(file)
    }
}

/// One message to an agent.
#[derive(Clone, Debug, Default)]
pub struct Prompt {
    /// The message, for the agent.
    pub text: String,
    /// The page that the person is viewing.
    pub page: Option<PageContext>,
    /// The tab that the tools act on, if it is another one.
    pub working_tab: Option<(TabId, PageContext)>,
    /// The earlier conversation, or a part of it, for an agent that does not know it.
    pub earlier: Option<String>,
    /// The images sent with the message.
    pub images: Vec<Image>,
}

/// An image for or from an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// `image/png`
    pub mime: String,
    /// The file's content.
    pub bytes: Vec<u8>,
}

/// The browser's commands as tools, bound to the conversation's tabs and to the policy: `run` asks the person if
/// necessary, and returns a refusal as text.
pub trait Tools: Send + Sync {
    /// Runs a command in the conversation's tabs. Cancelling ends it early. Fails with a fault for the agent.
    fn run(&self, call: ToolCall, cancel: CancellationToken) -> BoxFuture<'_, Result<ToolResult, Fault>>;
    /// Describes a call for the step line. `arguments` are as the agent sent them.
    fn describe(&self, tool: &str, arguments: &serde_json::Value) -> StepWords;
}

/// A command of the registry with its arguments as on the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// The command's name in the registry.
    pub command: String,
    /// The words after its name.
    pub args: Vec<String>,
    /// The person's message is exactly this command, which is their approval.
    pub typed: bool,
    /// The tab; `None` is the conversation's.
    pub tab: Option<TabId>,
    /// The sites that it may act on. `None`: any.
    pub acts_on: Option<ActsOn>,
}

/// The result of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult {
    /// The text for the agent.
    pub text: String,
    /// The same as JSON, if the command has structured output.
    pub data: Option<serde_json::Value>,
    /// The pictures that the command took.
    pub images: Vec<Image>,
    /// The files that the command wrote (absolute paths), its images among them.
    pub files: Vec<String>,
}

/// A step in plain words, as the side panel shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepWords {
    /// What sort of action it is, for its icon.
    pub kind: StepKind,
    /// `Clicking`
    pub verb: String,
    /// `Submit`
    pub object: String,
    /// The same as a phrase that can be translated.
    pub phrase: Option<LocalizedPhrase>,
}

impl StepWords {
    /// Describes a step of an agent's own tool.
    pub fn of_own_tool(kind: StepKind, verb: &str, object: String) -> Self {
        let phrase = Some(LocalizedPhrase::of_own_tool(verb, &object));
        Self { kind, verb: verb.to_owned(), object, phrase }
    }

    /// Describes a step that cannot be translated, by a title from the agent.
    pub fn untranslated(kind: StepKind, verb: &str, object: String) -> Self {
        Self { kind, verb: verb.to_owned(), object, phrase: None }
    }
}

/// An event of any agent.
#[derive(Debug)]
pub enum AgentEvent {
    /// The agent's own id of the session, to resume it.
    SessionStarted {
        /// The id for [`Launch::resume`].
        resume: String,
        /// The model in use, if the agent reports it.
        model: Option<String>,
    },
    /// A new block of the answer starts; deltas follow.
    TextStarted,
    /// More text of the current block of the answer.
    TextDelta(String),
    /// A new block of reasoning starts; deltas follow.
    ThinkingStarted,
    /// More text of the current block of reasoning.
    ThinkingDelta(String),
    /// The agent begins to use a tool.
    StepStarted {
        /// Identifies the step in `StepDone`.
        step_id: StepId,
        /// The step in plain words.
        words: StepWords,
        /// The tool's own name.
        tool: String,
        /// The arguments as JSON text.
        arguments: String,
    },
    /// The tool has ended.
    StepDone {
        /// The step that ended.
        step_id: StepId,
        /// How it ended.
        outcome: StepOutcome,
        /// The tool's output as text.
        result: String,
        /// The pictures in the tool's output.
        images: Vec<Image>,
    },
    /// The agent asks to use one of its own tools (not one of [`Tools`]). Dropping `answer` denies.
    PermissionAsked(PermissionAsked),
    /// The agent asks a question. Dropping `answer` reports a missing answer to it.
    QuestionAsked(QuestionAsked),
    /// The agent withdrew an approval or a question: the card closes, and no answer is sent.
    Withdrawn {
        /// The agent's id of the request, as in `PermissionAsked` or `QuestionAsked`.
        request: String,
    },
    /// The session is in this mode now.
    ModeChanged(ModeInfo),
    /// The agent's complete plan, which replaces the previous one.
    Plan(Vec<PlanEntry>),
    /// The offers of the agent that are known so far.
    Offers(Offers),
    /// A retry or a rate limit: shown as a line while the turn continues.
    Notice(Sentence),
    /// The turn has ended. No further event belongs to it.
    TurnDone {
        /// How it ended.
        outcome: TurnOutcome,
        /// The model that answered, if the agent reports it.
        model: Option<String>,
        /// The cost of the turn in US dollars, if the agent reports it.
        cost_usd: Option<f64>,
        /// The tokens of the turn, if the agent reports them.
        usage: Option<Usage>,
        /// The reason of a failure.
        fault: Option<Fault>,
    },
    /// The process has ended. The last event.
    Exited {
        /// The problem, if it did not end because it was asked to.
        fault: Option<Fault>,
    },
}

/// A request of the agent to use one of its own tools.
#[derive(Debug)]
pub struct PermissionAsked {
    /// The agent's id of the request, for `Withdrawn`.
    pub request: String,
    /// The step that waits for the answer, if the agent names it.
    pub step: Option<String>,
    /// `Run a command`, `Write new.txt`
    pub ask: String,
    /// The subject of the question: the shell command, the path.
    pub does: String,
    /// The complete details: the input, the new content of files.
    pub content: String,
    /// The agent's reason, if it gives one.
    pub why: Option<String>,
    /// What sort of action it is, for its icon.
    pub kind: StepKind,
    /// True if the default policy allows it: reading files inside the folder.
    pub read_only: bool,
    /// Takes the answer.
    pub answer: oneshot::Sender<PermissionAnswer>,
}

/// The answer to a [`PermissionAsked`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PermissionAnswer {
    /// The agent may use the tool this once.
    Allow,
    /// With the text that the agent gets.
    Deny(String),
}

/// A question of the agent to the person.
#[derive(Debug)]
pub struct QuestionAsked {
    /// The agent's id of the request, for `Withdrawn`.
    pub request: String,
    /// The questions to answer together.
    pub parts: Vec<QuestionPart>,
    /// Takes the answer.
    pub answer: oneshot::Sender<QuestionAnswer>,
}

/// One list of answers per part: chosen labels, or a person's own text. Empty if the person declines to answer.
pub type QuestionAnswer = Vec<Vec<String>>;

/// The offers of a running agent. `None` if it did not report them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    /// The models that can be chosen.
    pub models: Option<Vec<ModelInfo>>,
    /// The modes that can be chosen, ours included.
    pub modes: Option<Vec<ModeInfo>>,
    /// Its slash commands.
    pub commands: Option<Vec<SlashCommand>>,
    /// The account that is signed in: an email address or a plan.
    pub account: Option<String>,
}
