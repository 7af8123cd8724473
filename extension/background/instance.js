/**
 * The identity of this installation: a random id, created once per profile. Owns that id and nothing else.
 */

import { PROTOCOL } from "../shared/constants.js";

/** Returns the parameters of `hello`. @returns {Promise<import("../protocol.js").Hello>} */
export async function hello() {
  const stored = (await chrome.storage.local.get("instanceId")).instanceId;
  const instanceId = typeof stored === "string" ? stored : crypto.randomUUID();
  if (instanceId !== stored) await chrome.storage.local.set({ instanceId });
  return { protocol: PROTOCOL, version: chrome.runtime.getManifest().version, instanceId, browser: await browserName(), relay: true };
}

/**
 * Returns the browser's name, with its full version if the browser reports one.
 * @returns {Promise<string | undefined>}
 */
async function browserName() {
  const data = /** @type {any} */ (navigator).userAgentData;
  /** @type {{ brand: string, version: string }[]} */
  const brands = (await data?.getHighEntropyValues(["fullVersionList"]))?.fullVersionList ?? [];
  // Besides its own name, a browser lists its engine's name and a meaningless one.
  const known = brands.filter(({ brand }) => !/not.*brand/i.test(brand));
  const own = known.find(({ brand }) => brand !== "Chromium") ?? known[0];
  return own && `${own.brand} ${own.version}`;
}
