/*
 * What the daemon calls, gathered in the one name of our isolated world.
 *
 * Owns the surface. Targets are {number} or {selector}.
 */

globalThis.__gstack = Object.freeze({
  document: DOCUMENT_ID,
  elementOf,
  numberOf,
  ready,
  appears,
  settled,
  releaseGuard,
  holdKeys,
  releaseKeys,
  watchDrag,
  dragBegan,
  beginFill,
  endFill,
  choose,
  optionOf,
  chooseOption,
  scrollToElement,
  hideOwn,
  scrollToBottom,
  frameOrigin,
  readText: (marks) => readText(document.body, marks === true),
  readLinks,
  readForms,
  readDocument,
  readElement,
  focusIsPassword,
  focusLeadsTo,
  readMedia,
  readData,
  readStorage,
  writeStorage,
  readTiming,
  fileField,
  addressOf,
  readBlob,
  frameElement,
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
  /* The function's value where this is still the document that is meant, else null. */
  inDocument: (of, name, ...given) => (of === DOCUMENT_ID ? __gstack[name](...given) : null),
  /* options as takeSnapshot's, with `scope` (a target) in place of `root`. */
  snapshot(options) {
    let root = null;
    if (options.scope) {
      const resolved = resolveOne(options.scope);
      if (!resolved.element) return resolved;
      root = resolved.element;
    }
    return { document: DOCUMENT_ID, ...takeSnapshot({ ...options, root }) };
  },
});
