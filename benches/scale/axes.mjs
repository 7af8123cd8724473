/*
 * What grows in a scale run, and what each point measures. Sizes only; the measuring is in the file of each axis.
 */
import { measureAgents } from './agents.mjs';
import { measureElements } from './elements.mjs';
import { measureJournals } from './journals.mjs';
import { measurePanels } from './panels.mjs';
import { measureTabs } from './tabs.mjs';

/** `full` is the published run, `quick` a small one for work on the scripts. */
export const AXES = [
  { name: 'tabs', full: [1, 10, 100, 500], quick: [1, 10], measure: measureTabs },
  { name: 'elements', full: [1_000, 10_000, 100_000, 1_000_000], quick: [1_000, 10_000], measure: measureElements },
  { name: 'agents', full: [1, 10, 50], quick: [1, 4], measure: measureAgents },
  { name: 'panels', full: [1, 10, 100], quick: [1, 5], measure: measurePanels },
  { name: 'journal', full: [1_000, 100_000, 1_000_000], quick: [1_000, 10_000], measure: measureJournals },
];
