/*
 * The boxes of the matrix: what each agent is tried with, in order. Owns what a box demands. A box returns true, why it does not
 * hold, or undefined if the agent cannot be tried.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { until } from '../e2e/harness/wait.mjs';

/** Returns the step of a tool of ours. An agent that does not name its calls has but one step. */
const ours = (agent, turn, tool) => turn.steps.find((step) => step.tool === (agent.namesCalls === false ? 'other' : tool));
const why = (turn) => JSON.stringify(turn.fault ?? turn.events.filter((event) => event.type !== 'message')).slice(0, 600);
const after = (trial, agent, before) => trial.requests(agent).slice(before).join('\n');

/** Sends a message in which the agent calls one of our tools, and returns the turn and what its model was sent. */
async function use(trial, agent, message, options = {}) {
  const before = trial.requests(agent).length;
  const turn = await trial.say(agent, message, options);
  return { turn, sent: after(trial, agent, before) };
}

const allowing = (trial, onCard = () => {}) => ({
  onEvent: async (event) => {
    if (event.type !== 'approval') return;
    await onCard();
    await trial.allow(event);
  },
});

/** Returns the model that an agent's request names, in its body or its address. */
function modelOf(request) {
  const { path: address, body } = JSON.parse(request);
  return body?.model ?? /models\/([^:/]+)/.exec(address)?.[1];
}

export const BOXES = [
  {
    id: 'starts',
    title: 'starts',
    async try(trial, agent) {
      const turn = await trial.say(agent, 'repeat after me: zanzibar');
      return (turn.outcome === 'done' && turn.text.includes('zanzibar')) || why(turn);
    },
  },
  {
    id: 'reads',
    title: 'reads the page, no card',
    async try(trial, agent) {
      const { turn, sent } = await use(trial, agent, 'look at the page');
      if (turn.cards.length > 0) return `${turn.cards.length} cards`;
      return (ours(agent, turn, 'snapshot')?.done?.outcome === 'ok' && sent.includes('Order now')) || why(turn);
    },
  },
  {
    id: 'clicks',
    title: 'clicks, one card',
    async try(trial, agent) {
      const { turn } = await use(trial, agent, 'press it now', allowing(trial));
      if (turn.cards.length !== 1) return `${turn.cards.length} cards: ${why(turn)}`;
      if (ours(agent, turn, 'click')?.done?.outcome !== 'ok') return why(turn);
      const said = await trial.evaluate(agent, "document.querySelector('#said').textContent");
      return said.includes('Ordered by') || `the page says ${said}`;
    },
  },
  {
    id: 'writes',
    title: 'writes a file after a card',
    async try(trial, agent) {
      const file = path.join(trial.folder, `${agent.name}.txt`);
      let early = false;
      const answering = allowing(trial, () => {
        early ||= existsSync(file);
      });
      const turn = await trial.say(agent, 'write the file', { ...answering, options: agent.mode ? ['--mode', agent.mode] : [] });
      if (turn.cards.length === 0 && existsSync(file)) return 'it wrote the file without a card';
      if (early) return 'it wrote the file before the answer';
      return (turn.cards.length === 1 && existsSync(file)) || `${turn.cards.length} cards: ${why(turn)}`;
    },
  },
  {
    id: 'picture',
    title: 'sees a screenshot',
    async try(trial, agent) {
      const { turn, sent } = await use(trial, agent, 'take a picture', allowing(trial));
      if (ours(agent, turn, 'screenshot')?.done?.outcome !== 'ok') return why(turn);
      return /iVBORw0KGgo|\/9j\/4AAQ/.test(sent) || 'the model gets no picture';
    },
  },
  {
    id: 'long',
    title: 'reads a long page in parts',
    async try(trial, agent) {
      await trial.open(agent, '/numbered');
      const { turn, sent } = await use(trial, agent, 'read it all', allowing(trial));
      await trial.open(agent, '/form');
      if (ours(agent, turn, 'text')?.done?.outcome !== 'ok') return why(turn);
      const isWhole = sent.includes('Line 0 of a long page') && sent.includes('more characters: call this tool with cursor');
      return isWhole || 'the model does not get the beginning and the cursor to the rest';
    },
  },
  {
    id: 'plans',
    title: 'shows its plan',
    async try(trial, agent) {
      if (!agent.plans) return undefined;
      const turn = await trial.say(agent, 'plan it', allowing(trial));
      const plan = turn.events.filter((event) => event.type === 'plan').at(-1);
      return plan?.entries.some((entry) => entry.text?.includes('Move the tests')) || why(turn);
    },
  },
  {
    id: 'images',
    title: 'sees a picture of yours',
    async try(trial, agent) {
      const before = trial.requests(agent).length;
      const { data, done } = await trial.showPicture(agent, 'repeat after me: a rose');
      if (done.outcome !== 'done') return JSON.stringify(done);
      return after(trial, agent, before).includes(data) || 'the model is not sent the picture';
    },
  },
  {
    id: 'questions',
    title: 'asks a question',
    async try(trial, agent) {
      if (!agent.asks) return undefined;
      const { turn, sent } = await use(trial, agent, 'ask me something', {
        onEvent: async (event) => {
          if (event.type === 'question') await trial.answer(event, 'Blue');
          if (event.type === 'approval') await trial.allow(event);
        },
      });
      const asked = turn.events.filter((event) => event.type === 'question');
      if (asked.length !== 1 || turn.cards.length > 0) return `${asked.length} questions, ${turn.cards.length} cards: ${why(turn)}`;
      const offers = asked[0].parts[0].options.map(({ label }) => label);
      if (!offers.includes('Red') || !offers.includes('Blue')) return JSON.stringify(asked[0]);
      const requests = sent.split('\n');
      const added = (word) => requests.at(-1).split(word).length - requests[0].split(word).length;
      // The call names both.
      return added('Blue') > added('Red') || 'the model is not told the answer';
    },
  },
  {
    id: 'models',
    title: 'changes its model',
    async try(trial, agent) {
      const { models = [] } = await trial.about(agent);
      const before = modelOf(trial.requests(agent).at(-1));
      const others = models.filter(({ id }) => (agent.model ? id === agent.model : id !== before && !id.endsWith(`/${before}`)));
      for (const { id } of others) {
        const turn = await trial.say(agent, 'repeat after me: another model', { options: ['--model', id] });
        if (turn.outcome !== 'done') return `${id}: ${why(turn)}`;
        // Several names may stand for one model.
        if (modelOf(trial.requests(agent).at(-1)) !== before) return true;
      }
      return `the model gets the same requests with each of ${models.length} models`;
    },
  },
  {
    id: 'modes',
    title: 'changes its mode',
    async try(trial, agent) {
      const { modes = [] } = await trial.about(agent);
      if (modes.length < 2) return `it has ${modes.length} modes`;
      // From the last one to the first: the last one that is tried is the one that asks, if it is the first.
      for (const { id } of modes.toReversed()) {
        const turn = await trial.say(agent, 'repeat after me: another mode', { options: ['--mode', id] });
        if (turn.outcome !== 'done' || !turn.text.includes('another mode')) return `${id}: ${why(turn)}`;
      }
      return true;
    },
  },
  {
    id: 'stops',
    title: 'stops',
    async try(trial, agent) {
      let stopping;
      const before = trial.requests(agent).length;
      const asked = () => until(() => trial.requests(agent).length > before, 'its model is asked');
      const turn = await trial.say(agent, 'count slowly', {
        onEvent: async (event) => {
          if (event.type === 'delta') stopping ??= trial.stopTurn(agent);
          if (event.type === 'turn-started' && agent.streams === false) stopping ??= asked().then(() => trial.stopTurn(agent));
        },
      });
      await stopping;
      if (turn.outcome !== 'stopped') return `${turn.outcome}: ${why(turn)}`;
      const next = await trial.say(agent, 'repeat after me: still here');
      return next.text.includes('still here') || why(next);
    },
  },
];

/** The box that is tried after a restart of gstack, which all agents share. */
export const RESUMES = {
  id: 'resumes',
  title: 'goes on after a restart',
  async try(trial, agent) {
    const { turn, sent } = await use(trial, agent, 'repeat after me: again');
    if (!turn.text.includes('again')) return why(turn);
    // An agent without a mode that asks is named at each start.
    if (JSON.stringify(turn.notices).includes('starts a new one')) return JSON.stringify(turn.notices);
    return sent.includes('zanzibar') || 'the model is not sent what was said before';
  },
};
