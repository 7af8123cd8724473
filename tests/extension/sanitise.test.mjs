/** The allow-list: what an answer may hold, and what hostile HTML becomes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { clean, safeHref } from "../../extension/panel/markdown/sanitise.js";
import { comment, element, markup, shimDocument, text } from "./shim.mjs";

const cleaned = (...nodes) => markup(clean(nodes, shimDocument));

test("what Markdown makes stays", () => {
  assert.equal(
    cleaned(element("p", {}, [text("a "), element("strong", {}, [text("b")]), element("code", {}, [text("c")])])),
    "<p>a <strong>b</strong><code>c</code></p>",
  );
});

test("script, style, frames and forms vanish with what they hold", () => {
  for (const name of [
    "script",
    "style",
    "iframe",
    "object",
    "embed",
    "form",
    "button",
    "link",
    "meta",
    "base",
    "template",
    "noscript",
    "video",
    "audio",
    "textarea",
  ]) {
    assert.equal(cleaned(element(name, { src: "https://evil.example/x" }, [text("alert(1)")])), "", name);
  }
});

test("attributes that could act are dropped", () => {
  assert.equal(
    cleaned(element("p", { onclick: "alert(1)", style: "position:fixed", id: "composer", class: "banner" }, [text("a")])),
    "<p>a</p>",
  );
});

test("a link keeps only an http address and opens elsewhere", () => {
  assert.equal(
    cleaned(element("a", { href: "https://example.com/x", onclick: "x()" }, [text("a")])),
    '<a href="https://example.com/x" target="_blank" rel="noreferrer">a</a>',
  );
  for (const href of [
    "javascript:alert(1)",
    " JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "chrome://settings",
    "chrome-extension://a/b",
    "/relative",
    "vbscript:x",
    "mailto:a@b.example",
  ]) {
    assert.equal(safeHref(href), false, href);
    assert.equal(cleaned(element("a", { href }, [text("a")])), "<a>a</a>", href);
  }
});

test("SVG and MathML are no way around the list", () => {
  const svg = "http://www.w3.org/2000/svg";
  assert.equal(
    cleaned(element("svg", {}, [element("a", { href: "javascript:alert(1)" }, [text("x")], svg), element("p", {}, [text("y")])], svg)),
    "",
  );
  assert.equal(cleaned(element("a", { href: "https://example.com" }, [text("x")], svg)), "");
});

test("a picture becomes its words, so that nothing is loaded", () => {
  assert.equal(cleaned(element("img", { src: "https://tracker.example/x.png", alt: "a cat", onerror: "alert(1)" })), "a cat");
});

test("a column's side becomes a class, a language stays, other classes go", () => {
  assert.equal(cleaned(element("td", { align: "right" }, [text("1")])), '<td class="num">1</td>');
  assert.equal(cleaned(element("td", { align: "justify", style: "background: url(https://evil.example)" }, [text("1")])), "<td>1</td>");
  assert.equal(cleaned(element("code", { class: "language-rust drawer" }, [])), '<code class="language-rust"></code>');
});

test("wrappers are unwrapped, comments go, only a checkbox is an input", () => {
  assert.equal(cleaned(element("div", {}, [element("p", {}, [text("a")]), comment("x")])), "<p>a</p>");
  assert.equal(cleaned(element("input", { type: "password" })), "");
  assert.equal(cleaned(element("input", { type: "checkbox", checked: "" })), '<input type="checkbox" disabled="" checked=""></input>');
});
