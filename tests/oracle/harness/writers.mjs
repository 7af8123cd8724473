/*
 * Editors of rich text and of code as they are published: ProseMirror by TipTap, Lexical, Slate, Quill and CodeMirror 6.
 *
 * Owns the page. `held(name)` returns what each editor's model holds, not what it shows.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const oracle = fileURLToPath(new URL('..', import.meta.url));
const PACKAGES = [
  '@tiptap/core',
  '@tiptap/starter-kit',
  'lexical',
  '@lexical/rich-text',
  '@lexical/history',
  'slate',
  'slate-react',
  'quill',
  'codemirror6',
  'esbuild',
];
export const hasWriters = PACKAGES.every((name) => existsSync(path.join(oracle, 'node_modules', name)));

const SOURCE = `
  import { createElement as e } from 'react';
  import { createRoot } from 'react-dom/client';
  import { Editor } from '@tiptap/core';
  import StarterKit from '@tiptap/starter-kit';
  import { $getRoot, createEditor } from 'lexical';
  import { registerRichText } from '@lexical/rich-text';
  import { createEmptyHistoryState, registerHistory } from '@lexical/history';
  import { createEditor as createSlate, Node } from 'slate';
  import { Editable, Slate, withReact } from 'slate-react';
  import Quill from 'quill';
  import { basicSetup, EditorView } from 'codemirror6';

  const tiptap = new Editor({ element: document.querySelector('#tiptap'), extensions: [StarterKit], content: '<p>old</p>' });
  const lexical = createEditor({ namespace: 'test', onError: (error) => { throw error; } });
  lexical.setRootElement(document.querySelector('#lexical'));
  registerRichText(lexical);
  registerHistory(lexical, createEmptyHistoryState(), 300);
  const slate = withReact(createSlate());
  const first = [{ type: 'paragraph', children: [{ text: 'old' }] }];
  const editable = e(Editable, { 'aria-label': 'Slate' });
  createRoot(document.querySelector('#slate')).render(e(Slate, { editor: slate, initialValue: first }, editable));
  const quill = new Quill('#quill', { theme: 'snow' });
  quill.setText('old');
  const mirror = new EditorView({ doc: 'old', extensions: [basicSetup], parent: document.querySelector('#mirror') });
  const models = {
    tiptap: () => tiptap.getText({ blockSeparator: '\\n' }),
    lexical: () =>
      lexical.getEditorState().read(() => $getRoot().getChildren().map((one) => one.getTextContent()).join('\\n')),
    slate: () => slate.children.map((node) => Node.string(node)).join('\\n'),
    quill: () => quill.getText().replace(/\\n$/, ''),
    mirror: () => mirror.state.doc.toString(),
  };
  globalThis.held = (name) => models[name]();
  document.title = 'ready';
`;

export const WRITERS = `<!doctype html><title>Writers</title><meta charset="utf-8">
<link rel="stylesheet" href="/quill/dist/quill.snow.css">
<style>#mirror, #lexical { height: 120px } .cm-editor { height: 100% } #lexical { border: 1px solid; overflow: auto }</style>
<div id="tiptap"></div><div id="lexical" contenteditable aria-label="Lexical" style="white-space: pre-wrap"></div><div id="slate"></div>
<div id="quill"></div><div id="mirror"></div>
<script src="/writers.js"></script>`;

/** Returns the page's script. */
export async function writersScript() {
  const { build } = await import('esbuild');
  const built = await build({
    stdin: { contents: SOURCE, resolveDir: oracle },
    bundle: true,
    write: false,
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
  return built.outputFiles[0].text;
}
