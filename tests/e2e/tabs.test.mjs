/*
 * The tabs that an agent may use: its conversation's own, those that it or its pages open, those that the person adds,
 * and no other, however it tries.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GSTACK } from './harness/home.mjs';
import { words } from './harness/stand-in.mjs';
import { besideAnotherSite } from './harness/two-sites.mjs';
import { until } from './harness/wait.mjs';

describe('an agent among many tabs', () => {
  let scene;
  let other;
  besideAnotherSite('/opener', (opened, beside) => {
    scene = opened;
    other = beside;
  });
  const tabs = async () => (await scene.home.json('tabs')).data ?? (await scene.home.json('tabs'));
  /** Opens a tab as the person, returns to the tab with the panel, and returns the new tab's number. */
  const personOpens = async (url) => {
    const [own] = (await tabs()).filter((tab) => tab.current);
    const number = Number(/Opened tab (\d+)/.exec(await scene.home.ok(['newtab', url]))[1]);
    await scene.home.ok(['tab', String(own.id)]);
    return number;
  };
  /** Adds a tab to the agent's tab set in the panel. */
  const personAdds = async (url) => {
    const { page } = scene.panel;
    await page.click('.tabchip');
    await page.click('[data-line=add]');
    const host = JSON.stringify(new URL(url).host);
    const line = `[...document.querySelectorAll('[data-line^="add "]')].find((one) => one.textContent.includes(${host}))`;
    await page.waitFor(`(() => { const line = ${line}; line?.click(); return Boolean(line); })()`, 'the tab among those that can be added');
    await page.waitFor(`document.querySelector('.tabchip__others')?.textContent.includes('2')`, 'two tabs that the agent may use');
    await page.press('Escape');
  };
  const shown = (tab, site) =>
    until(async () => {
      const page = await scene.home.page(scene.client, site);
      return page.evaluate('document.querySelectorAll("[data-gstack]").length > 0');
    }, `marks in tab ${tab}`);

  test('a new tab gets a phantom conversation if the browser names its page late: every tool of it fails', async () => {
    const { home, page, panel, client } = scene;
    const keeper = await home.only('browser-keeper');
    // The keeper passes on what DevTools says. While it is stopped, only the extension knows the new tab.
    process.kill(keeper, 'SIGSTOP');
    try {
      await page.click('a[target=_blank]');
      const left = `!document.querySelector('.tabchip__title').textContent.includes('Opener')`;
      await panel.page.waitFor(left, 'the panel leaves the first tab');
    } finally {
      process.kill(keeper, 'SIGCONT');
    }
    await panel.page.waitFor(`document.querySelector('.tabchip__title').textContent.includes('Login')`, 'the panel of the new tab');
    const turn = await scene.ask('Look at this page');
    const seen = await turn.tool('snapshot', {});
    assert.ok(!seen.isError, words(seen));
    assert.match(words(seen), /Login/);
    turn.end();
    await panel.gone('stop');
    const opened = await client.target((one) => one.url.endsWith('/login'), 'the new tab');
    await client.send('Target.closeTarget', { targetId: opened.targetId });
    await panel.page.waitFor(`document.querySelector('.tabchip__title').textContent.includes('Opener')`, 'the first tab');
  });

  test('it sees its own tab and no other, and is refused the rest in words, by tool and by command line', async () => {
    const closed = await personOpens(`${other.origin}/login`);
    const [{ id: own }] = (await tabs()).filter((tab) => tab.current);
    const turn = await scene.ask('Look around');
    const listed = words(await turn.tool('tabs', {}));
    assert.match(listed, new RegExp(`→ \\[${own}\\] Opener`));
    assert.ok(!listed.includes(`[${closed}]`) && !listed.includes('Login'), listed);
    assert.match(listed, /UNTRUSTED TEXT [0-9a-f]{8}/, "titles are the pages' words");
    for (const [tool, input] of [
      ['tab', { id: closed }],
      ['closetab', { id: closed }],
      ['tab', { id: 9999 }],
      ['closetab', { id: -1 }],
    ]) {
      const result = await turn.tool(tool, input);
      assert.ok(result.isError, `${tool} ${JSON.stringify(input)}`);
      assert.match(words(result), /not one of this conversation's tabs|not a tab number/);
    }
    assert.match(words(await turn.tool('tab', { id: closed })), /Add a tab/, 'it is told how the person can add it');
    const strange = await turn.tool('text', { tab: closed });
    assert.ok(strange.isError, 'no tool takes a tab besides');
    for (const line of [`--tab ${closed} text`, `tab ${closed}`, `closetab ${closed}`, 'tab-each text', `chain "tab ${closed} | text"`]) {
      const outcome = await turn.shell(`'${GSTACK}' ${line}`);
      assert.notEqual(outcome.code, 0, `${line}: ${outcome.stdout}`);
      assert.ok(!outcome.stdout.includes('Password'), outcome.stdout);
    }
    const outcome = await turn.shell(`GSTACK_TAB=${closed} '${GSTACK}' text`);
    assert.notEqual(outcome.code, 0, outcome.stdout);
    assert.deepEqual(JSON.parse(await scene.home.ok(['approvals', '--json'])).approvals, [], 'nobody was asked');
    assert.match(words(await turn.tool('url', {})), /opener/, 'it still works in its own');
    assert.ok(
      (await tabs()).some((tab) => tab.id === closed),
      'nothing was closed',
    );
    turn.end();
    await scene.panel.gone('stop');
    await scene.home.ok(['closetab', String(closed)]);
  });

  test('a tab that the person adds is told of, and the policy judges by the site of the tab that is used', async () => {
    const added = await personOpens(`${other.origin}/counter`);
    await scene.home.ok(['policy', 'allow', 'act', '--site', scene.site.origin]);
    const turn = await scene.ask('Use both');
    assert.ok(!(await turn.tool('press', { key: 'Shift' })).isError, 'its own site is allowed');
    await personAdds(other.origin);
    const told = words(await turn.tool('text', {}));
    assert.match(told, new RegExp(`The person gave you tab ${added} \\(${new URL(other.origin).host}\\)`));
    assert.ok(!words(await turn.tool('text', {})).includes('gave you'), 'once');
    assert.match(words(await turn.tool('tab', { id: added })), new RegExp(`Switched to tab ${added}`));
    assert.match(words(await turn.tool('text', {})), /Counter/);
    assert.match(words(await turn.tool('tabs', {})), new RegExp(`→ \\[${added}\\] Counter`));
    const clicking = turn.tool('click', { selector: 'text=Add one' });
    const asked = await scene.approval();
    assert.equal(asked.site, new URL(other.origin).host, 'what holds on its own site does not hold here');
    await shown(added, other.origin);
    await scene.home.ok(['approvals', 'allow', asked.approvalId]);
    assert.ok(!(await clicking).isError);
    const cli = await turn.shell(`'${GSTACK}' text output`);
    assert.match(cli.stdout, /\n1\n/, 'its command line works in the same tab');
    const closing = turn.tool('closetab', { id: added });
    const question = await scene.approval();
    assert.match(question.why, /did not open/);
    assert.deepEqual(question.choices, ['allow-once', 'deny']);
    await scene.home.ok(['approvals', 'deny', question.approvalId]);
    assert.ok((await closing).isError);
    turn.end();
    await scene.panel.gone('stop');

    const next = await scene.ask('And now?');
    assert.match(next.prompt, new RegExp(`<working-tab number="${added}">\\n<url>${other.origin}/counter`));
    assert.match(next.prompt, new RegExp(`<page>\\n<url>${scene.site.origin}/opener`));
    await scene.home.ok(['closetab', String(added)]);
    const lost = await next.tool('text', {});
    assert.ok(lost.isError && words(lost).includes('was closed'), words(lost));
    const own = /\[(\d+)\] Opener/.exec(words(await next.tool('tabs', {})))[1];
    assert.ok(!(await next.tool('tab', { id: Number(own) })).isError);
    assert.match(words(await next.tool('url', {})), /opener/);
  });

  test('what its page opens joins its tabs and the answer says so; what it opened it may close', async () => {
    const turn = await scene.ask('Open them');
    for (const [selector, title] of [
      ['text=Open the counter', 'Counter'],
      ['text=Log in elsewhere', 'Login'],
    ]) {
      const clicked = words(await turn.tool('click', { selector }));
      const number = Number(/The page opened tab (\d+)/.exec(clicked)?.[1]);
      assert.ok(number, clicked);
      await turn.tool('tab', { id: number });
      await until(async () => words(await turn.tool('text', {})).includes(title), `the page of tab ${number}`);
      assert.match(words(await turn.tool('closetab', {})), /Closed tab \d+\nYou work in tab \d+/);
    }
    const opening = turn.tool('newtab', { url: `${other.origin}/counter` });
    const asked = await scene.approval();
    assert.equal(asked.site, new URL(other.origin).host);
    assert.match(asked.why, /did not name this site/);
    await scene.home.ok(['approvals', 'allow', asked.approvalId, '--site']);
    const opened = Number(/Opened tab (\d+)/.exec(words(await opening))[1]);
    assert.match(words(await turn.tool('text', {})), /Counter/);
    assert.ok(!(await turn.tool('closetab', { id: opened })).isError);
    const own = turn.tool('closetab', {});
    const question = await scene.approval();
    assert.match(question.why, /did not open/);
    await scene.home.ok(['approvals', 'deny', question.approvalId]);
    assert.ok((await own).isError, 'its own tab is asked about whatever is allowed');
  });

  test("a tab that the person opens from the page while no turn runs is not the agent's", async () => {
    const before = (await tabs()).length;
    await scene.page.evaluate(`document.querySelector('button').click()`);
    await until(async () => (await tabs()).length === before + 1, 'another tab');
    await scene.page.send('Page.bringToFront');
    await scene.panel.page.waitFor(`document.querySelector('.tabchip__title').textContent === 'Opener'`);
    const turn = await scene.ask('List them');
    const listed = words(await turn.tool('tabs', {}));
    assert.ok(!listed.includes('Counter'), listed);
  });
});
