/*
 * One gstack with a browser and the agents of the matrix, each in its own tab, and the fakes of their APIs. Owns sending a
 * message and what came of it: the steps, the cards, and what the model was sent.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import { Api } from '../e2e/harness/api.mjs';
import { TestHome } from '../e2e/harness/home.mjs';
import { BarePanel } from '../e2e/harness/host.mjs';
import { Site } from '../e2e/harness/site.mjs';
import { within } from '../e2e/harness/wait.mjs';
import { startProxy } from './proxy.mjs';

const tests = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** The first message of an agent waits for its start. */
const LONGEST_TURN = 180_000;

/** Returns a picture of one color as base64. */
function pictureOf(red, green, blue) {
  const [width, height] = [64, 48];
  const part = (name, data) => {
    const named = Buffer.concat([Buffer.from(name), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const line = Buffer.concat([Buffer.alloc(1), Buffer.alloc(width * 3, Buffer.from([red, green, blue]))]);
  const pixels = deflateSync(Buffer.concat(Array(height).fill(line)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, part('IHDR', head), part('IDAT', pixels), part('IEND', Buffer.alloc(0))]).toString('base64');
}

const ended = (api) =>
  new Promise((resolve) => {
    api.once('close', resolve);
    api.stdin.end();
  });

/** Starts the fake of an agent's model. */
export async function startFake(agent, file, log) {
  const args = [path.join(tests, 'fake', `${agent.fake}.mjs`), file, '--log', log];
  const api = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const line = await within(new Promise((resolve) => api.stdout.once('data', resolve)), 'a fake API did not start');
  return { address: `http://127.0.0.1:${JSON.parse(String(line)).port}`, stop: () => ended(api) };
}

/** Returns the replies of an agent's model to the messages of every box. */
export function scenario(agent, folder) {
  const call = (match, tool, input) => {
    const found = agent.finds?.(tool);
    if (!found) return [{ match, tools: true, reply: agent.calls(tool, input) }];
    // It has to search for the tool first; the answer names it.
    return [
      { match, tools: true, reply: found.search },
      { match: found.answer, in: 'toolResult', tools: true, times: 1, reply: agent.calls(tool, input) },
    ];
  };
  return {
    rules: [
      ...call('look at the page', 'snapshot', {}),
      ...call('press it now', 'click', { selector: 'text=Order now' }),
      ...call('take a picture', 'screenshot', {}),
      ...call('read it all', 'text', {}),
      ...call('say both', 'both', {}),
      ...(agent.writes ? [{ match: 'write the file', tools: true, reply: agent.writes(path.join(folder, `${agent.name}.txt`)) }] : []),
      ...(agent.plans ? [{ match: 'plan it', tools: true, reply: agent.plans }] : []),
      ...(agent.more ?? []),
      ...(agent.asks ? [{ match: 'ask me something', tools: true, reply: agent.asks }] : []),
      { match: 'count slowly', reply: [{ text: 'tick ', repeat: 2000, chunk: 5, delayMs: 50 }] },
      { match: 'repeat after me: ', reply: [{ text: '$1' }] },
    ],
    afterTool: [{ text: 'It is done.' }],
    default: [{ text: 'ok' }],
  };
}

export class Trial {
  #fakes = new Map();
  #tabs = new Map();
  /** The id and the last event of each agent's conversation. */
  #conversations = new Map();

  /** Starts gstack, its browser and the fakes of these agents. */
  static async start(agents) {
    const trial = new Trial();
    trial.home = new TestHome({ permanent: true });
    trial.folder = path.join(trial.home.person, 'project');
    mkdirSync(trial.folder);
    mkdirSync(trial.home.home, { mode: 0o700 });
    trial.site = await Site.start();
    trial.proxy = await startProxy();
    const { address } = trial.proxy;
    let variables = { HTTPS_PROXY: address, HTTP_PROXY: address, NO_PROXY: '127.0.0.1,localhost' };
    const programs = [];
    const own = [];
    for (const agent of agents) {
      const script = path.join(trial.home.folder, `${agent.name}.json`);
      writeFileSync(script, JSON.stringify(scenario(agent, trial.folder)));
      const fake = await startFake(agent, script, trial.#log(agent));
      trial.#fakes.set(agent.name, fake);
      await agent.prepare?.(trial.home, fake.address);
      variables = { ...variables, ...agent.variables?.(fake.address, trial.home) };
      if (agent.known) programs.push(`${agent.name} = ${JSON.stringify(agent.command[0])}\n`);
      else own.push(`[agents.own.${agent.name}]\ncommand = ${JSON.stringify(agent.command)}\n`);
    }
    const environment = Object.entries(variables).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
    const toml = `[agents.programs]\n${programs.join('')}[agents.environment]\n${environment.join('')}${own.join('')}`;
    writeFileSync(path.join(trial.home.home, 'config.toml'), toml, { mode: 0o600 });
    await trial.home.ok(['connect', '--headless', `${trial.site.origin}/form`], { cwd: trial.folder, limit: 240_000 });
    return trial;
  }

  #log(agent) {
    return path.join(this.home.folder, `${agent.name}.jsonl`);
  }

  /** Returns the requests that an agent's model got, as text, oldest first. */
  requests(agent) {
    const file = this.#log(agent);
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }

  /** Returns the number of the agent's tab, on a page of the site. */
  async tab(agent, where = '/form') {
    const api = new Api(this.home);
    if (!this.#tabs.has(agent.name)) this.#tabs.set(agent.name, await api.tab(`${this.site.origin}${where}`));
    return this.#tabs.get(agent.name);
  }

  /** Returns what gstack lists about an agent: its models and modes too. */
  async about(agent) {
    const { body } = await new Api(this.home).get('/agents');
    return body.agents.find((one) => one.name === agent.name);
  }

  /** Opens another page in the agent's tab. */
  async open(agent, where) {
    await new Api(this.home).ok('goto', [`${this.site.origin}${where}`], await this.tab(agent));
  }

  /** Returns what a script in the agent's page returns. */
  async evaluate(agent, script) {
    return new Api(this.home).ok('js', [script], await this.tab(agent));
  }

  /**
   * Sends a message and waits for the end of the turn. `onEvent` may answer a card or stop the turn. Returns `{ outcome, fault, text,
   * steps, cards, notices, events }`.
   */
  async say(agent, text, { onEvent = this.#deny, options = [] } = {}) {
    const tab = String(await this.tab(agent));
    const child = this.home.start(['chat', '--json', '--agent', agent.name, '--tab', tab, ...options, text], { cwd: this.folder });
    const events = [];
    let said = '';
    let answer = '';
    child.stdin.end();
    child.stderr.on('data', (data) => {
      said += data;
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const read = (async () => {
      for await (const line of createInterface({ input: child.stdout })) {
        if (!line.startsWith('{"')) continue;
        const { conversation, event, delta } = JSON.parse(line);
        const known = this.#conversations.get(agent.name) ?? { id: conversation?.conversationId, last: 0 };
        this.#conversations.set(agent.name, { ...known, last: event?.seq ?? known.last });
        if (delta) answer += delta.text ?? '';
        if (event) events.push(event);
        if (event || delta) await onEvent(event ?? { type: 'delta' });
      }
      await ended;
    })();
    await within(
      read,
      () => `${agent.name} did not finish ${JSON.stringify(text)}:\n${said}\n${JSON.stringify(events)}\n${this.home.log()}`,
      LONGEST_TURN,
    );
    const of = (type) => events.filter((event) => event.type === type);
    const done = of('turn-done').at(-1);
    return {
      outcome: done?.outcome,
      fault: done?.fault ?? (done ? undefined : said.trim()),
      text: answer,
      steps: of('step').map((step) => ({ ...step, done: of('step-done').find((one) => one.stepId === step.stepId) })),
      cards: of('approval'),
      notices: of('notice'),
      events,
    };
  }

  /** Denies a card that no box expects, so that the turn ends. */
  #deny = async (event) => {
    if (event.type === 'approval') await this.home.ok(['approvals', 'deny', event.approvalId]);
  };

  /** Sends a message with a picture, as the panel does. Returns the picture as base64, and the end of the turn. */
  async showPicture(agent, text) {
    const { id: conversationId, last } = this.#conversations.get(agent.name);
    const data = pictureOf(200, 40, 90);
    const panel = await BarePanel.open(this.home, `shows-${agent.name}`);
    try {
      await panel.ask('chat.subscribe', { conversationId, after: last });
      const attachments = [{ name: 'rose.png', mime: 'image/png', data }];
      const sent = await panel.ask('chat.send', { conversationId, clientId: `shows-${agent.name}`, text, attachments, from: 'panel' });
      if (sent.error) throw new Error(JSON.stringify(sent.error));
      return { data, done: await panel.event('turn-done') };
    } finally {
      await panel.close();
    }
  }

  /** Allows a card. */
  allow(card) {
    return this.home.ok(['approvals', 'allow', card.approvalId]);
  }

  /** Answers a question. */
  answer(question, words) {
    return this.home.ok(['approvals', 'answer', words, '--id', question.questionId]);
  }

  /** Stops the agent's turn. */
  async stopTurn(agent) {
    await this.home.run(['chat', '--stop', '--tab', String(await this.tab(agent))]);
  }

  /** Ends gstack, its browser and the fakes; returns the processes that had to be ended by force. */
  async stop() {
    for (const fake of this.#fakes.values()) await fake.stop();
    const left = await this.home.stop();
    await this.site.stop();
    this.proxy.stop();
    return left;
  }
}
