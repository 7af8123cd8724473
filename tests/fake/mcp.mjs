/*
 * A minimal MCP server over HTTP on loopback: one tool, `goto`, that answers with a line of text, or never if the
 * URL contains `hold`. Owns just enough of the protocol for a client to connect, list and call. Never navigates.
 *
 *   node mcp.mjs TOKEN        prints {"port":N}; serves until its stdin ends
 *
 * Requests without `Authorization: Bearer TOKEN` are refused.
 */
import { createServer } from 'node:http';

const [token] = process.argv.slice(2);

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'fake', version: '1' },
  }),
  'tools/list': () => ({
    tools: [
      {
        name: 'goto',
        description: 'Opens an address',
        inputSchema: { type: 'object', properties: { url: { type: 'string' } } },
      },
    ],
  }),
  'tools/call': ({ arguments: { url } }) => ({ content: [{ type: 'text', text: `Navigated to ${url} (200)` }] }),
};

const server = createServer(async (request, response) => {
  const end = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body && JSON.stringify(body));
  };
  if (request.headers.authorization !== `Bearer ${token}`) return end(401);
  if (request.method !== 'POST') return end(405);
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  if (id === undefined) return end(202);
  // This URL never answers: it plays a tool in the middle of its work.
  if (method === 'tools/call' && params.arguments.url.includes('hold')) return;
  const answer = ANSWERS[method];
  if (!answer) return end(200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } });
  return end(200, { jsonrpc: '2.0', id, result: answer(params ?? {}) });
});

server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
process.stdin.resume().on('end', () => process.exit(0));
