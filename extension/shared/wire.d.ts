// What the generated protocol does not say: which messages are a panel's own, and the few that never leave the
// extension (names that begin with `local.`).
import type * as P from "../protocol.js";

/** Requests that the background makes by itself; no panel makes them. */
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
