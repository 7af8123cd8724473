/**
 * A fault as an exception. Owns the class; never decides what a fault's words are.
 * @import { Fault } from "../protocol.js"
 */
import { SAID, worded } from "./fault-words.js";

/** What a failed request throws: the fault that the other side gave, or that stands for its absence. */
export class FaultError extends Error {
  /** @param {Fault} fault */
  constructor(fault) {
    super(fault.message);
    this.name = "FaultError";
    this.fault = fault;
  }
}

/**
 * The fault in anything that was thrown, in the words that a person reads.
 * @param {unknown} thrown
 * @returns {Fault}
 */
export function faultOf(thrown) {
  if (thrown instanceof FaultError) return worded(thrown.fault);
  return { code: "internal", message: thrown instanceof Error ? thrown.message : String(thrown), words: SAID };
}
