// Message types that the generated protocol does not define: the messages of a panel, and the few that never leave the
// extension (names that begin with `local.`).
import type * as P from "../protocol.js";

/** Messages that only the background sends, never a panel. */
type OfBackground =
  | "hello"
  | "panel.prove"
  | "panel.closed"
  | "tabs.changed"
  | "relay.answer"
  | "relay.event"
  | "relay.detached";

/** Requests of a panel: parameters and result by method. */
export type Requests = {
  [M in Exclude<keyof P.Answers, OfBackground>]: [P.Params<M>, P.Answers[M]];
} & { "local.ping": [P.Empty, P.Empty] };

/** Notifications of a panel: the generated methods without an answer. */
export type Notifications = {
  [M in Exclude<P.ToDaemon["method"], keyof P.Answers | OfBackground>]: P.Params<M>;
} & { "local.retry": P.Empty };

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

/** A message on a port inside the extension, which names no version, or on the native port. */
export type Envelope = Omit<P.Envelope, "jsonrpc"> & Partial<Pick<P.Envelope, "jsonrpc">>;
