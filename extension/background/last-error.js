/**
 * Turns Chrome's reasons for closing the native port into faults that say how to fix them.
 *
 * Chrome gives no code, only these English texts
 * (chrome/browser/extensions/api/messaging/native_message_process_host.cc), so this is the only module that reads an
 * error's text.
 * @import { Fault } from "../protocol.js"
 */
import { SAID } from "../shared/fault-words.js";

/** @typedef {(name: string, ...values: (string | number)[]) => string} Translate */

const NOT_FOUND = "Specified native messaging host not found.";
const FORBIDDEN = "Access to the specified native messaging host is forbidden.";
const EXITED = "Native host has exited.";
const NOT_STARTED = "Failed to start native messaging host.";
const GARBLED = "Error when communicating with the native messaging host.";

/**
 * @param {string | undefined} text  `chrome.runtime.lastError.message`; absent when the host closed its side
 * @param {Translate} t
 * @returns {Fault}
 */
export function faultOfLastError(text, t) {
  switch (text) {
    case NOT_FOUND:
      return {
        code: "daemon-down",
        hop: "host",
        message: t("hostMissing"),
        words: SAID,
        hint: t("hostMissingHint"),
        command: "gstack install-host",
      };
    case FORBIDDEN:
      return {
        code: "forbidden",
        hop: "host",
        message: t("hostForbidden"),
        words: SAID,
        hint: t("hostForbiddenHint"),
        command: "gstack install-host",
      };
    case NOT_STARTED:
      return {
        code: "daemon-down",
        hop: "host",
        message: t("hostNotStarted"),
        words: SAID,
        hint: t("hostNotStartedHint"),
        command: "gstack install-host",
      };
    case GARBLED:
      return {
        code: "daemon-down",
        hop: "host",
        message: t("hostGarbled"),
        words: SAID,
        hint: t("hostGarbledHint"),
        command: "gstack doctor",
      };
    case EXITED:
    case undefined:
      return { code: "daemon-down", hop: "host", message: t("hostExited"), words: SAID, hint: t("hostExitedHint") };
    default:
      return { code: "daemon-down", hop: "host", message: t("hostExited"), words: SAID, hint: text };
  }
}

/**
 * Returns whether an automatic retry can help. A host that is missing or refuses us changes only when a person acts, so
 * no timer runs unless a panel is waiting.
 * @param {Fault | null} fault
 */
export function mendsItself(fault) {
  return fault?.hop !== "host" || fault.command == null;
}
