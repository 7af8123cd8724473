/*
 * docs/AGENTS.md, written from the results of the matrix of agents and of MCP clients. Owns the page's words; a default test compares
 * it with the results.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AGENTS } from './agents.mjs';
import { BOXES, RESUMES } from './boxes.mjs';
import { CLIENT_BOXES } from './client_boxes.mjs';
import { CLIENTS, installable } from './clients.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));

/** The stored results: `{ agents: { NAME: { version, date, boxes: { ID: true or why not } } }, clients: { … } }`. */
export const RESULTS = path.join(here, 'results.json');
export const PAGE = path.join(here, '../../docs/AGENTS.md');
export const ALL_BOXES = [...BOXES, RESUMES];

/** The version of the conformance suite that tests/mcp pins. */
const SUITE = JSON.parse(readFileSync(path.join(here, '../mcp/suites/package-lock.json'), 'utf8')).packages[
  'node_modules/@modelcontextprotocol/conformance'
].version;

export const readResults = () => JSON.parse(readFileSync(RESULTS, 'utf8'));

/** Returns what a cell shows. */
function cell(found, note) {
  if (found === undefined) return '–';
  if (found === true) return 'yes';
  return note ? `no (${note})` : 'no';
}

/** Returns the clients whose model gets this of a result with text and structure, each with its version. */
const given = (what) =>
  CLIENTS.filter((client) => client.given === what)
    .map(({ label, version }) => `${label} ${version}`)
    .join(', ');

/** Returns the clients' part of the page: the words, a table and its notes. */
function clientsPart(results) {
  const tried = CLIENTS.filter(({ name }) => results[name]);
  const notes = [];
  const noted = (words) => {
    if (!words) return undefined;
    if (!notes.includes(words)) notes.push(words);
    return notes.indexOf(words) + 1;
  };
  const rows = tried.map((client) => {
    const { version, date, boxes } = results[client.name];
    const cells = CLIENT_BOXES.map(({ id }) => cell(boxes[id], noted(client.without?.[id])));
    return `| ${client.label} | \`${client.package}\` ${version} | ${date} | ${cells.join(' | ')} |`;
  });
  const others = installable().filter((name) => !tried.some(({ install }) => install === name));
  return [
    '## MCP clients',
    '',
    '`gstack mcp install CLIENT` adds gstack to a client, which then starts `gstack mcp` by itself. `tests/agent_matrix` runs these in ' +
      'the same way, with their own approvals off: gstack asks.',
    '',
    `| client | package | tried on | ${CLIENT_BOXES.map((box) => box.title).join(' | ')} |`,
    `|---|---|---|${CLIENT_BOXES.map(() => '---|').join('')}`,
    ...rows,
    '',
    ...notes.map((words, at) => `${at + 1}. ${words}`),
    ...(notes.length > 0 ? [''] : []),
    ...tried
      .filter(({ install }) => !install)
      .map(({ label }) => `${label} has no file for all folders: name \`gstack mcp\` when you start it (\`--stdio\`).`),
    `\`mcp install\` also knows ${others.join(', ')}, which can't be run here: their files are written as their documentation says.`,
    '',
    'Tools that return data have an `outputSchema`, and their results `structuredContent` beside the text: `{"notice", "data"}`, with ' +
      'the data of `--json`, or `{"notice", "text"}` if an answer has none. Every tool has a `title`. Of a result with text and ' +
      `structure, the model gets the structure alone in ${given('the structure')} (in Codex without its pictures), the text alone in ` +
      `${given('the text')}, and both in ${given('both')} (\`tests/agent_matrix/structure.test.mjs\`). These clients get text only, as ` +
      'do the agents of conversations; titles and output schemas reach none of their models.',
    '',
    `The protocol's own conformance suite (\`@modelcontextprotocol/conformance\` ${SUITE}) passes 32 of 32 scenarios for servers against ` +
      "gstack's endpoint with the suite's own tools, resources and prompts behind it (`tests/mcp/conformance.rs`), and the 4 that apply " +
      'to its browser tools against a conversation: `server-initialize`, `ping`, `tools-list`, `server-sse-multiple-streams` ' +
      '(`tests/mcp/conformance.test.mjs`). Of the others, 14 call tools that only the suite has, 13 need resources, prompts, logging or ' +
      'completion, which gstack neither has nor announces, and 1 is for servers that ask for no token.',
    '',
  ];
}

/** Returns the page for these results. */
export function page({ agents, clients = {} }) {
  const tried = AGENTS.filter(({ name }) => agents[name]);
  const untried = AGENTS.filter(({ name }) => !agents[name]).map(({ label, untried: why }) => (why ? `${label} (${why})` : label));
  const notes = [];
  const noted = (words) => {
    if (!words) return undefined;
    if (!notes.includes(words)) notes.push(words);
    return notes.indexOf(words) + 1;
  };
  const rows = tried.map((agent) => {
    const { version, date, boxes } = agents[agent.name];
    const cells = ALL_BOXES.map((box) =>
      cell(boxes[box.id], noted(boxes[box.id] === undefined ? '' : (agent.needs ?? agent.without?.[box.id]))),
    );
    return `| ${agent.label} | \`${agent.package}\` ${version} | ${date} | ${cells.join(' | ')} |`;
  });
  return [
    '# Agents',
    '',
    'gstack works with every agent that speaks the Agent Client Protocol. `tests/agent_matrix` runs these in the sandbox, ' +
      'each with a fake of its model on this machine, and writes this table. A dash: it has none, does not start here, or was not tried.',
    '',
    'Plan: its list of steps is shown in the panel. Model and mode: you choose another one in the panel or with `--model` and ' +
      '`--mode`, and the next message uses it.',
    '',
    `| agent | package | tried on | ${ALL_BOXES.map((box) => box.title).join(' | ')} |`,
    `|---|---|---|${ALL_BOXES.map(() => '---|').join('')}`,
    ...rows,
    '',
    ...notes.map((words, at) => `${at + 1}. ${words}`),
    ...(notes.length > 0 ? [''] : []),
    ...(untried.length > 0 ? [`Not tried yet: ${untried.join(', ')}.`, ''] : []),
    '`gstack agents` lists the agents that are installed. To add one, write its command into `config.toml`:',
    '',
    '```toml',
    ...tried
      .filter(({ known }) => !known)
      .flatMap(({ name, command, shown = [path.basename(command[0]), ...command.slice(1)] }) => [
        `[agents.own.${name}]`,
        `command = ${JSON.stringify(shown).replaceAll(',', ', ')}`,
      ]),
    '```',
    '',
    ...clientsPart(clients),
  ].join('\n');
}
