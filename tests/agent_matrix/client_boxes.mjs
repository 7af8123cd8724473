/*
 * The boxes of the MCP clients: what each is tried with, in order. Owns what a box demands. A box returns true, or why it does not hold.
 */

const why = ({ code, said, sent }) => `it ended with ${code} after ${sent.length} requests: ${said.slice(-500)}`;
const holds = (sent, pattern) => sent.some((request) => pattern.test(request));

/** Returns every tool in a request: an object with a name and the schema of its arguments, wherever it is. */
function* toolsIn(value) {
  if (value === null || typeof value !== 'object') return;
  const { name, parameters, input_schema: schema, parametersJsonSchema } = value;
  if (typeof name === 'string') yield { name, schema: parameters ?? schema ?? parametersJsonSchema };
  for (const inner of Object.values(value)) yield* toolsIn(inner);
}

// Some clients write an underscore for every other sign.
const isNamed = (tool) => (one) => new RegExp(`(^|[_./-])${tool.replaceAll('-', '[_-]')}$`).test(one.name);

export const CLIENT_BOXES = [
  {
    id: 'looks',
    title: 'reads the page, no card',
    async try(trial, client) {
      const ran = await trial.say(client, 'look at the page');
      client.first = ran.sent;
      if (ran.approvals.length > 0) return `${ran.approvals.length} cards`;
      return holds(ran.sent, /Order now/) || why(ran);
    },
  },
  {
    id: 'lists',
    title: 'offers every tool with its schema',
    async try(trial, client) {
      const offered = client.first.flatMap((request) => [...toolsIn(JSON.parse(request).body?.tools ?? [])]);
      const names = await trial.tools();
      const missing = names.filter((tool) => !offered.some(isNamed(tool)));
      if (missing.length > 0) return `${missing.length} of ${names.length} tools are not offered: ${missing.slice(0, 5).join(', ')}`;
      // A client may have a tool of its own with such a name.
      const clicks = offered.filter(isNamed('click'));
      return clicks.some(({ schema }) => schema?.properties?.selector) || 'the schema of click does not reach the model';
    },
  },
  {
    id: 'clicks',
    title: 'clicks, one card',
    async try(trial, client) {
      await trial.open('/form');
      const ran = await trial.say(client, 'press it now');
      if (ran.approvals.length !== 1) return `${ran.approvals.length} cards: ${why(ran)}`;
      const said = await trial.evaluate("document.querySelector('#said').textContent");
      return said.includes('Ordered by') || `the page says ${said}`;
    },
  },
  {
    id: 'picture',
    title: 'sees a screenshot',
    async try(trial, client) {
      const ran = await trial.say(client, 'take a picture');
      if (ran.code !== 0) return why(ran);
      return holds(ran.sent, /iVBORw0KGgo|\/9j\/4AAQ/) || 'the model gets no picture';
    },
  },
  {
    id: 'long',
    title: 'reads a long page in parts',
    async try(trial, client) {
      await trial.open('/numbered');
      const ran = await trial.say(client, 'read it all');
      await trial.open('/form');
      if (ran.code !== 0) return why(ran);
      const isWhole = holds(ran.sent, /Line 0 of a long page/) && holds(ran.sent, /more characters: call this tool with cursor/);
      return isWhole || 'the model does not get the beginning and the cursor to the rest';
    },
  },
];
