/* Looks for secrets where gstack could have left them. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Asserts that no process, no file and no answer of gstack's has one of these secrets. */
export async function assertNone(home, secrets) {
  const entries = readdirSync(home.home, { recursive: true, withFileTypes: true });
  const files = entries.map(({ parentPath, name }) => path.join(parentPath, name)).filter((_, at) => entries[at].isFile());
  const texts = new Map(files.filter((file) => !file.includes('chromium-profile')).map((file) => [file, readFileSync(file, 'latin1')]));
  for (const name of ['audit.jsonl', 'activity.jsonl', 'daemon.log', 'sign-ins.age']) {
    assert.ok(texts.has(path.join(home.home, name)), `${name} is looked at`);
  }
  for (const { pid, command, environment } of home.processes()) texts.set(`process ${pid}`, [...command, ...environment].join(' '));
  for (const line of ['auth --json', 'audit --json', 'activity', 'evidence --last']) {
    const { stdout, stderr } = await home.run(line.split(' '));
    texts.set(line, stdout + stderr);
  }
  for (const [place, text] of texts) {
    for (const secret of secrets) assert.ok(!text.includes(secret), `a secret is in ${place}`);
  }
}
