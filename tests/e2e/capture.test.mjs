/* Page content that a person captures to disk. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { TestHome } from './harness/home.mjs';
import { Site } from './harness/site.mjs';
import { until } from './harness/wait.mjs';

test('console, requests and dialogs go to a file of the person alone, and only where that is set', async () => {
  const home = new TestHome();
  const site = await Site.start();
  const file = path.join(home.home, 'capture.jsonl');
  const look = async () => {
    await home.ok(['goto', `${site.origin}/form`]);
    await home.ok(['js', 'console.warn("heard"); alert("seen")']);
  };
  try {
    await look();
    await home.ok(['disconnect']);
    await home.ok(['stop']);
    assert.equal(existsSync(file), false);

    mkdirSync(home.home, { recursive: true });
    writeFileSync(path.join(home.home, 'config.toml'), '[browser]\ncapture-to-disk = true\n', { mode: 0o600 });
    await look();
    const lines = await until(() => {
      const read = existsSync(file)
        ? readFileSync(file, 'utf8')
            .trim()
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line))
        : [];
      const kinds = read.map(({ kind }) => kind);
      return ['console', 'request', 'dialog'].every((kind) => kinds.includes(kind)) && read;
    }, 'the file lacks lines');
    assert.ok(lines.some((line) => line.kind === 'console' && line.level === 'warning' && line.text === 'heard'));
    assert.ok(lines.some((line) => line.kind === 'request' && line.url === `${site.origin}/form` && line.status === 200));
    assert.ok(lines.some((line) => line.kind === 'dialog' && line.type === 'alert' && line.message === 'seen'));
    assert.equal(statSync(file).mode & 0o777, 0o600);
  } finally {
    await home.stop();
    await site.stop();
  }
});
