// Message types that the generated protocol does not define: the messages of a panel, and the few that never leave the
// extension (names that begin with `local.`).
import type * as P from "../protocol.js";

/** Requests that only the background makes, never a panel. */
type OfBackground = "hello" | "panel.prove";

/** Requests of a panel: parameters and result by method. */
export type Requests = {
  [M in Exclude<keyof P.Answers, OfBackground>]: [P.Params<M>, P.Answers[M]];
} & { "local.ping": [P.Empty, P.Empty] };

/** Notifications of a panel. */
export interface Notifications {
  "panel.opened": P.PanelOpened;
  "panel.focus": P.PanelFocus;
  "chat.ack": P.ChatAck;
  "chat.prepare": P.ChatRef;
  echoed: P.Echo;
  "local.retry": P.Empty;
}

/** The connection from the background to the daemon, as the background sees it. */
export interface ConnectionState {
  status: "connecting" | "connected" | "down";
  /** Why it is not connected; kept during the next retry. */
  fault: P.Fault | null;
  welcome: P.Welcome | null;
  /** When the next retry starts (milliseconds since 1970), while `down`. */
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
