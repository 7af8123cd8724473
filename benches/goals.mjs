/*
 * Compares the figures of the latest runs with their goals, and writes the section "Goals" of RESULTS.md.
 *
 *   node benches/goals.mjs                        writes it
 *   node benches/goals.mjs --check                writes nothing; fails if the section is not what the figures say
 *   node benches/goals.mjs --set NAME VALUE HOW   keeps a figure that was measured by hand, and writes it
 *
 * Fails if a goal is missed and no reason is known (goals/list.mjs). Never measures anything.
 */
import { readFigures, writeFigures } from './goals/figures.mjs';
import { GOALS } from './goals/list.mjs';
import { judged, markdown, unexplained } from './goals/report.mjs';
import { replaceSection, section } from './section.mjs';

const RESULTS = new URL('RESULTS.md', import.meta.url);
const [word, name, value, how = ''] = process.argv.slice(2);
const fail = (words, code = 1) => {
  process.stderr.write(`${words}\n`);
  process.exit(code);
};

if (word === '--set') {
  if (!GOALS.some((goal) => goal.name === name)) fail(`no goal is named ${name}: ${GOALS.map((goal) => goal.name).join(' · ')}`, 2);
  if (!(Number(value) >= 0)) fail(`${value} is not a number`, 2);
  writeFigures({ [name]: Number(value) }, how);
} else if (word !== undefined && word !== '--check') {
  fail(`goals.mjs takes --check or --set, not ${word}`, 2);
}

const figures = readFigures();
for (const { title, state, figure, reason } of judged(GOALS, figures)) {
  if (state === 'missed') console.log(`missed: ${title}: ${figure.value}: ${reason ?? 'NO REASON IS KNOWN'}`);
}
const text = markdown(GOALS, figures);
if (word === '--check') {
  if (section(RESULTS, 'goals') !== text) fail('benches/RESULTS.md does not say what the figures say: run node benches/goals.mjs');
} else {
  replaceSection(RESULTS, 'goals', text);
}
const open = unexplained(GOALS, figures);
if (open.length > 0) fail(`missed without a reason in goals/list.mjs: ${open.join(' · ')}`);
