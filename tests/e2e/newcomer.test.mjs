/*
 * What a newcomer tries in the first hour on the command line: each command does what was meant, or explains the right
 * syntax.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { TestHome } from './harness/home.mjs';
import { Site } from './harness/site.mjs';

const PAGE = `<label>Name <input id="n"></label><button style="position:absolute;left:300px;top:40px;width:90px;height:30px">Save</button>
<select><option>One</option><option class="two">Two</option></select>`;

let home;
let site;
/** Returns the output of a command, without its last line break. */
const said = async (...words) => (await home.ok(words)).replace(/\n$/, '');
/** Returns the standard error of a command that fails. */
async function fails(...words) {
  const { code, stdout, stderr } = await home.run(words);
  assert.ok(code > 0 && stdout === '', `${words.join(' ')}: ${stdout}${stderr}`);
  return stderr;
}
/** Returns the ref of the line with these words. */
const find = async (words) => {
  const snapshot = await said('snapshot', '-i');
  const line = snapshot.split('\n').find((one) => one.includes(words)) ?? assert.fail(`${words}: ${snapshot}`);
  return line.trim().split(' ')[0];
};
/** Returns the width and height of a PNG. */
const size = (file) => [16, 20].map((at) => readFileSync(file).readUInt32BE(at));

before(async () => {
  home = new TestHome({ port: false });
  site = await Site.start();
});
after(async () => {
  await site.stop();
  assert.deepEqual(await home.stop(), []);
});
beforeEach(async () => {
  await said('goto', `${site.origin}/form`);
  await said('js', `document.body.innerHTML = ${JSON.stringify(PAGE)}; 0`);
});

test('a target before the text is where it is typed', async () => {
  const field = await find('"Name"');
  assert.equal(await said('type', field, 'hello'), `Typed 5 characters into ${field}`);
  assert.equal(await said('js', `document.querySelector('#n').value`), 'hello');
  const button = await find('"Save"');
  await said('js', `document.querySelector('button').remove()`);
  assert.ok((await fails('type', button, 'hello')).includes(`Ref ${button} (button "Save") is stale`));
});

test('a picture goes where a path says and is of the element that was named', async () => {
  const work = realpathSync(home.person);
  const save = await find('"Save"');
  assert.equal(await said('screenshot', './x.png'), `Screenshot saved: ${path.join(work, 'x.png')}`);
  assert.ok(size(path.join(work, 'x.png'))[0] > 600);
  for (const cropped of [await said('screenshot', save), await said('screenshot', save, 'button.png')]) {
    const [, file] = /^Screenshot saved \(element\): (.*)$/.exec(cropped);
    assert.deepEqual(size(file), [90, 30]);
  }
  assert.ok(existsSync(path.join(work, 'button.png')));
  const [, annotated] = /\[annotated screenshot: (.*?)\]/.exec(await said('snapshot', '-a'));
  assert.ok(size(annotated)[0] > 600);
});

test('a snapshot is written where -o says, and its changes have a head', async () => {
  assert.match(await said('snapshot', '-o', 'page.txt'), /\nSnapshot saved: .*page\.txt$/);
  assert.match(readFileSync(path.join(home.person, 'page.txt'), 'utf8'), /\[textbox\] "Name"/);
  assert.match(await fails('snapshot', '-o'), /^gstack: -o needs /);
  await said('js', `document.querySelector('button').remove()`);
  const changes = await said('snapshot', '-D');
  assert.match(changes, /── changes since the snapshot before \(- gone, \+ new\) ──/);
  assert.match(changes, /^-.*"Save"/m);
});

test('the console is shown from a level on', async () => {
  await said('console', '--clear');
  await said('js', `console.log('told'); console.warn('warned'); console.error('failed'); 0`);
  for (const [flags, levels] of [
    [[], ['told', 'warned', 'failed']],
    [
      ['--level', 'info'],
      ['told', 'warned', 'failed'],
    ],
    [
      ['--level', 'warning'],
      ['warned', 'failed'],
    ],
    [['--level', 'error'], ['failed']],
    [['--errors'], ['warned', 'failed']],
  ]) {
    const shown = await said('console', ...flags);
    assert.deepEqual(
      ['told', 'warned', 'failed'].filter((word) => shown.includes(word)),
      levels,
      flags.join(' '),
    );
  }
  assert.match(await fails('console', '--level', 'loud'), /One of: error, warning, info, debug/);
});

test('an option is chosen by a click, which says that it was', async () => {
  assert.match(await said('click', '.two'), /^Selected "Two" \(auto-routed from click on <option>\)/);
  assert.equal(await said('js', `document.querySelector('select').value`), 'Two');
});

test('key words that scripts look for come first', async () => {
  writeFileSync(path.join(home.person, 'bad.json'), '{');
  for (const [words, first, isUsage] of [
    [['chain', '[["url"'], 'Invalid JSON: ', true],
    [['cookie-import', 'bad.json'], 'Invalid JSON: ', true],
    [['state', 'load', 'nothing'], 'State not found: nothing', false],
    [['eval', '../../../../../etc/passwd'], 'Path traversal: ', false],
    [['cookie-import', 'none.json'], 'File not found: none.json', false],
    [['clik'], 'Unknown command: clik', true],
  ]) {
    const told = await fails(...words);
    assert.ok(told.startsWith(`gstack: ${first}`), told);
    assert.equal(told.trimEnd().split('\n').at(-1).startsWith('Usage: gstack '), isUsage, told);
  }
});

test('answers in the words of a library: a wrong act, a relative address and a missing argument', async () => {
  for (const name of ['har', 'trace', 'heap', 'cache', 'video']) {
    assert.match(await fails(name, 'nope'), new RegExp(`^gstack: ${name} does not know "nope"\n  Use ${name} `));
  }
  assert.match(await fails('diff', '@e99', 'nope'), /^gstack: "@e99" is not an address: it names no site\n/);
  assert.match(await fails('completions'), /^gstack: this command needs <SHELL>\nUsage: gstack completions/);
  assert.equal(await said('unroute'), 'There was no route to remove');
});

test('a deleted conversation is restored by the beginning of its id', async () => {
  await said('chat', 'help');
  const [id] = (await said('sessions')).split(' ');
  await said('sessions', 'delete', id);
  assert.equal(await said('sessions'), 'No conversations yet.');
  assert.match(await said('sessions', 'restore', id), /^Restored /);
  assert.ok((await said('sessions')).startsWith(id));
  assert.match(await fails('sessions', 'restore', 'zz'), /no conversation zz/);
});

test('what a program accepts is what the socket answers', async () => {
  const ask = (accept) =>
    new Promise((resolve, reject) => {
      const headers = { accept, 'content-type': 'application/json' };
      const asking = request({ socketPath: path.join(home.home, 'http.sock'), method: 'POST', path: '/command', headers }, (answer) => {
        let body = '';
        answer.on('data', (data) => {
          body += data;
        });
        answer.on('end', () => resolve([answer.headers['content-type'], body]));
      });
      asking.once('error', reject).end(JSON.stringify({ command: 'url', args: [] }));
    });
  const url = `${site.origin}/form`;
  const [type, body] = await ask('application/json');
  assert.deepEqual([type, JSON.parse(body).ok, JSON.parse(body).output], ['application/json', true, url]);
  for (const accept of ['text/plain', '*/*']) assert.deepEqual(await ask(accept), ['text/plain; charset=utf-8', url]);
});
