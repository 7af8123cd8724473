/**
 * The permissions that the person turns on in the settings. Chrome holds the choice: a permission that is granted is on.
 *
 * Owns the request, which Chrome accepts only within a click, and what is removed with a permission.
 */

/** @typedef {"notifications" | "tabGroups" | "downloads"} OptionalPermission */

/** @returns {Promise<Record<OptionalPermission, boolean>>} */
export async function readPermissions() {
  const [notifications, tabGroups, downloads] = await Promise.all([has("notifications"), has("tabGroups"), has("downloads")]);
  return { notifications, tabGroups, downloads };
}

/** @param {OptionalPermission} name */
function has(name) {
  return chrome.permissions.contains({ permissions: [name] });
}

/**
 * Grants the permission if the person accepts it in Chrome's own dialog, or removes it.
 * @param {OptionalPermission} name
 * @param {boolean} on
 */
export async function setPermission(name, on) {
  if (on) {
    await chrome.permissions.request({ permissions: [name] });
    return;
  }
  // Later there is no way to close them. The background takes tabs out of groups without the permission.
  if (name === "notifications") {
    /** @type {Record<string, boolean>} */
    const shown = await new Promise((resolve) => chrome.notifications.getAll((all) => resolve(/** @type {any} */ (all ?? {}))));
    for (const key of Object.keys(shown)) await new Promise((resolve) => chrome.notifications.clear(key, resolve));
  }
  await chrome.permissions.remove({ permissions: [name] });
}
