/* MCP clients in the side panel: it shows and answers their approvals, says who leases its tab, and takes the tab back. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { BarePanel, HELLO, host } from '../e2e/harness/host.mjs';
import { frame } from '../e2e/harness/frames.mjs';
import { seen } from '../e2e/harness/marks.mjs';
import { Scene } from '../e2e/harness/scene.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startClient } from './client.mjs';

const CARD = `document.querySelector('#clients .approval')`;
const LINE = `document.querySelector('#clients .decided')`;
const LEASE = `document.querySelector('#lease')`;
const ARMED = `${CARD} && !${CARD}.classList.contains('is-arming')`;

describe('MCP clients in the side panel', () => {
  let scene;
  let mine;
  const open = [];
  const start = async (name, ...args) => {
    const started = await startClient(scene.home, name, ...args);
    open.push(started.client);
    return started;
  };
  const panel = () => scene.panel.page;
  const approvals = async () => (await scene.home.json('approvals')).approvals;
  const waiting = (number = 1) =>
    until(async () => {
      const all = await approvals();
      return all.length === number && all;
    }, `${number} approvals wait`);
  const choose = async (decision) => {
    await panel().waitFor(ARMED, 'the card can be answered');
    await panel().evaluate(`(globalThis.answered = ${CARD}).querySelector('[data-choice="${decision}"]').click()`);
    await panel().waitFor('!globalThis.answered.isConnected', 'the answered card is closed');
  };
  const gone = () => panel().waitFor(`document.querySelector('#clients').hidden`, 'no card of a client');
  const said = (expression) => panel().evaluate(`${expression}.innerText`);
  const dismissed = async () => {
    await panel().evaluate(`document.querySelector('.clients__one > .icon-button').click()`);
    await gone();
  };

  before(async () => {
    scene = await Scene.open({ agent: false });
    mine = (await scene.home.json('tabs')).data[0].id;
  });
  afterEach(() => Promise.all(open.splice(0).map((client) => client.close())));
  after(async () => {
    await scene?.close();
  });

  test('an approval is a card beside its tab, and its answer there runs the call', async () => {
    const client = await start('cursor', '--name', 'work', '--current-tab');
    const filling = client.run('fill', { selector: '#name', value: 'Ada' });
    await panel().waitFor(CARD, 'the card');
    const words = await said(CARD);
    assert.match(words, /cursor \(work\)/);
    assert.match(words, /Fill “Name”/);
    assert.match(words, /localhost|127\.0\.0\.1/);
    await panel().waitFor(`${LEASE}.innerText.includes('cursor (work) is working in this tab')`, 'who leases the tab');
    await seen(scene.page, 'pill', 'cursor (work)');
    await choose('allow-once');
    assert.ok(!(await filling).failed);
    await gone();
    assert.equal(await scene.page.evaluate(`document.querySelector('#name').value`), 'Ada');
    const denied = client.run('fill', { selector: '#name', value: 'Eve' });
    await choose('deny');
    const { failed, text } = await denied;
    assert.ok(failed && /said no|denied/i.test(text), text);
    assert.equal(await scene.page.evaluate(`document.querySelector('#name').value`), 'Ada');
    // The text is the person's to change, as in an agent's card.
    const changed = client.run('fill', { selector: '#name', value: 'Mallory' });
    await panel().waitFor(ARMED, 'the card can be answered');
    await panel().evaluate(`{
      const field = ${CARD}.querySelector('.asked-text');
      field.value = 'Grace';
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }`);
    await choose('allow-once');
    assert.match((await changed).text, /The person changed the text/);
    assert.equal(await scene.page.evaluate(`document.querySelector('#name').value`), 'Grace');
    // A choice for longer holds as long as the client is connected.
    const more = client.run('fill', { selector: '#name', value: 'Ada' });
    await choose('allow-conversation');
    assert.ok(!(await more).failed);
    assert.ok(!(await client.run('fill', { selector: '#name', value: 'Lin' })).failed, 'nothing is asked');
    await gone();
    await client.client.close();
    await panel().waitFor(`${LEASE}.hidden`, 'the lease ends with the client');
  });

  test('a card that asks for the tab of another client says who has it and what a yes takes away', async () => {
    const holder = await start('zed', '--current-tab');
    await holder.call('url');
    const client = await start('<img src=x>', '--name', 'work');
    await client.call('newtab');
    const asking = client.run('lease', { id: Number(mine) });
    await panel().waitFor(CARD, 'the card');
    const words = await said(CARD);
    assert.match(words, /<img src=x> \(work\)/, 'a name is text');
    assert.match(words, new RegExp(`Take tab ${mine} from zed`));
    assert.match(words, /leased by \S*zed\S*, which loses it at once/);
    await panel().waitFor(`${LEASE}.innerText.includes('zed is working in this tab')`, 'the holder has it');
    await choose('allow-once');
    assert.ok(!(await asking).failed);
    await panel().waitFor(`${LEASE}.innerText.includes('(work) is working in this tab')`, 'the other one has it');
    assert.match(await holder.fault('tab', { id: Number(mine) }), /leased by <img src=x> \(work\)/);
    await gone();
    await client.client.close();
    await panel().waitFor(`${LEASE}.hidden`, 'the lease ends with the client');
  });

  test('a card that is answered elsewhere, or whose client goes, closes with the reason', async () => {
    const client = await start('zed', '--tab', String(mine));
    const filling = client.run('fill', { selector: '#name', value: 'Ada' });
    await panel().waitFor(CARD, 'the card');
    const [asked] = await waiting();
    await scene.home.ok(['approvals', 'deny', asked.approvalId]);
    assert.ok((await filling).failed);
    await panel().waitFor(LINE, 'the line that remains');
    assert.match(await said(LINE), /Denied in the terminal/);
    const again = client.run('fill', { selector: '#name', value: 'Ada' }).catch(() => undefined);
    await panel().waitFor(CARD, 'the next card replaces the line');
    process.kill(client.pid, 'SIGKILL');
    await panel().waitFor(LINE, 'the client is gone');
    assert.match(await said(LINE), /withdrawn/);
    await again;
    await dismissed();
  });

  test('the person takes the tab back: what runs there ends at once, and the client is refused from then on', async () => {
    const client = await start('taker', '--tab', String(mine));
    await client.call('url');
    await panel().waitFor(`${LEASE}.innerText.includes('taker')`, 'who leases the tab');
    const takeBack = () => panel().evaluate(`${LEASE}.querySelector('button').click()`);
    const filling = client.run('fill', { selector: '#name', value: 'Eve' });
    await panel().waitFor(CARD, 'the card');
    await takeBack();
    const { failed, text } = await filling;
    assert.ok(failed && text.includes(`the person took tab ${mine} back`), text);
    await panel().waitFor(`${LEASE}.hidden`, 'nobody leases it');
    await panel().waitFor(LINE, 'the card is closed');
    await dismissed();
    await client.fault('tab', { id: mine });
    assert.ok(!(await client.call('tabs')).includes(`[${mine}]`));
    // It may ask for the tab, in the panel of that tab.
    const wanted = client.run('lease', { id: mine });
    await choose('allow-once');
    assert.ok(!(await wanted).failed);
    await client.call('tab', { id: mine });
    const waits = client.run('wait', { selector: '#never', timeout: 30_000 });
    await panel().waitFor(`!${LEASE}.hidden`, 'it is leased again');
    await until(async () => /wait/.test(await scene.home.ok(['activity'])), 'the command runs');
    await takeBack();
    assert.match((await waits).text, new RegExp(`took tab ${mine} back`));
  });

  test('an approval for a tab that no panel shows is in every panel, with a link that leads there', async () => {
    const client = await start('far');
    await client.call('newtab');
    const going = client.run('goto', { url: `http://127.0.0.1:${new URL(scene.site.origin).port}/counter` });
    await panel().waitFor(CARD, 'the card');
    assert.ok(await panel().evaluate(`${LEASE}.hidden`), 'this tab is not the client’s');
    // A panel that opens later, also in another browser, sees it too.
    const [{ conversationId, approvalId }] = await waiting();
    const later = await BarePanel.open(scene.home, 'later');
    const fits = ({ method, params }) => method === 'drivers.changed' && params.approvals.length > 0;
    const told = later.pushed.find(fits) ?? (await later.chrome.frames.next(fits, 'the pending approval'));
    assert.equal(told.params.approvals[0].approval.approvalId, approvalId);
    assert.equal(told.params.approvals[0].from.client, 'far');
    assert.equal(told.params.approvals[0].tab, undefined, 'its browser does not have the tab');
    await panel().evaluate(`(async () => {
      [globalThis.before] = await chrome.tabs.query({ active: true, currentWindow: true });
      ${CARD}.querySelector('.link').click();
    })()`);
    await panel().waitFor(`${LEASE}.innerText.includes('far')`, 'the panel follows to the tab');
    assert.equal((await later.ask('approval.answer', { conversationId, approvalId, decision: 'deny' })).error, undefined);
    const ended = ({ method }) => method === 'drivers.answered';
    const closed = later.pushed.find(ended) ?? (await later.chrome.frames.next(ended, 'how it ended'));
    assert.deepEqual(closed.params, { approvalId, decision: 'deny', by: 'panel' });
    assert.ok((await going).failed);
    await panel().waitFor(LINE, 'it is closed here too');
    await later.close();
    await dismissed();
    await panel().evaluate('void chrome.tabs.update(globalThis.before.id, { active: true })');
  });

  test('neither the client, a script nor a panel that is not confirmed answers, and nothing is told to it', async () => {
    const client = await start('self', '--tab', String(mine));
    const filling = client.run('fill', { selector: '#name', value: 'Eve' });
    const [{ conversationId, approvalId }] = await waiting();
    const impostor = host(scene.home);
    impostor.write(frame({ ...HELLO, params: { ...HELLO.params, instanceId: 'impostor' } }));
    await impostor.frames.next((message) => message.id === 1);
    const pushed = [];
    for (const [id, method, params] of [
      [2, 'approval.answer', { conversationId, approvalId, decision: 'allow-once' }],
      [3, 'drivers.release', { chromeTabId: 1 }],
      [4, 'drivers.give', { chromeTabId: 1, driverId: (await scene.home.status()).drivers[0].driverId }],
    ]) {
      impostor.write(frame({ jsonrpc: '2.0', client: 'p', id, method, params }));
      const { error } = await impostor.frames.next((message) => message.id === id || (pushed.push(message), false), method);
      assert.equal(error.code, 'panel-unconfirmed', method);
    }
    assert.ok(!pushed.some(({ method }) => /^(?:drivers|approvals)\./.test(method ?? '')), JSON.stringify(pushed));
    impostor.child.stdin.end();
    // A registered client that speaks to the daemon itself is refused as well.
    const send = (address, body) =>
      new Promise((resolve, reject) => {
        const headers = { 'content-type': 'application/json', accept: 'application/json' };
        const asked = request({ socketPath: path.join(scene.home.home, 'http.sock'), path: address, method: 'POST', headers }, resolve);
        asked.on('error', reject);
        asked.end(JSON.stringify(body));
      });
    const registered = await send('/driver', { client: 'raw' });
    assert.equal(registered.statusCode, 200);
    const answered = await send('/approvals/answer', { conversationId, approvalId, decision: 'allow-once' });
    assert.equal(answered.statusCode, 403);
    registered.destroy();
    assert.equal((await approvals()).length, 1, 'it still waits');
    await choose('deny');
    assert.ok((await filling).failed);
    await gone();
  });

  test('a flood of requests is a few cards and clear faults; a hostile name is short, visible text', async () => {
    const client = await start(`<img src=x onerror=alert(1)>\u202e\u0007${'x'.repeat(10_000)}`, '--tab', String(mine));
    const calls = Array.from({ length: 12 }, (_, at) => client.run('fill', { selector: '#name', value: `flood ${at}` }));
    await waiting(4);
    const refused = await Promise.race(calls);
    assert.ok(refused.failed && /4 approvals of MCP clients wait/.test(refused.text), refused.text);
    await panel().waitFor(CARD, 'the card');
    assert.equal(await panel().evaluate(`document.querySelectorAll('#clients .approval').length`), 1);
    // The panel learns of each a moment after the daemon has it.
    await panel().waitFor(`document.querySelector('.clients__more')?.textContent.includes('3')`, 'three more');
    const { name, images } = await panel().evaluate(
      `({ name: ${CARD}.querySelector('bdi').textContent, images: document.querySelectorAll('#clients img:not(.favicon)').length })`,
    );
    assert.equal(images, 0);
    assert.ok(name.startsWith('<img src=x onerror=alert[1]>⟨U+202E⟩') && [...name].length <= 40, name);
    assert.ok(!/[\u0007\u202e]/.test(name), name);
    await panel().evaluate(`${LEASE}.querySelector('button').click()`);
    for (const { failed } of await Promise.all(calls)) assert.ok(failed);
    assert.deepEqual(await approvals(), []);
    assert.notEqual(await scene.page.evaluate(`document.querySelector('#name').value`), 'flood 0');
  });
});
