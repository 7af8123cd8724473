/*
 * The side panel as a person uses it: types, presses Enter, reads the content. Owns the selectors, so that a change of
 * the panel's markup needs one change here.
 */

export const PARTS = {
  composer: '.composer__text',
  bubble: '.bubble',
  thinking: '.thinking:not([hidden])',
  answer: '.turn .prose',
  step: '.step',
  stepDone: '.step--ok, .step--failed',
  footer: '.turn-footer',
  connected: '.connection .dot:not(.dot--off, .dot--wait)',
  stop: '.stop:not([hidden])',
  // An answered card stays until the answer has arrived, with its buttons off.
  approval: '.approval:has(.choice:enabled)',
  decided: '.decided',
  queued: '.queue-chip',
};

const all = (selector) => `[...document.querySelectorAll(${JSON.stringify(selector)})]`;
const holds = (selector, text) => `${all(selector)}.some((one) => one.textContent.includes(${JSON.stringify(text)}))`;

export class Panel {
  constructor(page) {
    this.page = page;
  }

  /** Waits until the panel shows that it is connected. */
  connected() {
    return this.seen('connected');
  }

  /** Types a message and presses Enter. */
  async say(text) {
    await this.page.click(PARTS.composer);
    await this.page.insert(text);
    await this.page.enter();
  }

  /** Answers the agent's open approval or question by the text of a choice, once the card accepts answers. */
  async answer(words) {
    const card = '.approval:not(.is-arming)';
    await this.page.waitFor(`document.querySelector('${card} .choice:enabled')`, 'an approval that can be answered');
    await this.page.waitFor(
      `(() => {
      const choice = ${all(`${card} .choice:enabled`)}.find((one) => one.textContent.includes(${JSON.stringify(words)}));
      choice?.click();
      return Boolean(choice);
    })()`,
      `a choice ${JSON.stringify(words)}`,
    );
  }

  seen(part, text = '') {
    return this.page.waitFor(holds(PARTS[part], text), `${part} with ${JSON.stringify(text)}`);
  }

  gone(part) {
    return this.page.waitFor(`!document.querySelector(${JSON.stringify(PARTS[part])})`, `no ${part} any more`);
  }

  texts(part) {
    return this.page.evaluate(`${all(PARTS[part])}.map((one) => one.innerText.trim())`);
  }

  count(part, number) {
    return this.page.waitFor(`${all(PARTS[part])}.length === ${number}`, `${number} of ${part}`);
  }
}
