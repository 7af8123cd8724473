/*
 * Flows of Selenium IDE for findings about what exports and plays them. `flow(tests, url)` returns the text of a `.side` file: `tests` has
 * a list of commands for each name, a command is [command, target, value].
 *
 *   node side.mjs URL <tests.json >flow.side
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

export function flow(tests, url) {
  const line = (id, [command, target = '', value = '']) => ({ id, comment: '', command, target, targets: [], value });
  const all = Object.entries(tests).map(([name, commands]) => ({
    id: name,
    name,
    commands: commands.map((command, at) => line(`${name}-${at}`, command)),
  }));
  const suites = [{ id: 'all', name: 'all', persistSession: false, parallel: false, timeout: 60, tests: all.map(({ id }) => id) }];
  return JSON.stringify({ id: 'flow', version: '3.0', name: 'flow', url, urls: [url], plugins: [], suites, tests: all });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) console.log(flow(JSON.parse(readFileSync(0, 'utf8')), process.argv[2]));
