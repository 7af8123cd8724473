/*
 * Writes journals of made-up conversations, in the format of the daemon's own.
 */
import { once } from 'node:events';
import { createWriteStream, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Returns an event; turns have four events each, as written by an earlier daemon. */
function event(seq) {
  const turn = Math.ceil(seq / 4);
  const body = {
    1: { type: 'message', clientId: `m${turn}`, text: `do ${turn}`, from: 'terminal' },
    2: { type: 'turn-started', turnId: `t${turn}`, clientId: `m${turn}`, agent: 'a', agentLabel: 'A' },
    3: { type: 'notice', turnId: `t${turn}`, text: 'so far' },
    0: { type: 'turn-done', turnId: `t${turn}`, outcome: 'done', durationMs: 1 },
  }[seq % 4];
  return JSON.stringify({ seq, at: seq, ...body });
}

/**
 * Writes a conversation of that many events into a home; returns its journal's path. The daemon must not run.
 * @param {{ id: string, events: number }} about
 */
export async function writeJournal(home, { id, events }) {
  const folder = path.join(home.home, 'sessions', id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, 'chat.jsonl');
  const out = createWriteStream(file);
  out.write(`${JSON.stringify({ gstackChat: 1, conversationId: id })}\n`);
  for (let seq = 1; seq <= events; seq += 1) {
    if (!out.write(`${event(seq)}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
  const record = {
    format: 1,
    conversationId: id,
    title: id,
    folder: '/',
    head: events,
    createdAt: 1,
    updatedAt: events,
    journalBytes: statSync(file).size,
    settled: true,
  };
  writeFileSync(path.join(folder, 'session.json'), JSON.stringify(record), { mode: 0o600 });
  return file;
}
