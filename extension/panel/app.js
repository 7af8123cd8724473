/**
 * The panel as a whole: which part is in sight, what each is told, and the keys that belong to no part.
 *
 * Owns the joins between the parts. Draws from the store, at most once a frame.
 * @import { Connection } from "./connection.js"
 * @import { PanelStore, Session } from "./session.js"
 * @import { PanelState } from "./state/panel-state.js"
 */
import { faultOf } from "../shared/fault.js";
import { t } from "../shared/i18n.js";
import { Announcer } from "./announcer.js";
import { Drafts } from "./drafts.js";
import { Drawers } from "./drawers.js";
import { Files } from "./files.js";
import { oncePerFrame } from "./frame.js";
import { Renderer } from "./markdown/renderer.js";
import { byId } from "./page.js";
import { quickActions } from "./quick-actions.js";
import { displayed } from "./state/display.js";
import { runningTurn } from "./state/entries.js";
import { shownConversation } from "./state/panel-state.js";
import { chosenAgent, onlyBuiltIn, troubleOf } from "./state/trouble.js";
import { AgentMenu } from "./view/agent-menu.js";
import { Composer } from "./view/composer.js";
import { ConversationView } from "./view/conversation.js";
import { h, icon } from "./view/dom.js";
import { Empty } from "./view/empty.js";
import { faultCard } from "./view/fault-card.js";
import { Queue } from "./view/queue.js";
import { StatusBar } from "./view/status-bar.js";
import { TabBar } from "./view/tab-bar.js";
import { Toast } from "./view/toast.js";
import { Banner, troublePage } from "./view/trouble.js";

/** A step's and a footer's seconds move. */
const CLOCK_MS = 1000;

export class PanelApp {
  #shownId = "";
  #startOf = "";
  /** The card that had the focus offered. @type {unknown} */ #offered = null;

  /** @param {{ store: PanelStore, session: Session, connection: Connection }} parts */
  constructor({ store, session, connection }) {
    this.store = store;
    this.session = session;
    this.toast = new Toast(byId("toast"));
    this.announcer = new Announcer(byId("announcer"));
    this.files = new Files(connection);
    const renderer = new Renderer(async (blocks) => (await connection.request("markdown.render", { blocks })).html);
    this.tabBar = new TabBar(byId("tabbar"));
    this.banner = new Banner(byId("banner"), () => connection.notify("local.retry", {}));
    this.reconnect = () => connection.notify("local.retry", {});
    this.empty = new Empty(byId("empty"), { say: (text) => this.#say(text), lookAgain: () => void session.refreshAgents(true) });
    this.queue = new Queue(byId("queue"), (clientId) => void this.#attempt(() => session.unqueue(clientId)));
    this.agents = new AgentMenu(byId("agents"), {
      choose: (agent) => void this.#attempt(() => session.chooseAgent(agent)),
      refresh: () => void session.refreshAgents(true),
    });
    this.composer = new Composer(/** @type {HTMLFormElement} */ (byId("composer")), this.agents.button, {
      send: (text, attachments) => this.#send(text, attachments),
      stop: () => void this.#stop(),
      recall: () => this.#lastMessage,
      draft: (text) => this.drafts.typed(text),
      say: (words) => this.toast.show(words),
    });
    this.drafts = new Drafts(this.composer);
    this.drawers = new Drawers({ store, session, connection, onChange: () => this.draw(), toast: this.toast });
    this.conversation = new ConversationView(byId("conversation"), {
      loadOlder: () => session.older(),
      tools: {
        renderer,
        load: (file) => this.files.url(this.#shownId, file),
        answer: (approvalId, decision) => this.#attempt(() => session.answer(this.#shownId, approvalId, decision)),
        retry: (clientId) => this.#sayAgain(clientId),
        signInRemedies: (clientId) => this.#signInRemedies(clientId),
        resend: (clientId) => session.resend(clientId),
        takeBack: (clientId) => this.#takeBack(clientId),
        readOnly: false,
      },
    });
    byId("dock").prepend(this.conversation.jump);
    byId("conversation").setAttribute("aria-label", t("conversation"));
    this.statusBar = new StatusBar(byId("statusbar"), {
      clear: () => void this.#attempt(() => session.clear()).then(() => this.composer.focus(), () => { /* said by the toast */ }),
      toggle: (drawer) => this.drawers.toggle(drawer),
    });
    quickActions(byId("quick"), { connection, store, toast: this.toast });

    const draw = oncePerFrame(() => this.draw());
    store.subscribe(draw);
    document.addEventListener("keydown", (event) => this.#key(event));
    setInterval(() => { if (!document.hidden) this.conversation.tick(Date.now()); }, CLOCK_MS);
    this.draw();
    this.composer.focus();
  }

  draw() {
    const { state } = this.store;
    const shown = shownConversation(state);
    const connected = state.connection.status === "connected";
    const trouble = troubleOf(state.connection);
    const agent = chosenAgent(state.agents, shown?.info ?? null);
    const running = shown ? runningTurn(shown.view) : null;
    const display = shown ? displayed(shown, state.outbox, connected) : { entries: [], queue: [] };
    this.tabBar.update(state.tab, state.tabs);
    this.#drawConversation(state, display.entries);
    this.banner.update(display.entries.length > 0 ? trouble : null);
    this.#drawReading(state);
    this.queue.update(display.queue);
    this.agents.update(state.agents, state.conversation?.info ?? null, trouble ? t("noConnection", t(`hop_${trouble.hop}`)) : "");
    const busy = running !== null || display.entries.at(-1)?.kind === "pending";
    this.composer.update({
      placeholder: this.#placeholder(state, display.entries.length === 0, busy),
      canSend: state.conversation !== null,
      running: busy && connected,
      stopping: state.stopping === state.conversation?.info.conversationId,
    });
    if (this.drafts.follow(state.conversation?.info.conversationId ?? null)) this.composer.sendEntered();
    this.statusBar.update({
      connection: state.connection,
      trouble,
      agentTrouble: agent && agent.status !== "ready" ? t("agentTrouble", agent.label, t(`agent_${agent.status.replaceAll("-", "_")}`)) : "",
      drawer: this.drawers.open,
      canClear: display.entries.length > 0 && !state.reading,
    });
    byId("quick").hidden = !connected || this.drawers.open !== null;
    this.announcer.watch(shown);
    this.#offerFocus();
  }

  /** @param {PanelState} state @param {import("./state/display.js").Shown[]} entries */
  #drawConversation(state, entries) {
    const shown = shownConversation(state);
    const id = shown?.info.conversationId ?? "";
    if (id !== this.#shownId) {
      this.#shownId = id;
      this.conversation.reset();
      this.files.forget();
    }
    this.conversation.tools.readOnly = state.reading !== null;
    this.conversation.update(entries, shown?.older ?? false);
    const isEmpty = entries.length === 0;
    this.conversation.column.hidden = isEmpty;
    byId("start").hidden = !isEmpty;
    byId("conversation").classList.toggle("conversation--fill", isEmpty);
    if (isEmpty) this.#drawStart(state);
  }

  /** What stands where nothing was said yet. @param {PanelState} state */
  #drawStart(state) {
    const trouble = troubleOf(state.connection);
    const spelled = trouble ? `trouble ${trouble.hop} ${trouble.fault.message}` : state.openFault ? `fault ${state.openFault.message}` : "";
    const kind = spelled || (state.conversation?.epoch ? "empty" : "waiting");
    const changed = this.#startOf !== kind;
    this.#startOf = kind;
    const start = byId("start");
    if (kind === "empty") {
      if (changed) start.replaceChildren(this.empty.element);
      this.empty.update(state.tab, state.agents, onlyBuiltIn(state.agents));
    } else if (changed) {
      start.replaceChildren(...(trouble ? [troublePage(trouble, { retry: this.reconnect, details: () => this.drawers.toggle("connection") })]
        : state.openFault ? [faultCard(state.openFault, [{ label: t("retry"), onclick: () => void this.session.open() }])] : []));
    }
  }

  /** @param {PanelState} state */
  #drawReading({ reading }) {
    const strip = byId("reading");
    byId("dock").hidden = reading !== null || this.drawers.open !== null;
    if (strip.hidden === (reading === null)) return;
    strip.hidden = reading === null;
    strip.replaceChildren(...(reading ? [icon("history"), h("span", { class: "grow truncate" }, reading.info.title || t("untitled")),
      h("button", { class: "button", type: "button", onclick: () => void this.session.read(null) }, t("backToTab"))] : []));
  }

  /** @param {PanelState} state @param {boolean} isEmpty @param {boolean} busy */
  #placeholder(state, isEmpty, busy) {
    if (!state.conversation) return t("sayNothing");
    if (this.conversation.asking) return t("sayInstead");
    if (busy) return t("sayQueue");
    if (onlyBuiltIn(state.agents)) return t("sayPlain");
    return isEmpty ? t("sayFirst") : t("sayReply");
  }

  /** @param {string} text @param {import("../protocol.js").NewAttachment[]} attachments */
  #send(text, attachments) {
    if (this.queue.isFull) {
      this.queue.refuse();
      return false;
    }
    this.session.say(text, attachments);
    this.conversation.toEnd();
    return true;
  }

  /** @param {string} text */
  #say(text) {
    if (this.store.state.conversation) this.#send(text, []);
  }

  /** Says a message of this conversation again, as a new one. @param {string} clientId */
  #sayAgain(clientId) {
    const event = this.store.state.conversation?.events.find((each) => each.type === "message" && each.clientId === clientId);
    if (event?.type === "message") this.#say(event.text);
  }

  /** @param {string} clientId */
  #signInRemedies(clientId) {
    const { agents, conversation } = this.store.state;
    const chosen = chosenAgent(agents, conversation?.info ?? null);
    const other = agents?.find(({ status, hasModel, name }) => status === "ready" && hasModel && name !== chosen?.name);
    return [
      { label: t("haveSignedIn"), main: true, onclick: () => void this.session.refreshAgents(true).then(() => this.#sayAgain(clientId)) },
      ...(other ? [{ label: t("useInstead", other.label), onclick: () => void this.#attempt(() => this.session.chooseAgent(other.name)).then(() => this.#sayAgain(clientId), () => { /* said by the toast */ }) }] : []),
    ];
  }

  /** A failed message goes back into the composer, unless something is being typed there. @param {string} clientId */
  #takeBack(clientId) {
    const message = this.store.state.outbox.find((each) => each.clientId === clientId);
    this.store.dispatch({ type: "message-dropped", clientId });
    if (!message || this.composer.value.trim() !== "") return;
    this.composer.value = message.text;
    this.drafts.typed(message.text);
    this.composer.focus();
  }

  get #lastMessage() {
    const event = this.store.state.conversation?.events.findLast(({ type }) => type === "message");
    return event?.type === "message" ? event.text : null;
  }

  async #stop() {
    await this.#attempt(() => this.session.stop()).catch(() => { /* said by the toast */ });
  }

  /** Does it, and says why where it fails. @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  async #attempt(work) {
    try {
      return await work();
    } catch (error) {
      const { message, hint } = faultOf(error);
      this.toast.show(hint ? `${message} ${hint}` : message);
      throw error;
    }
  }

  /** A card takes the focus only if nothing is being typed, and once. */
  #offerFocus() {
    const { asking } = this.conversation;
    if (asking === this.#offered) return;
    this.#offered = asking;
    if (asking && this.composer.isEmpty && document.hasFocus() && this.drawers.open === null) asking.focus();
    else if (!asking && document.activeElement === document.body) this.composer.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      if (this.drawers.open) this.drawers.close();
      else if (!this.composer.stopButton.hidden && !this.composer.stopButton.disabled) void this.#stop();
      else return;
      event.preventDefault();
      return;
    }
    const { asking } = this.conversation;
    if (!asking || this.drawers.open !== null || !/^[1-9]$/.test(event.key)) return;
    const inCard = event.target instanceof Node && asking.element.contains(event.target);
    if (!inCard && !(this.composer.isEmpty && (event.target === this.composer.text || event.target === document.body))) return;
    event.preventDefault();
    asking.choose(Number(event.key));
  }
}
