/*
 * A rule holds in the kind of browser that it was made in: what the person allowed in gstack's own browser, an agent or client does not
 * do with the logins of the everyday one.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { Everyday } from '../e2e/harness/everyday.mjs';
import { TestHome } from '../e2e/harness/home.mjs';
import { Site } from '../e2e/harness/site.mjs';
import { until } from '../e2e/harness/wait.mjs';
import { startClient } from './client.mjs';

describe('rules in several kinds of browsers', () => {
  let home;
  let site;
  let host;
  let everyday;
  /** The tab with the form in each browser. */
  let tabs;
  const open = [];
  const client = async (kind) => {
    const started = await startClient(home, kind, '--tab', String(tabs[kind]));
    open.push(started.client);
    return started;
  };
  /** Runs a call that must ask, and answers it. */
  const asked = async ({ run }, answer) => {
    const running = run('click', { selector: '#name' });
    const waiting = await until(async () => (await home.json('approvals')).approvals[0], 'the person is asked');
    await home.ok(['approvals', ...answer, waiting.approvalId]);
    return { failed: (await running).failed, choices: waiting.choices };
  };
  const rules = async () => (await home.json('policy')).rules;

  before(async () => {
    home = new TestHome();
    mkdirSync(home.home, { mode: 0o700 });
    site = await Site.start();
    host = new URL(site.origin).host;
    everyday = await Everyday.start(home, { url: `${site.origin}/form` });
    await everyday.page(site.origin);
    await home.ok(['connect', '--everyday']);
    const [theirs] = (await home.json('tabs')).data.filter(({ url }) => url.endsWith('/form'));
    await home.ok(['connect', '--headless', '--name', 'own']);
    await home.ok(['--browser', 'own', 'newtab', `${site.origin}/form`]);
    const [own] = (await home.json('tabs')).data.filter(({ url, id }) => url.endsWith('/form') && id !== theirs.id);
    tabs = { own: own.id, everyday: theirs.id };
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
    for (const rule of await rules()) await home.ok(['policy', 'remove', rule.id]);
  });
  after(async () => {
    await everyday?.stop();
    await home.run(['disconnect', '--browser', 'own']);
    await site?.stop();
    assert.deepEqual(await home.stop(), [], 'nothing is left behind');
  });

  test("what was allowed in gstack's own browser is asked about in the everyday one", async () => {
    for (const rule of [
      ['allow', 'act', '--site', host],
      ['allow', 'act'],
      ['unattended', '1h'],
    ]) {
      await home.ok(['policy', ...rule, '--in', 'own']);
      const [own, theirs] = [await client('own'), await client('everyday')];
      await own.call('click', { selector: '#name' });
      assert.ok((await asked(theirs, ['deny'])).failed, rule.join(' '));
      assert.match(await home.ok(['policy']), /in gstack's own browser/);
      await Promise.all(open.splice(0).map((one) => one.close()));
      for (const made of await rules()) await home.ok(['policy', 'remove', made.id]);
    }
  });

  test('an answer in the everyday browser holds there, and a rule can name the kind', async () => {
    const theirs = await client('everyday');
    assert.ok(!(await asked(theirs, ['allow', '--site'])).failed);
    await theirs.call('click', { selector: '#name' });
    const own = await client('own');
    assert.ok((await asked(own, ['deny'])).failed);
    await home.ok(['policy', 'allow', 'act', '--site', host, '--in', 'own']);
    await own.call('click', { selector: '#name' });
    assert.deepEqual((await rules()).map(({ browser }) => browser).sort(), ['everyday', 'own']);
  });

  test('a rule from before rules named a browser asks once, and is replaced', async () => {
    await home.ok(['policy', 'allow', 'act', '--site', host, '--in', 'own']);
    await home.ok(['stop']);
    const file = path.join(home.home, 'policy.json');
    const old = JSON.parse(readFileSync(file, 'utf8'));
    for (const rule of old.rules) delete rule.browser;
    writeFileSync(file, JSON.stringify(old));
    await home.ok(['connect', '--headless', '--name', 'own']);
    const own = await client('own');
    assert.ok(!(await asked(own, ['allow', '--site'])).failed);
    await own.call('click', { selector: '#name' });
    assert.deepEqual(
      (await rules()).map(({ browser, site: of }) => [browser, of]),
      [['own', host]],
    );
  });
});
