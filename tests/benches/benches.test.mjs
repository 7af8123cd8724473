/*
 * The parts of the measurements that measure nothing: tables, pictures, goals, and the reading of agents' lines. All
 * from fixed data, without a browser and without the program.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { GOALS } from '../../benches/goals/list.mjs';
import * as goals from '../../benches/goals/report.mjs';
import { exchanges } from '../../benches/goals/traced.mjs';
import { growth, seriesOf, steepest } from '../../benches/scale/growth.mjs';
import { Lines } from '../../benches/scale/lines.mjs';
import { summary } from '../../benches/scale/measuring.mjs';
import { picture } from '../../benches/scale/plot.mjs';
import { markdown, replaceAxes, worse } from '../../benches/scale/report.mjs';
import { sessionTables, simulationTable } from '../../benches/scale/session-tables.mjs';
import { run, SIZES, simulated } from '../../benches/scale/simulation.mjs';
import { section } from '../../benches/section.mjs';

const result = JSON.parse(readFileSync(new URL('scale.json', import.meta.url), 'utf8'));
const script = (name) => fileURLToPath(new URL(`../../benches/${name}`, import.meta.url));

/** Fails unless every element of an SVG is closed in order; returns its elements. */
function elementsOf(svg) {
  const open = [];
  const all = [];
  for (const [, closes, name, itself] of svg.matchAll(/<(\/?)([a-z]+)(?:\s+[a-z][\w-]*="[^"<]*")*\s*(\/?)>/gi)) {
    if (closes) assert.equal(open.pop(), name);
    else {
      all.push(name);
      if (!itself) open.push(name);
    }
  }
  assert.deepEqual(open, []);
  // What is no element is text, and has no bare sign of one.
  assert.doesNotMatch(svg.replaceAll(/<\/?[a-z]+(?:\s+[a-z][\w-]*="[^"<]*")*\s*\/?>/gi, ''), /<|NaN|undefined|Infinity/);
  assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
  return all;
}

describe('scale', () => {
  test('a constant, a line and a square are told apart, whatever fixed part they have', () => {
    const of = (work) => steepest([1, 10, 100].map((size) => ({ size, value: work(size) })));
    assert.equal(growth(of(() => 3)), 'constant');
    assert.equal(growth(of((size) => 0.01 * size)), 'linear or better');
    assert.equal(growth(of((size) => 20 + 0.5 * size)), 'linear or better');
    assert.equal(growth(of((size) => 1 + 0.01 * size * size)), 'worse than linear');
    assert.equal(steepest([{ size: 1, value: 3 }]), null);
    assert.equal(growth(null), '');
  });

  test('a table has every size and figure, names what is worse than linear and why a point is missing', () => {
    const text = markdown(result);
    assert.match(text, /\| {2}\| 1 \| 10 \| 100 \| steepest step \|/);
    assert.match(text, /\| url, ms \| 0\.50 \(0\.90\) \| 0\.60 \(1\.00\) \| 60\.0 \(70\.0\) \| n\^2\.00 \| worse than linear \|/);
    assert.match(text, /\| newtab, ms \| {2}\| 80\.0 \(90\.0\) \|/);
    assert.match(text, /- 1,000,000: not measured: it took <too> long/);
    assert.match(text, /- 1: not measured: no daemon runs/);
    assert.deepEqual(worse(result), ['tabs: url (ms)']);
    assert.match(text, /Worse than linear: tabs: url \(ms\)\./);
    for (const row of text.split('\n').filter((line) => line.startsWith('| '))) assert.match(row, /\|$/);
  });

  test('an axis that is measured by itself replaces its own table alone, which says when it was', () => {
    const measured = { name: 'elements', points: [{ size: 1000, times: { text: { median: 7, p95: 8, runs: 3 } } }] };
    const apart = { day: '2026-03-04', machine: 'another', version: 'gstack 0.2.0', load: 'none', seconds: 5 };
    const merged = replaceAxes(result, [measured], apart, ['tabs', 'elements', 'agents', 'panels', 'journal']);
    const old = result.axes.map(({ name }) => name);
    assert.deepEqual(merged.axes.map(({ name }) => name).sort(), [...new Set([...old, 'elements'])].sort());
    assert.equal(merged.day, result.day);
    const text = markdown(merged);
    assert.match(
      text,
      /### Elements of a page\n[^#]*\| text, ms \| 7\.00 \(8\.00\)[^#]*Measured by itself: 2026-03-04, `node benches\/scale\.mjs elements`/,
    );
    assert.equal(text.match(/Measured by itself/g).length, 1);
    const again = replaceAxes(merged, [{ ...measured, points: [] }], apart, ['tabs', 'elements']);
    assert.deepEqual(
      again.axes.map(({ name }) => name),
      ['tabs', 'elements'],
    );
  });

  test('a picture has two charts for each axis, a line for each figure, a linear one, and both grounds', () => {
    const svg = picture(result);
    const elements = elementsOf(svg);
    const lines = result.axes.flatMap((axis) => seriesOf(axis)).filter(({ kind }) => kind !== 'processor');
    assert.equal(elements.filter((name) => name === 'polyline').length, lines.length);
    // Two of the six charts have nothing to show.
    assert.equal(svg.match(/class="linear"/g).length, 4);
    assert.match(svg, /prefers-color-scheme: dark/);
    assert.match(svg, /nothing was measured/);
  });

  test('lines of an agent are read from the parts in which they come', () => {
    const lines = new Lines();
    for (const part of ['<10', '00.5 12.', '25>\n<1001 no', 'ne>\n']) lines.take(part, 1003);
    assert.deepEqual(lines.all, [
      { wait: 2.5, call: 12.25 },
      { wait: 2, call: null },
    ]);
    assert.deepEqual(lines.calls(), [12.25]);
    lines.take('<1002 failed (denied)>', 1003);
    assert.throws(() => lines.calls(), /denied/);
  });

  test('nothing measured is an error, not a number', () => {
    assert.throws(() => summary([]), /nothing was measured/);
    assert.deepEqual(summary([3, 1, 2]), { median: 2, p95: 3, runs: 3 });
  });

  test('an unknown word is refused', () => {
    const { status, stderr } = spawnSync(process.execPath, [script('scale.mjs'), '--fast'], { encoding: 'utf8' });
    assert.equal(status, 2);
    assert.match(stderr, /not --fast/);
  });
});

describe('goals', () => {
  const list = [
    { name: 'a', title: 'A', most: 2, unit: 'ms', from: 'run.mjs', reason: null },
    { name: 'b', title: 'B', most: 0.5, unit: '×', from: 'run.mjs', reason: 'Because of it.' },
    { name: 'c', title: 'C', most: 4, unit: '', from: 'by hand', reason: null },
  ];

  test('a goal is met up to its figure, and one that is missed without a reason is named', () => {
    const figures = { a: { value: 2, day: '2026-01-02', how: 'load 0' }, b: { value: 0.51 }, c: { failed: 'no machine' } };
    assert.deepEqual(
      goals.judged(list, figures).map(({ state }) => state),
      ['met', 'missed', 'not measured'],
    );
    assert.deepEqual(goals.unexplained(list, figures), []);
    assert.deepEqual(goals.unexplained(list, { ...figures, a: { value: 2.1 } }), ['A']);
    const text = goals.markdown(list, figures);
    assert.match(text, /1 goals are met, 1 missed, 1 not measured/);
    assert.match(text, /\| A \| 2 ms \| ≤ 2 ms \| met \| 2026-01-02 \| run\.mjs; load 0 \|/);
    assert.match(text, /- \*\*B\*\*: missed, 0\.51 × instead of 0\.5 ×\. Because of it\./);
    assert.match(text, /\| C \| no machine \| ≤ 4 \| \*\*not measured\*\* \|/);
  });

  test('a trace of the daemon says which exchanges a command needs', () => {
    const message = (id, method, params) => `{\\"id\\":${id},\\"method\\":\\"${method}\\",\\"params\\":{${params}}}\\0`;
    const trace = [
      `7 100.000000 sendto(15, "${message(1, 'Page.before', '')}", 9, 0, NULL, 0) = 9`,
      '7 100.100000 recvfrom(19, "POST /command HTTP/1.1\\r\\n\\r\\n{\\"command\\":\\"click\\",\\"args\\":[]}", 9, 0, NULL, NULL) = 9',
      `8 100.101000 sendto(15, "${message(2, 'Runtime.evaluate', 'await __gstack.ready(1)')}", 9, 0, NULL, 0) = 9`,
      '8 100.102000 recvfrom(15, "{\\"id\\":2,\\"result\\":{}}\\0", 9, 0, NULL, NULL) = 9',
      `8 100.103500 sendto(15, "${message(3, 'Input.move', '')}${message(4, 'Input.move', '')}", 9, 0, NULL, 0 <unfinished ...>`,
      '7 100.104000 writev(19, [{iov_base="HTTP/1.1 200 OK\\r\\n", iov_len=9}], 1) = 9',
      `7 100.200000 sendto(15, "${message(5, 'Page.after', '')}", 9, 0, NULL, 0) = 9`,
    ].join('\n');
    const found = exchanges(trace).map((one) => ({ ...one, steps: one.steps.map(({ at, words }) => `${at.toFixed(1)} ${words}`) }));
    assert.equal(found.length, 1);
    assert.equal(found[0].command, 'click');
    assert.deepEqual(found[0].steps, ['1.0 Runtime.evaluate (ready)', '3.5 2 × Input.move']);
    assert.equal(found[0].answered.toFixed(1), '4.0');
  });

  test('no name of a goal occurs twice', () => {
    const names = GOALS.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
  });

  test('RESULTS.md says what the figures say, and every missed goal has its reason', () => {
    execFileSync(process.execPath, [script('goals.mjs'), '--check'], { encoding: 'utf8' });
  });

  test('RESULTS.md has the sections that the scripts write', () => {
    for (const name of ['goals', 'peers', 'scale', 'tools']) {
      assert.ok(section(new URL('../../benches/RESULTS.md', import.meta.url), name).length > 0, name);
    }
  });
});

describe('sessions', () => {
  const one = (size, opening) => ({
    size,
    opening,
    command: { median: 10, p95: 21 },
    itemsPerSecond: 4.5,
    memory: { gstack: 14, browser: 180, all: 194 * size },
  });
  const measured = {
    machine: 'a machine',
    day: '2026-01-02',
    loadAtStart: '0.1',
    loadAtEnd: '2.0',
    local: [one(1, 800), one(10, 900), { size: 50, failed: 'no | room' }],
    grid: [one(1, 1500)],
  };

  test('the tables have every size, also one that did not fit', () => {
    const text = sessionTables(measured);
    assert.match(text, /\| 10 \| 0\.9 \| 10 \(21\) \| 4\.5 \| 14 \| 180 \| 1,940 \|/);
    assert.match(text, /\| 50 \| not measured: no \/ room \|/);
    assert.match(text, /\| 1 \| 1\.5 \| 10 \(21\) \| 4\.5 \| 14 \| on the node \| 14 \|/);
  });

  test('sessions that could not all work at once still have their other figures, and the reason', () => {
    const { itemsPerSecond: _, ...busy } = one(50, 900);
    const text = sessionTables({ ...measured, local: [{ ...busy, tooBusy: 'a page took longer than 15 s' }] });
    assert.match(text, /\| 50 \| 0\.9 \| 10 \(21\) \| not measured \| 14 \| 180 \| 9,700 \|/);
    assert.match(text, /All 50 at work at once were too many for this machine: a page took longer than 15 s\./);
  });

  test('a simulated run ends with every item done, always alike, and a larger Grid does more', () => {
    const cost = { opening: 1.5, gstack: 14, browser: 180 };
    const [small, large] = [run(10, cost), run(1_000, cost)];
    assert.deepEqual(run(1_000, cost), large);
    // Half a core each: eight on a node.
    assert.deepEqual([small.nodes, large.nodes, large.runners], [2, 125, 1]);
    assert(large.itemsPerMinute > 50 * small.itemsPerMinute);
    // The Grid starts 20 sessions a second.
    assert(large.ramp > 1_000 / 20 && large.ramp < 2_000 / 20);
    // Memory decides if browsers are large.
    assert.equal(run(10, { ...cost, browser: 8_000 }).nodes, 10);
  });

  test('the simulation says what was measured and what was assumed, and needs a measured size', () => {
    const text = simulationTable(simulated(measured, [10]));
    assert.match(text, /Measured: 1\.5 s to open a session, 14 MiB for its daemon, 180 MiB for its browser\./);
    assert.match(text, /\| 10 \| 2 \| 1 \|/);
    assert.throws(() => simulated({ local: [], grid: [] }, [10]), /run benches\/sessions\.mjs/);
  });

  test('SCALE.md says what the figures and the simulation say', () => {
    const figures = JSON.parse(readFileSync(new URL('../../benches/scale/sessions.json', import.meta.url), 'utf8'));
    const scale = new URL('../../docs/SCALE.md', import.meta.url);
    assert.equal(section(scale, 'sessions'), sessionTables(figures));
    assert.equal(section(scale, 'simulation'), simulationTable(simulated(figures, SIZES)));
    assert.ok([1, 10, 50].every((size) => figures.local.some((one) => one.size === size)));
    assert.equal(SIZES.at(-1), 10_000);
  });
});
