/*
 * The words that Rust and the injected scripts share. Generated from src/browser/page/script/injected.rs: never edit it.
 * After a change there: GSTACK_BLESS=1 cargo test --lib script::injected
 */

/** The functions that Rust calls. */
type InjectedFunction =
  | "addressOf"
  | "adoptRoot"
  | "armPaste"
  | "appears"
  | "beginFill"
  | "beginPick"
  | "blurFocused"
  | "boxesOf"
  | "checkedOf"
  | "choose"
  | "chooseOption"
  | "cleanUp"
  | "clearRefs"
  | "copyText"
  | "countMatches"
  | "describePicked"
  | "dragBegan"
  | "dragClicks"
  | "drawBoxes"
  | "drawRefs"
  | "elementOf"
  | "endDrop"
  | "endFill"
  | "endPick"
  | "fileField"
  | "firstMatch"
  | "focusElement"
  | "focusIsPassword"
  | "focusLeadsTo"
  | "frameElement"
  | "frameOrigin"
  | "hasRoot"
  | "hideAll"
  | "hideAsked"
  | "hideOwn"
  | "holdKeys"
  | "inDocument"
  | "listSuspects"
  | "numberOf"
  | "numberOfPicked"
  | "observeChanges"
  | "pointAt"
  | "pointWithin"
  | "presentOf"
  | "readBlob"
  | "readData"
  | "readDocument"
  | "readElement"
  | "readFacts"
  | "readForms"
  | "readLinks"
  | "readMedia"
  | "readStorage"
  | "readTable"
  | "readText"
  | "readTiming"
  | "readVitals"
  | "reaches"
  | "ready"
  | "readyThen"
  | "releaseGuard"
  | "releaseKeys"
  | "removeBoxes"
  | "restoreStyle"
  | "scrollToBottom"
  | "scrollToElement"
  | "scrollToFirst"
  | "scrollUntil"
  | "scrollWithin"
  | "secretValues"
  | "selectText"
  | "setStyle"
  | "settled"
  | "showAsked"
  | "showClosedRoot"
  | "snapshot"
  | "takePaste"
  | "thenSettled"
  | "touch"
  | "unhide"
  | "valueOfField"
  | "watchDrop"
  | "watchDrag"
  | "writeStorage";

/**
 * Why a function did not do what it was asked for.
 */
type FaultKind = "gone" | "stale" | "missing" | "several" | "selector" | "blocked" | "value" | "kind" | "fetch" | "size";

/**
 * What the guard saw of the pointer events since it was set.
 */
type Guarded = { "verdict": "hit" } | { "verdict": "covered", reason: string, } | { "verdict": "left" };

/**
 * What must hold before an action.
 */
type Need = "visible" | "enabled" | "editable" | "stable" | "hit" | "guard" | "itself";

/**
 * What `readElement` reads.
 */
type ReadWhat = "text" | "html" | "attributes" | "css" | "is" | "box" | "leads" | "description";

/**
 * What is done to an element, which may follow its link or send its form.
 */
type Activation = "click" | "enter" | "space";

/**
 * What `is` knows.
 */
type ElementState = "visible" | "hidden" | "enabled" | "disabled" | "checked" | "editable" | "focused" | "password";

/**
 * What `clean_up` hides.
 */
type Clutter = "ads" | "cookies" | "sticky" | "social" | "overlays" | "clutter";
