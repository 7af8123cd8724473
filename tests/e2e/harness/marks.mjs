/*
 * The marks that gstack draws over a page for the person, observed from outside: through the debugger, because their
 * root is closed.
 */
import { until } from './wait.mjs';

/** An expression for the visible elements of a document. */
export const visible = (selector) => `[...document.querySelectorAll(${JSON.stringify(selector)})].filter((one) => one.checkVisibility())`;

/** Returns the content of our closed root, read by the debugger: a map from class to text. */
export async function drawn(page) {
  const { root } = await page.send('DOM.getDocument', { depth: -1, pierce: true });
  const found = [];
  const walk = (node, ours) => {
    // [name, value, name, value, …]
    const words = node.attributes ?? [];
    const attributes = Object.fromEntries(words.flatMap((word, at) => (at % 2 ? [] : [[word, words[at + 1]]])));
    const inside = ours || 'data-gstack' in attributes;
    if (ours && attributes.class !== undefined)
      found.push({ nodeId: node.nodeId, names: attributes.class.split(' '), style: attributes.style ?? '', text: textOf(node) });
    for (const child of [...(node.shadowRoots ?? []), ...(node.children ?? [])]) walk(child, inside);
    if (node.contentDocument) walk(node.contentDocument, false);
  };
  walk(root, false);
  return found;
}

const textOf = (node) => node.nodeValue || (node.children ?? []).map(textOf).join('');

/** Waits until an element of that class with that text is visible. */
export function seen(page, name, words = '') {
  return until(
    async () => (await drawn(page)).find((one) => one.names.includes(name) && !one.names.includes('is-idle') && one.text.includes(words)),
    `${name} with ${JSON.stringify(words)} in the page`,
  );
}
