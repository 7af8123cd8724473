/*
 * How a person finds the panel in the browser of `connect`: gstack's icon is in the toolbar, and a key opens the panel.
 * The X server delivers the key like a keyboard: CDP cannot send keys to the browser's own window.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { Display, noDisplay } from './harness/display.mjs';
import { EXTENSION_ID } from './harness/home.mjs';
import { Scene } from './harness/scene.mjs';

describe('the panel of the browser that connect opens', { skip: noDisplay }, () => {
  test('has its icon in the toolbar, and Alt+Shift+G opens it', async () => {
    const display = await Display.open();
    let scene;
    try {
      scene = await Scene.open({ display, at: '/form' });
      const { client, home, panel } = scene;
      const preferences = JSON.parse(readFileSync(path.join(home.home, 'chromium-profile/Default/Preferences'), 'utf8'));
      assert.ok(preferences.extensions.pinned_extensions.includes(EXTENSION_ID), 'the icon is pinned');
      const worker = await client.attach(
        (await client.target((one) => one.type === 'service_worker' && one.url.includes(EXTENSION_ID), 'the worker')).targetId,
      );
      assert.equal(
        await worker.evaluate('chrome.action.getUserSettings().then(({ isOnToolbar }) => isOnToolbar)'),
        true,
        'the browser shows it',
      );
      assert.deepEqual(
        await worker.evaluate(
          "chrome.commands.getAll().then((all) => all.filter(({ name }) => name === '_execute_action').map(({ shortcut }) => shortcut))",
        ),
        ['Alt+Shift+G'],
      );
      // Closes the panel that connect opened; the key opens another one.
      const before = panel.page.targetId;
      await panel.page.evaluate('window.close()').catch(() => {});
      await client.gone(before, 'the side panel');
      await display.focus('Form');
      await display.x('key', 'alt+shift+g');
      scene.panel = await home.panel(client);
      assert.notEqual(scene.panel.page.targetId, before);
      await scene.panel.connected();
    } finally {
      await scene?.close();
      display.close();
    }
  });
});
