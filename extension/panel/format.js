/**
 * Formats numbers, dates and addresses for people, with the decimal mark and the order of the panel's language. Units
 * are SI, the same in every language. Owns the language, which the panel sets once.
 */

let language = "en";
/** @type {Map<number, Intl.NumberFormat>} */
const decimals = new Map();

/** Sets the language of numbers and dates. Digits are always Latin: they stand beside code and times. @param {string} tag */
export function setLanguage(tag) {
  language = new Intl.Locale(tag, { numberingSystem: "latn" }).toString();
  decimals.clear();
}

/** Formats a number with that many decimals: `1.2` or `1,2`. @param {number} number @param {number} [digits] */
export function decimal(number, digits = 0) {
  let format = decimals.get(digits);
  if (!format) {
    format = new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
    decimals.set(digits, format);
  }
  return format.format(number);
}

/** Formats a date or a time. @param {number | Date} at @param {Intl.DateTimeFormatOptions} options */
export function date(at, options) {
  return new Intl.DateTimeFormat(language, options).format(at);
}

/** Formats a finished duration: `31 ms`, `0.4 s`, `48 s`, `2 min 5 s`. @param {number} ms */
export function duration(ms) {
  if (ms < 95) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${decimal(ms / 1000, 1)} s`;
  return elapsed(ms);
}

/** Formats a running duration in whole seconds, so that only changing digits move. @param {number} ms */
export function elapsed(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
}

/** Formats the latency of a hop: `0.8 ms`, `41 ms`. @param {number} ms */
export function latency(ms) {
  return ms < 10 ? `${decimal(ms, 1)} ms` : duration(ms);
}

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${decimal(bytes / 1024 / 1024, 1)} MB`;
}

/** @param {number} dollars */
export function cost(dollars) {
  return `$${decimal(dollars, dollars < 0.01 ? 4 : 2)}`;
}

/**
 * Formats a moment as a time of day, with the date unless it is the current day.
 * @param {number} at
 * @param {number} [now]
 */
export function moment(at, now = Date.now()) {
  const today = new Date(at).toDateString() === new Date(now).toDateString();
  return date(at, { hour: "2-digit", minute: "2-digit", ...(today ? {} : { weekday: "short" }) });
}

/** Formats a token count: `830`, `12.4k`, `1.2M`. @param {number} count */
export function tokens(count) {
  if (count < 1000) return String(count);
  if (count < 999_500) return `${decimal(count / 1000, count < 99_950 ? 1 : 0)}k`;
  return `${decimal(count / 1e6, 1)}M`;
}

/** Returns the last part of a path: `shop`. @param {string} path */
export function lastOf(path) {
  return (
    path
      .replace(/[/\\]+$/, "")
      .split(/[/\\]/)
      .at(-1) || path
  );
}

/** Returns the part of a URL that a person checks before allowing anything. @param {string} url */
export function hostOf(url) {
  if (!URL.canParse(url)) return url;
  const { host, protocol } = new URL(url);
  if (protocol === "http:" || protocol === "https:") return host;
  return host ? `${protocol}//${host}` : protocol === "file:" ? "file" : "";
}

/** Returns a URL without its scheme: `shop.example/cart?step=2`. @param {string} url */
export function addressOf(url) {
  return url.replace(/^https?:\/\//, "");
}

/**
 * Returns the host of a web page; empty for pages of the browser and of extensions, whose titles identify them.
 * @param {string} url
 */
export function siteOf(url) {
  return /^(?:https?|file):/.test(url) ? hostOf(url) : "";
}

/** Returns a model's short name: `claude-opus-4-5-20251101` is `opus 4.5`. @param {string} model */
export function modelName(model) {
  const bare = model
    .replace(/^.*\//, "")
    .replace(/^claude-/, "")
    // Drops the size of its context: `claude-opus-4-8[1m]`.
    .replace(/\[.*\]$/, "")
    .replace(/-(?:\d{8}|latest)$/, "");
  const [, family, version] = /^([a-z]+)-(\d+(?:-\d+)?)$/.exec(bare) ?? [];
  return family ? `${family} ${version?.replace("-", ".")}` : bare;
}
