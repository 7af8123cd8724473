/*
 * The pages of the comparison, served on 127.0.0.1. Each has a button "Add one" that counts its clicks, and a field.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';

const CONTROLS = `<h1>Page</h1><button onclick="count.textContent = Number(count.textContent) + 1">Add one</button>
  <label>Name <input name="name"></label><output id="count">0</output>`;
const html = (body) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Page</title><body>${CONTROLS}${body}</body></html>`;
const repeat = (count, one) => Array.from({ length: count }, (_, at) => one(at + 1)).join('');

/** Ten elements for each entry. */
const entry = (at) => `<li><article><h3>Entry ${at}</h3><p>Some words about <em>entry ${at}</em>.</p>
  <a href="#${at}">Open ${at}</a><button>Keep ${at}</button><label>Amount <input></label><span>${at} left</span></article></li>`;
const list = (elements) => html(`<ul>${repeat(elements / 10, entry)}</ul>`);

const field = (at) => `<label>Field ${at} <input name="field${at}"></label><select><option>One</option><option>Two</option></select>`;
const SENTENCE = 'The quick brown fox jumps over the lazy dog, and nobody asks it why it does so every time. ';

/** Nested shadow roots, each with a button. */
const DEEP = `<div id="deep"></div><script>
  let at = deep;
  for (let depth = 1; depth <= 40; depth += 1) {
    const root = at.attachShadow({ mode: 'open' });
    root.innerHTML = '<button>Level ' + depth + '</button><div></div>';
    at = root.querySelector('div');
  }
</script>`;

const PAGES = {
  tiny: () => html(''),
  form: () => html(`<form>${repeat(40, field)}</form>`),
  '1k': () => list(1_000),
  '10k': () => list(10_000),
  '100k': () => list(100_000),
  iframes: () => html(repeat(50, (at) => `<iframe src="/frame" title="Frame ${at}" width="200" height="60"></iframe>`)),
  frame: () => '<!doctype html><button>In a frame</button>',
  shadow: () => html(DEEP),
  text: () => html(repeat(1_000, () => `<p>${SENTENCE.repeat(12)}</p>`)),
};

/** Starts the server: `{ url(name), stop() }`. */
export async function servePages() {
  const server = createServer(({ url }, response) => {
    const page = PAGES[url.slice(1)];
    response.writeHead(page ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
    response.end(page?.());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: (name) => `http://127.0.0.1:${server.address().port}/${name}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
