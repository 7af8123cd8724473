/*
 * Flows beside Playwright Test, and what a recording costs in the page.
 *
 *   node benches/flows.mjs [RUNS]
 *
 * A flow of 12 steps in a shop on loopback, and the test that `gstack flow export` makes of it, run by Playwright Test's own
 * runner: the same browser program, one after the other. Then the time that the events of real input take in a page of 1,000
 * rows while it is recorded, and while it is not. Needs the packages of tests/drivers.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BROWSER, TestHome } from '../tests/e2e/harness/home.mjs';
import { until } from '../tests/e2e/harness/wait.mjs';

const RUNS = Number(process.argv[2] ?? 10);
const MODULES = fileURLToPath(new URL('../tests/drivers/node_modules', import.meta.url));
const LAMPS = ['Desk lamp', 'Floor lamp', 'Wall lamp', 'Ceiling lamp'];
const shell = (body) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title><body>${body}</body></html>`;
const row = (lamp) => `<section><h2>${lamp}</h2><button>Buy</button><input aria-label="Note"></section>`;
const PAGES = {
  '/': shell(`<h1>Lamps</h1><ul>${LAMPS.map((lamp) => `<li><h2>${lamp}</h2><button onclick="add()">Buy</button></li>`).join('')}</ul>
    <p role="status"></p><a href="/cart">Cart</a>
    <script>let count = 0; const add = () => { document.querySelector('[role=status]').textContent = 'Lamps: ' + ++count; };</script>`),
  '/cart': shell(`<h1>Cart</h1><form action="/done"><label>Name <input name="name"></label><label>Mail <input name="mail"></label>
    <label>Street <input name="street"></label><label>Size <select name="size"><option>Small</option><option>Large</option></select></label>
    <label><input type="checkbox" name="gift"> Gift</label><button>Order</button></form>`),
  '/done': shell('<h1>Thank you</h1>'),
  '/long': shell(`<main>${Array.from({ length: 1000 }, (_, at) => row(`Lamp ${at}`)).join('')}</main>
    <script>window.times = []; new PerformanceObserver((list) => {
      for (const one of list.getEntries()) times.push([one.name, one.processingEnd - one.processingStart]);
    }).observe({ type: 'event', durationThreshold: 16 });</script>`),
};
const STEPS = (site) => `flow = 1
steps = [
  { act = "goto", url = "${site}/" },
  { act = "click", role = "button", name = "Buy", near = "Desk lamp", wait = { text = "Lamps: 1" } },
  { act = "click", role = "button", name = "Buy", near = "Wall lamp", wait = { text = "Lamps: 2" } },
  { act = "click", role = "link", name = "Cart", wait = { url = "${site}/cart" } },
  { act = "fill", role = "textbox", name = "Name", value = "Ada" },
  { act = "fill", role = "textbox", name = "Mail", value = "ada@shop.example" },
  { act = "fill", role = "textbox", name = "Street", value = "Main street 1" },
  { act = "select", role = "combobox", name = "Size", value = "Large" },
  { act = "check", role = "checkbox", name = "Gift" },
  { act = "uncheck", role = "checkbox", name = "Gift" },
  { act = "check", role = "checkbox", name = "Gift" },
  { act = "click", role = "button", name = "Order", wait = { text = "Thank you" } },
]
`;
const middle = (numbers) => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];
const run = (file, words, options) =>
  new Promise((resolve) => {
    execFile(file, words, options, (error, stdout, stderr) => resolve([error?.code ?? 0, stdout, stderr]));
  });

const server = createServer((request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(PAGES[new URL(request.url, 'http://shop').pathname] ?? '');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const site = `http://127.0.0.1:${server.address().port}`;
const home = new TestHome();
const folder = mkdtempSync(path.join(tmpdir(), 'gs-flows-'));
try {
  mkdirSync(path.join(home.home, 'flows'), { recursive: true, mode: 0o700 });
  writeFileSync(path.join(home.home, 'flows/shop.toml'), STEPS(site));
  symlinkSync(MODULES, path.join(folder, 'node_modules'));
  writeFileSync(path.join(folder, 'shop.spec.mjs'), await home.ok(['flow', 'export', 'shop', '--to', 'playwright']));
  const use = { launchOptions: { executablePath: BROWSER, args: ['--no-sandbox'] } };
  const times = path.join(folder, 'times.json');
  const config = { workers: 1, reporter: [['json', { outputFile: times }]], repeatEach: RUNS + 1, use };
  writeFileSync(path.join(folder, 'playwright.config.mjs'), `export default ${JSON.stringify(config)};\n`);

  const ours = [];
  for (let at = 0; at <= RUNS; at++) {
    const report = JSON.parse(await home.ok(['flow', 'run', 'shop', '--json']));
    if (at > 0) ours.push(report.millis);
  }
  const cli = path.join(MODULES, '@playwright/test/cli.js');
  const [code, , stderr] = await run(process.execPath, [cli, 'test', '--config', folder], { cwd: folder });
  if (code !== 0) throw new Error(`Playwright Test failed: ${stderr}`);
  const tests = JSON.parse(readFileSync(times, 'utf8')).suites.flatMap(({ specs }) => specs.flatMap((spec) => spec.tests));
  // The first one includes the start of its browser.
  const theirs = tests.flatMap(({ results }) => results.map(({ duration }) => duration)).slice(1);
  const [gstack, playwright] = [middle(ours), middle(theirs)];
  console.log(`A flow of 12 steps, median of ${RUNS}: gstack ${gstack} ms, Playwright Test ${playwright} ms`);
  console.log(`Ratio: ${(gstack / playwright).toFixed(2)}`);

  const cost = async () => {
    await home.ok(['js', 'times.length = 0']);
    for (const place of [1, 300, 600, 900]) {
      await home.ok(['click', `section:nth-child(${place}) button`]);
      await home.ok(['click', `section:nth-child(${place}) input`]);
      await home.ok(['type', 'ab']);
    }
    const seen = JSON.parse(await home.ok(['js', 'JSON.stringify(times)']));
    return seen;
  };
  await home.ok(['goto', `${site}/long`]);
  const without = await cost();
  const child = home.start(['flow', 'record', 'long']);
  let told = '';
  child.stderr.on('data', (data) => {
    told += data;
  });
  child.stdout.resume();
  await until(() => told.includes('Recording tab'), 'it does not record', 60_000);
  const recorded = await cost();
  child.kill('SIGINT');
  await once(child, 'close');
  const most = (times, name) => Math.max(0, ...times.filter((one) => one[0] === name).map(([, millis]) => millis)).toFixed(1);
  for (const name of ['pointerdown', 'click', 'keydown', 'input']) {
    console.log(`${name} in a page of 1,000 rows: at most ${most(recorded, name)} ms recorded, ${most(without, name)} ms not`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
  server.closeAllConnections();
  server.close();
  await home.stop();
}
