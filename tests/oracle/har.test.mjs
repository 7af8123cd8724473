/* Playwright's routeFromHAR replays the output of `har stop`: the same pages and answers, without the server. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { BROWSER, Gstack, QUIET } from './harness/gstack.mjs';

const SHOP = `<!doctype html><title>Shop</title><script src="/app.js"></script><p id="p">waits</p>`;
const APP = `addEventListener('DOMContentLoaded', async () => {
  const list = await fetch('/api/list?page=2').then((answer) => answer.json());
  const sent = await fetch('/api/add', { method: 'POST', body: 'lamp' }).then((answer) => answer.text());
  document.querySelector('#p').textContent = [...list, sent].join(' ');
});`;

let gstack;
let server;
let folder;

before(async () => {
  server = createServer((request, answer) => {
    const [type, body] = {
      '/': ['text/html', SHOP],
      '/app.js': ['text/javascript', APP],
      '/api/list?page=2': ['application/json', '["chair","täble"]'],
      '/api/add': ['text/plain; charset=utf-8', `${request.method} added`],
    }[request.url] ?? ['text/plain', ''];
    if (request.url === '/old') answer.writeHead(302, { location: '/' }).end();
    else answer.writeHead(body ? 200 : 404, { 'content-type': type, 'set-cookie': 'sid=secret' }).end(body);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  gstack = await Gstack.start();
  folder = mkdtempSync(path.join(tmpdir(), 'gso-har-'));
});

after(async () => {
  rmSync(folder, { recursive: true, force: true });
  assert.deepEqual(await gstack.stop(), [], 'no process had to be forced');
});

test('Playwright replays a recording without the server', async () => {
  const origin = `http://127.0.0.1:${server.address().port}`;
  const file = path.join(folder, 'shop.har');
  await gstack.run('har', 'start', '--bodies');
  await gstack.run('goto', `${origin}/old`);
  await gstack.run('wait', '--text', 'POST added');
  await gstack.run('har', 'stop', file);
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  const browser = await chromium.launch({ executablePath: BROWSER, args: QUIET });
  try {
    const page = await browser.newPage();
    await page.routeFromHAR(file, { notFound: 'abort' });
    await page.goto(`${origin}/`);
    await page.waitForFunction(() => document.querySelector('#p').textContent !== 'waits');
    assert.equal(await page.textContent('#p'), 'chair täble POST added');
    assert.equal(await page.title(), 'Shop');
  } finally {
    await browser.close();
  }
});
