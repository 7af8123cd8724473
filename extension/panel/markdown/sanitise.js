/**
 * HTML from `markdown.render` as nodes, by an allow-list. Owns what may stand in an answer.
 *
 * The renderer in the daemon lets no raw HTML through; this holds even if it did. An answer is made of what
 * an agent read in pages that we do not trust.
 */

/** Elements that Markdown makes. Whatever is not here is left out with all that it holds, or unwrapped. */
// biome-ignore format: a list of words
export const ELEMENTS = [
  "p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "pre", "code", "em", "strong", "del",
  "a", "table", "thead", "tbody", "tr", "th", "td", "sup", "sub", "input",
];
const ALLOWED = new Set(ELEMENTS);

/** Elements whose text is worth keeping without them. */
const UNWRAPPED = new Set(["div", "span", "b", "i", "u", "s", "section", "article", "kbd", "details", "summary"]);

/**
 * How pulldown-cmark says a column's side. Our policy refuses inline styles, even in an inert document, so it
 * becomes an attribute before anything is parsed. In text a `<` is escaped: only the renderer's own tags match.
 */
const ALIGNED_CELL = /<(t[hd]) style="text-align: (left|center|right)">/g;
const LANGUAGE = /^language-[\w+#.-]{1,32}$/;

/** Whether a link may be followed. Relative ones have no base here. @param {string} href */
export function safeHref(href) {
  return URL.canParse(href) && /^https?:$/.test(new URL(href).protocol);
}

/**
 * The attributes that an element keeps.
 * @param {string} name  the element's local name
 * @param {(attribute: string) => string | null} get
 * @returns {[string, string][]}
 */
export function keptAttributes(name, get) {
  /** @type {[string, string][]} */
  const kept = [];
  if (name === "a") {
    const href = get("href");
    if (href !== null && safeHref(href)) kept.push(["href", href], ["target", "_blank"], ["rel", "noreferrer"]);
  } else if (name === "code") {
    const language = (get("class") ?? "").split(/\s+/).find((each) => LANGUAGE.test(each));
    if (language) kept.push(["class", language]);
  } else if (name === "ol") {
    const start = get("start");
    if (start !== null && /^\d{1,9}$/.test(start)) kept.push(["start", start]);
  } else if (name === "th" || name === "td") {
    if (get("align") === "right") kept.push(["class", "num"]);
    else if (get("align") === "center") kept.push(["class", "middle"]);
  } else if (name === "input") {
    // A task list's box: seen, not used.
    kept.push(["type", "checkbox"], ["disabled", ""]);
    if (get("checked") !== null) kept.push(["checked", ""]);
  }
  return kept;
}

/**
 * Builds clean copies of nodes. Works on anything of the DOM's shape, so that tests need no browser.
 * @param {Iterable<Node>} nodes  from an inert document
 * @param {Pick<Document, "createElement" | "createTextNode">} make
 * @returns {Node[]}
 */
export function clean(nodes, make) {
  /** @type {Node[]} */
  const result = [];
  for (const node of nodes) {
    if (node.nodeType === 3) {
      result.push(make.createTextNode(node.textContent ?? ""));
    } else if (node.nodeType === 1) {
      const element = /** @type {Element} */ (node);
      const name = element.localName;
      // SVG and MathML have names of their own that HTML's list does not speak of.
      if (element.namespaceURI !== "http://www.w3.org/1999/xhtml") continue;
      if (ALLOWED.has(name) && !(name === "input" && element.getAttribute("type") !== "checkbox")) {
        const copy = make.createElement(name);
        for (const [attribute, value] of keptAttributes(name, (each) => element.getAttribute(each))) copy.setAttribute(attribute, value);
        copy.append(...clean(element.childNodes, make));
        result.push(copy);
      } else if (UNWRAPPED.has(name)) {
        result.push(...clean(element.childNodes, make));
      } else if (name === "img") {
        // No picture is loaded from the network: its words stand for it.
        result.push(make.createTextNode(element.getAttribute("alt") ?? ""));
      }
    }
  }
  return result;
}

/** Runs nothing and loads nothing. One for all blocks: making a document costs more than filling it. @type {Document | null} */
let inertDocument = null;

/**
 * Nodes for a block of HTML. Where Chrome's own sanitiser exists it goes first: it parses into an inert
 * fragment and drops all that could ever run; the allow-list above then decides in both cases.
 * @param {string} html
 * @returns {Node[]}
 */
export function nodesOf(html) {
  const plain = html.replace(ALIGNED_CELL, '<$1 align="$2">');
  const inert = (inertDocument ??= document.implementation.createHTMLDocument(""));
  if ("setHTML" in Element.prototype) {
    const sanitizer = {
      elements: [...ELEMENTS, ...UNWRAPPED, "img"],
      attributes: ["href", "class", "start", "align", "type", "checked", "alt"],
    };
    /** @type {any} */ (inert.body).setHTML(plain, { sanitizer });
    return clean(inert.body.childNodes, document);
  }
  return clean(new DOMParser().parseFromString(plain, "text/html").body.childNodes, document);
}
