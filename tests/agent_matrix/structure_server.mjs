/* An MCP server on standard input and output without a library: one tool, whose result has a text and another structure. */
import { createInterface } from 'node:readline';

const tool = {
  name: 'both',
  title: 'OUR-TITLE',
  description: 'Says two things',
  inputSchema: { type: 'object', properties: {} },
  outputSchema: { type: 'object', properties: { said: { type: 'string', description: 'OUR-SCHEMA' } } },
};
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'both', version: '1' } }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'OUR-WORDS' }], structuredContent: { said: 'OUR-STRUCTURE' } }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || !method) return;
  const result = ANSWERS[method]?.(params);
  const answer = result ? { result } : { error: { code: -32601, message: 'not supported' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});
