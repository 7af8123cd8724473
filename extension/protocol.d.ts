/*
 * The wire between the extension and the daemon, as types. Generated from src/protocol: never edit it.
 * After a change there: GSTACK_BLESS=1 cargo test --lib protocol::typescript
 */

/** Sent in `hello`: this extension speaks 2, the daemon serves 1 to 2. */
export type Protocol = 2;

/** Any message in either direction. `method` with `id` is a request, `method` alone a notification, `id` alone a response. */
export interface Envelope {
  jsonrpc: "2.0";
  /** Which panel of the port is meant; absent: the background itself. */
  client?: PanelId;
  /** A number that the sender of requests counts up. */
  id?: number;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: Fault;
}

/** The names of what the extension asks or tells. */
export type Method = ToDaemon["method"];
/** The parameters of one method. */
export type Params<M extends Method> = Extract<ToDaemon, { method: M }>["params"];
/** The names of what the daemon tells. */
export type EventName = ToPanel["method"];
/** The parameters of one of the daemon's events. */
export type EventParams<E extends EventName> = Extract<ToPanel, { method: E }>["params"];

/** What answers each request. */
export interface Answers {
  "hello": Welcome;
  "panel.prove": PanelConfirmation;
  "ping": Pong;
  "hops": Hops;
  "chat.open": ConversationInfo;
  "chat.subscribe": Subscribed;
  "chat.unsubscribe": Empty;
  "chat.history": HistoryPage;
  "chat.send": Sent;
  "chat.unqueue": Empty;
  "chat.stop": Empty;
  "chat.stopAll": Stopped;
  "chat.continue": Empty;
  "chat.clear": ConversationInfo;
  "approval.answer": Empty;
  "question.answer": Empty;
  "conversations.list": Conversations;
  "conversations.rename": ConversationInfo;
  "conversations.delete": Empty;
  "conversations.restore": ConversationInfo;
  "conversations.export": Attachment;
  "conversations.attach": ConversationInfo;
  "conversations.folder": ConversationInfo;
  "conversations.tab": ConversationInfo;
  "inbox.leave": InboxLeft;
  "settings.get": Settings;
  "settings.set": Settings;
  "policy.list": Policy;
  "policy.add": Policy;
  "policy.remove": Policy;
  "activity.subscribe": ActivityPage;
  "activity.unsubscribe": Empty;
  "refs.list": Refs;
  "refs.show": Empty;
  "refs.highlight": Empty;
  "pick.start": Picked;
  "pick.stop": Empty;
  "agents.list": Agents;
  "agents.choose": ConversationInfo;
  "file.read": FilePart;
  "command.run": CommandResult;
}

/**
 * An action of an agent in a page, where it happens (to the background: it draws the cursor).
 */
export type Acting = { chromeTabId: ChromeTabId, 
/**
 * In CSS pixels of the page's viewport.
 */
x: number, y: number, 
/**
 * A button goes down there; otherwise the pointer only moves.
 */
pressed: boolean, };

/**
 * An element of a page.
 */
export type ActionElement = { 
/**
 * As the call names it: a ref or a selector; empty for what has the focus.
 */
target: string, role: string, name: string, 
/**
 * The document that it is in; a different one after each navigation.
 */
document: string, };

/**
 * The record of an action. Nothing in it is cut.
 */
export type ActionRecord = { 
/**
 * The call as it would run, with all its arguments.
 */
command: string, 
/**
 * The scopes that an answer which holds longer than once would allow: `act`, `submit`, `shell`.
 */
scope?: PolicyScope, 
/**
 * The element that it is done to, as the page has it now.
 */
element?: ActionElement, 
/**
 * The text that it would put into the page, where a person may write another one before they allow it
 * (`approval.answer` with `text`). Absent for passwords and for text with hidden characters.
 */
text?: string, 
/**
 * The destination that the markup names: a link's or a form's address, or the address that the tab goes to.
 */
destination?: string, 
/**
 * It sends a form, or says that it pays, orders, sends or deletes.
 */
submits: boolean, 
/**
 * The input of a tool of the agent's own: the new content of a file, all its arguments.
 */
content?: string, 
/**
 * The agent's reason, in its own words. It may be wrong.
 */
agentReason?: string, };

/**
 * One command, begun or ended. An entry that has ended replaces the one that began.
 */
export type ActivityEntry = { id: number, 
/**
 * When it began.
 */
at: number, source: ActivitySource, tabId?: TabId | null, command: string, 
/**
 * Redacted.
 */
args: Array<string>, outcome: ActivityOutcome, 
/**
 * Absent while it runs.
 */
durationMs?: number, 
/**
 * A line about the result: `Clicked @e3 → now at https://…`, or why it failed. Never page content.
 */
result?: string, };

export type ActivityOutcome = "running" | "ok" | "failed" | "unknown";

/**
 * The entries that are still kept, oldest first.
 */
export type ActivityPage = { entries: Array<ActivityEntry>, 
/**
 * Entries between the asked one and the first given are gone.
 */
gap: boolean, };

export type ActivitySource = "terminal" | "http" | "mcp" | "agent" | "panel";

/**
 * `activity.subscribe`: entries after this one, and from now on by `activity.entry`.
 */
export type ActivitySubscribe = { after: number, };

export type AgentInfo = { name: AgentName, 
/**
 * As people know it: `Claude Code`.
 */
label: string, status: AgentStatus, version?: string | null, 
/**
 * The path of its program.
 */
path?: string | null, 
/**
 * The problem and how to fix it, unless it is ready.
 */
fault?: Fault | null, 
/**
 * Taken when a conversation names no agent.
 */
default: boolean, 
/**
 * False for the built-in one, which follows plain commands only.
 */
hasModel: boolean, 
/**
 * The models that it offers, once it has said so; besides them `fast` and `deep` are always understood.
 */
models?: Array<ModelInfo>, 
/**
 * Its own slash commands, once it has said so.
 */
commands?: Array<SlashCommand>, 
/**
 * The account that is signed in, if it says so: an address or a plan.
 */
account?: string | null, 
/**
 * A warning for the person before they use it: an API key that is billed instead of their plan.
 */
warning?: string | null, 
/**
 * The warning as a code, if it has one.
 */
warningWords?: FaultWords | null, };

/**
 * The name of an agent: `claude`, `builtin`, or as the configuration calls it.
 */
export type AgentName = string;

export type AgentStatus = "ready" | "missing" | "signed-out" | "broken";

export type Agents = { agents: Array<AgentInfo>, 
/**
 * The sandbox that confines them, once it is known.
 */
sandbox?: SandboxInfo | null, };

export type AgentsChoose = { conversationId: ConversationId, 
/**
 * Absent: the default agent.
 */
agent: AgentName | null, 
/**
 * `fast`, `deep` or one of the agent's models. Absent: by what each message asks.
 */
model?: string | null, };

export type AgentsList = { 
/**
 * Look again instead of answering from what is known.
 */
refresh: boolean, };

/**
 * A tab that a conversation's agent may use.
 */
export type AllowedTab = { tabId: TabId, chromeTabId?: ChromeTabId | null, title: string, url: string, };

/**
 * The one who answered an approval.
 */
export type AnsweredBy = "panel" | "terminal" | "withdrawn" | "rule" | "timeout";

export type ApprovalAnswer = { conversationId: ConversationId, approvalId: ApprovalId, decision: Decision, 
/**
 * Another text than `action.text`, with `allow-once` only: what is typed is this.
 */
text?: string, };

/**
 * One request for a person's permission.
 */
export type ApprovalId = string;

/**
 * A file kept with the conversation and read by `file.read`.
 */
export type Attachment = { id: FileId, name: string, 
/**
 * The media type: `image/png`.
 */
mime: string, bytes: number, };

/**
 * One run of one browser that gstack started (`GSTACK_BROWSER` in its environment).
 */
export type BrowserRun = string;

export type ChatAck = { conversationId: ConversationId, seq: number, 
/**
 * UTF-16 units held of the event `seq`, when its text is still growing.
 */
offset: number, };

/**
 * An event. A reader ignores a `type` that it does not know.
 */
export type ChatBody = { "type": "message", clientId: ClientMessageId, text: string, page?: PageContext | null, attachments?: Array<Attachment>, 
/**
 * The place where it was typed.
 */
from: MessageSource, 
/**
 * The model that was asked for with it, for its turn alone: `fast`, `deep` or one of the agent's.
 */
model?: string | null, } | { "type": "message-removed", clientId: ClientMessageId, } | { "type": "turn-started", turnId: TurnId, clientId: ClientMessageId, agent: AgentName, 
/**
 * The agent's name as people know it: `Claude Code`, `Built-in`.
 */
agentLabel: string, model?: string | null, 
/**
 * The message was exactly one command and runs without a model.
 */
direct?: boolean, } | { "type": "text", turnId: TurnId, text: string, } | { "type": "thinking", turnId: TurnId, text: string, } | { "type": "step", turnId: TurnId, stepId: StepId, kind: StepKind, 
/**
 * The action in plain words, without its object: `Opening`, `Clicking`.
 */
verb: string, 
/**
 * The object of the action: `example.com`, `Submit`.
 */
object?: string, 
/**
 * The same for readers of other languages.
 */
phrase?: SaidPhrase, 
/**
 * The tool's own name, for the details.
 */
tool: string, 
/**
 * The arguments as JSON text, cut at 4 KiB. What a command types is only counted: it may be a password.
 */
arguments?: string, } | { "type": "step-updated", turnId: TurnId, stepId: StepId, 
/**
 * Takes the place of the step's own; empty: that one stands.
 */
object?: string, 
/**
 * The same for readers of other languages.
 */
phrase?: SaidPhrase, 
/**
 * The same of its arguments.
 */
arguments?: string, } | { "type": "step-done", turnId: TurnId, stepId: StepId, outcome: StepOutcome, durationMs: number, 
/**
 * The result's text, cut at 4 KiB.
 */
result?: string, images?: Array<Attachment>, } | { "type": "approval", turnId: TurnId, approvalId: ApprovalId, 
/**
 * The sentence that is asked: `Click “Revoke key”`.
 */
ask: string, 
/**
 * The same for readers of other languages.
 */
phrase?: SaidPhrase, 
/**
 * The host of the page it is about.
 */
site?: string | null, 
/**
 * The reason why gstack asks although a rule seems to cover it. The agent's own reason is `action.agentReason`.
 */
why?: string | null, 
/**
 * The same as a code.
 */
whyWords?: FaultWords | null, 
/**
 * The command as it would run, on one line: `click @e14`.
 */
does: string, 
/**
 * All that it would do. Absent in conversations of older versions.
 */
action: ActionRecord, kind: StepKind, 
/**
 * The answers that can be given.
 */
choices: Array<Decision>, } | { "type": "approval-done", turnId: TurnId, approvalId: ApprovalId, decision: Decision, by: AnsweredBy, } | { "type": "plan", turnId: TurnId, entries: Array<PlanEntry>, } | { "type": "question", turnId: TurnId, questionId: QuestionId, parts: Array<QuestionPart>, } | { "type": "question-done", turnId: TurnId, questionId: QuestionId, 
/**
 * One list of answers a part; none when it was withdrawn or not answered.
 */
answers?: Array<Array<string>>, by: AnsweredBy, } | { "type": "notice", turnId: TurnId, text: string, 
/**
 * The text as a code, if it has one.
 */
words?: FaultWords | null, } | { "type": "turn-done", turnId: TurnId, outcome: TurnOutcome, durationMs: number, model?: string | null, 
/**
 * The cost of this turn, in US dollars, if the agent reports it.
 */
costUsd?: number | null, 
/**
 * The tokens that the model read and wrote in this turn, if the agent reports them.
 */
usage?: Usage | null, 
/**
 * The reason of the failure.
 */
fault?: Fault | null, };

/**
 * `chat.delta`: text that grows the event `seq` at `offset`.
 * A receiver that already holds text at `offset` ignores that part.
 */
export type ChatDelta = { conversationId: ConversationId, seq: number, 
/**
 * In UTF-16 code units, as JavaScript counts.
 */
offset: number, text: string, };

/**
 * One event of a conversation.
 */
export type ChatEvent = { seq: number, at: number, } & ({ "type": "message", clientId: ClientMessageId, text: string, page?: PageContext | null, attachments?: Array<Attachment>, 
/**
 * The place where it was typed.
 */
from: MessageSource, 
/**
 * The model that was asked for with it, for its turn alone: `fast`, `deep` or one of the agent's.
 */
model?: string | null, } | { "type": "message-removed", clientId: ClientMessageId, } | { "type": "turn-started", turnId: TurnId, clientId: ClientMessageId, agent: AgentName, 
/**
 * The agent's name as people know it: `Claude Code`, `Built-in`.
 */
agentLabel: string, model?: string | null, 
/**
 * The message was exactly one command and runs without a model.
 */
direct?: boolean, } | { "type": "text", turnId: TurnId, text: string, } | { "type": "thinking", turnId: TurnId, text: string, } | { "type": "step", turnId: TurnId, stepId: StepId, kind: StepKind, 
/**
 * The action in plain words, without its object: `Opening`, `Clicking`.
 */
verb: string, 
/**
 * The object of the action: `example.com`, `Submit`.
 */
object?: string, 
/**
 * The same for readers of other languages.
 */
phrase?: SaidPhrase, 
/**
 * The tool's own name, for the details.
 */
tool: string, 
/**
 * The arguments as JSON text, cut at 4 KiB. What a command types is only counted: it may be a password.
 */
arguments?: string, } | { "type": "step-updated", turnId: TurnId, stepId: StepId, 
/**
 * Takes the place of the step's own; empty: that one stands.
 */
object?: string, 
/**
 * The same for readers of other languages.
 */
phrase?: SaidPhrase, 
/**
 * The same of its arguments.
 */
arguments?: string, } | { "type": "step-done", turnId: TurnId, stepId: StepId, outcome: StepOutcome, durationMs: number, 
/**
 * The result's text, cut at 4 KiB.
 */
result?: string, images?: Array<Attachment>, } | { "type": "approval", turnId: TurnId, approvalId: ApprovalId, 
/**
 * The sentence that is asked: `Click “Revoke key”`.
 */
ask: string, 
/**
 * The same for readers of other languages.
 */
phrase?: SaidPhrase, 
/**
 * The host of the page it is about.
 */
site?: string | null, 
/**
 * The reason why gstack asks although a rule seems to cover it. The agent's own reason is `action.agentReason`.
 */
why?: string | null, 
/**
 * The same as a code.
 */
whyWords?: FaultWords | null, 
/**
 * The command as it would run, on one line: `click @e14`.
 */
does: string, 
/**
 * All that it would do. Absent in conversations of older versions.
 */
action: ActionRecord, kind: StepKind, 
/**
 * The answers that can be given.
 */
choices: Array<Decision>, } | { "type": "approval-done", turnId: TurnId, approvalId: ApprovalId, decision: Decision, by: AnsweredBy, } | { "type": "plan", turnId: TurnId, entries: Array<PlanEntry>, } | { "type": "question", turnId: TurnId, questionId: QuestionId, parts: Array<QuestionPart>, } | { "type": "question-done", turnId: TurnId, questionId: QuestionId, 
/**
 * One list of answers a part; none when it was withdrawn or not answered.
 */
answers?: Array<Array<string>>, by: AnsweredBy, } | { "type": "notice", turnId: TurnId, text: string, 
/**
 * The text as a code, if it has one.
 */
words?: FaultWords | null, } | { "type": "turn-done", turnId: TurnId, outcome: TurnOutcome, durationMs: number, model?: string | null, 
/**
 * The cost of this turn, in US dollars, if the agent reports it.
 */
costUsd?: number | null, 
/**
 * The tokens that the model read and wrote in this turn, if the agent reports them.
 */
usage?: Usage | null, 
/**
 * The reason of the failure.
 */
fault?: Fault | null, });

/**
 * `chat.event`: one new event of a conversation.
 */
export type ChatEventPush = { conversationId: ConversationId, event: ChatEvent, };

/**
 * `chat.gap`: events were left out because the panel read too slowly; it reads again from `after`.
 */
export type ChatGap = { conversationId: ConversationId, head: number, };

export type ChatHistory = { conversationId: ConversationId, 
/**
 * Events older than this one.
 */
before: number, 
/**
 * At most this many; fewer where they would not fit into one frame.
 */
limit: number, };

export type ChatOpen = { chromeTabId: ChromeTabId, };

export type ChatRef = { conversationId: ConversationId, };

export type ChatSend = { conversationId: ConversationId, clientId: ClientMessageId, text: string, page?: PageContext | null, attachments?: Array<NewAttachment>, 
/**
 * The agent for this conversation from now on; absent: as it is.
 */
agent?: AgentName | null, 
/**
 * The model for this message alone: `fast`, `deep` or one of the agent's; absent: as the conversation says.
 */
model?: string | null, from: MessageSource, };

export type ChatSubscribe = { conversationId: ConversationId, 
/**
 * The newest event that the panel holds; 0 for none.
 */
after: number, };

export type ChatUnqueue = { conversationId: ConversationId, clientId: ClientMessageId, };

/**
 * One tab as Chrome's extension API sees it.
 */
export type ChromeTab = { chromeTabId: ChromeTabId, windowId: WindowId, url: string, title: string, favIconUrl?: string | null, 
/**
 * The tab in view of its window.
 */
active: boolean, incognito: boolean, discarded: boolean, 
/**
 * From `chrome.debugger.getTargets()`: joins Chrome's id to the DevTools target.
 */
targetId?: TargetId | null, 
/**
 * The tab from which it was opened, by a page or by a person.
 */
openerChromeTabId?: ChromeTabId | null, 
/**
 * Chrome has just brought a closed tab back as this one (`chrome.sessions`).
 */
restored?: boolean, };

/**
 * Chrome's own id of a tab (`chrome.tabs.Tab.id`). Unique within one browser run only.
 */
export type ChromeTabId = number;

/**
 * A message as the panel or the CLI named it before it was sent. Makes a resend harmless.
 */
export type ClientMessageId = string;

/**
 * The result of a command.
 */
export type CommandResult = { 
/**
 * The output for people and agents; untrusted page content is already in its envelope.
 */
output: string, 
/**
 * The same as data, where the command has any.
 */
data?: unknown, 
/**
 * Files that the command wrote (absolute paths).
 */
files?: Array<string>, 
/**
 * Its side effects: dialogs, downloads, tabs, another address, console errors. `output` says them too.
 */
effects?: Array<Effect>, 
/**
 * How many commands inside a `chain` or `tab-each` failed; the output says which.
 */
failedSteps?: number, };

export type CommandRun = { chromeTabId: ChromeTabId, command: string, args: Array<string>, 
/**
 * Without it: the client's current tab.
 */
tabId?: TabId | null, 
/**
 * The client's working directory; without it only the temp directory is open to paths.
 */
cwd?: string | null, 
/**
 * The part of the client's environment that a browser needs if it is started for this command.
 */
environment?: { [key in string]: string }, 
/**
 * Fail rather than start a browser.
 */
noAutostart?: boolean, 
/**
 * A model reads the output: page content comes in an envelope whose markers no page can foresee.
 */
forModel?: boolean, };

/**
 * `conversations.attach`: the conversation goes on in this tab. The tab's own goes into history, or is
 * forgotten where nothing was said in it.
 */
export type ConversationAttach = { conversationId: ConversationId, chromeTabId: ChromeTabId, };

/**
 * `conversations.export`: answered with a file that `file.read` gives in parts.
 */
export type ConversationExport = { conversationId: ConversationId, format: ExportFormat, };

/**
 * `conversations.folder`: where its agent works from the next message on.
 */
export type ConversationFolder = { conversationId: ConversationId, 
/**
 * An absolute path, or one that begins with `~/`.
 */
folder: string, };

/**
 * One conversation; also the name of its folder under `sessions/`.
 */
export type ConversationId = string;

/**
 * A conversation as lists and headers show it.
 */
export type ConversationInfo = { conversationId: ConversationId, 
/**
 * The first words of its first message, or as a person named it. Empty while it has none.
 */
title: string, 
/**
 * The tab it belongs to while that lives.
 */
tabId?: TabId | null, 
/**
 * The page it was last about.
 */
page?: PageContext | null, 
/**
 * The agent it talks to; absent: the default one.
 */
agent?: AgentName | null, 
/**
 * The model that was chosen: `fast`, `deep` or one of the agent's; absent: by what each message asks.
 */
model?: string | null, 
/**
 * The folder that the agent works in.
 */
folder: string, 
/**
 * The folder is in a git work tree of the conversation's own.
 */
worktree?: Worktree | null, 
/**
 * The number of its newest event; 0 while it has none.
 */
head: number, createdAt: number, updatedAt: number, state: ConversationState, queued: number, 
/**
 * The cost of all turns, in US dollars, if the agent reports it.
 */
costUsd?: number | null, 
/**
 * The tabs that the agent may use now, its own first.
 */
tabs?: Array<AllowedTab>, 
/**
 * While nothing was said here: an earlier conversation about the same page, to go on with.
 */
earlier?: EarlierConversation | null, };

/**
 * `conversations.rename`.
 */
export type ConversationRename = { conversationId: ConversationId, 
/**
 * Empty: the first words of its first message again.
 */
title: string, };

export type ConversationState = "idle" | "waiting-for-slot" | "running" | "waiting-for-approval" | "stopping";

/**
 * `conversations.tab`: adds a tab to those that the agent may use, or takes it out.
 */
export type ConversationTab = { conversationId: ConversationId, chromeTabId: ChromeTabId, allowed: boolean, };

export type Conversations = { 
/**
 * Newest first.
 */
conversations: Array<ConversationInfo>, 
/**
 * The words around the first find of a search, where it was found in a message.
 */
excerpts?: { [key in ConversationId]: string }, 
/**
 * More follow: ask again with the last one as `before`.
 */
older?: boolean, };

/**
 * `conversations.list`.
 */
export type ConversationsList = { 
/**
 * Only those whose title, page or messages hold this text.
 */
search?: string | null, 
/**
 * Only those that come behind this one in the list: the last one of the page before.
 */
before?: ListPlace | null, };

/**
 * A person's answer to an approval.
 */
export type Decision = "allow-once" | "allow-site" | "allow-conversation" | "allow-always" | "deny";

export type DialogAnswer = "accepted" | "dismissed" | "open";

/**
 * A file that a page made the browser save.
 */
export type Download = { 
/**
 * Names it among the downloads of its browser.
 */
id: string, 
/**
 * Never a path; cleaned of what a page could do with a name.
 */
name: string, url: string, state: DownloadState, 
/**
 * The path of the saved file, if the browser reports it.
 */
path?: string | null, 
/**
 * In bytes, so far.
 */
bytes: number, 
/**
 * In bytes, where the server says it.
 */
total?: number, 
/**
 * The reason of the failure.
 */
reason?: string | null, };

export type DownloadState = "in-progress" | "saved" | "failed";

export type EarlierConversation = { conversationId: ConversationId, title: string, updatedAt: number, };

/**
 * The content of an echo, so that each answer finds its request.
 */
export type Echo = { nonce: number, };

/**
 * One thing that a command caused.
 */
export type Effect = { "kind": "dialog", 
/**
 * `alert`, `confirm`, `prompt` or `beforeunload`.
 */
dialog: string, message: string, answer: DialogAnswer, 
/**
 * The text that was typed into a prompt.
 */
text?: string | null, } | { "kind": "download" } & Download | { "kind": "tab-opened", tabId: TabId, url: string, } | { "kind": "tab-closed", tabId: TabId, 
/**
 * The tab that commands without one work on now, where it was the current one that was closed.
 */
current?: TabId | null, } | { "kind": "navigation", from: string, to: string, } | { "kind": "console-error", text: string, };

/**
 * No parameters, or an answer that says no more than that it is done.
 */
export type Empty = Record<symbol, never>;

/**
 * One run of the daemon. A new epoch tells a panel that unacknowledged state may be gone.
 */
export type Epoch = string;

export type ExportFormat = "markdown" | "json";

/**
 * An error as it travels: `error` of a JSON-RPC response, and the body of an HTTP error.
 */
export type Fault = { code: FaultCode, 
/**
 * The problem in words.
 */
message: string, 
/**
 * The next step, in words.
 */
hint?: string | null, 
/**
 * A shell command that fixes it; the panel offers to copy it.
 */
command?: string | null, 
/**
 * The hop at which it broke, if that is known.
 */
hop?: Hop | null, 
/**
 * Message and hint as codes, if they have some: a panel that has words for a code says it in its own language.
 */
words?: FaultWords | null, };

/**
 * A stable code. Programs decide by it, never by the message.
 */
export type FaultCode = "bad-request" | "unknown" | "protocol-mismatch" | "forbidden" | "panel-unconfirmed" | "not-found" | "conflict" | "too-large" | "timeout" | "cancelled" | "denied" | "daemon-down" | "updating" | "browser-down" | "tab-gone" | "navigation" | "element" | "script" | "outcome-unknown" | "agent-missing" | "agent-signed-out" | "agent-crashed" | "agent-error" | "storage" | "path-refused" | "url-refused" | "internal";

/**
 * A fault's sentences as codes of `protocol::told`.
 */
export type FaultWords = { 
/**
 * What happened. Absent: only the message says it.
 */
message?: SaidPhrase | null, 
/**
 * What a program said about it, in its own words: they stand in brackets behind the message.
 */
said?: string | null, 
/**
 * The next step. Absent: only the hint says it.
 */
hint?: SaidPhrase | null, };

/**
 * A file that belongs to a conversation (`sessions/<id>/files/<file id>`).
 */
export type FileId = string;

export type FilePart = { 
/**
 * Base64 of the bytes from the asked offset on; empty at the end.
 */
data: string, total: number, mime: string, };

export type FileRead = { conversationId: ConversationId, id: FileId, offset: number, };

/**
 * A setting that is changed in the file alone. Its value is not told.
 */
export type FileSetting = { 
/**
 * As in the file: `agents.programs`.
 */
name: string, 
/**
 * One sentence: what it does.
 */
help: string, 
/**
 * The file has it.
 */
is_set: boolean, };

/**
 * `hello` from the extension, on each new port.
 */
export type Hello = { protocol: number, 
/**
 * The extension's release.
 */
version: string, instanceId: InstanceId, profileName?: string | null, 
/**
 * The browser's own name: `Chromium 156.0.8078.73`.
 */
browser?: string | null, 
/**
 * It knows the `relay.…` messages: commands reach the tabs of this browser through it.
 */
relay?: boolean, };

/**
 * The answer to `chat.history`.
 */
export type HistoryPage = { 
/**
 * Events before the asked number, oldest first.
 */
events: Array<ChatEvent>, 
/**
 * True when still older ones exist.
 */
older: boolean, };

/**
 * A hop of the way from the panel to the agent, so that trouble is named by its place.
 */
export type Hop = "panel" | "background" | "host" | "daemon" | "browser" | "agent";

/**
 * One hop, checked.
 */
export type HopState = { hop: Hop, ok: boolean, 
/**
 * In words: `Chromium 156, pid 4242, tabs: 3`.
 */
detail: string, 
/**
 * The detail as a code, if it has one.
 */
words?: FaultWords | null, 
/**
 * How long the check took, in milliseconds.
 */
millis?: number | null, fault?: Fault | null, };

export type Hops = { hops: Array<HopState>, };

/**
 * The first message of the native messaging host on `panel.sock`, before it pumps: what only it can know.
 */
export type HostPreamble = { 
/**
 * The extension that Chrome vouched for: `chrome-extension://ID/`.
 */
origin: string, pid: number, version: string, 
/**
 * Set when the browser was started by gstack.
 */
browserRun?: BrowserRun | null, };

/**
 * `inbox.leave`: a note for the workspace that the conversation works in.
 */
export type InboxLeave = { conversationId: ConversationId, text: string, };

/**
 * The path of the note.
 */
export type InboxLeft = { path: string, };

/**
 * One installation of the extension in one profile (random, kept in `chrome.storage.local`).
 */
export type InstanceId = string;

/**
 * A conversation's place in the list, which is ordered by these.
 */
export type ListPlace = { updatedAt: number, conversationId: ConversationId, };

/**
 * The place where a message was typed.
 */
export type MessageSource = "panel" | "terminal";

/**
 * A model that an agent offers.
 */
export type ModelInfo = { 
/**
 * As the agent names it; goes into `model`.
 */
id: string, label: string, description?: string, };

/**
 * A file that comes with a message.
 */
export type NewAttachment = { name: string, mime: string, 
/**
 * Base64. Empty where `path` names the file.
 */
data?: string, 
/**
 * A file that a command has just written into gstack's own temporary folder: a screenshot.
 */
path?: string, };

/**
 * Names the tab of `refs.list`, `pick.start` and `pick.stop`.
 */
export type OfTab = { chromeTabId: ChromeTabId, };

/**
 * The page that a person was looking at when they wrote.
 */
export type PageContext = { url: string, title: string, selection?: string | null, };

/**
 * The answer to `panel.prove`, and the push when it changes.
 */
export type PanelConfirmation = { confirmed: boolean, 
/**
 * While it is not confirmed: the person runs `gstack panels confirm CODE` with it.
 */
code?: string, };

/**
 * Whether the panel's page has the focus.
 */
export type PanelFocus = { focused: boolean, 
/**
 * The panel's own address, which no other panel has.
 */
address: string, };

/**
 * One panel behind a browser's port, or the background itself where absent.
 */
export type PanelId = string;

/**
 * Names of keys as in DOM's `KeyboardEvent.key`, in the order in which they were pressed.
 */
export type PanelKeys = { keys: Array<string>, 
/**
 * When each was pressed, in milliseconds since 1970: what was typed in the panel meanwhile stands before or behind it.
 */
at?: Array<number>, };

export type PanelOpened = { windowId: WindowId, };

/**
 * `panel.prove`: the extension has the private half of a key. Once a connection.
 */
export type PanelProve = { 
/**
 * Base64 of the key's point on P-256, uncompressed (65 bytes).
 */
publicKey: string, 
/**
 * Base64 of the ECDSA signature with SHA-256, as WebCrypto makes it (r and s, 64 bytes).
 */
signature: string, };

/**
 * The answer to `pick.start`, once the person has clicked an element.
 */
export type Picked = { 
/**
 * Usable in every command: `@e17`.
 */
ref: string, role: string, name: string, 
/**
 * As CSS names it: `button#save.primary`.
 */
selector: string, 
/**
 * The page or frame that it lies in.
 */
url: string, 
/**
 * x, y, width and height in CSS pixels of its frame's viewport.
 */
rect: [number, number, number, number], 
/**
 * Its opening tag and the beginning of its content, at most 500 characters.
 */
html: string, };

/**
 * One line of a plan.
 */
export type PlanEntry = { text: string, status: PlanStatus, };

export type PlanStatus = "pending" | "running" | "done";

/**
 * The answer to the `policy.…` requests: every rule in force.
 */
export type Policy = { 
/**
 * Newest first. A rule that denies wins over any that allows.
 */
rules: Array<PolicyRule>, };

/**
 * `policy.add`. The answer holds the rule with its id.
 */
export type PolicyAdd = { effect: PolicyEffect, scope: PolicyScope, site?: string | null, conversationId?: ConversationId | null, 
/**
 * Required for `everything` that is allowed: nobody is unattended for ever.
 */
until?: number, };

export type PolicyEffect = "allow" | "deny";

/**
 * `policy.remove`.
 */
export type PolicyRemove = { id: string, };

export type PolicyRule = { 
/**
 * Names the rule for `policy.remove`.
 */
id: string, effect: PolicyEffect, scope: PolicyScope, 
/**
 * Only on this host and no other.
 */
site?: string | null, 
/**
 * Only in this conversation.
 */
conversationId?: ConversationId | null, 
/**
 * Ends by the wall clock.
 */
until?: number, 
/**
 * When a person made it.
 */
madeAt: number, };

/**
 * The subject of a rule.
 */
export type PolicyScope = "act" | "submit" | "control" | "intercept" | "shell" | "write" | "download" | "upload" | "password" | "everything";

export type Pong = { epoch: Epoch, };

/**
 * The answers to a question, one list a part.
 */
export type QuestionAnswer = { conversationId: ConversationId, questionId: QuestionId, 
/**
 * The labels that were chosen, or the person's own words. Empty: the person does not want to answer.
 */
answers: Array<Array<string>>, };

/**
 * One question of an agent to the person.
 */
export type QuestionId = string;

export type QuestionOption = { label: string, description?: string, };

/**
 * One question with the answers that the agent proposes; a person may also write their own.
 */
export type QuestionPart = { text: string, 
/**
 * A word or two that name it.
 */
header?: string, options: Array<QuestionOption>, 
/**
 * More than one may be chosen.
 */
multiple?: boolean, };

/**
 * One ref of a tab's last snapshot.
 */
export type RefInfo = { 
/**
 * `@e3`
 */
ref: string, role: string, name: string, };

export type Refs = { 
/**
 * In the page's order; empty before the first snapshot.
 */
refs: Array<RefInfo>, };

/**
 * `refs.highlight`: marks one element in the page; without `ref` none.
 */
export type RefsHighlight = { chromeTabId: ChromeTabId, ref?: string | null, };

/**
 * `refs.show`: draws the refs of the last snapshot onto the page, or takes them away.
 */
export type RefsShow = { chromeTabId: ChromeTabId, show: boolean, };

/**
 * The reason why a tab of an everyday browser is not acted on.
 */
export type Refusal = "cancelled" | "own-page" | "occupied" | "incognito" | "closed" | "too-large" | "too-old" | "not-here" | "not-attached";

/**
 * `relay.answer`: the extension's notification with the result or the error of one question.
 */
export type RelayAnswer = { call: number, result?: unknown, error?: RelayError, };

/**
 * `relay.attach`: attaches to a tab. Answered by [`RelayAttached`].
 */
export type RelayAttach = { call: number, chromeTabId: ChromeTabId, };

/**
 * `relay.command`: one DevTools command to an attached tab. Answered by DevTools' own result or error.
 */
export type RelayCommand = { call: number, chromeTabId: ChromeTabId, 
/**
 * A frame in another process or a worker, as `Target.attachedToTarget` named it. Absent: the tab's page.
 */
sessionId?: string | null, method: string, 
/**
 * Absent: they have come before, by `relay.part`.
 */
params?: unknown, };

/**
 * `relay.detach`: lets go of a tab. Not answered.
 */
export type RelayDetach = { chromeTabId: ChromeTabId, };

/**
 * `relay.detached`: a tab is not attached any more, by somebody else's doing.
 */
export type RelayDetached = { chromeTabId: ChromeTabId, reason: Refusal, };

export type RelayError = { 
/**
 * DevTools' own code, where DevTools answered.
 */
code?: number, message: string, 
/**
 * The reason why it did not reach DevTools.
 */
refusal?: Refusal, };

/**
 * `relay.event`: a DevTools event of an attached tab.
 */
export type RelayEvent = { chromeTabId: ChromeTabId, sessionId?: string | null, method: string, params?: unknown, };

/**
 * `relay.part`: the next piece of the parameters of a command that would not fit into one message, as JSON text.
 */
export type RelayPart = { call: number, text: string, };

/**
 * `relay.tab`: something that Chrome does with a tab without DevTools. Answered by [`RelayTabDone`].
 */
export type RelayTab = { call: number, act: RelayTabAct, 
/**
 * Absent with `open` and `panel`.
 */
chromeTabId?: ChromeTabId | null, };

export type RelayTabAct = "open" | "close" | "show" | "leave" | "panel";

/**
 * The action as a stable code with its values: a panel that has words for the code shows them in its own language.
 */
export type SaidPhrase = { 
/**
 * `fill_sel`, `read_the_page`; `own_…` for what an agent's own tools do.
 */
code: string, values?: Array<string>, };

/**
 * Whether agents run in a sandbox.
 */
export type SandboxInfo = { inForce: boolean, 
/**
 * The mechanism, or what is missing.
 */
detail: string, 
/**
 * The same as codes, if it has some.
 */
words?: FaultWords, };

/**
 * The answer to `chat.send`: it is in the journal and on disk.
 */
export type Sent = { 
/**
 * The number of its `message` event.
 */
seq: number, 
/**
 * How many messages wait before it; 0 when its turn begins at once.
 */
position: number, };

/**
 * One setting, with all that is needed to show and change it.
 */
export type Setting = { 
/**
 * As in the file: `agents.at-once`.
 */
name: string, 
/**
 * A few words for people.
 */
label: string, 
/**
 * One sentence: what it does and what it costs.
 */
help: string, 
/**
 * Settings with the same heading stand together.
 */
group: string, value: SettingValue, default: SettingValue, 
/**
 * The values to choose from; empty where any of its kind will do.
 */
choices?: Array<SettingChoice>, 
/**
 * The unit of a number: `minutes`, `kB`.
 */
unit?: string | null, 
/**
 * The smallest and the largest number that is taken.
 */
range?: [number, number] | null, };

export type SettingChoice = { value: SettingValue, label: string, };

export type SettingValue = boolean | number | string;

/**
 * The answer to `settings.get` and `settings.set`.
 */
export type Settings = { settings: Array<Setting>, 
/**
 * Settings that only the file changes.
 */
in_file?: Array<FileSetting>, 
/**
 * The file that holds them.
 */
file: string, };

/**
 * `settings.set`: written to the file at once; the answer is the list as it is then.
 */
export type SettingsSet = { name: string, 
/**
 * Absent: the default again.
 */
value?: SettingValue | null, };

/**
 * A slash command of an agent.
 */
export type SlashCommand = { 
/**
 * Without the slash.
 */
name: string, description?: string, 
/**
 * The arguments that may follow it: `[file]`.
 */
hint?: string, };

/**
 * One action of an agent within a turn.
 */
export type StepId = string;

/**
 * The kind of a step, for its icon and its words.
 */
export type StepKind = "navigate" | "read" | "act" | "control" | "file" | "shell" | "other";

export type StepOutcome = "ok" | "failed" | "denied" | "unknown";

/**
 * How many were stopped.
 */
export type Stopped = { turns: number, };

/**
 * The answer to `chat.subscribe`: the newest part of the conversation; what comes later is pushed.
 */
export type Subscribed = { epoch: Epoch, info: ConversationInfo, 
/**
 * The number of the newest event. A panel that holds more cuts back to it.
 */
head: number, 
/**
 * Events after the asked number, oldest first.
 */
events: Array<ChatEvent>, 
/**
 * True when `events` does not reach back to the asked number: read the rest by `chat.history`.
 */
older: boolean, };

/**
 * A tab as people and commands name it: small, counted up by the daemon, never reused while it runs.
 */
export type TabId = number;

/**
 * A tab that has a conversation, for the panel's tab menu.
 */
export type TabWithConversation = { tabId: TabId, chromeTabId: ChromeTabId, windowId: WindowId, title: string, url: string, conversationId: ConversationId, 
/**
 * A turn is running there.
 */
running: boolean, };

/**
 * `tabs.changed`: what changed since the last report. With `full`, `tabs` is all there is.
 */
export type TabsChanged = { full: boolean, tabs: Array<ChromeTab>, removed: Array<ChromeTabId>, };

export type TabsConversations = { tabs: Array<TabWithConversation>, };

export type TabsWorking = { 
/**
 * All of them; an empty list when none.
 */
tabs: Array<WorkingTab>, };

/**
 * A DevTools target (`Target.TargetID`).
 */
export type TargetId = string;

/**
 * The messages of the extension to the daemon: `method` and `params` of a request or notification.
 */
export type ToDaemon = { "method": "hello", "params": Hello } | { "method": "panel.prove", "params": PanelProve } | { "method": "ping", "params": Empty } | { "method": "echoed", "params": Echo } | { "method": "hops", "params": Empty } | { "method": "tabs.changed", "params": TabsChanged } | { "method": "panel.opened", "params": PanelOpened } | { "method": "panel.closed", "params": Empty } | { "method": "panel.focus", "params": PanelFocus } | { "method": "chat.open", "params": ChatOpen } | { "method": "chat.subscribe", "params": ChatSubscribe } | { "method": "chat.unsubscribe", "params": ChatRef } | { "method": "chat.history", "params": ChatHistory } | { "method": "chat.ack", "params": ChatAck } | { "method": "chat.prepare", "params": ChatRef } | { "method": "chat.send", "params": ChatSend } | { "method": "chat.unqueue", "params": ChatUnqueue } | { "method": "chat.stop", "params": ChatRef } | { "method": "chat.stopAll", "params": Empty } | { "method": "chat.continue", "params": ChatRef } | { "method": "chat.clear", "params": ChatRef } | { "method": "approval.answer", "params": ApprovalAnswer } | { "method": "question.answer", "params": QuestionAnswer } | { "method": "conversations.list", "params": ConversationsList } | { "method": "conversations.rename", "params": ConversationRename } | { "method": "conversations.delete", "params": ChatRef } | { "method": "conversations.restore", "params": ChatRef } | { "method": "conversations.export", "params": ConversationExport } | { "method": "conversations.attach", "params": ConversationAttach } | { "method": "conversations.folder", "params": ConversationFolder } | { "method": "conversations.tab", "params": ConversationTab } | { "method": "inbox.leave", "params": InboxLeave } | { "method": "settings.get", "params": Empty } | { "method": "settings.set", "params": SettingsSet } | { "method": "policy.list", "params": Empty } | { "method": "policy.add", "params": PolicyAdd } | { "method": "policy.remove", "params": PolicyRemove } | { "method": "activity.subscribe", "params": ActivitySubscribe } | { "method": "activity.unsubscribe", "params": Empty } | { "method": "refs.list", "params": OfTab } | { "method": "refs.show", "params": RefsShow } | { "method": "refs.highlight", "params": RefsHighlight } | { "method": "pick.start", "params": OfTab } | { "method": "pick.stop", "params": OfTab } | { "method": "agents.list", "params": AgentsList } | { "method": "agents.choose", "params": AgentsChoose } | { "method": "file.read", "params": FileRead } | { "method": "command.run", "params": CommandRun } | { "method": "relay.answer", "params": RelayAnswer } | { "method": "relay.event", "params": RelayEvent } | { "method": "relay.detached", "params": RelayDetached };

/**
 * The messages of the daemon to the extension. Notifications only.
 */
export type ToPanel = { "method": "chat.event", "params": ChatEventPush } | { "method": "chat.delta", "params": ChatDelta } | { "method": "chat.gap", "params": ChatGap } | { "method": "chat.info", "params": ConversationInfo } | { "method": "tabs.conversations", "params": TabsConversations } | { "method": "agents.changed", "params": Agents } | { "method": "tabs.working", "params": TabsWorking } | { "method": "echo", "params": Echo } | { "method": "tabs.acting", "params": Acting } | { "method": "activity.entry", "params": ActivityEntry } | { "method": "relay.attach", "params": RelayAttach } | { "method": "relay.detach", "params": RelayDetach } | { "method": "relay.command", "params": RelayCommand } | { "method": "relay.part", "params": RelayPart } | { "method": "relay.tab", "params": RelayTab } | { "method": "panel.keys", "params": PanelKeys } | { "method": "panel.confirmation", "params": PanelConfirmation } | { "method": "fault", "params": Fault };

/**
 * One turn of an agent: from the message that began it to its end.
 */
export type TurnId = string;

export type TurnOutcome = "done" | "failed" | "stopped" | "interrupted";

/**
 * Tokens of one turn.
 */
export type Usage = { 
/**
 * Read again.
 */
inputTokens: number, outputTokens: number, 
/**
 * Read from the provider's cache.
 */
cachedTokens: number, 
/**
 * How much of the model's window the conversation fills now, and the window's size; 0 where not reported.
 */
contextTokens: number, contextWindow: number, };

/**
 * The daemon's answer to `hello`.
 */
export type Welcome = { protocol: number, 
/**
 * The daemon's release.
 */
version: string, epoch: Epoch, 
/**
 * The daemon's process id, for display.
 */
pid: number, 
/**
 * Commands reach this browser's tabs: gstack started it, or the extension relays them. False: chat only.
 */
driven: boolean, 
/**
 * What the extension signs in `panel.prove`: random, for this connection alone.
 */
challenge?: string | null, 
/**
 * Names the daemon's home; part of what is signed.
 */
homeId?: string | null, 
/**
 * The browser is confirmed by its start: its requests are served before the proof.
 */
confirmed?: boolean, 
/**
 * The address of the welcome page, when the daemon serves one.
 */
welcomeUrl?: string | null, 
/**
 * The release of the extension that lies on disk: a browser that runs an older one can reload it.
 */
extensionVersion?: string | null, };

/**
 * Chrome's id of a window (`chrome.windows.Window.id`).
 */
export type WindowId = number;

/**
 * One tab in which an agent works.
 */
export type WorkingTab = { tabId: TabId, chromeTabId: ChromeTabId, 
/**
 * The agent's name as people know it.
 */
agentLabel: string, 
/**
 * The current action in words: `Clicking Submit`.
 */
doing: string, 
/**
 * The same as a code, for panels of other languages.
 */
phrase?: SaidPhrase, 
/**
 * It waits for a person's answer.
 */
waiting: boolean, };

/**
 * The origin of a conversation's own git work tree.
 */
export type Worktree = { 
/**
 * The folder that it stands for: the conversation would work there without it.
 */
of: string, 
/**
 * The commit that was checked out, whole.
 */
commit: string, };
