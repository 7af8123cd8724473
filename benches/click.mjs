/*
 * Measures a click on a button of the visible tab, from the request until the client reports it done.
 */
import { alternately, timed } from './measure.mjs';
import { print } from './table.mjs';

export async function measureClick(stage, playwright, runs) {
  const page = await playwright();
  const count = () => stage.page.evaluate('Number(count.textContent)');
  /** Fails if the click did not arrive. */
  const clicking = (click) => async () => {
    const before = await count();
    const taken = await timed(click);
    const after = await count();
    if (after !== before + 1) throw new Error(`one click was counted as ${after - before}`);
    return taken;
  };
  const samples = await alternately(runs, {
    'gstack click over http.sock': clicking(() => stage.gstack.run('click', '#add')),
    'page.click': clicking(() => page.click('#add')),
  });
  print({
    title: '`click` on a button, visible tab',
    baseline: 'page.click',
    samples,
    notes: [
      'Both check that the button is visible, enabled, at rest and takes the event; both send trusted input. ' +
        'The page counts each click once, or this ends with an error.',
    ],
  });
}
