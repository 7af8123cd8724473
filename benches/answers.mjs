/*
 * Measures an agent's last line until the finished answer in the panel: time, the panel's CPU time, its longest frame,
 * memory.
 *
 *   `node benches/answers.mjs [name …]` with the program of GSTACK_BIN.
 * GSTACK_BENCH_EXTENSION names a folder whose extension is measured instead of the program's own, to compare two ways
 * of rendering an answer with the same daemon.
 */
import { cpSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { Scene } from '../tests/e2e/harness/scene.mjs';

const RUNS = Number(process.env.GSTACK_BENCH_RUNS ?? 5);
/** The size of one line of the agent. */
const PIECE = 3000;

/** Returns a text of about this many characters. @param {number} letters */
/** A paragraph and a nested list. */
const part = (n) => {
  const link = `[a link](https://example.com/${n})`;
  const words = `Paragraph ${n} with \`code\`, **strong** words and ${link}: ${'they go on and on, '.repeat(14)}`;
  return `${words}\n\n- one\n- two\n  - three\n\n`;
};

function prose(letters) {
  let text = '';
  for (let n = 0; text.length < letters; n += 1) text += part(n);
  return text.slice(0, letters);
}

const row = (_, n) => `| Linen apron ${n} | ${n}.95 | ${n}.05 | **rounded** to whole cents, and down |\n`;
const ANSWERS = {
  '1 kB': prose(1000),
  '20 kB': prose(20_000),
  '200 kB': prose(200_000),
  '2,000 rows': `| line | price | shown | what it is |\n|---|--:|--:|---|\n${Array.from({ length: 2000 }, row).join('')}`,
  '20 MiB': prose(20 * 1024 * 1024),
};

/** Records the panel's frames, and the time when the answer is finished. */
const WATCH = `(() => {
  const answered = document.querySelectorAll('.turn-footer [aria-label="Copy answer"]').length;
  const frames = [];
  window.measured = new Promise((resolve) => {
    let last = performance.now();
    const frame = (now) => {
      frames.push(now - last);
      last = now;
      const complete = document.querySelectorAll('.turn-footer [aria-label="Copy answer"]').length > answered;
      const done = complete && !document.querySelector('.live-block, .prose[aria-busy]');
      if (done) resolve({ at: performance.timeOrigin + performance.now(), longest: Math.max(...frames) });
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
})()`;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
/** Returns the CPU time of a process so far, in ms. */
const spent = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
const peak = (pid) => Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

const wanted = process.argv.slice(2);
const scene = await Scene.open();
try {
  const { panel } = scene;
  const { page } = panel;
  if (process.env.GSTACK_BENCH_EXTENSION) {
    cpSync(process.env.GSTACK_BENCH_EXTENSION, path.join(scene.home.home, 'extension'), { recursive: true });
    await page.send('Page.reload', { ignoreCache: true });
    await panel.connected();
  }
  await page.send('Performance.enable', { timeDomain: 'threadTicks' });
  const metrics = async () =>
    Object.fromEntries((await page.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));
  const { pid } = JSON.parse(readFileSync(path.join(scene.home.home, 'browse.json'), 'utf8'));
  console.log(`load ${loadavg()[0].toFixed(1)}; medians of ${RUNS} (20 MiB: 1)`);
  console.log(
    '| answer | last line → finished, ms | panel, CPU ms | script, ms | longest frame, ms | heap, MiB ' +
      '| daemon, CPU ms | daemon peak, MiB |\n|---|---:|---:|---:|---:|---:|---:|---:|',
  );
  for (const [name, text] of Object.entries(ANSWERS)) {
    if (wanted.length > 0 ? !wanted.includes(name) : name === '20 MiB') continue;
    const taken = [];
    for (let run = 0; run < (name === '20 MiB' ? 1 : RUNS); run += 1) {
      await page.click('button[aria-label^="New"], button[title^="New"]');
      await page.waitFor(`!document.querySelector('.bubble')`, 'an empty conversation');
      const turn = await scene.ask(`Run ${run} of ${name}`);
      await page.evaluate(WATCH);
      const [before, daemon] = [await metrics(), spent(pid)];
      for (let at = 0; at < text.length; at += PIECE) {
        turn.say(text.slice(at, at + PIECE));
        if (at % (PIECE * 200) === 0) await new Promise((next) => setTimeout(next, 20));
      }
      const end = performance.timeOrigin + performance.now();
      turn.end();
      const { at, longest } = await page.evaluate('window.measured');
      const after = await metrics();
      taken.push({
        time: at - end,
        panel: (after.TaskDuration - before.TaskDuration) * 1000,
        script: (after.ScriptDuration - before.ScriptDuration) * 1000,
        longest,
        heap: after.JSHeapUsedSize / 1024 / 1024,
        daemon: spent(pid) - daemon,
      });
      await panel.gone('stop');
    }
    const of = (what) => median(taken.map((each) => each[what])).toFixed(1);
    console.log(`| ${name} | ${['time', 'panel', 'script', 'longest', 'heap', 'daemon'].map(of).join(' | ')} | ${peak(pid).toFixed(0)} |`);
  }
} finally {
  await scene.close();
}
