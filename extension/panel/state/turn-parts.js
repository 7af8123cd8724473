/**
 * The parts that a turn is drawn as; consecutive steps form one part. Pure.
 *
 * An unchanged part keeps its identity, so that the view can skip it.
 * @import { Attachment } from "../../protocol.js"
 * @import { ApprovalItem, Item, NoticeItem, PlanItem, QuestionItem, StepItem, TextItem, TurnEntry } from "./entries.js"
 */

import { grouped } from "./approvals.js";

/**
 * @typedef {{ key: string, kind: "steps", items: StepItem[], live: boolean, waits: number[], asks: boolean, folds: boolean }
 *   | { key: string, kind: "shots", files: Attachment[] }
 *   | { key: string, kind: "text" | "thinking", item: TextItem, ended: boolean }
 *   | { key: string, kind: "approval", item: ApprovalItem, live: boolean }
 *   | { key: string, kind: "approvals", items: ApprovalItem[] }
 *   | { key: string, kind: "question", item: QuestionItem, live: boolean }
 *   | { key: string, kind: "plan", item: PlanItem, live: boolean }
 *   | { key: string, kind: "notice", item: NoticeItem }
 * } Part
 */

/**
 * Returns the parts of a turn: consecutive steps form one part, and their pictures follow it.
 * @param {TurnEntry} turn
 * @param {Part[]} [before]  its previously drawn parts
 * @returns {Part[]}
 */
export function partsOf({ items, done, direct }, before = []) {
  /** @type {Part[]} */
  const parts = [];
  const live = !done;
  // The spans in which the turn waited for a person. An open one has no end: no finished step can be inside it.
  const waits = items.flatMap((item) =>
    (item.kind === "approval" || item.kind === "question") && item.done ? [item.at, item.done.at] : [],
  );
  const asks = live && items.some((item) => (item.kind === "approval" || item.kind === "question") && !item.done);
  const together = live ? grouped(items) : [];
  const lastText = items.findLastIndex(({ kind }) => kind === "text" || kind === "thinking");
  for (let index = 0; index < items.length; ) {
    const item = /** @type {Item} */ (items[index]);
    if (item.kind === "step") {
      let end = index + 1;
      while (items[end]?.kind === "step") end += 1;
      const run = /** @type {StepItem[]} */ (items.slice(index, end));
      // A person who started these very steps watches each of them.
      parts.push({ key: `steps:${item.seq}`, kind: "steps", items: run, live, waits, asks, folds: !(live && direct) });
      const files = run.flatMap(({ done: ended }) => ended?.images ?? []);
      if (files.length > 0) parts.push({ key: `shots:${item.seq}:${files.length}`, kind: "shots", files });
      index += run.length;
      continue;
    }
    const key = `${item.kind}:${item.seq}`;
    if (item.kind === "approval" && together.includes(item)) {
      // One card, in place of the first of them.
      if (item === together[0]) parts.push({ key: `approvals:${item.seq}`, kind: "approvals", items: together });
    } else if (item.kind === "approval") parts.push({ key, kind: "approval", item, live });
    else if (item.kind === "question") parts.push({ key, kind: "question", item, live });
    else if (item.kind === "plan") parts.push({ key, kind: "plan", item, live });
    else if (item.kind === "notice") parts.push({ key, kind: "notice", item });
    // Only the newest text of a running turn can grow.
    else
      parts.push({
        key,
        kind: item.kind,
        item,
        ended: !live || index !== lastText || items.at(-1)?.kind === "approval" || items.at(-1)?.kind === "question",
      });
    index += 1;
  }
  return parts.map((part, index) => {
    const drawn = before[index];
    return drawn && same(drawn, part) ? drawn : part;
  });
}

/** @param {any} one @param {any} other  parts, or the lists in them @returns {boolean} */
function same(one, other) {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) => one[name] === other[name] || (Array.isArray(one[name]) && Array.isArray(other[name]) && same(one[name], other[name])),
    )
  );
}
