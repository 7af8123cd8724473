/** The small part of the DOM that pure modules need in tests: nodes with names, attributes and children. */
const HTML = "http://www.w3.org/1999/xhtml";

export const text = (value) => ({ nodeType: 3, textContent: value });
export const comment = (value) => ({ nodeType: 8, textContent: value });

export function element(localName, attributes = {}, children = [], namespaceURI = HTML) {
  const held = new Map(Object.entries(attributes));
  const childNodes = [...children];
  return {
    nodeType: 1,
    localName,
    namespaceURI,
    childNodes,
    getAttribute: (name) => held.get(name) ?? null,
    setAttribute: (name, value) => held.set(name, value),
    append: (...nodes) => childNodes.push(...nodes),
    get textContent() {
      return childNodes.map((child) => child.textContent).join("");
    },
    get markup() {
      const inside = childNodes.map((child) => child.markup ?? child.textContent).join("");
      return `<${localName}${[...held].map(([name, value]) => ` ${name}="${value}"`).join("")}>${inside}</${localName}>`;
    },
  };
}

export const shimDocument = { createElement: (name) => element(name), createTextNode: text };
export const markup = (nodes) => nodes.map((node) => node.markup ?? node.textContent).join("");

/** `t` for modules that take it as an argument. */
export const t = (name, ...values) => [name, ...values].join(" ");
