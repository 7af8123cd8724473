/*
 * Documents of `<object>` and `<embed>`, which begin after the load event of the page around them.
 *
 * Owns the wait for them, which has one limit for all after each load. Never looks into them.
 */

/* After the load event, or after the document while that waits for something else. */
const EMBEDS_LIMIT_MS = 1000;

/** Returns the time left for embedded documents to load, or 0. */
function leftForEmbeds() {
  const [load] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'));
  const since = load?.loadEventEnd || load?.domContentLoadedEventEnd;
  return since ? since + EMBEDS_LIMIT_MS - performance.now() : 0;
}

/*
 * Returns true if an element of the document may get a document yet. One that shows its fallback content may, too: Chromium
 * shows that first.
 */
function embedsLoad() {
  let frames = 0;
  for (const element of dom.querySelectorAll(document, 'iframe, frame, embed[src], object[data]')) {
    const inner = tagOf(element) === 'object' ? /** @type {HTMLObjectElement} */ (/** @type {unknown} */ (element)) : null;
    if (inner && !inner.contentWindow) {
      if (rendering(element) === SHOWN) return true;
      continue;
    }
    if (inner?.contentDocument && isLoading(inner.contentDocument, inner.contentWindow)) return true;
    if (rendering(element) === SHOWN || inner) frames += 1;
  }
  return frames > window.length;
}

/**
 * Returns true for a document that loads, and for the empty one in its place before.
 * @param {Document} inner
 * @param {Window | null} view
 */
const isLoading = (inner, view) => dom.readyState(inner) !== 'complete' || view?.location.href === 'about:blank';

/** Waits for documents that load. → null if none does */
function embedsLoaded() {
  if (leftForEmbeds() <= 0 || !dom.querySelector(document, 'embed[src], object[data]') || !embedsLoad()) return null;
  return (async () => {
    while (leftForEmbeds() > 0 && embedsLoad()) await nextFrame();
  })();
}
