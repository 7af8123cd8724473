/**
 * Who this installation is: a random id, made once a profile. Owns that id and nothing else.
 */

/** The number of the wire; the daemon compares it. */
export const PROTOCOL = 1;

/** The parameters of `hello`. @returns {Promise<import("../protocol.js").Hello>} */
export async function hello() {
  const stored = (await chrome.storage.local.get("instanceId")).instanceId;
  const instanceId = typeof stored === "string" ? stored : crypto.randomUUID();
  if (instanceId !== stored) await chrome.storage.local.set({ instanceId });
  return { protocol: PROTOCOL, version: chrome.runtime.getManifest().version, instanceId };
}
