/*
 * What the program's own commands print with `--json` is what docs/COMMANDS.md says: each command runs, and its output
 * is held against the type that the page names. docs/openapi.json has the named types.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv/dist/2020.js';
import { Everyday } from './harness/everyday.mjs';
import { schemaOf } from './harness/notation.mjs';
import { Scene } from './harness/scene.mjs';
import { until } from './harness/wait.mjs';

const docs = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../docs');
/** Where the outputs of those are held against their types that need more than one gstack. */
const ELSEWHERE = { upgrade: 'tests/packaging/upgrade.test.mjs' };

/** Returns what the page says about `--json`: the type of each command, and whether it is that of a line. */
function documented() {
  const [, list] = readFileSync(path.join(docs, 'COMMANDS.md'), 'utf8').split('What they print with `--json`');
  const rows = [...list.matchAll(/^- `(?<command>[^`]+)`: (?:`(?<type>[^`]+)`(?<lines> on each line)?|(?<nothing>nothing)|no JSON.*)/gm)];
  return new Map(rows.map(({ groups }) => [groups.command, groups]));
}

describe('--json of the program’s own commands', () => {
  const rows = documented();
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const { components } = JSON.parse(readFileSync(path.join(docs, 'openapi.json'), 'utf8'));
  ajv.addSchema({ $id: 'openapi', components });
  const seen = new Set();
  let scene;
  let tab;

  before(async () => {
    scene = await Scene.open();
    tab = (await scene.home.json('tabs')).data[0].id;
  });
  after(() => scene?.close());

  /** Holds one value against the type of a command. */
  function fits(command, value) {
    const validate = ajv.compile(schemaOf(rows.get(command).type));
    assert.ok(validate(value), `${command}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(value, null, 1).slice(0, 2000)}`);
    seen.add(command);
    return value;
  }

  const lines = (text) =>
    text
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));

  /** Runs a command of the page, and returns what it printed. */
  async function run(command, ...args) {
    const row = rows.get(command);
    assert.ok(row, `docs/COMMANDS.md does not name ${command}`);
    const said = await scene.home.ok([...command.split(' '), ...args, '--json']);
    if (row.nothing) {
      assert.equal(said, '', command);
      seen.add(command);
      return undefined;
    }
    if (!row.lines) return fits(command, JSON.parse(said));
    const values = lines(said);
    assert.ok(values.length > 0, `${command} prints at least one line`);
    return values.map((value) => fits(command, value));
  }

  /** Starts a command that goes on, and ends it once it printed a line. */
  async function follow(command, then, ...args) {
    const child = scene.home.start([...command.split(' '), ...args, '--json']);
    let said = '';
    child.stdout.on('data', (data) => {
      said += data;
    });
    await then?.();
    await until(
      () => said.includes('\n'),
      () => `${command} prints a line`,
    );
    child.kill('SIGKILL');
    return lines(said.slice(0, said.lastIndexOf('\n') + 1)).map((value) => fits(command, value));
  }

  test('a conversation, its approvals and what was recorded of them', async () => {
    const chat = scene.home.start(['chat', 'Buy the lamp', '--json', '--tab', String(tab)]);
    let said = '';
    chat.stdout.on('data', (data) => {
      said += data;
    });
    const turn = await scene.agent.prompt();
    const clicking = turn.tool('click', { selector: 'button' });
    const { approvalId } = await scene.approval();
    assert.equal((await run('approvals')).approvals.length, 1);
    const config = path.join(scene.home.home, 'config.toml');
    const settings = existsSync(config) ? readFileSync(config, 'utf8') : '';
    writeFileSync(config, '[agents]\napproval-link-base = "https://approve.example"\n');
    await scene.home.ok(['settings', 'set', 'agents.pause-on-input', 'true']);
    await run('approvals link', approvalId);
    writeFileSync(config, settings);
    await scene.home.ok(['settings', 'set', 'agents.pause-on-input', 'true']);
    await follow('approvals --watch');
    await run('approvals allow', approvalId);
    assert.ok(!(await clicking).isError);
    const denied = turn.tool('fill', { selector: '#name', value: 'Ada' });
    await run('approvals deny', (await scene.approval()).approvalId);
    assert.ok((await denied).isError);
    const asked = turn.ask('AskUserQuestion', {
      questions: [{ question: 'Which?', header: 'Colour', multiSelect: false, options: [{ label: 'Green', description: '' }] }],
    });
    await until(async () => (await run('approvals')).questions?.length === 1, 'the question waits');
    await run('approvals answer', 'Green');
    await asked;
    turn.say('Bought.');
    turn.end();
    await until(() => chat.exitCode !== null, 'the chat ends');
    const kinds = lines(said).map((line) => Object.keys(fits('chat', line))[0]);
    assert.ok(new Set(kinds).size > 1, `lines of several kinds: ${kinds}`);
    const second = scene.home.run(['chat', 'And the table', '--json', '--tab', String(tab)]);
    await scene.agent.prompt();
    assert.equal((await run('chat --stop', '--tab', String(tab))).turns, 1);
    assert.notEqual((await second).code, 0, 'a turn that was stopped is no success');
    assert.equal((await run('stop-turn')).turns, 0);
    await run('chat --continue');
    assert.ok((await run('audit')).length >= 2);
    await run('audit --verify');
    await follow('audit --follow');
    assert.ok((await run('activity')).entries.length >= 1);
    await follow('activity --follow', () => scene.home.ok(['url']));
    assert.match((await run('evidence', '--last')).html, /Buy the lamp/);
  });

  test('the list of conversations and what is done with one', async () => {
    const [{ conversationId }] = (await run('sessions')).conversations;
    await run('sessions list');
    assert.equal((await run('sessions show', conversationId)).conversation.conversationId, conversationId);
    assert.ok((await run('sessions export', conversationId)).events.length > 3);
    assert.equal((await run('sessions rename', conversationId, 'Lamps')).title, 'Lamps');
    await run('sessions open', conversationId);
    await run('sessions compact', conversationId);
    await run('sessions delete', conversationId);
    await run('sessions restore', conversationId);
  });

  test('a tunnel', async () => {
    const { stdout } = scene.home.start(['tunnel', '--json']);
    let said = '';
    stdout.on('data', (data) => {
      said += data;
    });
    const opened = await until(() => {
      try {
        return JSON.parse(said);
      } catch {
        return undefined;
      }
    }, 'the tunnel is open');
    const { id } = fits('tunnel', opened);
    assert.equal((await run('tunnel list')).tunnels.length, 1);
    assert.equal((await run('tunnel revoke', id)).tunnels.length, 0);
  });

  test('settings, rules, panels and clients', async () => {
    await run('settings');
    const { settings } = await run('settings list');
    assert.ok(settings.length > 5);
    await run('settings set', 'agents.pause-on-input', 'false');
    await run('settings get', 'agents.pause-on-input');
    await run('settings unset', 'agents.pause-on-input');
    await run('policy allow', 'act', '--site', 'shop.example', '--for', '1h');
    await run('policy deny', 'act', '--site', 'bank.example');
    const { rules } = await run('policy unattended', '10m', '--site', 'shop.example');
    assert.equal(rules.length, 3);
    await run('policy explain', 'click', '--site', 'shop.example');
    const expectations = path.join(scene.home.folder, 'expect.toml');
    writeFileSync(expectations, '[[expect]]\naction = "click"\nsite = "bank.example"\nverdict = "refused"\n');
    assert.equal((await run('policy test', expectations))[0].holds, true);
    for (const { id } of rules) await run('policy remove', id);
    await run('policy');
    await run('policy list');
    assert.equal((await run('policy only', 'shop.example')).sites, 'shop.example');
    await run('policy only', '--off');
    const { panels } = await run('panels');
    assert.equal(panels.length, 1);
    await run('panels list');
    assert.equal((await run('mcp install', 'claude')).changed, true);
    await run('mcp uninstall', 'claude');
    await run('agents');
    await run('skill install');
    assert.equal((await run('skill uninstall')).removed, true);
    await run('install-host', '--dry-run');
    await run('uninstall-host', '--dry-run');
    const { id } = await run('cdp', '--ttl', '30s');
    assert.equal((await run('cdp list')).endpoints.length, 1);
    await run('cdp revoke', id);
    assert.match((await run('view')).url, /^http:\/\/127\.0\.0\.1:\d+\/view#/);
    assert.equal((await run('view end')).ended, 1);
  });

  test('saved sign-ins', async () => {
    const typed = async (command, input, ...args) =>
      fits(command, JSON.parse(await scene.home.ok([...command.split(' '), ...args, '--json'], { input })));
    await typed('auth unlock', 'a long passphrase\n');
    const about = ['--origin', scene.site.origin, '--user', 'ada', '--user-field', '#name'];
    assert.equal((await typed('auth save', 'secret\n', 'ada@shop', ...about)).user, 'ada');
    assert.equal((await run('auth')).signIns.length, 1);
    await run('auth list');
    await run('auth fill', 'ada@shop', '--tab', String(tab));
    assert.equal((await run('auth remove', 'ada@shop')).signIns.length, 0);
    assert.equal((await run('auth lock')).store, 'locked');
  });

  test('a browser is confirmed by its code, and forgotten', async () => {
    const everyday = await Everyday.start(scene.home, { url: `${scene.site.origin}/form`, confirm: false });
    try {
      const { page } = await everyday.panel();
      const code = await until(
        async () => /panels confirm (?<code>[A-Z]{6})/.exec(await page.evaluate('document.body?.innerText ?? ""'))?.groups.code,
        'the panel shows its code',
      );
      const { id } = await run('panels confirm', code);
      assert.ok((await run('panels forget', id)).panels.every((panel) => panel.id !== id));
    } finally {
      everyday.stop();
    }
  });

  test('instances, profiles and the file of a project', async () => {
    const [row] = await run('instances');
    assert.deepEqual([row.name, row.state, row.chosenBy, row.profile], ['default', 'running', 'default', 'default']);
    await run('instances list');
    mkdirSync(path.join(scene.home.home, 'profiles/spare'), { recursive: true });
    const names = (await run('profiles')).map(({ name }) => name);
    assert.deepEqual(names, ['default', 'spare']);
    await run('profiles list');
    assert.equal((await run('profiles delete', 'spare', '--yes')).deleted, 'spare');
    const folder = path.join(scene.home.person, '.gstack');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'session.toml'), 'session = "default"\n');
    const terminal = scene.home.atTerminal('instances trust');
    await terminal.shows(/\[y\/N\]/);
    terminal.type('y');
    assert.equal((await terminal.ended).code, 0);
    assert.equal((await run('instances trust')).trusted, true);
    assert.match((await run('status')).chosenBy, /session\.toml$/);
    assert.equal((await run('instances untrust')).trusted, false);
    rmSync(folder, { recursive: true });
  });

  test('a run over several items', async () => {
    writeFileSync(path.join(scene.home.person, 'flow.txt'), 'goto "{{item}}"\ntext\n');
    writeFileSync(path.join(scene.home.person, 'items.txt'), `${scene.site.origin}/form\nhttp://127.0.0.1:1/\n`);
    const words = ['run', 'flow.txt', '--items', 'items.txt', '--out', 'out', '--json'];
    const { code, stdout } = await scene.home.run(words, { limit: 200_000 });
    const { totals } = fits('run', JSON.parse(stdout));
    assert.deepEqual([code, totals.ok, totals.failed], [1, 1, 1]);
  });

  test('a flow, from what was done to a run', async () => {
    await scene.home.run(['goto', `${scene.site.origin}/form`]);
    const { flow } = await run('flow save', 'made', '--terminal');
    assert.equal(flow.steps.at(-1).act, 'goto');
    const recording = { title: 'x', steps: [{ type: 'navigate', url: `${scene.site.origin}/form` }] };
    writeFileSync(path.join(scene.home.person, 'recording.json'), JSON.stringify(recording));
    assert.deepEqual((await run('flow import', 'imported', 'recording.json')).leftOut, []);
    assert.deepEqual(
      (await run('flow list')).map(({ name }) => name),
      ['imported', 'made'],
    );
    await run('flow');
    assert.deepEqual(await run('flow schedule'), []);
    await run('flow show', 'imported');
    assert.deepEqual((await run('flow check', 'imported')).problems, []);
    assert.equal((await run('flow trust', 'imported')).allowed, true);
    assert.equal((await run('flow run', 'imported')).outcome, 'done');
    const child = scene.home.start(['flow', 'record', 'recorded', '--json']);
    let [printed, told] = ['', ''];
    child.stdout.on('data', (data) => {
      printed += data;
    });
    child.stderr.on('data', (data) => {
      told += data;
    });
    const ended = once(child, 'close');
    await until(() => told.includes('Recording tab'), 'it records');
    await scene.home.ok(['press', 'Escape']);
    child.kill('SIGINT');
    await ended;
    assert.equal(fits('flow record', JSON.parse(printed)).flow.steps.at(-1).key, 'Escape');
  });

  test('the whole, its health, its end and its start; and no command is left out', async () => {
    await run('status');
    await run('doctor');
    await run('doctor --report');
    await scene.client.close();
    await run('restart');
    await run('connect');
    assert.equal((await run('disconnect')).closed, true);
    const opening = scene.home.atTerminal('url');
    await opening.shows(/Opened a browser without a window/);
    await opening.ended;
    await run('disconnect');
    await run('stop');
    assert.deepEqual((await run('instances stop', 'default')).stopped, []);
    const left = [...rows].filter(([command, row]) => (row.type || row.nothing) && !seen.has(command) && !ELSEWHERE[command]);
    assert.deepEqual(
      left.map(([command]) => command),
      [],
    );
  });
});
