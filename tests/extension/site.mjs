/** Pages on loopback for the browser tests: a shop's cart with a form, a table and enough text, and a list of keys. */
import { createServer } from "node:http";

const CART = `<!doctype html><title>Cart – Halden Store</title><link rel="icon" href="/icon.svg">
<h1>Cart</h1><form><input name="name"><input name="street"><input name="city"><input name="code">
<select name="country"><option>–</select><input name="card"><textarea name="note"></textarea></form>
<table>${"<tr><td>Linen apron<td>18.95".repeat(6)}</table><p>${"A sentence about linen, oak and twine. ".repeat(60)}</p>`;
const KEYS = `<!doctype html><title>API keys – Halden Console</title><link rel="icon" href="/icon.svg"><h1>API keys</h1>
<table>${["ci-old", "staging-2", "lena-laptop"].map((key) => `<tr><td>${key}<td><button>Revoke key</button>`).join("")}</table>`;
const WELCOME = `<!doctype html><title>Welcome</title><script>
document.addEventListener("gstack-extension-ready", () => { document.title = "ready"; });
</script><p>Waiting<p><button data-suggestion="1">Read the page</button>`;

export async function site() {
  const server = createServer(({ url }, response) => {
    if (url === "/icon.svg")
      return response
        .setHeader("content-type", "image/svg+xml")
        .end('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#1e3a34"/></svg>');
    response
      .setHeader("content-type", "text/html; charset=utf-8")
      .end(url?.startsWith("/welcome") ? WELCOME : url?.startsWith("/keys") ? KEYS : CART);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address();
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections();
        server.close(closed);
      }),
  };
}
