/*
 * What people do in a shop, on the command line and without a script in the page: each task with its number of commands
 * and of printed bytes. The numbers may fall, not rise.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { TestHome } from '../e2e/harness/home.mjs';
import { openShop } from './shop.mjs';

const MOST_COMMANDS = 80;
const MOST_BYTES = 8_000;

let home;
let shop;
const counts = [];

before(async () => {
  shop = await openShop();
  home = new TestHome({ port: false });
});

after(async () => {
  const sum = (key) => counts.reduce((all, one) => all + one[key], 0);
  for (const { name, commands, bytes } of counts) console.log(`# ${name}: ${commands} commands, ${bytes} bytes`);
  console.log(`# all ${counts.length} tasks: ${sum('commands')} commands, ${sum('bytes')} bytes`);
  shop.close();
  assert.deepEqual(await home.stop(), [], 'nothing is left running');
});

/** A task gets `run(...words)`, which returns a command's output, and `open(place)`. */
function task(name, steps) {
  test(name, async () => {
    const count = { name, commands: 0, bytes: 0 };
    const run = async (...words) => {
      assert.ok(!['js', 'eval'].includes(words[0]), 'tasks are done without scripts');
      const { code, stdout, stderr } = await home.run(words);
      count.commands += 1;
      count.bytes += Buffer.byteLength(stdout) + Buffer.byteLength(stderr);
      assert.equal(code, 0, `gstack ${words.join(' ')}: ${stderr}${stdout}\n${home.log()}`);
      return stdout;
    };
    await steps({ run, open: (place) => run('goto', shop.origin + place) });
    counts.push(count);
  });
}

task('login', async ({ run, open }) => {
  await open('/login');
  await run('fill', 'label=User', 'ann');
  await run('fill', 'label=Password', 'secret');
  assert.match(await run('click', 'role=button[name="Sign in"]'), /now at .*\/account/);
});

task('search', async ({ run, open }) => {
  await open('/search');
  await run('fill', '[name=q]', 'lamp');
  assert.match(await run('press', 'Enter'), /Now at .*\/found\?q=lamp/);
  assert.match(await run('text', 'main'), /3 results/);
});

task('virtual list', async ({ run, open }) => {
  await open('/list');
  await run('scroll');
  await run('click', 'text="Buy lamp 10000"');
  assert.match(await run('text', '#cart'), /Cart: lamp 10000/);
});

task('card frame of another origin', async ({ run, open }) => {
  await open('/pay');
  await run('fill', 'label="Card number"', '4242 4242 4242 4242');
  await run('click', 'text="Pay now"');
  await run('wait', '--text', 'Paid with 4242');
});

task('upload', async ({ run, open }) => {
  writeFileSync(path.join(home.person, 'broken.png'), 'png');
  await open('/upload');
  await run('upload', '#photo', 'broken.png');
  await run('click', 'text=Send');
  assert.match(await run('text', '#said'), /Sent broken\.png/);
});

task('download by a click', async ({ run, open }) => {
  await open('/orders');
  const [, file] = /Downloaded: (.*) \(16 B\)/.exec(await run('click', 'text=Invoice'));
  assert.ok(file.endsWith('/invoice.pdf') && readFileSync(file, 'utf8').startsWith('%PDF'));
});

task('confirm', async ({ run, open }) => {
  await open('/cart');
  assert.match(await run('click', 'text=Empty'), /confirm "Empty the cart\?" → accepted/);
  assert.match(await run('text', '#items'), /Nothing/);
});

task('drag', async ({ run, open }) => {
  await open('/sort');
  await run('drag', 'text=Second', 'text=First');
  assert.match(await run('text', '#order'), /Second\s+First/);
});

task('double click', async ({ run, open }) => {
  await open('/edit');
  await run('dblclick', '#name');
  await run('fill', 'input', 'Office');
  await run('press', 'Enter');
  assert.match(await run('text', '#name'), /Office/);
});

task('context menu', async ({ run, open }) => {
  await open('/context');
  await run('rightclick', '#message');
  await run('click', 'role=menuitem[name="Archive"]');
  assert.match(await run('text', '#said'), /Archived/);
});

task('hover menu', async ({ run, open }) => {
  await open('/hover');
  await run('hover', 'text=Products');
  assert.match(await run('click', 'text=Lamps'), /now at .*\/lamps/);
});

task('date', async ({ run, open }) => {
  await open('/date');
  await run('fill', '#day', '2027-01-15');
  await run('click', 'text=Book');
  assert.match(await run('text', '#said'), /Booked 2027-01-15/);
});

task('rich text', async ({ run, open }) => {
  await open('/review');
  await run('fill', '#text', 'A good lamp');
  await run('click', 'text=Publish');
  assert.match(await run('text', '#said'), /Reviewed: A good lamp/);
});

task('shadow DOM', async ({ run, open }) => {
  await open('/shadow');
  await run('click', 'text=Add to basket');
  assert.match(await run('text', '#said'), /1 in the basket/);
});

task('popup', async ({ run, open }) => {
  await open('/terms');
  const [, tab] = /Opened tab (\d+) → .*\/accept/.exec(await run('click', 'role=button[name="Terms"]'));
  await run('tab', tab);
  assert.match(await run('click', 'text=Accept'), /the current tab is \d+/);
  assert.match(await run('text', '#state'), /Accepted/);
});

task('toast', async ({ run, open }) => {
  await open('/toast');
  await run('click', 'text=Save');
  await run('wait', '[role=status]');
  assert.match(await run('text', '[role=status]'), /Saved for you/);
});

task('table', async ({ run, open }) => {
  await open('/table');
  assert.match(await run('text', 'tr >> has-text="Lamp 123 861"'), /Lamp 123\s+861/);
});

task('picture of an element', async ({ run, open }) => {
  await open('/chart');
  await run('screenshot', '#chart', './chart.png');
  const picture = readFileSync(path.join(home.person, 'chart.png'));
  assert.deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [120, 80]);
});

task('autocomplete', async ({ run, open }) => {
  await open('/city');
  await run('type', '--into', 'label=City', 'Ber');
  await run('click', 'role=option[name="Bern"]');
  assert.match(await run('text', '#said'), /To Bern/);
});

task('tabs', async ({ run }) => {
  await run('newtab', `${shop.origin}/lamps`);
  await run('newtab', `${shop.origin}/orders`);
  assert.match(await run('tabs'), /→ \[\d+\] Orders/);
  assert.match(await run('closetab'), /the current tab is \d+/);
});

task('select that navigates', async ({ run, open }) => {
  await open('/language');
  assert.match(await run('select', 'select', 'Deutsch'), /Now at .*\/lamps/);
});

test('all tasks together take no more commands and bytes than they may', () => {
  assert.equal(counts.length, 21);
  const sum = (key) => counts.reduce((all, one) => all + one[key], 0);
  assert.ok(sum('commands') <= MOST_COMMANDS, `${sum('commands')} commands`);
  assert.ok(sum('bytes') <= MOST_BYTES, `${sum('bytes')} bytes`);
});
