/*
 * Loopback pages for both tools: files of pages/, and texts that a test adds. Two host names for one server, so that a
 * frame of the other one runs in another process.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDERS = ['../pages', '../../fixtures/pages'].map((one) => path.join(path.dirname(fileURLToPath(import.meta.url)), one));

export class Site {
  #texts = new Map();

  static async start() {
    const site = new Site();
    site.server = createServer((request, response) => {
      const name = new URL(request.url, 'http://localhost').pathname.slice(1);
      const html = site.#find(name);
      response.writeHead(html === null ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(html ?? 'not here');
    });
    site.server.listen(0, '127.0.0.1');
    await once(site.server, 'listening');
    const { port } = site.server.address();
    site.origin = `http://127.0.0.1:${port}`;
    site.otherOrigin = `http://localhost:${port}`;
    return site;
  }

  #find(name) {
    if (this.#texts.has(name)) return this.#texts.get(name);
    for (const folder of FOLDERS) {
      try {
        return this.#filled(readFileSync(path.join(folder, path.basename(name)), 'utf8'));
      } catch (error) {
        if (error.code !== 'ENOENT' && error.code !== 'EISDIR') throw error;
      }
    }
    return null;
  }

  /** Replaces `{other}` in a page by the server's other name. */
  #filled(html) {
    return html.replaceAll('{other}', this.otherOrigin);
  }

  /** Adds a page and returns its URL. */
  put(name, html) {
    this.#texts.set(name, this.#filled(html));
    return `${this.origin}/${name}`;
  }

  url(name) {
    return `${this.origin}/${name}`;
  }

  async stop() {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
