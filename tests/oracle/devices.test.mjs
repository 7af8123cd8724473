/*
 * The device table of `emulate device` is Playwright's. After an update of playwright-core: `GSTACK_BLESS=1 node --test
 * tests/oracle/devices.test.mjs`
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { devices } from 'playwright-core';

const folder = new URL('../../src/command/emulating/devices/', import.meta.url);
const playwright = createRequire(import.meta.url);
const ofPackage = (name) => readFileSync(playwright.resolve(`playwright-core/package.json`).replace('package.json', name), 'utf8');

const HEAD = `\
# The device descriptors of playwright-core, Copyright (c) Microsoft Corporation, Apache License 2.0 (LICENSE and NOTICE beside).
# Made by tests/oracle/devices.test.mjs: name, viewport, screen, scale, mobile, touch, user agent.
`;

const size = ({ width, height }) => `${width}x${height}`;

function table() {
  const lines = Object.entries(devices).map(([name, device]) =>
    [
      name,
      size(device.viewport),
      size(device.screen ?? device.viewport),
      device.deviceScaleFactor,
      device.isMobile ? 'mobile' : '-',
      device.hasTouch ? 'touch' : '-',
      device.userAgent,
    ].join('\t'),
  );
  return `${HEAD}${lines.join('\n')}\n`;
}

test("the devices are Playwright's, with its licence beside them", () => {
  const files = { 'table.tsv': table(), LICENSE: ofPackage('LICENSE'), NOTICE: ofPackage('NOTICE') };
  for (const [name, wanted] of Object.entries(files)) {
    const file = new URL(name, folder);
    if (process.env.GSTACK_BLESS) writeFileSync(file, wanted);
    assert.equal(readFileSync(file, 'utf8'), wanted, name);
  }
});
