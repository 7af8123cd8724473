// The wire between the panel and the daemon. In the shape that src/protocol/*.rs gives.

export type TabId = number;
export type ChromeTabId = number;
export type WindowId = number;
export type ConversationId = string;
export type TurnId = string;
export type ClientMessageId = string;
export type StepId = string;
export type ApprovalId = string;
export type PanelId = string;
export type InstanceId = string;
export type BrowserRun = string;
export type Epoch = string;
export type TargetId = string;
export type FileId = string;
export type AgentName = string;

export type FaultCode = "bad-request" | "unknown" | "protocol-mismatch" | "forbidden" | "not-found" | "conflict" | "too-large" | "timeout" | "cancelled" | "denied" | "daemon-down" | "updating" | "browser-down" | "tab-gone" | "navigation" | "element" | "script" | "outcome-unknown" | "agent-missing" | "agent-signed-out" | "agent-crashed" | "agent-error" | "storage" | "path-refused" | "url-refused" | "internal";
export type Hop = "panel" | "background" | "host" | "daemon" | "browser" | "agent";
export type Fault = { code: FaultCode, message: string, hint?: string | null, command?: string | null, hop?: Hop | null };

export type AgentStatus = "ready" | "missing" | "signed-out" | "broken";
export type AgentInfo = { name: AgentName, label: string, status: AgentStatus, version?: string | null, path?: string | null, fault?: Fault | null, default: boolean, hasModel: boolean };
export type Agents = { agents: Array<AgentInfo> };

export type PageContext = { url: string, title: string, selection?: string | null };
export type Attachment = { id: FileId, name: string, mime: string, bytes: number };
export type NewAttachment = { name: string, mime: string, data: string };
export type MessageSource = "panel" | "terminal";
export type StepKind = "navigate" | "read" | "act" | "control" | "file" | "shell" | "other";
export type StepOutcome = "ok" | "failed" | "denied" | "unknown";
export type TurnOutcome = "done" | "failed" | "stopped" | "interrupted";
export type Decision = "allow-once" | "allow-site" | "allow-conversation" | "deny";
export type AnsweredBy = "panel" | "terminal" | "withdrawn" | "rule" | "timeout";

export type ChatBody =
  | { "type": "message", clientId: ClientMessageId, text: string, page?: PageContext | null, attachments?: Array<Attachment>, from: MessageSource }
  | { "type": "message-removed", clientId: ClientMessageId }
  | { "type": "turn-started", turnId: TurnId, clientId: ClientMessageId, agent: AgentName, agentLabel: string, model?: string | null }
  | { "type": "text", turnId: TurnId, text: string }
  | { "type": "thinking", turnId: TurnId, text: string }
  | { "type": "step", turnId: TurnId, stepId: StepId, kind: StepKind, verb: string, object?: string, tool: string, arguments?: string }
  | { "type": "step-done", turnId: TurnId, stepId: StepId, outcome: StepOutcome, durationMs: number, result?: string, images?: Array<Attachment> }
  | { "type": "approval", turnId: TurnId, approvalId: ApprovalId, ask: string, site?: string | null, why?: string | null, does: string, kind: StepKind, choices: Array<Decision> }
  | { "type": "approval-done", turnId: TurnId, approvalId: ApprovalId, decision: Decision, by: AnsweredBy }
  | { "type": "notice", turnId: TurnId, text: string }
  | { "type": "turn-done", turnId: TurnId, outcome: TurnOutcome, durationMs: number, model?: string | null, costUsd?: number | null, fault?: Fault | null };
export type ChatEvent = { seq: number, at: number } & ChatBody;

export type ChatDelta = { conversationId: ConversationId, seq: number, offset: number, text: string };
export type ChatEventPush = { conversationId: ConversationId, event: ChatEvent };
export type ChatGap = { conversationId: ConversationId, head: number };
export type ConversationState = "idle" | "running" | "waiting-for-approval" | "stopping";
export type ConversationInfo = { conversationId: ConversationId, title: string, tabId?: TabId | null, page?: PageContext | null, agent?: AgentName | null, folder: string, head: number, createdAt: number, updatedAt: number, state: ConversationState, queued: number };
export type Subscribed = { epoch: Epoch, info: ConversationInfo, head: number, events: Array<ChatEvent>, older: boolean };
export type HistoryPage = { events: Array<ChatEvent>, older: boolean };

export type CommandRequest = { command: string, args: Array<string>, tabId?: TabId | null, cwd?: string | null };
export type CommandResult = { output: string, data?: unknown, files?: Array<string> };

export type Hello = { protocol: number, version: string, instanceId: InstanceId, profileName?: string | null };
export type Welcome = { protocol: number, version: string, epoch: Epoch, pid: number, driven: boolean, welcomeUrl?: string | null };

export type ChromeTab = { chromeTabId: ChromeTabId, windowId: WindowId, url: string, title: string, favIconUrl?: string | null, active: boolean, incognito: boolean, discarded: boolean, targetId?: TargetId | null };
export type TabsChanged = { full: boolean, tabs: Array<ChromeTab>, removed: Array<ChromeTabId> };
export type TabWithConversation = { tabId: TabId, chromeTabId: ChromeTabId, windowId: WindowId, title: string, url: string, conversationId: ConversationId, running: boolean };
export type TabsConversations = { tabs: Array<TabWithConversation> };
export type WorkingTab = { tabId: TabId, chromeTabId: ChromeTabId, doing: string, waiting: boolean };
export type TabsWorking = { tabs: Array<WorkingTab> };

export type Empty = Record<string, never>;
export type Pong = { epoch: Epoch };
export type HopState = { hop: Hop, ok: boolean, detail: string, millis?: number | null, fault?: Fault | null };
export type Hops = { hops: Array<HopState> };
export type PanelOpened = { windowId: WindowId };
export type ChatOpen = { chromeTabId: ChromeTabId };
export type ChatRef = { conversationId: ConversationId };
export type ChatSubscribe = { conversationId: ConversationId, after: number };
export type ChatHistory = { conversationId: ConversationId, before: number, limit: number };
export type ChatAck = { conversationId: ConversationId, seq: number, offset: number };
export type ChatSend = { conversationId: ConversationId, clientId: ClientMessageId, text: string, page?: PageContext | null, attachments?: Array<NewAttachment>, agent?: AgentName | null, model?: string | null, from: MessageSource };
export type Sent = { seq: number, position: number };
export type ChatUnqueue = { conversationId: ConversationId, clientId: ClientMessageId };
export type ApprovalAnswer = { conversationId: ConversationId, approvalId: ApprovalId, decision: Decision };
export type ConversationsList = { search?: string | null };
export type Conversations = { conversations: Array<ConversationInfo> };
export type AgentsList = { refresh: boolean };
export type AgentsChoose = { conversationId: ConversationId, agent?: AgentName | null };
export type MarkdownRender = { blocks: Array<string> };
export type Rendered = { html: Array<string> };
export type FileRead = { conversationId: ConversationId, id: FileId, offset: number };
export type FilePart = { data: string, total: number, mime: string };
export type CommandRun = { chromeTabId: ChromeTabId } & CommandRequest;

export type ToDaemon =
  | { "method": "hello", "params": Hello }
  | { "method": "ping", "params": Empty }
  | { "method": "hops", "params": Empty }
  | { "method": "tabs.changed", "params": TabsChanged }
  | { "method": "panel.opened", "params": PanelOpened }
  | { "method": "panel.closed", "params": Empty }
  | { "method": "chat.open", "params": ChatOpen }
  | { "method": "chat.subscribe", "params": ChatSubscribe }
  | { "method": "chat.unsubscribe", "params": ChatRef }
  | { "method": "chat.history", "params": ChatHistory }
  | { "method": "chat.ack", "params": ChatAck }
  | { "method": "chat.send", "params": ChatSend }
  | { "method": "chat.unqueue", "params": ChatUnqueue }
  | { "method": "chat.stop", "params": ChatRef }
  | { "method": "chat.clear", "params": ChatRef }
  | { "method": "approval.answer", "params": ApprovalAnswer }
  | { "method": "conversations.list", "params": ConversationsList }
  | { "method": "agents.list", "params": AgentsList }
  | { "method": "agents.choose", "params": AgentsChoose }
  | { "method": "markdown.render", "params": MarkdownRender }
  | { "method": "file.read", "params": FileRead }
  | { "method": "command.run", "params": CommandRun };

export type ToPanel =
  | { "method": "chat.event", "params": ChatEventPush }
  | { "method": "chat.delta", "params": ChatDelta }
  | { "method": "chat.gap", "params": ChatGap }
  | { "method": "chat.info", "params": ConversationInfo }
  | { "method": "tabs.conversations", "params": TabsConversations }
  | { "method": "agents.changed", "params": Agents }
  | { "method": "tabs.working", "params": TabsWorking }
  | { "method": "fault", "params": Fault };
