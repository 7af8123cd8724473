/*
 * What each real CDP client does at `gstack cdp`: it logs in, fills a field in another process, uploads, downloads, answers a dialog,
 * and opens and closes a second tab. Owns these steps; the tests say in which browser, and how a file reaches the client.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { until } from '../e2e/harness/wait.mjs';
import { McpServer } from './mcp-server.mjs';

export const PROGRAMS = path.join(path.dirname(fileURLToPath(import.meta.url)), 'node_modules/.bin');

/** The options of tests with agent-browser, which is installed for `tests/run.sh --all` only. */
export const WITH_AGENT_BROWSER = { skip: existsSync(path.join(PROGRAMS, 'agent-browser')) ? false : 'agent-browser is not installed' };

/**
 * @typedef {object} World
 * @property {import('../e2e/harness/home.mjs').TestHome} home
 * @property {Awaited<ReturnType<typeof import('./shop.mjs').startShop>>} shop
 * @property {string} upload a file with the text `two apples`
 * @property {(...args: string[]) => Promise<string>} address `gstack cdp` with these arguments
 * @property {() => Promise<unknown[]>} frameProcesses the out-of-process frames of the shop's address page, as another client sees them
 * @property {(file?: string) => Promise<void>} downloaded waits for the invoice, in `file` if the client has chosen one
 * @property {boolean} givesFiles the client gets the files that its pages download
 */

/** Returns the connected drivers. @param {World} world */
export async function drivers({ home }) {
  return (await home.json('status')).drivers ?? [];
}

/** @param {World} world */
export const noDriver = (world) => until(async () => (await drivers(world)).length === 0, 'the lease has ended');

const tabs = async (world) => (await drivers(world))[0].tabs.length;

/** @param {World} world */
async function isOutOfProcess({ frameProcesses }) {
  await until(async () => (await frameProcesses()).length > 0, 'the address is in another process than its page');
}

/** @param {World} world @param {string[]} args */
export async function playwright(world, ...args) {
  const { shop, upload } = world;
  const browser = await chromium.connectOverCDP(await world.address('--name', 'shop', ...args));
  const [context] = browser.contexts();
  assert.equal(context.pages().length, 1, 'it sees its own tab, and not the one of the person');
  const [page] = context.pages();
  await page.goto(`${shop.origin}/`);
  await page.fill('#name', 'Ada');
  await page.fill('#password', 'countess');
  await page.click('#enter');
  await page.waitForURL('**/order');
  assert.ok(shop.asked.includes('name=Ada&password=countess'));
  await isOutOfProcess(world);
  const frame = page.frameLocator('#address');
  await frame.locator('#street').fill('Main Street 1');
  await frame.locator('#save').click();
  await page.getByText('street Main Street 1').waitFor();
  await page.setInputFiles('#file', upload);
  await page.getByText('uploaded two apples').waitFor();
  const downloading = page.waitForEvent('download');
  await page.click('#invoice');
  const download = await downloading;
  assert.equal(download.suggestedFilename(), 'invoice.txt');
  if (world.givesFiles) await world.downloaded(await download.path());
  else {
    assert.equal(await download.failure(), 'canceled', 'it learns that it gets no file');
    await world.downloaded();
  }
  page.once('dialog', (dialog) => dialog.accept());
  await page.click('#pay');
  await page.getByText('paid').waitFor();
  const second = await context.newPage();
  await second.goto(`${shop.origin}/other`);
  assert.match(await second.title(), /Other/);
  const [driver] = await drivers(world);
  assert.equal(driver.name, 'Playwright (shop)');
  assert.equal(driver.kind, 'cdp');
  assert.equal(driver.tabs.length, 2);
  assert.match(await world.home.ok(['status']), /Playwright \(shop\), over CDP: tabs \d+, \d+/);
  await second.close();
  await until(async () => (await tabs(world)) === 1, 'the closed tab is no longer leased');
  await browser.close();
  await noDriver(world);
  assert.match(await world.home.ok(['audit']), /cdp \w+ connect[\s\S]*cdp \w+ end/);
}

/** Returns a file's text, or undefined while there is none. */
function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns what waits for an invoice: `file`, or without one a file that gstack has saved and that was not waited for. */
export function invoices(home) {
  const seen = new Set();
  return (file) =>
    until(async () => {
      const listed = JSON.parse(await home.ok(['downloads', '--json'])).data;
      const saved = listed.filter(({ id, state }) => state === 'saved' && !seen.has(id));
      const found = [file, ...(file ? [] : saved.map((one) => one.path))].find((path) => path && textOf(path) === '42 euro');
      if (found) for (const { id } of saved) seen.add(id);
      return Boolean(found);
    }, 'the invoice is downloaded');
}

/** @param {World} world @param {string[]} args */
export async function puppeteerClient(world, ...args) {
  const { home, shop, upload } = world;
  const browser = await puppeteer.connect({ browserWSEndpoint: await world.address(...args), defaultViewport: null });
  const pages = await browser.pages();
  assert.equal(pages.length, 1);
  const [page] = pages;
  await page.goto(`${shop.origin}/`);
  await page.type('#name', 'Grace');
  await page.type('#password', 'admiral');
  await Promise.all([page.waitForNavigation(), page.click('#enter')]);
  assert.ok(shop.asked.includes('name=Grace&password=admiral'));
  await isOutOfProcess(world);
  const element = await page.waitForSelector('#address');
  const frame = await element.contentFrame();
  await (await frame.waitForSelector('#street')).type('Harbour 2');
  await frame.click('#save');
  const says = (text) => page.waitForFunction((text) => document.querySelector('#said').textContent === text, {}, text);
  await says('street Harbour 2');
  await (await page.$('#file')).uploadFile(upload);
  await says('uploaded two apples');
  if (world.givesFiles) {
    const client = await page.createCDPSession();
    await client.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: home.person, eventsEnabled: true });
  }
  await page.click('#invoice');
  await world.downloaded(path.join(home.person, 'invoice.txt'));
  page.once('dialog', (dialog) => dialog.dismiss());
  await page.click('#pay');
  await says('kept');
  const second = await browser.newPage();
  await second.goto(`${shop.origin}/other`);
  assert.equal((await browser.pages()).length, 2);
  await second.close();
  await browser.disconnect();
  await noDriver(world);
}

/** Runs agent-browser, which keeps a daemon of its own for each session, and returns what it prints. */
export function agentBrowserAt({ home }, session, environment = {}) {
  const folder = path.join(home.folder, session);
  const env = { ...home.environment, HOME: home.person, AGENT_BROWSER_SOCKET_DIR: folder, ...environment };
  return (...args) =>
    new Promise((resolve, reject) => {
      const program = path.join(PROGRAMS, 'agent-browser');
      execFile(program, ['--session', session, ...args], { env, cwd: home.person }, (error, stdout, stderr) => {
        if (error) reject(new Error(`agent-browser ${args.join(' ')}: ${stdout}${stderr}`));
        else resolve(stdout);
      });
    });
}

/** @param {World} world @param {string[]} args */
export async function agentBrowser(world, ...args) {
  const { home, shop, upload } = world;
  const run = agentBrowserAt(world, 'first');
  await run('--cdp', await world.address('--name', 'shell', ...args), 'open', `${shop.origin}/`);
  assert.equal((await drivers(world))[0].name, 'CDP client (shell)');
  await run('fill', '#name', 'Edith');
  await run('fill', '#password', 'compiler');
  await run('click', '#enter');
  await run('wait', '--url', '**/order');
  assert.ok(shop.asked.includes('name=Edith&password=compiler'));
  await isOutOfProcess(world);
  const page = await run('snapshot', '-i');
  const ref = (name) => `@${new RegExp(`"${name}" \\[ref=(e\\d+)\\]`).exec(page)[1]}`;
  await run('fill', ref('Street'), 'Canal 3');
  await run('click', ref('Save'));
  assert.match(await run('get', 'text', '#said'), /street Canal 3/);
  await run('upload', '#file', upload);
  await run('wait', '--text', 'uploaded two apples');
  const file = path.join(home.person, 'from-agent-browser.txt');
  if (world.givesFiles) await run('download', '#invoice', file);
  else await run('click', '#invoice');
  await world.downloaded(file);
  await run('click', '#pay');
  assert.match(await run('dialog', 'status'), /Pay now\?/);
  await run('dialog', 'accept');
  assert.match(await run('get', 'text', '#said'), /paid/);
  await run('tab', 'new', `${shop.origin}/other`);
  const listed = await run('tab', 'list');
  assert.equal(listed.match(/\[t\d+\]/g).length, 2, `its own tabs, and not the one of the person: ${listed}`);
  await run('tab', 'close');
  await run('close');
  await noDriver(world);
}

/** @param {World} world @param {string[]} args */
export async function chromeDevtoolsMcp(world, ...args) {
  const { home, shop, upload } = world;
  const server = await McpServer.start(
    path.join(PROGRAMS, 'chrome-devtools-mcp'),
    ['--wsEndpoint', await world.address(...args), '--no-usage-statistics', '--no-performance-crux', '--filesystemRoot', home.person],
    { env: { ...home.environment, HOME: home.person }, cwd: home.person },
  );
  const pageId = 1;
  const call = (tool, values = {}) => server.call(tool, { pageId, ...values });
  const said = () => call('evaluate_script', { function: `() => document.querySelector('#said').textContent` });
  assert.equal((await server.call('list_pages')).match(/^\d+:/gm).length, 1, 'it sees its own tab only');
  await call('navigate_page', { type: 'url', url: `${shop.origin}/` });
  let page = await call('take_snapshot');
  const uid = (name) => new RegExp(`uid=(\\S+) \\w+ "${name}"`).exec(page)[1];
  await call('fill', { uid: uid('Name'), value: 'Joan' });
  await call('fill', { uid: uid('Password'), value: 'colossus' });
  await call('click', { uid: uid('Enter') });
  assert.ok(shop.asked.includes('name=Joan&password=colossus'));
  await isOutOfProcess(world);
  page = await call('take_snapshot');
  await call('fill', { uid: uid('Street'), value: 'Bridge 4' });
  await call('click', { uid: uid('Save') });
  assert.match(await said(), /street Bridge 4/);
  await call('upload_file', { uid: uid('Choose File'), filePaths: [upload] });
  await call('wait_for', { text: ['uploaded two apples'] });
  await call('click', { uid: uid('Invoice') });
  // It has no tool that chooses a folder, so the file is where the browser puts it.
  await world.downloaded();
  await call('click', { uid: uid('Pay') });
  await call('handle_dialog', { action: 'accept' });
  assert.match(await said(), /paid/);
  await server.call('new_page', { url: `${shop.origin}/other` });
  assert.equal(await tabs(world), 2);
  await call('close_page', { pageId: 2 });
  await until(async () => (await tabs(world)) === 1, 'the closed tab is no longer leased');
  await server.stop();
  await noDriver(world);
}
