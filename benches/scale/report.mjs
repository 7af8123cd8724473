/*
 * The section of RESULTS.md about scale: a table for each axis. Pure: the same result gives the same text.
 */
import { growth, seriesOf, steepest } from './growth.mjs';

const row = (cells) => `| ${cells.join(' | ')} |\n`;
const number = (value) => (value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en'));
const TITLES = {
  tabs: 'Open tabs',
  elements: 'Elements of a page',
  agents: 'Agents at work at once',
  panels: 'Panels that show one conversation',
  journal: 'Events in a conversation',
};
const NOTES = {
  tabs:
    'All in one browser without a window. The commands are those of one tab of 100 elements, over `http.sock`; ' +
    '`tabs` lists all, so its answer grows with them. `newtab` is the time of one of the last five.',
  elements:
    'A tab with one page of that many elements, ten an entry of a list: three of them can be operated. ' +
    '`goto` is one run, until the document is parsed.',
  agents:
    'Each agent is a process (ACP, on node, in its sandbox) with a tab and a conversation of its own; about every three seconds it ' +
    "takes a snapshot over MCP and says a line. `url` and `snapshot -i` are a terminal's, beside them. " +
    'With many agents the browser and their own processes fill the processors: what waits, waits for those.',
  panels:
    'Each panel has a native host of its own, as if it were in another browser. One agent says twenty lines a second; ' +
    'a line counts for a panel when its frame has been read from the host. ' +
    'All panels are read by one node process, which is part of the time.',
  journal: 'A conversation of that many events, four a turn, alone in its home. A search reads all of it.',
};
const UNITS = { time: 'ms', processor: "ms of the daemon's processor", memory: 'MiB' };
const MEMORY = {
  daemon: 'memory of the daemon',
  keeper: 'memory of the keeper',
  hosts: 'memory of the native hosts, all',
  minders: "memory of the agents' minders, all",
  afterSearch: 'memory of the daemon after the searches',
};

function table({ name, points, apart }) {
  const sizes = points.map(({ size }) => size);
  const heads = ['', ...sizes.map((size) => size.toLocaleString('en')), 'steepest step', ''];
  let text = `### ${TITLES[name] ?? name}\n\n${row(heads)}${row(heads.map((_, at) => (at === 0 ? '---' : '---:')))}`;
  for (const { kind, name: what, values } of seriesOf({ points })) {
    const cells = sizes.map((size) => {
      const found = values.find((one) => one.size === size);
      if (!found) return '';
      return found.p95 === undefined ? number(found.value) : `${number(found.value)} (${number(found.p95)})`;
    });
    const power = steepest(values);
    const label = `${kind === 'memory' ? (MEMORY[what] ?? what) : what}, ${UNITS[kind]}`;
    text += row([label, ...cells, power === null ? '' : `n^${power.toFixed(2)}`, growth(power)]);
  }
  text += `\n- ${NOTES[name] ?? ''}\n`;
  if (apart) {
    const { day, machine, version, load, seconds } = apart;
    text += `- Measured by itself: ${day}, \`node benches/scale.mjs ${name}\`, ${machine}, ${version}. `;
    text += `Load of the machine: ${load}. It took ${seconds} s.\n`;
  }
  for (const { size, failed } of points) if (failed) text += `- ${size.toLocaleString('en')}: not measured: ${failed}\n`;
  for (const { size, missing = {} } of points)
    for (const [name, why] of Object.entries(missing)) text += `- ${size.toLocaleString('en')}: ${name} was not measured: ${why}\n`;
  return `${text}\n`;
}

/** Returns the values that grow faster than their size, as `axis: name`. */
export function worse({ axes }) {
  return axes.flatMap((axis) =>
    seriesOf(axis)
      .filter(({ values }) => growth(steepest(values)) === 'worse than linear')
      .map(({ kind, name }) => `${axis.name}: ${name} (${UNITS[kind]})`),
  );
}

/**
 * Returns an earlier result in which these axes are new.
 * @param {any} earlier  what scale.mjs measured before
 * @param {any[]} measured  the new axes
 * @param {any} apart  when, where and with what these were measured: their table says it
 * @param {string[]} order  the names of all axes, in order
 */
export function replaceAxes(earlier, measured, apart, order) {
  const axes = new Map([...earlier.axes, ...measured.map((axis) => ({ ...axis, apart }))].map((axis) => [axis.name, axis]));
  return { ...earlier, axes: order.filter((name) => axes.has(name)).map((name) => axes.get(name)) };
}

/** Returns the section. @param {any} result  what scale.mjs measured */
export function markdown(result) {
  const { day, machine, version, load, seconds, quick, axes } = result;
  let text = '## What grows, and how\n\n';
  text += `${day}, \`node benches/scale.mjs${quick ? ' --quick' : ''}\`, ${machine}, ${version}. `;
  text += `Load of the machine: ${load}. It took ${Math.round(seconds)} s.\n\n`;
  text += 'Median (95th percentile). *Steepest step* is the power of n between two neighbouring sizes: 0 is constant, 1 is linear. ';
  text += 'Memory is the PSS: what is its own, and its part of what it shares.\n\n![What grows](scale/scale.svg)\n\n';
  for (const axis of axes) text += table(axis);
  const steep = worse(result);
  text += steep.length > 0 ? `Worse than linear: ${steep.join('; ')}.\n\n` : 'Nothing here is worse than linear.\n\n';
  return text;
}
