/*
 * Compares the same commands in two browsers: gstack's own, over its DevTools pipe, and an everyday one, through its
 * extension.
 */
import { Everyday } from '../tests/e2e/harness/everyday.mjs';
import { until } from '../tests/e2e/harness/wait.mjs';
import { alternately, timed } from './measure.mjs';
import { print } from './table.mjs';

const PIPE = 'by the pipe';
const EXTENSION = 'by the extension';

/** Opens the everyday browser next to the stage's; returns it and the number of its tab. */
async function everydayOf(stage) {
  const everyday = await Everyday.start(stage.home, { name: 'everyday', url: `${stage.pages.origin}/` });
  await everyday.inWorker('true');
  const listed = async () =>
    JSON.parse(await stage.home.ok(['tabs', '--json'])).data.find((tab) => tab.everyday && tab.url.startsWith(stage.pages.origin));
  const { id } = await until(listed, 'the everyday browser is not listed');
  return { everyday, tab: id };
}

export async function measureRelay(stage, runs) {
  const { everyday, tab } = await everydayOf(stage);
  try {
    const other = await everyday.page(stage.pages.origin);
    const both = (own, there) => ({ [PIPE]: own, [EXTENSION]: there });
    /** Fails if the click did not arrive. */
    const clicking = (page, click) => async () => {
      const count = () => page.evaluate('Number(count.textContent)');
      const before = await count();
      const taken = await timed(click);
      if ((await count()) !== before + 1) throw new Error('one click was not counted as one');
      return taken;
    };
    await stage.gstack.run('goto', `${stage.pages.origin}/`);
    print({
      title: '`click`, by the pipe and by the extension',
      baseline: PIPE,
      samples: await alternately(
        runs,
        both(
          clicking(stage.page, () => stage.gstack.run('click', '#add')),
          clicking(other, () => stage.gstack.runIn(tab, 'click', '#add')),
        ),
      ),
      notes: ["Both over http.sock. The extension's way: daemon → host → worker → `chrome.debugger`, and back."],
    });
    for (const elements of [1_000, 10_000]) {
      const address = `${stage.pages.origin}/elements/${elements}`;
      await stage.gstack.run('goto', address);
      await stage.gstack.runIn(tab, 'goto', address);
      print({
        title: `Snapshot of ${elements.toLocaleString('en')} elements, by the pipe and by the extension`,
        baseline: PIPE,
        samples: await alternately(
          runs,
          both(
            () => timed(() => stage.gstack.run('snapshot')),
            () => timed(() => stage.gstack.runIn(tab, 'snapshot')),
          ),
        ),
      });
    }
  } finally {
    everyday.stop();
  }
}
