/*
 * The functions that the daemon calls, under the only name in our isolated world.
 *
 * Owns the surface. Targets are {number} or {selector}.
 */

/** @type {Surface} */
const SURFACE = {
  elementOf,
  numberOf,
  ready,
  readyThen,
  appears,
  settled,
  thenSettled,
  closeToPointer,
  coveredAt,
  releaseGuard,
  holdKeys,
  releaseKeys,
  watchDrag,
  dragBegan,
  watchMoves,
  movesSettled,
  dragClicks,
  beginFill,
  endFill,
  readFill,
  readChoice,
  pasteText,
  readEditor,
  seeSignIn,
  fillSignIn,
  choose,
  chooseOption,
  scrollToElement,
  hideOwn,
  scrollToBottom,
  readTable,
  valueOfField,
  boxesOf,
  readFacts,
  reaches,
  scrollWithin,
  scrollUntil,
  pointWithin,
  checkedOf,
  focusElement,
  blurFocused,
  selectText,
  watchDrop,
  endDrop,
  copyText,
  armPaste,
  takePaste,
  beginStitching,
  scrollForPart,
  endStitching,
  joinParts,
  frameView,
  frameHit,
  revealFrame,
  pixelRatio: () => devicePixelRatio,
  readText: (/** @type {boolean | undefined} */ marks) => readText(dom.body(document), marks === true),
  readLinks,
  readForms,
  readDocument,
  readElement,
  focusIsPassword,
  secretValues,
  focusLeadsTo,
  readMedia,
  readData,
  readStorage,
  writeStorage,
  readTiming,
  readVitals,
  offersTools,
  pathOf,
  numbersAt,
  auditDocument,
  fileField,
  addressOf,
  readBlob,
  frameElement: elementOfFrame,
  firstMatch,
  countMatches,
  setStyle,
  restoreStyle,
  unhide,
  cleanUp,
  hideAll,
  scrollToFirst,
  observeChanges,
  listSuspects,
  showClosedRoot,
  drawBoxes,
  removeBoxes,
  hasRoot,
  adoptRoot,
  drawRefs,
  clearRefs,
  pointAt,
  touch,
  showAsked,
  hideAsked,
  presentOf,
  beginPick,
  endPick,
  describePicked,
  numberOfPicked,
  documentId: () => DOCUMENT_ID,
  /* The function's result if this is still the given document, else null. */
  inDocument: (/** @type {string} */ of, /** @type {InjectedFunction} */ name, /** @type {unknown[]} */ ...given) =>
    of === DOCUMENT_ID ? SURFACE[name](...given) : null,
  /**
   * The options of takeSnapshot, with `scope` (a target) instead of `root`. With `suspects`, answers {suspects: true} instead
   * if there are elements whose closed shadow roots must be opened first.
   * @param {SnapshotOptions & { scope?: Target, suspects?: boolean }} options
   */
  snapshot(options) {
    if (options.suspects && hasSuspects()) return { suspects: true };
    let root = null;
    if (options.scope) {
      const resolved = resolveOne(options.scope);
      if (!resolved.element) return resolved;
      root = resolved.element;
    }
    return { document: DOCUMENT_ID, ...takeSnapshot({ ...options, root }) };
  },
};

/** @type {any} */ (globalThis).__gstack = Object.freeze(SURFACE);
