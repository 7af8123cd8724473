/*
 * A flow in the side panel: `/NAME` runs it in the tab in view, each step shows how it ended, and the person decides after one
 * that is not done. Nothing is sent twice by itself, and a repository's flow runs only once the person has allowed it.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TestHome } from './harness/home.mjs';
import { until } from './harness/wait.mjs';

const SHOP = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title><body>
<h1>Lamps</h1><button onclick="open('/pop', '', 'width=400,height=400')">Sizes</button><label>Mail <input id="mail"></label>
<ul><li><h2>Desk lamp</h2><button data-item="Desk lamp">Buy</button></li>
<li><h2>Floor lamp</h2><button data-item="Floor lamp">Buy</button></li></ul>
<script>
document.addEventListener('click', async (event) => {
  const item = event.target.dataset.item;
  if (!item) return;
  await fetch('/buy?item=' + encodeURIComponent(item) + '&mail=' + encodeURIComponent(mail.value), { method: 'POST' });
  document.body.insertAdjacentHTML('beforeend', '<p>Bought</p>');
});
</script>`;
const NAME = '<img src=x onerror=document.title=1>';

describe('a flow in the side panel', { concurrency: false }, () => {
  let home;
  let server;
  let site;
  let panel;
  let page;
  let project;
  let bought = [];
  let held = null;
  const own = (name, text) => writeFileSync(path.join(home.home, 'flows', `${name}.toml`), text);
  const buy = (more = '') => `flow = 1
about = "Buy the desk lamp ${NAME}"
parameters.mail = {}
parameters.lamp = "Desk lamp"
steps = [
  { act = "goto", url = "${site}", wait = { text = "Lamps" } },
  { act = "fill", role = "textbox", name = "Mail", value = "{{mail}}" },
${more}  { act = "click", role = "button", name = "Buy", near = "{{lamp}}", wait = { text = "Bought" } },
]
`;
  const texts = (selector) =>
    panel.page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.innerText.trim())`);
  const lastTurn = (selector) => `.conversation__column > :last-child ${selector}`;
  /* The step lines of the newest turn, and how each ended. */
  const steps = () =>
    panel.page.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(lastTurn('summary.step'))})].map((one) => [
        one.querySelector('.step__label').textContent.trim(),
        /step--([a-z-]+)/.exec(one.className)[1],
      ])`,
    );
  let turns = 0;
  const countTurns = () => panel.page.evaluate(`document.querySelectorAll('.turn').length`);
  /* Sends a message and waits for its turn; `ended` waits for the end of that turn. */
  const say = async (text) => {
    turns = await countTurns();
    await panel.say(text);
  };
  const ended = () =>
    panel.page.waitFor(
      `(() => {
        const all = [...document.querySelectorAll('.turn')];
        return all.length > ${turns} && !all.at(-1).querySelector('.live-dot') && !document.querySelector('.stop:not([hidden])');
      })()`,
      'an ended turn',
    );
  const card = async (words) => {
    await panel.page.waitFor(
      `[...document.querySelectorAll('form.question:not(.is-arming)')].some((one) => one.textContent.includes(${JSON.stringify(words)}))`,
      `a card that says ${words}`,
    );
  };
  const answer = () =>
    panel.page.waitFor(
      `(() => {
        const button = document.querySelector('form.question:not(.is-arming) .button--solid:enabled');
        button?.click();
        return Boolean(button);
      })()`,
      'the button that answers',
    );
  const choose = async (label) => {
    await panel.page.waitFor(
      `(() => {
        const form = document.querySelector('form.question:not(.is-arming)');
        const option = [...(form?.querySelectorAll('.option') ?? [])].find((one) => one.textContent.includes(${JSON.stringify(label)}));
        option?.querySelector('input').click();
        return Boolean(option);
      })()`,
      `an option ${label}`,
    );
    await answer();
  };

  before(async () => {
    server = createServer(async (request, response) => {
      const url = new URL(request.url, 'http://shop');
      response.setHeader('content-type', 'text/html');
      if (url.pathname !== '/buy') return response.end(SHOP);
      bought.push(`${url.searchParams.get('item')} ${url.searchParams.get('mail')}`);
      await held;
      return response.end('ok');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    site = `http://127.0.0.1:${server.address().port}/`;
    home = new TestHome();
    mkdirSync(path.join(home.home, 'flows'), { recursive: true, mode: 0o700 });
    own('buy', buy());
    project = path.join(home.person, 'project');
    mkdirSync(path.join(project, '.gstack/flows'), { recursive: true });
    mkdirSync(path.join(project, '.git'));
    writeFileSync(path.join(project, '.gstack/flows/theirs.toml'), buy());
    writeFileSync(path.join(project, '.gstack/flows/buy.toml'), buy().replace('Desk lamp', 'Stolen'));
    await home.ok(['connect', '--headless', site], { cwd: project, limit: 240_000 });
    const client = await home.devtools();
    panel = await home.panel(client);
    page = await home.page(client, site);
    await panel.connected();
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await home.stop();
  });

  test('/NAME asks for what has no value, runs in the tab in view, and each step shows its end', { timeout: 200_000 }, async () => {
    bought = [];
    await panel.page.click('.composer__text');
    await panel.page.insert('/');
    await panel.page.waitFor(`[...document.querySelectorAll('.menu__group')].some((one) => one.textContent === 'Flows')`, 'the flows');
    const listed = await texts('.menu__item');
    const flow = listed.filter((one) => one.startsWith('/buy'));
    assert.equal(flow.length, 1, listed.join('\n'));
    assert.ok(flow[0].includes('mail=…') && flow[0].includes(NAME), flow[0]);
    assert.equal(listed.filter((one) => one.startsWith('/theirs')).length, 0, 'a flow that may not run is not offered');
    await panel.page.insert('buy');
    await panel.page.enter();
    await card('mail');
    assert.deepEqual(bought, [], 'nothing happens before the answer');
    await panel.page.evaluate(`(() => {
      const field = document.querySelector('form.question .field');
      field.value = 'ada@b.example <b>';
      field.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
    await answer();
    await ended();
    assert.deepEqual(bought, ['Desk lamp ada@b.example <b>']);
    assert.deepEqual(
      (await steps()).map(([, state]) => state),
      ['ok', 'ok', 'ok'],
    );
    assert.match((await steps()).map(([words]) => words).join(' | '), /Filling Mail \| Clicking Buy \(Desk lamp\)/);
    assert.match((await texts(lastTurn('.prose'))).join(), /3 steps done in \d+\.\d s, without a model\./);
    assert.equal(await panel.page.evaluate('document.querySelectorAll("img[src=x], .turn b b").length'), 0);
    assert.equal(await page.evaluate('document.title'), 'Shop');
  });

  test('a failed step says why, and the person skips it, does it, or stops', { timeout: 300_000 }, async () => {
    const gone = '  { act = "click", role = "button", name = "Wrap as a gift", wait = { text = "Wrapped" } },\n';
    own('gift', buy(gone));
    bought = [];
    await say('/gift mail="two words"');
    await card('Step 3 of 4 is not done');
    await card('there is no button “Wrap as a gift”');
    assert.deepEqual(
      (await steps()).map(([, state]) => state),
      ['ok', 'ok', 'failed'],
    );
    await choose('Skip it');
    await ended();
    assert.deepEqual(bought, ['Desk lamp two words']);
    assert.match((await texts(lastTurn('.prose'))).join(), /3 of 4 steps done .* Skipped: 3\./);

    bought = [];
    await say('/gift mail=b');
    await card('Step 3 of 4 is not done');
    await choose('Do it myself and go on');
    await card('what it waits for is not there');
    assert.deepEqual(bought, [], 'it checks that it was done');
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<p>Wrapped</p>')`);
    await choose('Do it myself and go on');
    await ended();
    assert.deepEqual(bought, ['Desk lamp b']);
    assert.match((await texts(lastTurn('.prose'))).join(), /Done by you: 3\./);

    bought = [];
    await say('/gift mail=c');
    await card('Step 3 of 4 is not done');
    await choose('Stop here');
    await ended();
    const said = (await texts(lastTurn('.card--danger'))).join();
    assert.match(said, /gift stopped at step 3 of 4/);
    assert.match(said, /\/gift --from 3, with the same values/);
    assert.doesNotMatch(said, /Retry/, 'one click does not do the first steps twice');
    assert.deepEqual(bought, []);
    await say('/gift mail=d --from 4');
    await ended();
    assert.equal(bought.length, 1, 'the rest of it');
  });

  test('a popup is a tab of the run, and the conversation stays in its own', { timeout: 200_000 }, async () => {
    own(
      'popup',
      `flow = 1
steps = [
  { act = "goto", url = "${site}", wait = { text = "Lamps" } },
  { act = "click", role = "button", name = "Sizes", wait = { tab = "${site}pop" } },
  { act = "fill", role = "textbox", name = "Mail", value = "from the popup", tab = 2 },
  { act = "click", role = "button", name = "Buy", near = "Floor lamp", tab = 2, wait = { text = "Bought" } },
  { act = "fill", role = "textbox", name = "Mail", value = "at home" },
]
`,
    );
    bought = [];
    await say('/popup');
    await ended();
    assert.deepEqual(
      (await steps()).map(([, state]) => state),
      ['ok', 'ok', 'ok', 'ok', 'ok'],
    );
    assert.deepEqual(bought, ['Floor lamp from the popup']);
    assert.equal(await page.evaluate(`document.querySelector('#mail').value`), 'at home');
    const { data: tabs } = await home.json('tabs');
    for (const tab of tabs.filter((one) => one.url.endsWith('/pop'))) await home.ok(['closetab', String(tab.id)]);
  });

  test('the cards of a flow speak the language of the panel', () => {
    const locales = path.resolve(import.meta.dirname, '../../extension/_locales');
    const catalogue = readFileSync(path.resolve(import.meta.dirname, '../../src/protocol/catalogue/conversations.rs'), 'utf8');
    const codes = [...catalogue.matchAll(/^ {4}(FLOW_\w+) = /gm)].map(([, code]) => `fault_${code.toLowerCase()}`);
    assert.equal(codes.length, 26);
    for (const locale of readdirSync(locales)) {
      const words = JSON.parse(readFileSync(path.join(locales, locale, 'messages.json'), 'utf8'));
      for (const code of codes) assert.ok(words[code]?.message, `${locale}: ${code}`);
    }
  });

  test('Stop says at which step; an act whose outcome is not known is not sent again by itself', {
    timeout: 300_000,
  }, async () => {
    own('buy', buy());
    bought = [];
    let release;
    held = new Promise((resolve) => {
      release = resolve;
    });
    own('slow', buy().replace('wait = { text = "Bought" }', 'wait = { text = "Never" }'));
    await say('/slow mail=s');
    await until(() => bought.length === 1, 'the click has arrived', 60_000);
    await panel.page.click('.stop:not([hidden])');
    await ended();
    release();
    held = null;
    const said = (await texts(lastTurn('.prose'))).join();
    assert.match(said, /Stopped at step 3 of 3\. It is not known whether that took effect\. .*\/slow --from 3, with the same values/);
    assert.equal((await steps())[2][1], 'unknown');
    assert.equal(bought.length, 1);
  });

  test('the daemon is killed in a step: nothing is sent again until the person has said so', { timeout: 300_000 }, async () => {
    bought = [];
    await say('/slow mail=k');
    await card('was cut off in step 3');
    await choose('Begin with step 1');
    await until(() => bought.length === 1, 'the click has arrived', 60_000);
    await home.kill(await home.only('daemon'));
    await panel.connected();
    await ended();
    await say('/slow mail=k');
    await card('was cut off');
    assert.equal(bought.length, 1);
    await choose('Stop here');
    await ended();
    assert.equal(bought.length, 1, 'never twice by itself');
    await say('/slow mail=k');
    await card('was cut off');
    await choose('Begin with step 1');
    await until(() => bought.length === 2, 'the person said so', 60_000);
    await panel.page.click('.stop:not([hidden])');
    await ended();
  });

  test('a flow of a repository says how to allow it, and no name is a path', {
    timeout: 200_000,
  }, async () => {
    bought = [];
    await say('/theirs mail=t');
    await ended();
    assert.match((await texts(lastTurn('.card--danger'))).join(), /have not allowed this content[\s\S]*gstack flow trust/);
    assert.deepEqual(await steps(), []);
    writeFileSync(path.join(home.home, 'outside.toml'), buy());
    for (const name of ['/../outside', '/flows/../../outside', `/${'a'.repeat(40)}`]) {
      await say(`${name} mail=x`);
      await ended();
      assert.deepEqual(await steps(), [], name);
    }
    assert.deepEqual(bought, []);
    const agents = await home.run(['chat', '/buy mail=x'], { environment: { GSTACK_TOKEN: 'x' } });
    assert.notEqual(agents.code, 0);
    // A page can send no message, whatever it knows.
    const { port } = await home.status();
    const sent = await page.evaluate(`Promise.all(['/chat', '/conversations', '/command'].map((path) =>
      fetch('http://127.0.0.1:${port}' + path, { method: 'POST', mode: 'no-cors', body: '{"text": "/buy mail=x"}' })
        .then(() => 'sent', () => 'refused')))`);
    assert.equal(sent.length, 3);
    assert.deepEqual(bought, []);
    await home.ok(['flow', 'trust', 'theirs', '--yes'], { cwd: project });
    await say('/theirs mail=t');
    await ended();
    assert.equal(bought.length, 1, 'now it is allowed');
  });
});
