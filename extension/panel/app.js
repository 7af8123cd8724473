/**
 * The whole panel: which part is visible, what each part receives, and the keys that belong to no part.
 *
 * Owns the connections between the parts. Draws from the store, at most once per frame; runs a timer only while a turn
 * runs.
 * @import { Connection } from "./connection.js"
 * @import { PanelStore, TabConversation } from "./tab-conversation.js"
 * @import { PanelState } from "./state/panel-state.js"
 */
import { t } from "../shared/i18n.js";
import { Announcer } from "./announcer.js";
import { Attention } from "./attention.js";
import { Clock } from "./clock.js";
import { Drafts } from "./drafts.js";
import { attempt } from "./drawer-actions.js";
import { Drawers } from "./drawers.js";
import { Editing } from "./editing.js";
import { Files } from "./files.js";
import { oncePerFrame } from "./frame.js";
import { Keyboard } from "./keyboard.js";
import { FrameBudget } from "./frame-budget.js";
import { byId } from "./page.js";
import { Pick } from "./pick.js";
import { quickActions } from "./quick-actions.js";
import { askFor, leaseOf, pausedIn } from "./state/drivers.js";
import { ignoreStraySecondClicks } from "./second-click.js";
import { displayed } from "./state/display.js";
import { runningTurn } from "./state/entries.js";
import { newerExtension, shownConversation } from "./state/panel-state.js";
import { foldersOf } from "./state/past.js";
import { unattendedRule } from "./state/policy.js";
import { chosenAgent, onlyBuiltIn, partOf, troubleOf } from "./state/trouble.js";
import { AgentMenu } from "./view/agent-menu.js";
import { Composer } from "./view/composer.js";
import { ConversationView } from "./view/conversation.js";
import { DriverAsks } from "./view/driver-asks.js";
import { Empty } from "./view/empty.js";
import { faultCard } from "./view/fault-card.js";
import { FolderButton } from "./view/folder-button.js";
import { Queue } from "./view/queue.js";
import { drawReading } from "./view/reading.js";
import { StatusBar } from "./view/status-bar.js";
import { drawAsks, drawEditing, drawLease, drawNotice, drawOrigin, drawUnattended, drawUpdate } from "./view/strips.js";
import { Takeover } from "./view/takeover.js";
import { TabBar } from "./view/tab-bar.js";
import { Toast } from "./view/toast.js";
import { Banner, partName, troublePage } from "./view/trouble.js";
import { Writing } from "./writing.js";

/**
 * How many characters of answers become nodes in one frame, both while they stream and as finished blocks. A few
 * milliseconds of work each.
 */
const TEXT_A_FRAME = 12_000;
const BLOCKS_A_FRAME = 12_000;
/** The suggestions of the welcome page in its order, and the built-in agent's commands for the same. */
const WELCOME_SUGGESTIONS = ["suggestWhat", "plainRead", "plainShot"];
const WELCOME_COMMANDS = ["help", "text", "screenshot"];
/** How many folders of other conversations the menu offers. */
const RECENT_FOLDERS = 5;

export class PanelApp {
  #shownId = "";
  #startOf = "";

  /** @param {{ store: PanelStore, chat: TabConversation, connection: Connection }} parts */
  constructor({ store, chat, connection }) {
    const draw = oncePerFrame(() => this.draw(), { first: true });
    this.store = store;
    this.chat = chat;
    this.toast = new Toast(byId("toast"));
    this.announcer = new Announcer(byId("announcer"));
    this.files = new Files(connection);
    const { control } = chat;
    this.queue = new Queue(byId("queue"), {
      remove: (clientId) => this.#do(() => chat.unqueue(clientId)),
      edit: (clientId) => this.#do(() => this.writing.edit(clientId)),
      order: (clientIds, now) => this.#do(() => chat.order(clientIds, now)),
      clear: (clientIds) =>
        this.#do(async () => {
          for (const clientId of clientIds) await chat.unqueue(clientId);
        }),
      goOn: () => this.#do(() => control.goOn()),
    });
    const pick = new Pick({ connection, toast: this.toast, offerRefs: () => this.drawers.toggleDebug("refs") });
    const panel = { store, chat, connection, files: this.files, toast: this.toast, pick };
    this.pick = pick;
    const place = {
      newChat: () => this.#newChat(),
      stop: () => this.#do(() => chat.stop()),
      show: (/** @type {import("./drawers.js").Drawer} */ drawer) => this.drawers.toggle(drawer),
      showKeys: () => this.#showKeys(),
      chooseFolder: () => this.folder.menu.open(),
      chooseModel: () => this.agents.menu.open(),
      attach: (/** @type {import("./view/attach-menu.js").Source} */ source) => void this.writing.attach(source),
    };
    this.writing = new Writing(panel, place, {
      queue: this.queue,
      conversation: () => this.conversation,
      sent: () => this.drawers.close(),
    });
    this.drawers = new Drawers({
      ...panel,
      compose: this.writing.compose,
      onChange: () => this.draw(),
      onClosed: () => this.attention.goOn(),
    });
    this.tabBar = new TabBar(byId("tabbar"), {
      allow: (id, allowed) => this.#attempt(() => control.setTab(id, allowed)),
      give: (driverId) => this.#do(() => control.giveTab(driverId)),
      titles: async () => {
        const { conversations } = await connection.request("conversations.list", {});
        return new Map(conversations.flatMap(({ conversationId, title }) => (title ? [[conversationId, title]] : [])));
      },
      stopAll: () => this.#do(async () => this.toast.show(t("stoppedAll", await control.stopAll()))),
    });
    this.reconnect = () => connection.notify("local.retry", {});
    this.banner = new Banner(byId("banner"), this.reconnect);
    this.empty = new Empty(byId("empty"), {
      say: (text) => this.writing.say(text),
      arrive: () => this.chat.prepare(),
      lookAgain: () => this.#lookForAgents(),
      otherAgents: () => this.agents.menu.open(),
      goOn: ({ conversationId }) => this.#do(() => control.attach(conversationId)),
    });
    this.agents = new AgentMenu(byId("agents"), {
      choose: (agent, model, mode) => this.#do(() => control.choose(agent, model, mode)),
      refresh: () => void this.#lookForAgents(),
      examine: () => void this.chat.examineAgents(),
    });
    this.folder = new FolderButton(byId("folder"), {
      choose: (folder) => control.setFolder(folder),
      recent: async (current) => foldersOf((await connection.request("conversations.list", {})).conversations, current, RECENT_FOLDERS),
    });
    this.composer = new Composer(
      /** @type {HTMLFormElement} */ (byId("composer")),
      { agent: this.agents.button, folder: this.folder.button, commands: byId("commands"), attach: byId("attach") },
      this.writing.actions,
    );
    this.clients = new DriverAsks(byId("clients"), {
      answer: (approvalId, decision, text) => this.#attempt(() => control.answerDriver(approvalId, decision, text)),
      seen: (approvalId) => store.dispatch({ type: "driver-seen", approvalId }),
    });
    this.takeover = new Takeover(byId("takeover"), (note) => this.#do(() => control.handTabBack(note)));
    this.drafts = new Drafts(this.composer);
    this.editing = new Editing(this.composer, this.drafts, () => draw());
    this.writing.begin(this.composer, this.drafts, this.editing);
    new Keyboard({
      connection,
      store,
      leave: () => this.composer.leave(),
      type: (keys, at) => {
        this.composer.type(keys, at);
        // Escape stops or closes, wherever the keyboard was for that moment.
        if (keys.includes("Escape")) this.attention.escape();
      },
    });
    this.conversation = new ConversationView(byId("conversation"), {
      loadOlder: () => chat.older(),
      forgetOlder: () => chat.shorten(),
      tools: {
        prose: {
          text: new FrameBudget(TEXT_A_FRAME),
          blocks: new FrameBudget(BLOCKS_A_FRAME),
        },
        load: (file) => this.files.url(this.#shownId, file),
        answer: (approvalId, decision, text) => this.#attempt(() => control.answer(this.#shownId, approvalId, decision, text)),
        answerQuestion: (questionId, answers) => this.#attempt(() => control.answerQuestion(this.#shownId, questionId, answers)),
        unattended: (minutes) => this.#attempt(() => control.workUnattended(minutes)),
        retry: (clientId) => this.writing.sayAgain(clientId),
        remedies: (clientId, fault) => this.writing.remedies(clientId, fault),
        resend: (clientId) => chat.sender.resend(clientId),
        takeBack: (clientId) => this.writing.takeBack(clientId),
        editEarlier: (clientId) => this.#do(() => this.writing.editEarlier(clientId)),
        edited: null,
        showSettings: () => this.drawers.toggle("settings"),
        sendTyped: (later) => this.composer.submit(later),
        readOnly: false,
      },
    });
    this.attention = new Attention(this, () => this.#do(() => chat.stop()));
    byId("dock").prepend(this.conversation.jump, this.conversation.waits);
    byId("conversation").setAttribute("aria-label", t("conversation"));
    this.statusBar = new StatusBar(byId("statusbar"), {
      clear: () => this.#newChat(),
      toggle: (drawer) => this.drawers.toggle(drawer),
      showConnection: () => this.drawers.toggleDebug("connection"),
    });
    quickActions(byId("quick"), { connection, store, toast: this.toast, attach: (source) => void this.writing.attach(source) });

    // The person clicked a suggestion of the welcome page.
    connection.on("suggest", (params) => {
      const { number } = /** @type {{ number: number }} */ (params);
      const name = WELCOME_SUGGESTIONS[number];
      if (!name || !this.composer.isEmpty) return;
      this.composer.insert(onlyBuiltIn(store.state.agents) ? (WELCOME_COMMANDS[number] ?? "") : t(name));
    });
    this.clock = new Clock({ tick: (now) => this.conversation.tick(now), due: draw });
    store.subscribe(draw);
    ignoreStraySecondClicks(document);
    this.draw();
    this.composer.focus();
  }

  draw() {
    const { state } = this.store;
    const shown = shownConversation(state);
    const own = state.conversation?.info ?? null;
    const connected = state.connection.status === "connected";
    const trouble = troubleOf(state.connection);
    const agent = chosenAgent(state.agents, shown?.info ?? null);
    const running = shown ? runningTurn(shown.view) : null;
    const { entries, queue, paused } = shown ? displayed(shown, state.outbox, connected) : { entries: [], queue: [], paused: false };
    const busy = running !== null || entries.at(-1)?.kind === "pending";
    this.tabBar.update(state.tab, state.tabs, own?.tabs, state.drivers);
    this.#drawConversation(state, entries);
    this.banner.update(entries.length > 0 ? trouble : null);
    this.#drawStrips(state, busy);
    this.queue.update(queue, paused);
    const away = trouble ? t("noConnection", partName(partOf(trouble.hop))) : "";
    this.agents.update(state.agents, own, away, state.sandbox);
    this.folder.update(connected ? (own?.folder ?? "") : "", own?.worktree?.of);
    this.composer.update({
      placeholder: this.#placeholder(state, entries.length === 0, busy),
      canSend: state.conversation !== null,
      running: busy && connected,
      stopping: state.stopping === own?.conversationId || own?.state === "stopping",
    });
    if (this.drafts.follow(own?.conversationId ?? null, state.conversation?.insteadOf ?? null)) this.composer.sendEntered();
    this.editing.follow(own?.conversationId ?? null);
    this.conversation.setEdited(state.reading ? null : this.editing.clientId);
    drawEditing(byId("editing"), this.editing.clientId !== null, busy, () => this.editing.cancel());
    this.statusBar.update({
      connection: state.connection,
      trouble,
      agentTrouble:
        agent && agent.status !== "ready" ? t("agentTrouble", agent.label, t(`agent_${agent.status.replaceAll("-", "_")}`)) : "",
      drawer: this.drawers.open,
      costUsd: shown?.info.costUsd ?? 0,
      canClear: entries.length > 0 && !state.reading,
    });
    byId("quick").hidden = !connected || this.drawers.open !== null;
    this.conversation.setTyping(!this.composer.isEmpty);
    this.announcer.watch(shown);
    this.attention.update(state);
  }

  /** @param {PanelState} state @param {boolean} busy */
  #drawStrips(state, busy) {
    const client = askFor(state.drivers, state.tab);
    this.clients.update(client);
    this.announcer.watchDrivers(client.ask);
    this.takeover.update(pausedIn(state.drivers, state.tab));
    drawLease(byId("lease"), leaseOf(state.drivers, state.tab), () => this.#do(() => this.chat.control.takeTabBack()));
    const now = Date.now();
    const rule = unattendedRule(state.rules, state.conversation?.info.conversationId, now);
    drawNotice(byId("notice"), state.notice, () => this.store.dispatch({ type: "notice", fault: null }));
    drawUnattended(byId("unattended"), rule, () => {
      if (rule) this.#do(() => this.chat.control.removeRule(rule.id));
    });
    drawUpdate(byId("update"), newerExtension(state, chrome.runtime.getManifest().version), () => chrome.runtime.reload());
    drawReading(byId("reading"), state.reading?.info ?? null, {
      back: () => void this.chat.read(null).then(() => this.composer.focus()),
      goOn: (info) =>
        this.#do(async () => {
          await this.chat.control.attach(info.conversationId);
          this.composer.focus();
        }),
    });
    const { info, older } = shownConversation(state) ?? {};
    drawOrigin(byId("origin"), older ? null : (info?.branchOf ?? null), (id) => this.#do(() => this.chat.readOne(id)));
    const { asking } = this.conversation;
    drawAsks(byId("asks"), asking !== null && this.drawers.open !== null, () => this.drawers.close());
    byId("dock").hidden = state.reading !== null || this.drawers.hidesComposer;
    this.clock.run(busy, rule?.until ?? null);
  }

  /** @param {PanelState} state @param {import("./state/display.js").Shown[]} entries */
  #drawConversation(state, entries) {
    const shown = shownConversation(state);
    const id = shown?.info.conversationId ?? "";
    if (id !== this.#shownId) {
      this.#shownId = id;
      this.conversation.reset(id);
      this.files.forget();
    }
    this.conversation.setReadOnly(state.reading !== null);
    const isEmpty = entries.length === 0;
    this.conversation.column.hidden = isEmpty;
    byId("start").hidden = !isEmpty;
    byId("conversation").classList.toggle("conversation--fill", isEmpty);
    this.conversation.update(entries, shown?.older ?? false, shown?.info.state === "waiting-for-slot");
    if (isEmpty) this.#drawStart(state);
  }

  /** Draws the empty conversation. @param {PanelState} state */
  #drawStart(state) {
    const trouble = troubleOf(state.connection);
    const spelled = trouble ? `trouble ${trouble.hop} ${trouble.fault.message}` : state.openFault ? `fault ${state.openFault.message}` : "";
    const kind = spelled || (state.conversation?.epoch && !state.conversation.older && state.agents ? "empty" : "waiting");
    const changed = this.#startOf !== kind;
    this.#startOf = kind;
    const start = byId("start");
    if (kind === "empty") {
      if (changed) start.replaceChildren(this.empty.element);
      this.empty.update(state.tab, state.agents, onlyBuiltIn(state.agents), state.conversation?.info.earlier ?? null);
    } else if (changed) {
      start.replaceChildren(
        ...(trouble
          ? [troublePage(trouble, { retry: this.reconnect, details: () => this.drawers.toggleDebug("connection") })]
          : state.openFault
            ? [faultCard(state.openFault, [{ label: t("retry"), onclick: () => void this.chat.open() }])]
            : []),
      );
    }
  }

  /** @param {PanelState} state @param {boolean} isEmpty @param {boolean} busy */
  #placeholder(state, isEmpty, busy) {
    if (!state.conversation) return t("sayNothing");
    if (this.conversation.asking) return t("sayInstead");
    if (busy) return t("sayQueue");
    if (onlyBuiltIn(state.agents)) return t("sayPlain");
    return isEmpty ? t("sayFirst") : t("sayReply");
  }

  #newChat() {
    this.#do(async () => {
      await this.chat.clear();
      this.composer.focus();
    });
  }

  /** Looks for agents again and shows the result. */
  async #lookForAgents() {
    this.toast.show(t("lookingForAgents"));
    await this.#attempt(async () => {
      const found = await this.chat.lookForAgents();
      this.toast.show(found.length > 0 ? t("agentsFound", found.map((agent) => agent.label).join(", ")) : t("noAgentYet"));
    });
  }

  #showKeys() {
    if (this.drawers.open !== "settings") this.drawers.toggle("settings");
    this.drawers.views.settings.showKeys();
  }

  /** Runs the work; the toast shows a failure. @param {() => Promise<unknown>} work */
  #do(work) {
    this.#attempt(work).catch(() => {
      /* the toast shows it */
    });
  }

  /** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  #attempt(work) {
    return attempt(this.toast, work);
  }
}
