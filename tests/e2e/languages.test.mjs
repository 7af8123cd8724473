/*
 * Everything that the daemon says reaches the panel as a code and its values: a panel in Japanese or Arabic shows no
 * English sentence. Commands, names, and text from agents and pages stay in their own language.
 */
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, test } from 'node:test';
import { Scene } from './harness/scene.mjs';

/** Four consecutive Latin words in the panel's visible text or labels. Excludes text from others, also in brackets. */
const ENGLISH = `(() => {
  const theirs = 'code, pre, kbd, .data, .bubble, .prose, .tabbar, .step__detail, .composer__text, ' +
    '.approval__does, .asked__does, .approval__command > code, .log-row, option';
  const seen = [...document.querySelectorAll('.panel, .panel *')].filter((one) => !one.closest(theirs) && one.checkVisibility());
  const parts = seen.flatMap((one) => [
    ...[...one.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data),
    ...['title', 'aria-label', 'placeholder'].map((name) => one.getAttribute(name) ?? ''),
  ]);
  const sentence = /(?<![\\w/.@-])[A-Za-z][a-z’']*(?:,? [a-z’']+){3,}/;
  return [...new Set(parts.filter((text) => sentence.test(text.replaceAll(/[(（][^()（）]*[)）]/g, ''))))];
})()`;

const shown = (words) => `document.body.innerText.includes(${JSON.stringify(words)})`;

for (const [language, said] of [
  [
    'ja',
    {
      password: 'パスワード欄に入力します',
      newSite: 'あなたはこのサイトを指定していません',
      clean: '整理',
      folder: '使用できません',
      policy: 'policy.json を読み取れない',
    },
  ],
  [
    'ar',
    {
      password: 'يكتب في حقل كلمة مرور',
      newSite: 'لم تذكر هذا الموقع',
      clean: 'تنظيف',
      folder: 'محظور',
      policy: 'policy.json',
    },
  ],
]) {
  describe(`a panel in ${language} shows no sentence of the daemon's in English`, () => {
    let scene;
    afterEach(async () => {
      scene?.agent?.settle();
      await scene?.close();
      scene = undefined;
    });
    const open = async (options = {}) => {
      scene = await Scene.open({ ...options, home: { language, ...options.home } });
      assert.equal(await scene.panel.page.evaluate('chrome.i18n.getMessage("language")'), language);
      return scene;
    };
    const translated = async (where) => assert.deepEqual(await scene.panel.page.evaluate(ENGLISH), [], where);
    const click = (selector) => scene.panel.page.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);

    test('while it is empty, in its drawers, and in what they answer', async () => {
      const { panel } = await open();
      await panel.page.waitFor(`document.querySelector('.suggestion')`);
      await translated('empty');
      await panel.page.waitFor(`document.querySelector('#quick button')`);
      await click('#quick button');
      await panel.page.waitFor(`!document.querySelector('#toast').hidden && ${shown(said.clean)}`);
      await translated('tidied');
      await panel.say('/settings');
      await panel.page.waitFor(`document.querySelector('#settings [data-setting="worktrees.repository"]')`);
      await panel.page.evaluate(`for (const part of document.querySelectorAll('#settings details')) part.open = true`);
      await translated('settings');
      await panel.page.evaluate(`{
        const field = document.querySelector('#settings [data-setting="worktrees.repository"]');
        field.value = '/';
        field.dispatchEvent(new Event('change', { bubbles: true }));
      }`);
      await panel.page.waitFor(shown(said.folder));
      await translated('a setting that was refused');
      await panel.page.press('Escape');
      await panel.page.waitFor(`document.querySelector('#settings').hidden`);
      await panel.say('/folder /');
      await panel.page.waitFor(shown(said.folder));
      await translated('a folder that was refused');
      for (const one of ['activity', 'refs', 'inspector', 'connection']) {
        await panel.page.evaluate(`document.querySelector('#debug').hidden &&
          document.querySelector('.statusbar [aria-controls="debug"], .statusbar .icon-button:last-child').click()`);
        await panel.page.waitFor(`!document.querySelector('#debug').hidden`);
        await click(`#debug [role="tab"][id*="${one}"]`);
        if (one === 'connection') await panel.page.waitFor(`document.querySelectorAll('#debug .hop').length === 6`);
        await translated(one);
      }
    });

    test('in cards and in the reasons why they ask', async () => {
      const { panel, site } = await open({ at: '/login' });
      const turn = await scene.ask('Log in');
      const filling = turn.tool('fill', { selector: '#pw', value: 'hunter2' });
      await panel.page.waitFor(`document.querySelector('.approval__why')`);
      assert.ok(await panel.page.evaluate(shown(said.password)));
      await translated('a password');
      await panel.page.waitFor(`document.querySelector('.approval:not(.is-arming)')`);
      await click('.approval [data-choice="deny"]');
      assert.ok((await filling).isError);
      const going = turn.tool('goto', { url: `http://localhost:${new URL(site.origin).port}/form` });
      await panel.page.waitFor(shown(said.newSite));
      await translated('another site');
      await panel.page.waitFor(`document.querySelector('.approval:not(.is-arming)')`);
      await click('.approval [data-choice="deny"]');
      assert.ok((await going).isError);
      turn.crash();
      await panel.page.waitFor(`document.querySelector('.card--danger')`);
      await translated('an agent that ended');
    });

    test('where the rules can not be read', async () => {
      const { panel, home } = await open();
      const rules = path.join(home.home, 'policy.json');
      writeFileSync(rules, '{');
      chmodSync(rules, 0o600);
      await home.ok(['stop']);
      await home.kill(await home.only('host')).catch(() => {});
      await panel.page.waitFor(shown(said.policy));
      await panel.connected();
      await translated('unreadable rules');
      const turn = await scene.ask('Read the page');
      const reading = turn.tool('text', {});
      await panel.page.waitFor(`document.querySelector('.approval__why')`);
      await translated('a card where everything is asked about');
      await panel.page.waitFor(`document.querySelector('.approval:not(.is-arming)')`);
      await click('.approval [data-choice="deny"]');
      assert.ok((await reading).isError);
      turn.end();
    });
  });
}
