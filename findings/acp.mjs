// An ACP client for findings about agents. `agent(command, args, env)` starts one in a process group of its own, `model()` the fake
// model that it talks to.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Starts model.mjs, which ends with this process at the latest. `requests()` returns the requests so far, `release()` ends a WAIT. */
export async function model(log = 'requests') {
  writeFileSync(log, '');
  const child = spawn('node', [fileURLToPath(new URL('model.mjs', import.meta.url)), log], { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  // Whole lines only: the last one may be half written.
  const lines = () => readFileSync(log, 'utf8').split('\n').slice(0, -1).filter(Boolean);
  const requests = () => lines().map((line) => JSON.parse(line)).filter(({ api }) => api);
  return { url: `http://127.0.0.1:${port}`, requests, release: () => writeFileSync(`${log}.go`, ''), stop: () => child.kill() };
}

/** Returns how to start an agent against a model at this address, from the packages in node_modules and venv. */
export function known(name, url) {
  const bin = (program) => `${process.cwd()}/node_modules/.bin/${program}`;
  const platform = `${process.platform}-${process.arch}`;
  const fake = {
    npm: '@ai-sdk/openai-compatible', options: { baseURL: `${url}/v1`, apiKey: 'k' },
    models: { m: { name: 'm' }, sees: { name: 'sees', attachment: true, modalities: { input: ['text', 'image'], output: ['text'] } } },
  };
  const opencode = { model: 'fake/m', small_model: 'fake/m', autoupdate: false, share: 'disabled', provider: { fake } };
  const codexHome = `${process.cwd()}/codex`;
  if (name === 'codex') {
    mkdirSync(codexHome, { recursive: true });
    const provider = `[model_providers.fake]\nname = "fake"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n`;
    writeFileSync(`${codexHome}/config.toml`, `model = "m"\nmodel_provider = "fake"\n${provider}[analytics]\nenabled = false\n`);
  }
  const hermesHome = `${process.cwd()}/hermes`;
  if (name === 'hermes') {
    mkdirSync(hermesHome, { recursive: true });
    writeFileSync(`${hermesHome}/config.yaml`, `model:\n  default: m\n  provider: custom\n  base_url: ${url}/v1\n  api_key: k\n`);
  }
  const agents = {
    codex: [bin('codex-acp'), [], { OPENAI_API_KEY: 'k', CODEX_HOME: codexHome }],
    claude: [bin('claude-agent-acp'), [], {
      ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'k', CLAUDE_CODE_MAX_RETRIES: '1', IS_SANDBOX: '1',
      DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }],
    opencode: [`${process.cwd()}/node_modules/opencode-${platform}/bin/opencode`, ['acp'], {
      OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_CONFIG_CONTENT: JSON.stringify(opencode),
    }],
    gemini: [bin('gemini'), ['--acp', '--skip-trust'], { GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: url, GEMINI_MODEL: 'm' }],
    hermes: [`${process.cwd()}/venv/bin/hermes-acp`, [], { HERMES_HOME: hermesHome }],
    qwen: [bin('qwen'), ['--acp'], { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'm' }],
    copilot: [bin('copilot'), ['--acp'], {
      COPILOT_OFFLINE: 'true', COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: 'k', COPILOT_MODEL: 'm',
    }],
  };
  if (!existsSync(agents[name][0])) throw new Error(`${agents[name][0]} is missing`);
  return agents[name];
}

/** The MCP server of mcp.mjs, with the tools that the file `tools.mjs` exports. Its log is the file mcp.log. */
export function mcpServer() {
  const here = fileURLToPath(new URL('mcp.mjs', import.meta.url));
  return { name: 'srv', command: process.execPath, args: [here, `${process.cwd()}/tools.mjs`, `${process.cwd()}/mcp.log`], env: [] };
}

/** What an agent calls a tool of the server "srv" in front of its model. */
const toolNames = {
  claude: (tool) => `mcp__srv__${tool}`, codex: (tool) => `mcp__srv/${tool}`, gemini: (tool) => `mcp_srv_${tool}`,
  opencode: (tool) => `srv_${tool}`, qwen: (tool) => `mcp__srv__${tool}`,
};
const modesWithoutQuestions = { claude: 'bypassPermissions', codex: 'agent-full-access', gemini: 'yolo', qwen: 'yolo' };
const resultMarks = ['"tool_result"', '"role":"tool"', '"function_call_output"', '"functionResponse"'];

/**
 * Starts a known agent and a session in the folder `project`. Returns the agent with `sessionId`, `prompt(text)`, and `call(tool)`, which
 * lets the model call a tool of an MCP server and returns what the model then gets as its result (JSON in the form of its API).
 */
export async function session(name, fake, mcpServers = [], clientCapabilities = {}) {
  const program = agent(...known(name, fake.url));
  await program.initialize(clientCapabilities);
  const { result, error } = await program.ask('session/new', { cwd: `${process.cwd()}/project`, mcpServers });
  if (error) throw new Error(error.message);
  const { sessionId } = result;
  const modeId = mcpServers.length > 0 && modesWithoutQuestions[name];
  if (modeId) await program.ask('session/set_mode', { sessionId, modeId });
  const prompt = (text) => program.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  const call = async (tool, input = {}) => {
    const before = fake.requests().length;
    const asked = `CALL ${toolNames[name](tool)} `;
    await prompt(`${asked}${JSON.stringify(input)} END`);
    for (const { body } of fake.requests().slice(before)) {
      const said = JSON.stringify(body.messages ?? body.input ?? body.contents ?? '');
      const from = said.lastIndexOf('CALL ');
      const at = resultMarks.map((mark) => said.indexOf(mark, Math.max(from, 0))).find((at) => at >= 0);
      // qwen asks about the turn before, unseen, at any time.
      if (said.startsWith(asked, from) && at >= 0) return said.slice(at);
    }
    return 'no result';
  };
  return Object.assign(program, { sessionId, prompt, call });
}

export function agent(command, args, env = {}, cwd = process.cwd()) {
  const inherited = Object.entries(process.env)
    .filter(([key]) => !/^(CLAUDE|ANTHROPIC|OPENAI|GEMINI|GOOGLE|COPILOT|OPENCODE|QWEN)/.test(key));
  const child = spawn(command, args, {
    env: { ...Object.fromEntries(inherited), ...env },
    cwd,
    stdio: ['pipe', 'pipe', process.env.ACP_STDERR ? 'inherit' : 'ignore'],
    detached: true,
  });
  const waiting = new Map();
  /** Everything in the order that it came: {update}, {request}, {answer}. */
  const seen = [];
  let last = 0;
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? signal)));
  ended.then((how) => waiting.forEach(({ reject }) => reject(new Error(`the agent ended: ${how}`))));
  child.stdin.on('error', () => {});
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (process.env.ACP_LOG) console.error('<', line.slice(0, 600));
    let message;
    try { message = JSON.parse(line); } catch { return; }
    if (message.method === 'session/update') seen.push({ update: message.params.update });
    else if (message.method && message.id !== undefined) {
      seen.push({ request: message });
      const options = message.params?.options;
      const option = options?.find(({ kind }) => kind === 'allow_once') ?? options?.[0];
      if (message.method === 'session/request_permission')
        send({ id: message.id, result: { outcome: { outcome: 'selected', optionId: option.optionId } } });
      else if (message.method === 'elicitation/create' && program.form)
        send({ id: message.id, result: { action: 'accept', content: program.form } });
      else send({ id: message.id, error: { code: -32601, message: 'not supported' } });
    } else if (waiting.has(message.id)) {
      const { resolve, method } = waiting.get(message.id);
      waiting.delete(message.id);
      seen.push({ answer: method });
      resolve(message);
    }
  });
  const program = {
    child, seen, ended,
    /** What the person fills into any form that the agent shows (`clientCapabilities.elicitation`). */
    form: undefined,
    notify: (method, params) => send({ method, params }),
    /** Resolves with the whole answer: {result} or {error}. */
    ask(method, params, seconds = 120) {
      const id = (last += 1);
      send({ id, method, params });
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => { waiting.delete(id); resolve({ silent: true }); }, seconds * 1000);
        waiting.set(id, { method, reject, resolve: (message) => { clearTimeout(timer); resolve(message); } });
      });
    },
    initialize(clientCapabilities = {}) {
      return this.ask('initialize', { protocolVersion: 1, clientCapabilities, clientInfo: { name: 'finding', version: '1' } });
    },
    updates: (from = 0) => seen.slice(from).filter(({ update }) => update).map(({ update }) => update),
    async stop() {
      child.stdin.end();
      const timer = setTimeout(() => { try { process.kill(-child.pid, 'SIGKILL'); } catch {} }, 3000);
      await ended;
      clearTimeout(timer);
    },
  };
  return program;
}
