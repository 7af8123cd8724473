/*
 * `gstack policy explain` and `policy test` answer for one browser: that of the conversation, the one that is named, or that of a
 * tab. Each browser has the list of sites that it was opened with.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TestHome } from './harness/home.mjs';
import { StandIn } from './harness/stand-in.mjs';

const SITE = 'elsewhere.example';
const STILL = /The open browser still has an allow-list[^]*gstack disconnect --browser narrow[^]*only shop\.example/;

describe('an explanation of the policy', () => {
  const home = new TestHome({ port: false });
  const conversations = {};
  const tabs = {};
  let agent;
  let expectations;

  before(async () => {
    agent = await StandIn.install(home);
    await home.connect();
    await home.ok(['policy', 'only', 'shop.example']);
    await home.connect(['--headless', '--name', 'narrow']);
    await home.ok(['policy', 'only', '--off']);
    const all = (await home.json('tabs')).data;
    tabs.main = all.find((tab) => tab.browser === undefined).id;
    tabs.narrow = all.find((tab) => tab.browser === 'narrow').id;
    for (const [name, tab] of Object.entries(tabs)) {
      const chat = home.run(['chat', `In the browser ${name}`, '--tab', String(tab)]);
      const turn = await agent.prompt();
      turn.say('Done.');
      turn.end();
      assert.equal((await chat).code, 0);
      const known = (await home.json('sessions')).conversations;
      conversations[name] = known.find((one) => !Object.values(conversations).includes(one.conversationId)).conversationId;
    }
    expectations = path.join(home.person, 'expected.toml');
  });
  after(async () => {
    agent?.stop();
    await home.run(['disconnect', '--browser', 'narrow']);
    assert.deepEqual(await home.stop(), [], 'nothing is left behind');
  });

  const explained = async (args = [], environment = {}) => {
    const [found, text] = await Promise.all(
      [['--json'], []].map((more) => home.ok(['policy', 'explain', 'look', '--site', SITE, ...args, ...more], { environment })),
    );
    return { ...JSON.parse(found), text };
  };
  const isOfNarrow = ({ verdict, onlySites, text }, why) => {
    assert.deepEqual([verdict, onlySites], ['refused', 'shop.example'], why);
    assert.match(text, STILL, why);
  };
  const isOfMain = ({ verdict, onlySites, text }, why) => {
    assert.deepEqual([verdict, onlySites], ['runs', undefined], why);
    assert.doesNotMatch(text, /allow-list/, why);
  };
  /** Runs `policy test` with one expectation; returns `[code, found]`. */
  const tested = async (args = [], environment = {}, more = '') => {
    writeFileSync(expectations, `[[expect]]\naction = "look"\nsite = "${SITE}"\nverdict = "refused"\n${more}`);
    const { code, stdout, stderr } = await home.run(['policy', 'test', expectations, '--json', ...args], { environment });
    if (!stdout.startsWith('[')) return [code, stdout + stderr];
    // One document, whether or not they hold.
    const [{ found, rule }] = JSON.parse(stdout);
    return [code, found, rule];
  };
  const REFUSED = [0, 'refused', 'policy only'];
  const RUNS = [1, 'runs', undefined];

  test('is about the browser of its conversation, and the name of another browser comes first', async () => {
    isOfNarrow(await explained(['--conversation', conversations.narrow]));
    isOfMain(await explained(['--conversation', conversations.main]));
    isOfMain(await explained(['--conversation', conversations.narrow, '--browser', 'main']), 'the name comes first');
    isOfNarrow(await explained(['--conversation', conversations.main, '--browser', 'narrow']), 'the name comes first');
    const all = JSON.parse(await home.ok(['policy', 'explain', '--site', SITE, '--conversation', conversations.narrow, '--json']));
    const verdicts = Object.fromEntries(all.map(({ action, explained: found }) => [action, found.verdict]));
    assert.deepEqual([verdicts.look, verdicts.click, verdicts.shell], ['refused', 'refused', 'asks'], 'every action is about it');
  });

  test('is about the browser that an option, a variable or a tab names, and otherwise about the main one', async () => {
    isOfMain(await explained());
    isOfNarrow(await explained(['--browser', 'narrow']));
    isOfMain(await explained(['--browser', 'main']));
    isOfNarrow(await explained([], { GSTACK_BROWSER_NAME: 'narrow' }));
    isOfMain(await explained(['--browser', 'main'], { GSTACK_BROWSER_NAME: 'narrow' }), 'the option comes first');
    isOfNarrow(await explained(['--tab', String(tabs.narrow)]));
    isOfMain(await explained(['--tab', String(tabs.main)], { GSTACK_BROWSER_NAME: 'narrow' }), 'the tab comes first');
  });

  test('`policy test` holds a file against the same browser', async () => {
    assert.deepEqual(await tested(), RUNS);
    assert.deepEqual(await tested(['--browser', 'narrow']), REFUSED);
    assert.deepEqual(await tested(['--browser', 'main']), RUNS);
    assert.deepEqual(await tested([], { GSTACK_BROWSER_NAME: 'narrow' }), REFUSED);
    assert.deepEqual(await tested(['--browser', 'main'], { GSTACK_BROWSER_NAME: 'narrow' }), RUNS);
    assert.deepEqual(await tested(['--tab', String(tabs.narrow)]), REFUSED);
    for (const [name, expected] of [
      ['narrow', REFUSED],
      ['main', RUNS],
    ]) {
      assert.deepEqual(await tested([], {}, `conversation = "${conversations[name]}"\n`), expected, name);
    }
  });

  test('names a browser and a conversation that do not exist', async () => {
    const explain = ['policy', 'explain', 'look', '--site', SITE];
    const commands = [explain, ['policy', 'explain'], ['policy', 'test', expectations]];
    for (const command of commands) {
      for (const [args, environment, words] of [
        [['--browser', 'nobody'], {}, /no browser named nobody is open[^]*main, narrow/],
        [[], { GSTACK_BROWSER_NAME: 'nobody' }, /no browser named nobody is open[^]*main, narrow/],
        [['--browser', '../up'], {}, /browser name .* is not usable/],
        [[], { GSTACK_BROWSER_NAME: '../up' }, /GSTACK_BROWSER_NAME: .*is not usable/],
        [['--browser', 'main', '--tab', String(tabs.narrow)], {}, /tab \d+ is not in the browser main/],
      ]) {
        const { code, stdout, stderr } = await home.run([...command, ...args], { environment });
        const said = `${command.join(' ')} ${args.join(' ')} ${JSON.stringify(environment)}: ${stdout}${stderr}`;
        assert.notEqual(code, 0, said);
        assert.match(stderr, words, said);
      }
    }
    const unknown = '00000000-0000-4000-8000-000000000000';
    const { code, stderr } = await home.run([...explain, '--conversation', unknown]);
    assert.notEqual(code, 0);
    assert.match(stderr, /conversation/);
    const [tests, said] = await tested([], {}, `conversation = "${unknown}"\n`);
    assert.notEqual(tests, 0);
    assert.match(said, /expectation 1 of .*expected\.toml: .*conversation/);
  });

  test('names a tab that does not exist, and tells nothing about another browser', async () => {
    for (const command of [
      ['policy', 'explain', 'look', '--site', SITE],
      ['policy', 'test', expectations],
    ]) {
      const { code, stdout, stderr } = await home.run([...command, '--tab', '999']);
      assert.notEqual(code, 0, stdout);
      assert.match(stderr, /there is no tab 999/);
    }
  });
});
