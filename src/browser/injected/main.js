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
  expectDrop,
  dropOutcome,
  beginFill,
  endFill,
  readFill,
  beginTyping,
  readTyped,
  readChoice,
  pasteText,
  readEditor,
  seeSignIn,
  fillSignIn,
  choose,
  customList,
  customAppears,
  customOptions,
  customReveals,
  customShows,
  noteHandled,
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
  frameAt,
  revealFrame,
  pixelRatio: () => devicePixelRatio,
  readText: (/** @type {boolean | undefined} */ marks) => readText(dom.body(document) ?? dom.documentElement(document), marks === true),
  readShown,
  showsText: showsAnyText,
  adoptedSheets,
  skippedParts,
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
  listAsked,
  tellInternals,
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
  beginRecording,
  endRecording,
  beginPick,
  endPick,
  describePicked,
  numberOfPicked,
  documentId: () => DOCUMENT_ID,
  originOf: () => globalThis.origin,
  /* The function's result if this is still the given document, else null. */
  inDocument: (/** @type {string} */ of, /** @type {InjectedFunction} */ name, /** @type {unknown[]} */ ...given) =>
    of === DOCUMENT_ID ? SURFACE[name](...given) : null,
  /**
   * The options of takeSnapshot, with `scope` (a target) instead of `root`. With `suspects`, answers {suspects: true} instead
   * if the browser must first be asked about closed shadow roots or internals.
   * @param {SnapshotOptions & { scope?: Target }} options
   */
  snapshot(options) {
    const loaded = embedsLoaded();
    return loaded ? loaded.then(() => snapshotNow(options)) : snapshotNow(options);
  },
};

/** @param {SnapshotOptions & { scope?: Target }} options */
function snapshotNow(options) {
  let root = null;
  if (options.scope) {
    const resolved = resolveOne(options.scope);
    // It may be in a closed root.
    if (!resolved.element) return options.suspects ? { suspects: true } : resolved;
    root = resolved.element;
  }
  const taken = takeSnapshot({ ...options, root });
  return taken ? { document: DOCUMENT_ID, ...taken } : { suspects: true };
}

/** @type {any} */ (globalThis).__gstack = Object.freeze(SURFACE);
