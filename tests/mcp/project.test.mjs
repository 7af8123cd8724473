/*
 * A project's .gstack/policy.toml narrows what the person allowed, for clients and agents that work in it. It may be a stranger's: it
 * never widens anything, and no file in its place makes gstack read elsewhere or wait.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { Scene } from '../e2e/harness/scene.mjs';
import { words } from '../e2e/harness/stand-in.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startClient } from './client.mjs';

describe('a project that narrows the rules', () => {
  let scene;
  let client;
  let place;
  let file;
  const write = (text) => writeFileSync(file, text);
  const explained = async (action, ...more) => JSON.parse(await scene.home.ok(['policy', 'explain', action, ...more, '--json']));

  before(async () => {
    scene = await Scene.open({ at: '/form' });
    place = path.join(scene.home.person, '.gstack');
    file = path.join(place, 'policy.toml');
    mkdirSync(place);
    await scene.home.ok(['policy', 'unattended', '1h']);
    // The client works in the folder that it was started in.
    client = await startClient(scene.home, 'cursor', '--current-tab');
  });
  afterEach(() => {
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place);
    scene.agent.settle();
  });
  after(async () => {
    await client?.client.close();
    await scene?.close();
  });

  test('it denies and asks although the person allowed everything, and says so', async () => {
    write(`[[deny]]\nscope = "submit"\n[[ask]]\nscope = "act"\nsite = "${scene.site.origin}"\n`);
    const filling = client.run('fill', { selector: '#name', value: 'Ada' });
    const asked = await scene.approval();
    assert.match(asked.why, /\.gstack\/policy\.toml/);
    assert.deepEqual(asked.choices, ['allow-once', 'deny']);
    await scene.home.ok(['approvals', 'allow', asked.approvalId]);
    assert.ok(!(await filling).failed);
    const { failed, text } = await client.run('click', { selector: 'text=Order now' });
    assert.ok(failed && text.includes(`a rule of this project denies it (${file}: deny 1)`), text);
    assert.equal(await scene.page.evaluate(`document.querySelector('#said').textContent`), '');
    assert.ok(!(await client.run('text')).failed, 'looking is free');
    const audit = await scene.home.json('audit', '-n', '20');
    assert.ok(audit.some(({ rule, allowed }) => rule === `${file}: deny 1` && !allowed));
  });

  test('`policy explain` names it, and `policy test` holds it to expectations', async () => {
    write(`[[deny]]\nscope = "submit"\n[[ask]]\nscope = "act"\nsite = "shop.example"\n`);
    const submit = await explained('submit');
    assert.equal(submit.verdict, 'refused');
    assert.equal(submit.why, `A rule of the project denies it (${file}: deny 1).`);
    assert.ok(submit.others.some(({ why }) => /the project narrows it/.test(why)));
    const act = await explained('act', '--site', 'shop.example');
    assert.deepEqual([act.verdict, act.choices], ['asks', ['allow-once', 'deny']]);
    assert.equal((await explained('act', '--site', 'other.example')).verdict, 'runs');
    const expectations = path.join(scene.home.folder, 'expect.toml');
    writeFileSync(expectations, '[[expect]]\naction = "submit"\nverdict = "refused"\n[[expect]]\naction = "upload"\nverdict = "runs"\n');
    await scene.home.ok(['policy', 'test', expectations]);
    writeFileSync(expectations, '[[expect]]\naction = "submit"\nverdict = "runs"\n');
    const unmet = await scene.home.run(['policy', 'test', expectations]);
    assert.equal(unmet.code, 1, unmet.stdout + unmet.stderr);
    assert.match(unmet.stdout + unmet.stderr, /deny 1/);
    // From another folder it does not hold.
    const elsewhere = await scene.home.ok(['policy', 'explain', 'submit', '--json'], { cwd: scene.home.folder });
    assert.equal(JSON.parse(elsewhere).verdict, 'runs');
  });

  test('a key that would widen is refused with its name, and until it is fixed the project allows nothing but looking', async () => {
    for (const [text, why] of [
      ['[[allow]]\nscope = "everything"\n', /"allow" is refused: a project's file can only narrow what you allowed/],
      ['unattended = "10h"\n', /"unattended" is refused/],
      ['[[deny]]\nscope = "shell"\neffect = "allow"\n', /deny 1: "effect" is refused/],
      ['[[deny]]\nscope = "shel"\n', /"shel" is not a scope/],
      ['deny = [', /line 1 is not valid TOML/],
    ]) {
      write(text);
      const { failed, text: said } = await client.run('fill', { selector: '#name', value: 'Eve' });
      assert.ok(failed && said.includes(`${file} is not usable, so you may only look`), said);
      assert.match(said, why);
      assert.ok(!(await client.run('text')).failed);
      const found = await explained('act');
      assert.equal(found.verdict, 'refused');
      assert.match(found.why, why);
    }
    assert.notEqual(await scene.page.evaluate(`document.querySelector('#name').value`), 'Eve');
  });

  test('no link, pipe, device, folder or huge file in its place is followed, waited for or ignored', async () => {
    const secret = path.join(scene.home.person, 'secret.txt');
    writeFileSync(secret, 'password = hunter2\n');
    for (const [what, plant] of [
      ['a link to a file', () => symlinkSync(secret, file)],
      ['a link to a device', () => symlinkSync('/dev/zero', file)],
      ['a pipe', () => execFileSync('mkfifo', [file])],
      ['a folder', () => mkdirSync(file)],
      ['a huge file', () => write('#'.repeat(10_000_000))],
      [
        'a linked folder',
        () => {
          rmSync(place, { recursive: true });
          symlinkSync(scene.home.folder, place);
        },
      ],
    ]) {
      plant();
      const { failed, text } = await client.run('fill', { selector: '#name', value: 'Eve' });
      assert.ok(failed && text.includes('is not usable'), `${what}: ${text}`);
      assert.ok(!text.includes('hunter2'), text);
      rmSync(place, { recursive: true, force: true });
      mkdirSync(place);
    }
    assert.ok(!(await client.run('fill', { selector: '#name', value: 'Ada' })).failed, 'without a file the rules hold alone');
  });

  test('an agent works by the file of its conversation’s folder', async () => {
    await client.client.close();
    await until(async () => !(await scene.home.json('status')).drivers?.length, 'the client has left the tab');
    const turn = await scene.ask('Run a script');
    const [{ folder, conversationId }] = (await scene.home.json('sessions')).conversations;
    const theirs = path.join(folder, '.gstack');
    const allowed = await turn.tool('js', { expression: '1' });
    assert.ok(!allowed.isError, words(allowed));
    mkdirSync(theirs, { recursive: true });
    writeFileSync(path.join(theirs, 'policy.toml'), '[[deny]]\nscope = "control"\n');
    const denied = await turn.tool('js', { expression: '2' });
    assert.ok(denied.isError && words(denied).includes('a rule of this project denies it'), words(denied));
    const found = await scene.home.ok(['policy', 'explain', 'js', '--conversation', conversationId, '--json'], { cwd: scene.home.folder });
    assert.equal(JSON.parse(found).verdict, 'refused');
    rmSync(theirs, { recursive: true });
    turn.end();
  });
});
