/**
 * This browser's key, by which the daemon recognises a browser that the person has confirmed.
 *
 * Owns the key pair, created once per profile and kept in IndexedDB. The private key never leaves the browser's crypto,
 * and one signature is valid for one connection to one gstack.
 * @import { PanelProve, Welcome } from "../protocol.js"
 */

const DATABASE = "panel-key";
const STORE = "keys";
const NAME = "own";
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" };
/** The first line of the signed text; the daemon uses the same. */
const PURPOSE = "gstack panel proof 1";

/** @type {Promise<CryptoKeyPair> | undefined} */
let known;

/**
 * Returns the parameters of `panel.prove` for a connection.
 * @param {Welcome} welcome
 * @returns {Promise<PanelProve>}
 */
export async function prove({ challenge, homeId }) {
  known ??= keyPair();
  const { publicKey, privateKey } = await known;
  const point = base64(await crypto.subtle.exportKey("raw", publicKey));
  const text = new TextEncoder().encode([PURPOSE, challenge, homeId, point].join("\n"));
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, text);
  return { publicKey: point, signature: base64(signature) };
}

/** Returns the stored key pair, or creates one. If storage is unavailable, the pair lasts as long as this worker. */
async function keyPair() {
  /** @type {CryptoKeyPair | undefined} */ let made;
  try {
    const database = await opened();
    const stored = await done(database.transaction(STORE).objectStore(STORE).get(NAME));
    if (stored) return /** @type {CryptoKeyPair} */ (stored);
    made = await newPair();
    await done(database.transaction(STORE, "readwrite").objectStore(STORE).put(made, NAME));
    return made;
  } catch {
    return made ?? newPair();
  }
}

function newPair() {
  return /** @type {Promise<CryptoKeyPair>} */ (crypto.subtle.generateKey(ALGORITHM, false, ["sign", "verify"]));
}

/** @returns {Promise<IDBDatabase>} */
function opened() {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return done(request);
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** @param {ArrayBuffer} bytes */
function base64(bytes) {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}
