/*
 * Simulates `gstack run` on a Grid of up to 10,000 sessions, with the costs that benches/sessions.mjs measured.
 *
 *   node benches/simulate.mjs          writes a section of docs/SCALE.md
 *   node benches/simulate.mjs --dry    prints, and writes nothing
 *
 * Measures nothing and starts nothing. The same numbers come out each time.
 */
import { readFileSync } from 'node:fs';
import { simulationTable } from './scale/session-tables.mjs';
import { SIZES, simulated } from './scale/simulation.mjs';
import { replaceSection } from './section.mjs';

const measured = JSON.parse(readFileSync(new URL('scale/sessions.json', import.meta.url), 'utf8'));
const text = simulationTable(simulated(measured, SIZES));
console.log(text);
if (!process.argv.includes('--dry')) replaceSection(new URL('../docs/SCALE.md', import.meta.url), 'simulation', text);
