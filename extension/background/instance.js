/**
 * Who this installation is: a random id, made once a profile. Owns that id and nothing else.
 */

import { PROTOCOL } from "../shared/constants.js";

/** The parameters of `hello`. @returns {Promise<import("../protocol.js").Hello>} */
export async function hello() {
  const stored = (await chrome.storage.local.get("instanceId")).instanceId;
  const instanceId = typeof stored === "string" ? stored : crypto.randomUUID();
  if (instanceId !== stored) await chrome.storage.local.set({ instanceId });
  return { protocol: PROTOCOL, version: chrome.runtime.getManifest().version, instanceId, browser: await browserName(), relay: true };
}

/** What the browser calls itself, with its whole version where it tells. @returns {Promise<string | undefined>} */
async function browserName() {
  const data = /** @type {any} */ (navigator).userAgentData;
  /** @type {{ brand: string, version: string }[]} */
  const brands = (await data?.getHighEntropyValues(["fullVersionList"]))?.fullVersionList ?? [];
  // Beside its own name a browser gives that of its engine and one that means nothing.
  const known = brands.filter(({ brand }) => !/not.*brand/i.test(brand));
  const own = known.find(({ brand }) => brand !== "Chromium") ?? known[0];
  return own && `${own.brand} ${own.version}`;
}
