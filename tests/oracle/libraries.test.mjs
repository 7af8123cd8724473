/*
 * Code editors and sortable lists as their authors published them: `fill` puts a text in place of the old one, `drag` lands
 * on the place that was named.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Gstack } from './harness/gstack.mjs';

const modules = fileURLToPath(new URL('node_modules', import.meta.url));
const wanted = ['codemirror', 'ace-builds', 'monaco-editor', 'sortablejs'];
const skip = wanted.every((name) => existsSync(path.join(modules, name))) ? false : 'the optional packages are not installed';
const KINDS = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html' };

const PAGE = `<!doctype html><title>Libraries</title><meta charset="utf-8">
<link rel="stylesheet" href="/codemirror/lib/codemirror.css"><link rel="stylesheet" href="/monaco-editor/min/vs/editor/editor.main.css">
<script src="/codemirror/lib/codemirror.js"></script><script src="/ace-builds/src-min-noconflict/ace.js"></script>
<script src="/sortablejs/Sortable.js"></script>
<ul id="list"><li id="i1">One<li id="i2">Two<li id="i3">Three<li id="i4">Four</ul>
<div id="mirror"></div><div id="ace" style="height: 120px">old</div>
<div id="context" style="height: 120px"></div><div id="area" style="height: 120px"></div>
<script>
  const editors = { mirror: CodeMirror(document.querySelector('#mirror'), { value: 'old', lineNumbers: true }), ace: ace.edit('ace') };
  Sortable.create(document.querySelector('#list'), { forceFallback: true, animation: 150 });
  var require = { paths: { vs: '/monaco-editor/min/vs' } };
</script>
<script src="/monaco-editor/min/vs/loader.js"></script>
<script>
  require(['vs/editor/editor.main'], () => {
    for (const [id, editContext] of [['context', true], ['area', false]])
      editors[id] = monaco.editor.create(document.querySelector('#' + id), { value: 'old', language: 'plaintext', editContext });
    if (location.search) delete globalThis.monaco;
    document.title = 'ready';
  });
</script>`;

describe('published libraries', { skip }, () => {
  let gstack, server;
  before(async () => {
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url, 'http://localhost');
      const file = path.join(modules, path.normalize(pathname));
      const found = pathname !== '/' && existsSync(file);
      response.writeHead(found || pathname === '/' ? 200 : 404, { 'content-type': KINDS[path.extname(file)] ?? 'text/html' });
      response.end(found ? readFileSync(file) : PAGE);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    gstack = await Gstack.start();
  });
  after(async () => {
    await gstack.stop();
    server.close();
  });

  const TEXT = 'first line\n  if (x) {\n    second "line"\n}\n';
  for (const [name, query] of [
    ['by their models', ''],
    ['where Monaco offers no model', '?bare'],
  ]) {
    test(`code editors get a text in place of the old one, ${name}`, async () => {
      await gstack.run('goto', `http://127.0.0.1:${server.address().port}/${query}`);
      await gstack.run('wait', '--fn', "document.title === 'ready'");
      for (const [selector, editor] of [
        ['#mirror .CodeMirror', 'mirror'],
        ['#mirror textarea', 'mirror'],
        ['#ace', 'ace'],
        ['#ace textarea', 'ace'],
        ['#context .monaco-editor', 'context'],
        ['#context .native-edit-context', 'context'],
        ['#area textarea', 'area'],
      ]) {
        assert.equal(await gstack.run('fill', selector, TEXT), `Filled ${selector}`);
        assert.equal(await gstack.run('js', `editors.${editor}.getValue() === ${JSON.stringify(TEXT)}`), 'true', selector);
        await gstack.run('click', selector);
        await gstack.run('clear', selector);
        assert.equal(await gstack.run('js', `editors.${editor}.getValue().length`), '0', selector);
      }
    });
  }

  test('a list that sorts by its own events gets the item where it was dropped', async () => {
    await gstack.run('goto', `http://127.0.0.1:${server.address().port}/`);
    const order = () => gstack.run('js', "[...document.querySelectorAll('#list li')].map((item) => item.textContent) + ''");
    assert.equal(await gstack.run('drag', '#i1', '#i3'), 'Dragged #i1 onto #i3');
    assert.equal(await order(), 'Two,Three,One,Four');
    assert.equal(await gstack.run('drag', '#i4', '#i2'), 'Dragged #i4 onto #i2');
    assert.equal(await order(), 'Four,Two,Three,One');
  });
});
