/*
 * Several browsers on one daemon: each command goes to the browser that its name or its tab says, one that dies takes
 * nothing of the others with it, a new daemon finds all of them, and an agent gets to no browser that it was not given.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { startClient } from '../mcp/client.mjs';
import { GSTACK, TestHome } from './harness/home.mjs';
import { usualOrLong } from './harness/long.mjs';
import { foreignBrowser, GridDouble } from './harness/remote.mjs';
import { Scene } from './harness/scene.mjs';
import { until } from './harness/wait.mjs';

/** Closes the named browsers, then the home. */
async function end(home, names) {
  for (const name of names) await home.run(['disconnect', '--browser', name]);
  assert.deepEqual(await home.stop(), []);
}

const named = async (home, name) => (await home.status()).browsers.find((one) => one.name === name);

describe('several browsers on one daemon', () => {
  const home = new TestHome({ port: false });
  let server;
  let origin;

  before(async () => {
    server = createServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<title>${request.url}</title><p>You are at ${request.url}.</p>`);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${server.address().port}`;
    await home.connect();
    await home.connect(['--headless', '--name', 'shop', '--profile', 'work']);
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await end(home, ['shop', 'third', 'ninth']);
  });

  const refused = async (pattern, ...args) => {
    const { code, stdout, stderr } = await home.run(args);
    assert.notEqual(code, 0, `${args.join(' ')}: ${stdout}`);
    assert.match(stderr, pattern, args.join(' '));
    return stderr;
  };

  test('pairs of commands to two browsers at once: each goes to its own', async () => {
    const pair = async (options, at) => {
      await home.ok([...options, 'goto', `${origin}/${at}`]);
      return (await home.ok([...options, 'text'])).trim();
    };
    for (let round = usualOrLong(38, 0); round < 50; round += 1) {
      const [main, shop] = await Promise.all([pair([], `main-${round}`), pair(['--browser', 'shop'], `shop-${round}`)]);
      assert.match(main, new RegExp(`You are at /main-${round}\\.`));
      assert.match(shop, new RegExp(`You are at /shop-${round}\\.`));
    }
    // The variable chooses like the option, and `main` is a name too.
    assert.match(await home.ok(['text'], { environment: { GSTACK_BROWSER_NAME: 'shop' } }), /shop-49/);
    assert.match(await home.ok(['--browser=main', 'text'], { environment: { GSTACK_BROWSER_NAME: 'shop' } }), /main-49/);
  });

  test('status and tabs say which browser is which, and a tab alone finds its browser', async () => {
    const status = await home.status();
    assert.deepEqual(
      status.browsers.map(({ name, mode, profile }) => [name, mode, profile]),
      [
        ['main', 'headless', 'default'],
        ['shop', 'headless', 'work'],
      ],
    );
    assert.match(await home.ok(['status']), /^Browser shop: headless, 1 tab, PID \d+, profile work, http/m);
    const [instance] = await home.json('instances');
    assert.deepEqual(
      instance.browsers.map(({ name, profile }) => [name, profile]),
      [
        ['main', 'default'],
        ['shop', 'work'],
      ],
    );
    assert.match(await home.ok(['instances']), /^ {4}Browser shop: headless, 1 tab, PID \d+, profile work, http/m);
    const tabs = await home.json('tabs');
    const list = tabs.data ?? tabs;
    const shop = list.find((tab) => tab.browser === 'shop');
    const main = list.find((tab) => tab.browser === undefined);
    assert.match(shop.url, /shop-49/);
    assert.match(await home.ok(['tabs']), new RegExp(`Browser shop, select with --browser shop or --tab N:\\n {2}\\[${shop.id}\\]`));
    assert.match(await home.ok(['--tab', String(shop.id), 'text']), /shop-49/);
    assert.match(await home.ok(['--browser', 'shop', '--tab', String(shop.id), 'url']), /shop-49/);
    await refused(/tab \d+ is not in the browser shop/, '--browser', 'shop', '--tab', String(main.id), 'text');
    // A new tab opens in the browser that was chosen, and becomes its current one.
    const opened = Number(/Opened tab (\d+)/.exec(await home.ok(['--browser', 'shop', 'newtab', `${origin}/new`]))[1]);
    assert.match(await home.ok(['--browser', 'shop', 'url']), /new/);
    assert.match(await home.ok(['url']), /main-49/);
    await home.ok(['--browser', 'shop', 'closetab', String(opened)]);
    assert.match(await home.ok(['--browser', 'shop', 'url']), /shop-49/);
    assert.equal(statSync(path.join(home.home, 'browsers/shop')).mode & 0o777, 0o700);
  });

  test('names with path characters, unknown names and profiles in use are refused, and nothing is opened', async () => {
    for (const name of ['../up', 'a/b', '/usr/bin/chromium', '.', '', 'a b', 'x'.repeat(33)]) {
      assert.match(await refused(/browser name .* is not usable/, 'connect', '--headless', `--name=${name}`), /--program PATH/);
      await refused(/browser name .* is not usable/, `--browser=${name}`, 'url');
    }
    assert.match(await refused(/is not usable/, 'connect', '--browser', '/usr/bin/chromium'), /connect --program PATH/);
    await refused(/no browser named nobody is open[\s\S]*main, shop/, '--browser', 'nobody', 'goto', origin);
    await refused(/the open browser uses the profile work, not other/, 'connect', '--name', 'shop', '--profile', 'other');
    await refused(/the browser shop already uses the profile work/, 'connect', '--headless', '--name', 'third', '--profile', 'work');
    await refused(/--browser does not go with this command/, '--browser', 'shop', 'stop');
    assert.match(await home.ok(['connect', '--headless', '--name', 'shop', '--profile', 'work']), /browser found/);
    assert.deepEqual(
      (await home.status()).browsers.map((one) => one.name),
      ['main', 'shop'],
    );
  });

  test('each browser keeps the list of sites that it was opened with, and is explained by it', async () => {
    const explained = (...args) => home.ok([...args, 'policy', 'explain', 'goto', '--site', 'elsewhere.example']);
    await home.ok(['policy', 'only', 'shop.example']);
    try {
      assert.match(await explained(), /The allow-list leaves this site out/);
      const limited = () => ['', 'browsers/shop/'].filter((place) => existsSync(path.join(home.home, place, 'site-guard')));
      assert.deepEqual(limited(), ['', 'browsers/shop/'], 'each open browser is held to it');
      await home.ok(['connect', '--headless', '--name', 'narrow']);
      await home.ok(['policy', 'only', '--off']);
      assert.deepEqual(limited(), []);
      for (const name of ['main', 'shop']) await home.ok(['--browser', name, 'goto', `${origin}/${name}-49`]);
      assert.match(await explained('--browser', 'narrow'), /still has an allow-list[^]*disconnect --browser narrow[^]*only shop\.example/);
      assert.doesNotMatch(await explained(), /allow-list/);
      const there = (await home.json('tabs')).data.find((one) => one.browser === 'narrow');
      assert.match(await explained('--tab', String(there.id)), /disconnect --browser narrow/, 'its tab says which browser is meant');
      assert.doesNotMatch(await explained('--browser', 'shop'), /allow-list/);
      const { browsers } = await home.status();
      assert.deepEqual(
        browsers.map((one) => [one.name, one.onlySites]),
        [
          ['main', undefined],
          ['narrow', 'shop.example'],
          ['shop', undefined],
        ],
      );
      assert.match(await home.ok(['status']), /Browser narrow: .*opened for shop\.example only/);
      await refused(/no browser named nobody is open/, '--browser', 'nobody', 'policy', 'explain', 'goto');
      await refused(/--browser does not go with this command/, '--browser', 'shop', 'policy', 'list');
    } finally {
      await home.ok(['policy', 'only', '--off']);
      await home.run(['disconnect', '--browser', 'narrow']);
    }
  });

  test('a client works in the browser that it was started for and in no other', async () => {
    const shop = await startClient(home, 'zed', '--browser', 'shop', '--trusted');
    const main = await startClient(home, 'vim', '--trusted');
    const judged = await startClient(home, 'ed', '--browser', 'shop');
    const before = (await named(home, 'shop')).tabs;
    try {
      assert.match(await shop.call('url'), /shop-49/);
      assert.match(await main.call('url'), /main-49/);
      await shop.call('goto', { url: `${origin}/by-client` });
      assert.match(await home.ok(['--browser', 'shop', 'url']), /by-client/);
      assert.match(await home.ok(['url']), /main-49/);
      assert.ok(!(await main.call('tabs')).includes('by-client'), 'a model is not told of the other browser');
      await judged.call('tabs');
      assert.equal((await named(home, 'shop')).tabs, before + 1, 'its first tab opened in its browser');
      const driver = (await home.status()).drivers.find((one) => one.name === 'ed');
      assert.equal(driver.tabs.length, 1);
      const tabs = await home.json('tabs');
      assert.equal((tabs.data ?? tabs).find((tab) => tab.id === driver.tabs[0]).browser, 'shop');
    } finally {
      for (const one of [shop, main, judged]) await one.client.close();
    }
  });

  test('a tunnel opens its tabs in the browser that it was given', async () => {
    await home.ok(['policy', 'allow', 'act', '--site', origin.replace('http://', '')]);
    const tunnel = home.start(['--browser', 'shop', 'tunnel', '--name', 'build', '--json']);
    let opened = '';
    tunnel.stdout.on('data', (data) => {
      opened += data;
    });
    const ended = once(tunnel, 'close');
    try {
      await until(() => opened.includes('\n') || tunnel.exitCode !== null, 'the tunnel is open');
      const far = await startClient(home, 'far', '--socket', JSON.parse(opened).socket);
      await far.call('goto', { url: `${origin}/from-afar` });
      const tabs = await home.json('tabs');
      const theirs = (tabs.data ?? tabs).find((tab) => tab.url === `${origin}/from-afar`);
      assert.equal(theirs.browser, 'shop');
      assert.match(await home.ok(['url']), /main-49/);
      await far.client.close();
    } finally {
      tunnel.kill('SIGTERM');
      await ended;
    }
  });

  test('a named terminal has a tab of its own in each browser that it names', async () => {
    const script = `
      for at in 1 2 3; do
        "$G" --driver two --browser shop goto "$ORIGIN/shop-two" >/dev/null || exit 1
        "$G" --driver two --browser main goto "$ORIGIN/main-two" >/dev/null || exit 1
        "$G" --driver two --browser shop url && "$G" --driver two --browser main url || exit 1
      done
      "$G" --driver two tabs --mine --json`;
    const environment = { ...home.environment, G: GSTACK, ORIGIN: origin };
    const { stdout } = await promisify(execFile)('sh', ['-c', script], { env: environment, cwd: home.person });
    const lines = stdout.trim().split('\n');
    const urls = lines.slice(0, 6).map((line) => line.slice(origin.length));
    assert.deepEqual(urls, Array(3).fill(['/shop-two', '/main-two']).flat());
    const tabs = JSON.parse(lines.slice(6).join('\n'));
    assert.equal((tabs.data ?? tabs).length, 2, 'no tab is opened again');
  });

  test('a browser that is killed takes nothing of the others with it, and status says what became of it', async () => {
    await home.connect(['--headless', '--name', 'third']);
    const third = await named(home, 'third');
    await home.ok(['--browser', 'third', 'goto', `${origin}/third`]);
    await home.kill(third.browserPid);
    const lost = await until(async () => (await named(home, 'third'))?.lost, 'the browser is lost');
    assert.match(lost, /closed, crashed or was killed/);
    assert.match(await home.ok(['status']), /^Browser third: gone, .*gstack connect --name third opens it again/m);
    await refused(/the browser third is gone: .*killed/, '--browser', 'third', 'url');
    assert.match(await home.ok(['url']), /main-49/);
    assert.match(await home.ok(['--browser', 'shop', 'url']), /by-client/);
    // It opens again under its name; to close a lost one forgets it.
    await home.connect(['--headless', '--name', 'third']);
    assert.equal((await named(home, 'third')).lost, undefined);
    await home.kill((await named(home, 'third')).browserPid);
    await until(async () => (await named(home, 'third'))?.lost, 'the browser is lost again');
    await home.ok(['disconnect', '--browser', 'third']);
    assert.equal(await named(home, 'third'), undefined);
    await refused(/no browser named third is open/, 'disconnect', '--browser', 'third');
  });

  test('a daemon that is killed leaves all browsers to the next one', async () => {
    const browsers = async () => (await home.status()).browsers.map(({ name, browserPid, url }) => [name, browserPid, url]);
    const [tab] = await home.json('--browser', 'shop', 'tabs').then((tabs) => tabs.data ?? tabs);
    const before = await browsers();
    await home.kill(await home.only('daemon'));
    assert.match(await home.ok(['--browser', 'shop', 'text']), /by-client/);
    assert.match(await home.ok(['text']), /main-49/);
    assert.deepEqual(await browsers(), before);
    assert.match(await home.ok(['--tab', String(tab.id), 'url']), /by-client/, 'tabs keep their numbers');
  });

  test('one is closed alone', async () => {
    await home.ok(['disconnect', '--browser', 'shop']);
    assert.equal(await named(home, 'shop'), undefined);
    assert.match(await home.ok(['url']), /main-49/);
    assert.ok(!existsSync(path.join(home.home, 'b.shop.sock')));
    await refused(/no browser named shop is open/, '--browser', 'shop', 'url');
    await home.connect(['--headless', '--name', 'shop']);
    await home.ok(['disconnect']);
    assert.match(await home.ok(['--browser', 'shop', 'goto', `${origin}/alone`]), /alone/);
    assert.equal((await home.status()).mode, 'none');
    assert.match(await home.ok(['tabs']), /Browser shop/, 'to list tabs opens no browser');
    assert.equal((await home.status()).mode, 'none');
  });

  test('no more than eight are driven', async () => {
    await home.ok(['disconnect', '--browser', 'shop']);
    await home.ok(['stop']);
    // What a daemon leaves whose browsers end with it: each counts until it is opened again or forgotten.
    const names = Array.from({ length: 8 }, (_, at) => `n${at}`);
    for (const name of names) {
      mkdirSync(path.join(home.home, 'browsers', name), { mode: 0o700 });
      writeFileSync(path.join(home.home, 'browsers', name, 'tabs.json'), '{}');
    }
    await refused(/8 browsers are in use/, 'connect', '--headless', '--name', 'ninth');
    await refused(/8 browsers are in use/, 'connect', '--headless');
    await home.ok(['disconnect', '--browser', 'n0']);
    await home.connect(['--headless', '--name', 'ninth']);
    for (const name of [...names.slice(1), 'ninth']) await home.ok(['disconnect', '--browser', name]);
  });
});

describe('a named browser that gstack did not start', () => {
  const home = new TestHome({ port: false });
  const LIMIT = { limit: 120_000 };
  const opened = [];
  let server;
  let origin;
  let grid;

  before(async () => {
    server = createServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<title>${request.url}</title><p>You are at ${request.url}.</p>`);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${server.address().port}`;
    grid = await new GridDouble().start();
    await home.connect(['--headless', `${origin}/main`]);
  });
  after(async () => {
    await end(home, ['attached', 'cdp', 'grid']);
    grid?.stop();
    for (const browser of opened) await browser.end();
    server.closeAllConnections();
    server.close();
  });

  /** Starts a browser; it is ended with the test at the latest. */
  const browser = async () => {
    const started = await foreignBrowser();
    opened.push(started);
    return started;
  };
  const lose = async (started) => {
    opened.splice(opened.indexOf(started), 1);
    await started.end();
  };
  /** Asserts that this browser and the main one are driven beside each other, each by its own commands. */
  const isDriven = async (name, mode) => {
    const before = (await home.status()).browsers.map((one) => [one.name, one.mode]);
    assert.deepEqual(before, [
      ['main', 'headless'],
      [name, mode],
    ]);
    for (const round of [1, 2, 3]) {
      await Promise.all([home.ok(['goto', `${origin}/main-${round}`]), home.ok(['--browser', name, 'goto', `${origin}/${name}-${round}`])]);
      assert.match(await home.ok(['text']), new RegExp(`You are at /main-${round}\\.`));
      assert.match(await home.ok(['--browser', name, 'text']), new RegExp(`You are at /${name}-${round}\\.`));
    }
    const tabs = await home.json('tabs');
    const own = (tabs.data ?? tabs).filter((tab) => tab.browser === name);
    assert.ok(own.some((tab) => tab.url === `${origin}/${name}-3`));
    assert.match(await home.ok(['--tab', String(own.find((tab) => tab.url.endsWith('-3')).id), 'url']), /-3/);
  };
  /** Asserts that a lost browser is named with the reason, and that the main one goes on. */
  const isLost = async (name) => {
    const lost = await until(async () => (await named(home, name))?.lost, `the browser ${name} is lost`);
    assert.match(lost, name === 'attached' ? /crashed or was killed$/ : /or the connection to it was lost$/);
    const { code, stderr } = await home.run(['--browser', name, 'url']);
    assert.notEqual(code, 0);
    assert.match(stderr, new RegExp(`the browser ${name} is gone: [\\s\\S]*connect`));
    assert.match(await home.ok(['url']), /main-3/);
    assert.equal((await named(home, 'main')).lost, undefined);
  };
  const isForgotten = async (name) => {
    assert.equal(await named(home, name), undefined);
    assert.notEqual((await home.run(['--browser', name, 'url'])).code, 0);
    assert.match(await home.ok(['url']), /main-3/);
  };

  for (const [name, option, mode] of [
    ['attached', '--attach', 'attached'],
    ['cdp', '--cdp', 'remote'],
  ]) {
    test(`${option} has a name beside the main browser, is lost alone, and stays open when it is disconnected`, async () => {
      const first = await browser();
      await home.ok(['connect', '--name', name, option, first.websocket], LIMIT);
      await isDriven(name, mode);
      await lose(first);
      await isLost(name);
      const second = await browser();
      await home.ok(['connect', '--name', name, option, second.websocket], LIMIT);
      await isDriven(name, mode);
      assert.match(await home.ok(['disconnect', '--browser', name]), /stays open/);
      await isForgotten(name);
      const { port } = new URL(second.websocket);
      assert.ok((await fetch(`http://127.0.0.1:${port}/json/version`)).ok, 'it lives on');
    });
  }

  test('--grid has a name beside the main browser, is lost alone, and its session is released when it is disconnected', async () => {
    await home.ok(['connect', '--name', 'grid', '--grid', grid.url], LIMIT);
    await isDriven('grid', 'remote');
    // A killed daemon: the next one keeps the main browser and releases the session.
    await home.kill(await home.only('daemon'));
    assert.match(await home.ok(['url']), /main-3/);
    await until(
      () => grid.deleted.length === 1,
      () => 'the session of the killed daemon is not released',
    );
    await home.ok(['connect', '--name', 'grid', '--grid', grid.url], LIMIT);
    await isDriven('grid', 'remote');
    assert.match(await home.ok(['disconnect', '--browser', 'grid'], LIMIT), /the browser is closed/);
    assert.deepEqual(grid.deleted, grid.created);
    await isForgotten('grid');
    await home.ok(['connect', '--name', 'grid', '--grid', grid.url], LIMIT);
    await isDriven('grid', 'remote');
    grid.nodes[0].kill();
    await isLost('grid');
    await home.ok(['disconnect', '--browser', 'grid'], LIMIT);
    await isForgotten('grid');
  });
});

describe('an agent', () => {
  let scene;
  before(async () => {
    scene = await Scene.open();
    await scene.home.connect(['--headless', '--name', 'shop']);
  });
  after(async () => {
    await scene.home.run(['disconnect', '--browser', 'shop']);
    await scene.close();
  });

  test('opens, chooses and reaches no browser that it was not given', async () => {
    await scene.home.ok(['--browser', 'shop', 'goto', `${scene.site.origin}/form`]);
    const tabs = await scene.home.json('tabs');
    const shop = (tabs.data ?? tabs).find((tab) => tab.browser === 'shop').id;
    const turn = await scene.ask('Look around');
    for (const line of [
      '--browser shop url',
      '--browser shop newtab',
      '--browser nobody url',
      `--tab ${shop} url`,
      `--browser shop --tab ${shop} url`,
      'connect --name other --headless',
      'disconnect --browser shop',
    ]) {
      const outcome = await turn.shell(`'${GSTACK}' ${line}`);
      assert.notEqual(outcome.code, 0, `${line}: ${outcome.stdout}`);
    }
    const outcome = await turn.shell(`'${GSTACK}' --browser shop url`);
    assert.match(outcome.stderr, /you have no tab in a browser named/);
    const own = await turn.shell(`'${GSTACK}' --browser main url`);
    assert.equal(own.code, 0, own.stderr);
    const status = await scene.home.status();
    assert.deepEqual(
      status.browsers.map(({ name, tabs: count }) => [name, count]),
      [
        ['main', 1],
        ['shop', 1],
      ],
    );
    turn.end();
  });
});
