/**
 * The panel's theme: the system's, or the one that the person chose. Owns the key `theme` in `chrome.storage.local`.
 */

const KEY = "theme";

/** Returns the saved theme. @returns {Promise<string>} `system`, `dark` or `light` */
export async function readTheme() {
  const theme = (await chrome.storage.local.get(KEY))[KEY];
  return theme === "dark" || theme === "light" ? theme : "system";
}

/** @param {string} theme */
function apply(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** @param {string} theme */
export function setTheme(theme) {
  apply(theme);
  void chrome.storage.local.set({ [KEY]: theme });
}

/** Applies the chosen theme, now and whenever another panel changes it. */
export async function followTheme() {
  chrome.storage.local.onChanged.addListener((changes) => {
    const change = changes[KEY];
    if (change) apply(typeof change.newValue === "string" ? change.newValue : "system");
  });
  apply(await readTheme());
}
