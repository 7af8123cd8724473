/*
 * The MCP clients of the matrix: how each is told of `gstack mcp` and sent a message. Owns what differs between them; their models
 * are those of the agents with the same name.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AGENTS, npm, put, python, versionOf } from './agents.mjs';

const SEARCHES = 'Its model searches for the tools, and finds those that the trial uses.';

/**
 * By name. `of`: the agent whose fake, variables and calls it has. `install`: its name in `gstack mcp install`, if it has a file of
 * the person's. `command(message, server)`: what sends a message, with its own approvals off: gstack asks. `server`: the command
 * that starts `gstack mcp`, for a client without such a file. `given`: what its model gets of a
 * result with text and structure (structure.test.mjs). `without`: boxes that the client itself makes impossible, each with the reason.
 */
const TABLE = {
  claude: {
    label: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    of: 'claude-agent-acp',
    install: 'claude',
    given: 'the structure',
    without: { lists: SEARCHES },
    command: (message) => [npm('claude'), '-p', message, '--allowedTools', 'mcp__gstack'],
  },
  codex: {
    label: 'Codex',
    package: '@openai/codex',
    of: 'codex-acp',
    install: 'codex',
    given: 'the structure',
    command: (message) => [npm('codex'), 'exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', message],
  },
  gemini: {
    label: 'Gemini CLI',
    package: '@google/gemini-cli',
    of: 'gemini',
    install: 'gemini',
    given: 'the text',
    variables: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    prepare: (home) => put(home, '.gemini/settings.json', { security: { auth: { selectedType: 'gemini-api-key' } } }),
    command: (message) => [npm('gemini'), '--approval-mode=yolo', '-p', message],
  },
  opencode: {
    label: 'opencode',
    package: 'opencode-ai',
    of: 'opencode',
    install: 'opencode',
    given: 'the text',
    command: (message) => [npm('opencode'), 'run', message],
  },
  qwen: {
    label: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    of: 'qwen',
    install: 'qwen',
    given: 'both',
    without: { lists: SEARCHES },
    command: (message) => [npm('qwen'), '--auth-type', 'openai', '--yolo', message],
  },
  copilot: {
    label: 'Copilot CLI',
    package: '@github/copilot',
    of: 'copilot',
    install: 'copilot',
    given: 'both',
    without: { picture: "With a model of another provider, it leaves a tool's picture out of what the model gets." },
    command: (message) => [npm('copilot'), '--allow-all-tools', '--disable-builtin-mcps', '-p', message],
  },
  cline: {
    label: 'Cline',
    package: 'cline',
    of: 'cline',
    install: 'cline',
    given: 'both',
    prepare: (home, address) => {
      const model = ['-p', 'openai', '-k', 'dummy', '-m', 'fake', '-b', `${address}/v1`];
      spawnSync(npm('cline'), ['auth', ...model], { env: home.environment, cwd: home.person });
    },
    command: (message) => [npm('cline'), '-P', 'openai', '-m', 'fake', message],
  },
  vibe: {
    label: 'Mistral Vibe',
    package: 'mistral-vibe',
    folder: 'vibe',
    of: 'vibe',
    install: 'vibe',
    without: { lists: SEARCHES, picture: "It keeps only the text of a tool's result." },
    command: (message) => [python('vibe', 'vibe'), '--agent', 'auto-approve', '-p', message],
  },
  hermes: {
    label: 'Hermes',
    package: 'hermes-agent',
    folder: 'hermes',
    of: 'hermes',
    install: 'hermes',
    without: { picture: "Its models get the text of a tool's result, without the picture." },
    command: (message) => [python('hermes', 'hermes'), 'chat', '--yolo', '-q', message],
  },
  'fast-agent': {
    label: 'fast-agent',
    package: 'fast-agent-mcp',
    folder: 'fast-agent',
    of: 'fast-agent',
    without: { picture: 'It leaves pictures out for a model that its catalogue does not know.' },
    // Its file belongs to the folder in which it starts.
    command: (message, server) => [
      python('fast-agent', 'fast-agent'),
      ...['go', '--model', 'generic.fake', '--stdio', server, '--message', message],
    ],
  },
};

/** The clients, each with its name, its pinned version and what it shares with an agent. */
export const CLIENTS = Object.entries(TABLE).map(([name, client]) => {
  const { fake, prepare, variables, calls, finds } = AGENTS.find((agent) => agent.name === client.of);
  const of = { fake, prepare, calls, finds, ...client };
  return {
    name,
    ...of,
    version: versionOf(client),
    variables: (address) => ({ ...variables?.(address), ...client.variables }),
  };
});

/** Returns the names that `gstack mcp install` knows, from its source. */
export function installable() {
  const source = readFileSync(path.resolve(import.meta.dirname, '../../src/install/mcp/mod.rs'), 'utf8');
  return [.../const NAMES: [^=]*=\s*\[([^\]]*)\]/.exec(source)[1].matchAll(/"([^"]+)"/g)].map(([, name]) => name);
}
