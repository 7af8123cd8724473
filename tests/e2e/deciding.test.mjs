/*
 * A person's answers, choices and actions beside the conversation itself, with the real daemon: questions and plans,
 * waiting for a free agent, tabs, attachments, quick actions, history, the model, settings.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { Scene } from './harness/scene.mjs';

const has = (selector, words) =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})]
    .some((one) => one.checkVisibility() && one.innerText.includes(${JSON.stringify(words)}))`;
/** Presses an element as soon as it can be pressed, because a menu may be redrawn at any time. */
const press = ({ page }, selector, words) =>
  page.waitFor(
    `(() => {
  const name = (one) => one.getAttribute('aria-label') ?? one.innerText;
  const found = [...document.querySelectorAll(${JSON.stringify(selector)})]
    .find((one) => one.checkVisibility() && !one.disabled && name(one).includes(${JSON.stringify(words)}));
  found?.click();
  return Boolean(found);
})()`,
    `${selector} ${words}`,
  );
const escape = ({ page }) => page.press('Escape', { keyCode: 27 });

describe('what a person decides in the panel', () => {
  let scene;
  before(async () => {
    scene = await Scene.open();
  });
  afterEach(() => scene.agent.settle());
  after(() => scene?.close());

  test("an agent's question is answered by choice and in own words, also after the panel was reloaded", async () => {
    const { panel } = scene;
    const turn = await scene.ask('Make it nicer');
    const answered = turn.ask('AskUserQuestion', {
      questions: [
        {
          question: 'Which colour?',
          header: 'Colour',
          multiSelect: false,
          options: [
            { label: 'Green', description: 'As the logo' },
            { label: 'Blue', description: '' },
          ],
        },
        {
          question: 'Where?',
          header: 'Place',
          multiSelect: true,
          options: [
            { label: 'Header', description: '' },
            { label: 'Footer', description: '' },
          ],
        },
      ],
    });
    await panel.page.waitFor(`document.querySelectorAll('.question__part').length === 2`);
    await panel.page.evaluate(`document.querySelectorAll('.question__part')[0].querySelectorAll('input')[1].click()`);
    await panel.page.evaluate(`document.querySelectorAll('.question__part')[1].querySelector('input[type=text]').focus()`);
    await panel.page.insert('the buttons');
    await panel.page.evaluate(`new Promise((kept) => {
      const look = async () => {
        const all = Object.entries(await chrome.storage.local.get(null));
        if (all.some(([key, value]) => key.startsWith('answer:') && value[1].own === 'the buttons')) kept();
      };
      chrome.storage.onChanged.addListener(look);
      void look();
    })`);
    await panel.page.send('Page.reload');
    await panel.page.waitFor(
      `document.querySelectorAll('.question__part')[1]?.querySelector('input[type=text]').value === 'the buttons'`,
      'what was written before the reload',
    );
    await panel.page.waitFor(`document.querySelector('.question:not(.is-arming)')`);
    await press(panel, '.question button', 'Answer');
    const { behavior, updatedInput } = await answered;
    assert.equal(behavior, 'allow');
    assert.deepEqual(updatedInput.answers, { 'Which colour?': 'Blue', 'Where?': 'the buttons' });
    await panel.page.waitFor(has('.decided--question', 'the buttons'));
    turn.end();
    await panel.gone('stop');
  });

  test("an agent's plan is one checklist that goes on", async () => {
    const { panel } = scene;
    const turn = await scene.ask('Move the tests');
    const todos = (...states) => ({
      todos: [
        ['Find them', states[0]],
        ['Move them', states[1]],
      ].map(([content, status]) => ({ content, status, activeForm: content })),
    });
    turn.own('TodoWrite', todos('pending', 'pending'), null);
    await panel.page.waitFor(`document.querySelector('#conversation').innerText.includes('No such tool available')`);
    assert.equal(await panel.page.evaluate(`document.querySelector('#conversation').innerText.includes('tool_use_error')`), false);
    assert.equal(await panel.page.evaluate(`document.querySelectorAll('.plan').length`), 0);
    turn.own('TodoWrite', todos('in_progress', 'pending'), {});
    await panel.page.waitFor(`document.querySelector('.plan [aria-current=step]')?.innerText.includes('Find them')`);
    turn.own('TodoWrite', todos('completed', 'in_progress'), {});
    await panel.page.waitFor(`document.querySelector('.plan [aria-current=step]')?.innerText.includes('Move them')`);
    assert.equal(await panel.page.evaluate(`document.querySelectorAll('.plan').length`), 1);
    assert.match(await panel.page.evaluate(`document.querySelector('.plan .card__head').innerText`), /1 of 2/);
    turn.own('TaskCreate', { subject: 'Run them', description: 'all' }, { task: { id: '7', subject: 'Run them' } });
    turn.own('TaskUpdate', { taskId: '7', status: 'in_progress' }, { success: true, taskId: '7' });
    await panel.page.waitFor(`document.querySelector('.plan [aria-current=step]')?.innerText.includes('Run them')`);
    turn.end();
    await panel.gone('stop');
  });

  test('a message waits in sight for a free agent and begins by itself', async () => {
    const { panel, client, site, home } = scene;
    await home.ok(['settings', 'set', 'agents.at-once', '1']);
    try {
      const first = await scene.ask('Take your time');
      first.say('I do.');
      await panel.seen('answer', 'I do.');
      const { targetId } = await client.send('Target.createTarget', { url: `${site.origin}/counter` });
      await panel.page.waitFor(`!document.querySelector('.bubble')`, 'an empty conversation');
      await panel.say('And here?');
      await panel.page.waitFor(`${has('.notice--slot', 'maximum number of agents')} && ${has('.turn-footer', 'waiting for a free agent')}`);
      first.end();
      const second = await scene.agent.prompt();
      assert.match(second.prompt, /And here\?/);
      second.say('Here it is.');
      await panel.seen('answer', 'Here it is.');
      assert.equal(await panel.page.evaluate(has('.notice--slot', 'maximum number of agents')), false);
      second.end();
      await panel.gone('stop');
      await client.send('Target.closeTarget', { targetId });
      await panel.seen('bubble', 'Take your time');
    } finally {
      await home.ok(['settings', 'unset', 'agents.at-once']);
    }
  });

  test('another tab is given to the agent and taken away again', async () => {
    const { panel, client, site } = scene;
    const { targetId } = await client.send('Target.createTarget', { url: `${site.origin}/long`, background: true });
    await panel.page.click('.tabchip');
    await press(panel, '.menu--tabs button', 'Add a tab');
    await press(panel, '.menu--tabs button', 'Long');
    await panel.page.waitFor(`document.querySelector('.menu--tabs').innerText.includes('Long')
      && document.querySelector('.tabchip__others').innerText.includes('2')`);
    await press(panel, '.menu--tabs button', 'Remove Long');
    await panel.page.waitFor(`!document.querySelector('.tabchip__others').innerText.includes('2')`);
    await escape(panel);
    await client.send('Target.closeTarget', { targetId });
  });

  test('a screenshot of the page goes with a message and opens from it', async () => {
    const { panel } = scene;
    await panel.page.click('.composer__bar [aria-haspopup=menu]');
    await panel.page.click('[data-source=screenshot]');
    await panel.page.waitFor(`document.querySelector('.composer [data-kind=shot]')`);
    const turn = await scene.ask('What is on it?');
    // Its size is known once the daemon has it.
    await panel.page.waitFor(`/\\.png[\\s\\S]*KB/.test(document.querySelector('.bubble-files')?.innerText)`);
    assert.equal(await panel.page.evaluate(`document.querySelector('.composer .attachment')`), null);
    turn.end();
    await panel.gone('stop');
  });

  test("what is attached is there again after the extension's process has crashed", async () => {
    const { panel } = scene;
    await panel.page.click('.composer__bar [aria-haspopup=menu]');
    await panel.page.click('[data-source=page]');
    await panel.page.waitFor(`document.querySelector('.composer [data-kind=page]')`);
    await panel.page.click('.composer__text');
    await panel.page.insert('Sum it up');
    await panel.page.evaluate(`new Promise((kept) => {
      const look = async () => {
        const all = await chrome.storage.local.get(null);
        if (Object.values(all).includes('Sum it up') && Object.keys(all).some((key) => key.startsWith('attached:'))) kept();
      };
      chrome.storage.onChanged.addListener(look);
      void look();
    })`);
    await scene.lookAway();
    for (const { pid } of scene.home.processes('extension-renderer')) await scene.home.kill(pid);
    await scene.lookAgain();
    await scene.panel.page.waitFor(
      `document.querySelector('.composer__text')?.value === 'Sum it up' && document.querySelector('.composer [data-kind=page]')`,
    );
    await scene.panel.page.click('.send');
    const turn = await scene.agent.prompt();
    assert.match(turn.prompt, /Sum it up/);
    assert.match(turn.prompt, /Order now|Order/);
    turn.end();
    await scene.panel.gone('stop');
  });

  test('a conversation from history is read, goes on in another tab, is deleted and comes back', async () => {
    const { panel, client, site } = scene;
    await panel.say('/new');
    await panel.page.waitFor(`!document.querySelector('.bubble')`);
    await scene.talk('Where is the blue parcel?', 'At the corner shop.');
    // A conversation that has its tab opens there; this one has none any more.
    await panel.say('/new');
    await panel.page.waitFor(`!document.querySelector('.bubble')`);
    await panel.say('Something else');
    (await scene.agent.prompt()).end();
    await panel.gone('stop');
    const { targetId } = await client.send('Target.createTarget', { url: `${site.origin}/counter` });
    await panel.page.waitFor(`!document.querySelector('.bubble')`, 'an empty conversation');
    await panel.page.click('button[aria-label=History]');
    await press(panel, '.history-row__title', 'blue parcel');
    await panel.seen('answer', 'At the corner shop.');
    assert.equal(await panel.page.evaluate(`document.querySelector('#dock').hidden`), true, `it is only read:\n${await panel.page.text()}`);
    await press(panel, '#reading button', 'Continue here');
    await panel.page.waitFor(`!document.querySelector('#dock').hidden`);
    await scene.talk('And the red one?', 'Next to it.');
    await panel.page.click('button[aria-label=History]');
    await panel.page.waitFor(has('.history-row__title', 'blue parcel'));
    const row = `[...document.querySelectorAll('.history-row')].find((one) => one.innerText.includes('blue parcel'))`;
    await panel.page.evaluate(`${row}.querySelector('[aria-label=Delete]').click()`);
    await panel.page.waitFor(`!(${row})`);
    assert.doesNotMatch(await scene.home.ok(['sessions']), /blue parcel/);
    await press(panel, '#toast button', 'Undo');
    await panel.page.waitFor(`Boolean(${row})`);
    assert.match(await scene.home.ok(['sessions']), /blue parcel/);
    await escape(panel);
    await client.send('Target.closeTarget', { targetId });
  });

  test('a tab that was closed and is brought back has its conversation again', async () => {
    const { panel, client, site } = scene;
    const { targetId } = await client.send('Target.createTarget', { url: `${site.origin}/long` });
    await panel.page.waitFor(
      `!document.querySelector('.bubble') && document.querySelector('.tabchip').innerText.includes('Long')`,
      'an empty conversation',
    );
    await scene.talk('How long is it?', 'Very long.');
    await client.send('Target.closeTarget', { targetId });
    await panel.page.waitFor(`!document.querySelector('.tabchip').innerText.includes('Long')`);
    await panel.page.evaluate(`chrome.sessions.restore().then(() => true)`);
    await panel.page.waitFor(`document.querySelector('.tabchip').innerText.includes('Long')`);
    await panel.seen('answer', 'Very long.');
    const again = await client.target((one) => one.type === 'page' && one.url.endsWith('/long'), 'the tab that came back');
    await client.send('Target.closeTarget', { targetId: again.targetId });
    await panel.page.waitFor(`!document.querySelector('.tabchip').innerText.includes('Long')`);
  });

  test('a conversation is saved as a file that says what was said', async () => {
    const { panel } = scene;
    await panel.page.waitFor(`document.querySelector('.composer__text').checkVisibility()`);
    await scene.talk('Keep this sentence', 'It is kept.');
    const saved = panel.page.evaluate(`new Promise((saved) => {
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => { URL.createObjectURL = make; blob.text().then(saved); return make(blob); };
    })`);
    await panel.say('/export');
    assert.match(await saved, /Keep this sentence[\s\S]*It is kept\./);
  });

  test('the chosen model holds for the next message', async () => {
    const { panel } = scene;
    await panel.page.click('.agent-button');
    await press(panel, '#agents [role=radio]', 'Deep');
    await panel.page.waitFor(`document.querySelector('.agent-button').innerText.includes('deep')`);
    await escape(panel);
    const info = JSON.parse(await scene.home.ok(['sessions', '--json']));
    assert.ok(JSON.stringify(info).includes('"deep"'), 'the daemon holds it');
    await scene.talk('Think about it', 'I have.');
    await panel.page.click('.agent-button');
    await press(panel, '#agents [role=radio]', 'Auto');
    await panel.page.waitFor(`document.querySelector('.agent-button').innerText.includes('auto')`);
  });

  test("a setting that is changed in the panel is the command line's, and the other way round", async () => {
    const { panel, home } = scene;
    await escape(panel);
    await panel.page.click('button[aria-label=Settings]');
    const control = `document.querySelector('[data-setting="turns.direct-commands"]')`;
    await panel.page.waitFor(`${control}?.getAttribute('aria-checked') === 'true'`);
    await panel.page.click('.advanced > summary');
    await panel.page.click('[data-setting="turns.direct-commands"]');
    await panel.page.waitFor(`${control}.getAttribute('aria-checked') === 'false'`);
    assert.match(await home.ok(['settings', 'get', 'turns.direct-commands']), /false/);
    await escape(panel);
    await home.ok(['settings', 'unset', 'turns.direct-commands']);
    await panel.page.click('button[aria-label=Settings]');
    await panel.page.waitFor(`${control}?.getAttribute('aria-checked') === 'true'`);
    await escape(panel);
  });
});

describe('without any agent', () => {
  let scene;
  before(async () => {
    scene = await Scene.open({ agent: false, at: '/counter' });
  });
  after(() => scene?.close());

  test('the panel says so, and its suggestions work', async () => {
    const { panel } = scene;
    await panel.page.waitFor(has('.empty__title', 'No agent found'));
    await press(panel, '.suggestion', 'Read the page');
    await panel.seen('answer', 'Counter');
    await panel.gone('stop');
  });

  test('quick actions work: the page is tidied, a picture is taken, an element is picked', async () => {
    const { panel, page } = scene;
    const style = 'position:fixed;inset:auto 0 0 0;height:120px;z-index:999;background:#ccc';
    const banner = `<div class="cookie-banner" style="${style}">We use cookies. <button>Accept all</button></div>`;
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(banner)})`);
    await press(panel, '.quick button', 'Clean up');
    await page.waitFor(`!document.querySelector('.cookie-banner')?.checkVisibility()`);
    await press(panel, '.quick button', 'Screenshot');
    await panel.page.waitFor(`document.querySelector('.attachment[data-kind=shot]')`);
    await press(panel, '.quick button', 'Pick');
    await panel.page.waitFor(has('#toast', 'Pick an element'));
    await escape(panel);
    await panel.page.waitFor(`document.querySelector('#toast').hidden`);
  });
});
