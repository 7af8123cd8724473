/*
 * Only what the person sees runs: the card shows the whole action, and an element that changed since needs a new
 * approval.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, afterEach, before, describe, test } from 'node:test';
import { Scene } from './harness/scene.mjs';
import { words } from './harness/stand-in.mjs';
import { until } from './harness/wait.mjs';

describe('an action is shown whole, and done as it was shown', () => {
  let scene;
  before(async () => {
    scene = await Scene.open({ at: '/form' });
  });
  afterEach(async () => {
    scene.agent.settle();
    await scene.panel.gone('stop');
  });
  after(async () => {
    await scene?.close();
  });
  const set = (html) => scene.page.evaluate(`document.body.innerHTML = ${JSON.stringify(html)}`);

  test('a script behind blanks, line breaks and turned letters is shown to its end', async () => {
    const turn = await scene.ask('Count the links');
    for (const padding of [' '.repeat(600), '\n'.repeat(90), '\u00a0\t'.repeat(400), '\u202e\u2066']) {
      const running = turn.tool('js', { expression: `1 + 1;${padding}document.title = "taken over"` });
      const asked = await scene.approval();
      assert.match(asked.action.command, /document\.title = /, 'the end is on the card');
      assert.doesNotMatch(asked.action.command, /[\u202a-\u202e\u2066-\u2069]|\s{5}/);
      assert.match(asked.action.command, /⟨(\d+ (blanks|line breaks)|U\+202E)⟩/);
      assert.equal(asked.action.scope, 'control');
      await scene.home.ok(['approvals', 'deny', asked.approvalId]);
      assert.ok((await running).isError);
    }
    assert.notEqual(await scene.page.evaluate('document.title'), 'taken over');
    turn.end();
  });

  test('the stream of approvals has a line when one opens and one when it is answered', async () => {
    const lines = [];
    const watching = scene.home.start(['approvals', '--watch', '--json']);
    const gone = once(watching, 'close');
    createInterface({ input: watching.stdout }).on('line', (line) =>
      lines.push(JSON.parse(line).approvals.map(({ approvalId, action }) => [approvalId, action.command])),
    );
    try {
      await until(() => lines.length === 1, 'the first line');
      const turn = await scene.ask('Count');
      const running = turn.tool('js', { expression: '1 + 1' });
      const asked = await scene.approval();
      await until(() => lines.length === 2, 'a line when it opens');
      await scene.home.ok(['approvals', 'deny', asked.approvalId]);
      await running;
      await until(() => lines.length === 3, 'a line when it is answered');
      assert.deepEqual(lines, [[], [[asked.approvalId, asked.action.command]], []]);
      turn.end();
    } finally {
      watching.kill('SIGTERM');
      await gone;
    }
  });

  test('a button, a link or a form that is another one by now is asked about again', async () => {
    await set(
      '<button id="b" type="button" onclick="window.clicked = this.textContent">Cancel</button><a id="l" href="/form?safe">Read more</a>',
    );
    const turn = await scene.ask('Go on');
    const changes = [
      ['#b', 'Cancel', 'b.textContent = "Pay 500 EUR"', 'Pay 500 EUR'],
      ['#l', 'Read more', 'l.href = "/form?leak=1"', 'Read more'],
      ['#b', 'Pay 500 EUR', 'b.outerHTML = "<form><button id=b>Pay 500 EUR</button></form>"', 'Pay 500 EUR'],
    ];
    for (const [selector, before, change, now] of changes) {
      const clicking = turn.tool('click', { selector });
      const first = await scene.approval();
      assert.equal(first.action.element.name, before);
      await scene.page.evaluate(change);
      await scene.home.ok(['approvals', 'allow', first.approvalId]);
      const second = await scene.approval();
      assert.notEqual(second.approvalId, first.approvalId);
      assert.equal(second.action.element.name, now);
      await scene.home.ok(['approvals', 'deny', second.approvalId]);
      assert.ok(words(await clicking).includes('the person denied'));
    }
    assert.equal(await scene.page.evaluate('window.clicked ?? "nothing"'), 'nothing');
    turn.end();
  });

  test('allowing clicks on a site does not send its forms', async () => {
    await scene.home.ok(['policy', 'allow', 'act', '--site', new URL(scene.site.origin).host]);
    await set(`<form action="/sent" method="post"><input id="n" aria-label="Name"><button id="go">Next</button></form>
      <button id="plain" type="button">More</button><div role="button" id="pay" tabindex="0">Jetzt kaufen</div>
      <a id="del" href="#x">削除</a>`);
    const turn = await scene.ask('Fill it in');
    assert.ok(!(await turn.tool('click', { selector: '#plain' })).isError);
    assert.ok(!(await turn.tool('fill', { selector: '#n', value: 'Ada' })).isError);
    const refused = async (tool, input) => {
      const going = turn.tool(tool, input);
      const asked = await scene.approval();
      assert.equal(asked.action.scope, 'submit', JSON.stringify(asked));
      assert.equal(asked.action.submits, true);
      await scene.home.ok(['approvals', 'deny', asked.approvalId]);
      assert.ok((await going).isError);
    };
    await refused('click', { selector: '#go' });
    await refused('click', { selector: '#pay' });
    await refused('click', { selector: '#del' });
    assert.ok(!(await turn.tool('click', { selector: '#n' })).isError);
    await refused('press', { key: 'Enter' });
    await refused('type', { text: 'Ada\n' });
    assert.ok(!scene.site.asked.some((line) => line.includes('/sent')), 'nothing was sent');
    turn.end();
  });
});
