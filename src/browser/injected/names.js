/*
 * The accessible name of an element, by accname 1.2 with HTML-AAM's native sources.
 *
 * Owns `nameOf`. A name is cut at NAME_LIMIT, which also limits the cost of computing one name.
 */

const NAME_LIMIT = 300;

/* Roles that are named by their content. */
const NAMED_BY_CONTENT = new Set(
  (
    'button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row rowheader switch ' +
    'tab tooltip treeitem'
  ).split(' '),
);

/* Roles that must not be named (ARIA 1.2, section 5.2.8.6). */
const UNNAMED = new Set(
  'caption code definition deletion emphasis generic insertion mark none paragraph strong subscript suggestion superscript term time'.split(
    ' ',
  ),
);

const LABELABLE = new Set(['input', 'button', 'select', 'textarea', 'meter', 'output', 'progress']);
const BUTTON_INPUTS = new Set(['button', 'submit', 'reset']);
const BLOCK_DISPLAY = /^(block|flex|grid|table|list-item|flow-root|inline-block|inline-flex|inline-grid|inline-table|table-)/;

/**
 * `fromContent`: the name is the element's own text, which then needs no second line.
 * @param {Element} element
 * @param {string} role
 */
function nameOf(element, role) {
  const given = nameWithSource(element, role);
  return given.name;
}

/** @param {Element} element @param {string} role */
function nameWithSource(element, role) {
  /** @type {NameRun} */
  const run = { visited: new Set(), length: 0 };
  const byAria = role === 'none' ? '' : labelledBy(element, run) || ariaLabel(element);
  if (byAria) return { name: finish(byAria), fromContent: false };
  if (role === 'none' || UNNAMED.has(role)) return { name: '', fromContent: false };
  const byMarkup = nativeName(element, run) || replacedText(element);
  if (byMarkup) return { name: finish(byMarkup), fromContent: false };
  if (NAMED_BY_CONTENT.has(role) && !isValueControl(element)) {
    run.visited.add(element);
    run.withoutGroups = role === 'treeitem';
    const text = squeeze(contentText(element, run));
    if (text) return { name: finish(text), fromContent: true };
  }
  return { name: finish(dom.getAttribute(element, 'title') || lastResort(element)), fromContent: false };
}

/** @param {string} text */
const finish = (text) => clip(squeeze(text), NAME_LIMIT);

/** @param {Element} element */
const ariaLabel = (element) => squeeze(ariaOf(element, 'aria-label') ?? '');

/** @param {Element} element @param {NameRun} run @returns {string} */
function labelledBy(element, run) {
  const parts = [];
  for (const target of labellersOf(element)) {
    parts.push(squeeze(textOf(target, run, { referenced: true, follow: false })));
  }
  return parts.filter(Boolean).join(' ');
}

/** @param {Element} element */
const isValueControl = (element) => ['input', 'select', 'textarea'].includes(tagOf(element));

/** Returns the name from native HTML sources. @param {Element} element @param {NameRun} run @returns {string} */
function nativeName(element, run) {
  const tag = tagOf(element);
  if (tag === 'input') {
    if (BUTTON_INPUTS.has(element.type)) {
      const usual = dom.hasAttribute(element, 'value') ? '' : { submit: 'Submit', reset: 'Reset', button: '' }[element.type];
      return labelText(element, run) || squeeze(element.value) || usual || '';
    }
    if (element.type === 'image') {
      return labelText(element, run) || squeeze(element.alt) || squeeze(dom.title(element)) || 'Submit';
    }
    return labelText(element, run);
  }
  if (LABELABLE.has(tag) || internalsOf.has(element)) return labelText(element, run);
  switch (tag) {
    case 'img':
    case 'area':
      return squeeze(dom.getAttribute(element, 'alt') ?? '');
    case 'fieldset':
      return childText(element, 'legend', run);
    case 'table':
      return childText(element, 'caption', run);
    case 'figure':
      return childText(element, 'figcaption', run);
    case 'optgroup':
      return squeeze(element.label);
    case 'option':
      return squeeze(dom.getAttribute(element, 'label') ?? '');
    default:
      return isDrawn(element) ? childText(element, 'title', run) : '';
  }
}

/** Returns true for a part of an SVG drawing, or the whole: its `<title>` child names it. @param {Element} element */
const isDrawn = (element) => dom.namespaceURI(element) === 'http://www.w3.org/2000/svg';

/** Returns the last possible name source: a placeholder. @param {Element} element */
function lastResort(element) {
  const tag = tagOf(element);
  if (tag === 'input' || tag === 'textarea') {
    if (tag === 'input' && element.type === 'file') return 'Choose file';
    return dom.getAttribute(element, 'placeholder') || dom.getAttribute(element, 'aria-placeholder') || '';
  }
  return dom.getAttribute(element, 'aria-placeholder') ?? '';
}

/*
 * `<label for>` elements by the id of their control, one map per tree. `element.labels` walks the whole document for
 * each element (20,000 buttons took 26 s), so they are read once per pass; `beginPass` clears them.
 */
/** @type {Map<Tree, Map<string, HTMLLabelElement[]>>} */
let labelsByTree = new Map();
function beginPass() {
  labelsByTree = new Map();
  forgetOwned();
  forgetRare();
  forgetGenerated();
  endWalk();
}

/** @param {Element} element */
function labelsOf(element) {
  const root = dom.getRootNode(element);
  let byId = labelsByTree.get(root);
  if (!byId) {
    byId = new Map();
    for (const label of /** @type {Iterable<HTMLLabelElement>} */ (dom.querySelectorAll(root, 'label[for]') ?? [])) {
      const id = label.htmlFor;
      const known = byId.get(id);
      if (known) known.push(label);
      else byId.set(id, [label]);
    }
    labelsByTree.set(root, byId);
  }
  const labels = (dom.id(element) && byId.get(dom.id(element))?.filter((label) => label.control === element)) || [];
  const around = /** @type {HTMLLabelElement | null} */ (dom.closest(element, 'label'));
  if (!around || around.control !== element || labels.includes(around)) return labels;
  return [...labels, around].sort((a, b) => (dom.compareDocumentPosition(a, b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
}

/** Returns true unless a label or a caption is hidden: as in Chromium, it then names nothing. @param {Element} element */
const isRead = (element) => rendering(element) === SHOWN && dom.getAttribute(element, 'aria-hidden') !== 'true';

/** @param {Element} element @param {NameRun} run @returns {string} */
function labelText(element, run) {
  const parts = [];
  for (const label of labelsOf(element)) {
    if (isRead(label)) parts.push(squeeze(textOf(label, run, { referenced: true, follow: true, control: element })));
  }
  return parts.filter(Boolean).join(' ');
}

/** @param {Element} element @param {string} tag @param {NameRun} run @returns {string} */
function childText(element, tag, run) {
  for (const child of dom.children(element)) {
    if (tagOf(child) !== tag) continue;
    // The title of a drawing is never rendered.
    return tag === 'title' || isRead(child) ? squeeze(textOf(child, run, { referenced: true, follow: true })) : '';
  }
  return '';
}

/**
 * Returns the text alternative of an element within another's name (accname step 2 for a descendant or a reference).
 * `referenced`: it is read even if hidden; `control`: the control that is being named.
 * @param {Element} element
 * @param {NameRun} run
 * @param {{ referenced?: boolean; follow?: boolean; control?: Element | null; shown?: number }} [options]
 * @returns {string}
 */
function textOf(element, run, { referenced: isReferenced = false, follow = true, control = null, shown = rendering(element) } = {}) {
  if (run.visited.has(element) || run.length > NAME_LIMIT * 2) return '';
  run.visited.add(element);
  if (element === control) return '';
  const tag = tagOf(element);
  if (NEVER_SHOWN.has(tag) && !isReferenced && tag !== 'title') return '';
  if (isOwnHost(element)) return '';
  metShadowOf(element);
  const gone = shown === GONE || dom.getAttribute(element, 'aria-hidden') === 'true';
  if (gone && !isReferenced) return '';
  // A hidden element that is referenced is read completely.
  const hidden = isReferenced && (gone || shown !== SHOWN);

  if (follow && tag !== 'slot') {
    const label = labelledBy(element, run);
    if (label) return label;
  }
  const role = roleOf(element);
  // The items in a tree item's group are not part of its own name.
  if (run.withoutGroups && role === 'group') return '';
  // A control inside a label contributes its value.
  const value = embeddedValue(element, role);
  if (value !== null && element !== control && !(isReferenced && !control && !follow && isFormField(role))) {
    return value;
  }
  // A slot is not in the accessibility tree: only its content is.
  const label = role === 'none' || tag === 'slot' ? '' : ariaLabel(element);
  if (label) return label;
  if (role !== 'none') {
    const native = NAMES_ITSELF.has(tag) || isDrawn(element) ? nativeName(element, run) : '';
    if (native) return native;
  }
  if (isFormField(role) && !isReferenced) return '';
  const text = replacedText(element) || contentText(element, run, hidden, control);
  if (squeeze(text)) return text;
  return squeeze(dom.getAttribute(element, 'title') ?? '');
}

/* Elements that HTML names by something other than their text, wherever they are read. */
const NAMES_ITSELF = new Set(['img', 'area', 'input', 'fieldset', 'table', 'figure', 'optgroup', 'option']);

/** @param {string} role */
const isFormField = (role) =>
  ['textbox', 'searchbox', 'combobox', 'listbox', 'slider', 'spinbutton', 'scrollbar', 'progressbar', 'meter'].includes(role);

/**
 * Returns the value that a field contributes to the name around it, or null for other elements.
 * @param {Element} element
 * @param {string} role
 */
function embeddedValue(element, role) {
  switch (role) {
    case 'textbox':
    case 'searchbox':
      if (isPassword(element)) return '';
      return squeeze(element.value ?? dom.textContent(element) ?? '');
    case 'combobox':
    case 'listbox':
      return comboValue(element);
    case 'slider':
    case 'spinbutton':
    case 'scrollbar':
    case 'progressbar':
    case 'meter':
      return squeeze(
        dom.getAttribute(element, 'aria-valuetext') ?? dom.getAttribute(element, 'aria-valuenow') ?? String(element.value ?? ''),
      );
    default:
      return null;
  }
}

/** Returns an option's text as it is shown: with `appearance: base-select` it may have markup. @param {Element} option @returns {string} */
const optionText = (option) => (dom.firstElementChild(option) ? nameOf(option, 'option') : option.text);

/** @param {Element} element */
function comboValue(element) {
  if (tagOf(element) === 'select') return squeeze(Array.from(element.selectedOptions, optionText).join(' '));
  if (tagOf(element) === 'input') return squeeze(element.value);
  const chosen = dom.querySelectorAll(element, '[role=option][aria-selected=true]');
  if (chosen.length) return squeeze(Array.from(chosen, (option) => dom.textContent(option)).join(' '));
  return squeeze(dom.getAttribute(element, 'role') === 'combobox' ? (dom.textContent(element) ?? '') : '');
}

/**
 * Returns the text of an element's content, including generated content and owned elements.
 * @param {Element} element
 * @param {NameRun} run
 * @param {boolean} [hidden]
 * @param {Element | null} [control]
 * @returns {string}
 */
function contentText(element, run, hidden = false, control = null) {
  let text = pseudoText(element, '::before');
  /** @param {AnyNode} node */
  const add = (node) => {
    if (run.length > NAME_LIMIT * 2) return;
    if (dom.nodeType(node) === Node.TEXT_NODE) {
      text += node.data;
      run.length += node.data.length;
      return;
    }
    if (dom.nodeType(node) !== Node.ELEMENT_NODE) return;
    const tag = tagOf(node);
    if (tag === 'br') {
      text += ' ';
      return;
    }
    const shown = rendering(node);
    if (shown === UNSEEN && !hidden) {
      // Its descendants may be visible.
      for (const child of composedChildren(node)) if (dom.nodeType(child) === Node.ELEMENT_NODE) add(child);
      return;
    }
    const inner = textOf(node, run, { referenced: hidden, control, shown });
    if (!inner) return;
    text += INLINE.has(tag) && !isBlock(node) ? inner : ` ${inner} `;
  };
  const children = treeChildren(element);
  if (children) for (const child of children) add(/** @type {AnyNode} */ (child));
  else for (let child = dom.firstChild(element); child; child = dom.nextSibling(child)) add(/** @type {AnyNode} */ (child));
  return text + pseudoText(element, '::after');
}

/** @param {Element} element */
const isBlock = (element) => BLOCK_DISPLAY.test(getComputedStyle(element).display);

/**
 * Returns the text of `content`; an alternative after a slash takes precedence. Quotes, counters and images have no
 * text.
 * @param {Element} element
 * @param {string} which
 */
function pseudoText(element, which) {
  if (!mayGenerate(element)) return '';
  const style = getComputedStyle(element, which);
  const content = style.content;
  if (content === 'none' || content === 'normal' || !content.includes('"') || style.display === 'none' || style.visibility !== 'visible')
    return '';
  const parts = contentStrings(content);
  return style.display === 'inline' ? parts : ` ${parts} `;
}

/** Returns the text for a picture that replaces an element's content: `content: url(a.png) / "Words"`. @param {Element} element */
function replacedText(element) {
  if (!mayUse(element, 'content')) return '';
  const { content } = getComputedStyle(element);
  return content.startsWith('url(') || content.includes('image') ? squeeze(contentStrings(content)) : '';
}

/** @param {string} content */
function contentStrings(content) {
  let text = '';
  let at = 0;
  while (at < content.length) {
    const character = content[at];
    if (character === '"') {
      at += 1;
      while (at < content.length && content[at] !== '"') {
        if (content[at] === '\\') at += 1;
        text += content[at] ?? '';
        at += 1;
      }
    } else if (character === '/') {
      text = '';
    } else if (content.startsWith('url(', at)) {
      // An image separates words.
      text += ' ';
      at = content[at + 4] === '"' ? endOfString(content, at + 4) : at + 3;
      while (at < content.length && content[at] !== ')') at += 1;
    } else if (character === '(') {
      // The arguments of counter(), url() … are not text.
      while (at < content.length && content[at] !== ')') at += 1;
    }
    at += 1;
  }
  return text;
}

/** Returns the position of the quote that ends a string. @param {string} content @param {number} start */
function endOfString(content, start) {
  let at = start + 1;
  while (at < content.length && content[at] !== '"') at += content[at] === '\\' ? 2 : 1;
  return at;
}
