/**
 * The types that the injected scripts share, for their type check. Nothing here runs.
 *
 * The scripts check an element's tag and then read the properties of elements with that tag. To avoid a cast after each
 * check, `Element` has all of these properties here. A property that no element has is still an error.
 */
interface Element {
  readonly style: CSSStyleDeclaration;
  readonly isContentEditable: boolean;
  assignedNodes(options?: AssignedNodesOptions): Node[];
  readonly control: HTMLElement | null;
  readonly labels: NodeListOf<HTMLLabelElement> | null;
  readonly form: HTMLFormElement | null;
  readonly formAction: string;
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
  /** For a link in a drawing it is an object with `baseVal`. */
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

/** A node of the composed tree: `nodeType` distinguishes elements and texts. */
type AnyNode = Element & Text;
/** A document or shadow root. For an element in neither, `getRootNode` returns a node without these methods. */
interface Tree extends DocumentOrShadowRoot, ParentNode {
  readonly host?: Element;
  getElementById(id: string): HTMLElement | null;
}
interface ParentNode {
  /** Set for a shadow root. */
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
/** An element of one document, by the number from `numberOf`. */
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
/** The result of `resolveOne`. */
type Resolved = { element: Element; fault?: undefined } | ({ element?: undefined } & Refusal);
/** The reason a function failed. */
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
/** The result of `ready`. */
interface Looked extends Partial<Refusal>, Partial<Place> {
  ok?: true;
  tag?: string;
  point?: Point;
  option?: OptionPlace;
  /** A retry would not help. */
  final?: boolean;
  /** Nothing matched, and closed roots must be asked for. */
  suspects?: boolean;
  /** The fields that the page has changed since their text was reported. */
  late?: string[];
}
/** An element and its label. */
interface Named {
  number: number;
  label: string;
}
/** Values by name; a repeated name has a list. */
type MetaGroup = { [name: string]: string | string[] };
interface StyleBefore {
  value: string;
  priority: string;
}
/** A compound of a CSS selector, without our own pseudo-classes. */
interface Compound {
  combinator: string;
  css: string;
  tests: ((element: Element) => boolean)[];
}
/** The state of computing one name. */
interface NameRun {
  visited: Set<Element>;
  length: number;
  withoutGroups?: boolean;
}
/** The guard of one action; `verdict` is null until an event arrives. */
interface Guard {
  /** Null: no element of this document may receive the event. */
  element: Element | null;
  /** No other control in it may receive the event. */
  itself: boolean;
  verdict: Guarded | null;
  /** The left button was released in this document, and the element got the click that followed. */
  released: boolean;
  clicked: boolean;
  expiry: number;
}
/** An element with one of our layers around it. */
interface Outlined {
  element: Element;
  layer: HTMLElement;
}
/** An element as a recorded step describes it. `label`: for messages; the others as in the file of a flow. */
interface RecordedElement {
  label: string;
  role: string;
  name: string;
  near?: string;
  nth?: number;
  selector?: string;
}
/**
 * A message of the recording to the daemon: an act, a text that the page shows after it, or an element whose closed root the
 * daemon must ask for. Without a value, a `fill` is of a secret.
 */
type RecordedReport =
  | { act: string; element?: RecordedElement; to?: RecordedElement; value?: string; key?: string; several?: boolean; field?: boolean; frame?: string }
  | { shown: string }
  | { suspects: true };
/** A message of the picker to the daemon. */
type PickWords = { ended: true } | { picked: number } | { at: number };

/** The state of one picture in parts; `homes`: where what stays in view is at the page's start. */
interface Stitching {
  x: number;
  y: number;
  /** The box that is scrolled in place of the page, and where it was. */
  inner: Element | null;
  top: number;
  homes: Map<Element, { x: number; y: number; width: number; height: number }>;
  hidden: Map<Element, Animation>;
  until: number;
}
/** The state of one fill. */
/** The part of an EditContext that a fill uses. */
interface TextModel {
  readonly text: string;
  updateSelection(start: number, end: number): void;
}

interface Filling {
  element: Element;
  before: string;
  mixed: boolean;
  seen: boolean;
  entered: boolean;
  astray: string | null;
  whole: string | null;
  long: string | null;
  until: number;
  endedAt: number;
  repeats: number;
}

interface SnapshotOptions {
  interactive?: boolean;
  compact?: boolean;
  depth?: number | null;
  cursor?: boolean;
  root?: Element | null;
  limit?: number;
  stops?: boolean;
  marks?: boolean;
  suspects?: boolean;
}
interface PrintOptions {
  compact: boolean;
  depth: number | null;
  interactive: boolean;
}
interface Printed {
  more: number;
}
/** The state of one snapshot. */
interface Walk {
  interactive: boolean;
  compact: boolean;
  cursor: boolean;
  limit: number;
  stops: boolean;
  size: number;
  frames: number[];
  cursorNodes: string[];
  modal: Element | null;
  sight: Sight | null;
  deepest: number;
  last: LineNode | null;
  /** The parts that are listed already. */
  done: Set<Element>;
  /** Whether all children of an element have the same name, if known. */
  alike: Map<Element, boolean>;
  /** Whether an element floats over the page, or one around it, if known. */
  floating: Map<Element, boolean>;
  /** Whether to stop at an element about which the browser must be asked first. */
  suspects: boolean;
  mustAsk: boolean;
}
/** State that an element inherits from its ancestors. */
interface Flags {
  /** By `aria-disabled`. */
  disabled: boolean;
  pointer: boolean;
  silent: boolean;
  inModal: boolean;
  control?: boolean;
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
/** The cached results of `Sight` for an element. */
interface Seen {
  style: CSSStyleDeclaration;
  all: string;
  behind: string | null;
  beyond?: boolean;
  own?: string;
}

/** The result of a function; a refusal uses a verdict that Rust knows. */
type Answer = Refusal | Looked | Element | { fault?: FaultKind; [name: string]: unknown } | unknown[] | string | number | boolean | null | undefined | void;
/** Exactly the functions that Rust calls. */
type Surface = Record<InjectedFunction, (...given: any[]) => Answer | Promise<Answer>>;

/** A field of a sign-in. */
type SignInField = 'user' | 'password' | 'code';
/** The selectors that the person gave for fields. */
type SignInSelectors = { [field in SignInField]?: string | null };
/** The fields that there are. `here`: the document is of the origin. `several`: a kind with more than one candidate. */
type SignInSeen = { here: boolean; user: boolean; password: boolean; code: boolean; several: SignInField | null };
/** What was done. `refused`: why not more. */
type SignInDone = {
  refused?: 'origin' | 'several' | 'destination' | 'changed';
  elsewhere?: string;
  filled: SignInField[];
  submitted: boolean;
};
