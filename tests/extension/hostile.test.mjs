/**
 * An answer that repeats a hostile page, in a real panel: while it grows, when it is finished, and when it is read
 * again.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ELSEWHERE } from "./hostile.mjs";
import { options, say, withPanel } from "./with-panel.mjs";

/** The elements that an answer may consist of. */
const ELEMENTS =
  "p br hr h2 h3 h4 h5 h6 blockquote ul ol li pre code em strong del a table colgroup col thead tbody tr th td " +
  "input div span button svg use path";

/** Elements and attributes in answers that no Markdown creates here, at any time. */
const WATCH = `{
  const made = globalThis.made = new Set();
  const elements = new Set(${JSON.stringify(ELEMENTS.split(" "))});
  const look = (element) => {
    if (!elements.has(element.localName)) made.add(element.localName);
    for (const { name, value } of element.attributes) {
      if (/^on|^(?:src|srcdoc|action|data|formaction)$/.test(name)) made.add(element.localName + " " + name);
      if (name === "href" && element.localName === "a" && !/^https?:/.test(value)) made.add(value);
      if (name === "style" && /position|url/.test(value)) made.add(value);
    }
    if (element.localName === "input" && (element.type !== "checkbox" || !element.disabled)) made.add("input " + element.type);
    for (const child of element.children) look(child);
  };
  new MutationObserver((records) => {
    for (const { target, addedNodes } of records) {
      if (!(target.nodeType === 1 ? target : target.parentElement)?.closest(".prose")) continue;
      for (const node of addedNodes) if (node.nodeType === 1) look(node);
    }
  }).observe(document, { subtree: true, childList: true });
}`;

const FINISHED = `[...document.querySelectorAll(".prose")]
    .filter((prose) => prose.lastElementChild?.lastElementChild?.textContent === "The very end.").length === 2
  && !document.querySelector(".live-block, .prose[aria-busy]")`;

describe("a hostile answer", options, () => {
  test("makes no element, attribute, link or request of its own, and loses no text", () =>
    withPanel("hostile", async (panel, browser) => {
      const asked = [];
      browser.pipe.on(({ method, params }) => {
        if (method === "Network.requestWillBeSent" && !/^(?:chrome-extension|data|blob):/.test(params.request.url))
          asked.push(params.request.url);
      });
      await panel.send("Network.enable");
      await panel.send("Page.enable");
      await panel.send("Page.addScriptToEvaluateOnNewDocument", { source: WATCH });
      await panel.send("Page.reload");
      await panel.until("globalThis.made && document.querySelector('.suggestion')");
      await say(panel, "What does the page say?");
      await panel.until(FINISHED);
      // Earlier messages are drawn in another way, without growing.
      for (const again of [false, true]) {
        if (again) {
          await panel.send("Page.reload");
          await panel.until(`globalThis.made && ${FINISHED}`);
        }
        const { made, title, texts, links, images } = await panel.evaluate(`({
          made: [...made],
          title: document.title,
          texts: [...document.querySelectorAll(".prose")].map((prose) => prose.textContent),
          links: [...document.querySelectorAll(".prose a")].map((link) => link.getAttribute("href")),
          images: document.querySelectorAll(".prose :is(img, script, style, iframe, form, object, embed)").length,
        })`);
        assert.deepEqual(made, []);
        assert.equal(title, "gstack");
        assert.equal(images, 0);
        assert.deepEqual(
          [...new Set(links)].filter((link) => !link.startsWith("https://example.com/") && !link.startsWith(ELSEWHERE)),
          [],
        );
        for (const text of texts.filter((one) => one.includes("a tracker"))) {
          for (const words of ["<script>", "onerror=", "<form action=", "a tracker", "one (javascript:", "and what follows"])
            assert.ok(text.includes(words), words);
        }
      }
      assert.deepEqual(asked, []);
    }));

  test("a link's direction ends with it", () =>
    withPanel("hostile", async (panel) => {
      await panel.until("document.querySelector('.suggestion')");
      await say(panel, "What does the page say?");
      await panel.until(FINISHED);
      // A direction override within a link would reverse the text after it.
      const [link, follows] = await panel.evaluate(`(() => {
        const link = [...document.querySelectorAll(".prose a")].find((one) => one.textContent.includes("gnp.exe"));
        const left = (node, at) => {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + 1);
          return range.getBoundingClientRect().left;
        };
        const { nextSibling } = link;
        return [link.getBoundingClientRect().right, [1, 5, 10].map((at) => left(nextSibling, at))];
      })()`);
      assert.ok(link <= follows[0] && follows[0] < follows[1] && follows[1] < follows[2], `${link}, ${follows}`);
    }));
});
