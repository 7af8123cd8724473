/*
 * Editors, lists, masked fields, sortable lists and custom elements as their authors published them: `fill` puts a text in
 * place of the old one, `select` chooses, `drag` lands on the place that was named, and each control has its role, its name
 * and its state.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DRAWN_LISTS, drawnListsScript, hasDrawnLists, PLAIN_LISTS } from './harness/drawn_lists.mjs';
import { Gstack } from './harness/gstack.mjs';
import { hasMaterial, MATERIAL, materialScript } from './harness/material.mjs';
import { hasWriters, WRITERS, writersScript } from './harness/writers.mjs';

const modules = fileURLToPath(new URL('node_modules', import.meta.url));
const wanted = ['codemirror', 'ace-builds', 'monaco-editor', 'sortablejs'];
const skip = wanted.every((name) => existsSync(path.join(modules, name))) ? false : 'the optional packages are not installed';
const components = ['@shoelace-style/shoelace', '@material/web', '@dnd-kit/dom'];
const skipComponents = components.every((name) => existsSync(path.join(modules, name))) ? false : 'the optional packages are not installed';
const hasFluent = existsSync(path.join(modules, '@fluentui/web-components'));
const skipMaterial = hasMaterial ? false : 'the optional packages are not installed';
const KINDS = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css', '.html': 'text/html' };

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

const IMPORTS = {
  lit: '/lit/index.js',
  'lit/': '/lit/',
  'lit-html': '/lit-html/lit-html.js',
  'lit-html/': '/lit-html/',
  'lit-element/': '/lit-element/',
  '@lit/reactive-element': '/@lit/reactive-element/reactive-element.js',
  '@lit/reactive-element/': '/@lit/reactive-element/',
  tslib: '/tslib/tslib.es6.mjs',
  '@preact/signals-core': '/@preact/signals-core/dist/signals-core.mjs',
  '@dnd-kit/abstract': '/@dnd-kit/abstract/index.js',
  '@dnd-kit/abstract/modifiers': '/@dnd-kit/abstract/modifiers.js',
  '@dnd-kit/collision': '/@dnd-kit/collision/dist/index.js',
  '@dnd-kit/dom': '/@dnd-kit/dom/index.js',
  '@dnd-kit/dom/sortable': '/@dnd-kit/dom/sortable.js',
  '@dnd-kit/dom/utilities': '/@dnd-kit/dom/utilities.js',
  '@dnd-kit/geometry': '/@dnd-kit/geometry/dist/index.mjs',
  '@dnd-kit/state': '/@dnd-kit/state/dist/index.mjs',
};
const COMPONENTS = `<!doctype html><title>Components</title><meta charset="utf-8">
<link rel="stylesheet" href="/@shoelace-style/shoelace/cdn/themes/light.css"><style>#kit li { height: 30px; width: 200px }</style>
<script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>
<section><sl-input label="Shoe name"></sl-input><sl-input label="Shoe day" type="date"></sl-input>
<sl-textarea label="Shoe notes"></sl-textarea>
<sl-checkbox>Shoe box</sl-checkbox><sl-switch>Shoe switch</sl-switch>
<sl-select label="Shoe size"><sl-option value="s">Small</sl-option><sl-option value="l">Large</sl-option></sl-select>
<sl-radio-group label="Shoe colour"><sl-radio value="r">Red</sl-radio><sl-radio value="b">Blue</sl-radio></sl-radio-group>
<sl-range label="Shoe width" min="0" max="10"></sl-range></section>
<section><md-filled-text-field label="Material name"></md-filled-text-field>
<md-outlined-text-field label="Material day" type="date"></md-outlined-text-field>
<md-checkbox aria-label="Material box"></md-checkbox><md-switch aria-label="Material switch"></md-switch>
<md-outlined-select label="Material size"><md-select-option value="s"><div slot="headline">Small</div></md-select-option>
<md-select-option value="l"><div slot="headline">Large</div></md-select-option></md-outlined-select>
<md-slider aria-label="Material slider" min="0" max="10"></md-slider></section>
<section><fluent-checkbox aria-label="Fluent box"></fluent-checkbox><fluent-switch aria-label="Fluent switch"></fluent-switch>
<fluent-text-input>Fluent name</fluent-text-input>
<fluent-tablist><fluent-tab id="t1">First tab</fluent-tab><fluent-tab id="t2">Second tab</fluent-tab></fluent-tablist></section>
<ul id="kit"><li id="k1">One<li id="k2">Two<li id="k3">Three</ul>
<script type="module">
  await import('/@shoelace-style/shoelace/cdn/shoelace.js');
  await import('/@material/web/all.js');
  if (${hasFluent}) await import('/@fluentui/web-components/dist/web-components.min.js');
  const { DragDropManager } = await import('@dnd-kit/dom');
  const { Sortable } = await import('@dnd-kit/dom/sortable');
  const manager = new DragDropManager();
  [...kit.children].forEach((element, index) => new Sortable({ id: element.id, index, element }, manager));
  globalThis.held = (at) => [...document.querySelectorAll('section')[at].children].map((one) =>
    one.checked ?? one.selected ?? one.activeid ?? one.value) + '';
  document.title = 'ready';
</script>`;

describe('published libraries', () => {
  let gstack, server;
  before(async () => {
    const pages = {
      '/': PAGE,
      '/components': COMPONENTS,
      '/material': MATERIAL,
      '/drawn-lists': DRAWN_LISTS,
      '/plain-lists': PLAIN_LISTS,
      '/writers': WRITERS,
      '/material.js': hasMaterial && (await materialScript()),
      '/drawn-lists.js': hasDrawnLists && (await drawnListsScript()),
      '/writers.js': hasWriters && (await writersScript()),
    };
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url, 'http://localhost');
      const file = path.join(modules, path.normalize(pathname));
      const page = pages[pathname];
      const found = page === undefined && existsSync(file);
      response.writeHead(found || page ? 200 : 404, { 'content-type': KINDS[path.extname(file)] ?? 'text/html' });
      response.end(found ? readFileSync(file) : page);
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
    test(`code editors get a text in place of the old one, ${name}`, { skip }, async () => {
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

  test('a list that sorts by its own events gets the item where it was dropped', { skip }, async () => {
    await gstack.run('goto', `http://127.0.0.1:${server.address().port}/`);
    const order = () => gstack.run('js', "[...document.querySelectorAll('#list li')].map((item) => item.textContent) + ''");
    assert.equal(await gstack.run('drag', '#i1', '#i3'), 'Dragged #i1 onto #i3');
    assert.equal(await order(), 'Two,Three,One,Four');
    assert.equal(await gstack.run('drag', '#i4', '#i2'), 'Dragged #i4 onto #i2');
    assert.equal(await order(), 'Four,Two,Three,One');
  });

  test('custom elements are listed with role, name and state, filled, checked and chosen from', { skip: skipComponents }, async () => {
    await gstack.run('goto', `http://127.0.0.1:${server.address().port}/components`);
    await gstack.run('wait', '--fn', "document.title === 'ready'");
    const snapshot = await gstack.run('snapshot', '-i');
    for (const [at, kinds, held, filled] of [
      [0, 'Shoe', 'Ada,2026-01-02,a b,true,true,l,b,7', { day: 'textbox', width: 'slider', notes: 'textbox', Blue: 'radio' }],
      [1, 'Material', 'Ada,2026-01-02,true,true,l,7', { day: 'textbox', slider: 'slider' }],
      [2, 'Fluent', 'true,true,Ada,t2', {}],
    ]) {
      if (kinds === 'Fluent' && !hasFluent) continue;
      const named = (role, name) => {
        assert.ok(snapshot.includes(`[${role}] "${name}"`), `${role} ${name}: ${snapshot}`);
        return `role=${role}[name="${name}"]`;
      };
      await gstack.run('fill', named('textbox', `${kinds} name`), 'Ada');
      for (const [name, role] of Object.entries(filled)) {
        if (role === 'radio') await gstack.run('check', named(role, name));
        else await gstack.run('fill', named(role, `${kinds} ${name}`), { day: '2026-01-02', notes: 'a b' }[name] ?? '7');
      }
      await gstack.run('check', named('checkbox', `${kinds} box`));
      await gstack.run('check', named('switch', `${kinds} switch`));
      if (kinds === 'Fluent') await gstack.run('click', named('tab', 'Second tab'));
      else await gstack.run('select', named('combobox', `${kinds} size`), 'Large');
      assert.equal(await gstack.run('js', `held(${at})`), held, kinds);
    }
    const after = await gstack.run('snapshot', '-i');
    for (const name of ['Shoe box', 'Material box', ...(hasFluent ? ['Fluent box'] : [])])
      assert.match(after, new RegExp(`\\[checkbox\\] "${name}" \\[checked`), name);
  });

  test('Material UI holds what was filled in, chosen and set', { skip: skipMaterial }, async () => {
    await gstack.run('goto', `http://127.0.0.1:${server.address().port}/material`);
    const controls = await gstack.run('snapshot', '-i');
    for (const line of ['[group] "Day"', '[spinbutton] "Month": May', '[combobox] "Size"', '[slider] "Volume": 30', '[radio] "blue"']) {
      assert.ok(controls.includes(line), `${line}: ${controls}`);
    }
    const part = (group, name) => `role=group[name="${group}"] >> role=spinbutton[name="${name}"]`;
    for (const [field, value] of [
      ['label=Name', 'Ada'],
      ['label=Notes', 'one\ntwo'],
      ['label=Plain day', '2026-01-02'],
      [part('Day', 'Month'), '01'],
      [part('Day', 'Day'), '02'],
      [part('Day', 'Year'), '2026'],
      [part('Start', 'Day'), '07'],
      [part('Start', 'Month'), '08'],
      [part('At', 'Hours'), '14'],
      [part('At', 'Minutes'), '30'],
      ['role=slider[name="Volume"]', '70'],
      ['role=slider[name="To"]', '90'],
    ]) {
      assert.equal(await gstack.run('fill', field, value), `Filled ${field}`);
    }
    const whole = await gstack.ask('fill', 'role=group[name="Day"]', '01/02/2026');
    assert.match(whole.error, /its parts are filled one by one: Month, Day, Year/);
    for (const [list, ...options] of [
      ['Size', 'Large'],
      ['Toppings', 'Ham', 'Tuna'],
      ['City', 'Bern'],
      ['Tags', 'Bern', 'Rome'],
    ]) {
      await gstack.run('select', `role=combobox[name="${list}"]`, ...options);
    }
    for (const label of ['Agree', 'Loud', 'blue', '"4 Stars"']) await gstack.run('check', `label=${label}`);
    await gstack.run('click', 'role=tab[name="Second"]');
    await gstack.run('click', 'role=group[name="When"] >> role=button');
    await gstack.run('click', 'role=gridcell[name="15"]');
    const { when, ...rest } = await gstack.js('held()');
    assert.match(when, /-15 /);
    assert.deepEqual(rest, {
      name: 'Ada',
      notes: 'one\ntwo',
      plain: '2026-01-02',
      day: '2026-01-02',
      start: '2025-08-07',
      at: '14:30',
      size: 'l',
      toppings: ['Ham', 'Tuna'],
      city: 'Bern',
      tags: ['Bern', 'Rome'],
      volume: 70,
      range: [20, 90],
      agree: true,
      loud: true,
      colour: 'blue',
      stars: 4,
      tab: 1,
    });
  });

  test('a sortable of dnd-kit gets the item where it was dropped', { skip: skipComponents }, async () => {
    await gstack.run('goto', `http://127.0.0.1:${server.address().port}/components`);
    await gstack.run('wait', '--fn', "document.title === 'ready'");
    assert.equal(await gstack.run('drag', '#k1', '#k3'), 'Dragged #k1 onto #k3');
    await gstack.run('wait', '--fn', "kit.textContent === 'TwoThreeOne'");
  });

  const lines = (count) => Array.from({ length: count }, (_, at) => `  line ${at} of "many" {x}`).join('\n');

  test('20,000 lines are put into a code editor', { skip }, async () => {
    await gstack.run('goto', `http://127.0.0.1:${server.address().port}/`);
    await gstack.run('wait', '--fn', "document.title === 'ready'");
    await gstack.js(`globalThis.long = ${JSON.stringify(lines(20_000))}, 0`);
    for (const [selector, editor] of [
      ['#mirror .CodeMirror', 'mirror'],
      ['#ace', 'ace'],
      ['#context .monaco-editor', 'context'],
      ['#area textarea', 'area'],
    ]) {
      assert.equal(await gstack.run('fill', selector, lines(20_000)), `Filled ${selector}`);
      assert.equal(await gstack.run('js', `editors.${editor}.getValue() === long`), 'true', selector);
    }
  });

  test('editors of rich text hold what was filled in and typed', { skip: hasWriters ? false : 'not installed' }, async () => {
    await gstack.run('goto', `http://127.0.0.1:${server.address().port}/writers`);
    await gstack.run('wait', '--fn', "document.title === 'ready'");
    for (const [name, selector, many] of [
      ['tiptap', '#tiptap [contenteditable]', 500],
      ['lexical', '#lexical', 500],
      ['slate', '#slate [contenteditable]', 500],
      ['quill', '#quill [contenteditable]', 500],
      ['mirror', '#mirror .cm-content', 20_000],
    ]) {
      const held = () => gstack.js(`held('${name}')`);
      assert.equal(await gstack.run('fill', selector, 'Hello there\nsecond  line\n\nfourth'), `Filled ${selector}`);
      assert.equal(await held(), 'Hello there\nsecond  line\n\nfourth', name);
      await gstack.run('type', ' more', '--into', selector);
      assert.equal(await held(), 'Hello there\nsecond  line\n\nfourth more', name);
      await gstack.run('clear', selector);
      assert.equal(await held(), '', name);
      assert.equal(await gstack.run('fill', selector, lines(many)), `Filled ${selector}`);
      assert.ok((await held()) === lines(many), `${name}: ${many} lines`);
    }
  });

  test('lists that libraries draw hold what was chosen', { skip: hasDrawnLists ? false : 'not installed' }, async () => {
    await gstack.run('goto', `http://127.0.0.1:${server.address().port}/drawn-lists`);
    await gstack.run('wait', '--fn', "document.title === 'ready'");
    const named = (name) => `role=combobox[name="${name}"]`;
    for (const name of ['RS one', 'RS made', 'RS late', 'DS combo', 'DS select', 'HU combo', 'RX select', 'AD one', 'AD search']) {
      await gstack.run('select', named(name), 'York');
    }
    for (const name of ['AD auto', 'VT one', 'VT auto']) await gstack.run('select', named(name), 'York');
    for (const name of ['AD long', 'AD scrolled']) await gstack.run('select', named(name), 'Item 250');
    await gstack.run('select', 'role=button[name^="HU list"]', 'York');
    for (const list of ['RS many', 'AD many', 'VT many'].map(named).concat('role=button[name^="HU many"]')) {
      assert.equal(await gstack.run('select', list, 'York', 'Bern'), `Selected "York", "Bern" in ${list}`);
    }
    assert.equal(await gstack.run('fill', 'role=spinbutton[name="AD number"]', '7'), 'Filled role=spinbutton[name="AD number"]');
    const none = await gstack.ask('select', named('RS late'), 'Oslo');
    assert.match(none.error, /no option with the name "Oslo" appeared/);
    assert.deepEqual(await gstack.js('held()'), {
      reactSelect: 'york',
      reactSelectMany: ['york', 'bern'],
      reactSelectMade: 'york',
      reactSelectLate: 'york',
      downshiftCombo: 'York',
      downshiftSelect: 'York',
      headlessCombo: 'York',
      headlessList: 'York',
      headlessMany: ['York', 'Bern'],
      radix: 'York',
      antOne: 'york',
      antSearch: 'york',
      antMany: ['york', 'bern'],
      antLong: 250,
      antScrolled: 250,
      antAuto: 'york',
      antDay: null,
      antNumber: 7,
      vuetifyOne: 'York',
      vuetifyMany: ['York', 'Bern'],
      vuetifyAuto: 'York',
    });
  });

  test('lists and masks of plain scripts hold what was chosen and filled in', {
    skip: hasDrawnLists ? false : 'not installed',
  }, async () => {
    await gstack.run('goto', `http://127.0.0.1:${server.address().port}/plain-lists`);
    await gstack.run('wait', '--fn', "document.title === 'ready'");
    for (const [list, ...options] of [
      ['#tom-ts-control', 'York'],
      ['#toms-ts-control', 'York', 'Bern'],
      ['#two', 'Paris'],
      ['#twos', 'Rome', 'Bern'],
    ]) {
      await gstack.run('select', list, ...options);
    }
    // They read their <select> only once.
    for (const list of ['#tom', '#choice']) {
      assert.match((await gstack.ask('select', list, 'Rome')).error, /the list that the page shows in its place does not follow/);
    }
    await gstack.run('fill', '#tags-ts-control', 'York');
    await gstack.run('press', 'Enter');
    for (const [field, value, shown] of [
      ['#day', '2026-01-02', '2026-01-02'],
      ['#phone', '2125551234', '+1 (212) 555-1234'],
      ['#phone', '+1 (310) 555-9999', '+1 (310) 555-9999'],
      ['#amount', '1234.5', '1,234.5'],
      ['#date', '03/04/2027', '03/04/2027'],
      ['#date', '05/06/2028', '05/06/2028'],
    ]) {
      const said = await gstack.run('fill', field, value);
      const changed = shown === value ? '' : `; the page changed the text to "${shown}"`;
      assert.equal(said.split('\n')[0], `Filled ${field}${changed}`);
    }
    assert.deepEqual(await gstack.js('held()'), {
      tom: 'york',
      toms: 'york,bern',
      tags: 'York',
      two: 'paris',
      twos: 'bern,rome',
      day: '2026-01-02',
      phone: '13105559999',
      amount: 1234.5,
      date: '05062028',
    });
  });
});
