/*
 * gstack's effects on the rest of the machine: its ports, its windows, other browsers, the welcome page, other homes.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Everyday } from './harness/everyday.mjs';
import { EXTENSION_ID, TestHome, isPanel } from './harness/home.mjs';
import { listeners, processesOf } from './harness/processes.mjs';
import { Scene } from './harness/scene.mjs';

describe('ports', () => {
  test('the only listener is the daemon, on 127.0.0.1; the browser opens none', async () => {
    const home = new TestHome({ port: false });
    try {
      await home.connect();
      const { port } = JSON.parse(readFileSync(path.join(home.home, 'browse.json'), 'utf8'));
      const daemon = await home.only('daemon');
      assert.deepEqual(listeners(processesOf(home.home)), [{ pid: daemon, address: '0100007F', port }]);
    } finally {
      assert.deepEqual(await home.stop(), []);
    }
  });
});

describe('more than one', () => {
  let scene;
  before(async () => {
    scene = await Scene.open();
  });
  after(() => scene?.close());

  test('another tab has a conversation of its own; coming back shows the first', async () => {
    const { client, panel, site } = scene;
    const turn = await scene.ask('about the form');
    turn.say('Form it is.');
    turn.end();
    await panel.gone('stop');
    await client.send('Target.createTarget', { url: `${site.origin}/counter` });
    await panel.page.waitFor(`!document.querySelector('.bubble')`, 'an empty conversation');
    const second = await scene.ask('about the counter');
    second.say('Counter it is.');
    second.end();
    await panel.seen('answer', 'Counter it is.');
    await panel.gone('stop');
    await client.send('Target.activateTarget', { targetId: scene.page.targetId });
    await panel.seen('answer', 'Form it is.');
    assert.ok(!(await panel.texts('answer')).includes('Counter it is.'));
  });

  test('a second window has a panel of its own, about its own tab', async () => {
    const { client, site } = scene;
    await client.send('Target.createTarget', { url: `${site.origin}/long`, newWindow: true });
    // Does the same as a click on the toolbar button in that window.
    await scene.panel.page.send('Runtime.evaluate', {
      expression: `chrome.tabs.query({ url: '${site.origin}/long' }).then(([tab]) => chrome.sidePanel.open({ windowId: tab.windowId }))`,
      userGesture: true,
      awaitPromise: true,
    });
    const second = await client.target((one) => isPanel(one) && one.targetId !== scene.panel.page.targetId, 'a second panel');
    const panel = new scene.panel.constructor(await client.attach(second.targetId));
    await panel.connected();
    await panel.say('about the long page');
    const turn = await scene.agent.prompt();
    turn.say('Long it is.');
    await panel.seen('answer', 'Long it is.');
    turn.end();
    await panel.gone('stop');
    assert.ok(!(await scene.panel.texts('answer')).includes('Long it is.'), 'the first window shows its own');
  });

  test('a browser that gstack did not start shares the daemon', async () => {
    const everyday = await Everyday.start(scene.home);
    try {
      const daemon = await scene.home.only('daemon');
      const panel = await everyday.panel();
      await panel.connected();
      await panel.say('from my own browser');
      const turn = await scene.agent.prompt();
      turn.say('Hello there.');
      turn.end();
      await panel.seen('answer', 'Hello there.');
      await panel.gone('stop');
      assert.equal(await scene.home.only('daemon'), daemon);
      assert.ok(!(await scene.panel.texts('bubble')).includes('from my own browser'));
    } finally {
      everyday.stop();
    }
    await scene.panel.connected();
    assert.match(await scene.home.ok(['tabs']), /form/, 'the other browser goes on');
  });

  test('two homes run side by side and know nothing of each other', async () => {
    const other = new TestHome();
    try {
      await other.connect(['--headless', `${scene.site.origin}/long`]);
      assert.match(await other.ok(['url']), /\/long/);
      assert.doesNotMatch(await other.ok(['tabs']), /\/form/);
      assert.notEqual(await other.only('daemon'), await scene.home.only('daemon'));
    } finally {
      assert.deepEqual(await other.stop(), []);
    }
  });
});

describe('the welcome page', () => {
  test('points at the panel until the panel has truly connected', async () => {
    const home = new TestHome();
    try {
      await home.connect();
      const client = await home.devtools();
      const { port } = JSON.parse(readFileSync(path.join(home.home, 'browse.json'), 'utf8'));
      const page = await home.page(client, `http://127.0.0.1:${port}/welcome`);
      const panel = await home.panel(client);
      await panel.connected();
      await page.waitFor(`document.querySelector('main').dataset.state === 'ready'`, 'a welcome page without its arrow');
      const words = await page.evaluate(`document.querySelector('main').innerText`);
      assert.match(words, /Connected[^]*Type in the side panel/);
      assert.doesNotMatch(words, /opens by itself|does not open|waiting|doctor/i, 'no help for a panel that is there');
      // These pages stay open for hours, and a page that moves is drawn sixty times a second.
      const endless = `document.getAnimations({ subtree: true })
        .filter((one) => one.effect.getComputedTiming().iterations === Infinity).map((one) => one.animationName).join()`;
      assert.equal(await page.evaluate(endless), '', 'nothing moves once it is connected');
      assert.equal(await panel.page.evaluate(endless), '', 'nothing moves in a panel at rest');
      assert.equal(await page.evaluate(`document.querySelector('main').dataset.state = 'late'; ${endless}`), '', 'nor without a panel');
      // Without a panel the arrow is shown although the extension is loaded.
      await client.send('Target.closeTarget', { targetId: panel.page.targetId });
      await client.gone(panel.page.targetId, 'the panel');
      await page.send('Page.reload');
      await page.waitFor(`document.querySelector('main')?.dataset.state === 'waiting'`, 'the arrow');
      await client.target((one) => one.url.includes(EXTENSION_ID), 'the extension, still loaded');
    } finally {
      assert.deepEqual(await home.stop(), []);
    }
  });
});

describe('registration with browsers', () => {
  let home;
  before(() => {
    home = new TestHome();
  });
  after(() => home.stop());

  test('install-host serves the browsers that are there, twice without a change, and can be taken back', async () => {
    const chrome = path.join(home.person, '.config/google-chrome');
    const manifest = path.join(chrome, 'NativeMessagingHosts/io.gstack.host.json');
    // Only browsers of this home count: nothing from PATH.
    const environment = { PATH: '/nowhere' };
    mkdirSync(chrome, { recursive: true });
    assert.match(await home.ok(['install-host', '--dry-run'], { environment }), /would register/);
    assert.ok(!existsSync(manifest));
    assert.match(await home.ok(['install-host'], { environment }), /Chrome +registered/);
    const written = JSON.parse(readFileSync(manifest, 'utf8'));
    assert.deepEqual(written.allowed_origins, [`chrome-extension://${EXTENSION_ID}/`]);
    assert.ok(existsSync(written.path));
    assert.ok(existsSync(path.join(home.home, 'extension/manifest.json')), 'the extension is unpacked');
    assert.match(await home.ok(['install-host'], { environment }), /registered already/);
    assert.ok(!existsSync(path.join(home.person, '.config/chromium')));
    const report = JSON.parse(await home.ok(['uninstall-host', '--json'], { environment }));
    assert.equal(report.report.browsers[0].action, 'remove');
    assert.ok(!existsSync(manifest));
  });

  test('one profile can be named', async () => {
    const profile = path.join(home.folder, 'profile');
    await home.ok(['install-host', '--user-data-dir', profile]);
    assert.ok(existsSync(path.join(profile, 'NativeMessagingHosts/io.gstack.host.json')));
  });
});
