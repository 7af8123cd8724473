/*
 * A site for drivers: a login, a form whose field is in an out-of-process frame (another host), an upload, a download and a
 * dialog. It tells what reached it.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';

const page = (title, body) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body>${body}</body></html>`;

const pages = (port) => ({
  '/': page(
    'Login',
    `<h1>Login</h1><form method="post" action="/login"><label>Name <input id="name" name="name"></label>
    <label>Password <input id="password" name="password" type="password"></label><button id="enter">Enter</button></form>`,
  ),
  '/order': page(
    'Order',
    `<h1>Order</h1><iframe id="address" src="http://localhost:${port}/address" width="400" height="150"></iframe>
    <input id="file" type="file" onchange="this.files[0].text().then((text) => { said.textContent = 'uploaded ' + text })">
    <a id="invoice" href="/invoice.txt">Invoice</a> <a id="aside" href="/invoice.txt" target="_blank">Aside</a>
    <button id="pay" onclick="said.textContent = confirm('Pay now?') ? 'paid' : 'kept'">Pay</button><p id="said"></p>
    <script>addEventListener('message', ({ data }) => { said.textContent = 'street ' + data })</script>`,
  ),
  '/address': page(
    'Address',
    `<label>Street <input id="street"></label><button id="save" onclick="parent.postMessage(street.value, '*')">Save</button>`,
  ),
  '/framed': page(
    'Framed',
    `<a id="invoice" href="/invoice.txt">Invoice</a>
    <iframe id="inner" src="http://localhost:${port}/inner"></iframe>`,
  ),
  '/inner': page('Inner', '<a id="invoice" href="/invoice.txt">Invoice</a>'),
  '/other': page('Other', '<h1>Other</h1><p>secret of another tab</p>'),
  '/reports': page('Reports', '<h1>Reports</h1><iframe src="/report.pdf" width="400" height="300"></iframe>'),
});

/** One empty page. */
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF`;

/** Starts the site; returns `{ origin, asked, stop }`. */
export async function startShop() {
  const asked = [];
  const server = createServer(async (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.url === '/login') {
      let body = '';
      for await (const part of request) body += part;
      asked.push(body);
      response.writeHead(303, { location: '/order', 'set-cookie': 'session=ada; HttpOnly' }).end();
    } else if (request.url === '/invoice.txt') {
      response.writeHead(200, { 'content-disposition': 'attachment; filename="invoice.txt"' }).end('42 euro');
    } else if (request.url === '/report.pdf') {
      response.writeHead(200, { 'content-type': 'application/pdf' }).end(PDF);
    } else {
      const html = pages(server.address().port)[request.url.split('?')[0]];
      response.writeHead(html ? 200 : 404, { 'content-type': 'text/html' }).end(html ?? '');
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, asked, stop };
}
