/*
 * Files of a Grid's session travel by the Grid's own endpoints and in no other way: an upload as an archive to `/se/file`, whose answer
 * is what the page gets, and a download from `/se/files`.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TestHome } from './harness/home.mjs';
import { GridDouble, unzipped } from './harness/remote.mjs';
import { until } from './harness/wait.mjs';

const WEBDRIVER = { limit: 120_000 };
const PAGE = `<!doctype html><title>Files</title><input type="file" multiple id="field"><a id="get" href="/report.txt">Get it</a>
  <output></output><script>field.onchange = async () => {
    const texts = await Promise.all([...field.files].map(async (file) => file.name + '=' + await file.text()));
    document.querySelector('output').textContent = texts.join(';');
  }</script>`;

describe('files of a Grid session', () => {
  const home = new TestHome({ port: false });
  let server;
  let grid;
  let session;

  before(async () => {
    server = createServer((request, response) => {
      const isFile = request.url === '/report.txt';
      const saved = { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="report.txt"' };
      response.writeHead(200, isFile ? saved : { 'content-type': 'text/html' });
      response.end(isFile ? 'the report' : PAGE);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    grid = await new GridDouble().start();
    await home.ok(['connect', '--grid', grid.url], WEBDRIVER);
    [session] = grid.created;
    await home.ok(['goto', `http://127.0.0.1:${server.address().port}/`]);
  });
  after(async () => {
    const left = await home.stop();
    grid?.stop();
    server?.closeAllConnections();
    server?.close();
    assert.deepEqual(left, [], 'nothing is left behind');
  });

  const requests = (below) => grid.http.requests.filter(({ method, url }) => method === 'POST' && url === `/session/${session}${below}`);

  test('each uploaded file is sent to the Grid as an archive, and the page gets it from there', async () => {
    const files = { 'one.txt': 'two apples', 'zwei ü.txt': 'drei Birnen' };
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(home.person, name), text);
    assert.deepEqual(requests('/se/file'), []);
    await home.ok(['upload', '#field', ...Object.keys(files)]);
    await home.ok(['wait', '--text', 'one.txt=two apples;zwei ü.txt=drei Birnen']);
    const sent = requests('/se/file').map(({ body }) => body);
    assert.deepEqual(
      sent.map((body) => Object.keys(body)),
      [['file'], ['file']],
    );
    assert.deepEqual(Object.assign({}, ...sent.map(({ file }) => unzipped(file))), files);
  });

  test('a file outside the open folders is not sent to the Grid', async () => {
    const before = requests('/se/file').length;
    const refused = await home.run(['upload', '#field', '/etc/hostname']);
    assert.notEqual(refused.code, 0, refused.stdout);
    assert.match(refused.stderr, /\/etc\/hostname/);
    assert.equal(requests('/se/file').length, before);
  });

  test('a download is fetched from the Grid by its name', async () => {
    assert.deepEqual(requests('/se/files'), []);
    await home.ok(['click', '#get']);
    const saved = await until(
      async () => /"(\/[^"]*report[^"]*\.txt)"/.exec(await home.ok(['downloads', '--json']))?.[1],
      async () => `the file is saved: ${await home.ok(['downloads', '--json'])}`,
    );
    assert.equal(readFileSync(saved, 'utf8'), 'the report');
    assert.deepEqual(
      requests('/se/files').map(({ body }) => body),
      [{ name: 'report.txt' }],
    );
  });
});
