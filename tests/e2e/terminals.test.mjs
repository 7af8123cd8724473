/*
 * Shells and scripts that drive under a name (`--driver`, `GSTACK_DRIVER`): each works in tabs of its own, its leases end with
 * it, and no agent or client takes such a name.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { GSTACK } from './harness/home.mjs';
import { Scene } from './harness/scene.mjs';
import { words } from './harness/stand-in.mjs';
import { until } from './harness/wait.mjs';

const PAIRS = 40;

/** A shell that runs one line after another, as a terminal or script does. */
class Shell {
  #said = '';
  #line = 0;

  constructor(home, environment = {}) {
    this.child = spawn('bash', [], {
      cwd: home.person,
      env: { ...home.environment, ...environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child.stdout.on('data', (data) => {
      this.#said += data;
    });
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
  }

  /** Runs a line; returns `{ code, said }` with both of its streams. */
  async run(line) {
    this.#line += 1;
    const mark = `-- ${this.#line} ended with `;
    this.child.stdin.write(`{ ${line}\n} 2>&1 </dev/null\necho "${mark}$?"\n`);
    const end = new RegExp(`${mark}(\\d+)\\n`);
    const [whole, code] = await until(
      () => end.exec(this.#said),
      () => `${line}: ${this.#said}`,
      60_000,
    );
    const said = this.#said.slice(0, this.#said.indexOf(whole));
    this.#said = this.#said.slice(this.#said.indexOf(whole) + whole.length);
    return { code: Number(code), said };
  }

  /** Runs gstack and returns what it prints. */
  async gstack(words) {
    const { code, said } = await this.run(`'${GSTACK}' ${words}`);
    assert.equal(code, 0, `${words}: ${said}`);
    return said;
  }

  /** Runs gstack, which has to fail, and returns why. */
  async refused(words) {
    const { code, said } = await this.run(`'${GSTACK}' ${words}`);
    assert.notEqual(code, 0, `${words}: ${said}`);
    return said;
  }

  end() {
    this.child.stdin.end();
    return this.ended;
  }
}

describe('shells and scripts with a name', () => {
  let scene;
  let mine;
  const shells = [];
  const shell = (environment) => {
    const started = new Shell(scene.home, environment);
    shells.push(started);
    return started;
  };
  const drivers = async () => (await scene.home.json('status')).drivers ?? [];
  const driver = async (name) => (await drivers()).find((one) => one.name === `terminal (${name})`);
  const tabs = async () => (await scene.home.json('tabs')).data;
  const url = (at) => `${scene.site.origin}${at}`;

  before(async () => {
    scene = await Scene.open();
    mine = (await tabs())[0].id;
  });
  afterEach(async () => {
    await Promise.all(shells.splice(0).map((one) => one.end()));
    await until(async () => (await drivers()).length === 0, 'the leases of ended shells end');
  });
  after(async () => {
    await scene?.close();
  });

  test(`two of them, ${PAIRS} interleaved goto and text, and none reads the other's page`, async () => {
    const pages = [
      ['/counter', 'Counter', 'Order'],
      ['/form', 'Order', 'Counter'],
    ];
    let crossed = 0;
    const drive = async (one, flag, at) => {
      for (let pair = 0; pair < PAIRS / 2; pair++) {
        const [page, own, other] = pages[(pair + at) % 2];
        await one.gstack(`${flag} goto '${url(page)}?${at}-${pair}'`);
        const text = await one.gstack(`${flag} text`);
        const address = await one.gstack(`url ${flag}`);
        if (!text.includes(own) || text.includes(other) || !address.includes(`?${at}-${pair}`)) crossed++;
      }
    };
    // One by the option, one by the variable.
    await Promise.all([drive(shell(), '--driver one', 0), drive(shell({ GSTACK_DRIVER: 'two' }), '', 1)]);
    assert.equal(crossed, 0);
    const [one, two] = [await driver('one'), await driver('two')];
    assert.equal(one.tabs.length, 1);
    assert.equal(two.tabs.length, 1);
    assert.notDeepEqual(one.tabs, two.tabs);
    const [shown] = (await tabs()).filter((tab) => tab.id === mine);
    assert.ok(shown.url.endsWith('/form') && shown.current, "the person's tab stays where it was, and the current one");
    assert.match(await scene.home.ok(['status']), /terminal \(one\): tab \d+/);
    assert.match(await scene.home.ok(['activity', '--json']), /"driver": ?"terminal \(one\)"/);
    assert.match(await scene.home.ok(['audit', '--json']), /terminal: terminal \(two\)/);
  });

  test('it opens, lists, leases and releases tabs of its own', async () => {
    const own = shell();
    await own.gstack(`--driver shop goto '${url('/login')}'`);
    await own.gstack(`--driver shop newtab '${url('/counter')}'`);
    assert.match(await own.gstack('--driver shop text'), /Counter/, 'it works in the tab that it opened');
    const [first, second] = (await driver('shop')).tabs;
    const listed = JSON.parse(await own.gstack('--driver shop tabs --mine --json')).data.map((tab) => tab.id);
    assert.deepEqual(
      listed,
      [first, second].sort((a, b) => a - b),
    );
    assert.ok(
      JSON.parse(await own.gstack('--driver shop tabs --json')).data.some((tab) => tab.id === mine),
      'it may look for others',
    );
    assert.match(await own.refused(`--driver shop --tab ${mine} text`), /not among the tabs of shop[\s\S]*gstack --driver shop lease \d+/);
    assert.match(await own.refused(`--driver shop tab ${mine}`), /not among the tabs of shop/);
    assert.match(await own.refused(`--driver shop closetab ${mine}`), /not among the tabs of shop/);
    assert.match(await own.gstack(`--driver shop lease ${mine}`), /Leased tab/);
    assert.match(await own.gstack(`--driver shop --tab ${mine} text`), /Order/);
    await own.gstack(`--driver shop release ${mine}`);
    assert.match(await own.refused(`--driver shop --tab ${mine} text`), /not among the tabs/);
    await own.gstack('--driver shop closetab');
    assert.equal((await driver('shop')).tabs.length, 1);
    assert.match(await own.gstack('--driver shop chain "url | text"'), /login/);
    // A subshell, a pipeline and a wrapper are the same shell; nothing changes without the name.
    const command = `'${GSTACK}' --driver shop url`;
    const piped = await own.run(`x=$(${command} | cat; true); (timeout 60 ${command}; true); echo "$x"`);
    assert.equal(piped.said.split('\n').filter((line) => line.endsWith('/login')).length, 2, piped.said);
    assert.equal((await drivers()).length, 1);
    assert.match(await own.gstack('text'), /Order/, 'without a name it is the person, in the current tab');
  });

  test('the fault of a leased tab names its holder, and the holder keeps it until it ends', async () => {
    const [holder, other] = [shell(), shell()];
    await holder.gstack(`--driver holder goto '${url('/login')}'`);
    const [held] = (await driver('holder')).tabs;
    for (const words of [`--tab ${held} text`, `tab ${held}`, `closetab ${held}`]) {
      const said = await other.refused(`--driver other ${words} --json`);
      assert.match(said, /"leased"/, words);
      assert.match(said, /terminal \(holder\)/, words);
    }
    assert.match(await scene.home.ok(['tabs']), /leased by terminal \(holder\)/);
    // Another shell can't take the name while its shell runs.
    assert.match(await other.refused('--driver holder text'), new RegExp(`process ${holder.child.pid}.*"holder"`));
    assert.match(await scene.home.ok(['--tab', String(held), 'text']), /Login/, 'the person is never refused');
    // Killed, with its tab open.
    holder.child.kill('SIGKILL');
    await until(async () => (await driver('holder')) === undefined, 'the lease ends with the shell');
    assert.match(await other.gstack(`--driver other lease ${held}`), /Leased tab/);
    assert.match(await other.gstack('--driver holder url'), /about:blank/, 'the name is free too, with a new tab');
  });

  test('it asks the person for a tab that another one works in: a no leaves it, a yes moves it and ends what runs there', async () => {
    const [holder, other] = [shell(), shell()];
    await holder.gstack(`--driver holder goto '${url('/login')}'`);
    await other.gstack(`--driver other goto '${url('/counter')}'`);
    const [held] = (await driver('holder')).tabs;
    const refused = other.refused(`--driver other lease ${held}`);
    const asked = await scene.approval();
    assert.deepEqual([asked.driver, asked.ask], ['terminal (other)', `Take tab ${held} from terminal (holder)`]);
    assert.match(asked.why, /leased by terminal \(holder\)/);
    await scene.home.ok(['approvals', 'deny', asked.approvalId]);
    assert.match(await refused, /did not give you tab/);
    assert.match(await holder.gstack('--driver holder text'), /Login/);
    const running = holder.run(`'${GSTACK}' --driver holder wait '#never' --timeout 120000`);
    const runs = ({ command, outcome }) => command === 'wait' && outcome === 'running';
    await until(async () => (await scene.home.json('activity')).entries.some(runs), 'it runs');
    const given = other.gstack(`--driver other lease ${held}`);
    await scene.home.ok(['approvals', 'allow', (await scene.approval()).approvalId]);
    assert.match(await given, /Leased tab/);
    const { code, said } = await running;
    assert.ok(code !== 0 && /took tab \d+ back/.test(said), said);
    assert.match(await holder.refused(`--driver holder --tab ${held} text`), /leased by terminal \(other\)/);
    assert.match(await other.gstack(`--driver other --tab ${held} text`), /Login/);
    // Ctrl-C withdraws what it asks for; the tab of an agent is asked for too.
    const turn = await scene.ask('Look');
    const wanted = other.run(`timeout -s INT 600 '${GSTACK}' --driver other lease ${mine} & echo $! >'${scene.home.person}/asks'; wait`);
    assert.match((await scene.approval()).why, /leased by .*agent/);
    process.kill(Number(readFileSync(path.join(scene.home.person, 'asks'), 'utf8')), 'SIGINT');
    await wanted;
    await until(async () => (await scene.home.json('approvals')).approvals.length === 0, 'it is withdrawn');
    const taken = other.gstack(`--driver other lease ${mine}`);
    await scene.home.ok(['approvals', 'allow', (await scene.approval()).approvalId]);
    await taken;
    assert.match(words(await turn.tool('text', {})), /leased by terminal \(other\)[\s\S]*Only the person/);
    await other.gstack(`--driver other release ${mine}`);
    assert.match(words(await turn.tool('text', {})), /Order/, 'the agent has it again');
    turn.end();
    await scene.panel.gone('stop');
  });

  test('the person gives it a tab and takes it back, and takes over', async () => {
    const own = shell();
    await own.gstack(`--driver mine goto '${url('/counter')}'`);
    const [held] = (await driver('mine')).tabs;
    await scene.home.ok(['lease', String(mine), '--to', 'terminal (mine)']);
    assert.match(await own.gstack(`--driver mine --tab ${mine} text`), /Order/);
    await scene.home.ok(['release', String(mine)]);
    await scene.home.ok(['pause', '--tab', String(held)]);
    assert.match(await own.refused('--driver mine pause'), /only the person can take over a tab/);
    await scene.home.ok(['resume', 'look first']);
    assert.match(await own.refused('--driver mine text'), /look first/);
    assert.match(await own.gstack('--driver mine text'), /Counter/);
  });

  test('a name is one word, and the option is for browser commands', async () => {
    const own = shell();
    for (const name of ["''", "'a b'", "'a(b)'", '"$(printf \'a\\033[2J\')"', "'-x'", 'x'.repeat(41)]) {
      assert.match(await own.refused(`--driver=${name} url`), /not a valid driver name/, name);
    }
    assert.match(await own.refused('--driver a settings'), /--driver is for browser commands/);
    assert.match(await own.refused('--driver a --remote /nowhere url'), /--driver is for browser commands/);
    assert.equal((await drivers()).length, 0);
  });

  test("neither an agent's shell, a client nor a script on the port takes the name of another driver", async () => {
    const own = shell();
    await own.gstack(`--driver victim goto '${url('/login')}'`);
    const [theirs] = (await driver('victim')).tabs;
    const turn = await scene.ask('Take the name');
    for (const words of [
      `'${GSTACK}' --driver victim text`,
      `GSTACK_DRIVER=victim '${GSTACK}' text`,
      `env -u GSTACK_TOKEN '${GSTACK}' --driver victim text`,
      `'${GSTACK}' --driver fresh --tab ${theirs} text`,
    ]) {
      const { code, stdout, stderr } = await turn.shell(words);
      assert.notEqual(code, 0, `${words}: ${stdout}`);
      assert.match(stderr + stdout, /only a shell or script of the person takes a name/, words);
      assert.ok(!stdout.includes('Password'), stdout);
    }
    assert.match((await turn.shell(`'${GSTACK}' url`)).stdout, /\/form/, 'without a name it works as before');
    turn.end();
    await scene.panel.gone('stop');
    // This process has the socket, and is not a child of the shell.
    const answer = await new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', accept: 'application/json' };
      const socketPath = path.join(scene.home.home, 'http.sock');
      const asked = request({ socketPath, path: '/command', method: 'POST', headers }, resolve);
      asked.on('error', reject);
      asked.end(JSON.stringify({ command: 'text', args: [], driverName: 'victim' }));
    });
    assert.equal(answer.statusCode, 409, 'a name belongs to its shell');
    answer.resume();
    const { port, token } = JSON.parse(readFileSync(path.join(scene.home.home, 'browse.json'), 'utf8'));
    const onPort = await fetch(`http://127.0.0.1:${port}/command`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ command: 'text', args: [], driverName: 'victim' }),
    });
    assert.equal(onPort.status, 403);
    assert.match(await onPort.text(), /not offered on the port/);
    assert.equal((await drivers()).length, 1);
  });
});
