#!/usr/bin/env bash
# Packages: antd 6.6.8, @base-ui/react 1.9.0, react 19.3.1, esbuild 0.28.2, playwright-core 1.65.1 (npm), Chromium 156
# Guess: in an open list each choice has the role `option`, and a click on that element chooses it.
# Seen: in antd's `Select` the elements with that role are copies for screen readers, without width: the chosen option and its neighbours alone,
#   two of five here. Playwright's click by role finds no visible element, a click by script does nothing, and the text in the copy is the value, not the label.
#   What a click chooses are elements without a role. Base UI's options are all there and can be clicked.
# Matters: whoever acts by roles and names (an agent, `getByRole`) sees options that cannot be clicked, and most not at all. Choose by keys
#   (letters, arrows, Enter), or click by the visible text.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install antd@6.6.8 @base-ui/react@1.9.0 react@19.3.1 react-dom@19.3.1 esbuild@0.28.2 playwright-core@1.65.1
cat >app.jsx <<'JSX'
import { Select } from 'antd';
import { Select as Base } from '@base-ui/react/select';
import { createRoot } from 'react-dom/client';
const countries = Object.entries({ de: 'Germany', fr: 'France', it: 'Italy', es: 'Spain', pt: 'Portugal' });
const choose = (value) => { window.chosen = value; };
const options = countries.map(([value, label]) => ({ value, label }));
const base = (
  <Base.Root items={options} defaultValue="de" onValueChange={choose}>
    <Base.Trigger aria-label="Country"><Base.Value /></Base.Trigger>
    <Base.Portal><Base.Positioner><Base.Popup>
      {countries.map(([value, label]) => <Base.Item key={value} value={value}><Base.ItemText>{label}</Base.ItemText></Base.Item>)}
    </Base.Popup></Base.Positioner></Base.Portal>
  </Base.Root>
);
const antd = <Select aria-label="Country" style={{ width: 200 }} defaultValue="de" options={options} onChange={choose} />;
createRoot(document.getElementById('root')).render(location.hash === '#antd' ? antd : base);
JSX
node_modules/.bin/esbuild app.jsx --bundle --format=iife --jsx=automatic --define:process.env.NODE_ENV='"production"' --outfile=bundle.js --log-level=error
cat >look.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { serve } from './devtools.mjs';
const bundle = readFileSync('bundle.js', 'utf8');
const port = await serve(`<meta charset="utf-8"><div id="root"></div><script>${bundle.replaceAll('</script', '<\\/script')}</script>`);
const browser = await chromium.connectOverCDP(process.argv[2]);
const [context] = browser.contexts();
for (const library of ['antd', 'base']) {
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${port}/#${library}`);
  await page.getByRole('combobox').click();
  const option = (name) => page.getByRole('option', { name, exact: true, includeHidden: true });
  await option('France').waitFor({ state: 'attached' });
  const found = [];
  for (const name of ['Germany', 'France', 'Italy', 'Spain', 'Portugal']) if (await option(name).count()) found.push(name);
  console.log(`${library} options: ${found.join(', ')}`);
  console.log(`${library} text of France: ${await option('France').evaluate((element) => element.textContent)}`);
  const click = await option('France').click({ timeout: 5000 }).then(() => 'chosen', (error) => (error.message.includes('not visible') ? 'not visible' : error.message));
  console.log(`${library} click: ${click}, ${await page.evaluate('String(window.chosen)')}`);
  if (library === 'antd') {
    await option('France').evaluate((element) => element.click());
    console.log(`antd click by script: ${await page.evaluate('String(window.chosen)')}`);
    await page.getByText('France', { exact: true }).click();
    console.log(`antd click by text: ${await page.evaluate('String(window.chosen)')}`);
  }
}
process.exit();
JS
chromium_start
node look.mjs "$cdp" >seen.txt
expect "Base UI, options" "Germany, France, Italy, Spain, Portugal" "$(seen 'base options')"
expect "Base UI, a click by role" "chosen, fr" "$(seen 'base click')"
expect "antd, options" "Germany, France" "$(seen 'antd options')"
expect "antd, the text of the second" fr "$(seen 'antd text of France')"
expect "antd, a click by role" "not visible, undefined" "$(seen 'antd click')"
expect "antd, a click by script" undefined "$(seen 'antd click by script')"
expect "antd, a click by the visible text" fr "$(seen 'antd click by text')"
finish
