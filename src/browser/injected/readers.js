/*
 * Reads a page as text, lists and states.
 *
 * Owns the output formats of the reading commands. Never changes the page; `secrets` decides what is secret.
 */

const NOT_READ = new Set([...NEVER_SHOWN, 'textarea', 'select', 'iframe', 'frame', 'object', 'video', 'audio', 'canvas']);

/**
 * Returns the visible text: one line per block, trimmed, without empty lines. `marks`: text that the user cannot see is
 * marked as `[hidden text: …]`.
 * @param {Element} [root]
 * @param {boolean} [marks]
 */
function readText(root = dom.body(document), marks = false) {
  if (!root) return '';
  if (marks) return walkText(root, new Sight());
  const content = dom.textContent(root) ?? '';
  return (content.length < SHORT_TEXT ? null : engineText(root, content)) ?? walkText(root, null);
}

/**
 * Like `readText`, by a walk over the elements. sight: if given, marks the text that it finds hidden.
 * @param {Element} root
 * @param {Sight | null} sight
 */
function walkText(root, sight) {
  /** @type {string[]} */
  const out = [];
  let run = '';
  const close = () => {
    if (!run) return;
    for (const line of run.includes('\n') ? run.split('\n') : [run]) {
      const text = squeeze(line);
      if (text) out.push(text);
    }
    run = '';
  };
  /** @param {Element} element */
  const visit = (element) => {
    const tag = tagOf(element);
    if (NOT_READ.has(tag) || isOwnHost(element)) return;
    if (tag === 'br') return close();
    const shown = rendering(element);
    if (shown === GONE) return undefined;
    const style = getComputedStyle(element);
    const { display } = style;
    const cell = display === 'table-cell';
    const block = !cell && display !== 'inline' && display !== 'contents' && !display.startsWith('inline') && !display.startsWith('ruby');
    if (block) close();
    if (cell && run && !/\s$/.test(run)) run += ' ';
    const showsText = shown === SHOWN && !skipsContent(element, style);
    let keepsLines;
    for (const child of composedChildren(element)) {
      if (dom.nodeType(child) === Node.TEXT_NODE) {
        if (!showsText) continue;
        let text = child.data;
        if (text.includes('\n') && !(keepsLines ??= keepsLineBreaks(style))) text = text.replaceAll('\n', ' ');
        run += sight ? sight.marked(element, text) : text;
      } else if (dom.nodeType(child) === Node.ELEMENT_NODE) visit(child);
    }
    if (block) close();
    return undefined;
  };
  visit(root);
  close();
  return out.join('\n');
}

/** @param {CSSStyleDeclaration} style */
const keepsLineBreaks = (style) =>
  style.whiteSpaceCollapse === 'preserve' || style.whiteSpaceCollapse === 'preserve-breaks' || style.whiteSpace.startsWith('pre');

/**
 * Returns true if an element has a box but its content is not drawn. Its child elements detect that by themselves.
 * @param {Element} element
 * @param {CSSStyleDeclaration} style
 */
const skipsContent = (element, style) => style.contentVisibility === 'hidden' || (tagOf(element) === 'details' && !element.open);

/* Every link that has a text or a name: [{text, href}] */
function readLinks() {
  beginPass();
  /** @type {{ text: string; href: string }[]} */
  const links = [];
  eachElement((/** @type {Element} */ element) => {
    if ((tagOf(element) !== 'a' && tagOf(element) !== 'area') || !dom.hasAttribute(element, 'href') || composedClosest(element, isOwnHost))
      return;
    const text = squeeze(rawText(element)) || nameOf(element, 'link');
    if (text) links.push({ text, href: String(element.href?.baseVal ?? element.href) });
  });
  return links;
}

function readForms() {
  /** @type {HTMLFormElement[]} */
  const forms = [];
  eachElement((/** @type {Element} */ element) => {
    if (tagOf(element) === 'form' && !composedClosest(element, isOwnHost)) forms.push(/** @type {HTMLFormElement} */ (element));
  });
  /** @param {string | null} action */
  const destination = (action) => (action === null ? undefined : new URL(action, dom.baseURI(document)).href);
  return forms.map((form, index) => ({
    index,
    action: destination(dom.getAttribute(form, 'action')),
    method: (dom.getAttribute(form, 'method') || 'get').toLowerCase(),
    id: dom.id(form) || undefined,
    fields: Array.from(dom.elements(form))
      .filter((field) => tagOf(field) !== 'fieldset' && tagOf(field) !== 'output')
      .map(readField),
  }));
}

/** @param {Element} field */
function readField(field) {
  const tag = tagOf(field);
  const value = readableValue(field) || undefined;
  /** @type {{ [name: string]: unknown }} */
  const read = {
    tag,
    type: field.type || undefined,
    name: field.name || undefined,
    id: dom.id(field) || undefined,
    placeholder: field.placeholder || undefined,
    required: field.required || undefined,
    value,
  };
  if (field.type === 'checkbox' || field.type === 'radio') read.checked = field.checked;
  if (tag === 'select') read.options = Array.from(field.options, (option) => ({ value: option.value, text: squeeze(option.text) }));
  return read;
}

/* The doctype as written in the source, or ''. */
function readDoctype() {
  const type = dom.doctype(document);
  if (!type) return '';
  const ids = type.publicId
    ? ` PUBLIC "${type.publicId}"${type.systemId ? ` "${type.systemId}"` : ''}`
    : type.systemId
      ? ` SYSTEM "${type.systemId}"`
      : '';
  return `<!DOCTYPE ${type.name}${ids}>\n`;
}

/* The whole document, without our own host. */
function readDocument() {
  const root = dom.documentElement(document);
  const safe = withoutSecrets(root);
  if (!Array.from(dom.querySelectorAll(document, `[${OWN_HOST}]`)).some(isOwnHost)) return readDoctype() + dom.outerHTML(safe);
  const copy = safe === root ? inertCopy(root) : safe;
  for (const host of Array.from(dom.querySelectorAll(copy, `[${OWN_HOST}]`)).filter(isOwnHost)) dom.remove(host);
  return readDoctype() + dom.outerHTML(copy);
}

/** @param {Element} element */
function readAttributes(element) {
  /** @type {{ [name: string]: string }} */
  const attributes = {};
  const secret = secretAttribute(element);
  for (const { name, value } of dom.attributes(element)) attributes[name] = name === secret ? REDACTED : value;
  return attributes;
}

/** @type {Record<ElementState, (element: Element) => boolean>} */
const STATES = {
  visible: isVisible,
  hidden: (/** @type {Element} */ element) => !isVisible(element),
  enabled: (/** @type {Element} */ element) => !isDisabled(element),
  disabled: isDisabled,
  checked: (/** @type {Element} */ element) => checkedState(element, roleOf(element)) === 'true',
  editable: (/** @type {Element} */ element) => isEditable(element) && !isDisabled(element),
  focused: (/** @type {Element} */ element) => dom.activeElement(dom.getRootNode(element)) === element,
  password: (/** @type {Element} */ element) => isPassword(typedInto(element)),
};

/**
 * Reads one property of one element. what: 'text', 'html', 'attributes', 'css' (argument: property), 'is' (argument:
 * state), 'box', 'leads', 'description'. → {value} or resolveOne's fault
 * @param {Target} target
 * @param {ReadWhat} what
 * @param {any} argument
 * @returns {Refusal | { value: unknown }}
 */
function readElement(target, what, argument) {
  const resolved = resolveOne(target);
  if (!resolved.element) {
    // A missing element is a valid answer for these two states.
    if (what === 'is' && resolved.fault === 'missing' && (argument === 'hidden' || argument === 'visible'))
      return { value: argument === 'hidden' };
    return resolved;
  }
  const { element } = resolved;
  switch (what) {
    case 'text':
      return {
        value:
          isFormField(roleOf(element)) && valueOf(element, roleOf(element)) !== null
            ? valueOf(element, roleOf(element))
            : readText(element, argument === true),
      };
    case 'html':
      return { value: dom.innerHTML(withoutSecrets(element)) };
    case 'attributes':
      return { value: readAttributes(element) };
    case 'css':
      return { value: getComputedStyle(element).getPropertyValue(argument) };
    case 'description':
      return { value: describe(element) };
    case 'is':
      return { value: STATES[/** @type {ElementState} */ (argument)](element) };
    case 'leads':
      return { value: subjectOf(argument === 'click' ? element : typedInto(element), argument) };
    case 'box': {
      if (!isVisible(element)) return { fault: 'blocked', message: 'it is not visible', description: describe(element) };
      scrollIntoView(element);
      // With `display: contents` it has no box of its own.
      const { x, y, width, height } = drawnBox(element);
      return { value: { x, y, width, height } };
    }
    default:
      throw new Error(`no such read: ${what}`);
  }
}

/**
 * Waits until a selector matches something visible, for `wait`.
 * @param {Target} target
 * @param {number} timeout
 * @returns {Promise<Refusal | { ok: true }>}
 */
async function appears(target, timeout) {
  const deadline = performance.now() + timeout;
  for (;;) {
    if (target.number !== undefined) {
      const resolved = resolveOne(target);
      if (resolved.fault) return resolved;
      if (isVisible(resolved.element)) return { ok: true };
    } else {
      try {
        if (queryAll(target.selector ?? '').some(isVisible)) return { ok: true };
      } catch (error) {
        if (error instanceof SelectorError) return { fault: 'selector', message: error.message };
        throw error;
      }
    }
    if (performance.now() >= deadline) return { fault: 'missing', message: 'nothing visible matches' };
    await change(deadline);
  }
}

const nextTask = () =>
  new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = resolve;
    channel.port2.postMessage(null);
  });

/*
 * Links that save their target: no event of the page reports that one was followed, and the browser's own event comes
 * late.
 */
const SAVING_LINKS = 'a[download][href], area[download][href]';
/* An older click does not belong to the action that ends now. */
const SAVING_MS = 10_000;
const MOST_SAVING = 20;
/** @type {Event[]} */
let savingClicks = [];
listenLastingly(
  'click',
  (/** @type {Event} */ event) => {
    const link = composedClosest(innerTarget(event), (/** @type {Element} */ at) => dom.matches(at, SAVING_LINKS));
    if (link && savesWhatItLeadsTo(link.href) && savingClicks.length < MOST_SAVING) savingClicks.push(event);
  },
  { capture: true },
);

/** Returns false for another origin: the browser then shows the target instead of saving it. @param {string} href */
function savesWhatItLeadsTo(href) {
  const url = URL.parse(href);
  return url !== null && (url.origin === globalThis.origin || url.protocol === 'blob:' || url.protocol === 'data:');
}

/* Returns true if such a link was followed since the last call. */
function tookSavingClicks() {
  const clicks = savingClicks;
  savingClicks = [];
  return clicks.some((event) => !event.defaultPrevented && performance.now() - event.timeStamp < SAVING_MS);
}

/* Whether the document received real input since the last action. A prompt of the browser in front of the page takes all of it. */
let hasInput = false;
for (const type of ['keydown', 'keyup', 'mousedown', 'mouseup', 'mousemove', 'pointerdown']) {
  const noteInput = (/** @type {Event} */ event) => {
    hasInput ||= event.isTrusted;
  };
  listenLastingly(type, noteInput, { capture: true, passive: true });
}

/** Returns true if the document received none of an action's input, although no list of the browser and no frame took its keys. */
function missedInput() {
  const focused = focusedElement();
  const goesElsewhere = focused !== null && HOLDERS.has(tagOf(focused));
  const missed = !hasInput && !goesElsewhere && !dom.querySelector(document, 'select:open, input:open');
  hasInput = false;
  return missed;
}

/*
 * Resolves when the handlers of an input have run, and their zero-delay tasks. Does not wait for a frame: a hidden page
 * draws none.
 */
async function settled() {
  await nextTask();
  await new Promise((resolve) => {
    setTimeout(resolve);
  });
  await nextTask();
  // True as soon as a script has closed the window; the browser removes the tab a moment later.
  return {
    url: location.href,
    readyState: dom.readyState(document),
    closes: window.closed,
    saves: tookSavingClicks(),
    missed: missedInput(),
  };
}

/**
 * Calls a function of the surface that ends an action; unless it refuses, waits until the handlers of that action have
 * run. → {value, settled?}
 * @param {InjectedFunction} name
 * @param {unknown[]} given
 */
async function thenSettled(name, ...given) {
  const value = /** @type {Partial<Refusal> & { verdict?: string } | null} */ (await SURFACE[name](...given));
  const isDone = value !== null && !('fault' in value) && (!('verdict' in value) || value.verdict === 'hit');
  return isDone ? { value, settled: await settled() } : { value };
}
