/*
 * The latest figures that have a goal, by name: figures.json. Each run replaces its own.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('figures.json', import.meta.url);

export const readFigures = () => JSON.parse(readFileSync(FILE, 'utf8'));

/**
 * Replaces figures. A value that is not a number is kept as failed, with its reason.
 * @param {Record<string, number | { failed: string }>} measured
 * @param {string} how  the circumstances, such as the load of the machine
 */
export function writeFigures(measured, how) {
  const day = new Date().toISOString().slice(0, 10);
  const figures = readFigures();
  for (const [name, value] of Object.entries(measured)) {
    figures[name] = Number.isFinite(value) ? { value: Number(value.toPrecision(4)), day, how } : { failed: value.failed, day, how };
  }
  const sorted = Object.fromEntries(Object.entries(figures).sort(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`);
}
