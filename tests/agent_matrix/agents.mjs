/*
 * The ACP agents of the matrix: how each is installed, started and told to use a fake API on loopback. Owns what differs
 * between them; `trial.mjs` runs them.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const json = (file) => JSON.parse(readFileSync(path.join(here, file), 'utf8'));
/** Returns the path of a program from npm. */
export const npm = (name) => path.join(here, 'node_modules/.bin', name);
/** Returns the path of a program that a folder of `python` installs. */
export const python = (folder, name) => path.join(here, 'python', folder, '.venv/bin', name);

/** Returns the pinned version of a package from npm, or of the one that a folder of `python` installs. */
export const versionOf = ({ package: name, folder }) =>
  folder
    ? readFileSync(path.join(here, 'python', folder, 'requirements.txt'), 'utf8').match(/==(\S+)/)[1]
    : json('package.json').dependencies[name];

/** Returns whether this Node.js has at least that version. */
function atLeast(major, minor) {
  const [ours, second] = process.versions.node.split('.').map(Number);
  return ours > major || (ours === major && second >= minor);
}

/** Writes a file below the person's home. */
export function put(home, name, content) {
  const file = path.join(home.person, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}

/** A Node.js that runs what needs version 22.19. */
const NEWER_NODE = atLeast(22, 19) ? process.execPath : path.join(here, '../browserless/newer-node/node_modules/.bin/node');

/** Starts pi in it, from the folder of the trial, which the sandbox opens. */
const PI = 'project/pi';

const UNASKED = 'It does not ask before it writes a file, so its folder is read-only until you choose the other mode.';
const NO_SERVERS = "Its adapter passes no MCP server on to it, so that it can't use the browser's tools. gstack says so.";

const TODO = { id: '1', content: 'Move the tests', status: 'in_progress' };
const UNNAMED =
  'It asks before each tool, and does not say which. You see the call on a card, also for a look, and allow it; a click has two cards.';
/** OpenHands demands it of each call. */
const RATED = { security_risk: 'LOW' };
const COLORS = [
  { label: 'Red', description: 'warm' },
  { label: 'Blue', description: 'cold' },
];
const QUESTIONS = { questions: [{ question: 'Which color?', header: 'Color', multiSelect: false, options: COLORS }] };

const anthropic = (address) => ({
  ANTHROPIC_BASE_URL: address,
  ANTHROPIC_API_KEY: 'dummy',
  CLAUDE_CODE_MAX_RETRIES: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
});

/** Writes Codex's configuration for the fake at this address. */
export const codex = (home, address, model = 'gpt-5-fake') =>
  put(
    home,
    '.codex/config.toml',
    `model = "${model}"\nmodel_provider = "fake"\n[model_providers.fake]\nname = "Fake"\nbase_url = "${address}/v1"\n` +
      'wire_api = "responses"\nenv_key = "FAKE_KEY"\nrequest_max_retries = 1\nstream_max_retries = 1\n',
  );

/**
 * By name. `known`: gstack has it under this name without a line in the configuration. `calls(tool, input)`: the step with
 * which the model calls a tool of ours. `writes(file)`: the step with which it writes "x" into a file. `needs`: why it
 * cannot start here. `shown`: its command on the page, if it is another one. `plans` and `asks`: the steps with which it
 * makes a plan and asks a question, if it does. `mode`: a mode that the person must choose before it writes. `model`:
 * another model that the fake has, if the agent offers ones of others too. `more`: further rules of its fake. `streams`:
 * false if its answer comes whole. `namesCalls`: false if its steps do not say which tool it calls. `without`: boxes that
 * the agent itself makes impossible, each with the reason. `untried`: why there are no results yet.
 */
const TABLE = {
  'claude-agent-acp': {
    label: 'Claude (ACP)',
    package: '@agentclientprotocol/claude-agent-acp',
    known: true,
    command: [npm('claude-agent-acp')],
    fake: 'anthropic',
    variables: anthropic,
    calls: (tool, input) => [{ tool: `mcp__gstack__${tool}`, input }],
    asks: [{ tool: 'AskUserQuestion', input: QUESTIONS }],
    writes: (file) => [{ tool: 'Write', input: { file_path: file, content: 'x' } }],
  },
  gemini: {
    label: 'Gemini CLI',
    package: '@google/gemini-cli',
    known: true,
    command: [npm('gemini')],
    fake: 'gemini',
    variables: (address) => ({ GOOGLE_GEMINI_BASE_URL: address, GEMINI_API_KEY: 'dummy' }),
    calls: (tool, input) => [{ tool: `mcp_gstack_${tool}`, input }],
    writes: (file) => [{ tool: 'write_file', input: { file_path: file, content: 'x' } }],
  },
  'codex-acp': {
    label: 'Codex (ACP)',
    package: '@agentclientprotocol/codex-acp',
    command: [npm('codex-acp')],
    fake: 'responses',
    prepare: (home, address) => codex(home, address),
    variables: () => ({ FAKE_KEY: 'dummy' }),
    calls: (tool, input) => [{ tool, namespace: 'mcp__gstack', input }],
    asks: [
      { tool: 'request_user_input', input: { questions: [{ id: 'color', header: 'Color', question: 'Which color?', options: COLORS }] } },
    ],
    writes: (file) => [
      {
        tool: 'exec_command',
        input: { cmd: `touch ${file}`, sandbox_permissions: 'require_escalated', justification: 'You asked for it' },
      },
    ],
  },
  opencode: {
    label: 'opencode',
    package: 'opencode-ai',
    command: [npm('opencode'), 'acp'],
    fake: 'completions',
    prepare: (home, address) =>
      put(home, '.config/opencode/opencode.json', {
        autoupdate: false,
        enabled_providers: ['fake'],
        share: 'disabled',
        model: 'fake/fake',
        small_model: 'fake/fake',
        provider: {
          fake: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Fake',
            options: { baseURL: `${address}/v1`, apiKey: 'dummy' },
            models: {
              fake: { name: 'Fake', attachment: true, modalities: { input: ['text', 'image'], output: ['text'] } },
              other: { name: 'Other', attachment: true, modalities: { input: ['text', 'image'], output: ['text'] } },
            },
          },
        },
      }),
    variables: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    plans: [{ tool: 'todowrite', input: { todos: [{ ...TODO, priority: 'high' }] } }],
    without: { plans: 'Its list comes as an ordinary step: it sends no plan over ACP.' },
    calls: (tool, input) => [{ tool: `gstack_${tool}`, input }],
    writes: (file) => [{ tool: 'write', input: { filePath: file, content: 'x' } }],
  },
  qwen: {
    label: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    command: [npm('qwen'), '--acp', '--auth-type', 'openai'],
    fake: 'completions',
    variables: (address) => ({ OPENAI_BASE_URL: `${address}/v1`, OPENAI_API_KEY: 'dummy', OPENAI_MODEL: 'qwen3-vl-plus' }),
    finds: (tool) => ({
      search: [{ tool: 'tool_search', input: { query: `select:mcp__gstack__${tool}` } }],
      answer: `mcp__gstack__${tool}`,
    }),
    asks: [{ tool: 'ask_user_question', input: QUESTIONS }],
    without: { models: 'With a key in its variables, it offers one model.' },
    calls: (tool, input) => [{ tool: `mcp__gstack__${tool}`, input }],
    writes: (file) => [{ tool: 'write_file', input: { file_path: file, content: 'x' } }],
  },
  copilot: {
    label: 'Copilot CLI',
    package: '@github/copilot',
    command: [npm('copilot'), '--acp'],
    fake: 'responses',
    variables: (address) => ({
      COPILOT_PROVIDER_BASE_URL: `${address}/v1`,
      COPILOT_PROVIDER_API_KEY: 'dummy',
      COPILOT_PROVIDER_WIRE_API: 'responses',
      COPILOT_MODEL: 'gpt-5.4',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    }),
    without: { picture: "With a model of another provider, it leaves a tool's picture out of what the model gets. You see it." },
    calls: (tool, input) => [{ tool: `gstack-${tool}`, input }],
    writes: (file) => [{ custom: 'apply_patch', input: `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch\n` }],
  },
  vibe: {
    label: 'Mistral Vibe',
    package: 'mistral-vibe',
    folder: 'vibe',
    command: [python('vibe', 'vibe-acp')],
    without: { picture: "It keeps only the text of a tool's result." },
    model: 'other',
    fake: 'completions',
    prepare: (home, address) =>
      put(
        home,
        '.vibe/config.toml',
        'active_model = "fake"\nenable_telemetry = false\nenable_update_checks = false\nenable_auto_update = false\n' +
          `[[providers]]\nname = "fake"\napi_base = "${address}/v1"\napi_key_env_var = "FAKE_KEY"\n` +
          ['fake', 'other']
            .map((name) => `[[models]]\nname = "${name}"\nprovider = "fake"\nalias = "${name}"\nsupports_images = true\n`)
            .join(''),
      ),
    variables: () => ({ FAKE_KEY: 'dummy' }),
    finds: (tool) => ({
      search: [{ tool: 'search_tool_functions', input: { mode: 'best_match', query: tool } }],
      answer: `mcp_gstack.${tool}`,
    }),
    calls: (tool, input) => [
      {
        tool: 'run_typescript',
        input: { code: `async function main() { return await tools.mcp_gstack.${tool}(${JSON.stringify(input)}); }` },
      },
    ],
    plans: [{ tool: 'todo', input: { action: 'write', todos: [{ ...TODO, priority: 'high' }] } }],
    asks: [{ tool: 'ask_user_question', input: QUESTIONS }],
    writes: (file) => [{ tool: 'write_file', input: { path: file, content: 'x' } }],
  },
  hermes: {
    label: 'Hermes',
    package: 'hermes-agent',
    folder: 'hermes',
    command: [python('hermes', 'hermes-acp')],
    fake: 'completions',
    prepare: (home, address) =>
      put(home, '.hermes/config.yaml', `model:\n  default: fake\n  provider: custom\n  base_url: ${address}/v1\n  api_key: dummy\n`),
    calls: (tool, input) => [{ tool: `mcp_gstack_${tool}`, input }],
    plans: [{ tool: 'todo', input: { todos: [TODO] } }],
    // It asks for edits in this mode, but not for every command, so that the person must choose it.
    mode: 'default',
    without: { picture: "Its models get the text of a tool's result, without the picture." },
    writes: (file) => [{ tool: 'write_file', input: { path: file, content: 'x' } }],
  },
  cline: {
    label: 'Cline',
    package: 'cline',
    command: [npm('cline'), '--acp'],
    fake: 'completions',
    needs: 'Over ACP it works only with an account of its own services. gstack names the ways to sign in.',
    calls: (tool, input) => [{ tool: `gstack__${tool}`, input }],
    writes: (file) => [{ tool: 'editor', input: { path: file, new_text: 'x' } }],
  },
  auggie: {
    label: 'Auggie',
    package: '@augmentcode/auggie',
    command: [npm('auggie'), '--acp'],
    fake: 'completions',
    needs: 'It works only with its own service and needs `auggie login`. gstack shows that.',
    calls: (tool, input) => [{ tool: `${tool}_gstack`, input }],
    writes: (file) => [{ tool: 'save-file', input: { path: file, content: 'x' } }],
  },
  pi: {
    label: 'pi',
    package: 'pi-acp',
    // pi needs a newer Node.js than its adapter; both run in that one.
    command: [NEWER_NODE, npm('pi-acp')],
    shown: ['pi-acp'],
    fake: 'completions',
    prepare: (home, address) => {
      put(home, PI, `#!/bin/sh\nexec '${NEWER_NODE}' '${npm('pi')}' "$@"\n`);
      chmodSync(path.join(home.person, PI), 0o755);
      put(home, '.pi/agent/models.json', {
        providers: {
          fake: {
            baseUrl: `${address}/v1`,
            api: 'openai-completions',
            apiKey: 'dummy',
            models: ['fake', 'other'].map((id) => ({ id, input: ['text', 'image'] })),
          },
        },
      });
    },
    variables: (_, home) => ({ PI_ACP_PI_COMMAND: path.join(home.person, PI), PI_OFFLINE: '1' }),
    without: {
      reads: NO_SERVERS,
      clicks: NO_SERVERS,
      picture: NO_SERVERS,
      long: NO_SERVERS,
      writes: UNASKED,
    },
    calls: (tool, input) => [{ tool: `gstack_${tool}`, input }],
    writes: (file) => [{ tool: 'write', input: { path: file, content: 'x' } }],
  },
  'fast-agent': {
    label: 'fast-agent',
    package: 'fast-agent-mcp',
    folder: 'fast-agent',
    command: [python('fast-agent', 'fast-agent-acp'), '--model', 'generic.fake'],
    shown: ['fast-agent-acp'],
    fake: 'completions',
    variables: (address) => ({ GENERIC_BASE_URL: `${address}/v1`, GENERIC_API_KEY: 'dummy' }),
    without: {
      writes: UNASKED,
      picture: 'It leaves pictures out for a model that its catalogue does not know.',
      models: 'It offers no models over ACP: `--model` in its command chooses one.',
    },
    calls: (tool, input) => [{ tool: `gstack__${tool}`, input }],
    writes: (file) => [{ tool: 'write_text_file', input: { path: file, content: 'x' } }],
  },
  openhands: {
    label: 'OpenHands',
    package: 'openhands',
    folder: 'openhands',
    command: [python('openhands', 'openhands'), 'acp'],
    fake: 'completions',
    streams: false,
    namesCalls: false,
    without: {
      reads: UNNAMED,
      clicks: UNNAMED,
      models: 'It offers no models over ACP: its settings have one.',
    },
    // It passes pictures on to a model that its catalogue knows.
    prepare: (home, address) =>
      put(home, '.openhands/agent_settings.json', {
        kind: 'Agent',
        llm: { model: 'openai/gpt-4o', api_key: 'dummy', base_url: `${address}/v1`, usage_id: 'agent' },
      }),
    variables: () => ({ OPENHANDS_SUPPRESS_BANNER: '1' }),
    plans: [
      { tool: 'task_tracker', input: { ...RATED, command: 'plan', task_list: [{ title: 'Move the tests', status: 'in_progress' }] } },
    ],
    calls: (tool, input) => [{ tool, input: { ...RATED, ...input } }],
    writes: (file) => [{ tool: 'file_editor', input: { ...RATED, command: 'create', path: file, file_text: 'x' } }],
  },
};

/** The agents, each with its name and pinned version. */
export const AGENTS = Object.entries(TABLE).map(([name, agent]) => ({ name, ...agent, version: versionOf(agent) }));

/** Returns whether an agent is installed. */
export const isInstalled = ({ command }) => existsSync(command[0]);
