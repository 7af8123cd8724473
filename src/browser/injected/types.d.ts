/**
 * The shapes that the injected scripts share, for their type check. Nothing of it runs.
 *
 * The scripts ask an element's tag and then read what elements of that tag have. So that they need no cast after each such
 * question, an element has all of these fields here. A name that no element has is an error all the same.
 */
interface Element {
  readonly style: CSSStyleDeclaration;
  readonly isContentEditable: boolean;
  assignedNodes(options?: AssignedNodesOptions): Node[];
  readonly control: HTMLElement | null;
  readonly labels: NodeListOf<HTMLLabelElement> | null;
  readonly form: HTMLFormElement | null;
  readonly options: HTMLOptionsCollection;
  readonly selectedOptions: HTMLCollectionOf<HTMLOptionElement>;
  readonly elements: HTMLFormControlsCollection;
  readonly currentSrc: string;
  readonly naturalWidth: number;
  readonly naturalHeight: number;
  readonly duration: number;
  readonly position: number;
  readonly ownerElement: Element | null;
  alt: string;
  autocomplete: string;
  action: string;
  checked: boolean;
  controls: boolean;
  data: string;
  /** Of a link in a drawing it is an object with `baseVal`. */
  href: string & { baseVal?: string };
  indeterminate: boolean;
  inert: boolean;
  innerText: string;
  label: string;
  method: string;
  multiple: boolean;
  name: string;
  open: boolean;
  placeholder: string;
  popover: string | null;
  poster: string;
  readOnly: boolean;
  required: boolean;
  selected: boolean;
  scope: string;
  size: number;
  src: string;
  tabIndex: number;
  text: string;
  title: string;
  type: string;
  value: string;
  webkitdirectory: boolean;
  focus(options?: FocusOptions): void;
  select(): void;
}

/** A node of the composed tree: `nodeType` tells whether it is an element or a text. */
type AnyNode = Element & Text;
/** A document or shadow root. Of an element that is in neither, `getRootNode` gives one without these methods. */
interface Tree extends DocumentOrShadowRoot, ParentNode {
  readonly host?: Element;
  getElementById(id: string): HTMLElement | null;
}
interface ParentNode {
  /** Of a shadow root. */
  readonly host?: Element;
}
interface Node {
  getRootNode(options?: GetRootNodeOptions): Tree;
}
interface TreeWalker {
  nextNode(): AnyNode | null;
}
interface XPathResult {
  snapshotItem(index: number): AnyNode | null;
}

interface Point {
  x: number;
  y: number;
}
/** An element of one document, by the number that `numberOf` gave it. */
interface Place {
  number: number;
  document: string;
}
/** An element as a command names it. */
interface Target {
  number?: number;
  document?: string;
  selector?: string;
}
/** What `resolveOne` gives. */
type Resolved = { element: Element; fault?: undefined } | ({ element?: undefined } & Refusal);
/** Why something was not done. */
interface Refusal {
  fault: FaultKind;
  message: string;
  description?: string;
}
/** An option of a list, and that list. */
interface OptionPlace {
  option: Place;
  select: Place;
  text: string;
}
/** What `ready` gives. */
interface Looked extends Partial<Refusal>, Partial<Place> {
  ok?: true;
  tag?: string;
  point?: Point;
  option?: OptionPlace;
  /** Looking again changes nothing. */
  final?: boolean;
}
/** An element and what a person calls it. */
interface Named {
  number: number;
  label: string;
}
/** Values by name; a name that comes again has a list. */
type MetaGroup = { [name: string]: string | string[] };
interface StyleBefore {
  value: string;
  priority: string;
}
/** A compound of a CSS selector, with our own pseudo-classes taken out. */
interface Compound {
  combinator: string;
  css: string;
  tests: ((element: Element) => boolean)[];
}
/** What is known while one name is computed. */
interface NameRun {
  visited: Set<Element>;
  length: number;
  withoutGroups?: boolean;
}
/** The guard of one action; `verdict` is null until an event comes. */
interface Guard {
  element: Element;
  /** No other control in it may take the event. */
  itself: boolean;
  verdict: Guarded | null;
  expiry: number;
}
/** An element with a layer of ours around it. */
interface Outlined {
  element: Element;
  layer: HTMLElement;
}
/** What a picker tells the daemon. */
type PickWords = { ended: true } | { picked: number } | { at: number };

interface SnapshotOptions {
  interactive?: boolean;
  compact?: boolean;
  depth?: number | null;
  cursor?: boolean;
  root?: Element | null;
  limit?: number;
  marks?: boolean;
}
interface PrintOptions {
  compact: boolean;
  depth: number | null;
  interactive: boolean;
}
interface Printed {
  more: number;
}
/** One snapshot under way. */
interface Walk {
  interactive: boolean;
  compact: boolean;
  cursor: boolean;
  limit: number;
  size: number;
  frames: number[];
  cursorNodes: string[];
  modal: Element | null;
  sight: Sight | null;
  deepest: number;
  last: LineNode | null;
}
/** What the elements above an element say of it. */
interface Flags {
  disabled: boolean;
  pointer: boolean;
  silent: boolean;
  inModal: boolean;
  control?: boolean;
  floats?: boolean;
}
/** A node of the snapshot, or (with `text`) a run of text in one. */
interface LineNode {
  kind: string;
  element: Element;
  number: number;
  role: string;
  name: string;
  properties: string;
  value: string | null;
  kids: LineNode[];
  depth: number;
  mute: boolean;
  leaf: boolean;
  fresh: boolean;
  disabled: boolean;
  fromContent?: boolean;
  hasText?: boolean;
  counted?: boolean;
  sights?: Set<string>;
  text?: string;
  left: number;
  stands?: boolean;
}
/** What `Sight` knows of an element. */
interface Seen {
  style: CSSStyleDeclaration;
  all: string;
  behind: string | null;
  beyond?: boolean;
  own?: string;
}

/** What a function may answer: one that refuses does so with a verdict that Rust knows. */
type Answer = Refusal | Looked | Element | { fault?: FaultKind; [name: string]: unknown } | unknown[] | string | number | boolean | null | undefined | void;
/** Each function that Rust calls, and no other. */
type Surface = Record<InjectedFunction, (...given: any[]) => Answer | Promise<Answer>>;
