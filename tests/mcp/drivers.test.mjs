/* Several MCP clients at one daemon: each works in its own tabs, the policy judges it, and its leases end with it. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TestHome } from '../e2e/harness/home.mjs';
import { usualOrLong } from '../e2e/harness/long.mjs';
import { Site } from '../e2e/harness/site.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startClient } from './client.mjs';

const PAIRS = usualOrLong(40, 200);

describe('MCP clients as drivers', () => {
  let home;
  let site;
  let mine;
  const open = [];

  const start = async (name, ...args) => {
    const started = await startClient(home, name, ...args);
    open.push(started.client);
    return started;
  };
  const drivers = async () => JSON.parse(await home.ok(['status', '--json'])).drivers ?? [];
  const driver = async (name) => (await drivers()).find((one) => one.name === name);
  const tabs = async () => JSON.parse(await home.ok(['tabs', '--json'])).data;
  const approvals = async () => JSON.parse(await home.ok(['approvals', '--json'])).approvals;
  /** Returns the only waiting approval. */
  const asked = () =>
    until(async () => {
      const waiting = await approvals();
      return waiting.length === 1 && waiting[0];
    }, 'the person is asked');

  before(async () => {
    home = new TestHome();
    site = await Site.start();
    await home.connect(['--headless', `${site.origin}/login`]);
    mine = (await tabs())[0].id;
    await home.ok(['policy', 'allow', 'act', '--site', site.origin.replace('http://', '')]);
  });
  after(async () => {
    await Promise.all(open.map((client) => client.close()));
    await site?.stop();
    assert.deepEqual(await home.stop(), [], 'nothing is left behind');
  });

  test(`two clients, ${PAIRS} interleaved goto and text, and none reads the other's page`, async () => {
    const pages = [
      ['/counter', 'Counter', 'Order'],
      ['/form', 'Order', 'Counter'],
    ];
    const clients = [await start('one'), await start('two')];
    let crossed = 0;
    const drive = async ({ call }, at) => {
      for (let pair = 0; pair < PAIRS / 2; pair++) {
        const [path, own, other] = pages[(pair + at) % 2];
        const expected = `${site.origin}${path}?${at}-${pair}`;
        await call('goto', { url: expected });
        const text = await call('text');
        const address = await call('url');
        if (!text.includes(own) || text.includes(other) || !address.includes(`?${at}-${pair}`)) crossed++;
      }
    };
    await Promise.all(clients.map(drive));
    assert.equal(crossed, 0);
    const [one, two] = [await driver('one'), await driver('two')];
    assert.equal(one.tabs.length, 1);
    assert.equal(two.tabs.length, 1);
    assert.notDeepEqual(one.tabs, two.tabs);
    assert.ok(![...one.tabs, ...two.tabs].includes(mine), "the person's tab is nobody's");
    const [shown] = (await tabs()).filter((tab) => tab.id === mine);
    assert.ok(shown.url.endsWith('/login'), "the person's tab stays where it was");
    assert.match(await home.ok(['status']), /^Drivers: .*one: tab \d+; two: tab \d+|two: tab \d+; one: tab \d+/m);
    const activity = await home.ok(['activity', '--json']);
    assert.ok(/"driver": ?"one"/.test(activity) && /"driver": ?"two"/.test(activity), 'the activity log names them');
  });

  test("a client neither acts on nor reads another's tab, by id, ref, tabs, tab-each or chain", async () => {
    const [victim, attacker] = [await start('victim'), await start('attacker')];
    await victim.call('goto', { url: `${site.origin}/mail` });
    const refs = await victim.call('snapshot', {});
    const [theirs] = (await driver('victim')).tabs;
    await attacker.call('goto', { url: `${site.origin}/form` });
    for (const foreign of [theirs, mine]) {
      for (const tool of ['tab', 'closetab']) {
        const said = await attacker.fault(tool, { id: foreign });
        assert.ok(!said.includes('Inbox') && !said.includes('/mail'), said);
        assert.match(said, foreign === theirs ? /leased by victim[\s\S]*`lease`/ : /not one of/);
      }
      const listed = await attacker.call('tabs');
      assert.ok(!listed.includes(`[${foreign}]`) && !listed.includes('Inbox') && !listed.includes('Login'), listed);
    }
    const wanted = attacker.run('lease', { id: theirs });
    await home.ok(['approvals', 'deny', (await asked()).approvalId]);
    assert.match((await wanted).text, /did not give/);
    assert.match(await attacker.fault('lease', { id: theirs, to: 'attacker' }), /can't give tabs/);
    await attacker.fault('release', { id: theirs });
    // Commands that run others are no tools of a client that the policy judges, and neither are those beyond the core.
    for (const hidden of ['chain', 'tab-each', 'cookies', 'status', 'cdp']) {
      await assert.rejects(attacker.client.callTool({ name: hidden, arguments: { commands: ['text'] } }), /Unknown tool/);
    }
    // A ref of the other's snapshot is not one of this tab.
    const ref = /@e\d+/.exec(refs)?.[0] ?? '@e1';
    const clicked = await attacker.run('click', { selector: ref, timeout: 500 });
    assert.ok(!clicked.text.includes('/mail'), clicked.text);
    assert.ok((await victim.call('url')).includes('/mail'), 'the tab is where its driver left it');
    assert.deepEqual((await driver('victim')).tabs, [theirs]);
    assert.ok((await tabs()).some((tab) => tab.id === mine));
    // What the person sees and may do is not limited.
    const [held] = (await tabs()).filter((tab) => tab.id === theirs);
    assert.equal(held.leasedBy, 'victim');
    assert.match(await home.ok(['text', '--tab', String(theirs)]), /Inbox/);
    const free = JSON.parse(await home.ok(['tabs', '--mine', '--json'])).data.map((tab) => tab.id);
    assert.ok(free.includes(mine) && !free.includes(theirs));
  });

  test('a process that registers itself gets its own tabs and nothing of the person, whatever it sends', async () => {
    const victim = await start('prey');
    await victim.call('goto', { url: `${site.origin}/mail` });
    const [theirs] = (await driver('prey')).tabs;
    const send = (address, body) =>
      new Promise((resolve, reject) => {
        const headers = { 'content-type': 'application/json', accept: 'application/json' };
        const asked = request({ socketPath: path.join(home.home, 'http.sock'), path: address, method: 'POST', headers }, resolve);
        asked.on('error', reject);
        asked.end(JSON.stringify(body));
      });
    const told = async (address, body) => {
      const answer = await send(address, body);
      let text = '';
      for await (const part of answer) text += part;
      return { status: answer.statusCode, text };
    };
    const foreign = await told('/command', { command: 'text', args: [], driverId: (await driver('prey')).driverId });
    assert.equal(foreign.status, 403, 'a registration belongs to its process');
    assert.match(foreign.text, /registration has ended/);
    const registered = await send('/driver', { client: 'raw' });
    assert.equal(registered.statusCode, 200);
    await until(async () => (await driver('raw')) !== undefined, 'the process is registered');
    for (const [command, ...args] of [
      ['text'],
      ['closetab', String(theirs)],
      ['tab', String(theirs)],
      ['chain', `tab ${theirs} | text`],
      ['tab-each', 'text'],
      ['cookies'],
      ['release', String(theirs)],
    ]) {
      for (const address of ['/command', '/command/lines']) {
        const { text } = await told(address, { command, args, tabId: theirs });
        assert.ok(!text.includes('Inbox') && !text.includes('"ok":true'), `${address} ${command}: ${text}`);
      }
    }
    const wanted = told('/command', { command: 'lease', args: [String(theirs)] });
    assert.match((await asked()).why, /leased by prey/);
    await home.ok(['approvals', 'deny', (await asked()).approvalId]);
    assert.match((await wanted).text, /did not give/);
    for (const address of ['/driver', '/policy/add', '/policy', '/approvals/answer', '/stop', '/status', '/chat']) {
      const method = await told(address, { command: 'text', args: [] });
      assert.ok([403, 405].includes(method.status), `${address}: ${method.status} ${method.text}`);
    }
    assert.deepEqual((await driver('prey')).tabs, [theirs]);
    registered.destroy();
    await until(async () => (await driver('raw')) === undefined, 'the registration ends with its connection');
    assert.equal((await told('/command', { command: 'url', args: [] })).status, 200, 'it is the person again');
  });

  test('a trusted client keeps out of leased tabs too, and the audit says that it is trusted', async () => {
    const [holder, trusted] = [await start('holder'), await start('broad', '--trusted', '--profile', 'all', '--secrets', '--name', 'mine')];
    await holder.call('goto', { url: `${site.origin}/mail` });
    const [theirs] = (await driver('holder')).tabs;
    assert.ok((await trusted.call('url')).includes('/login'), 'it works in the current tab, as the person');
    assert.match(await trusted.fault('tab', { id: theirs }), /leased by holder/);
    const wanted = trusted.run('lease', { id: theirs });
    assert.equal((await asked()).ask, `Take tab ${theirs} from holder`);
    await home.ok(['approvals', 'deny', (await asked()).approvalId]);
    assert.match((await wanted).text, /did not give/);
    assert.deepEqual((await driver('holder')).tabs, [theirs]);
    const each = await trusted.call('tab-each', { commands: 'text' });
    assert.ok(!each.includes('Inbox') && each.includes('Login'), each);
    const inside = await trusted.call('chain', { commands: `tab ${theirs} | text` });
    assert.ok(!inside.includes('Inbox') && inside.includes('leased by holder'), inside);
    assert.match(await home.ok(['audit']), /mcp: broad \(mine\)/);
  });

  test('what goes beyond looking waits for the person, who may refuse it', async () => {
    const one = await start('asker', '--name', 'work');
    await one.call('newtab');
    const going = one.run('goto', { url: `http://localhost:${new URL(site.origin).port}/counter` });
    const [asked] = await until(async () => {
      const waiting = await approvals();
      return waiting.length > 0 && waiting;
    }, 'the approval is listed');
    assert.equal(asked.driver, 'asker (work)');
    await home.ok(['approvals', 'deny', asked.approvalId]);
    const { failed, text } = await going;
    assert.ok(failed, text);
    const wanted = one.run('lease', { id: mine });
    const [lease] = await until(async () => {
      const waiting = await approvals();
      return waiting.length > 0 && waiting;
    }, 'the lease is asked for');
    await home.ok(['approvals', 'allow', lease.approvalId]);
    const given = await wanted;
    assert.ok(!given.failed, given.text);
    assert.ok((await driver('asker (work)')).tabs.includes(mine));
    await one.call('tab', { id: mine });
    assert.match(await one.call('text'), /Login/);
    await home.ok(['release', String(mine)]);
    await one.fault('tab', { id: mine });
    const audit = await home.ok(['audit']);
    assert.ok(audit.includes('mcp: asker (work)') && audit.includes(`lease ${mine}`), audit);
  });

  test('a tab passes from one driver to another by the person alone', async () => {
    const [from, to] = [await start('from', '--tab', String(mine)), await start('to')];
    assert.match(await from.call('text'), /Login/);
    await to.call('newtab');
    await home.ok(['lease', String(mine), '--to', 'to']);
    assert.ok((await driver('to')).tabs.includes(mine) && !(await driver('from')).tabs.includes(mine));
    await from.fault('tab', { id: mine });
    await to.call('tab', { id: mine });
    assert.match(await to.call('text'), /Login/);
    const nobody = await home.run(['lease', String(mine), '--to', 'nobody']);
    assert.match(nobody.stderr, /no driver is named/);
    await home.ok(['release', String(mine)]);
  });

  test('a client asks for a tab that another one has: a no leaves it, a yes moves it and ends what runs there', async () => {
    const [keeper, taker] = [await start('keeper'), await start('taker', '--name', 'work')];
    await keeper.call('goto', { url: `${site.origin}/mail` });
    await taker.call('newtab');
    const [theirs] = (await driver('keeper')).tabs;
    const refused = taker.run('lease', { id: theirs });
    const { approvalId, ask, why, driver: from, tabId } = await asked();
    assert.deepEqual([ask, from, tabId], [`Take tab ${theirs} from keeper`, 'taker (work)', theirs]);
    assert.match(why, /leased by keeper, which loses it at once/);
    assert.match(await home.ok(['approvals']), /leased by keeper[^]*approvals allow ID, or deny ID/, 'it can only be allowed once');
    await home.ok(['approvals', 'deny', approvalId]);
    assert.match((await refused).text, new RegExp(`did not give you tab ${theirs}`));
    assert.match(await keeper.call('text'), /Inbox/, 'the holder works on');
    assert.match(await taker.fault('tab', { id: theirs }), /leased by keeper/);
    // When the person says yes, the holder's running command ends, and it learns who has the tab.
    const running = keeper.run('wait', { selector: '#never', timeout: 120_000 });
    const runs = ({ command, outcome }) => command === 'wait' && outcome === 'running';
    await until(async () => (await home.json('activity')).entries.some(runs), 'it runs');
    const given = taker.run('lease', { id: theirs });
    await home.ok(['approvals', 'allow', (await asked()).approvalId]);
    assert.ok(!(await given).failed, (await given).text);
    const cut = await running;
    assert.ok(cut.failed && /took tab \d+ back/.test(cut.text), cut.text);
    assert.deepEqual((await driver('keeper')).tabs, []);
    assert.ok((await driver('taker (work)')).tabs.includes(theirs));
    assert.match(await keeper.fault('tab', { id: theirs }), /leased by taker \(work\)/);
    await taker.call('tab', { id: theirs });
    assert.match(await taker.call('text'), /Inbox/);
    assert.match(await home.ok(['audit']), new RegExp(`lease ${theirs} from keeper`));
  });

  test('a yes takes a tab only from the driver that the person was told of', async () => {
    const [first, second, third] = [await start('first'), await start('second'), await start('third')];
    await first.call('goto', { url: `${site.origin}/mail` });
    await second.call('newtab');
    await third.call('newtab');
    const [theirs] = (await driver('first')).tabs;
    const wanted = third.run('lease', { id: theirs });
    const { approvalId } = await asked();
    await home.ok(['lease', String(theirs), '--to', 'second']);
    await home.ok(['approvals', 'allow', approvalId]);
    assert.match((await wanted).text, /leased by second/);
    assert.ok((await driver('second')).tabs.includes(theirs));
    // A client that ends withdraws what it asked for.
    const left = third.run('lease', { id: theirs }).catch(() => undefined);
    await asked();
    process.kill(third.pid, 'SIGKILL');
    await until(async () => (await approvals()).length === 0, 'nothing waits');
    await left;
    assert.ok((await driver('second')).tabs.includes(theirs));
  });

  test('the stream of approvals has a line when one of a client opens and one when it is answered', async () => {
    const one = await start('streamed');
    await one.call('newtab');
    const lines = [];
    const watching = home.start(['approvals', '--watch', '--json']);
    let said = '';
    watching.stdout.on('data', (data) => {
      said += data;
      const whole = said.split('\n');
      said = whole.pop();
      lines.push(...whole.map((line) => JSON.parse(line).approvals.map(({ approvalId, driver: from }) => [approvalId, from])));
    });
    await until(() => lines.length === 1, 'the first line');
    const wanted = one.run('lease', { id: mine });
    const { approvalId } = await asked();
    await until(() => lines.length === 2, 'a line when it opens');
    await home.ok(['approvals', 'deny', approvalId]);
    await wanted;
    await until(() => lines.length === 3, 'a line when it is answered');
    assert.deepEqual(lines, [[], [[approvalId, 'streamed']], []]);
    watching.kill('SIGKILL');
  });

  test('a lease and an open approval end with a killed holder', async () => {
    const doomed = await start('doomed', '--tab', String(mine));
    await doomed.call('text');
    assert.deepEqual((await driver('doomed')).tabs, [mine]);
    const waiting = doomed.run('goto', { url: `http://localhost:${new URL(site.origin).port}/form` }).catch(() => undefined);
    await until(async () => (await approvals()).length > 0, 'the approval is listed');
    process.kill(doomed.pid, 'SIGKILL');
    await until(async () => (await driver('doomed')) === undefined, 'the registration has ended');
    await waiting;
    assert.deepEqual(await approvals(), []);
    const next = await start('next', '--tab', String(mine));
    assert.match(await next.call('text'), /Login/, 'the tab is free again');
    assert.deepEqual((await driver('next')).tabs, [mine]);
  });

  test('after the daemon ended, a client registers again and is not taken for the person', async () => {
    const one = await start('again');
    await one.call('newtab');
    await home.ok(['restart']);
    await until(async () => {
      await one.run('tabs', {});
      return (await driver('again')) !== undefined;
    }, 'the client is registered again');
    const listed = await one.call('tabs');
    assert.ok(!listed.includes('Login'), listed);
  });
});
