/*
 * Prints the result tables, as Markdown so that they can be stored unchanged.
 */
import { median, p95 } from './measure.mjs';

const milliseconds = (value) => (value < 100 ? value.toFixed(1) : value.toFixed(0));
const row = (cells) => `| ${cells.join(' | ')} |`;

/**
 * Prints one measurement: one row for each side, with its ratio to the baseline.
 * @param {object} about
 * @param {string} about.title
 * @param {string} about.baseline  the name of the side to compare with
 * @param {Map<string, number[]>} about.samples  milliseconds by side
 * @param {Map<string, number>} [about.bytes]  the size of a side's output
 * @param {string[]} [about.notes]
 */
export function print({ title, baseline, samples, bytes, notes = [] }) {
  const base = median(samples.get(baseline));
  const heads = ['', 'median ms', 'p95 ms', 'runs', `median of *${baseline}* ÷ this`, ...(bytes ? ['output bytes'] : [])];
  const lines = [`## ${title}`, '', row(heads), row(heads.map((_, at) => (at === 0 ? '---' : '---:')))];
  for (const [name, taken] of samples) {
    const ratio = name === baseline ? 'baseline' : `${(base / median(taken)).toPrecision(3)}×`;
    const size = bytes ? [bytes.get(name)?.toLocaleString('en') ?? ''] : [];
    lines.push(row([name, milliseconds(median(taken)), milliseconds(p95(taken)), taken.length, ratio, ...size]));
  }
  if (notes.length > 0) lines.push('', ...notes.map((note) => `- ${note}`));
  console.log(`${lines.join('\n')}\n`);
}
