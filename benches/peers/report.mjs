/*
 * The report of the comparison: tables for RESULTS.md, a few lines for the README, a picture. Losses are reported like
 * wins.
 */
import { median, p95 } from '../measure.mjs';

const milliseconds = (value) => (value < 100 ? value.toFixed(1) : value.toFixed(0));
const average = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const row = (cells) => `| ${cells.join(' | ')} |\n`;
const OWN = 'gstack';
export const labelOf = ({ operation, page }) => `${operation}, ${page}`;

/** Returns gstack's median, the fastest peer's, and the ratio; null if one of them is missing. */
export function ratioOf({ results }) {
  const own = results[OWN];
  const peers = Object.entries(results).filter(([name, { walls, failed }]) => !name.startsWith(OWN) && !failed && walls.length > 0);
  if (!own || own.failed || peers.length === 0) return null;
  const medians = peers.map(([name, { walls }]) => ({ name, millis: median(walls) }));
  const fastest = medians.reduce((best, one) => (one.millis < best.millis ? one : best));
  return { own: median(own.walls), fastest, ratio: median(own.walls) / fastest.millis };
}

function cell({ walls, cpus, failed }, withCpu) {
  if (failed) return 'fails';
  const cpu = withCpu && cpus.length > 0 && average(cpus) > 0 ? `, CPU ${average(cpus).toFixed(1)}` : '';
  return `${milliseconds(median(walls))} (${milliseconds(p95(walls))}${cpu})`;
}

function table({ title, rows, withCpu }) {
  const names = Object.keys(rows[0].results);
  const heads = ['', ...names, 'ratio to the fastest peer', ...(withCpu ? ['goal'] : [])];
  let text = `### ${title}\n\n${row(heads)}${row(heads.map((_, at) => (at === 0 ? '---' : '---:')))}`;
  for (const one of rows) {
    const found = ratioOf(one);
    const ratio = found ? `${found.ratio.toFixed(2)}${found.ratio > 1 ? ' (slower)' : ''}` : '';
    const met = one.goal && found ? `≤ ${one.goal}${found.ratio <= one.goal ? '' : ', missed'}` : '';
    const cells = names.map((name) => (one.results[name] ? cell(one.results[name], withCpu) : ''));
    text += row([`${labelOf(one)} (${one.runs} runs)`, ...cells, ratio, ...(withCpu ? [met] : [])]);
  }
  return `${text}\n`;
}

function failures(rows) {
  const lines = rows.flatMap((one) =>
    Object.entries(one.results)
      .filter(([, { failed }]) => failed)
      .map(([name, { failed }]) => `- ${labelOf(one)}: ${name} fails: ${failed}\n`),
  );
  return lines.length > 0 ? `${lines.join('')}\n` : '';
}

/** Returns the section of RESULTS.md. */
export function markdown({ machine, versions, load, day, missing }, tables) {
  let text = `## Beside its peers\n\n${day}, \`node benches/peers/run.mjs\`, ${machine}. Load of the machine: ${load}. `;
  text += `${versions.join(', ')}.\n\n`;
  text += 'Milliseconds, median (95th percentile). All in turn in one run, each with a headless browser of its own from the same program. ';
  text += 'CPU is the processor time of the command itself, an average; what daemons and browsers use is not in it.\n\n';
  text += '![gstack beside its peers](peers/peers.svg)\n\n';
  for (const one of tables) text += table(one) + failures(one.rows);
  for (const one of missing) text += `- Not measured: ${one}\n`;
  return missing.length > 0 ? `${text}\n` : text;
}

/* The README's rows, whatever their result. */
const QUOTED = ['url, tiny', 'click, tiny', 'fill, tiny', 'text, tiny', 'snapshot, 10k', 'nothing runs → first page, tiny'];

/** Returns the README's lines. */
export function quoted({ day, load }, rows) {
  const whole = '[all results](benches/RESULTS.md#beside-its-peers)';
  let text = `On the command line beside agent-browser and playwright-cli, medians in ms (${day}, load ${load}; ${whole}):\n\n`;
  const names = Object.keys(rows[0].results);
  text += row(['', ...names, 'ratio to the fastest peer']) + row(['---', ...names.map(() => '---:'), '---:']);
  for (const one of rows.filter((row) => QUOTED.includes(labelOf(row)))) {
    const found = ratioOf(one);
    const cells = names.map((name) => {
      const { walls, failed } = one.results[name];
      return failed ? 'fails' : milliseconds(median(walls));
    });
    text += row([labelOf(one), ...cells, found ? found.ratio.toFixed(2) : '']);
  }
  return `${text}\n`;
}

const BAR = 14;
const WIDTH = 420;
const LEFT = 230;

/** Draws bars of the ratio to the fastest peer, on a logarithmic scale; the line is at 1. */
export function picture(rows) {
  const found = rows.map((one) => ({ name: labelOf(one), of: ratioOf(one) })).filter(({ of }) => of);
  const least = Math.floor(Math.min(-1, ...found.map(({ of }) => Math.log10(of.ratio))));
  const most = Math.max(0.5, ...found.map(({ of }) => Math.log10(of.ratio)));
  const at = (ratio) => LEFT + ((Math.log10(ratio) - least) / (most - least)) * WIDTH;
  const height = 50 + found.length * (BAR + 8);
  const text = (x, y, words, anchor = 'start') =>
    `<text x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}" font-family="sans-serif" font-size="12" fill="#444">${words}</text>`;
  const bars = found.map(({ name, of }, index) => {
    const y = 40 + index * (BAR + 8);
    const [from, to] = [at(10 ** least), at(of.ratio)];
    const colour = of.ratio <= 1 ? '#2e7d5b' : '#b5483b';
    const bar = `<rect x="${from.toFixed(1)}" y="${y}" width="${(to - from).toFixed(1)}" height="${BAR}" fill="${colour}"/>`;
    return text(LEFT - 8, y + 11, name, 'end') + bar + text(to + 6, y + 11, `${of.ratio.toFixed(2)} of ${of.fastest.name}`);
  });
  const line = `<line x1="${at(1).toFixed(1)}" x2="${at(1).toFixed(1)}" y1="28" y2="${height - 6}" stroke="#444" stroke-dasharray="3 3"/>`;
  const title = text(LEFT, 18, 'Time of gstack ÷ time of the fastest peer (shorter is faster; the line is at 1)');
  const ground = '<rect width="100%" height="100%" fill="#fff"/>';
  const parts = [ground, title, line, ...bars].join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${LEFT + WIDTH + 190}" height="${height}">\n${parts}\n</svg>\n`;
}
