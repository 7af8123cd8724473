/*
 * Plots the table that the soak test wrote (GSTACK_SOAK_TABLE) as an SVG: node tests/e2e/soak-plot.mjs TABLE > FILE.svg
 */
import { readFileSync } from 'node:fs';

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [760, 320, 56, 120, 20, 40];
/** The memory of each process, and the colour of its line. */
const LINES = { extension: '#8250df', daemon: '#0969da', keeper: '#1a7f37', host: '#bc4c00' };
const STEPS = 6;

const rounds = readFileSync(process.argv[2], 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const mebibytes = (kilobytes) => kilobytes / 1024;
const most = Math.ceil(Math.max(...rounds.flatMap((one) => Object.keys(LINES).map((name) => mebibytes(one[name])))) / STEPS) * STEPS;
const x = (round) => LEFT + ((WIDTH - LEFT - RIGHT) * (round - 1)) / Math.max(1, rounds.length - 1);
const y = (value) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * value) / most;
const text = (at, across, words, rest = '') => `<text x="${at}" y="${across}" ${rest}>${words}</text>`;

const grid = Array.from({ length: STEPS + 1 }, (_, step) => (most * step) / STEPS).map(
  (value) =>
    `<path d="M${LEFT} ${y(value)}H${WIDTH - RIGHT}" stroke="#d0d7de"/>${text(LEFT - 8, y(value) + 4, value, 'text-anchor="end"')}`,
);
const lines = Object.entries(LINES).map(([name, colour]) => {
  const points = rounds.map((one) => `${x(one.round).toFixed(1)},${y(mebibytes(one[name])).toFixed(1)}`);
  const end = y(mebibytes(rounds.at(-1)[name])) + 4 - (name === 'keeper' ? 6 : 0) + (name === 'host' ? 6 : 0);
  return (
    `<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${points.join(' ')}"/>` +
    text(WIDTH - RIGHT + 8, end.toFixed(1), name, `fill="${colour}"`)
  );
});
const ends = [1, rounds.length].map((round) => text(x(round), HEIGHT - BOTTOM + 18, `round ${round}`, 'text-anchor="middle"'));
const size = `viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#1f2328"`;
process.stdout.write(`<svg xmlns="http://www.w3.org/2000/svg" ${size}>
<rect width="100%" height="100%" fill="#ffffff"/>
${text(LEFT - 40, TOP - 6, 'MiB')}
${[...grid, ...lines, ...ends].join('\n')}
</svg>
`);
