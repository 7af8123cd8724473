/**
 * A picture of the conversation: a thumbnail that opens at full size in its own tab.
 * @import { Attachment } from "../../protocol.js"
 */
import { t } from "../../shared/i18n.js";
import { size } from "../format.js";
import { h, icon, setText } from "./dom.js";

/** @typedef {(file: Attachment) => Promise<string>} Load  returns a URL of the file's bytes */

/** @param {Attachment} file @param {Load} load */
export function shot(file, load) {
  const picture = h("img", { class: "shot__image", alt: "" });
  const facts = h("span", { class: "data truncate" }, size(file.bytes));
  const element = h(
    "button",
    { class: "shot", type: "button", "aria-label": t("openPicture", file.name), onclick: () => void open() },
    picture,
    h("span", { class: "shot__text" }, h("span", { class: "truncate" }, file.name), facts),
    icon("external"),
  );
  picture.addEventListener("load", () => setText(facts, `${picture.naturalWidth} × ${picture.naturalHeight} · ${size(file.bytes)}`));
  const open = async () => {
    try {
      await chrome.tabs.create({ url: await load(file) });
    } catch {
      setText(facts, t("fileGone"));
    }
  };
  // Loaded only when it nears the view: a long conversation holds many.
  const near = new IntersectionObserver(
    async ([entry]) => {
      if (!entry?.isIntersecting) return;
      near.disconnect();
      try {
        const url = await load(file);
        // Another conversation may be in view by now, and the previous one's URLs are revoked.
        if (element.isConnected) picture.src = url;
      } catch {
        setText(facts, t("fileGone"));
      }
    },
    { rootMargin: "400px" },
  );
  near.observe(element);
  return element;
}
