/*
 * The role of an element, by HTML-AAM 1.0 and ARIA 1.2.
 *
 * Owns `roleOf`. Never computes names. It differs from HTML-AAM on purpose: `summary` is a button and an editable
 * region without a role is a textbox, because that is how users operate them.
 */

const KNOWN_ROLES = new Set(
  (
    'alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox complementary ' +
    'contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell group heading img image ' +
    'insertion link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter ' +
    'navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search ' +
    'searchbox separator slider spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel term ' +
    'textbox time timer toolbar tooltip tree treegrid treeitem'
  ).split(' '),
);

const INTERACTIVE = new Set(
  (
    'button link textbox checkbox radio combobox listbox menuitem menuitemcheckbox menuitemradio option searchbox slider ' +
    'spinbutton switch tab treeitem'
  ).split(' '),
);

/* Roles that only group: without a name and their own text they carry little information. */
const STRUCTURAL = new Set(
  (
    'generic group list listitem paragraph table row rowgroup cell gridcell grid region article section main navigation complementary ' +
    'banner contentinfo form figure blockquote document application none tabpanel directory caption term definition menu menubar ' +
    'toolbar tablist tree treegrid radiogroup feed search'
  ).split(' '),
);

/* Roles whose descendants are part of the control itself. */
const LEAF_ROLES = new Set(
  'button checkbox img math menuitemcheckbox menuitemradio meter option progressbar radio scrollbar separator slider switch tab'.split(' '),
);

/* Inline roles: their text belongs to the text around them. */
const PHRASES = new Set('strong emphasis subscript superscript insertion deletion mark code time'.split(' '));

/* Global ARIA attributes: any of them on an element overrides `role=presentation`. */
// biome-ignore format: a list of words
const GLOBAL_ARIA = [
  'aria-atomic', 'aria-busy', 'aria-controls', 'aria-current', 'aria-describedby', 'aria-description', 'aria-details', 'aria-dropeffect',
  'aria-flowto', 'aria-grabbed', 'aria-keyshortcuts', 'aria-label', 'aria-labelledby', 'aria-live', 'aria-owns', 'aria-relevant',
  'aria-roledescription',
];

const SECTIONING =
  'article, aside, main, nav, section, [role=article], [role=complementary], [role=main], [role=navigation], [role=region]';

const NATIVE_ROLES = new Map(
  Object.entries({
    article: 'article',
    blockquote: 'blockquote',
    button: 'button',
    caption: 'caption',
    code: 'code',
    dd: 'definition',
    del: 'deletion',
    details: 'group',
    dfn: 'term',
    dialog: 'dialog',
    dt: 'term',
    em: 'emphasis',
    fieldset: 'group',
    figure: 'figure',
    form: 'form',
    h1: 'heading',
    h2: 'heading',
    h3: 'heading',
    h4: 'heading',
    h5: 'heading',
    h6: 'heading',
    hr: 'separator',
    ins: 'insertion',
    main: 'main',
    mark: 'mark',
    math: 'math',
    menu: 'list',
    meter: 'meter',
    nav: 'navigation',
    ol: 'list',
    optgroup: 'group',
    option: 'option',
    output: 'status',
    p: 'paragraph',
    progress: 'progressbar',
    s: 'deletion',
    search: 'search',
    strong: 'strong',
    sub: 'subscript',
    summary: 'button',
    sup: 'superscript',
    table: 'table',
    tbody: 'rowgroup',
    textarea: 'textbox',
    tfoot: 'rowgroup',
    thead: 'rowgroup',
    time: 'time',
    ul: 'list',
    address: 'group',
    hgroup: 'group',
    iframe: 'iframe',
    frame: 'iframe',
    video: 'video',
    audio: 'audio',
    canvas: 'canvas',
  }),
);

const INPUT_ROLES = new Map(
  Object.entries({
    button: 'button',
    checkbox: 'checkbox',
    color: 'textbox',
    file: 'button',
    hidden: '',
    image: 'button',
    number: 'spinbutton',
    radio: 'radio',
    range: 'slider',
    reset: 'button',
    submit: 'button',
  }),
);

/**
 * Returns the role from the attribute, or ''. The first token that is a role, and valid here, counts.
 * @param {Element} element
 */
function explicitRole(element) {
  const attribute = dom.getAttribute(element, 'role');
  if (!attribute) return '';
  for (const token of attribute.toLowerCase().split(/[\t\n\f\r ]+/)) {
    if (!KNOWN_ROLES.has(token)) continue;
    // These landmarks require a name.
    if ((token === 'region' || token === 'form') && !hasOwnLabel(element)) continue;
    if (ROLE_CONTEXTS.has(token) && !standsInContext(element, token)) continue;
    return SYNONYMS.get(token) ?? token;
  }
  return '';
}

/* Roles with two names. */
const SYNONYMS = new Map(Object.entries({ image: 'img', presentation: 'none', directory: 'list' }));

/** @param {Element} element */
const isFocusable = (element) => !isNativelyDisabled(element) && (dom.hasAttribute(element, 'tabindex') || isNativelyFocusable(element));

/** @param {Element} element */
function isNativelyFocusable(element) {
  switch (tagOf(element)) {
    case 'a':
    case 'area':
      return dom.hasAttribute(element, 'href');
    case 'input':
      return element.type !== 'hidden';
    case 'button':
    case 'select':
    case 'textarea':
    case 'iframe':
    case 'summary':
      return true;
    case 'audio':
    case 'video':
      return element.controls;
    default:
      return dom.isContentEditable(element) === true && isEditingHost(element);
  }
}

const DISABLEABLE = new Set(['button', 'input', 'select', 'textarea', 'option', 'optgroup', 'fieldset']);
/** Form-associated custom elements included. @param {Element} element */
const isNativelyDisabled = (element) =>
  (DISABLEABLE.has(tagOf(element)) || tagOf(element).includes('-')) && dom.matches(element, ':disabled');

/** @param {Element} element */
const isEditingHost = (element) => {
  const value = dom.getAttribute(element, 'contenteditable');
  return value !== null && value !== 'false' && value !== 'inherit';
};

/** Returns '' if an element has no role; 'none' if the page removed it. @param {Element} element @returns {string} */
function roleOf(element) {
  const given = explicitRole(element);
  if (given && given !== 'none') return given;
  if (given === 'none' && !isFocusable(element) && !GLOBAL_ARIA.some((name) => dom.hasAttribute(element, name))) return 'none';
  const native = nativeRole(element) || internalRole(element) || (replacedText(element) ? 'img' : '');
  return takesRoleFromParent(element) ? 'none' : native;
}

/* `li`, `tr`, `td` … lose their role if the list or table they belong to has lost its own. */
const OWNERS = new Map(
  Object.entries({
    li: ['ul', 'ol', 'menu'],
    tr: ['table'],
    td: ['table'],
    th: ['table'],
    tbody: ['table'],
    thead: ['table'],
    tfoot: ['table'],
    caption: ['table'],
  }),
);
const BETWEEN = new Set(['tr', 'tbody', 'thead', 'tfoot']);
/** @param {Element} element @returns {boolean} */
function takesRoleFromParent(element) {
  const owners = OWNERS.get(tagOf(element));
  if (!owners) return false;
  let at = dom.parentElement(element);
  while (at && BETWEEN.has(tagOf(at)) && !dom.hasAttribute(at, 'role')) at = dom.parentElement(at);
  return !!at && (owners.includes(tagOf(at)) || BETWEEN.has(tagOf(at))) && dom.hasAttribute(at, 'role') && roleOf(at) === 'none';
}

/** @param {Element} element */
function nativeRole(element) {
  const tag = tagOf(element);
  const role = NATIVE_ROLES.get(tag);
  if (role !== undefined) {
    if (tag === 'summary') return isSummaryOfDetails(element) ? 'button' : '';
    if (tag === 'dt' || tag === 'dd') return dom.closest(element, 'dl') ? role : '';
    return role;
  }
  switch (tag) {
    case 'a':
    case 'area':
      return dom.hasAttribute(element, 'href') ? 'link' : '';
    case 'input':
      return inputRole(element);
    case 'img':
      return imageRole(element);
    case 'svg':
      return hasOwnLabel(element) || dom.querySelector(element, ':scope > title') ? 'img' : '';
    case 'select':
      return element.multiple || element.size > 1 ? 'listbox' : 'combobox';
    case 'li':
      return isListItem(element) ? 'listitem' : '';
    case 'tr':
      return dom.closest(element, 'table') ? 'row' : '';
    case 'td':
    case 'th':
      return cellRole(element, tag);
    case 'header':
      return dom.closest(element, SECTIONING) ? '' : 'banner';
    case 'footer':
      return dom.closest(element, SECTIONING) ? '' : 'contentinfo';
    case 'aside':
      return hasOwnLabel(element) || !isWithinSection(element) ? 'complementary' : '';
    case 'section':
      return hasOwnLabel(element) ? 'region' : '';
    default:
      return isEditingHost(element) && dom.isContentEditable(element) ? 'textbox' : '';
  }
}

/** @param {Element} element */
const isSummaryOfDetails = (element) => {
  const parent = dom.parentElement(element);
  return !!parent && tagOf(parent) === 'details' && dom.querySelector(parent, ':scope > summary') === element;
};

/** @param {Element} element */
function isWithinSection(element) {
  const parent = dom.parentElement(element);
  return !!parent && dom.closest(parent, 'article, aside, nav, section') !== null;
}

/** @param {Element} element */
function inputRole(element) {
  const role = INPUT_ROLES.get(element.type);
  if (role !== undefined) return role;
  const list = dom.getAttribute(element, 'list');
  const listed = list ? dom.getElementById(dom.getRootNode(element), list) : null;
  if (listed && tagOf(listed) === 'datalist') return 'combobox';
  return element.type === 'search' ? 'searchbox' : 'textbox';
}

/** @param {Element} element */
function imageRole(element) {
  if (dom.getAttribute(element, 'alt') !== '') return 'img';
  return hasOwnLabel(element) || isFocusable(element) ? 'img' : 'none';
}

/**
 * Returns true for a label from ARIA or `title`: enough to make a section a region (HTML-AAM), without computing the
 * whole name.
 * @param {Element} element
 */
const hasOwnLabel = (element) =>
  !!dom.getAttribute(element, 'aria-label')?.trim() || labellersOf(element).length > 0 || !!dom.getAttribute(element, 'title')?.trim();

/** Returns the elements of `aria-labelledby`, or of its misspelling that browsers accept. @param {Element} element */
const labellersOf = (element) => referencedBy(element, dom.hasAttribute(element, 'aria-labelledby') ? 'aria-labelledby' : 'aria-labeledby');

/** @param {Element} element @param {string} tag */
function cellRole(element, tag) {
  const table = dom.closest(element, 'table');
  if (!table) return '';
  const tableRole = explicitRole(table);
  if (tag === 'th') {
    const scope = element.scope;
    if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
    if (scope === 'col' || scope === 'colgroup') return 'columnheader';
    // HTML's own rule for `scope=auto`, simplified: a header beside data cells is a row header.
    const row = dom.parentElement(element);
    return row && dom.querySelector(row, ':scope > td') ? 'rowheader' : 'columnheader';
  }
  return tableRole === 'grid' || tableRole === 'treegrid' ? 'gridcell' : 'cell';
}
