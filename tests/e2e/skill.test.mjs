/* Every command line of the guide for agents runs, on a page that has what the guide speaks of. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { GSTACK, TestHome } from './harness/home.mjs';

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Guide</title><link rel="icon" href="data:,"><main>
<h1>Sign in</h1><form onsubmit="event.preventDefault(); said.textContent = 'Saved'; history.pushState(null, '', '/done')">
<label>Email <input id="mail"></label><label><input type="checkbox"> Remember me</label>
<select aria-label="Country"><option>France</option><option>Germany</option></select><input type="file" aria-label="Photo">
<button id="save">Sign in</button></form><output id="said"></output><a href="/file.bin" download id="file">A file</a>
<table id="prices"><tr><th>Thing</th></tr><tr><td>Lamp</td></tr></table><ul id="rows"></ul></main>
<script>for (let n = 0; n < 100; n += 1) rows.insertAdjacentHTML('beforeend', '<li>Row ' + n + '</li>')</script></html>`;

/** What a ref of the guide stands for on this page. */
const REFS = {
  '@e2': '[link] "A file"',
  '@e3': '[textbox] "Email"',
  '@e4': '[checkbox] "Remember me"',
  '@e5': '[button] "Sign in"',
  '@e6': '[button] "Photo"',
  '@e7': '[combobox] "Country"',
  '@e9': '[button] "Sign in"',
};

/** Lines that wait for a person, a turn or another line: what must be there before, or why they end otherwise. */
const BEFORE = {
  'gstack wait --text-gone "Loading"': [],
  'gstack wait --download': ['click', '#file'],
  'gstack wait "text=Saved"': ['click', '#save'],
  'gstack snapshot --search "email"': [],
};
const FAILS = { 'gstack evidence --last --output turn.html': /turn/ };

test('each line of `gstack skill` and `gstack skill more` runs', { timeout: 900_000 }, async () => {
  const home = new TestHome();
  const server = createServer((request, response) => {
    const type = request.url === '/file.bin' ? 'application/octet-stream' : 'text/html';
    response.writeHead(200, { 'content-type': type });
    response.end(type === 'text/html' ? PAGE : 'bytes');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${server.address().port}`;
  const folder = path.join(home.person, 'work');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'photo.png'), 'a picture');
  writeFileSync(path.join(home.folder, 'gstack'), `#!/bin/sh\nexec '${GSTACK}' "$@"\n`, { mode: 0o755 });
  const environment = { ...home.environment, PATH: `${home.folder}:${process.env.PATH}` };
  const shell = async (line) => {
    const child = spawn('sh', ['-c', line], { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
    const [code] = await once(child, 'close');
    return { code, said };
  };
  /** Puts in the refs of this page, as an agent does. */
  const withRefs = async (line) => {
    let filled = line;
    for (const ref of new Set(line.match(/@e\d+/g) ?? [])) {
      const snapshot = await home.ok(['snapshot']);
      const found = snapshot.split('\n').find((one) => one.includes(REFS[ref]));
      assert.ok(found, `${ref} ${REFS[ref]} in ${snapshot}`);
      filled = filled.replaceAll(ref, /@[ec]\d+/.exec(found)[0]);
    }
    return filled;
  };
  const wrong = [];
  let seen = 0;
  try {
    // There is no display in the tests.
    await home.connect(['--headless', `${origin}/login`]);
    const guides = (await home.ok(['skill'])) + (await home.ok(['skill', 'more']));
    const lines = [...guides.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block]) => block.trim().split('\n'));
    for (const [at, written] of lines.entries()) {
      const line = written.replace(/\s+#.*$/, '');
      const local = line.replaceAll('https://example.com', origin).replaceAll('https://example.org', `${origin}/other`);
      if (BEFORE[line]?.length) await home.ok(BEFORE[line]);
      if (/gstack (?:wait --url|tab 2|closetab|--tab 1)/.test(line) && line.includes('--url')) await home.ok(['click', '#save']);
      const { code, said } = await shell(await withRefs(local));
      seen += 1;
      const expected = FAILS[line];
      if (expected ? code === 0 || !expected.test(said) : code !== 0) wrong.push(`${at + 1}. ${line}: ${code} ${said}`);
    }
  } finally {
    await shell('gstack --session test disconnect; gstack --session test stop');
    await home.stop();
    server.closeAllConnections();
    server.close();
  }
  assert.deepEqual(wrong, []);
  assert.ok(seen > 80, `${seen} lines`);
});
