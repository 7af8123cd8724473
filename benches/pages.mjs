/*
 * The measured pages, served on 127.0.0.1.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';

const html = (title, body) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body>${body}</body></html>`;

/** An entry of a shop or an inbox: ten elements. */
const entry = (number) =>
  `<li><article><h3>Entry ${number}</h3><p>Some words about <em>entry ${number}</em>.</p>\n  ` +
  `<a href="#${number}">Open ${number}</a><button>Keep ${number}</button>` +
  `<label>Amount <input name="amount${number}"></label><span>${number} left</span></article></li>`;
const ENTRY_ELEMENTS = 10;
/** html, head, meta, title, body, main, h1, p, button, ul. */
const FRAME_ELEMENTS = 10;

/** Returns a page of `count` elements (rounded to tens), with a button at the top whose label can be changed. */
function elements(count) {
  const entries = Math.round((count - FRAME_ELEMENTS) / ENTRY_ELEMENTS);
  const list = Array.from({ length: entries }, (_, at) => entry(at + 1)).join('');
  return html('Entries', `<main><h1>Entries</h1><p>All of them.</p><button id="turn">turn 0</button><ul>${list}</ul></main>`);
}

const COUNTER =
  '<h1>Counter</h1><button id="add" onclick="count.textContent = Number(count.textContent) + 1">Add one</button>' +
  '<output id="count">0</output>';

export class Pages {
  static async start() {
    const pages = new Pages();
    pages.server = createServer(({ url }, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      const count = /^\/elements\/(\d+)$/.exec(url)?.[1];
      response.end(count ? elements(Number(count)) : html('Counter', COUNTER));
    });
    pages.server.listen(0, '127.0.0.1');
    await once(pages.server, 'listening');
    pages.origin = `http://127.0.0.1:${pages.server.address().port}`;
    return pages;
  }

  async stop() {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
