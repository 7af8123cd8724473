/*
 * The agents' real programs in a test's home, each with its API played by a fake of tests/fake on loopback. A proxy
 * address where nothing listens keeps them from everything else.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { within } from './wait.mjs';

const tests = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const npm = (folder, name) => path.join(tests, folder, 'node_modules/.bin', name);
const found = (...files) => files.find((file) => file && existsSync(file));
const onPath = (name) => process.env.PATH.split(':').map((folder) => path.join(folder, name));

const anthropic = (address) => ({
  ANTHROPIC_BASE_URL: address,
  ANTHROPIC_API_KEY: 'dummy',
  CLAUDE_CODE_MAX_RETRIES: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
});

/**
 * By name: its program (undefined if it is not installed), its fake, its variables, and how a scenario calls one of our
 * tools.
 */
export const AGENTS = {
  claude: {
    label: 'Claude Code',
    program: found(process.env.GSTACK_TEST_CLAUDE, npm('e2e', 'claude'), ...onPath('claude')),
    fake: 'anthropic.mjs',
    variables: anthropic,
    calls: (tool, input) => ({ tool: `mcp__gstack__${tool}`, input }),
  },
  codex: {
    label: 'Codex',
    program: found(npm('agents_npm', 'codex')),
    fake: 'responses.mjs',
    variables: () => ({ FAKE_KEY: 'dummy' }),
    calls: (tool, input) => ({ tool, namespace: 'mcp__gstack', input }),
    prepare: (home, address) => {
      mkdirSync(path.join(home.person, '.codex'));
      writeFileSync(
        path.join(home.person, '.codex/config.toml'),
        [
          'model = "gpt-5-fake"',
          'model_provider = "fake"',
          '[model_providers.fake]',
          'name = "Fake"',
          `base_url = "${address}/v1"`,
          'wire_api = "responses"',
          'env_key = "FAKE_KEY"',
          'request_max_retries = 1',
          'stream_max_retries = 1',
          '',
        ].join('\n'),
      );
    },
  },
  gemini: {
    label: 'Gemini CLI',
    program: found(npm('agents_npm', 'gemini')),
    fake: 'gemini.mjs',
    variables: (address) => ({ GOOGLE_GEMINI_BASE_URL: address, GEMINI_API_KEY: 'dummy' }),
    calls: (tool, input) => ({ tool: `mcp_gstack_${tool}`, input }),
  },
  'claude-agent-acp': {
    label: 'Claude (ACP)',
    program: found(npm('agents_npm', 'claude-agent-acp')),
    fake: 'anthropic.mjs',
    variables: anthropic,
    calls: (tool, input) => ({ tool: `mcp__gstack__${tool}`, input }),
  },
};

/** `GSTACK_TEST_AGENTS=claude,codex`: only these run; the others are as if they were not installed. */
const wanted = process.env.GSTACK_TEST_AGENTS?.split(',') ?? Object.keys(AGENTS);
for (const [name, agent] of Object.entries(AGENTS)) if (!wanted.includes(name)) agent.program = undefined;

export class RealAgent {
  /**
   * Makes the agent the default of a home that has not started yet. `rules`: the API's replies, see fake/scenario.mjs.
   */
  static async install(home, name, scenario) {
    const { program, fake, variables, prepare } = AGENTS[name];
    const agent = new RealAgent();
    agent.name = name;
    agent.log = path.join(home.folder, 'requests.jsonl');
    const file = path.join(home.folder, 'scenario.json');
    writeFileSync(file, JSON.stringify(scenario));
    agent.api = spawn(process.execPath, [path.join(tests, 'fake', fake), file, '--log', agent.log], { stdio: ['pipe', 'pipe', 'inherit'] });
    const line = await within(
      new Promise((resolve) => {
        agent.api.stdout.once('data', resolve);
      }),
      'the fake API did not start',
    );
    const address = `http://127.0.0.1:${JSON.parse(String(line)).port}`;
    prepare?.(home, address);
    const environment = {
      ...variables(address),
      HTTPS_PROXY: 'http://127.0.0.1:9',
      HTTP_PROXY: 'http://127.0.0.1:9',
      NO_PROXY: '127.0.0.1,localhost',
    };
    const toml = Object.entries(environment)
      .map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
      .join('');
    mkdirSync(home.home, { mode: 0o700 });
    writeFileSync(
      path.join(home.home, 'config.toml'),
      `[agents]\ndefault = "${name}"\n[agents.programs]\n${name} = "${program}"\n[agents.environment]\n${toml}`,
      { mode: 0o600 },
    );
    return agent;
  }

  /** Returns the bodies of the requests that its API received, as text. */
  requests() {
    return existsSync(this.log) ? readFileSync(this.log, 'utf8').trim().split('\n') : [];
  }

  stop() {
    this.api.stdin.end();
  }
}
