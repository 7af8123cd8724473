#!/usr/bin/env bash
# Packages: playwright-core 1.65.1, dom-accessibility-api 0.7.1, axe-core 4.14.1, esbuild 0.28.2 (npm), Chromium 156
# Guess: `<img alt="" title="Logo">` is decoration for every tool: an empty `alt` says so, and a tooltip for the mouse does not change it.
# Seen: Chromium's tree has an image without a name, which it leaves out if there is no `title`. Playwright has an image named "Logo", and names
#   the button around it by it. axe and dom-accessibility-api take it for decoration, so that axe reports the button.
# Matters: A tooltip adds nameless images to what screen readers announce, which axe does not report, and a button passes a test by role in
#   Playwright that has no name in the browser. Put the tooltip on an element around the image.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install playwright-core@1.65.1 dom-accessibility-api@0.7.1 axe-core@4.14.1 esbuild@0.28.2
cat >library.js <<'JS'
import axe from 'axe-core';
import { computeAccessibleName, getRole } from 'dom-accessibility-api';
Object.assign(window, { axe, computeAccessibleName, getRole });
JS
node_modules/.bin/esbuild library.js --bundle --format=iife --outfile=bundle.js --log-level=error
cat >names.mjs <<'EOS'
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
const browser = await chromium.connectOverCDP(process.argv[2]);
const page = await browser.contexts()[0].newPage();
const session = await page.context().newCDPSession(page);
const picture = 'src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="';
for (const [form, attributes] of Object.entries({ title: 'alt="" title="Logo"', plain: 'alt=""' })) {
  await page.setContent(`<main><button><img ${picture} ${attributes}></button></main>`);
  await page.addScriptTag({ content: readFileSync('bundle.js', 'utf8') });
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const named = (found, name) => (found ? name || 'without a name' : 'absent');
  const shown = (role) => {
    const node = nodes.find((node) => !node.ignored && node.role.value === role);
    return named(node, node?.name?.value);
  };
  const snapshot = await page.locator('main').ariaSnapshot();
  const listed = (role) => named(new RegExp(`- ${role}\\b`).test(snapshot), new RegExp(`- ${role} "([^"]*)"`).exec(snapshot)?.[1]);
  const library = await page.evaluate(() => [window.getRole(document.images[0]), window.computeAccessibleName(document.querySelector('button'))]);
  const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ['button-name', 'image-alt'] }));
  console.log(`Chromium ${form}: image ${shown('image')}, button ${shown('button')}`);
  console.log(`Playwright ${form}: image ${listed('img')}, button ${listed('button')}`);
  console.log(`dom-accessibility-api ${form}: image ${library[0]}, button ${library[1] || 'without a name'}`);
  console.log(`axe ${form}: ${violations.map(({ id }) => id).join(' ') || 'nothing'}`);
}
process.exit();
EOS
chromium_start
node names.mjs "$cdp" >seen.txt
expect "Chromium, with a title" "image without a name, button without a name" "$(seen 'Chromium title')"
expect "Chromium, without" "image absent, button without a name" "$(seen 'Chromium plain')"
expect "Playwright, with a title" "image Logo, button Logo" "$(seen 'Playwright title')"
expect "Playwright, without" "image absent, button without a name" "$(seen 'Playwright plain')"
for form in title plain; do
  expect "dom-accessibility-api, $form" "image presentation, button without a name" "$(seen "dom-accessibility-api $form")"
  expect "axe reports, $form" "button-name" "$(seen "axe $form")"
done
finish
