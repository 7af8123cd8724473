/* A shop on loopback: one page per task, built like shops on the web. Its card form comes from another origin. */
import { createServer } from 'node:http';
import { once } from 'node:events';

const page = (title, body) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body><h1>${title}</h1>${body}</body></html>`;
const STOCK = Array.from({ length: 200 }, (_, n) => `<tr><td>Lamp ${n}</td><td>${n * 7}</td></tr>`).join('');

const PAGES = {
  '/login': page(
    'Sign in',
    `<form action="/account"><label>User <input name="user"></label>
    <label>Password <input type="password" name="pw"></label><button>Sign in</button></form>`,
  ),
  '/account': page('Your account', '<p>Welcome back.</p>'),
  '/search': page('Search', '<form action="/found"><input type="search" name="q" aria-label="Search"></form>'),
  '/found': page('Results', '<main>3 results</main>'),
  '/list': page(
    'All lamps',
    `<ul id="list" style="position:relative;height:300000px;margin:0"></ul><p id="cart" style="position:fixed;top:0;right:0">Cart: empty</p>
    <script>
      const draw = () => {
        const first = Math.floor(scrollY / 30);
        const visible = Array.from({ length: Math.ceil(innerHeight / 30) + 1 }, (_, at) => first + at).filter((n) => n < 10000);
        list.replaceChildren(...visible.map((n) => {
          const row = document.createElement('li');
          row.style = 'position:absolute;top:' + n * 30 + 'px';
          row.innerHTML = '<button>Buy lamp ' + (n + 1) + '</button>';
          row.firstChild.onclick = () => { cart.textContent = 'Cart: lamp ' + (n + 1); };
          return row;
        }));
      };
      addEventListener('scroll', draw);
      draw();
    </script>`,
  ),
  '/pay': page(
    'Pay',
    `<iframe id="card" title="Card"></iframe><p id="state">Open</p>
    <script>
      card.src = 'http://localhost:' + location.port + '/card';
      addEventListener('message', ({ data }) => { state.textContent = data; });
    </script>`,
  ),
  '/card': page(
    'Card',
    `<label>Card number <input id="number"></label>
    <button onclick="parent.postMessage('Paid with ' + document.querySelector('#number').value.slice(-4), '*')">Pay now</button>`,
  ),
  '/upload': page(
    'Return a lamp',
    '<label>Photo <input type="file" id="photo"></label>' +
      `<button onclick="said.textContent = 'Sent ' + photo.files[0].name">Send</button><p id="said"></p>`,
  ),
  '/orders': page('Orders', '<a href="/invoice.pdf">Invoice</a>'),
  '/cart': page(
    'Cart',
    `<p id="items">2 lamps</p><button onclick="if (confirm('Empty the cart?')) items.textContent = 'Nothing'">Empty</button>`,
  ),
  '/sort': page(
    'Wish list',
    `<ul id="order"><li draggable="true">First</li><li draggable="true">Second</li></ul>
    <script>
      let taken;
      order.ondragstart = ({ target }) => { taken = target; };
      order.ondragover = (event) => event.preventDefault();
      order.ondrop = ({ target }) => target.closest('li')?.before(taken);
    </script>`,
  ),
  '/edit': page(
    'Addresses',
    `<p id="name">Home</p>
    <script>
      document.querySelector('#name').ondblclick = (event) => {
        const field = document.createElement('input');
        field.value = event.target.textContent;
        field.setAttribute('aria-label', 'Name');
        field.onkeydown = ({ key }) => {
          if (key !== 'Enter') return;
          field.replaceWith(Object.assign(document.createElement('p'), { id: 'name', textContent: field.value }));
        };
        event.target.replaceWith(field);
      };
    </script>`,
  ),
  '/context': page(
    'Messages',
    `<p id="message">Your order</p><p id="said"></p>
    <script>
      message.oncontextmenu = (event) => {
        event.preventDefault();
        const menu = document.createElement('div');
        menu.setAttribute('role', 'menu');
        menu.innerHTML = '<button role="menuitem">Archive</button>';
        menu.firstChild.onclick = () => { said.textContent = 'Archived'; menu.remove(); };
        document.body.append(menu);
      };
    </script>`,
  ),
  '/hover': page(
    'Shop',
    `<style>nav ul { display: none } nav:hover ul { display: block }</style>
    <nav style="width:200px"><span>Products</span><ul><li><a href="/lamps">Lamps</a></li></ul></nav>`,
  ),
  '/lamps': page('Lamps', '<p>All lamps.</p>'),
  '/date': page(
    'Delivery',
    '<label>Day <input type="date" id="day"></label>' +
      `<button onclick="said.textContent = 'Booked ' + day.value">Book</button><p id="said"></p>`,
  ),
  '/review': page(
    'Review',
    `<div id="text" contenteditable="true" role="textbox" aria-label="Your review" style="min-height:40px;border:1px solid"></div>
    <button onclick="said.textContent = 'Reviewed: ' + text.innerText">Publish</button><p id="said"></p>`,
  ),
  '/shadow': page(
    'Lamp',
    `<lamp-card></lamp-card><p id="said">0 in the basket</p>
    <script>
      customElements.define('lamp-card', class extends HTMLElement {
        connectedCallback() {
          this.attachShadow({ mode: 'open' }).innerHTML = '<button>Add to basket</button>';
          this.shadowRoot.firstChild.onclick = () => { said.textContent = '1 in the basket'; };
        }
      });
    </script>`,
  ),
  '/terms': page('Checkout', `<button onclick="window.open('/accept')">Terms</button><p id="state">Not accepted</p>`),
  '/accept': page('Terms', `<button onclick="opener.state.textContent = 'Accepted'; window.close()">Accept</button>`),
  '/toast': page(
    'Settings',
    `<button onclick="setTimeout(() => document.body.insertAdjacentHTML('beforeend', ` +
      `'<div role=status>Saved for you</div>'), 300)">Save</button>`,
  ),
  '/table': page('Stock', `<table><tr><th>Lamp</th><th>Left</th></tr>${STOCK}</table>`),
  '/chart': page('Prices', '<div id="chart" style="width:120px;height:80px;background:#c60"></div>'),
  '/city': page(
    'Where to',
    `<label>City <input id="city"></label><ul id="found" role="listbox"></ul><p id="said"></p>
    <script>
      city.oninput = () => {
        const names = ['Berlin', 'Bern', 'Basel'].filter((name) => city.value && name.startsWith(city.value));
        found.replaceChildren(...names.map((name) => {
          const entry = document.createElement('li');
          entry.setAttribute('role', 'option');
          entry.textContent = name;
          entry.onclick = () => { said.textContent = 'To ' + name; found.replaceChildren(); };
          return entry;
        }));
      };
    </script>`,
  ),
  '/language': page(
    'Language',
    '<select aria-label="Language" onchange="location.href = this.value">' +
      '<option value="/language">English</option><option value="/lamps">Deutsch</option></select>',
  ),
};

/** Starts the shop; `close` ends it. */
export async function openShop() {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://shop.test');
    if (pathname === '/invoice.pdf') {
      response.writeHead(200, { 'content-type': 'application/pdf', 'content-disposition': 'attachment; filename="invoice.pdf"' });
      response.end('%PDF-1.4 invoice');
      return;
    }
    const html = PAGES[pathname];
    response.writeHead(html ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
    response.end(html ?? page('Missing', '<p>Not here.</p>'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
