/* An MCP client of the tests: the SDK's, with `gstack mcp` as its server. */
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { GSTACK } from '../e2e/harness/home.mjs';

const words = (result) =>
  result.content
    .filter((one) => one.type === 'text')
    .map((one) => one.text)
    .join('\n');

/** Starts a client. Its `call` returns the words of an answer that must not be an error; `fault`, of one that must. */
export async function startClient(home, name, ...args) {
  const transport = new StdioClientTransport({
    command: GSTACK,
    args: ['mcp', ...args],
    env: home.environment,
    cwd: home.person,
    stderr: 'pipe',
  });
  const client = new Client({ name, version: '1' });
  await client.connect(transport);
  const run = async (tool, values) => {
    const result = await client.callTool({ name: tool, arguments: values });
    return { text: words(result), failed: Boolean(result.isError) };
  };
  return {
    client,
    pid: transport.pid,
    call: async (tool, values = {}) => {
      const { text, failed } = await run(tool, values);
      assert.ok(!failed, `${tool}: ${text}`);
      return text;
    },
    fault: async (tool, values = {}) => {
      const { text, failed } = await run(tool, values);
      assert.ok(failed, `${tool}: ${text}`);
      return text;
    },
    run,
  };
}
