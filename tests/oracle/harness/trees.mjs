/*
 * Accessibility trees as lists of `role "name"`, from gstack's snapshot, Chromium's own tree and Playwright's.
 *
 * Owns the differences in naming between the three. Omits text: each splits it into lines differently.
 */

const CHROMIUM_ROLES = {
  DisclosureTriangle: 'button',
  DisclosureTriangleGrouped: 'button',
  ColorWell: 'textbox',
  Date: 'textbox',
  DateTime: 'textbox',
  InputTime: 'textbox',
  image: 'img',
  Iframe: 'iframe',
  MenuListOption: 'option',
  listBoxOption: 'option',
  Video: 'video',
  Audio: 'audio',
  Canvas: 'canvas',
  Details: 'group',
  MathMLMath: 'math',
  Section: 'generic',
  sectionheader: 'generic',
  sectionfooter: 'generic',
  RootWebArea: '',
  Legend: '',
  Figcaption: '',
  LabelText: '',
};

/** Roles that are words in a line of text, or only group rows: gstack gives them no line. */
const WITHOUT_LINE = new Set(
  (
    'generic none paragraph text strong emphasis subscript superscript insertion deletion mark code time rowgroup caption ' +
    'listitemmarker StaticText InlineTextBox LineBreak ListMarker MenuListPopup PluginObject'
  ).split(' '),
);

/** The names of these repeat their text, which gstack prints as text. */
const NAME_IS_TEXT = new Set(['row', 'listitem', 'term', 'definition', 'status', 'alert', 'blockquote', 'group', 'article', 'math']);

const squeeze = (text) => text.replace(/\s+/g, ' ').trim();
const entry = (role, name) => (name && !NAME_IS_TEXT.has(role) ? `${role} "${squeeze(name)}"` : role);
const unquoted = (text) => text.replace(/\\(["\\])/g, '$1');

/** Returns the lines of `gstack snapshot`. */
export function entriesOfSnapshot(output) {
  return output.split('\n').flatMap((line) => {
    const found = /^ *(?:@[ec]\d+ )?\[([a-z]+)\](?: "((?:\\.|[^"\\])*)")?/.exec(line);
    if (!found || WITHOUT_LINE.has(found[1])) return [];
    return [entry(found[1], unquoted(found[2] ?? ''))];
  });
}

/** Returns Chromium's whole tree, through a CDP session of the page. */
export async function entriesOfChromium(session) {
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const entries = [];
  const visit = (node) => {
    const chromium = node.role?.value ?? '';
    const role = CHROMIUM_ROLES[chromium] ?? chromium;
    if (!node.ignored && role && !WITHOUT_LINE.has(role)) entries.push(entry(role, node.name?.value ?? ''));
    // The parts of a player or a picker belong to the browser.
    if (['Video', 'Audio', 'Date', 'DateTime', 'InputTime', 'ColorWell'].includes(chromium)) return;
    for (const id of node.childIds ?? []) if (byId.has(id)) visit(byId.get(id));
  };
  visit(nodes[0]);
  return entries;
}

/** Returns Playwright's aria snapshot. */
export function entriesOfPlaywright(yaml) {
  return yaml.split('\n').flatMap((line) => {
    const found = /^\s*- '?([a-z]+)(?: "((?:\\.|[^"\\])*)")?/.exec(line);
    if (!found || WITHOUT_LINE.has(found[1])) return [];
    return [entry(found[1], unquoted((found[2] ?? '').replaceAll("''", "'")))];
  });
}

/** Returns the differences of the two lists, with duplicates: {same, missing, extra}. */
export function compare(ours, theirs) {
  const left = [...theirs];
  const extra = [];
  let same = 0;
  for (const one of ours) {
    const at = left.indexOf(one);
    if (at < 0) extra.push(one);
    else {
      left.splice(at, 1);
      same += 1;
    }
  }
  return { same, missing: left, extra };
}
