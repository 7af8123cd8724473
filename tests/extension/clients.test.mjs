/** MCP clients in the panel: their approvals in its one kind of card, and who leases the tab in view. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { INITIAL, reduce } from "../../extension/panel/state/panel-state.js";
import { askFor, leaseOf } from "../../extension/panel/state/drivers.js";
import { clientsOf } from "./fake-drivers.mjs";
import { options, press, withPanel } from "./with-panel.mjs";

const TAB = { chromeTabId: 5, windowId: 1, title: "Cart" };
const told = (state, ...shown) => shown.reduce((held, one) => reduce(held, { type: "drivers", shown: one }), state);
const answered = (state, approvalId, by = "timeout") =>
  reduce(state, { type: "driver-answered", answered: { approvalId, decision: "deny", by } });
const idOf = ({ ask }) => ask?.asked.approval.approvalId ?? null;
const NONE = { leases: [], approvals: [] };
const CONNECTED = { status: "connected", fault: null, welcome: null, retryAt: null };

describe("what a panel holds of MCP clients", () => {
  test("an approval is shown beside its tab, and everywhere if no panel is there", () => {
    const { drivers } = told(INITIAL, clientsOf("several", TAB));
    assert.equal(idOf(askFor(drivers, TAB)), "two", "the oldest");
    assert.equal(askFor(drivers, TAB).more, 1, "and not the one of the other tab");
    assert.equal(idOf(askFor(drivers, { ...TAB, chromeTabId: 1005 })), "three");
    assert.equal(idOf(askFor(drivers, { ...TAB, chromeTabId: 6 })), null);
    assert.equal(idOf(askFor(drivers, null)), null);
    const elsewhere = told(INITIAL, clientsOf("elsewhere", TAB)).drivers;
    assert.equal(idOf(askFor(elsewhere, TAB)), "one");
    assert.equal(idOf(askFor(elsewhere, null)), "one");
    assert.equal(leaseOf(drivers, TAB).driver.client, "cursor");
    assert.equal(leaseOf(drivers, { ...TAB, chromeTabId: 6 }), null);
  });

  test("a closed one stays with its reason until it was seen, whichever message comes first", () => {
    const asked = clientsOf("one", TAB);
    const open = told(INITIAL, asked);
    for (const closed of [answered(told(open, NONE), "one"), told(answered(open, "one"), NONE), told(answered(open, "one"), asked, NONE)]) {
      const { ask } = askFor(closed.drivers, TAB);
      assert.deepEqual([ask.open, ask.done.by], [false, "timeout"]);
      const seen = reduce(closed, { type: "driver-seen", approvalId: "one" });
      assert.equal(askFor(seen.drivers, TAB).ask, null);
      assert.equal(askFor(told(seen, asked).drivers, TAB).ask, null, "a late list opens it no more");
    }
    assert.equal(askFor(answered(open, "unknown").drivers, TAB).ask.open, true);
  });

  test("once the line about the last one is closed, none of an earlier one comes back", () => {
    const open = told(INITIAL, clientsOf("several", TAB));
    let held = answered(answered(open, "one"), "two");
    assert.equal(idOf(askFor(held.drivers, TAB)), "two", "the one that was closed last");
    held = reduce(held, { type: "driver-seen", approvalId: "two" });
    assert.equal(askFor(held.drivers, TAB).ask, null);
    assert.equal(askFor(told(held, NONE).drivers, TAB).ask, null);
  });

  test("nothing is held without a connection, and little of what is closed", () => {
    const open = told(INITIAL, clientsOf("one", TAB));
    const lost = reduce(open, { type: "connection", state: { ...CONNECTED, status: "down" } });
    assert.deepEqual([askFor(lost.drivers, TAB).ask, leaseOf(lost.drivers, TAB)], [null, null]);
    assert.equal(idOf(askFor(told(reduce(lost, { type: "connection", state: CONNECTED }), clientsOf("one", TAB)).drivers, TAB)), "one");
    let held = INITIAL;
    for (let id = 0; id < 500; id++) {
      const [one] = clientsOf("one", TAB).approvals;
      held = told(held, { leases: [], approvals: [{ ...one, approval: { ...one.approval, approvalId: `${id}` } }] });
      held = answered(held, `${id}`);
    }
    assert.ok(told(held, NONE).drivers.asks.length <= 8);
  });
});

const card = "document.querySelector('#clients .approval')";
const answersOf = async (browser) => [...(await browser.wire()).matchAll(/^answered (.*)$/gm)].map(([, one]) => JSON.parse(one));

describe("an MCP client's approval", options, () => {
  test("is a card that says who asks, where and all of it, waits as any card, and is answered there", () =>
    withPanel("client-asks", async (panel, browser) => {
      await panel.until(card);
      // It can't be answered at once.
      await panel.evaluate(`${card}.querySelector('[data-choice="allow-once"]').click()`);
      assert.deepEqual(await answersOf(browser), []);
      const said = await panel.evaluate(`${card}.innerText`);
      for (const part of [
        /MCP client cursor \(work\) asks to/,
        /calls itself cursor; you named it work/,
        /shop\.example/,
        /button “Place order”/,
        /Place order/,
      ])
        assert.match(said, part);
      assert.match(said, /https:\/\/shop\.example\/order/);
      assert.match(said, /while this client is connected/);
      assert.ok(
        !/unattended|Work/.test(await panel.evaluate(`${card}.querySelector(".card__rows").innerText`)),
        "a client does not work unattended",
      );
      await panel.until(`!${card}.classList.contains("is-arming")`);
      await press(panel, "Allow once");
      await panel.until("document.querySelector('#clients').hidden");
      assert.deepEqual(await answersOf(browser), [{ approvalId: "one", decision: "allow-once" }]);
    }));

  test("stays in view over a drawer, and its digit keys are the card's", () =>
    withPanel("client-asks", async (panel, browser) => {
      await panel.until(`${card} && document.querySelector('.suggestion')`);
      await press(panel, "Settings");
      await panel.until("document.querySelector('[data-setting]')");
      assert.equal(await panel.evaluate(`${card}.checkVisibility()`), true);
      await panel.until(`!${card}.classList.contains("is-arming")`);
      await panel.evaluate(`${card}.focus()`);
      await panel.key("4");
      await panel.until("document.querySelector('#clients').hidden");
      assert.deepEqual(await answersOf(browser), [{ approvalId: "one", decision: "deny" }]);
    }));

  test("one at a time: the next takes its place and must be looked at first; a text can be changed", () =>
    withPanel("clients-ask", async (panel, browser) => {
      await panel.until(`${card} && !${card}.classList.contains("is-arming")`);
      assert.equal(await panel.evaluate("document.querySelectorAll('#clients .approval').length"), 1);
      assert.match(await panel.evaluate("document.querySelector('.clients__more').innerText"), /1/);
      await panel.evaluate(`{
        const field = ${card}.querySelector(".asked-text");
        field.value = "Ambleside";
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }`);
      await press(panel, "Allow once");
      await panel.until(`${card}?.innerText.includes("Place order")`);
      await panel.evaluate(`${card}.querySelector('[data-choice="allow-once"]').click()`);
      assert.deepEqual(
        await answersOf(browser),
        [{ approvalId: "two", decision: "allow-once", text: "Ambleside" }],
        "the second is not armed",
      );
      assert.equal(await panel.evaluate("document.querySelector('.clients__more').checkVisibility()"), false);
    }));

  test("of a client with a hostile name is text, and leads to its tab", () =>
    withPanel("client-elsewhere", async (panel) => {
      await panel.until(card);
      const { images, bold, text, link } = await panel.evaluate(`({
        images: document.querySelectorAll("#clients img:not(.favicon)").length,
        bold: document.querySelectorAll("#clients b").length,
        text: ${card}.innerText,
        link: ${card}.querySelector(".link").textContent,
      })`);
      assert.deepEqual([images, bold], [0, 0]);
      assert.match(text, /<img src=x onerror=made\(\)>⟨U\+202E⟩ a…/);
      assert.match(link, /<b>Orders<\/b> ⟨.*⟩/);
      assert.equal(await panel.evaluate(`${card}.querySelector(".approval__more")`), null, "a tab is given once, or not");
    }));
});

describe("a leased tab", options, () => {
  test("says who works there; taking it back ends the lease and closes the card with the reason", () =>
    withPanel("client-asks", async (panel, browser) => {
      await panel.until("document.querySelector('#lease')?.checkVisibility()");
      assert.match(await panel.evaluate("document.querySelector('#lease').innerText"), /cursor \(work\) is working in this tab/);
      await press(panel, "Take back");
      await panel.until("document.querySelector('#lease').hidden");
      assert.match(await browser.wire(), /^released \d+$/m);
      await panel.until("document.querySelector('#clients .decided')");
      assert.match(
        await panel.evaluate("document.querySelector('#clients').innerText"),
        /cursor \(work\) · Denied \(withdrawn\).*Place order/s,
      );
      await press(panel, "Close");
      await panel.until("document.querySelector('#clients').hidden");
    }));
});
