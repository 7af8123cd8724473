/*
 * The tables of docs/SCALE.md, as Markdown: what a session costs here, and what the simulation made of it.
 */
const row = (cells) => `| ${cells.join(' | ')} |`;
const table = (heads, rows) => [row(heads), row(heads.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n');
const count = (number) => number.toLocaleString('en');

const HEADS = [
  'sessions',
  'opening one, s',
  '`text`, ms: median (p95)',
  'items a second, all working',
  'gstack a session, MiB',
  'browser a session, MiB',
  'all, MiB',
];

function cells({ size, failed, opening, command, itemsPerSecond, memory }, hasBrowsers) {
  if (failed) return [count(size), `not measured: ${failed.replaceAll('|', '/')}`, '', '', '', '', ''];
  const browser = hasBrowsers
    ? [String(memory.browser), count(Math.round(memory.all))]
    : ['on the node', count(Math.round(memory.gstack * size))];
  return [
    count(size),
    (opening / 1000).toFixed(1),
    `${command.median.toFixed(0)} (${command.p95.toFixed(0)})`,
    itemsPerSecond?.toFixed(1) ?? 'not measured',
    String(memory.gstack),
    ...browser,
  ];
}

/** Returns a sentence for each size at which the sessions could not all work at once. */
function tooBusy(sizes) {
  const lines = sizes.filter((one) => one.tooBusy);
  return lines.map(({ size, tooBusy }) => `\nAll ${count(size)} at work at once were too many for this machine: ${tooBusy}.\n`).join('');
}

/** Returns the tables of `scale/sessions.json`. */
export function sessionTables({ machine, day, loadAtStart, loadAtEnd, local, gridIs, grid }) {
  const here = local.map((one) => cells(one, true));
  const there = grid.map((one) => cells(one, false));
  return `
${machine}; ${day}, load ${loadAtStart} at the start and ${loadAtEnd} at the end. Memory is PSS: each process's own memory and its
share of what it shares with others. The time of \`text\` is a whole process on the command line, while no other session works.

A browser on this machine for each session:

${table(HEADS, here)}
${tooBusy(local)}
Browsers on ${gridIs ?? 'a Grid of chromedrivers'} (nodes of one slot each, all on this machine, so the browsers still share its cores):

${table(HEADS, there)}
${tooBusy(grid)}`;
}

/** Returns the table of the simulation. */
export function simulationTable({ assumptions, rows }) {
  const heads = [
    'sessions',
    'nodes',
    'machines for gstack',
    'until all are open, s',
    'items a minute',
    'longest wait in the queue, s',
    'lost and run again',
  ];
  const lines = rows.map((one) => [
    count(one.sessions),
    count(one.nodes),
    count(one.runners),
    one.ramp.toFixed(0),
    count(Math.round(one.itemsPerMinute)),
    one.longestWait.toFixed(0),
    count(one.lost),
  ]);
  return `
${assumptions.join('\n')}

${table(heads, lines)}
`;
}
