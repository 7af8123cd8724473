/**
 * A fault as an exception. Owns the class; never decides a fault's text.
 * @import { Fault } from "../protocol.js"
 */
import { SAID, worded } from "./fault-words.js";
import { isolated, t } from "./i18n.js";

/** The error of a failed request: the fault from the other side, or one that stands for its absence. */
export class FaultError extends Error {
  /** @param {Fault} fault */
  constructor(fault) {
    super(fault.message);
    this.name = "FaultError";
    this.fault = fault;
  }
}

/**
 * Returns the fault of any thrown value, in the person's language.
 * @param {unknown} thrown
 * @returns {Fault}
 */
export function faultOf(thrown) {
  if (thrown instanceof FaultError) return worded(thrown.fault);
  // The browser's own words, always in English: in brackets, after ours.
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: "internal", message: `${t("code_internal")} (${isolated(said)})`, words: SAID };
}
