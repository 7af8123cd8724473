// An MCP server on stdio without a library, for findings about agents as MCP clients.
//
//   node mcp.mjs TOOLS LOG     TOOLS exports a list of tools by default: `answer(arguments, ask)` returns the result, the rest is listed
//
// LOG gets each message from the client. `ask(method, params)` sends the client a request and resolves with its answer. A tool whose
// answer is undefined is never answered. A tool whose `after` is a list of tools announces these once it was called.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file, log] = process.argv.slice(2);
let { default: tools } = await import(file);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const inputSchema = { type: 'object', properties: {} };
const listed = ({ answer, after, ...tool }) => ({ description: `Does ${tool.name}`, inputSchema, ...tool });
const serverInfo = { name: 'srv', version: '1' };
const waiting = new Map();
const ask = (method, params) => new Promise((resolve) => {
  const id = `ask-${waiting.size}`;
  waiting.set(id, resolve);
  send({ id, method, params });
});

createInterface({ input: process.stdin }).on('line', async (line) => {
  appendFileSync(log, `${line}\n`);
  const { id, method, params, ...answer } = JSON.parse(line);
  const reply = (result) => send({ id, result });
  if (!method) return waiting.get(id)?.(answer);
  if (method === 'initialize') {
    reply({ protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo });
  } else if (method === 'tools/list') reply({ tools: tools.map(listed) });
  else if (method === 'tools/call') {
    const tool = tools.find(({ name }) => name === params.name);
    const result = await tool.answer(params.arguments, ask);
    if (result) reply(result);
    if (tool.after) {
      tools = [...tools, ...tool.after];
      send({ method: 'notifications/tools/list_changed' });
    }
  } else if (method === 'ping') reply({});
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'not supported' } });
});
