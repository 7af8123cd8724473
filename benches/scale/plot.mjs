/*
 * The picture of a scale run, as SVG: for each axis the times and the memory, both logarithmic, each with a dashed line
 * that is linear. Readable on a light and a dark ground. Pure.
 */
import { seriesOf } from './growth.mjs';

const [WIDTH, HEIGHT] = [430, 220];
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 150, 34, 34];
const LABEL_HEIGHT = 13;
const TITLES = {
  tabs: 'open tabs',
  elements: 'elements of a page',
  agents: 'agents at once',
  panels: 'panels',
  journal: 'events in a conversation',
};
const KINDS = [
  { kind: 'time', title: 'median time, ms' },
  { kind: 'memory', title: 'memory (PSS), MiB' },
];
const STYLE = `text { font: 11px sans-serif; fill: #1f2328 } .title { font-weight: bold } .ground { fill: #fff }
.grid { stroke: #d0d7de } .linear { stroke: #57606a; stroke-dasharray: 4 4 } .line { fill: none; stroke-width: 1.8 }
${palette(['#0969da', '#bc4c00', '#1a7f37', '#8250df', '#cf222e'])}
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .ground { fill: #0d1117 } .grid { stroke: #30363d } .linear { stroke: #9198a1 }
${palette(['#58a6ff', '#f0883e', '#3fb950', '#bc8cff', '#ff7b72'])}
}`;

function palette(colours) {
  return colours.map((colour, at) => `.line.c${at} { stroke: ${colour} } .dot.c${at}, text.c${at} { fill: ${colour} }`).join('\n');
}

const escaped = (words) => String(words).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const text = (x, y, words, rest = '') => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${rest}>${escaped(words)}</text>`;
const log = Math.log10;
/** Returns the powers of ten from at or below `least` to at or above `most`. */
function decades(least, most) {
  const [from, to] = [Math.floor(log(least)), Math.max(Math.floor(log(least)) + 1, Math.ceil(log(most)))];
  return Array.from({ length: to - from + 1 }, (_, at) => 10 ** (from + at));
}
const short = (value) => (value >= 1e6 ? `${value / 1e6}M` : value >= 1e3 ? `${value / 1e3}k` : String(value));

/** Moves labels apart that would lie on each other. */
function apart(labels) {
  const sorted = [...labels].sort((one, other) => one.y - other.y);
  for (let at = 1; at < sorted.length; at += 1) sorted[at].y = Math.max(sorted[at].y, sorted[at - 1].y + LABEL_HEIGHT);
  return sorted;
}

/** Draws one chart with its top left corner at `left`, `top`. */
function chart({ title, across, sizes, series, left, top }) {
  const values = series.flatMap((one) => one.values.map(({ value }) => value)).filter((value) => value > 0);
  const parts = [text(left + LEFT, top + 18, title, 'class="title"')];
  if (values.length === 0) return [...parts, text(left + LEFT, top + 60, 'nothing was measured')];
  const ticks = decades(Math.min(...values), Math.max(...values));
  const [low, high] = [log(ticks[0]), log(ticks.at(-1))];
  const [first, last] = [log(sizes[0]), Math.max(log(sizes.at(-1)), log(sizes[0]) + 0.1)];
  const [from, to] = [left + LEFT, left + WIDTH - RIGHT];
  const [up, down] = [top + TOP, top + HEIGHT - BOTTOM];
  const x = (size) => from + ((log(size) - first) / (last - first)) * (to - from);
  const y = (value) => down - ((log(value) - low) / (high - low)) * (down - up);
  for (const tick of ticks) {
    parts.push(
      `<path class="grid" d="M${from} ${y(tick).toFixed(1)}H${to}"/>`,
      text(from - 6, y(tick) + 4, short(tick), 'text-anchor="end"'),
    );
  }
  for (const size of sizes) parts.push(text(x(size), down + 14, short(size), 'text-anchor="middle"'));
  parts.push(text((from + to) / 2, down + 28, across, 'text-anchor="middle"'));
  // Linear growth from the smallest value, up to the edge of the chart.
  const least = Math.min(...values);
  const reach = Math.min(last - first, high - log(least));
  const end = { x: x(10 ** (first + reach)), y: y(10 ** (log(least) + reach)) };
  parts.push(`<path class="linear" d="M${from} ${y(least).toFixed(1)}L${end.x.toFixed(1)} ${end.y.toFixed(1)}"/>`);
  parts.push(text(end.x - 3, Math.max(end.y - 3, up + 9), 'linear', 'text-anchor="end"'));
  const labels = series.map(({ name, values: all }, at) => {
    const shown = all.filter(({ value }) => value > 0);
    const points = shown.map(({ size, value }) => `${x(size).toFixed(1)},${y(value).toFixed(1)}`);
    parts.push(`<polyline class="line c${at % 5}" points="${points.join(' ')}"/>`);
    for (const point of points) {
      const [px, py] = point.split(',');
      parts.push(`<circle class="dot c${at % 5}" cx="${px}" cy="${py}" r="2.5"/>`);
    }
    return { name, at, y: y(shown.at(-1).value) + 4 };
  });
  for (const { name, at, y: place } of apart(labels)) parts.push(text(to + 8, place, name, `class="c${at % 5}"`));
  return parts;
}

/** Returns the picture. @param {{ axes: any[] }} result */
export function picture({ axes }) {
  const parts = axes.flatMap((axis, line) => {
    const sizes = axis.points.map(({ size }) => size);
    const all = seriesOf(axis);
    return KINDS.flatMap(({ kind, title }, column) => {
      const series = all.filter((one) => one.kind === kind);
      return chart({ title, across: TITLES[axis.name] ?? axis.name, sizes, series, left: column * WIDTH, top: line * HEIGHT });
    });
  });
  const size = `viewBox="0 0 ${WIDTH * KINDS.length} ${HEIGHT * axes.length}"`;
  const ground = '<rect class="ground" width="100%" height="100%"/>';
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n<style>${STYLE}</style>\n${[ground, ...parts].join('\n')}\n</svg>\n`;
}
