/* Every command, on every way to reach a browser: its effect, or the fault that says what is refused there and what to use instead. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Api } from './harness/api.mjs';
import { Display, noDisplay } from './harness/display.mjs';
import { APART, EVERY, ROWS } from './harness/every-command.mjs';
import { Everyday } from './harness/everyday.mjs';
import { BROWSER, TestHome } from './harness/home.mjs';
import { usualOrLong } from './harness/long.mjs';
import { until } from './harness/wait.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** The names of the registry's commands, as docs/COMMANDS.md lists them. */
function commands() {
  const [own] = readFileSync(path.join(ROOT, 'docs/COMMANDS.md'), 'utf8').split('## The program itself');
  return [...own.matchAll(/^- `([a-z0-9-]+)/gm)].map(([, name]) => name);
}

/** Answers one address itself, also in the page that registers it. */
const WORKER = `oninstall = () => skipWaiting();
  onactivate = (event) => event.waitUntil(clients.claim());
  onfetch = (event) => { if (event.request.url.endsWith('/from-worker')) event.respondWith(new Response('from the worker')); };`;
let counted = 0;

function answer(request, response) {
  const url = new URL(request.url, 'http://a/');
  const send = (type, text, status = 200, headers = {}) => {
    response.writeHead(status, { 'content-type': type, ...headers });
    response.end(text);
  };
  switch (url.pathname) {
    case '/every':
      return send('text/html', EVERY);
    case '/echo':
      return send(
        'text/html',
        `<title>Echo</title><pre>${Object.entries(request.headers)
          .map((pair) => pair.join(': '))
          .join('\n')}</pre>`,
      );
    case '/private':
      return request.headers.authorization === `Basic ${Buffer.from('ada:secret').toString('base64')}`
        ? send('text/html', '<title>Private</title>')
        : send('text/html', 'no', 401, { 'www-authenticate': 'Basic realm="a"' });
    case '/picture.svg':
      return send('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20"/></svg>');
    case '/counted':
      counted += 1;
      return send('text/plain', String(counted), 200, { 'cache-control': 'max-age=600' });
    case '/worker.js':
      return send('text/javascript', WORKER);
    case '/file.bin':
      return send('application/octet-stream', 'bytes of a file');
    default:
      return send('text/html', 'missing', 404);
  }
}

class Stage {
  static async open() {
    const stage = new Stage();
    stage.home = new TestHome();
    stage.server = createServer(answer).listen(0, '127.0.0.1');
    await once(stage.server, 'listening');
    stage.host = `127.0.0.1:${stage.server.address().port}`;
    stage.origin = `http://${stage.host}`;
    stage.folder = path.join(stage.home.person, 'files');
    mkdirSync(stage.folder);
    writeFileSync(path.join(stage.folder, 'note.txt'), 'a note');
    writeFileSync(path.join(stage.folder, 'script.js'), "'from the ' + 'file'");
    writeFileSync(path.join(stage.folder, 'own.html'), '<body>own words</body>');
    const schema = { type: 'object', properties: { price: { type: 'number' } } };
    writeFileSync(path.join(stage.folder, 'schema.json'), JSON.stringify(schema));
    writeFileSync(path.join(stage.folder, 'cookies.json'), JSON.stringify([{ name: 'a', value: 'b', domain: '127.0.0.1', path: '/' }]));
    return stage;
  }

  /** Splits a line of the table; `js` and the like take the rest as one word. */
  words(line) {
    const filled = line.replaceAll('ORIGIN', this.origin).replaceAll('HOST', this.host).replaceAll('FOLDER', this.folder);
    return filled.split(' ');
  }

  run(words) {
    return this.home.run([...words, '--json', '--tab', String(this.tab)], { limit: 120_000 });
  }

  /** Waits for the value of an expression. */
  async value([expression, expected], line) {
    let last;
    await until(
      async () => {
        const { stdout, stderr } = await this.run(['js', expression]);
        last = stdout ? JSON.parse(stdout).output : stderr;
        return last === expected;
      },
      () => `after ${line}, ${expression} is ${last}, not ${expected}`,
    );
  }

  /** Runs the whole table; `where` says which faults are expected. Every difference is reported at once. */
  async table(where) {
    const wrong = [];
    for (const [line, shows, more = {}] of ROWS) {
      const fails = more.fails ?? more[where];
      const { code, stdout, stderr } = await this.run(this.words(line));
      try {
        if (fails) {
          assert.notEqual(code, 0, `it should be refused: ${stdout}`);
          const { message, hint } = JSON.parse(stdout).fault;
          assert.match(message, fails);
          assert.ok(more.fails || hint, `a fault that names what to use instead: ${message}`);
          continue;
        }
        assert.equal(code, 0, stderr || stdout);
        const told = JSON.parse(stdout);
        // `status` has a shape of its own.
        assert.match(told.output ?? JSON.stringify(told), new RegExp(shows.source.replaceAll('ORIGIN', this.origin), shows.flags));
        if (more.js) await this.value(more.js, line);
        if (more.file) {
          const [name, start] = more.file;
          const file = path.join(this.folder, name);
          assert.ok(existsSync(file), `${name} was written`);
          assert.match(readFileSync(file, 'latin1'), start);
        }
      } catch (error) {
        wrong.push(`${line}: ${error.message}`);
      }
    }
    assert.deepEqual(wrong, []);
  }

  async close() {
    await this.end?.();
    const forced = await this.home.stop();
    this.display?.close?.();
    this.server.closeAllConnections();
    this.server.close();
    assert.deepEqual(
      forced.map((one) => one.command.join(' ')),
      [],
    );
  }
}

const current = async (home) => (await home.json('tabs')).data.find((tab) => tab.current).id;

/** The ways to reach a browser. Each sets the tab that the table runs in. */
const WAYS = {
  headless: async (stage) => {
    await stage.home.connect();
    stage.tab = await current(stage.home);
  },
  hidden: async (stage) => {
    await stage.home.connect();
    const front = await current(stage.home);
    await stage.home.ok(['newtab', `${stage.origin}/every`]);
    stage.tab = await current(stage.home);
    assert.notEqual(stage.tab, front);
    await stage.home.ok(['focus', '--tab', String(front)]);
  },
  window: async (stage) => {
    stage.display = await Display.open();
    stage.home.environment.DISPLAY = stage.display.name;
    await stage.home.connect([]);
    stage.tab = await current(stage.home);
  },
  attached: async (stage) => {
    const profile = path.join(stage.home.folder, 'foreign');
    const flags = ['--headless=new', '--remote-debugging-port=0', '--no-first-run', ...(process.getuid() === 0 ? ['--no-sandbox'] : [])];
    const child = spawn(BROWSER, [...flags, `--user-data-dir=${profile}`, 'about:blank'], { stdio: 'ignore' });
    stage.end = async () => {
      await stage.home.ok(['disconnect']);
      assert.equal(child.exitCode, null, "the person's browser goes on");
      child.kill();
      await once(child, 'exit');
    };
    const file = path.join(profile, 'DevToolsActivePort');
    await until(() => existsSync(file) && readFileSync(file, 'utf8').includes('\n'), 'the foreign browser has no port');
    await stage.home.ok(['connect', '--attach', `http://127.0.0.1:${readFileSync(file, 'utf8').split('\n')[0]}`], { limit: 90_000 });
    stage.tab = await current(stage.home);
  },
  everyday: async (stage) => {
    mkdirSync(stage.home.home, { mode: 0o700 });
    const everyday = await Everyday.start(stage.home, { url: `${stage.origin}/every` });
    stage.end = async () => everyday.stop();
    await until(async () => {
      const { data } = await stage.home.json('tabs');
      stage.tab = data.find((tab) => tab.url.startsWith(stage.origin))?.id;
      return stage.tab !== undefined;
    }, 'the everyday tab is listed');
  },
};

test('the table has every command of the registry and no other', () => {
  const named = new Set([...ROWS.map(([line]) => line.split(' ')[0]), ...APART]);
  assert.deepEqual([...named].sort(), [...new Set(commands())].sort());
});

describe('every command has its effect, or says why not and what to use instead', () => {
  // Every night all of them. The others differ in windows and focus: tests/browser/unseen.rs.
  for (const way of usualOrLong(['headless'], Object.keys(WAYS))) {
    test(`in a browser that is ${way}`, { skip: way === 'window' && noDisplay, timeout: 1_200_000 }, async () => {
      const stage = await Stage.open();
      try {
        await WAYS[way](stage);
        await stage.home.ok(['auth', 'unlock'], { input: 'a passphrase\n' });
        const saved = ['auth', 'save', 'every', '--origin', stage.origin, '--user', 'ada', '--user-field', '#name'];
        await stage.home.ok(saved, { input: 'secret\n' });
        await stage.table(way);
        // Tabs of its own.
        const opened = await stage.run(['newtab', `${stage.origin}/echo`]);
        assert.equal(opened.code, 0, opened.stderr);
        const { id } = JSON.parse(opened.stdout).data;
        assert.equal((await stage.run(['tab', String(id)])).code, 0);
        assert.equal((await stage.run(['closetab', String(id)])).code, 0);
        const { data } = await stage.home.json('tabs');
        assert.ok(!data.some((tab) => tab.id === id), 'the tab is closed');
      } finally {
        await stage.close();
      }
    });
  }
});

test('the end of a recording says how much of it is encoded', async () => {
  const stage = await Stage.open();
  try {
    await stage.home.connect(['--headless', `${stage.origin}/every`]);
    stage.tab = await current(stage.home);
    await stage.home.ok(['video', 'start', path.join(stage.folder, 'clip.webm'), '--size', '160x96']);
    await stage.home.ok(['fill', '#name', 'moving']);
    const { origin, headers } = new Api(stage.home);
    const answer = await fetch(`${origin}/command/lines`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ command: 'video', args: ['stop'], tabId: stage.tab }),
    });
    const lines = (await answer.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { done } = lines.pop();
    assert.ok(done.data.bytes > 0, JSON.stringify(done));
    assert.ok(lines.length > 0, 'it says so at least once');
    for (const { progress } of lines) assert.ok(progress.done > 0 && progress.done <= progress.total, JSON.stringify(progress));
  } finally {
    await stage.close();
  }
});

test('a browser in which WebMCP is switched off says so, and offers nothing', async () => {
  const stage = await Stage.open();
  try {
    await stage.home.connect(['--headless', `${stage.origin}/every`, '--', '--disable-features=WebMCPTesting']);
    stage.tab = await current(stage.home);
    await stage.value(['typeof document.modelContext', 'undefined'], 'connect');
    for (const words of [['webmcp-list'], ['webmcp-call', 'add', '{"a": 1}']]) {
      const { code, stderr } = await stage.home.run(words);
      assert.notEqual(code, 0);
      assert.match(stderr, /WebMCP is off[\s\S]*--enable-features=WebMCPTesting/);
    }
  } finally {
    await stage.close();
  }
});
