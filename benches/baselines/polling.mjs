/*
 * Baseline: the whole simulated polling design: server, agent and a panel page in the same browser.
 * Owns its two processes and the content of its queue file; the caller provides the folder.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const program = (name) => fileURLToPath(new URL(name, import.meta.url));

export class Polling {
  /** Starts everything. The panel is a tab of the client's browser; the queue file is in `folder`. */
  async start(client, folder) {
    const queue = path.join(folder, 'queue');
    writeFileSync(queue, '');
    this.server = fork(program('polling-server.mjs'), [queue]);
    const [{ origin }] = await once(this.server, 'message');
    this.agent = fork(program('polling-agent.mjs'), [queue, origin]);
    const { targetId } = await client.send('Target.createTarget', { url: origin });
    this.page = await client.attach(targetId);
    await this.page.waitFor(`document.querySelector('main')`);
  }

  /** Resolves when the agent receives its next line, to that time in milliseconds since 1970. */
  async line() {
    const [{ at }] = await once(this.agent, 'message');
    return at;
  }

  async stop() {
    for (const child of [this.agent, this.server]) {
      if (!child?.connected) continue;
      child.disconnect();
      await once(child, 'exit');
    }
  }
}
