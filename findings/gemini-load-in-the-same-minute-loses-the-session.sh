#!/usr/bin/env bash
# Packages: @google/gemini-cli 0.61.0, @qwen-code/qwen-code 0.24.4 (npm)
# Guess: `session/load` finds each session that got a prompt and an answer, also right after the agent's process has ended.
# Seen: a session's file is named after the minute of its start, and loading starts a recording of its own under such a name. If the agent
#   is started and the session loaded in the minute in which it was made, the new record goes into the old file: the load is refused ("No
#   previous sessions found" if there is no other), and the session is gone for later loads, too. From the next minute on, the load works.
#   qwen, of the same origin, loads in any minute.
# Matters: a client that starts a crashed agent again and loads its session does just that within seconds, and loses a short conversation
#   for good. Keep the conversation yourself; after a failed load, start a new session with it, and do not load within the first minute.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents gemini qwen
probe <<'JS'
const fake = await model();
const cwd = `${process.cwd()}/project`;
const nextMinute = () => new Promise((resolve) => setTimeout(resolve, 61_000 - (Date.now() % 60_000)));
const start = async (name) => {
  const program = agent(...known(name, fake.url));
  await program.initialize();
  return program;
};
const make = async (name) => {
  const program = await start(name);
  const { sessionId } = (await program.ask('session/new', { cwd, mcpServers: [] })).result;
  await program.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'hello' }] });
  await program.stop();
  return sessionId;
};
const load = async (name, sessionId) => {
  const program = await start(name);
  const { error } = await program.ask('session/load', { sessionId, cwd, mcpServers: [] });
  await program.stop();
  return error ? 'refused' : 'loaded';
};
for (const name of ['qwen', 'gemini']) {
  let minute, sessionId, first;
  do {
    await nextMinute();
    minute = Math.floor(Date.now() / 60_000);
    sessionId = await make(name);
    first = await load(name, sessionId);
    // On a very slow machine the minute is over before the load.
  } while (Math.floor(Date.now() / 60_000) !== minute);
  console.log(`${name}, in the same minute: ${first}`);
  const other = await make(name);
  await nextMinute();
  console.log(`${name}, in the next minute: ${await load(name, other)}`);
  console.log(`${name}, once more: ${await load(name, sessionId)}`);
}
fake.stop();
process.exit();
JS
expect "qwen, in the minute in which the session was made" loaded "$(seen 'qwen, in the same minute')"
expect "qwen, in the next one" loaded "$(seen 'qwen, in the next minute')"
expect "Gemini, in the minute in which the session was made" refused "$(seen 'gemini, in the same minute')"
expect "Gemini, another session in the next minute" loaded "$(seen 'gemini, in the next minute')"
expect "Gemini, the first session in the next minute" refused "$(seen 'gemini, once more')"
finish
