/*
 * The words that Rust and the injected scripts share. Generated from src/browser/page/script/injected.rs: never edit it.
 * After a change there: GSTACK_BLESS=1 cargo test -p gstack-browser script::injected
 */

/** The functions that Rust calls. */
type InjectedFunction =
  | "addressOf"
  | "adoptRoot"
  | "adoptedSheets"
  | "armPaste"
  | "appears"
  | "auditDocument"
  | "beginFill"
  | "beginPick"
  | "beginRecording"
  | "beginStitching"
  | "beginTyping"
  | "blurFocused"
  | "boxesOf"
  | "checkedOf"
  | "choose"
  | "chooseOption"
  | "cleanUp"
  | "clearRefs"
  | "closeToPointer"
  | "copyText"
  | "countMatches"
  | "coveredAt"
  | "customAppears"
  | "customList"
  | "customOptions"
  | "customReveals"
  | "customShows"
  | "describePicked"
  | "documentId"
  | "originOf"
  | "dragBegan"
  | "dragClicks"
  | "drawBoxes"
  | "drawRefs"
  | "dropOutcome"
  | "elementOf"
  | "endDrop"
  | "endFill"
  | "endPick"
  | "endRecording"
  | "endStitching"
  | "expectDrop"
  | "fileField"
  | "fillSignIn"
  | "firstMatch"
  | "focusElement"
  | "focusIsPassword"
  | "focusLeadsTo"
  | "frameAt"
  | "frameElement"
  | "frameHit"
  | "frameView"
  | "hasRoot"
  | "hideAll"
  | "hideAsked"
  | "hideOwn"
  | "holdKeys"
  | "inDocument"
  | "joinParts"
  | "listAsked"
  | "listSuspects"
  | "movesSettled"
  | "noteHandled"
  | "numberOf"
  | "numberOfPicked"
  | "numbersAt"
  | "observeChanges"
  | "offersTools"
  | "pasteText"
  | "pathOf"
  | "pixelRatio"
  | "pointAt"
  | "pointWithin"
  | "presentOf"
  | "readBlob"
  | "readData"
  | "readChoice"
  | "readDocument"
  | "readEditor"
  | "readElement"
  | "readFacts"
  | "readFill"
  | "readTyped"
  | "readForms"
  | "readLinks"
  | "readMedia"
  | "readShown"
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
  | "revealFrame"
  | "scrollForPart"
  | "scrollToBottom"
  | "scrollToElement"
  | "scrollToFirst"
  | "scrollUntil"
  | "scrollWithin"
  | "secretValues"
  | "seeSignIn"
  | "selectText"
  | "setStyle"
  | "settled"
  | "skippedParts"
  | "showsText"
  | "showAsked"
  | "showClosedRoot"
  | "snapshot"
  | "takePaste"
  | "tellInternals"
  | "thenSettled"
  | "touch"
  | "unhide"
  | "valueOfField"
  | "watchDrag"
  | "watchDrop"
  | "watchMoves"
  | "writeStorage";

/**
 * The reason a function failed.
 */
type FaultKind = "gone" | "stale" | "missing" | "several" | "selector" | "blocked" | "value" | "kind" | "fetch" | "size";

/**
 * The guard's verdict on the pointer events since it was set.
 */
type Guarded = { "verdict": "hit" } | { "verdict": "pressed" } | { "verdict": "covered", reason: string, } | { "verdict": "left" };

/**
 * A condition for an action.
 */
type Need = "visible" | "enabled" | "editable" | "stable" | "hit" | "guard" | "itself";

/**
 * The properties that `readElement` returns.
 */
type ReadWhat = "text" | "html" | "attributes" | "css" | "is" | "box" | "leads" | "description";

/**
 * An action on an element that may follow its link or submit its form.
 */
type Activation = "click" | "enter" | "space";

/**
 * The states that `is` checks.
 */
type ElementState = "visible" | "hidden" | "enabled" | "disabled" | "checked" | "editable" | "focused" | "password";

/**
 * The kinds of clutter that `clean_up` hides.
 */
type Clutter = "ads" | "cookies" | "sticky" | "social" | "overlays" | "clutter";
