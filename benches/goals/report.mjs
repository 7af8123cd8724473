/*
 * The section of RESULTS.md about the goals: each figure, whether its goal is met, and the reason of each that is not.
 * Pure.
 */

const row = (cells) => `| ${cells.join(' | ')} |\n`;
const shown = (value, unit) => {
  const number =
    value < 10 ? value.toFixed(2).replace(/\.?0+$/, '') : value < 100 ? value.toFixed(1).replace(/\.0$/, '') : value.toFixed(0);
  return unit === '' ? number : unit === '×' ? `${number} ×` : `${number} ${unit}`;
};

/** Returns the goals with their figures: `state` is `met`, `missed` or `not measured`. */
export function judged(goals, figures) {
  return goals.map((goal) => {
    const figure = figures[goal.name];
    const isKnown = Number.isFinite(figure?.value);
    return { ...goal, figure, state: isKnown ? (figure.value <= goal.most ? 'met' : 'missed') : 'not measured' };
  });
}

/** Returns the titles of the goals that are missed without a reason. */
export function unexplained(goals, figures) {
  return judged(goals, figures)
    .filter(({ state, reason }) => state === 'missed' && !reason)
    .map(({ title }) => title);
}

/** Returns the section. */
export function markdown(goals, figures) {
  const all = judged(goals, figures);
  const of = (state) => all.filter((one) => one.state === state);
  let text = '## Goals\n\n`node benches/goals.mjs` writes this from the figures of the runs below. ';
  text += `${of('met').length} goals are met, ${of('missed').length} missed, ${of('not measured').length} not measured.\n\n`;
  text += row(['figure', 'measured', 'goal', '', 'measured on', 'by']) + row(['---', '---:', '---:', '---', '---', '---']);
  for (const { title, figure, most, unit, state, from } of all) {
    const value = state === 'not measured' ? (figure?.failed ?? '') : shown(figure.value, unit);
    const how = figure?.how ? `${from}; ${figure.how}` : from;
    text += row([title, value, `≤ ${shown(most, unit)}`, state === 'met' ? 'met' : `**${state}**`, figure?.day ?? '', how]);
  }
  if (of('missed').length > 0) text += '\n### Why goals are missed\n\nThe profiles are in [goals/PROFILES.md](goals/PROFILES.md).\n\n';
  for (const { title, figure, most, unit, reason } of of('missed')) {
    text += `- **${title}**: missed, ${shown(figure.value, unit)} instead of ${shown(most, unit)}. ${reason ?? 'NO REASON IS KNOWN.'}\n`;
  }
  return `${text}\n`;
}
