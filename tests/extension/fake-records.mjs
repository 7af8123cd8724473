/** The fake host's data besides conversations' events: history, settings, a person's rules, folders, tabs. */
import { readFileSync } from "node:fs";

/** Exported files by id. */
export const exported = new Map();

/** gstack's own answer (`tests/e2e/fixtures.test.mjs` keeps the file in sync), with one setting changed. */
const SETTINGS = () =>
  JSON.parse(readFileSync(new URL("settings.json", import.meta.url), "utf8")).map((setting) =>
    setting.name === "agents.at-once" ? { ...setting, value: 4 } : setting,
  );

/**
 * A choice of two values and a rejected text, which none of gstack's own settings has. Omitted in the states for
 * pictures.
 */
const OF_TESTS = [
  {
    name: "test.copy",
    label: "Work in",
    help: "A copy leaves your own files alone.",
    group: "Test",
    value: "folder",
    default: "folder",
    choices: [
      { value: "folder", label: "The folder" },
      { value: "copy", label: "A copy of it" },
    ],
  },
  { name: "report.to", label: "Name in notes", help: "", group: "Test", value: "", default: "" },
];

export function recordMethods({ scenario, conversations, infoOf, save, fault, tabs, current }) {
  const settings = [...SETTINGS(), ...(scenario.past ? [] : OF_TESTS)];
  let rules = scenario.rules?.(Date.now()) ?? [];
  let count = 0;
  const past = scenario.past?.(Date.now()) ?? [];
  const held = (id) =>
    conversations.get(id) ??
    past.find(({ conversationId }) => conversationId === id) ??
    (() => {
      throw fault("not-found", "There is no such conversation");
    })();
  const info = (one) => (one.events ? infoOf(one) : one);
  const set = (id, change) => {
    Object.assign(held(id), change);
    save();
    return info(held(id));
  };
  return {
    "conversations.list": ({ search }) => {
      const wanted = search?.toLowerCase();
      const all = [...past, ...conversations.values()].filter(({ deleted }) => !deleted);
      const excerpts = {};
      const found = all.filter((one) => {
        const said =
          one.words ??
          (one.events ?? [])
            .filter(({ type }) => type === "message" || type === "text")
            .map(({ text }) => text)
            .join(" ");
        const at = wanted ? said.toLowerCase().indexOf(wanted) : -1;
        if (at !== -1) excerpts[one.conversationId] = `… ${said.slice(Math.max(0, at - 40), at + 80)} …`;
        return !wanted || at !== -1 || one.title.toLowerCase().includes(wanted);
      });
      return { conversations: found.map(info).sort((a, b) => b.updatedAt - a.updatedAt), excerpts };
    },
    "conversations.rename": ({ conversationId, title }) => set(conversationId, { title }),
    "conversations.delete": ({ conversationId }) => (set(conversationId, { deleted: true, past: true }), {}),
    "conversations.restore": ({ conversationId }) => set(conversationId, { deleted: false }),
    "conversations.export": ({ conversationId, format }) => {
      const id = `export-${++count}`;
      const words = format === "json" ? JSON.stringify(held(conversationId).events ?? []) : `# ${held(conversationId).title}\n`;
      exported.set(id, Buffer.from(words));
      return { id, name: `conversation.${format === "json" ? "json" : "md"}`, mime: "text/plain", bytes: words.length };
    },
    "conversations.attach": ({ conversationId, chromeTabId }) => {
      const before = current(chromeTabId);
      if (before.conversationId !== conversationId) before.past = true;
      const one = held(conversationId);
      if (!one.events) {
        conversations.set(conversationId, {
          ...one,
          events: [
            { seq: 1, at: one.updatedAt, type: "message", clientId: "then", text: one.title, from: "panel" },
            {
              seq: 2,
              at: one.updatedAt,
              type: "turn-started",
              turnId: "then",
              clientId: "then",
              agent: "claude",
              agentLabel: "Claude Code",
            },
            { seq: 3, at: one.updatedAt, type: "text", turnId: "then", text: "Answered long ago." },
            { seq: 4, at: one.updatedAt, type: "turn-done", turnId: "then", outcome: "done", durationMs: 4000 },
          ],
        });
        past.splice(past.indexOf(one), 1);
      }
      // A tab's newest conversation is its own.
      const moved = conversations.get(conversationId);
      conversations.delete(conversationId);
      conversations.set(conversationId, moved);
      return set(conversationId, { chromeTabId, past: false });
    },
    "conversations.folder": ({ conversationId, folder }) => {
      if (!/^[/~]/.test(folder)) throw fault("path-refused", `${folder} is not a full path`, { hint: "Write it from / or ~/ on." });
      return set(conversationId, { folder });
    },
    "conversations.tab": ({ conversationId, chromeTabId, allowed }) => {
      const one = held(conversationId);
      const tab = tabs().find((each) => each.chromeTabId === chromeTabId);
      const others = (one.tabs ?? []).filter((each) => each.chromeTabId !== chromeTabId);
      return set(conversationId, {
        tabs: allowed && tab ? [...others, { tabId: chromeTabId, chromeTabId, title: tab.title, url: tab.url }] : others,
      });
    },
    "inbox.leave": () => ({ path: "/home/you/shop/.gstack/inbox/2026-11-21.md" }),
    "settings.get": () => ({ settings, file: "/home/you/.gstack/config.toml" }),
    "settings.set": ({ name, value }) => {
      const setting = settings.find((each) => each.name === name);
      if (name === "report.to" && value === "nobody") throw fault("bad-request", "Nobody is not a name", { hint: "Take another one." });
      setting.value = value ?? setting.default;
      return { settings, file: "/home/you/.gstack/config.toml" };
    },
    "policy.list": () => ({ rules }),
    "policy.add": (rule) => ({ rules: (rules = [{ id: `r-${++count}`, madeAt: Date.now(), ...rule }, ...rules]) }),
    "policy.remove": ({ id }) => ({ rules: (rules = rules.filter((rule) => rule.id !== id)) }),
  };
}
