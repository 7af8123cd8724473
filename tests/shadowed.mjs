/*
 * Fails for each access of an injected script to a member that a form's field, or a named element of a document, can
 * hide: `form.parentNode` may be a field. `src/browser/injected/members.js` is the way to those members. Run by
 * tests/run.sh types. Usage: node shadowed.mjs
 */
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from './extension/node_modules/typescript/lib/typescript.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = `${root}src/browser/injected`;
/* The interfaces whose members every element, document or shadow root has. */
const EVERY = new Set(
  ['Node', 'Element', 'HTMLElement', 'Document', 'ParentNode', 'ChildNode', 'NonDocumentTypeChildNode', 'EventTarget', 'ARIAMixin'].concat(
    ['GlobalEventHandlers', 'DocumentOrShadowRoot', 'Slottable', 'HTMLOrSVGElement', 'ElementContentEditable', 'Animatable', 'Tree'],
    ['ElementCSSInlineStyle', 'HTMLFormElement', 'NonElementParentNode', 'XPathEvaluatorBase', 'ShadowRoot', 'PopoverTargetAttributes'],
  ),
);
/* Members that the types give every element, and only fields, links, pictures and shadow roots have. */
const OF_SOME = new Set(
  (
    'control labels form formAction options selectedOptions currentSrc naturalWidth naturalHeight duration position ownerElement alt ' +
    'autocomplete checked controls data href indeterminate label multiple name open placeholder poster readOnly required selected ' +
    'scope size src text type value webkitdirectory select assignedNodes host'
  ).split(' '),
);
/* No object of ours has these: they are found where the types know nothing of the receiver too. */
const ONLY_OF_NODES = new Set(
  'nodeType parentNode parentElement childNodes localName shadowRoot assignedSlot getAttribute hasAttribute checkVisibility'.split(' '),
);

const { config } = ts.readConfigFile(`${folder}/jsconfig.json`, ts.sys.readFile);
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
const program = ts.createProgram(fileNames, options);
const checker = program.getTypeChecker();

/** Returns the name of the interface that declares a member, or null. */
function declaredIn(name) {
  const owner = checker.getSymbolAtLocation(name)?.declarations?.[0]?.parent;
  return owner && ts.isInterfaceDeclaration(owner) ? owner.name.text : null;
}

/** Returns true for `node.textContent = …`: a written member hides nothing from us, and only our own elements are written. */
const isWritten = (node) =>
  ts.isBinaryExpression(node.parent) && node.parent.left === node && node.parent.operatorToken.kind === ts.SyntaxKind.EqualsToken;

const found = [];
let files = 0;
for (const file of program.getSourceFiles()) {
  if (dirname(file.fileName) !== folder || file.isDeclarationFile || file.fileName.endsWith('/members.js')) continue;
  files += 1;
  const visit = (node) => {
    node.forEachChild(visit);
    if (!ts.isPropertyAccessExpression(node) || isWritten(node)) return;
    const name = node.name.text;
    const owner = declaredIn(node.name);
    const hidden = owner ? EVERY.has(owner) && !OF_SOME.has(name) : ONLY_OF_NODES.has(name) && node.expression.getText() !== 'dom';
    if (!hidden) return;
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${relative(root, file.fileName)}:${line + 1}: ${node.getText()}: use dom.${name}(…)`);
  };
  visit(file);
}
for (const line of found) console.error(line);
if (files < 40) console.error(`only ${files} scripts were checked`);
process.exitCode = found.length > 0 || files < 40 ? 1 : 0;
