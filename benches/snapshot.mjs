/*
 * Measures reading a page as an accessibility tree: gstack's snapshot, Playwright's, and Chromium's own tree.
 */
import { alternately, timed } from './measure.mjs';
import { print } from './table.mjs';

/** Playwright's default limit of 30 s is too short for a page of 100,000 elements. */
const PATIENCE_MS = 300_000;

export async function measureSnapshot(stage, playwright, runs, elements) {
  await stage.gstack.run('goto', `${stage.pages.origin}/elements/${elements}`);
  const page = await playwright();
  const here = await stage.page.evaluate(`document.querySelectorAll('*').length`);
  const outputs = new Map();
  const bytes = new Map();
  let turn = 0;
  /** Changes the page first, so that no side can return a cached result. */
  const reading = (name, read) => async () => {
    turn += 1;
    await stage.page.evaluate(`document.querySelector('#turn').textContent = 'turn ${turn}'`);
    let given;
    const taken = await timed(async () => {
      given = await read();
    });
    const text = typeof given === 'string' ? given : JSON.stringify(given);
    if (!text.includes(`turn ${turn}`)) throw new Error(`${name} does not show the page as it is now`);
    outputs.set(name, text);
    bytes.set(name, Buffer.byteLength(text));
    return taken;
  };
  const sides = {
    'gstack snapshot': () => stage.gstack.run('snapshot'),
    'gstack snapshot -i': () => stage.gstack.run('snapshot', '-i'),
    ariaSnapshot: () => page.locator('body').ariaSnapshot({ timeout: PATIENCE_MS }),
    'ariaSnapshot, mode ai': () => page.locator('body').ariaSnapshot({ mode: 'ai', timeout: PATIENCE_MS }),
    getFullAXTree: () => stage.page.send('Accessibility.getFullAXTree'),
  };
  const samples = await alternately(runs, Object.fromEntries(Object.entries(sides).map(([name, read]) => [name, reading(name, read)])));
  const left = (name) => /^… (\d+) more/m.exec(outputs.get(name))?.[1];
  const cut = [...outputs.keys()]
    .filter(left)
    .map((name) => `*${name}* walks the whole page, prints the first 60,000 characters and says that ${left(name)} more nodes are there.`);
  print({
    title: `Snapshot of a page with ${here.toLocaleString('en')} elements`,
    baseline: 'ariaSnapshot',
    samples,
    bytes,
    notes: [
      ...cut,
      "*ariaSnapshot*: playwright-core `locator('body').ariaSnapshot()`, the whole page as YAML; `mode: 'ai'` adds refs. " +
        '*getFullAXTree*: the DevTools command alone; its JSON is read by this program and nothing is done with it.',
      'gstack is asked over http.sock. Its lines each carry a ref to act on; `-i` prints only what can be operated. ' +
        'The page changes before every run.',
    ],
  });
}
