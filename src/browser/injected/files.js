/*
 * Files that go into a page and come out of it.
 *
 * Owns finding the file field of an element and the address that an element shows. Reads no file by itself.
 */

/* In bytes: more does not fit well into one message. */
const LARGEST_BLOB = 64 * 1024 * 1024;
const BASE64_STEP = 0x8000;

/**
 * Returns the file field of an element: itself, or the one that it labels. → {number, multiple, folder} or a fault
 * @param {Place} place
 * @returns {Refusal | { number: number; multiple: boolean; folder: boolean }}
 */
function fileField(place) {
  const element = heldElement(place);
  if (!element) return { fault: 'stale', message: 'the element left the page' };
  const field = tagOf(element) === 'label' ? element.control : element;
  if (!field || tagOf(field) !== 'input' || field.type !== 'file') {
    return { fault: 'kind', message: 'it takes no files: it is no <input type="file">', description: describe(element) };
  }
  if (isDisabled(field)) return { fault: 'blocked', message: 'it is disabled', description: describe(element) };
  return { number: numberOf(field), multiple: field.multiple, folder: field.webkitdirectory };
}

/**
 * Returns the address that an element shows or links to. → {value} or a fault
 * @param {Target} target
 * @returns {Refusal | { value: string }}
 */
function addressOf(target) {
  const resolved = resolveOne(target);
  if (!resolved.element) return resolved;
  const { element } = resolved;
  const link = dom.closest(element, 'a[href]');
  const found = element.currentSrc || element.src || element.data || (link ? String(link.href?.baseVal ?? link.href) : '');
  if (found) return { value: new URL(found, dom.baseURI(document)).href };
  return { fault: 'kind', message: 'it shows no file and leads to none', description: describe(element) };
}

/**
 * Reads the bytes of a blob: or data: address, which only the page can do. → {base64, type} or {fault}
 * @param {string} url
 * @returns {Promise<Refusal | { base64: string; type: string }>}
 */
async function readBlob(url) {
  let blob;
  try {
    blob = await (await fetch(url)).blob();
  } catch (error) {
    return { fault: 'fetch', message: messageOf(error) };
  }
  if (blob.size > LARGEST_BLOB) return { fault: 'size', message: `it has ${blob.size} bytes` };
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let binary = '';
  for (let at = 0; at < bytes.length; at += BASE64_STEP) binary += String.fromCharCode(...bytes.subarray(at, at + BASE64_STEP));
  return { base64: btoa(binary), type: blob.type };
}
