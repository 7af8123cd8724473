/*
 * An agent that needs a folder which the sandbox refuses: the person is asked once, and what must stay closed is not offered,
 * whatever an agent says. `tests/fake/needy-agent.mjs` is the agent.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TestHome } from './harness/home.mjs';
import { Site } from './harness/site.mjs';
import { until } from './harness/wait.mjs';

const AGENT = path.resolve(import.meta.dirname, '../fake/needy-agent.mjs');

describe('an agent that needs a folder', { concurrency: false }, () => {
  let home;
  let site;
  let panel;
  const of = (name) => path.join(home.person, name);
  const wants = (agent, folder, claims = false) =>
    writeFileSync(path.join(home.person, 'wanted', `${agent}.txt`), `${claims ? 'claims ' : ''}${folder}\n`);
  const waiting = async () => JSON.parse(await home.ok(['approvals', '--json'])).approvals;
  const config = () => readFileSync(path.join(home.home, 'config.toml'), 'utf8');
  /** Ends gstack with its agents. The extension starts it. */
  const restart = async () => {
    await home.ok(['stop']);
    await until(async () => (await home.run(['status'])).code === 0, 'gstack starts again');
  };
  /** Sends a message to an agent; `said` has what the command prints in the end. */
  const chat = (agent) => {
    const child = home.start(['chat', '--agent', agent, 'go']);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        said += data;
      });
    child.stdin.end();
    return { ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, said }))) };
  };
  const card = async () => {
    let found;
    await until(
      async () => {
        [found] = await waiting();
        return found;
      },
      () => `no card:\n${home.log()}`,
    );
    return found;
  };

  before(async () => {
    home = new TestHome({ permanent: true });
    site = await Site.start();
    mkdirSync(home.home, { mode: 0o700 });
    mkdirSync(path.join(home.person, 'wanted'));
    for (const folder of ['.ssh', '.config/gh', 'letters']) mkdirSync(of(folder), { recursive: true });
    const own = ['needy', 'other'].map((agent) => {
      wants(agent, of('.needy-data/state'));
      const command = [process.execPath, AGENT, path.join(home.person, 'wanted', `${agent}.txt`)];
      return `[agents.own.${agent}]\ncommand = ${JSON.stringify(command)}\n`;
    });
    writeFileSync(path.join(home.home, 'config.toml'), `# mine\n[agents]\ndefault = "needy"\n${own.join('')}`, { mode: 0o600 });
    await home.connect(['--headless', `${site.origin}/form`]);
    panel = await home.panel(await home.devtools());
    await panel.page.waitFor(`document.querySelector('.connection')?.innerText.includes('needy: broken')`, 'the state of the agent');
  });

  after(async () => {
    assert.deepEqual(await home.stop(), []);
    await site?.stop();
  });

  test('asks for it on a card, starts once it is allowed, and never asks again', async () => {
    await panel.say('go');
    const buttons = `[...document.querySelectorAll('.approval [data-choice]')].map((one) => one.dataset.choice).join()`;
    await panel.page.waitFor(`${buttons} === 'allow-always,deny'`, 'the card with two buttons');
    const shown = await panel.page.evaluate(`document.querySelector('.approval').innerText`);
    assert.ok(shown.includes(of('.needy-data')) && !shown.includes(of('.needy-data/state')), shown);
    assert.match(shown, /remembers it for needy/);
    assert.equal(existsSync(of('.needy-data')), false);
    await panel.answer('Always allow');
    await panel.seen('answer', `It is in ${of('.needy-data/state')}.`);
    assert.equal(readFileSync(of('.needy-data/state/state'), 'utf8'), 'kept');
    assert.ok(config().startsWith('# mine\n'), config());
    assert.match(config(), /\[agents\.folders\]\nneedy = \["[^"]*\/\.needy-data"\]/);
    await panel.gone('stop');
    await restart();
    await panel.connected();
    await panel.say('once more');
    await panel.count('answer', 2);
    assert.deepEqual(await waiting(), []);
  });

  test('another agent is asked about by itself, and a no ends its turn with what to do', async () => {
    const { ended } = chat('other');
    const asked = await card();
    assert.deepEqual(asked.choices, ['allow-always', 'deny']);
    const once = await home.run(['approvals', 'allow', asked.approvalId]);
    assert.notEqual(once.code, 0, once.stdout);
    await home.ok(['approvals', 'deny', asked.approvalId]);
    const { code, said } = await ended;
    assert.notEqual(code, 0);
    assert.match(said, /needs to write ~\/\.needy-data/);
    assert.doesNotMatch(config(), /other = /);
  });

  test('a stop closes the card and starts nothing', async () => {
    const { ended } = chat('other');
    await card();
    await home.ok(['chat', '--stop', '--all']);
    assert.notEqual((await ended).code, 0);
    assert.deepEqual(await waiting(), []);
  });

  test('keys, gstack, other agents, the home folder and links are never offered', async () => {
    for (const [link, target] of [
      ['.keys', '.ssh'],
      ['.all', '.'],
      ['.letters', 'letters'],
    ])
      symlinkSync(of(target), of(link));
    symlinkSync('/', of('.root'));
    const closed = ['.ssh', '.ssh/id', '.config', '.config/gh/hosts.yml', '.claude/x', '.keys/id', '.all', '.root', ''].map(of);
    for (const wanted of [
      ...closed,
      '/',
      home.home,
      path.join(home.home, 'config.toml'),
      of('.letters/a'),
      of('letters/a'),
      of('.bashrc/..'),
    ]) {
      wants('other', wanted, true);
      const { code, said } = await chat('other').ended;
      assert.notEqual(code, 0, wanted);
      if (!/letters/.test(wanted)) assert.match(said, /stays closed to agents/, `${wanted}: ${said}`);
      assert.deepEqual(await waiting(), [], wanted);
    }
    assert.doesNotMatch(config(), /other = |sandbox-write/);
  });

  test('a link in the place of an allowed folder opens nothing', async () => {
    renameSync(of('.needy-data'), of('.needy-old'));
    symlinkSync(of('.ssh'), of('.needy-data'));
    await restart();
    const { code } = await chat('needy').ended;
    assert.notEqual(code, 0);
    assert.deepEqual(await waiting(), []);
    assert.deepEqual(readdirSync(of('.ssh')), []);
  });
});
