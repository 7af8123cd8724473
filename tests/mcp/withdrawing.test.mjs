/* A client that asks and withdraws in a loop, so that cards blink in front of the person, is soon refused. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Scene } from '../e2e/harness/scene.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startClient } from './client.mjs';

describe('asking and withdrawing in a loop', () => {
  let scene;
  const clients = [];
  const approvals = async () => (await scene.home.json('approvals')).approvals;

  before(async () => {
    scene = await Scene.open({ agent: false });
  });
  after(async () => {
    for (const { client } of clients) await client.close();
    await scene?.close();
  });

  test('ends after a few, with a fault that says how long; another client still asks', async () => {
    const loop = await startClient(scene.home, 'loop', '--current-tab');
    clients.push(loop);
    const args = { name: 'fill', arguments: { selector: '#name', value: 'Eve' } };
    let said = '';
    let shown = 0;
    for (let turn = 0; turn < 12 && !said; turn++) {
      const stop = new AbortController();
      const call = loop.client.callTool(args, undefined, { signal: stop.signal }).then(
        (result) => {
          said = result.content.map(({ text }) => text).join('');
        },
        () => {},
      );
      await until(async () => said || (await approvals()).length === 1, 'a card, or the fault');
      shown += said ? 0 : 1;
      stop.abort();
      await call;
      await until(async () => (await approvals()).length === 0, 'it is withdrawn');
    }
    assert.match(said, /^6 approvals were withdrawn within a minute, so no new one is opened for \d+ s\n.*repeat the call once/);
    assert.equal(shown, 6);
    const other = await startClient(scene.home, 'other');
    clients.push(other);
    await other.call('newtab');
    const going = other.run('goto', { url: `${scene.site.origin}/counter` });
    const [asked] = await until(async () => {
      const all = await approvals();
      return all.length === 1 && all;
    }, 'the other one asks');
    await scene.home.ok(['approvals', 'deny', asked.approvalId]);
    assert.ok((await going).failed);
  });

  test('does not count what the person ends by taking the tab back', async () => {
    const client = await startClient(scene.home, 'patient');
    clients.push(client);
    await client.call('newtab');
    for (let round = 0; round < 8; round++) {
      const going = client.run('goto', { url: `${scene.site.origin}/counter` });
      const [{ tabId }] = await until(async () => {
        const all = await approvals();
        return all.length === 1 && all;
      }, `card ${round}`);
      const tab = String(tabId);
      await scene.home.ok(['release', tab]);
      assert.match((await going).text, /took tab \d+ back/);
      await scene.home.ok(['lease', tab, '--to', 'patient']);
    }
  });
});
