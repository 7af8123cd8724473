/*
 * Interruptions while a command or an answer is in progress: a popup that closes itself, a printed answer stopped by
 * Ctrl-C.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { TestHome } from './harness/home.mjs';
import { Site } from './harness/site.mjs';
import { until } from './harness/wait.mjs';

let home;
let site;

before(async () => {
  home = new TestHome({ port: false });
  site = await Site.start();
});

after(async () => {
  site.release();
  await site.stop();
  assert.deepEqual(await home.stop(), []);
});

test('a popup that closes itself leads back to its opener, which is not the first tab', async () => {
  await home.ok(['goto', `${site.origin}/form`]);
  await home.ok(['newtab', `${site.origin}/opens`]);
  const open = async () => {
    const [, tab] = /Opened tab (\d+)/.exec(await home.ok(['click', '#open'])) ?? assert.fail('no tab was opened');
    await home.ok(['tab', tab]);
    return tab;
  };
  const tab = await open();
  await home.ok(['js', `document.body.innerHTML = '<button id="done" onclick="window.close()">Done</button>'; 0`]);
  assert.match(await home.ok(['click', '#done']), new RegExp(`Tab ${tab} was closed; the current tab is 2`));
  assert.equal((await home.ok(['url'])).trim(), `${site.origin}/opens`);
  // A popup that closes between two commands. The script's answer may or may not arrive before that.
  const second = await open();
  await home.run(['js', 'setTimeout(() => window.close(), 50); 0']);
  await until(async () => !(await home.ok(['tabs'])).includes(`[${second}]`), 'the popup does not close');
  assert.equal((await home.ok(['url'])).trim(), `${site.origin}/opens`);
});

test('Ctrl-C in chat ends the printing, and says that the turn continues and how to end it', async () => {
  const atWork = async () => (await home.ok(['sessions'])).includes('at work');
  const chat = home.start(['chat', 'open', `${site.origin}/held`]);
  chat.stdin.end();
  let said = '';
  chat.stderr.on('data', (data) => {
    said += data;
  });
  const ended = once(chat, 'close');
  await until(atWork, 'the turn does not begin');
  chat.kill('SIGINT');
  assert.deepEqual(await ended, [130, null]);
  assert.match(said, /turn continues[^]*gstack chat --stop/);
  assert.ok(await atWork());
  assert.match(await home.ok(['chat', '--stop']), /Stopped 1 turn/);
  await until(async () => !(await atWork()), 'the turn does not end');
});
