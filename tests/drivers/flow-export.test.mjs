/*
 * A flow as a test of Playwright Test: its own runner does with it what `gstack flow run` does, in frames of both sites, in a
 * frame within a frame, and in a tab that the page opens.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { BROWSER, GSTACK, TestHome } from '../e2e/harness/home.mjs';
import { until } from '../e2e/harness/wait.mjs';

const MODULES = fileURLToPath(new URL('node_modules', import.meta.url));
const PAGES = {
  shop: `<h1>Lamps</h1><ul><li><h2>Desk lamp</h2><button onclick="did('desk')">Buy</button></li>
      <li><h2>Floor lamp</h2><button onclick="did('floor')">Buy</button></li></ul>
    <label>Size <select id="size" onchange="did('size ' + value)">
      <option value="s">Small</option><option value="l">Large</option></select></label>
    <label><input type="checkbox" onchange="did('gift ' + checked)"> Gift</label>
    <iframe src="THERE/pay"></iframe><iframe src="/around"></iframe>
    <button onclick="window.open('THERE/bank')">Pay</button>`,
  pay: `<label>Card <input onchange="did('card ' + value)"></label>`,
  around: `<iframe srcdoc="<button onclick='parent.did(&quot;terms&quot;)'>Terms</button>"></iframe>`,
  bank: `<button onclick="did('confirmed'); document.body.append('Thank you')">Confirm</button>`,
};
let home;
let server;
let folder;
let did = [];

before(async () => {
  server = createServer((request, response) => {
    const url = new URL(request.url, 'http://shop');
    response.setHeader('content-type', 'text/html');
    if (url.pathname === '/did') did.push(decodeURIComponent(url.search.slice(1)));
    const page = PAGES[url.pathname.slice(1)] ?? '';
    const script = '<script>window.did = (what) => fetch("/did?" + encodeURIComponent(what));</script>';
    response.end(`<!doctype html><meta charset="utf-8"><title>Shop</title>${script}${page.replaceAll('THERE', there())}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  home = new TestHome();
  mkdirSync(path.join(home.home, 'flows'), { recursive: true, mode: 0o700 });
  folder = mkdtempSync(path.join(tmpdir(), 'gs-export-'));
  symlinkSync(MODULES, path.join(folder, 'node_modules'));
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  server.closeAllConnections();
  server.close();
  await home.stop();
});
const here = () => `http://127.0.0.1:${server.address().port}`;
const there = () => `http://localhost:${server.address().port}`;

test('an exported flow passes in Playwright Test and does the same', { timeout: 240_000 }, async () => {
  const steps = [
    `{ act = "goto", url = "${here()}/shop", wait = { text = "Desk lamp" } }`,
    '{ act = "click", role = "button", name = "Buy", near = "Floor lamp", wait = { request = "**/did?*" } }',
    '{ act = "select", role = "combobox", name = "Size", value = "{{size}}" }',
    '{ act = "set", role = "checkbox", name = "Gift", value = "true" }',
    `{ act = "fill", role = "textbox", name = "Card", frame = "${there()}", value = "4242" }`,
    '{ act = "click", role = "button", name = "Terms", frame = "own" }',
    `{ act = "click", role = "button", name = "Pay", wait = { tab = "${there()}/bank" } }`,
    '{ act = "click", role = "button", name = "Confirm", tab = 2, wait = { text = "Thank you" } }',
  ];
  const text = `flow = 1\nparameters.size = "l"\nsteps = [\n${steps.map((step) => `  ${step},\n`).join('')}]\n`;
  writeFileSync(path.join(home.home, 'flows/order.toml'), text);
  const wanted = ['floor', 'size l', 'gift true', 'card 4242', 'terms', 'confirmed'];
  /* Each is a request, and may arrive after the next one. */
  const all = async (told) => {
    await until(
      () => did.length === wanted.length,
      () => `${did}\n${told}`,
    );
    assert.deepEqual(did.toSorted(), wanted.toSorted(), told);
    did = [];
  };
  const ran = await home.run(['flow', 'run', 'order']);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  await all(ran.stdout);
  const exported = await home.ok(['flow', 'export', 'order', '--to', 'playwright']);
  writeFileSync(path.join(folder, 'order.spec.mjs'), exported);
  const options = { executablePath: BROWSER, args: ['--no-sandbox'] };
  writeFileSync(
    path.join(folder, 'playwright.config.mjs'),
    `export default { timeout: 60_000, workers: 1, reporter: 'line', use: { launchOptions: ${JSON.stringify(options)} } };\n`,
  );
  const cli = path.join(MODULES, '@playwright/test/cli.js');
  const [code, output] = await run(process.execPath, [cli, 'test', '--config', folder], { cwd: folder });
  assert.equal(code, 0, `${output}\n${exported}`);
  assert.match(output, /1 passed/);
  await all(exported);
  // The same in a shell. It cannot ask what an element is, and names no tabs.
  const plain = text
    .split('\n')
    .filter((line) => !/ tab = /.test(line))
    .join('\n');
  wanted.pop();
  writeFileSync(path.join(home.home, 'flows/plain.toml'), plain.replace('"set"', '"check"').replace(', value = "true"', ''));
  const script = path.join(folder, 'order.sh');
  writeFileSync(script, await home.ok(['flow', 'export', 'plain', '--to', 'bash']));
  symlinkSync(GSTACK, path.join(folder, 'gstack'));
  const PATH = `${folder}:${process.env.PATH}`;
  const [failed, told] = await run('bash', [script], { cwd: folder, env: { ...home.environment, PATH } });
  assert.equal(failed, 0, told);
  await all(told);
});

/* Returns the exit code and all that a program prints. */
function run(file, words, options) {
  return new Promise((resolve) => {
    execFile(file, words, options, (error, stdout, stderr) => resolve([error?.code ?? 0, stdout + stderr]));
  });
}
