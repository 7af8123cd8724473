/*
 * `gstack policy only`: a browser that reaches some sites and no other, whatever a page tries. The other site is a second
 * port of the same host, at which nothing may arrive. The same page in a browser that may go there shows that each way
 * leads there.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { BY_ITSELF, CLICKS, Elsewhere, inside, LOOPBACK, RUNNING, WITHOUT_LIST } from './harness/elsewhere.mjs';
import { Everyday } from './harness/everyday.mjs';
import { TestHome } from './harness/home.mjs';
import { until } from './harness/wait.mjs';

describe('a browser that reaches only some sites', () => {
  let elsewhere;
  let server;
  let url;
  let own;
  const done = new Set();
  before(async () => {
    elsewhere = new Elsewhere();
    await elsewhere.start();
    server = await inside(elsewhere, done);
    own = server.address().port;
    url = `http://localhost:${own}/`;
  });
  after(() => {
    server?.closeAllConnections();
    server?.close();
    elsewhere?.stop();
  });

  const paths = () => [...BY_ITSELF, ...(elsewhere.hasIpv6 ? ['/six'] : [])];
  const arrive = (wanted) =>
    until(
      () => wanted.every((path) => elsewhere.arrived.has(path)),
      () => `all of them arrive; missing: ${wanted.filter((path) => !elsewhere.arrived.has(path))}`,
    );

  /** Tries every way that needs a click. Each click is carried out, wherever it leads. */
  async function clickAll(home, clicked) {
    for (const [selector, path] of Object.entries(CLICKS)) {
      await home.ok(['goto', url]);
      assert.match(await home.ok(['click', selector]), /^Clicked/, selector);
      await clicked(path);
    }
  }

  test('without a list the page reaches the other port in each of these ways', async () => {
    const home = new TestHome({ port: false });
    try {
      await home.connect(['--headless', url]);
      await arrive([...paths(), ...WITHOUT_LIST]);
      await clickAll(home, (path) => arrive([path]));
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });

  test('with the other port on the list the page reaches it in each way but WebRTC', async () => {
    elsewhere.arrived.clear();
    const home = new TestHome({ port: false });
    try {
      const { port, preconnectPort, transportPort } = elsewhere;
      const local = [own, port, preconnectPort].map((one) => `localhost:${one}`);
      const numeric = [`${LOOPBACK}:${port}`, `[::1]:${port}`, `${LOOPBACK}:${transportPort}`];
      await home.ok(['policy', 'only', ...[...local, ...numeric].flatMap((site) => ['--site', site])]);
      await home.connect(['--headless', url]);
      await arrive(paths());
      await clickAll(home, (path) => arrive([path]));
      await home.ok(['goto', `${elsewhere.origin}/goto`]);
      await arrive(['/goto']);
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });

  test('with a list nothing arrives there, by the page, by commands, after a restart of the daemon', async () => {
    elsewhere.arrived.clear();
    const home = new TestHome({ port: false });
    const only = `localhost:${own}`;
    try {
      assert.match(await home.ok(['policy', 'only', only]), new RegExp(`next browser reaches only ${only}\\.`));
      done.clear();
      await home.connect(['--headless', url]);
      assert.match(await home.ok(['policy', 'only']), new RegExp(`^The browser reaches only ${only}\\.`));
      assert.match(await home.ok(['status']), new RegExp(`^Only: ${only}$`, 'm'));
      assert.equal((await home.json('status')).onlySites, only);
      // The page has tried all of it once its slowest ways have ended.
      await home.ok(['wait', '--fn', "document.documentElement.dataset.ice === 'complete'", '--timeout', '60000']);
      await until(
        () => done.size === 4,
        () => `the workers have tried: ${[...done]}`,
      );
      for (const args of [
        ['goto', `${elsewhere.origin}/goto`],
        ['newtab', `${elsewhere.origin}/newtab`],
        ['diff', url, `${elsewhere.origin}/diff`],
      ]) {
        const refused = await home.run(args);
        assert.equal(refused.code, 1, args[0]);
        assert.match(refused.stderr, new RegExp(`may reach only ${only}, not localhost:${elsewhere.port}`), args[0]);
      }
      const script = `fetch('${elsewhere.origin}/js').then(() => 'arrived', (error) => error.name)`;
      assert.equal((await home.ok(['js', script])).trim(), 'TypeError');
      assert.notEqual((await home.run(['download', `${elsewhere.origin}/download`, 'file'])).code, 0);
      await clickAll(home, async () => {});
      await home.kill(await home.only('daemon'));
      await home.ok(['goto', url]);
      assert.match(await home.ok(['status']), new RegExp(`^Only: ${only}$`, 'm'), 'the browser is still limited, and known to be');
      assert.equal((await home.run(['goto', elsewhere.origin])).code, 1);
      await home.ok(['disconnect']);
      for (const args of [['--everyday'], ['--attach', 'http://127.0.0.1:9']]) {
        const refused = await home.run(['connect', ...args]);
        assert.match(refused.stderr, /only gstack's own browser can be limited/, args[0]);
      }
      await home.ok(['connect', '--headless']);
      assert.match(await home.ok(['status']), /^URL: about:blank$/m, 'the welcome page is not among the sites');
      assert.deepEqual([...elsewhere.arrived], []);
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });

  test('a list that is set while the browser is open stops at once what its pages request', async () => {
    const home = new TestHome({ port: false });
    try {
      await home.connect(['--headless', `${url}quiet`]);
      await home.ok(['text']);
      const script = `fetch('${elsewhere.origin}/js', { mode: 'no-cors' }).then(() => 'arrived', (error) => error.name)`;
      assert.equal((await home.ok(['js', script])).trim(), 'arrived');
      const tick = `fetch('${elsewhere.origin}/tick', { mode: 'no-cors' }).catch(() => fetch('/done?stopped'))`;
      await home.ok(['js', `setInterval(() => ${tick}, 200); 0`]);
      await until(() => elsewhere.arrived.has('/tick'), 'the page asks by itself');
      const said = await home.ok(['policy', 'only', `localhost:${own}`]);
      await until(() => done.has('stopped'), 'the page is stopped before any command');
      assert.match(said, /^The browser reaches only localhost:\d+\. Connections that its pages already had open continue/);
      elsewhere.arrived.clear();
      done.clear();
      assert.equal((await home.ok(['js', script])).trim(), 'TypeError');
      await home.ok(['goto', url]);
      await until(
        () => done.size === 4,
        () => `the workers have tried: ${[...done]}`,
      );
      assert.match((await home.run(['download', `${elsewhere.origin}/download`, 'file'])).stderr, /may reach only/);
      assert.match((await home.run(['download', `${url}to?/downloaded`, 'file'])).stderr, /gstack does not open/);
      await clickAll(home, async () => {});
      assert.deepEqual([...elsewhere.arrived], []);
      await home.ok(['policy', 'only', `localhost:${own}`, '--site', `localhost:${elsewhere.port}`]);
      await home.ok(['goto', `${url}quiet`]);
      assert.equal((await home.ok(['js', script])).trim(), 'arrived', 'the list was widened');
      await home.ok(['policy', 'only', '--off']);
      await home.ok(['goto', `${elsewhere.origin}/goto`]);
      assert.equal((await home.ok(['js', script])).trim(), 'arrived', 'the list was removed');
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });

  test('a list that is set while the browser is open holds for all that runs in it', { timeout: 300_000 }, async () => {
    elsewhere.arrived.clear();
    const home = new TestHome({ port: false });
    const run = RUNNING.flatMap((name) => [`/${name}`, `/${name}-socket`]);
    // The frame of another site reports to the same server, under the other host name.
    const sites = [`localhost:${own}`, `${LOOPBACK}:${own}`];
    const lists = { none: ['--off'], both: [...sites, `localhost:${elsewhere.port}`], own: sites };
    const set = async (list) => {
      const said = await home.ok(['policy', 'only', ...lists[list]]);
      // Requests that were already sent have arrived when another command has run.
      await home.ok(['text']);
      elsewhere.arrived.clear();
      return said;
    };
    /** Asserts that everything has tried again by now, and nothing has arrived since the list was set. */
    const isHeld = async () => {
      done.clear();
      await until(
        () => RUNNING.every((name) => done.has(name)),
        () => `all have tried: ${[...done]}; arrived: ${[...elsewhere.arrived]}`,
        60_000,
      );
      assert.deepEqual([...elsewhere.arrived], []);
    };
    const extensions = () => ['a', 'b'].filter((name) => existsSync(path.join(home.home, 'site-guard', name)));
    try {
      await home.connect(['--headless', `${url}running`]);
      await home.ok(['newtab', `${url}leaving?tab`]);
      const frame = `<iframe src="http://${LOOPBACK}:${own}/leaving?frame"></iframe>`;
      await home.ok(['newtab', `${url}quiet`]);
      const loads = "new Promise((loaded) => { document.querySelector('iframe').onload = () => loaded(0); })";
      await home.ok(['js', `document.body.innerHTML = '${frame}'; ${loads}`]);
      await arrive(run);
      assert.match(await set('own'), new RegExp(`^The browser reaches only ${sites.join(', ')}\\. Connections`));
      await isHeld();
      // A tab and a frame of another site send their last words.
      await home.ok(['goto', `${url}quiet`]);
      await home.ok(['closetab', '2']);
      await until(
        () => done.has('tab') && done.has('frame'),
        () => `left: ${[...done]}`,
      );
      await isHeld();
      assert.match(await home.ok(['status']), new RegExp(`^Only: ${sites.join(', ')}$`, 'm'));
      assert.doesNotMatch((await home.run(['doctor'])).stdout, /the open browser .* reaches/);
      await home.kill(await home.only('daemon'));
      await isHeld();
      await until(
        async () => (await home.json('status')).onlySites === sites.join(', '),
        () => 'the next daemon knows the list of the open browser',
      );
      await isHeld();
      await set('both');
      await arrive(run);
      await set('own');
      await isHeld();
      await set('none');
      await arrive(run);
      assert.deepEqual(extensions(), []);
      await set('own');
      await home.ok(['disconnect']);
      await home.ok(['policy', 'only', '--off']);
      elsewhere.arrived.clear();
      await home.connect(['--headless', `${url}running`]);
      await arrive(run);
      assert.deepEqual(extensions(), [], 'nothing of it is in the next browser');
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });

  test('a list that is set while the browser is open holds in private windows, and where the home is a link', async () => {
    const home = new TestHome();
    const real = `${home.home}-real`;
    mkdirSync(real, { mode: 0o700 });
    symlinkSync(real, home.home);
    const tries = async (client) => {
      const { browserContextId } = await client.send('Target.createBrowserContext');
      await client.send('Target.createTarget', { url: `${url}running`, browserContextId });
    };
    try {
      await home.connect(['--headless', `${url}quiet`]);
      const client = await home.devtools();
      await home.ok(['policy', 'only', `localhost:${own}`]);
      elsewhere.arrived.clear();
      done.clear();
      await tries(client);
      await until(
        () => RUNNING.every((name) => done.has(name)),
        () => `all have tried: ${[...done]}; arrived: ${[...elsewhere.arrived]}`,
        60_000,
      );
      assert.deepEqual([...elsewhere.arrived], []);
      await home.ok(['policy', 'only', '--off']);
      await tries(client);
      await arrive(RUNNING.map((name) => `/${name}`));
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });

  test('a page that history brings back from memory asks for nothing', async () => {
    elsewhere.arrived.clear();
    done.clear();
    const home = new TestHome({ port: false });
    try {
      await home.connect(['--headless', `${elsewhere.origin}/former`]);
      await home.ok(['js', `setInterval(() => fetch('/tick').catch(() => fetch('${url}done?former', { mode: 'no-cors' })), 100); 0`]);
      await arrive(['/tick']);
      await home.ok(['goto', `${url}quiet`]);
      await home.ok(['policy', 'only', `localhost:${own}`]);
      elsewhere.arrived.clear();
      const { code } = await home.run(['back']);
      if (code === 0) await until(() => elsewhere.arrived.size > 0 || done.has('former'), 'the page asks again');
      assert.deepEqual([...elsewhere.arrived], []);
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });

  test('what a tab and a frame of another site send when they are left does not arrive from a browser opened with the list', async () => {
    elsewhere.arrived.clear();
    done.clear();
    const home = new TestHome({ port: false });
    const isLeft = (name) =>
      until(
        () => done.has(name),
        () => `${name} was left`,
      );
    try {
      await home.ok(['policy', 'only', `localhost:${own}`, '--site', `${LOOPBACK}:${own}`]);
      await home.connect(['--headless', `${url}quiet`]);
      await home.ok(['newtab', `${url}leaving?tab`]);
      await home.ok(['text']);
      await home.ok(['closetab']);
      await isLeft('tab');
      const frame = `<iframe src="http://${LOOPBACK}:${own}/leaving?frame"></iframe>`;
      await home.ok(['goto', `${url}quiet`]);
      const loads = "new Promise((loaded) => { document.querySelector('iframe').onload = () => loaded(0); })";
      await home.ok(['js', `document.body.innerHTML = '${frame}'; ${loads}`]);
      await home.ok(['goto', `${url}quiet?again`]);
      await isLeft('frame');
      // What was on its way arrives before a command and its page.
      await home.ok(['goto', `${url}quiet`]);
      assert.deepEqual([...elsewhere.arrived], []);
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });

  test('a request that a route delays does not go on after the list was set', async () => {
    elsewhere.arrived.clear();
    done.clear();
    const home = new TestHome({ port: false });
    try {
      await home.connect(['--headless', `${url}quiet`]);
      await home.ok(['route', '**/delayed', '--delay', '60000']);
      const told = (word) => `fetch('/done?${word}')`;
      const asked = `fetch('${elsewhere.origin}/delayed', { mode: 'no-cors' }).then(() => ${told('arrived')}, () => ${told('failed')})`;
      await home.ok(['js', `${asked}; 0`]);
      await home.ok(['policy', 'only', `localhost:${own}`]);
      // The delay ends with its route.
      await home.ok(['unroute', '**/delayed']);
      await until(() => done.size > 0, 'the request has ended');
      assert.deepEqual([...done], ['failed']);
      assert.deepEqual([...elsewhere.arrived], []);
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });

  test('an everyday browser cannot be limited, so nothing acts in it while a list is set', async () => {
    const home = new TestHome();
    let everyday;
    try {
      everyday = await Everyday.start(home);
      await home.ok(['connect', '--everyday']);
      await home.ok(['newtab', `${url}quiet`]);
      await home.ok(['text']);
      await home.ok(['policy', 'only', `localhost:${own}`]);
      for (const args of [
        ['goto', `${url}quiet`],
        ['newtab', `${url}quiet`],
        ['js', '1'],
        ['click', 'a'],
        ['cdp', '--everyday'],
      ]) {
        const refused = await home.run(args);
        assert.notEqual(refused.code, 0, args[0]);
        assert.match(refused.stderr, /only gstack's own browser can be limited/, args[0]);
        assert.match(refused.stderr, /gstack policy only --off/, args[0]);
      }
      assert.match(await home.ok(['status']), /^Only: every site in the open browser; the configuration says localhost:/m);
      assert.match((await home.run(['doctor'])).stdout, /cannot be held, so nothing acts in it/);
      await home.ok(['policy', 'only', '--off']);
      await home.ok(['goto', `${url}quiet`]);
    } finally {
      await everyday?.stop();
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });

  test('arguments of the browser that would lift the limit are left out, and that is said', async () => {
    elsewhere.arrived.clear();
    const home = new TestHome({ port: false });
    try {
      await home.ok(['policy', 'only', `localhost:${own}`]);
      const lifting = [
        '--host-resolver-rules=EXCLUDE localhost',
        '-host-resolver-rules=MAP other.test 127.0.0.1',
        `--proxy-server=http://127.0.0.1:${elsewhere.port}`,
        '--',
      ];
      const said = await home.connect(['--headless', url, '--', ...lifting]);
      assert.match(said, /Ignored these browser arguments.*--host-resolver-rules, -host-resolver-rules, --proxy-server, --\./);
      for (const address of [`${elsewhere.origin}/js`, `http://other.test:${elsewhere.port}/js`]) {
        const script = `fetch('${address}').then(() => 'arrived', (error) => error.name)`;
        assert.equal((await home.ok(['js', script])).trim(), 'TypeError', address);
      }
      assert.deepEqual([...elsewhere.arrived], []);
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });

  test('a list is checked when it is set, and says when it applies', async () => {
    const home = new TestHome({ port: false });
    try {
      await home.connect(['--headless', url]);
      for (const [site, said] of [
        ['https://shop.example/', /is not a site/],
        ['*', /is not a site/],
        ['*.internal', /metadata service/],
        ['*.shop.example:443', /limits the ports of many hosts/],
        ['shop.example:0', /is not a site/],
      ]) {
        const refused = await home.run(['policy', 'only', site]);
        assert.equal(refused.code, 2, site);
        assert.match(refused.stderr, said, site);
      }
      assert.match(await home.ok(['policy', 'only']), /^The browser reaches every site\./);
      const set = await home.ok(['policy', 'only', 'shop.example,*.shop.example']);
      assert.match(set, /^The browser reaches only shop\.example, \*\.shop\.example\./);
      assert.match(await home.ok(['status']), /^Only: shop\.example, \*\.shop\.example$/m);
      assert.match((await home.run(['goto', url])).stderr, /may reach only shop\.example, \*\.shop\.example, not localhost/);
      const asked = ['policy', 'explain', 'look', '--site'];
      const explained = async (site) => JSON.parse(await home.ok([...asked, site, '--json']));
      assert.equal((await explained('www.shop.example')).verdict, 'runs');
      const refused = await explained('other.example');
      assert.deepEqual([refused.verdict, refused.onlySites], ['refused', 'shop.example, *.shop.example']);
      assert.match(await home.ok([...asked, 'other.example']), /Refused\. The allow-list leaves this site out/);
      const all = JSON.parse(await home.ok(['policy', 'explain', '--site', 'other.example', '--json']));
      const verdicts = Object.fromEntries(all.map(({ action, explained }) => [action, explained.verdict]));
      assert.deepEqual([verdicts.click, verdicts.look, verdicts.shell, verdicts.cookies], ['refused', 'refused', 'asks', 'not-offered']);
      assert.equal((await home.ok(['settings', 'get', 'browser.only-sites'])).trim(), 'shop.example, *.shop.example');
      assert.match(await home.ok(['policy', 'only', '--off']), /^The browser reaches every site\./);
      await home.ok(['disconnect']);
      await home.ok(['policy', 'only', 'shop.example']);
      await home.connect(['--headless']);
      const wider = await home.ok(['policy', 'only', 'shop.example', 'www.shop.example']);
      assert.match(wider, /next browser reaches only shop\.example, www\.shop\.example\. The open one reaches only shop\.example until/);
      assert.match(await home.ok(['status']), /^Only: shop\.example in the open browser; the configuration says shop\.example, www/m);
      assert.match((await home.run(['doctor'])).stdout, /the open browser main reaches only shop\.example, but the configuration says/);
    } finally {
      assert.deepEqual(await home.stop(), [], 'nothing is left behind');
    }
  });
});
