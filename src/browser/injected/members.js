/*
 * The members of nodes, elements and documents, as the browser defines them.
 *
 * Owns the only way to them. A form has its fields as properties, and a document its named forms and pictures, whatever
 * their names are: `form.parentNode` may be a field. Each getter and method is read from its prototype once, where no
 * page can put anything. `tests/shadowed.mjs` rejects direct access in the other files.
 */

const dom = (() => {
  const { DOCUMENT_NODE, DOCUMENT_FRAGMENT_NODE } = Node;

  /** @param {object} prototype @param {PropertyKey} name @returns {PropertyDescriptor | undefined} */
  function described(prototype, name) {
    for (let /** @type {object | null} */ at = prototype; at; at = Object.getPrototypeOf(at)) {
      const found = Object.getOwnPropertyDescriptor(at, name);
      if (found) return found;
    }
    return undefined;
  }

  /**
   * Returns the reader of a property that all these nodes get from one prototype.
   * @template {object} T
   * @template {keyof T} K
   * @param {{ prototype: T }} owner
   * @param {K} name
   * @returns {(node: object) => T[K]}
   */
  function property({ prototype }, name) {
    const get = /** @type {() => T[K]} */ (described(prototype, name)?.get);
    return (node) => get.call(node);
  }

  /**
   * Returns the caller of a method that all these nodes get from one prototype.
   * @template {object} T
   * @template {keyof T} K
   * @param {{ prototype: T }} owner
   * @param {K} name
   * @returns {T[K] extends (...given: infer G) => infer R ? (node: object, ...given: G) => R : never}
   */
  function method({ prototype }, name) {
    const run = /** @type {(...given: unknown[]) => unknown} */ (described(prototype, name)?.value);
    return /** @type {any} */ ((/** @type {object} */ node, /** @type {unknown[]} */ ...given) => run.call(node, ...given));
  }

  const nodeType = property(Node, 'nodeType');
  const localName = property(Element, 'localName');

  /** @param {object} node */
  const ownerOf = (node) => {
    const type = nodeType(node);
    if (type === DOCUMENT_NODE) return Document.prototype;
    return type === DOCUMENT_FRAGMENT_NODE ? ShadowRoot.prototype : Element.prototype;
  };

  /**
   * Returns the caller of a method that documents, shadow roots and elements each define themselves.
   * @template {keyof ParentNode | keyof DocumentOrShadowRoot | keyof NonElementParentNode} K
   * @param {K} name
   * @returns {Tree[K] extends (...given: infer G) => infer R ? (node: object, ...given: G) => R : never}
   */
  function methodOfEach(name) {
    /** @param {object} prototype */
    const of = (prototype) => /** @type {((...given: unknown[]) => unknown) | undefined} */ (described(prototype, name)?.value);
    const [document, fragment, shadow, element] = [Document, DocumentFragment, ShadowRoot, Element].map(({ prototype }) => of(prototype));
    return /** @type {any} */ (
      (/** @type {object} */ node, /** @type {unknown[]} */ ...given) => {
        const type = nodeType(node);
        if (type === DOCUMENT_NODE) return document?.call(node, ...given);
        if (type !== DOCUMENT_FRAGMENT_NODE) return element?.call(node, ...given);
        return (node instanceof ShadowRoot ? shadow : fragment)?.call(node, ...given);
      }
    );
  }

  /**
   * Returns the reader of a property that documents, shadow roots and elements each define themselves.
   * @template {keyof Tree} K
   * @param {K} name
   * @returns {(node: object) => Tree[K]}
   */
  function propertyOfEach(name) {
    const owners = [Document, ShadowRoot, Element].map(
      ({ prototype }) => /** @type {[object, any]} */ ([prototype, described(prototype, name)?.get]),
    );
    const getters = new Map(owners);
    return (node) => getters.get(ownerOf(node))?.call(node);
  }

  /**
   * Returns the reader of a property that HTML elements, drawings and documents define. Only a form or a document can
   * hide it.
   * @template {keyof HTMLElement} K
   * @param {K} name
   * @returns {(node: object) => HTMLElement[K]}
   */
  function propertyOfHtml(name) {
    const get = /** @type {() => any} */ (described(HTMLElement.prototype, name)?.get);
    const ofDocument = /** @type {() => any} */ (described(Document.prototype, name)?.get);
    return (node) => {
      if (node instanceof HTMLFormElement) return get.call(node);
      return node instanceof Document ? ofDocument.call(node) : /** @type {any} */ (node)[name];
    };
  }

  /**
   * The same for a method.
   * @template {keyof HTMLElement} K
   * @param {K} name
   * @returns {HTMLElement[K] extends (...given: infer G) => infer R ? (node: object, ...given: G) => R : never}
   */
  function methodOfHtml(name) {
    const run = /** @type {any} */ (described(HTMLElement.prototype, name)?.value);
    return /** @type {any} */ (
      (/** @type {any} */ node, /** @type {unknown[]} */ ...given) =>
        node instanceof HTMLFormElement ? run.call(node, ...given) : node[name](...given)
    );
  }

  /* Not in every browser. An EditContext takes the text of an element that a script draws. */
  const editContextOf = /** @type {(() => TextModel | null) | undefined} */ (described(HTMLElement.prototype, 'editContext')?.get);
  const slotOfElement = property(Element, 'assignedSlot');
  const slotOfText = property(Text, 'assignedSlot');

  return Object.freeze({
    nodeType,
    localName,
    parentNode: property(Node, 'parentNode'),
    parentElement: property(Node, 'parentElement'),
    childNodes: property(Node, 'childNodes'),
    firstChild: property(Node, 'firstChild'),
    lastChild: property(Node, 'lastChild'),
    nextSibling: property(Node, 'nextSibling'),
    ownerDocument: property(Node, 'ownerDocument'),
    isConnected: property(Node, 'isConnected'),
    textContent: property(Node, 'textContent'),
    baseURI: property(Node, 'baseURI'),
    getRootNode: method(Node, 'getRootNode'),
    compareDocumentPosition: method(Node, 'compareDocumentPosition'),
    contains: method(Node, 'contains'),
    addEventListener: method(EventTarget, 'addEventListener'),
    dispatchEvent: method(EventTarget, 'dispatchEvent'),
    namespaceURI: property(Element, 'namespaceURI'),
    id: property(Element, 'id'),
    classList: property(Element, 'classList'),
    shadowRoot: property(Element, 'shadowRoot'),
    attributes: property(Element, 'attributes'),
    clientLeft: property(Element, 'clientLeft'),
    clientTop: property(Element, 'clientTop'),
    clientWidth: property(Element, 'clientWidth'),
    currentCSSZoom: property(Element, 'currentCSSZoom'),
    clientHeight: property(Element, 'clientHeight'),
    scrollLeft: property(Element, 'scrollLeft'),
    scrollTop: property(Element, 'scrollTop'),
    scrollWidth: property(Element, 'scrollWidth'),
    scrollHeight: property(Element, 'scrollHeight'),
    innerHTML: property(Element, 'innerHTML'),
    outerHTML: property(Element, 'outerHTML'),
    nextElementSibling: property(Element, 'nextElementSibling'),
    previousElementSibling: property(Element, 'previousElementSibling'),
    ariaLabelledByElements: property(Element, 'ariaLabelledByElements'),
    ariaOwnsElements: property(Element, 'ariaOwnsElements'),
    animate: method(Element, 'animate'),
    getAttribute: method(Element, 'getAttribute'),
    hasAttribute: method(Element, 'hasAttribute'),
    hasAttributes: method(Element, 'hasAttributes'),
    setAttribute: method(Element, 'setAttribute'),
    removeAttribute: method(Element, 'removeAttribute'),
    closest: method(Element, 'closest'),
    matches: method(Element, 'matches'),
    getElementsByTagName: method(Element, 'getElementsByTagName'),
    getBoundingClientRect: method(Element, 'getBoundingClientRect'),
    getClientRects: method(Element, 'getClientRects'),
    checkVisibility: method(Element, 'checkVisibility'),
    scrollBy: /** @type {(node: object, to: ScrollToOptions) => void} */ (method(Element, 'scrollBy')),
    scrollTo: /** @type {(node: object, to: ScrollToOptions) => void} */ (method(Element, 'scrollTo')),
    scrollIntoView: method(Element, 'scrollIntoView'),
    remove: method(Element, 'remove'),
    attachShadow: method(Element, 'attachShadow'),
    children: propertyOfEach('children'),
    firstElementChild: propertyOfEach('firstElementChild'),
    activeElement: propertyOfEach('activeElement'),
    adoptedStyleSheets: propertyOfEach('adoptedStyleSheets'),
    styleSheets: propertyOfEach('styleSheets'),
    querySelector: methodOfEach('querySelector'),
    querySelectorAll: methodOfEach('querySelectorAll'),
    getElementById: methodOfEach('getElementById'),
    elementFromPoint: methodOfEach('elementFromPoint'),
    elementsFromPoint: methodOfEach('elementsFromPoint'),
    append: methodOfEach('append'),
    replaceChildren: methodOfEach('replaceChildren'),
    style: propertyOfHtml('style'),
    innerText: propertyOfHtml('innerText'),
    isContentEditable: propertyOfHtml('isContentEditable'),
    tabIndex: propertyOfHtml('tabIndex'),
    inert: propertyOfHtml('inert'),
    title: propertyOfHtml('title'),
    lang: propertyOfHtml('lang'),
    popover: propertyOfHtml('popover'),
    offsetWidth: propertyOfHtml('offsetWidth'),
    offsetHeight: propertyOfHtml('offsetHeight'),
    focus: methodOfHtml('focus'),
    blur: methodOfHtml('blur'),
    showPopover: methodOfHtml('showPopover'),
    hidePopover: methodOfHtml('hidePopover'),
    /** @param {object} node */
    editContext: (node) => (editContextOf && node instanceof HTMLElement ? editContextOf.call(node) : null),
    elements: property(HTMLFormElement, 'elements'),
    checkValidity: method(HTMLFormElement, 'checkValidity'),
    requestSubmit: method(HTMLFormElement, 'requestSubmit'),
    body: property(Document, 'body'),
    documentElement: property(Document, 'documentElement'),
    scrollingElement: property(Document, 'scrollingElement'),
    doctype: property(Document, 'doctype'),
    defaultView: property(Document, 'defaultView'),
    readyState: property(Document, 'readyState'),
    contentType: property(Document, 'contentType'),
    createRange: method(Document, 'createRange'),
    createTreeWalker: method(Document, 'createTreeWalker'),
    evaluate: method(Document, 'evaluate'),
    execCommand: method(Document, 'execCommand'),
    getAnimations: method(Document, 'getAnimations'),
    hasFocus: method(Document, 'hasFocus'),
    createElement: /** @type {<K extends keyof HTMLElementTagNameMap>(node: Document, tag: K) => HTMLElementTagNameMap[K]} */ (
      /** @type {unknown} */ (method(Document, 'createElement'))
    ),
    importNode: /** @type {<N extends Node>(node: Document, copied: N, deep: boolean) => N} */ (
      /** @type {unknown} */ (method(Document, 'importNode'))
    ),
    /** @param {object} node An element or a text. @returns {HTMLSlotElement | null} */
    assignedSlot: (node) => (nodeType(node) === Node.ELEMENT_NODE ? slotOfElement(node) : node instanceof Text ? slotOfText(node) : null),
  });
})();
