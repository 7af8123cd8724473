/*
 * How a measured value grows with the size of its axis. Pure.
 */

/** Steps up to this power are noise around a constant. */
const CONSTANT = 0.2;
/** Steps up to this power are linear, with noise. */
const LINEAR = 1.15;

/**
 * Returns the power of the steepest step between neighbouring sizes: 0 is constant, 1 linear, 2 quadratic. A fixed part
 * makes a step flatter, so only what grows faster than its size is above 1. Null with fewer than two values.
 * @param {{ size: number, value: number }[]} values  in order of size
 */
export function steepest(values) {
  const powers = values.slice(1).map(({ size, value }, at) => Math.log(value / values[at].value) / Math.log(size / values[at].size));
  const known = powers.filter(Number.isFinite);
  return known.length > 0 ? Math.max(...known) : null;
}

/** Returns the growth in a word. @param {number | null} power */
export function growth(power) {
  if (power === null) return '';
  if (power <= CONSTANT) return 'constant';
  return power <= LINEAR ? 'linear or better' : 'worse than linear';
}

/**
 * Returns what an axis measured, by name: `{ kind, name, values: [{ size, value, p95 }] }`, without the points that failed.
 * @param {{ points: any[] }} axis
 */
export function seriesOf({ points }) {
  const all = new Map();
  const put = (kind, name, size, value, p95) => {
    const key = `${kind} ${name}`;
    if (!all.has(key)) all.set(key, { kind, name, values: [] });
    all.get(key).values.push({ size, value, p95 });
  };
  for (const { size, times = {}, processor = {}, memory = {} } of points) {
    for (const [name, { median, p95 }] of Object.entries(times)) put('time', name, size, median, p95);
    for (const [name, value] of Object.entries(processor)) put('processor', name, size, value);
    for (const [name, value] of Object.entries(memory)) if (name !== 'hostCount') put('memory', name, size, value);
  }
  return [...all.values()].filter(({ values }) => values.some(({ value }) => value > 0));
}
