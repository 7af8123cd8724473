/*
 * The wire between the extension and the daemon, as types. Generated from src/protocol: never edit it.
 * After a change there: GSTACK_BLESS=1 cargo test -p gstack-protocol typescript
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
  "chat.branch": Branched;
  "chat.unqueue": Empty;
  "chat.order": Empty;
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
  "drivers.release": Empty;
  "drivers.give": Empty;
  "drivers.handBack": Empty;
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
  "commands.list": Commands;
  "file.read": FilePart;
  "command.run": CommandResult;
}

/**
 * An agent's action in a page, with its position (sent to the background, which draws the cursor).
 */
export type Acting = { chromeTabId: ChromeTabId, 
/**
 * In CSS pixels of the page's viewport.
 */
x: number, y: number, 
/**
 * Whether a button is pressed there; otherwise the pointer only moves.
 */
pressed: boolean, };

/**
 * An element of a page.
 */
export type ActionElement = { 
/**
 * As named by the call: a ref or a selector; empty for the focused element.
 */
target: string, role: string, name: string, 
/**
 * The document that contains it; each navigation creates a new one.
 */
document: string, };

/**
 * The record of an action, never shortened.
 */
export type ActionRecord = { 
/**
 * The call as it would run, with all its arguments.
 */
command: string, 
/**
 * The scopes that a lasting approval would allow: `act`, `submit`, `shell`.
 */
scope?: PolicyScope, 
/**
 * The element it acts on, in the page's current state.
 */
element?: ActionElement, 
/**
 * The further elements it acts on, such as the drop target of a drag.
 */
otherElements?: Array<ActionElement>, 
/**
 * The document that it acts in, if it names no element; each navigation creates a new one.
 */
document?: string, 
/**
 * The text that it would type into the page, if a person may edit it before they allow the action
 * (`approval.answer` with `text`). Absent for passwords and for text with hidden characters.
 */
text?: string, 
/**
 * The destination in the markup: the address of a link or form, or the address that the tab goes to.
 */
destination?: string, 
/**
 * Whether it submits a form, or is labelled as paying, ordering, sending or deleting.
 */
submits: boolean, 
/**
 * The input of one of the agent's own tools: a file's new content, or all arguments. For a page's tool, what its page says
 * about it.
 */
content?: string, 
/**
 * The reason given by the agent. It may be wrong.
 */
agentReason?: string, };

/**
 * An element of an entry. Its role and name are page content: data, never markup.
 */
export type ActivityElement = { 
/**
 * `@e3`
 */
ref: string, role: string, name: string, };

/**
 * One command that started or ended. The entry for its end replaces the entry for its start.
 */
export type ActivityEntry = { id: number, 
/**
 * The start time.
 */
at: number, source: ActivitySource, 
/**
 * The driver's name, if a registered driver asked for it.
 */
driver?: string, 
/**
 * The turn, if a conversation's agent asked for it.
 */
turn?: TurnId, tabId?: TabId | null, command: string, 
/**
 * Redacted.
 */
args: Array<string>, 
/**
 * The elements that its refs name, in the order of its arguments, as the page named them. Redacted.
 */
elements?: Array<ActivityElement>, outcome: ActivityOutcome, 
/**
 * Absent while it runs.
 */
durationMs?: number, 
/**
 * One line about the result: `Clicked @e3 → now at https://…`, or the reason of a failure. Never page content.
 */
result?: string, };

export type ActivityOutcome = "running" | "ok" | "failed" | "unknown";

/**
 * The entries that are still stored, oldest first.
 */
export type ActivityPage = { entries: Array<ActivityEntry>, 
/**
 * Whether entries between the requested one and the first one returned are no longer stored.
 */
gap: boolean, };

export type ActivitySource = "terminal" | "http" | "mcp" | "agent" | "panel";

/**
 * `activity.subscribe`: returns the entries after this one; later ones are pushed by `activity.entry`.
 */
export type ActivitySubscribe = { after: number, };

/**
 * The sites that a command may act on: elsewhere it fails before it sends anything to a page. Each is an origin as HTML
 * serializes it: `https://shop.example`, or `null` for a document without one.
 */
export type ActsOn = { 
/**
 * The origins of the tab's page; it must have one of them.
 */
page: Array<string>, 
/**
 * The origin of the frame with the element. Absent: that of the page.
 */
frame?: string | null, };

/**
 * One agent, with what is known of it on this machine.
 */
export type AgentInfo = { 
/**
 * The name by which it is chosen.
 */
name: AgentName, 
/**
 * The display name: `Claude Code`.
 */
label: string, 
/**
 * Whether it can be used.
 */
status: AgentStatus, 
/**
 * Whether its program was only found, not started. It is examined when it answers or is shown.
 */
unexamined?: boolean, 
/**
 * Its program's version, if it reports one.
 */
version?: string | null, 
/**
 * The path of its program.
 */
path?: string | null, 
/**
 * The problem and its fix; absent if the agent is ready.
 */
fault?: Fault | null, 
/**
 * Whether it is used when a conversation names no agent.
 */
default: boolean, 
/**
 * False for the built-in agent, which only runs plain commands.
 */
hasModel: boolean, 
/**
 * The models that it offers, once reported. `fast` and `deep` are always accepted as well.
 */
models?: Array<ModelInfo>, 
/**
 * Its modes, once reported. They say whether it asks before it writes a file or runs a command.
 */
modes?: Array<ModeInfo>, 
/**
 * Its own slash commands, once reported.
 */
commands?: Array<SlashCommand>, 
/**
 * The signed-in account, if reported: an address or a plan.
 */
account?: string | null, 
/**
 * A warning for the person before they use the agent, such as an API key that is billed instead of their plan.
 */
warning?: string | null, 
/**
 * The warning as a code, if it has one.
 */
warningWords?: FaultWords | null, };

/**
 * An agent's name: `claude`, `builtin`, or a name from the configuration.
 */
export type AgentName = string;

/**
 * Whether an agent can be used, as its last check found.
 */
export type AgentStatus = "ready" | "missing" | "signed-out" | "broken";

/**
 * A tab that an agent of the panel, or one of its pages, has opened. It is the agent's until the conversation is deleted, the
 * person takes it out of the conversation's tabs, or the daemon ends.
 */
export type AgentTab = { 
/**
 * Chrome's id of the tab.
 */
chromeTabId: ChromeTabId, 
/**
 * The conversation in which the agent works.
 */
conversationId: ConversationId, 
/**
 * What the agent is called.
 */
agent: string, };

/**
 * The agents of this machine.
 */
export type Agents = { 
/**
 * All agents that gstack knows, usable or not.
 */
agents: Array<AgentInfo>, 
/**
 * The sandbox of their processes, once it is known.
 */
sandbox?: SandboxInfo | null, };

/**
 * `agents.choose`: sets a conversation's agent, model and mode.
 */
export type AgentsChoose = { 
/**
 * The conversation to change.
 */
conversationId: ConversationId, 
/**
 * Absent for the default agent.
 */
agent: AgentName | null, 
/**
 * `fast`, `deep` or one of the agent's models. If absent, each message chooses.
 */
model?: string | null, 
/**
 * One of the agent's modes. If absent, the one in which it asks.
 */
mode?: string | null, };

/**
 * `agents.list`: asks for the agents.
 */
export type AgentsList = { 
/**
 * Whether to detect agents again instead of returning the known ones.
 */
refresh: boolean, 
/**
 * Whether to examine those that were only found, because a person looks at the list.
 */
examine?: boolean, };

/**
 * A tab that a conversation's agent may use.
 */
export type AllowedTab = { tabId: TabId, chromeTabId?: ChromeTabId | null, title: string, url: string, };

/**
 * Who or what answered an approval.
 */
export type AnsweredBy = "panel" | "terminal" | "link" | "withdrawn" | "rule" | "timeout";

export type ApprovalAnswer = { conversationId: ConversationId, approvalId: ApprovalId, decision: Decision, 
/**
 * Replaces `action.text` as the text to type. Only with `allow-once`.
 */
text?: string, };

/**
 * One approval request.
 */
export type ApprovalId = string;

/**
 * One approval or question that waits.
 */
export type ApprovalNotice = { 
/**
 * The approval's or the question's id. Never used twice.
 */
id: string, 
/**
 * Which of the two it is.
 */
kind: NoticeKind, 
/**
 * The agent's label or the client's name. Visible characters only, and short.
 */
from: string, 
/**
 * Whether a client asks. If no panel is open beside its tab, every panel shows it.
 */
ofClient?: boolean, 
/**
 * The request in plain words: `Click “Order now”`. Visible characters only, and short.
 */
ask: string, 
/**
 * The same text as a code, for translation.
 */
phrase?: LocalizedPhrase, 
/**
 * The host of the page that it concerns.
 */
site?: string, 
/**
 * The tab that it concerns, if this browser has it.
 */
tab?: NoticeTab, };

/**
 * `approvals.waiting`: everything that waits for the person in this browser.
 */
export type ApprovalsWaiting = { 
/**
 * Empty if nothing waits.
 */
waiting: Array<ApprovalNotice>, };

/**
 * A file stored with the conversation. `file.read` returns its content.
 */
export type Attachment = { 
/**
 * Identifies it in `file.read`.
 */
id: FileId, 
/**
 * The file's name, without a path.
 */
name: string, 
/**
 * The media type: `image/png`.
 */
mime: string, 
/**
 * Its size, in bytes.
 */
bytes: number, };

/**
 * The conversation that a branch was started from. It may have been deleted or renamed since.
 */
export type BranchOrigin = { conversationId: ConversationId, 
/**
 * Its title when the branch was started.
 */
title: string, };

export type Branched = { 
/**
 * The branch, which now has the tab of the conversation that it was started from.
 */
info: ConversationInfo, 
/**
 * The edited message in the branch's journal.
 */
sent: Sent, };

/**
 * One run of one browser that gstack started (`GSTACK_BROWSER` in its environment).
 */
export type BrowserRun = string;

export type ChatAck = { conversationId: ConversationId, seq: number, 
/**
 * The UTF-16 length of the panel's copy of event `seq`, if its text is still growing.
 */
offset: number, };

/**
 * The content of an event. A reader ignores an unknown `type`.
 */
export type ChatBody = { "type": "message", 
/**
 * The id that its sender gave it, by which a repeated send is recognised.
 */
clientId: ClientMessageId, 
/**
 * What the person wrote.
 */
text: string, 
/**
 * The page that the person was viewing; absent if none was sent along.
 */
page?: PageContext | null, 
/**
 * The files sent with it.
 */
attachments?: Array<Attachment>, 
/**
 * Where it was typed.
 */
from: MessageSource, 
/**
 * The model requested for this message's turn only: `fast`, `deep` or one of the agent's models.
 */
model?: string | null, } | { "type": "message-removed", 
/**
 * The message's id.
 */
clientId: ClientMessageId, } | { "type": "queue-ordered", 
/**
 * All queued messages, the next one first.
 */
clientIds: Array<ClientMessageId>, } | { "type": "turn-started", 
/**
 * Identifies the turn in all its events.
 */
turnId: TurnId, 
/**
 * The message that the turn answers.
 */
clientId: ClientMessageId, 
/**
 * The agent that runs the turn.
 */
agent: AgentName, 
/**
 * The agent's display name: `Claude Code`, `Built-in`.
 */
agentLabel: string, 
/**
 * The model that was chosen for the turn; absent if the agent uses its default.
 */
model?: string | null, 
/**
 * Whether the message was a command of the person's own, which runs without a model.
 */
direct?: boolean, } | { "type": "text", 
/**
 * The turn that it belongs to.
 */
turnId: TurnId, 
/**
 * The block's Markdown, as far as it is known.
 */
text: string, } | { "type": "thinking", 
/**
 * The turn that it belongs to.
 */
turnId: TurnId, 
/**
 * The block's Markdown, as far as it is known.
 */
text: string, } | { "type": "step", 
/**
 * The turn that it belongs to.
 */
turnId: TurnId, 
/**
 * Identifies the step in its later events.
 */
stepId: StepId, 
/**
 * What sort of action it is, for its icon.
 */
kind: StepKind, 
/**
 * The action in plain words, without its object: `Opening`, `Clicking`.
 */
verb: string, 
/**
 * The object of the action: `example.com`, `Submit`.
 */
object?: string, 
/**
 * The same text as a code, for translation.
 */
phrase?: LocalizedPhrase, 
/**
 * The tool's own name, for the details view.
 */
tool: string, 
/**
 * The arguments as JSON text, cut at 4 KiB. Typed text is only counted, as it may be a password.
 */
arguments?: string, } | { "type": "step-updated", 
/**
 * The turn that it belongs to.
 */
turnId: TurnId, 
/**
 * The step to change.
 */
stepId: StepId, 
/**
 * Replaces the step's object; empty to keep it.
 */
object?: string, 
/**
 * The same text as a code, for translation.
 */
phrase?: LocalizedPhrase, 
/**
 * Replaces the step's arguments; empty to keep them.
 */
arguments?: string, } | { "type": "step-done", 
/**
 * The turn that it belongs to.
 */
turnId: TurnId, 
/**
 * The step that ended.
 */
stepId: StepId, 
/**
 * How it ended.
 */
outcome: StepOutcome, 
/**
 * The time since its `step` event, in milliseconds.
 */
durationMs: number, 
/**
 * The result's text, cut at 4 KiB.
 */
result?: string, 
/**
 * The images that it returned, such as a screenshot.
 */
images?: Array<Attachment>, } | { "type": "approval", 
/**
 * The turn that waits.
 */
turnId: TurnId, 
/**
 * Identifies the request in its answer.
 */
approvalId: ApprovalId, 
/**
 * The request: `Click “Revoke key”`.
 */
ask: string, 
/**
 * The same text as a code, for translation.
 */
phrase?: LocalizedPhrase, 
/**
 * The host of the page that it concerns.
 */
site?: string | null, 
/**
 * Why gstack asks although a rule seems to allow it. The agent's own reason is in `action.agentReason`.
 */
why?: string | null, 
/**
 * The reason as a code.
 */
whyWords?: FaultWords | null, 
/**
 * The command as it would run, on one line: `click @e14`.
 */
does: string, 
/**
 * Everything that it would do. Absent in conversations from older versions.
 */
action: ActionRecord, 
/**
 * What sort of action it is, for its icon.
 */
kind: StepKind, 
/**
 * The possible answers.
 */
choices: Array<Decision>, } | { "type": "approval-done", 
/**
 * The turn that waited.
 */
turnId: TurnId, 
/**
 * The approval that is closed.
 */
approvalId: ApprovalId, 
/**
 * The answer; `deny` unless somebody or a rule allowed it.
 */
decision: Decision, 
/**
 * Where the answer came from.
 */
by: AnsweredBy, } | { "type": "plan", 
/**
 * The turn that it belongs to.
 */
turnId: TurnId, 
/**
 * All lines of the plan, in order.
 */
entries: Array<PlanEntry>, } | { "type": "question", 
/**
 * The turn that waits.
 */
turnId: TurnId, 
/**
 * Identifies the question in its answer.
 */
questionId: QuestionId, 
/**
 * The questions to answer together.
 */
parts: Array<QuestionPart>, } | { "type": "question-done", 
/**
 * The turn that waited.
 */
turnId: TurnId, 
/**
 * The question that is closed.
 */
questionId: QuestionId, 
/**
 * One list of answers for each part; empty if the question was withdrawn or not answered.
 */
answers?: Array<Array<string>>, 
/**
 * Where the answer came from.
 */
by: AnsweredBy, } | { "type": "notice", 
/**
 * The turn that it belongs to.
 */
turnId: TurnId, 
/**
 * The notice in English.
 */
text: string, 
/**
 * The text as a code, if it has one.
 */
words?: FaultWords | null, } | { "type": "turn-done", 
/**
 * The turn that ended.
 */
turnId: TurnId, 
/**
 * How it ended.
 */
outcome: TurnOutcome, 
/**
 * The time since its `turn-started`, in milliseconds.
 */
durationMs: number, 
/**
 * The model that answered, as the agent reports it; absent if it does not.
 */
model?: string | null, 
/**
 * The cost of this turn, in US dollars, if the agent reports it.
 */
costUsd?: number | null, 
/**
 * The model's input and output tokens in this turn, if the agent reports them.
 */
usage?: Usage | null, 
/**
 * The reason of a failure.
 */
fault?: Fault | null, };

/**
 * Starts a branch: a new conversation with everything before one message, which an edited message continues.
 */
export type ChatBranch = { 
/**
 * The conversation with the earlier message. It is left unchanged, without its tab.
 */
conversationId: ConversationId, 
/**
 * The earlier message. Its turn must have begun.
 */
clientId: ClientMessageId, 
/**
 * The edited message. Its `conversationId` is the branch's: a new UUID that the client chooses, so that a repeated
 * request finds the branch that the first one made.
 */
send: ChatSend, };

/**
 * `chat.delta`: text added to the event `seq` at `offset`. A receiver that already has text at `offset` ignores that
 * part.
 */
export type ChatDelta = { conversationId: ConversationId, seq: number, 
/**
 * In UTF-16 code units, as JavaScript counts.
 */
offset: number, text: string, };

/**
 * One event of a conversation.
 */
export type ChatEvent = { 
/**
 * Its number within the conversation.
 */
seq: number, 
/**
 * When it was written to the journal.
 */
at: number, } & ChatBody;

/**
 * `chat.event`: one new event of a conversation.
 */
export type ChatEventPush = { conversationId: ConversationId, event: ChatEvent, };

/**
 * `chat.gap`: events were dropped because the panel read too slowly; it reads again from `after`.
 */
export type ChatGap = { conversationId: ConversationId, head: number, };

export type ChatHistory = { conversationId: ConversationId, 
/**
 * Returns events older than this one.
 */
before: number, 
/**
 * The maximum number of events; fewer if they would not fit into one frame.
 */
limit: number, };

export type ChatOpen = { chromeTabId: ChromeTabId, };

/**
 * A new order of the queued messages.
 */
export type ChatOrder = { conversationId: ConversationId, 
/**
 * All queued messages, the next one first.
 */
clientIds: Array<ClientMessageId>, 
/**
 * Stops the running turn, and runs the first message as soon as that turn has ended.
 */
now: boolean, };

export type ChatRef = { conversationId: ConversationId, };

export type ChatSend = { conversationId: ConversationId, clientId: ClientMessageId, text: string, page?: PageContext | null, attachments?: Array<NewAttachment>, 
/**
 * The agent for this conversation from now on; absent to keep it.
 */
agent?: AgentName | null, 
/**
 * The model for this message only: `fast`, `deep` or one of the agent's models. Absent for the conversation's
 * model.
 */
model?: string | null, from: MessageSource, };

export type ChatSubscribe = { conversationId: ConversationId, 
/**
 * The newest event that the panel has; 0 for none.
 */
after: number, };

export type ChatUnqueue = { conversationId: ConversationId, clientId: ClientMessageId, };

/**
 * One tab as Chrome's extension API sees it.
 */
export type ChromeTab = { 
/**
 * Chrome's id of the tab.
 */
chromeTabId: ChromeTabId, 
/**
 * The window that it is in.
 */
windowId: WindowId, 
/**
 * The address that it shows; empty if Chrome does not tell it.
 */
url: string, 
/**
 * The title that it shows; empty if Chrome does not tell it.
 */
title: string, 
/**
 * The address of its icon, if it has one.
 */
favIconUrl?: string | null, 
/**
 * Whether it is the active tab of its window.
 */
active: boolean, 
/**
 * Whether it is in a private window. gstack never acts there.
 */
incognito: boolean, 
/**
 * Whether Chrome has unloaded its page to save memory.
 */
discarded: boolean, 
/**
 * From `chrome.debugger.getTargets()`: maps Chrome's id to the DevTools target.
 */
targetId?: TargetId | null, 
/**
 * The tab that it was opened from, by a page or by a person.
 */
openerChromeTabId?: ChromeTabId | null, 
/**
 * Whether Chrome has just restored a closed tab as this one (`chrome.sessions`).
 */
restored?: boolean, 
/**
 * The id that Chrome had given this tab before: it changes if Chrome discards a page to save memory.
 */
replaces?: ChromeTabId | null, };

/**
 * Chrome's own id of a tab (`chrome.tabs.Tab.id`). Unique within one browser run only.
 */
export type ChromeTabId = number;

/**
 * The id that the panel or the CLI gives a message before sending it. Makes a resend harmless.
 */
export type ClientMessageId = string;

/**
 * The result of a command.
 */
export type CommandResult = { 
/**
 * The output for people and agents. Untrusted page content is already in its envelope.
 */
output: string, 
/**
 * The output as data, if the command provides it.
 */
data?: unknown, 
/**
 * The files that the command wrote (absolute paths).
 */
files?: Array<string>, 
/**
 * Its side effects: dialogs, downloads, tabs, navigations, file choosers, console errors. `output` mentions them as well.
 */
effects?: Array<Effect>, 
/**
 * The number of failed commands inside a `chain` or `tab-each`; the output names them.
 */
failedSteps?: number, 
/**
 * The command opened a browser first, because none was open. That browser has no window.
 */
openedBrowser?: boolean, };

export type CommandRun = { chromeTabId: ChromeTabId, command: string, args: Array<string>, 
/**
 * Absent for the client's current tab.
 */
tabId?: TabId | null, 
/**
 * The name of the browser to use. Absent for that of the tab, or the main one.
 */
browser?: string | null, 
/**
 * The client's working directory. If absent, paths are restricted to the temp directory.
 */
cwd?: string | null, 
/**
 * The client's environment variables that a browser needs if this command starts one.
 */
environment?: { [key in string]: string }, 
/**
 * The profile of a browser that this command starts. Absent for the configured one, or the instance's own.
 */
profile?: string | null, 
/**
 * Fails instead of starting a browser.
 */
noAutostart?: boolean, 
/**
 * Whether a model reads the output: page content then comes in an envelope whose markers a page cannot predict.
 */
forModel?: boolean, 
/**
 * The bytes of a result that reach the model; the rest is kept for `cursor`. Absent for all of it.
 */
keeps?: number | null, 
/**
 * Reads on where a result of this command was cut, instead of running it.
 */
cursor?: string | null, 
/**
 * The registration that the caller acts under. The daemon goes by the calling process: this only makes sure that a
 * driver whose registration has ended is refused, and does not act as the person.
 */
driverId?: DriverId | null, 
/**
 * The name of the shell or script that runs the command. It then works in tabs of its own. On `http.sock` only.
 */
driverName?: string | null, 
/**
 * The sites that the command may act on. Absent: any.
 */
actsOn?: ActsOn | null, };

/**
 * The commands that a message of a conversation can begin with, whichever agent it has.
 */
export type Commands = { 
/**
 * In the order in which they are offered.
 */
commands: Array<SlashCommand>, };

/**
 * A driver that is connected, to which the person may give a tab of this browser.
 */
export type ConnectedDriver = { 
/**
 * Its id in `drivers.give`.
 */
driverId: DriverId, 
/**
 * What it is called.
 */
driver: DriverName, };

/**
 * `conversations.attach`: opens the conversation in this tab. The tab's previous conversation goes into the history,
 * or is deleted if it is empty.
 */
export type ConversationAttach = { conversationId: ConversationId, chromeTabId: ChromeTabId, };

/**
 * `conversations.export`: answered with a file for `file.read`.
 */
export type ConversationExport = { conversationId: ConversationId, format: ExportFormat, };

/**
 * `conversations.folder`: sets the agent's working directory from the next message on.
 */
export type ConversationFolder = { conversationId: ConversationId, 
/**
 * An absolute path, or one that starts with `~/`.
 */
folder: string, };

/**
 * One conversation; also the name of its folder under `sessions/`.
 */
export type ConversationId = string;

/**
 * A conversation as shown in lists and headers.
 */
export type ConversationInfo = { conversationId: ConversationId, 
/**
 * The title given by a person, or the first words of the first message. Empty before that.
 */
title: string, 
/**
 * The tab that it belongs to, while that is open.
 */
tabId?: TabId | null, 
/**
 * The page that it was last about.
 */
page?: PageContext | null, 
/**
 * The agent; absent for the default one.
 */
agent?: AgentName | null, 
/**
 * The chosen model: `fast`, `deep` or one of the agent's models. If absent, each message chooses.
 */
model?: string | null, 
/**
 * The agent's mode that the person chose. If absent, the one in which it asks.
 */
mode?: string | null, 
/**
 * The mode that the running agent is in, as it reported last.
 */
currentMode?: ModeInfo | null, 
/**
 * The agent's working directory.
 */
folder: string, 
/**
 * Set if the folder is in the conversation's own git work tree.
 */
worktree?: Worktree | null, 
/**
 * The number of its newest event; 0 if there is none.
 */
head: number, createdAt: number, updatedAt: number, state: ConversationState, queued: number, 
/**
 * The cost of all turns, in US dollars, if the agent reports it.
 */
costUsd?: number | null, 
/**
 * The tabs that the agent may use now, starting with the conversation's own tab.
 */
tabs?: Array<AllowedTab>, 
/**
 * While this conversation is empty: an earlier one about the same page, to continue.
 */
earlier?: EarlierConversation | null, 
/**
 * Set if it was started from an earlier message of another conversation.
 */
branchOf?: BranchOrigin | null, };

/**
 * `conversations.rename`.
 */
export type ConversationRename = { conversationId: ConversationId, 
/**
 * If empty, resets the title to the first words of the first message.
 */
title: string, };

export type ConversationState = "idle" | "waiting-for-slot" | "running" | "waiting-for-approval" | "stopping";

/**
 * `conversations.tab`: adds a tab to the conversation's tab set, or removes it.
 */
export type ConversationTab = { conversationId: ConversationId, chromeTabId: ChromeTabId, allowed: boolean, };

export type Conversations = { 
/**
 * Newest first.
 */
conversations: Array<ConversationInfo>, 
/**
 * The words around the first match of a search, for matches in messages.
 */
excerpts?: { [key in ConversationId]: string }, 
/**
 * Whether there are more; the last one is then the next request's `before`.
 */
older?: boolean, };

/**
 * `conversations.list`.
 */
export type ConversationsList = { 
/**
 * Returns only conversations whose title, page or messages contain this text.
 */
search?: string | null, 
/**
 * Returns only conversations after this one: the last one of the previous page.
 */
before?: ListPlace | null, };

/**
 * A person's answer to an approval.
 */
export type Decision = "allow-once" | "allow-site" | "allow-conversation" | "allow-always" | "deny";

/**
 * What became of a dialog.
 */
export type DialogAnswer = "accepted" | "dismissed" | "open";

/**
 * A file that a page made the browser save.
 */
export type Download = { 
/**
 * Identifies it among the browser's downloads.
 */
id: string, 
/**
 * A sanitized name chosen by the page; never a path.
 */
name: string, 
/**
 * The address that it is downloaded from.
 */
url: string, 
/**
 * How far the download is.
 */
state: DownloadState, 
/**
 * The path of the saved file, if the browser reports it.
 */
path?: string | null, 
/**
 * The bytes received so far.
 */
bytes: number, 
/**
 * The total in bytes, if the server reports it.
 */
total?: number, 
/**
 * The reason of a failure.
 */
reason?: string | null, };

/**
 * How far a download is.
 */
export type DownloadState = "in-progress" | "saved" | "failed";

/**
 * `drivers.answered`: an approval of an MCP client was answered, or is no longer needed.
 */
export type DriverAnswered = { 
/**
 * The approval that is closed.
 */
approvalId: ApprovalId, 
/**
 * The answer; `deny` unless somebody allowed it.
 */
decision: Decision, 
/**
 * Where the answer came from.
 */
by: AnsweredBy, };

/**
 * A pending approval of an MCP client, answered by `approval.answer`.
 */
export type DriverApproval = { 
/**
 * The approval.
 */
approval: WaitingApproval, 
/**
 * Who asks.
 */
from: DriverName, 
/**
 * The tab that it concerns, if this browser has it.
 */
tab?: DriverTab, 
/**
 * Whether a panel is open beside that tab. If not, every panel shows the approval.
 */
inView: boolean, };

/**
 * A registered driver: an MCP client, for as long as it is connected.
 */
export type DriverId = string;

/**
 * What a driver is called. All names are visible characters only, and short.
 */
export type DriverName = { 
/**
 * The program's name and the person's name for it: `cursor (work)`.
 */
name: string, 
/**
 * What the program calls itself. Nothing proves it.
 */
client: string, 
/**
 * The person's name for it (`--name`).
 */
label?: string, };

/**
 * The tab that an approval concerns, for the link to it.
 */
export type DriverTab = { 
/**
 * Chrome's id of the tab.
 */
chromeTabId: ChromeTabId, 
/**
 * The window that it is in.
 */
windowId: WindowId, 
/**
 * The page's title.
 */
title: string, };

/**
 * `drivers.give`: gives a tab to a driver.
 */
export type DriversGive = { 
/**
 * Chrome's id of the tab.
 */
chromeTabId: ChromeTabId, 
/**
 * The driver that gets it.
 */
driverId: DriverId, };

/**
 * `drivers.handBack`: hands a tab back to the paused agent or client.
 */
export type DriversHandBack = { 
/**
 * Chrome's id of the tab.
 */
chromeTabId: ChromeTabId, 
/**
 * The person's message to it.
 */
note?: string, };

/**
 * `drivers.release`: takes a tab back from the driver that leases it.
 */
export type DriversRelease = { 
/**
 * Chrome's id of the tab.
 */
chromeTabId: ChromeTabId, };

/**
 * `drivers.changed`: which tabs drivers lease or agents opened, and the approvals that drivers wait for.
 */
export type DriversShown = { 
/**
 * The leased tabs of this browser.
 */
leases: Array<LeasedTab>, 
/**
 * Oldest first.
 */
approvals: Array<DriverApproval>, 
/**
 * The tabs of this browser that the person took over.
 */
paused?: Array<PausedTab>, 
/**
 * The drivers to which a tab of this browser can be given.
 */
connected?: Array<ConnectedDriver>, 
/**
 * The tabs of this browser that agents of the panel, or their pages, have opened.
 */
agentTabs?: Array<AgentTab>, };

export type EarlierConversation = { conversationId: ConversationId, title: string, updatedAt: number, };

/**
 * The content of an echo, which matches an answer to its request.
 */
export type Echo = { nonce: number, };

/**
 * One side effect of a command.
 */
export type Effect = { "kind": "dialog", 
/**
 * `alert`, `confirm`, `prompt` or `beforeunload`.
 */
dialog: string, 
/**
 * The dialog's text, as the page wrote it.
 */
message: string, 
/**
 * What became of it.
 */
answer: DialogAnswer, 
/**
 * The text entered into a prompt.
 */
text?: string | null, } | { "kind": "download" } & Download | { "kind": "tab-opened", 
/**
 * The daemon's id of the new tab.
 */
tabId: TabId, 
/**
 * The address that it was opened with.
 */
url: string, } | { "kind": "tab-closed", 
/**
 * The daemon's id of the closed tab.
 */
tabId: TabId, 
/**
 * The new current tab, if the closed one was current. Commands without a tab work on it.
 */
current?: TabId | null, } | { "kind": "navigation", 
/**
 * The address before.
 */
from: string, 
/**
 * The address now.
 */
to: string, } | { "kind": "file-chooser", 
/**
 * It takes several files.
 */
takesMany: boolean, 
/**
 * It is a picker of the File System Access API, to which `upload` cannot give files.
 */
isPicker?: boolean, } | { "kind": "program-asked", 
/**
 * The address's scheme, as `mailto`.
 */
scheme: string, } | { "kind": "console-error", 
/**
 * The error's text.
 */
text: string, };

/**
 * No parameters, or an answer without data.
 */
export type Empty = Record<symbol, never>;

/**
 * One run of the daemon. A new epoch tells a panel that unacknowledged state may be lost.
 */
export type Epoch = string;

export type ExportFormat = "markdown" | "json";

/**
 * An error as sent: the `error` of a JSON-RPC response, and the body of an HTTP error.
 */
export type Fault = { 
/**
 * What went wrong, for programs.
 */
code: FaultCode, 
/**
 * The problem, for people.
 */
message: string, 
/**
 * The next step, for people.
 */
hint?: string | null, 
/**
 * A shell command that fixes it; the panel offers to copy it.
 */
command?: string | null, 
/**
 * The hop that failed, if known.
 */
hop?: Hop | null, 
/**
 * Message and hint as codes, if they have any, for panels that can translate them.
 */
words?: FaultWords | null, };

/**
 * A stable code. Programs rely on it, never on the message.
 */
export type FaultCode = "bad-request" | "unknown" | "protocol-mismatch" | "forbidden" | "panel-unconfirmed" | "not-found" | "conflict" | "leased" | "too-large" | "timeout" | "cancelled" | "denied" | "daemon-down" | "updating" | "browser-down" | "tab-gone" | "navigation" | "element" | "script" | "outcome-unknown" | "agent-missing" | "agent-signed-out" | "agent-crashed" | "agent-error" | "storage" | "path-refused" | "url-refused" | "internal";

/**
 * A fault's sentences as codes of `protocol::catalogue`.
 */
export type FaultWords = { 
/**
 * What happened. If absent, only `message` says it.
 */
message?: LocalizedPhrase | null, 
/**
 * The output of a program about it, appended to the message in parentheses.
 */
said?: string | null, 
/**
 * The next step. If absent, only `hint` says it.
 */
hint?: LocalizedPhrase | null, };

/**
 * A file that belongs to a conversation (`sessions/<id>/files/<file id>`).
 */
export type FileId = string;

export type FilePart = { 
/**
 * The bytes from the requested offset, as Base64; empty at the end.
 */
data: string, total: number, mime: string, };

export type FileRead = { conversationId: ConversationId, id: FileId, offset: number, };

/**
 * A setting that can only be changed in the file. Its value is not shown.
 */
export type FileSetting = { 
/**
 * As in the file: `agents.programs`.
 */
name: string, 
/**
 * One sentence about its effect.
 */
help: string, 
/**
 * Whether the file sets it.
 */
is_set: boolean, };

/**
 * `hello` from the extension, on each new port.
 */
export type Hello = { protocol: number, 
/**
 * The extension's version.
 */
version: string, instanceId: InstanceId, profileName?: string | null, 
/**
 * The browser's name and version: `Chromium 156.0.8078.73`.
 */
browser?: string | null, 
/**
 * Whether it supports the `relay.…` messages, through which commands reach this browser's tabs.
 */
relay?: boolean, };

/**
 * The answer to `chat.history`.
 */
export type HistoryPage = { 
/**
 * The events before the requested number, oldest first.
 */
events: Array<ChatEvent>, 
/**
 * Whether there are older events.
 */
older: boolean, };

/**
 * A hop between the panel and the agent, used to locate a problem.
 */
export type Hop = "panel" | "background" | "host" | "daemon" | "browser" | "agent";

/**
 * The result of checking one hop.
 */
export type HopState = { hop: Hop, ok: boolean, 
/**
 * For people: `Chromium 156, pid 4242, tabs: 3`.
 */
detail: string, 
/**
 * The detail as a code, if it has one.
 */
words?: FaultWords | null, 
/**
 * The duration of the check, in milliseconds.
 */
millis?: number | null, fault?: Fault | null, };

export type Hops = { hops: Array<HopState>, };

/**
 * The native messaging host's first message on `panel.sock`, before it forwards any: data known only to the host.
 */
export type HostPreamble = { 
/**
 * The extension's origin as reported by Chrome: `chrome-extension://ID/`.
 */
origin: string, pid: number, version: string, 
/**
 * Set if gstack started the browser.
 */
browserRun?: BrowserRun | null, };

/**
 * `inbox.leave`: leaves a note in the workspace of the conversation.
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
 * A tab that a driver leases.
 */
export type LeasedTab = { 
/**
 * The daemon's id of the tab.
 */
tabId: TabId, 
/**
 * Chrome's id of the tab.
 */
chromeTabId: ChromeTabId, 
/**
 * Who leases it.
 */
driver: DriverName, };

/**
 * A conversation's position in the list, which is sorted by these fields.
 */
export type ListPlace = { updatedAt: number, conversationId: ConversationId, };

/**
 * A phrase as a stable code with its values. A panel that has a message for the code shows it in its own language.
 */
export type LocalizedPhrase = { 
/**
 * `fill_sel`, `read_the_page`; `own_…` for actions of an agent's own tools.
 */
code: string, values?: Array<string>, };

/**
 * Where a message was typed.
 */
export type MessageSource = "panel" | "terminal";

/**
 * A mode of an agent, or one that gstack adds: `gstack:read-only`, in which the sandbox keeps the agent from writing in
 * its folder, and `gstack:writes` of an agent without modes.
 */
export type ModeInfo = { 
/**
 * The agent's own id of it, as used in `mode`.
 */
id: string, 
/**
 * The mode's name, for people.
 */
label: string, 
/**
 * What the agent does in it; empty if the agent gives no description.
 */
description?: string, 
/**
 * Whether nothing is written and no command runs unasked, as far as is known of the agent.
 */
asks: boolean, };

/**
 * A model that an agent offers.
 */
export type ModelInfo = { 
/**
 * The agent's own name for it, as used in `model`.
 */
id: string, 
/**
 * The model's name, for people.
 */
label: string, 
/**
 * What the model is good for; empty if the agent gives no description.
 */
description?: string, };

/**
 * A file sent with a message.
 */
export type NewAttachment = { name: string, mime: string, 
/**
 * Base64. Empty if `path` names the file.
 */
data?: string, 
/**
 * A file that a command just wrote to gstack's temporary folder, such as a screenshot.
 */
path?: string, };

/**
 * What waits.
 */
export type NoticeKind = "approval" | "question";

/**
 * A tab, for the click that leads to it.
 */
export type NoticeTab = { 
/**
 * Chrome's id of the tab.
 */
chromeTabId: ChromeTabId, 
/**
 * The window that it is in.
 */
windowId: WindowId, };

/**
 * The tab for `refs.list`, `pick.start` and `pick.stop`.
 */
export type OfTab = { chromeTabId: ChromeTabId, };

/**
 * The page that a person was viewing when they wrote.
 */
export type PageContext = { 
/**
 * The page's address.
 */
url: string, 
/**
 * The page's title.
 */
title: string, 
/**
 * The text that was selected in the page, if any.
 */
selection?: string | null, };

/**
 * The answer to `panel.prove`, and the notification when it changes.
 */
export type PanelConfirmation = { confirmed: boolean, 
/**
 * The code for `gstack panels confirm CODE`, while the browser is not confirmed.
 */
code?: string, };

/**
 * Whether the panel's page has the focus.
 */
export type PanelFocus = { focused: boolean, 
/**
 * The panel's own unique address.
 */
address: string, };

/**
 * One panel behind a browser's port; absent for the background itself.
 */
export type PanelId = string;

/**
 * Key names as in the DOM's `KeyboardEvent.key`, in the order they were pressed.
 */
export type PanelKeys = { keys: Array<string>, 
/**
 * The time of each key press, in milliseconds since 1970, to merge the keys with those typed in the panel.
 */
at?: Array<number>, };

export type PanelOpened = { windowId: WindowId, };

/**
 * `panel.prove`: proves that the extension has the private key. Once for each connection.
 */
export type PanelProve = { 
/**
 * Base64 of the public key's point on P-256, uncompressed (65 bytes).
 */
publicKey: string, 
/**
 * Base64 of the ECDSA signature with SHA-256, as created by WebCrypto (r and s, 64 bytes).
 */
signature: string, };

/**
 * A tab that the person took over from an agent or MCP client.
 */
export type PausedTab = { 
/**
 * The daemon's id of the tab.
 */
tabId: TabId, 
/**
 * Chrome's id of the tab.
 */
chromeTabId: ChromeTabId, 
/**
 * The paused agent or client.
 */
worker: string, };

/**
 * The answer to `pick.start`, once the person has clicked an element.
 */
export type Picked = { 
/**
 * A ref that every command accepts: `@e17`.
 */
ref: string, role: string, name: string, 
/**
 * A CSS selector: `button#save.primary`.
 */
selector: string, 
/**
 * The URL of the page or frame that contains it.
 */
url: string, 
/**
 * x, y, width and height, in CSS pixels of its frame's viewport.
 */
rect: [number, number, number, number], 
/**
 * Its opening tag and the beginning of its content, at most 500 characters.
 */
html: string, };

/**
 * One line of a plan.
 */
export type PlanEntry = { 
/**
 * The line in the agent's words.
 */
text: string, 
/**
 * How far the agent is with it.
 */
status: PlanStatus, };

/**
 * How far an agent is with a line of its plan.
 */
export type PlanStatus = "pending" | "running" | "done";

/**
 * The answer to the `policy.…` requests: every rule in force.
 */
export type Policy = { 
/**
 * Newest first. A rule that denies takes precedence over all that allow.
 */
rules: Array<PolicyRule>, };

/**
 * `policy.add`. The answer contains the rule with its id.
 */
export type PolicyAdd = { effect: PolicyEffect, scope: PolicyScope, site?: string | null, conversationId?: ConversationId | null, 
/**
 * `None`: for a rule that denies every browser, otherwise the kind of the conversation's browser or the one in use.
 */
browser?: PolicyBrowser, 
/**
 * Required to allow `everything`: unattended work must end at some time.
 */
until?: number, };

/**
 * The kind of a browser: they differ in whose logins they hold.
 */
export type PolicyBrowser = "own" | "everyday" | "attached" | "remote";

export type PolicyEffect = "allow" | "deny";

/**
 * `policy.remove`.
 */
export type PolicyRemove = { id: string, };

export type PolicyRule = { 
/**
 * Identifies the rule for `policy.remove`.
 */
id: string, effect: PolicyEffect, scope: PolicyScope, 
/**
 * Limits the rule to this exact host.
 */
site?: string | null, 
/**
 * Limits the rule to this tool of the site's pages, as they described it when it was allowed, or to this saved
 * sign-in.
 */
tool?: PolicyTool, 
/**
 * Limits the rule to browsers of this kind. Without one, a rule that denies applies in every browser, and one that
 * allows applies only to what happens outside of browsers.
 */
browser?: PolicyBrowser, 
/**
 * Limits the rule to this conversation.
 */
conversationId?: ConversationId | null, 
/**
 * The expiry time, by the wall clock.
 */
until?: number, 
/**
 * When a person created it.
 */
madeAt: number, };

/**
 * The subject of a rule.
 */
export type PolicyScope = "act" | "submit" | "control" | "intercept" | "shell" | "write" | "download" | "upload" | "password" | "page-tool" | "sign-in" | "everything";

/**
 * A tool that pages offer to agents (WebMCP), or a saved sign-in.
 */
export type PolicyTool = { name: string, 
/**
 * The SHA-256, in hexadecimal, of everything that the page says about it: another description is another tool. Of a
 * sign-in, that of its origin and user.
 */
fingerprint: string, };

export type Pong = { epoch: Epoch, };

/**
 * The answers to a question, one list for each part.
 */
export type QuestionAnswer = { conversationId: ConversationId, questionId: QuestionId, 
/**
 * The chosen labels, or the person's own words. Empty if the person declines to answer.
 */
answers: Array<Array<string>>, };

/**
 * One question of an agent to the person.
 */
export type QuestionId = string;

/**
 * A suggested answer.
 */
export type QuestionOption = { 
/**
 * The text to choose, which is also the answer.
 */
label: string, 
/**
 * What choosing it means; empty if the agent gives no explanation.
 */
description?: string, 
/**
 * The label, if it is gstack's own. The answer stays the label.
 */
words?: LocalizedPhrase | null, 
/**
 * The description, if it is gstack's own.
 */
descriptionWords?: LocalizedPhrase | null, };

/**
 * One question with suggested answers; unless it is closed, a person may also write their own.
 */
export type QuestionPart = { 
/**
 * The question in the agent's words.
 */
text: string, 
/**
 * A title of one or two words.
 */
header?: string, 
/**
 * The suggested answers, in the agent's order.
 */
options: Array<QuestionOption>, 
/**
 * Whether several answers may be chosen.
 */
multiple?: boolean, 
/**
 * Whether only the options are answers.
 */
closed?: boolean, 
/**
 * The question, if it is gstack's own, for a panel in another language.
 */
words?: LocalizedPhrase | null, };

/**
 * A ref of a tab's last snapshot.
 */
export type RefInfo = { 
/**
 * `@e3`
 */
ref: string, role: string, name: string, };

export type Refs = { 
/**
 * In document order; empty before the first snapshot.
 */
refs: Array<RefInfo>, };

/**
 * `refs.highlight`: highlights one element of the page, or none if `ref` is absent.
 */
export type RefsHighlight = { chromeTabId: ChromeTabId, ref?: string | null, };

/**
 * `refs.show`: draws the refs of the last snapshot over the page, or removes them.
 */
export type RefsShow = { chromeTabId: ChromeTabId, show: boolean, };

/**
 * Why a tab of an everyday browser cannot be used.
 */
export type Refusal = "cancelled" | "own-page" | "other-frame" | "occupied" | "incognito" | "closed" | "too-large" | "too-old" | "not-here" | "not-attached";

/**
 * `relay.answer`: the extension's notification with the result or error of one call.
 */
export type RelayAnswer = { call: number, result?: unknown, error?: RelayError, };

/**
 * `relay.attach`: attaches to a tab. Answered by [`RelayAttached`].
 */
export type RelayAttach = { call: number, chromeTabId: ChromeTabId, 
/**
 * The person lets gstack take frames of other extensions out of the page while it is attached.
 */
setAside?: boolean, };

/**
 * `relay.command`: one DevTools command for an attached tab. Answered with the DevTools result or error.
 */
export type RelayCommand = { call: number, chromeTabId: ChromeTabId, 
/**
 * The session of a worker or a frame in another process, from `Target.attachedToTarget`. Absent for the tab's
 * page.
 */
sessionId?: string | null, method: string, 
/**
 * Absent if they were sent before, by `relay.part`.
 */
params?: unknown, };

/**
 * `relay.detach`: detaches from a tab. Not answered.
 */
export type RelayDetach = { chromeTabId: ChromeTabId, };

/**
 * `relay.detached`: a tab was detached, but not by the daemon.
 */
export type RelayDetached = { chromeTabId: ChromeTabId, reason: Refusal, };

export type RelayError = { 
/**
 * The DevTools error code, if DevTools answered.
 */
code?: number, message: string, 
/**
 * Why the call did not reach DevTools.
 */
refusal?: Refusal, };

/**
 * `relay.event`: a DevTools event of an attached tab.
 */
export type RelayEvent = { chromeTabId: ChromeTabId, sessionId?: string | null, method: string, params?: unknown, };

/**
 * `relay.part`: the next part, as JSON text, of parameters that do not fit into one message.
 */
export type RelayPart = { call: number, text: string, };

/**
 * `relay.tab`: a tab operation that does not use DevTools. Answered by [`RelayTabDone`].
 */
export type RelayTab = { call: number, act: RelayTabAct, 
/**
 * Absent with `open` and `panel`.
 */
chromeTabId?: ChromeTabId | null, };

export type RelayTabAct = "open" | "close" | "show" | "leave" | "panel" | "read";

/**
 * Whether agents run in a sandbox.
 */
export type SandboxInfo = { 
/**
 * Whether agents run in a sandbox.
 */
inForce: boolean, 
/**
 * The mechanism, or what is missing.
 */
detail: string, 
/**
 * The detail as codes, if it has any.
 */
words?: FaultWords, };

/**
 * The answer to `chat.send`: the message is in the journal, on disk.
 */
export type Sent = { 
/**
 * The sequence number of its `message` event.
 */
seq: number, 
/**
 * The number of messages queued before it; 0 if its turn starts immediately.
 */
position: number, };

/**
 * One setting, with everything needed to show and change it.
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
 * One sentence about its effect and cost.
 */
help: string, 
/**
 * The heading under which settings are grouped.
 */
group: string, value: SettingValue, default: SettingValue, 
/**
 * The possible values; empty if any value of its type is accepted.
 */
choices?: Array<SettingChoice>, 
/**
 * The unit of a number: `minutes`, `kB`.
 */
unit?: string | null, 
/**
 * The smallest and largest accepted number.
 */
range?: [number, number] | null, };

export type SettingChoice = { value: SettingValue, label: string, };

export type SettingValue = boolean | number | string;

/**
 * The answer to `settings.get` and `settings.set`.
 */
export type Settings = { settings: Array<Setting>, 
/**
 * Settings that can only be changed in the file.
 */
in_file?: Array<FileSetting>, 
/**
 * The file that holds them.
 */
file: string, };

/**
 * `settings.set`: writes to the file immediately; the answer is the updated list.
 */
export type SettingsSet = { name: string, 
/**
 * Absent to reset to the default.
 */
value?: SettingValue | null, };

/**
 * A slash command of an agent, or of gstack's own.
 */
export type SlashCommand = { 
/**
 * The name without the slash.
 */
name: string, 
/**
 * What the command does; empty if the agent gives no description.
 */
description?: string, 
/**
 * The arguments that it accepts: `[file]`.
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

/**
 * How a step ended.
 */
export type StepOutcome = "ok" | "failed" | "denied" | "not-sent" | "unknown";

/**
 * The number of turns stopped.
 */
export type Stopped = { turns: number, };

/**
 * The answer to `chat.subscribe`: the newest part of the conversation. Later events are pushed.
 */
export type Subscribed = { epoch: Epoch, info: ConversationInfo, 
/**
 * The number of the newest event. A panel that has later ones discards them.
 */
head: number, 
/**
 * The events after the requested number, oldest first.
 */
events: Array<ChatEvent>, 
/**
 * Whether `events` starts later than the requested number; `chat.history` returns the rest.
 */
older: boolean, };

/**
 * A tab's id for people and commands: a small number counted up by the daemon, never reused while it runs.
 */
export type TabId = number;

/**
 * A tab that has a conversation, for the panel's tab menu.
 */
export type TabWithConversation = { 
/**
 * The daemon's id of the tab.
 */
tabId: TabId, 
/**
 * Chrome's id of the tab.
 */
chromeTabId: ChromeTabId, 
/**
 * The window that it is in.
 */
windowId: WindowId, 
/**
 * The page's title.
 */
title: string, 
/**
 * The page's address.
 */
url: string, 
/**
 * The tab's conversation.
 */
conversationId: ConversationId, 
/**
 * Whether a turn is running there.
 */
running: boolean, };

/**
 * `tabs.changed`: the changes since the last report. With `full`, `tabs` is the complete list.
 */
export type TabsChanged = { 
/**
 * Whether `tabs` has every tab; the daemon forgets those that are not in it.
 */
full: boolean, 
/**
 * The tabs that are new or have changed.
 */
tabs: Array<ChromeTab>, 
/**
 * The tabs that were closed; empty with `full`.
 */
removed: Array<ChromeTabId>, };

/**
 * All tabs that have a conversation.
 */
export type TabsConversations = { 
/**
 * One entry for each such tab; empty if there are none.
 */
tabs: Array<TabWithConversation>, };

/**
 * `tabs.working`: the tabs in which agents work now.
 */
export type TabsWorking = { 
/**
 * All such tabs; empty if there are none.
 */
tabs: Array<WorkingTab>, };

/**
 * A DevTools target (`Target.TargetID`).
 */
export type TargetId = string;

/**
 * The messages of the extension to the daemon: `method` and `params` of a request or notification.
 */
export type ToDaemon = { "method": "hello", "params": Hello } | { "method": "panel.prove", "params": PanelProve } | { "method": "ping", "params": Empty } | { "method": "echoed", "params": Echo } | { "method": "hops", "params": Empty } | { "method": "tabs.changed", "params": TabsChanged } | { "method": "panel.opened", "params": PanelOpened } | { "method": "panel.closed", "params": Empty } | { "method": "panel.focus", "params": PanelFocus } | { "method": "chat.open", "params": ChatOpen } | { "method": "chat.subscribe", "params": ChatSubscribe } | { "method": "chat.unsubscribe", "params": ChatRef } | { "method": "chat.history", "params": ChatHistory } | { "method": "chat.ack", "params": ChatAck } | { "method": "chat.prepare", "params": ChatRef } | { "method": "chat.send", "params": ChatSend } | { "method": "chat.branch", "params": ChatBranch } | { "method": "chat.unqueue", "params": ChatUnqueue } | { "method": "chat.order", "params": ChatOrder } | { "method": "chat.stop", "params": ChatRef } | { "method": "chat.stopAll", "params": Empty } | { "method": "chat.continue", "params": ChatRef } | { "method": "chat.clear", "params": ChatRef } | { "method": "approval.answer", "params": ApprovalAnswer } | { "method": "question.answer", "params": QuestionAnswer } | { "method": "conversations.list", "params": ConversationsList } | { "method": "conversations.rename", "params": ConversationRename } | { "method": "conversations.delete", "params": ChatRef } | { "method": "conversations.restore", "params": ChatRef } | { "method": "conversations.export", "params": ConversationExport } | { "method": "conversations.attach", "params": ConversationAttach } | { "method": "conversations.folder", "params": ConversationFolder } | { "method": "conversations.tab", "params": ConversationTab } | { "method": "drivers.release", "params": DriversRelease } | { "method": "drivers.give", "params": DriversGive } | { "method": "drivers.handBack", "params": DriversHandBack } | { "method": "inbox.leave", "params": InboxLeave } | { "method": "settings.get", "params": Empty } | { "method": "settings.set", "params": SettingsSet } | { "method": "policy.list", "params": Empty } | { "method": "policy.add", "params": PolicyAdd } | { "method": "policy.remove", "params": PolicyRemove } | { "method": "activity.subscribe", "params": ActivitySubscribe } | { "method": "activity.unsubscribe", "params": Empty } | { "method": "refs.list", "params": OfTab } | { "method": "refs.show", "params": RefsShow } | { "method": "refs.highlight", "params": RefsHighlight } | { "method": "pick.start", "params": OfTab } | { "method": "pick.stop", "params": OfTab } | { "method": "agents.list", "params": AgentsList } | { "method": "agents.choose", "params": AgentsChoose } | { "method": "commands.list", "params": ChatRef } | { "method": "file.read", "params": FileRead } | { "method": "command.run", "params": CommandRun } | { "method": "relay.answer", "params": RelayAnswer } | { "method": "relay.event", "params": RelayEvent } | { "method": "relay.detached", "params": RelayDetached };

/**
 * The messages of the daemon to the extension. Notifications only.
 */
export type ToPanel = { "method": "chat.event", "params": ChatEventPush } | { "method": "chat.delta", "params": ChatDelta } | { "method": "chat.gap", "params": ChatGap } | { "method": "chat.info", "params": ConversationInfo } | { "method": "tabs.conversations", "params": TabsConversations } | { "method": "agents.changed", "params": Agents } | { "method": "tabs.working", "params": TabsWorking } | { "method": "drivers.changed", "params": DriversShown } | { "method": "approvals.waiting", "params": ApprovalsWaiting } | { "method": "drivers.answered", "params": DriverAnswered } | { "method": "echo", "params": Echo } | { "method": "tabs.acting", "params": Acting } | { "method": "activity.entry", "params": ActivityEntry } | { "method": "relay.attach", "params": RelayAttach } | { "method": "relay.detach", "params": RelayDetach } | { "method": "relay.command", "params": RelayCommand } | { "method": "relay.part", "params": RelayPart } | { "method": "relay.tab", "params": RelayTab } | { "method": "panel.keys", "params": PanelKeys } | { "method": "panel.confirmation", "params": PanelConfirmation } | { "method": "fault", "params": Fault };

/**
 * One turn of an agent: from the message that began it to its end.
 */
export type TurnId = string;

/**
 * How a turn ended.
 */
export type TurnOutcome = "done" | "failed" | "stopped" | "interrupted";

/**
 * Tokens of one turn.
 */
export type Usage = { 
/**
 * Input tokens, without those read from the cache.
 */
inputTokens: number, 
/**
 * Output tokens.
 */
outputTokens: number, 
/**
 * Read from the provider's cache.
 */
cachedTokens: number, 
/**
 * The number of tokens in the model's context window now, and the window's size; 0 if not reported.
 */
contextTokens: number, 
/**
 * The size of the model's context window, in tokens; 0 if not reported.
 */
contextWindow: number, };

/**
 * A pending approval, as listed by `gstack approvals` and, if a driver asks, shown by panels.
 */
export type WaitingApproval = { 
/**
 * For a driver, its own: no conversation of the history has this id.
 */
conversationId: ConversationId, 
/**
 * Identifies the approval in its answer.
 */
approvalId: ApprovalId, 
/**
 * The driver's name, if no agent of a conversation asks but an MCP client.
 */
driver?: string | null, 
/**
 * The tab that it concerns, if it is known.
 */
tabId?: TabId | null, 
/**
 * The request: `Click “Revoke key”`.
 */
ask: string, 
/**
 * The same text as a code, for translation.
 */
phrase?: LocalizedPhrase, 
/**
 * The host of the page that it concerns.
 */
site: string | null, 
/**
 * The command as it would run, on one line: `click @e14`.
 */
does: string, 
/**
 * Why gstack asks although a rule seems to allow it.
 */
why: string | null, 
/**
 * The reason as a code.
 */
whyWords?: FaultWords | null, 
/**
 * Everything that it would do.
 */
action: ActionRecord, 
/**
 * What sort of action it is, for its icon.
 */
kind: StepKind, 
/**
 * The possible answers.
 */
choices: Array<Decision>, };

/**
 * The daemon's answer to `hello`.
 */
export type Welcome = { protocol: number, 
/**
 * The daemon's version.
 */
version: string, epoch: Epoch, 
/**
 * The daemon's process id, for display.
 */
pid: number, 
/**
 * Whether commands reach this browser's tabs, because gstack started it or the extension relays them. If false:
 * chat only.
 */
driven: boolean, 
/**
 * The challenge that the extension signs in `panel.prove`: random, for this connection only.
 */
challenge?: string | null, 
/**
 * Identifies the daemon's home; part of the signed data.
 */
homeId?: string | null, 
/**
 * Whether gstack started the browser, which confirms it: requests are accepted before the proof.
 */
confirmed?: boolean, 
/**
 * The address of the welcome page, if the daemon serves one.
 */
welcomeUrl?: string | null, 
/**
 * The version of the extension on disk. A browser that runs an older one can reload it.
 */
extensionVersion?: string | null, };

/**
 * Chrome's id of a window (`chrome.windows.Window.id`).
 */
export type WindowId = number;

/**
 * One tab in which an agent works.
 */
export type WorkingTab = { 
/**
 * The daemon's id of the tab.
 */
tabId: TabId, 
/**
 * Chrome's id of the tab.
 */
chromeTabId: ChromeTabId, 
/**
 * The agent's display name.
 */
agentLabel: string, 
/**
 * The current action in words: `Clicking Submit`.
 */
doing: string, 
/**
 * The same text as a code, for translation.
 */
phrase?: LocalizedPhrase, 
/**
 * Whether it waits for a person's answer.
 */
waiting: boolean, 
/**
 * Whether it is paused because the person took over.
 */
paused?: boolean, };

/**
 * The origin of a conversation's own git work tree.
 */
export type Worktree = { 
/**
 * The folder that it replaces: without the work tree, the conversation would work there.
 */
of: string, 
/**
 * The full hash of the commit that was checked out.
 */
commit: string, };
