/*
 * The product's own page script, as `src/browser/page/script/injection.rs` joins it, with its inner functions
 * accessible.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../src/browser');

/** Returns a script that defines `globalThis.__walker` with these names of the product's script. */
export function walkerScript(names) {
  const parts = readFileSync(path.join(source, 'page/script/injection.rs'), 'utf8').matchAll(
    /include_str!\("\.\.\/\.\.\/(injected\/[a-z_]+\.js)"\)/g,
  );
  const body = Array.from(parts, ([, file]) => readFileSync(path.join(source, file), 'utf8')).join('\n');
  return `(() => {'use strict';\n${body}\nglobalThis.__walker = { ${names.join(', ')} };\n})();`;
}
