/* A driver that starts with a tab that another one has is refused, and the person reads how to get the tab. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { Scene } from '../e2e/harness/scene.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startClient } from './client.mjs';
import { openTunnel } from './holders.mjs';

describe('starting with a tab that another one has', () => {
  let scene;
  let mine;
  const open = [];
  const start = async (name) => {
    const started = await startClient(scene.home, name, '--tab', mine);
    open.push(started.client);
    return started;
  };
  const refused = async (...args) => {
    const { code, stderr } = await scene.home.run(args);
    assert.notEqual(code, 0, args.join(' '));
    assert.match(stderr, new RegExp(`tab ${mine} is leased by `), args.join(' '));
    return stderr;
  };

  before(async () => {
    scene = await Scene.open();
    mine = String((await scene.home.json('tabs')).data[0].id);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((client) => client.close()));
    scene.agent.settle();
    await scene.panel.gone('stop');
  });
  after(() => scene?.close());

  test('a tunnel and a CDP endpoint name the command that takes the tab back, and then they open', async () => {
    const holder = await start('holder');
    await holder.call('url');
    const told = await refused('cdp', '--tabs', mine);
    assert.match(told, /leased by holder/);
    for (const said of [told, await refused('tunnel', '--tabs', mine)]) assert.match(said, new RegExp(`: gstack release ${mine}\n`));
    await scene.home.ok(['release', mine]);
    const tunnel = await openTunnel(scene.home, 'build', '--tabs', mine);
    assert.match(await scene.home.ok(['tabs']), /leased by tunnel \(build\)/);
    await tunnel.end();
    await until(async () => !(await scene.home.ok(['tabs'])).includes('leased by tunnel'), 'gstack has noticed its end');
    await scene.home.ok(['cdp', '--tabs', mine]);
  });

  test("neither takes the tab of an agent's turn, and both say that the person stops it first", async () => {
    const turn = await scene.ask('Look');
    for (const command of ['tunnel', 'cdp']) assert.match(await refused(command, '--tabs', mine), /Stop the agent in the panel first/);
    turn.end();
    await scene.panel.gone('stop');
    await (await openTunnel(scene.home, 'build', '--tabs', mine)).end();
  });

  test('an MCP client reads who has the tab and that the person can take it back, and works there once they have', async () => {
    const holder = await start('holder');
    await holder.call('url');
    const second = await start('second');
    const said = await second.fault('url');
    assert.match(said, new RegExp(`tab ${mine} is leased by holder\nThe person can take the tab back`));
    assert.ok(!said.includes('gstack release'), 'a client with a shell is not told how to take it itself');
    await scene.home.ok(['release', mine]);
    assert.match(await second.call('text'), /Order/);
    assert.match(await holder.fault('tab', { id: Number(mine) }), /leased by second/);
  });

  test('the option that an MCP client was started with is written as the person typed it', async () => {
    const holder = await start('holder');
    await holder.call('url');
    const second = await start('second');
    assert.match(await second.fault('url'), /start the client without --tab\./);
  });
});
