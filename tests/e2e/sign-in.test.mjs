/*
 * Saved sign-ins, as an agent asks for them and the person allows them: filled in by the daemon, for one account on one site, and in
 * nothing that an agent reads or gstack writes.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { GSTACK } from './harness/home.mjs';
import { Scene } from './harness/scene.mjs';
import { words } from './harness/stand-in.mjs';

const PASSWORD = 'zK9!correct"Horse&battery';
const PASSPHRASE = 'a passphrase of the test';
const SEED = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
/** Parts of the secrets, escaped. */
const ESCAPED = ['Horse&amp;b', 'Horse%26b', 'Horse%2526b', 'horse&b', '&#72;&#111;'];
/** The same as text, backwards, in base64 and in hexadecimal too. */
const FORMS = ['Horse&b', '&battery', 'yrettab&', 'SG9yc2U', 'hvcnNlJ', 'b3JzZSZ', '486f727365'];
const TRACES = [...FORMS, ...ESCAPED, PASSPHRASE.slice(2), SEED];
const FORM = `<form id="f" action="/done" onsubmit="event.preventDefault()">
  <label>User <input id="user" autocomplete="username"></label>
  <label>Password <input id="pw" type="password" autocomplete="current-password"></label>
  <label>Code <input id="code" autocomplete="one-time-code"></label><button>Sign in</button></form><p id="told"></p>`;
/** The one-time codes that were filled in. */
const CODES = new Set();
/** Asserts that a text has no trace of a secret, nor one of these codes other than as a part of a time or of a longer number. */
function hasNone(text, codes, where) {
  for (const trace of TRACES) assert.ok(!text.includes(trace), `${trace} in ${where}`);
  for (const code of codes) assert.doesNotMatch(text, new RegExp(`(?<![\\w.])${code}(?!\\w)`), `${code} in ${where}`);
}
/**
 * A page that shows, logs, keeps and sends the password as soon as it has it: as it is, as addresses have it by the URL standard, as
 * browsers show these, escaped more than once, escaped within base64, and where heap snapshots and the console cut a text.
 */
const NOISY = `pw.addEventListener('change', () => {
  told.textContent = 'it is ' + pw.value;
  document.title = pw.value;
  console.error('typed ' + pw.value);
  localStorage.setItem('kept', pw.value);
  performance.mark(pw.value);
  window.held = [pw.value.slice(0), 'held ' + pw.value, JSON.parse(JSON.stringify('x'.repeat(1004) + pw.value))];
  console.log({ cut: 'x'.repeat(36) + pw.value + 'y'.repeat(41) });
  const bytes = btoa(String.fromCharCode(255) + JSON.stringify({ value: encodeURI(pw.value) + JSON.stringify(pw.value) }));
  fetch('data:application/octet-stream;base64,' + bytes);
  fetch('/echo?p=' + encodeURIComponent(pw.value), { method: 'POST', body: JSON.stringify({ value: pw.value }) });
  fetch('/echo/' + pw.value + '?p=' + pw.value + '&twice=' + encodeURIComponent(encodeURIComponent(pw.value)));
  history.replaceState(null, '', '?p=' + pw.value + '#' + pw.value);
  document.title = decodeURI(location.href) + ' ' + location.href;
  const numbered = [...pw.value].map((letter) => '&#' + letter.charCodeAt(0) + ';').join('');
  console.warn(pw.value.toLowerCase() + ' ' + numbered + ' ' + JSON.stringify(JSON.stringify(numbered + pw.value)));
})`;

describe('a saved sign-in that an agent asks for', () => {
  let scene;
  let site;
  const set = (html) => scene.page.evaluate(`document.body.innerHTML = ${JSON.stringify(html)}`);
  const filled = async () => {
    const [user, password, code] = await scene.page.evaluate('[user.value, pw.value.length, code.value]');
    if (code) CODES.add(code);
    return [user, password, code.length];
  };
  const save = (name, user, more = []) =>
    scene.home.ok(['auth', 'save', name, '--origin', scene.site.origin, '--user', user, ...more], {
      input: more.includes('--totp') ? `${PASSWORD}\n${SEED}\n` : `${PASSWORD}\n`,
    });
  const denied = async (turn, tool, input) => {
    const asking = turn.tool(tool, input);
    const asked = await scene.approval();
    await scene.home.ok(['approvals', 'deny', asked.approvalId]);
    assert.ok((await asking).isError);
    return asked;
  };
  /** Opens a fresh page with the form. */
  const fresh = async (html = FORM) => {
    await scene.home.ok(['goto', `${scene.site.origin}/form`]);
    await set(html);
  };

  before(async () => {
    scene = await Scene.open({ at: '/form' });
    site = new URL(scene.site.origin).host;
    await scene.home.ok(['auth', 'unlock'], { input: `${PASSPHRASE}\n` });
    await save('ada@shop', 'ada', ['--totp']);
    await save('eve@shop', 'eve');
  });
  afterEach(async () => {
    scene.agent.settle();
    await scene.panel.gone('stop');
    for (const rule of (await scene.home.json('policy')).rules) await scene.home.ok(['policy', 'remove', rule.id]);
  });
  after(async () => {
    await scene?.close();
  });

  test('the panel says who and where; a no fills in nothing, a yes fills in this once', async () => {
    await fresh();
    const turn = await scene.ask('Sign in as ada@shop');
    const listed = words(await turn.tool('sign-ins', {}));
    assert.match(listed, /ada@shop {2}ada at http:\/\/127\.0\.0\.1/);
    const refused = turn.tool('sign-in', { name: 'ada@shop' });
    const asked = await scene.approval();
    assert.equal(asked.ask, `Sign in as ada at ${site}`);
    assert.equal(asked.action.scope, 'sign-in');
    assert.equal(asked.action.content, `ada at ${scene.site.origin}`);
    assert.deepEqual(asked.choices, ['allow-once', 'allow-site', 'deny']);
    await scene.panel.seen('approval', site);
    await scene.panel.answer('Deny');
    assert.ok((await refused).isError);
    assert.deepEqual(await filled(), ['', 0, 0]);
    for (const _ of [1, 2]) {
      const allowed = turn.tool('sign-in', { name: 'ada@shop' });
      await scene.panel.seen('approval', 'ada');
      await scene.panel.answer('Allow once');
      assert.match(words(await allowed), /Filled in the user name, the password and the one-time code of ada@shop/);
      assert.deepEqual(await filled(), ['ada', PASSWORD.length, 6]);
      await fresh();
    }
    turn.end();
  });

  test('a rule for a sign-in holds for that account on that site and for nothing else', async () => {
    await fresh();
    const turn = await scene.ask('Sign in again');
    const first = turn.tool('sign-in', { name: 'ada@shop' });
    await scene.panel.seen('approval', 'ada');
    await scene.panel.answer('Allow this sign-in on');
    assert.ok(!(await first).isError);
    const { rules } = await scene.home.json('policy');
    assert.equal(rules.length, 1);
    assert.deepEqual([rules[0].scope, rules[0].site, rules[0].tool.name], ['sign-in', site, 'ada@shop']);
    await fresh();
    assert.ok(!(await turn.tool('sign-in', { name: 'ada@shop' })).isError, 'the same account is not asked about');
    // Another account, and another one under the same name.
    assert.equal((await denied(turn, 'sign-in', { name: 'eve@shop' })).ask, `Sign in as eve at ${site}`);
    await save('ada@shop', 'mallory', ['--replace', '--totp']);
    assert.equal((await denied(turn, 'sign-in', { name: 'ada@shop' })).ask, `Sign in as mallory at ${site}`);
    await save('ada@shop', 'ada', ['--replace', '--totp']);
    // It is no permission to type passwords.
    await fresh();
    assert.match((await denied(turn, 'fill', { selector: '#pw', value: 'guess' })).why, /password/);
    // Nor can a wider one be made: a rule names the account.
    const { code, stderr } = await scene.home.run(['policy', 'allow', 'sign-in']);
    assert.notEqual(code, 0);
    assert.match(stderr, /a particular sign-in/);
    // On another origin nobody is asked, and nothing is filled in.
    const port = new URL(scene.site.origin).port;
    await scene.home.ok(['goto', `http://localhost:${port}/form`]);
    const elsewhere = await turn.tool('sign-in', { name: 'ada@shop' });
    assert.ok(elsewhere.isError && /is for http:\/\/127\.0\.0\.1:\d+ only/.test(words(elsewhere)), words(elsewhere));
    assert.deepEqual((await scene.home.json('approvals')).approvals, []);
    await scene.home.ok(['policy', 'deny', 'sign-in', '--site', scene.site.origin]);
    await fresh();
    const ruled = await turn.tool('sign-in', { name: 'ada@shop' });
    assert.ok(ruled.isError && /rule/.test(words(ruled)), words(ruled));
    turn.end();
  });

  test('what could read a password that was filled in asks each time, whatever the rules say', async () => {
    await fresh();
    await scene.home.ok(['policy', 'allow', 'control']);
    await scene.home.ok(['policy', 'unattended', '1h']);
    const turn = await scene.ask('Look around');
    assert.ok(!(await turn.tool('js', { expression: '1' })).isError, 'before, the rules allow it');
    assert.ok(!(await turn.tool('sign-in', { name: 'eve@shop' })).isError, 'unattended allows everything');
    for (const expression of ['pw.value', 'document.forms[0].submit()', 'fetch("/?" + pw.value)']) {
      const asked = await denied(turn, 'js', { expression });
      assert.match(asked.why, /password that gstack filled in/);
      assert.deepEqual(asked.choices, ['allow-once', 'deny']);
    }
    // A selector that asks for values would guess it letter by letter.
    const guessed = await turn.tool('click', { selector: '#pw[value^="z"]' });
    assert.ok(guessed.isError && /could guess it/.test(words(guessed)), words(guessed));
    // Another document of the tab does not hold it.
    await scene.home.ok(['goto', `http://localhost:${new URL(scene.site.origin).port}/form`]);
    assert.ok(!(await turn.tool('js', { expression: '2' })).isError);
    turn.end();
  });

  test('no result shows the secret, although the page shows, logs, keeps and sends it', async () => {
    await fresh();
    await scene.page.evaluate(NOISY);
    // What the person records meanwhile.
    const recorded = ['har', 'trace', 'coverage js'];
    for (const what of recorded) await scene.home.ok(`${what} start${what === 'har' ? ' --bodies' : ''}`.split(' '));
    const turn = await scene.ask('Tell me everything');
    const allowed = turn.tool('sign-in', { name: 'ada@shop', submit: true });
    await scene.panel.seen('approval', 'ada');
    await scene.panel.answer('Allow once');
    let told = words(await allowed);
    assert.match(told, /submitted/);
    await scene.page.waitFor(`told.textContent.includes('it is')`, 'the page shows it');
    const code = await scene.page.evaluate('code.value');
    assert.match(code, /^\d{6}$/);
    CODES.add(code);
    for (const [tool, input] of [
      ['text', {}],
      ['snapshot', {}],
      ['html', {}],
      ['forms', {}],
      ['console', {}],
      ['network', {}],
      ['tabs', {}],
      ['url', {}],
      ['find', { query: 'it is' }],
    ]) {
      told += `\n${tool}: ${words(await turn.tool(tool, input))}`;
    }
    const js = turn.tool('js', { expression: '[pw.value, btoa(pw.value), code.value]' });
    await scene.home.ok(['approvals', 'allow', (await scene.approval()).approvalId]);
    told += words(await js);
    for (const line of [
      'value #pw',
      'value #code',
      'attrs #pw',
      'fields',
      'text',
      'console',
      'network',
      'activity',
      'audit --json',
      'auth list --json',
      'storage',
      'evidence --last',
      'status --json',
      'tabs --json',
      'url',
    ]) {
      told += (await scene.home.run(line.split(' '))).stdout;
    }
    for (const line of [
      'har stop it.har',
      'trace stop it.json',
      'heap snapshot it.heapsnapshot',
      'snapshot -o it.txt',
      'text -o it2.txt',
      'html -o it.html',
    ])
      await scene.home.run(line.split(' '));
    told += (await scene.home.run(['coverage', 'js', 'stop'])).stdout;
    const files = readdirSync(scene.home.person).filter((name) => /^it\d?\./.test(name));
    for (const wanted of ['it.har', 'it.json', 'it.heapsnapshot']) assert.ok(files.includes(wanted), `${wanted} of ${files}`);
    for (const file of files) {
      const text = readFileSync(path.join(scene.home.person, file), 'utf8');
      if (text.length < 2 ** 20) told += text;
      else hasNone(text, [code], file);
    }
    hasNone(told, [code], told);
    assert.match(told, /it is \[redacted\]/);
    // In this format the lines are broken anywhere.
    const { code: failed, stderr } = await scene.home.run(['mhtml', 'it.mhtml']);
    assert.ok(failed && /shows a secret of a saved sign-in/.test(stderr), stderr);
    assert.ok(!existsSync(path.join(scene.home.person, 'it.mhtml')));
    turn.end();
  });

  test('an agent’s shell neither lists, saves, removes, unlocks nor locks, and asks to fill in as its tools do', async () => {
    await fresh();
    const turn = await scene.ask('Try the shell');
    const gstack = (line) => turn.shell(`'${GSTACK}' ${line}`);
    for (const line of [
      'auth',
      'auth list --json',
      `auth save mine --origin ${scene.site.origin} --user me </dev/null`,
      'auth remove ada@shop',
      'auth lock',
    ]) {
      const { code, stdout, stderr } = await gstack(line);
      assert.notEqual(code, 0, line);
      assert.match(stdout + stderr, /not offered on the port|an agent may not/, line);
      assert.ok(!(stdout + stderr).includes('eve'), line);
    }
    const filling = gstack('auth fill eve@shop');
    const asked = await scene.approval();
    assert.equal(asked.ask, `Sign in as eve at ${site}`);
    await scene.home.ok(['approvals', 'deny', asked.approvalId]);
    assert.notEqual((await filling).code, 0);
    assert.deepEqual(await filled(), ['', 0, 0]);
    assert.equal((await scene.home.json('auth')).signIns.length, 2);
    turn.end();
  });

  test('no file of gstack’s has a byte of a secret', async () => {
    const files = readdirSync(scene.home.home, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && !path.join(entry.parentPath, entry.name).includes('chromium-profile'),
    );
    const names = files.map(({ parentPath, name }) => path.join(parentPath, name));
    for (const wanted of ['audit.jsonl', 'activity.jsonl', 'evidence.jsonl', 'chat.jsonl', 'daemon.log', 'sign-ins.age']) {
      assert.ok(
        names.some((name) => name.endsWith(wanted)),
        `${wanted} is looked at`,
      );
    }
    for (const name of names) {
      const text = readFileSync(name, 'latin1');
      hasNone(text, CODES, name);
    }
    assert.ok(CODES.size > 0, 'a one-time code was filled in');
    const audit = readFileSync(path.join(scene.home.home, 'audit.jsonl'), 'utf8');
    assert.match(audit, /"scope":"sign-in"/);
    assert.match(audit, /save the sign-in ada@shop: ada at http/);
  });
});
