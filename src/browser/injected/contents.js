/*
 * Page content other than text: media, structured data, storage, timing.
 *
 * Owns the output formats of `media`, `data`, `storage` and `perf`. Never changes the page except in `writeStorage`.
 */

/* In characters. The rest of a data: address is the image itself. */
const LONGEST_ADDRESS = 300;

/** @param {string} url */
const address = (url) => (url ? (url.startsWith('data:') ? clip(url, LONGEST_ADDRESS) : url) : undefined);

/* Returns {images, videos, audios}: addresses with sizes, in CSS pixels and seconds. */
function readMedia() {
  /** @type {{ images: object[]; videos: object[]; audios: object[] }} */
  const media = { images: [], videos: [], audios: [] };
  eachElement((/** @type {Element} */ element) => {
    const tag = tagOf(element);
    if (tag !== 'img' && tag !== 'video' && tag !== 'audio') return;
    if (composedClosest(element, isOwnHost)) return;
    const { width, height } = dom.getBoundingClientRect(element);
    const size = { width: Math.round(width), height: Math.round(height) };
    if (tag === 'img') {
      media.images.push({
        src: address(element.currentSrc || element.src),
        alt: element.alt || undefined,
        ...size,
        naturalWidth: element.naturalWidth,
        naturalHeight: element.naturalHeight,
        visible: isVisible(element),
      });
      return;
    }
    const sources = Array.from(dom.querySelectorAll(element, 'source'), (source) => ({
      src: address(source.src),
      type: source.type || undefined,
    }));
    const common = {
      src: address(element.currentSrc || element.src),
      sources: sources.length ? sources : undefined,
      duration: Number.isFinite(element.duration) ? element.duration : undefined,
    };
    if (tag === 'audio') media.audios.push(common);
    else media.videos.push({ ...common, poster: address(element.poster), ...size });
  });
  return media;
}

/* Returns {title, language, canonical, jsonLd: [], openGraph: {}, twitter: {}, meta: {}}. */
function readData() {
  /**
   * @type {{ title: string; language?: string; canonical?: string; jsonLd: unknown[];
   *   openGraph: MetaGroup; twitter: MetaGroup; meta: MetaGroup }}
   */
  const data = {
    title: dom.title(document),
    language: dom.lang(dom.documentElement(document)) || undefined,
    canonical: dom.querySelector(document, 'link[rel="canonical"]')?.href,
    jsonLd: [],
    openGraph: {},
    twitter: {},
    meta: {},
  };
  for (const script of dom.querySelectorAll(document, 'script[type="application/ld+json"]')) {
    try {
      data.jsonLd.push(JSON.parse(dom.textContent(script) ?? ''));
    } catch (error) {
      data.jsonLd.push({ error: messageOf(error), text: clip(squeeze(dom.textContent(script) ?? ''), 200) });
    }
  }
  for (const meta of /** @type {NodeListOf<HTMLMetaElement>} */ (dom.querySelectorAll(document, 'meta[content]'))) {
    const name = dom.getAttribute(meta, 'property') ?? dom.getAttribute(meta, 'name') ?? dom.getAttribute(meta, 'http-equiv');
    if (!name) continue;
    const group = name.startsWith('og:') ? data.openGraph : name.startsWith('twitter:') ? data.twitter : data.meta;
    const key = name.replace(/^(og|twitter):/, '');
    // A repeated name (og:image) becomes a list.
    const content = secretAttribute(meta) ? REDACTED : meta.content;
    if (!Object.hasOwn(group, key)) group[key] = content;
    else group[key] = [group[key], content].flat();
  }
  return data;
}

/** A page with an opaque origin (data:, sandboxed) has no storage. @param {'localStorage' | 'sessionStorage'} name */
function storageOf(name) {
  try {
    return globalThis[name];
  } catch {
    return null;
  }
}

/* Returns {localStorage: {key: value}, sessionStorage: {key: value}}. */
function readStorage() {
  /** @param {Storage | null} storage */
  const all = (storage) =>
    storage
      ? Object.fromEntries(
          Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? '').map((key) => [key, storage.getItem(key)]),
        )
      : {};
  return { localStorage: all(storageOf('localStorage')), sessionStorage: all(storageOf('sessionStorage')) };
}

/**
 * Sets entries: {localStorage, sessionStorage}; a null value deletes one. → null, or the reason one was refused
 * @param {{ [name: string]: { [key: string]: string | null } }} wanted
 */
function writeStorage(wanted) {
  for (const name of /** @type {const} */ (['localStorage', 'sessionStorage'])) {
    const entries = wanted[name] ?? {};
    const storage = storageOf(name);
    if (!storage) {
      if (Object.keys(entries).length > 0) return `this page has no ${name}`;
      continue;
    }
    try {
      for (const [key, value] of Object.entries(entries)) {
        if (value === null) storage.removeItem(key);
        else storage.setItem(key, value);
      }
    } catch (error) {
      return messageOf(error);
    }
  }
  return null;
}

/* Returns [[name, milliseconds]] of the document's navigation, or null if the browser recorded none. */
function readTiming() {
  const [entry] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'));
  if (!entry) return null;
  /** @param {number} from @param {number} to */
  const span = (from, to) => Math.max(0, Math.round(to - from));
  return [
    ['dns', span(entry.domainLookupStart, entry.domainLookupEnd)],
    ['tcp', span(entry.connectStart, entry.connectEnd)],
    ['ssl', entry.secureConnectionStart > 0 ? span(entry.secureConnectionStart, entry.connectEnd) : 0],
    ['ttfb', span(entry.requestStart, entry.responseStart)],
    ['download', span(entry.responseStart, entry.responseEnd)],
    ['domParse', span(entry.responseEnd, entry.domInteractive)],
    ['domReady', span(entry.startTime, entry.domContentLoadedEventEnd)],
    ['load', span(entry.startTime, entry.loadEventEnd)],
    ['total', span(entry.startTime, entry.loadEventEnd || entry.responseEnd)],
  ];
}
