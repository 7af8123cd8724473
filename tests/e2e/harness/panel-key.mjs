/* A panel's key for tests that play a browser, and the person's confirmation by the real command. */
import { webcrypto } from 'node:crypto';

const { subtle } = webcrypto;
/** The keys of the browsers that tests play, by their name. */
const keys = new Map();

async function keyOf(name) {
  if (!keys.has(name)) keys.set(name, subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']));
  return keys.get(name);
}

/** Returns the parameters of `panel.prove` for a welcome, with the key of that name. */
export async function proof({ challenge, homeId }, name = 'test') {
  const { publicKey, privateKey } = await keyOf(name);
  const point = Buffer.from(await subtle.exportKey('raw', publicKey)).toString('base64');
  const text = ['gstack panel proof 1', challenge, homeId, point].join('\n');
  const signature = await subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, Buffer.from(text));
  return { publicKey: point, signature: Buffer.from(signature).toString('base64') };
}

/** Confirmations in progress by code: two connections with one key share a code. */
const confirming = new Map();

/**
 * Proves the key through `ask(method, params)`, which returns the result, and confirms it as the person if necessary.
 */
export async function confirmed(home, welcome, ask, name = 'test') {
  const { confirmed: already, code } = await ask('panel.prove', await proof(welcome, name));
  if (already) return;
  if (!confirming.has(code)) confirming.set(code, home.ok(['panels', 'confirm', code]));
  await confirming.get(code);
}
