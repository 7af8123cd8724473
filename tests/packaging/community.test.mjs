// The pages around the code: all are in the documentation site, and none has a broken link.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './support/release.mjs';

const read = (name) => readFileSync(join(ROOT, name), 'utf8');

test('every page of docs/ is in the summary of the site once, and the summary names no other', () => {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md') && name !== 'SUMMARY.md');
  const named = [...read('docs/SUMMARY.md').matchAll(/\]\((.*?)\)/g)].map(([, page]) => page);
  assert.deepEqual(named.sort(), pages.sort());
  assert.match(read('book.toml'), /^src = "docs"$/m);
});

test('every relative link of every page leads to a file, and every one to a heading to a heading', () => {
  const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n');
  const anchor = (heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
  const wrong = [];
  for (const page of pages.filter((page) => !page.startsWith('tests/') && existsSync(join(ROOT, page)))) {
    const text = read(page).replace(/```[^]*?```/g, '');
    for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path, heading] = target.split('#');
      const file = path ? normalize(join(dirname(page), path)) : page;
      if (!existsSync(join(ROOT, file))) wrong.push(`${page}: ${target}`);
      else if (heading && file.endsWith('.md')) {
        const headings = [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, words]) => anchor(words));
        if (!headings.includes(heading)) wrong.push(`${page}: ${target}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

test('a bug report asks for the redacted report, and a vulnerability goes another way', () => {
  const bug = read('.github/ISSUE_TEMPLATE/bug.yml');
  assert.match(bug, /gstack doctor --report/);
  assert.match(bug, /id: report[^]*?required: true/);
  for (const page of ['.github/SECURITY.md', '.github/ISSUE_TEMPLATE/bug.yml']) assert.match(read(page), /\*Report a vulnerability\*/);
  // Read without the repository's pages around it, a link would need the repository's address.
  assert.match(read('CODE_OF_CONDUCT.md'), /private vulnerability reporting/);
});
