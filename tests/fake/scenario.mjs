/*
 * The replies of a fake API: a script of rules, the same for every fake. Owns the choice of the reply; never knows a
 * wire format.
 *
 * Scenario: {"rules": [RULE…], "default": [STEP…], "afterTool": [STEP…]}
 * A RULE answers a request when all of its conditions hold; the first one wins:
 *   match   a part of the examined text, in any case ("" or absent: always)
 *   in      the text to examine: "user" (default: the newest prompt), "toolResult", "system", "model", and "reminder", which is
 *           what Claude Code itself adds to the newest message
 *   tools   true/false: whether the request offers tools (title generation and the like offer none)
 *   times   the maximum number of answers
 *   reply   [STEP…], in the format of the fake
 * A request that ends in a tool result gets "afterTool" unless a "toolResult" rule answers it, so that every loop ends.
 * "$1" in a step is replaced by the text after the match.
 */

/** What gstack sends before a message that an agent may not remember: it is not the newest prompt. */
const EARLIER = /<earlier>.*?<\/earlier>/gs;

export class Scenario {
  #spec;
  #used = new Map();

  constructor(spec) {
    this.#spec = spec;
  }

  /** Returns the steps of the reply. `seen`: {user, toolResult, reminder, system, model, offersTools, inToolLoop}. */
  reply(seen) {
    for (const rule of this.#spec.rules ?? []) {
      const where = rule.in ?? 'user';
      if (seen.inToolLoop ? where === 'user' : where === 'toolResult') continue;
      if (rule.tools !== undefined && rule.tools !== seen.offersTools) continue;
      const key = rule.match ?? '';
      const text = (seen[where] ?? '').replace(EARLIER, '');
      const at = text.toLowerCase().lastIndexOf(key.toLowerCase());
      const used = this.#used.get(rule) ?? 0;
      if (at < 0 || used >= (rule.times ?? Infinity)) continue;
      this.#used.set(rule, used + 1);
      return fill(rule.reply, text.slice(at + key.length).trim());
    }
    if (seen.inToolLoop) return this.#spec.afterTool ?? [{ text: 'Tool finished.' }];
    return this.#spec.default ?? [{ text: 'Hello from the fake model.' }];
  }
}

function fill(value, rest) {
  if (typeof value === 'string') return value.replaceAll('$1', () => rest);
  if (Array.isArray(value)) return value.map((item) => fill(item, rest));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item, rest)]));
}

/**
 * Returns the text of a step with `text` (or another text field), repeated `repeat` times, in parts of `chunk`
 * characters.
 */
export function parts(step, field = 'text') {
  const letters = Array.from(step[field].repeat(step.repeat ?? 1));
  const size = step.chunk ?? Math.max(letters.length, 1);
  const all = [];
  for (let at = 0; at < letters.length; at += size) all.push(letters.slice(at, at + size).join(''));
  return all;
}
