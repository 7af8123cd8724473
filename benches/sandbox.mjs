/*
 * Measures what the sandbox adds to an agent's start: the first message of a newly started daemon, from the command
 * line to the agent's answer, without a sandbox and in each sandbox available on this machine.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestHome } from '../tests/e2e/harness/home.mjs';
import { alternately, timed } from './measure.mjs';
import { print } from './table.mjs';

const agent = fileURLToPath(new URL('../tests/fake/rude-agent.mjs', import.meta.url));
const MODES = { 'no sandbox': 'off', Landlock: 'landlock', 'bubblewrap, or Landlock where it is missing': '' };

/** @param {(end: () => Promise<unknown>) => void} opened  receives the cleanup function of each home */
export async function measureSandbox(runs, opened) {
  const sides = {};
  for (const [name, mechanism] of Object.entries(MODES)) {
    const home = new TestHome({ environment: { GSTACK_SANDBOX_MECHANISM: mechanism } });
    opened(() => home.stop());
    mkdirSync(home.home, { mode: 0o700 });
    const config =
      `[agents]\ndefault = "echo"\nsandbox = "${mechanism === 'off' ? 'off' : 'auto'}"\n` +
      `[agents.own.echo]\ncommand = ${JSON.stringify([process.execPath, agent])}\n`;
    writeFileSync(path.join(home.home, 'config.toml'), config, { mode: 0o600 });
    sides[name] = async () => {
      await home.run(['stop']);
      // The daemon has started, and has looked for its agents and for a sandbox.
      await home.ok(['agents']);
      return timed(() => home.ok(['chat', 'hello']));
    };
  }
  const samples = await alternately(runs, sides);
  print({
    title: 'The first message to an agent',
    baseline: 'no sandbox',
    samples,
    notes: ['From the start of `gstack chat` to its end; the agent is a node program that answers at once.'],
  });
}
