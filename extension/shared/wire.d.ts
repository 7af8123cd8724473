// What the generated protocol does not say: the result of each method, and the few messages
// that never leave the extension (names that begin with `local.`).
import type * as P from "../protocol.js";

type Params<M extends P.ToDaemon["method"]> = Extract<P.ToDaemon, { method: M }>["params"];

/** Requests of a panel: parameters and result by method. */
export interface Requests {
  "ping": [P.Empty, P.Pong];
  "hops": [P.Empty, P.Hops];
  "chat.open": [Params<"chat.open">, P.ConversationInfo];
  "chat.subscribe": [Params<"chat.subscribe">, P.Subscribed];
  "chat.unsubscribe": [Params<"chat.unsubscribe">, P.Empty];
  "chat.history": [Params<"chat.history">, P.HistoryPage];
  "chat.send": [Params<"chat.send">, P.Sent];
  "chat.unqueue": [Params<"chat.unqueue">, P.Empty];
  "chat.stop": [Params<"chat.stop">, P.Empty];
  "chat.clear": [Params<"chat.clear">, P.ConversationInfo];
  "approval.answer": [Params<"approval.answer">, P.Empty];
  "conversations.list": [Params<"conversations.list">, P.Conversations];
  "chat.continue": [Params<"chat.continue">, P.Empty];
  "chat.stopAll": [P.Empty, P.Stopped];
  "question.answer": [Params<"question.answer">, P.Empty];
  "conversations.rename": [Params<"conversations.rename">, P.ConversationInfo];
  "conversations.delete": [Params<"conversations.delete">, P.Empty];
  "conversations.restore": [Params<"conversations.restore">, P.ConversationInfo];
  "conversations.export": [Params<"conversations.export">, P.Attachment];
  "conversations.attach": [Params<"conversations.attach">, P.ConversationInfo];
  "conversations.folder": [Params<"conversations.folder">, P.ConversationInfo];
  "conversations.tab": [Params<"conversations.tab">, P.ConversationInfo];
  "inbox.leave": [Params<"inbox.leave">, P.InboxLeft];
  "settings.get": [P.Empty, P.Settings];
  "settings.set": [Params<"settings.set">, P.Settings];
  "policy.list": [P.Empty, P.Policy];
  "policy.add": [Params<"policy.add">, P.Policy];
  "policy.remove": [Params<"policy.remove">, P.Policy];
  "activity.subscribe": [Params<"activity.subscribe">, P.ActivityPage];
  "activity.unsubscribe": [P.Empty, P.Empty];
  "refs.list": [Params<"refs.list">, P.Refs];
  "refs.show": [Params<"refs.show">, P.Empty];
  "refs.highlight": [Params<"refs.highlight">, P.Empty];
  "pick.start": [Params<"pick.start">, P.Picked];
  "pick.stop": [Params<"pick.stop">, P.Empty];
  "agents.list": [Params<"agents.list">, P.Agents];
  "agents.choose": [Params<"agents.choose">, P.ConversationInfo];
  "markdown.render": [Params<"markdown.render">, P.Rendered];
  "file.read": [Params<"file.read">, P.FilePart];
  "command.run": [Params<"command.run">, P.CommandResult];
  "local.ping": [P.Empty, P.Empty];
}

/** Notifications of a panel. */
export interface Notifications {
  "panel.opened": P.PanelOpened;
  "panel.focus": P.PanelFocus;
  "chat.ack": P.ChatAck;
  "chat.prepare": P.ChatRef;
  echoed: P.Echo;
  "local.retry": P.Empty;
}

/** The way from the background to the daemon, as the background knows it. */
export interface ConnectionState {
  status: "connecting" | "connected" | "down";
  /** Why it is not connected; kept while the next try runs. */
  fault: P.Fault | null;
  welcome: P.Welcome | null;
  /** When the next try begins (milliseconds since 1970), while `down`. */
  retryAt: number | null;
}

export type ToPanelLocal = P.ToPanel | { method: "connection", params: ConnectionState };

/** A message on a port inside the extension, or on the native port. */
export interface Envelope {
  jsonrpc?: string;
  client?: P.PanelId | null;
  id?: number | null;
  method?: string | null;
  params?: unknown;
  result?: unknown;
  error?: P.Fault | null;
}
