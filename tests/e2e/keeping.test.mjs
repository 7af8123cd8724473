/* A person's stored data and choices in the panel, with the real daemon: history, settings, rules, folder, tabs. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { Scene } from './harness/scene.mjs';

const shows = (words) => `document.body.innerText.includes(${JSON.stringify(words)})`;

describe('what a person keeps and decides in the panel', () => {
  let scene;
  before(async () => {
    scene = await Scene.open();
  });
  afterEach(() => scene.agent.settle());
  after(() => scene?.close());

  test('a conversation is named, found by its words and saved as a file', async () => {
    const { panel } = scene;
    await scene.talk('Where is the parcel?', 'It lies at the green post office.');
    await panel.say('/rename The parcel');
    await panel.page.click('button[aria-label=History]');
    await panel.page.waitFor(`document.querySelector('.history-row__title')?.innerText === 'The parcel'`);
    await panel.page.insert('green post');
    await panel.page.waitFor(`document.querySelector('.history-row__excerpt mark')?.innerText === 'green post'`);
    await panel.page.press('Escape', { keyCode: 27 });
    await panel.say('/export');
    await panel.page.waitFor(shows('Saved as'));
  });

  test('a new chat offers to go on with the one before, and takes it back', async () => {
    const { panel } = scene;
    await panel.say('/new');
    // The suggestions appear after it and move it.
    await panel.page.waitFor(`document.querySelector('.suggestion') && document.querySelector('.earlier')`);
    await panel.page.click('.earlier');
    await panel.seen('bubble', 'Where is the parcel?');
  });

  test('the agent works in another folder from the next message on', async () => {
    const { panel, home } = scene;
    const folder = path.join(home.person, 'work');
    mkdirSync(folder);
    await panel.say(`/folder ${folder}`);
    await panel.page.waitFor(`document.querySelector('.folder-button').innerText === 'work'`);
    await panel.say('/folder relative');
    await panel.page.waitFor(`!document.querySelector('#toast').hidden`);
  });

  test('a setting is changed where it stands and written down', async () => {
    const { panel } = scene;
    await panel.page.click('button[aria-label=Settings]');
    await panel.page.click('.advanced__head');
    await panel.page.click('[data-setting="turns.direct-commands"]');
    await panel.page.waitFor(`document.querySelector('[data-setting="turns.direct-commands"]').getAttribute('aria-checked') === 'false'`);
    await panel.page.click('[data-setting="turns.direct-commands"]');
    await panel.page.waitFor(`document.querySelector('[data-setting="turns.direct-commands"]').getAttribute('aria-checked') === 'true'`);
    await panel.page.press('Escape', { keyCode: 27 });
  });

  test('unattended work asks nothing, says so, and ends by a button', async () => {
    const { panel, page } = scene;
    await panel.say('/unattended 15m');
    await panel.page.waitFor(`document.querySelector('#unattended').innerText.includes('Works unattended until')`);
    const turn = await scene.ask('Fill it');
    const filled = await turn.tool('fill', { selector: '#name', value: 'Ada' });
    assert.ok(!filled.isError, JSON.stringify(filled));
    assert.equal(await page.evaluate('document.querySelector("#name").value'), 'Ada');
    await panel.page.click('#unattended button');
    await panel.page.waitFor(`document.querySelector('#unattended').hidden`);
    const asked = turn.tool('fill', { selector: '#name', value: 'Eve' });
    await panel.seen('approval', 'fill');
    await panel.answer('Deny');
    assert.ok((await asked).isError);
    turn.end();
    await panel.gone('stop');
  });
});
