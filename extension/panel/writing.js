/**
 * The composer's traffic with the daemon: messages, retries, page context and commands.
 *
 * Owns the connections between composer, drafts and chat. Draws nothing.
 * @import { Attachment, Fault, NewAttachment, Picked, SlashCommand } from "../protocol.js"
 * @import { Panel } from "./drawer-actions.js"
 * @import { Drafts } from "./drafts.js"
 * @import { Editing } from "./editing.js"
 * @import { Place } from "./own-commands.js"
 * @import { Unsent } from "./state/outbox.js"
 * @import { TabView } from "./state/panel-state.js"
 * @import { Source } from "./view/attach-menu.js"
 * @import { Held } from "./view/attachments.js"
 * @import { Composer } from "./view/composer.js"
 * @import { ConversationView } from "./view/conversation.js"
 * @import { Queue } from "./view/queue.js"
 */
import { faultOf } from "../shared/fault.js";
import { t } from "../shared/i18n.js";
import { attachPage, attachScreenshot, attachSelection } from "./attach.js";
import { attempt } from "./drawer-actions.js";
import { ownCommands, runOwnSaying } from "./own-commands.js";
import { elementContext, heldOf, joinedText } from "./state/context.js";
import { offered, ownCommand } from "./state/slash.js";
import { chosenAgent } from "./state/trouble.js";
import { base64 } from "./view/attachments.js";

export class Writing {
  #own = ownCommands();
  /** The saved flows of a conversation's folder. @type {{ of: string, commands: SlashCommand[] }} */ #flows = { of: "", commands: [] };
  /** @type {Composer | null} */ #composer = null;
  /** @type {Drafts | null} */ #drafts = null;
  /** @type {Editing | null} */ #editing = null;

  /**
   * @param {Panel} panel
   * @param {Place} place
   * @param {{ queue: Queue, conversation: () => ConversationView, sent: () => void }} parts  `sent`: called so that the
   * conversation becomes visible
   */
  constructor(panel, place, { queue, conversation, sent }) {
    this.panel = panel;
    this.place = place;
    this.queue = queue;
    this.conversation = conversation;
    this.sent = sent;
  }

  /**
   * Completes the construction: composer and drafts need this object first.
   * @param {Composer} composer
   * @param {Drafts} drafts
   * @param {Editing} editing
   */
  begin(composer, drafts, editing) {
    this.#composer = composer;
    this.#drafts = drafts;
    this.#editing = editing;
  }

  get editing() {
    if (!this.#editing) throw new Error("the editing is used before it was made");
    return this.#editing;
  }

  get composer() {
    if (!this.#composer) throw new Error("the composer is used before it was made");
    return this.#composer;
  }

  get drafts() {
    if (!this.#drafts) throw new Error("the drafts are used before they were made");
    return this.#drafts;
  }

  /** The composer's callbacks. @returns {import("./view/composer.js").ComposerActions} */
  get actions() {
    return {
      send: (text, attachments, context, later) => this.#sendWritten(text, attachments, context, later),
      stop: () => this.place.stop(),
      recall: () => this.#lastMessage,
      arrive: () => this.panel.chat.prepare(),
      draft: (text) => {
        this.panel.chat.writes(text);
        this.conversation().setTyping(!this.composer.isEmpty);
        this.drafts.typed();
      },
      attached: () => this.drafts.attached(),
      destination: () => this.drafts.destination(),
      say: (words) => this.panel.toast.show(words),
      commands: (typed) => this.#commands(typed),
      run: (text) => this.#run(text),
      attach: (source) => void this.attach(source),
    };
  }

  get #agent() {
    const { agents, conversation } = this.panel.store.state;
    return chosenAgent(agents, conversation?.info ?? null);
  }

  /** @param {string} typed */
  #commands(typed) {
    const id = this.panel.store.state.conversation?.info.conversationId ?? "";
    // Once whenever the list opens: a flow may have been saved since.
    if (id && (typed === "" || this.#flows.of !== id)) void this.#lookForFlows(id);
    return offered(typed, this.#own, this.#agent, this.#flows.of === id ? this.#flows.commands : [], t("flows"));
  }

  /** @param {string} conversationId */
  async #lookForFlows(conversationId) {
    const { commands: before } = this.#flows;
    if (this.#flows.of !== conversationId) this.#flows = { of: conversationId, commands: [] };
    try {
      const { commands } = await this.panel.connection.request("commands.list", { conversationId });
      if (this.#flows.of !== conversationId || JSON.stringify(commands) === JSON.stringify(before)) return;
      this.#flows = { of: conversationId, commands };
      this.composer.offerAgain();
    } catch {
      // The connection state shows the reason; the list has the other commands.
    }
  }

  /** @param {string} text */
  #run(text) {
    const command = ownCommand(text);
    // If the agent has a command of the same name, it gets the command when the text has an argument that ours does not
    // take.
    if (!command || (command.argument && this.#own.find(({ name }) => name === command.name)?.hint === "")) return false;
    runOwnSaying(this.panel, this.place, command);
    return true;
  }

  /**
   * Sends a message. If a request waits for the person, the message takes its place: the request is refused, the turn
   * ends, and the agent gets the message.
   * @param {string} text
   * @param {NewAttachment[]} attachments
   * @param {string | null} context
   * @param {boolean} [later]  it joins the queue even if a request waits
   */
  send(text, attachments, context, later = false) {
    if (this.queue.isFull) {
      this.queue.refuse();
      return false;
    }
    const { asking } = this.conversation();
    const instead = asking !== null && !later;
    // In this order on the wire: the request is refused, not withdrawn.
    if (instead) void asking.refuse();
    this.panel.chat.sender.say(text, attachments, context, instead);
    this.sent();
    this.conversation().toEnd();
    return true;
  }

  /**
   * Sends what the person wrote in the composer: as a branch if it edits an earlier message.
   * @param {string} text
   * @param {NewAttachment[]} attachments
   * @param {string | null} context
   * @param {boolean} later
   */
  #sendWritten(text, attachments, context, later) {
    const edited = this.editing.clientId;
    if (edited === null) return this.send(text, attachments, context, later);
    this.panel.chat.sender.say(text, attachments, context, false, edited);
    this.editing.sent();
    this.sent();
    this.conversation().toEnd();
    return true;
  }

  /** @param {string} text */
  say(text) {
    if (this.panel.store.state.conversation) this.send(text, [], null);
  }

  /** Sends a message of this conversation again, as a new one, with all that went with it. @param {string} clientId */
  sayAgain(clientId) {
    const { conversation } = this.panel.store.state;
    const event = conversation?.events.find((each) => each.type === "message" && each.clientId === clientId);
    if (!conversation || event?.type !== "message") return;
    const context = event.page?.selection ?? null;
    if (!event.attachments?.length) return void this.send(event.text, [], context);
    const { conversationId } = conversation.info;
    const read = async () => {
      const files = await Promise.all((event.attachments ?? []).map((file) => this.#again(conversationId, file)));
      if (this.panel.store.state.conversation?.info.conversationId === conversationId) this.send(event.text, files, context);
    };
    attempt(this.panel.toast, read).catch(() => {
      /* the toast shows it */
    });
  }

  /** Reads a sent picture for another message. @param {string} conversationId @param {Attachment} file */
  async #again(conversationId, file) {
    return { name: file.name, mime: file.mime, data: await base64(await this.panel.files.blob(conversationId, file)) };
  }

  /** Returns the buttons that fix a failed turn. @param {string} clientId @param {Fault} fault */
  remedies(clientId, fault) {
    const again = { label: t("retry"), onclick: () => this.sayAgain(clientId) };
    if (fault.code !== "agent-signed-out" && fault.code !== "agent-missing") return [again];
    const { chat, store, toast } = this.panel;
    const chosen = this.#agent;
    const other = store.state.agents?.find(({ status, hasModel, name }) => status === "ready" && hasModel && name !== chosen?.name);
    const instead = (/** @type {string} */ name) =>
      void attempt(toast, () => chat.control.choose(name, null, null)).then(
        () => this.sayAgain(clientId),
        () => {
          /* the toast shows it */
        },
      );
    return [
      {
        label: fault.code === "agent-missing" ? t("haveInstalled") : t("haveSignedIn"),
        main: true,
        onclick: () => void chat.refreshAgents(true).then(() => this.sayAgain(clientId)),
      },
      ...(other ? [{ label: t("useInstead", other.label), onclick: () => instead(other.name) }] : []),
    ];
  }

  /**
   * Puts a failed message and its attachments back into the composer, in front of its content.
   * @param {string} clientId
   */
  takeBack(clientId) {
    const { store } = this.panel;
    const message = store.state.outbox.find((each) => each.clientId === clientId);
    store.dispatch({ type: "message-dropped", clientId });
    if (message?.branch) this.editing.begin(message.branch.of, { text: message.text, held: heldOf(message) });
    else if (message) this.#bringBack(message);
  }

  /**
   * Puts an earlier message of this conversation into the composer, with all that went with it. Sending it starts a
   * branch.
   * @param {string} clientId
   */
  async editEarlier(clientId) {
    const { conversation } = this.panel.store.state;
    const event = conversation?.events.find((each) => each.type === "message" && each.clientId === clientId);
    if (!conversation || event?.type !== "message") return;
    const { conversationId } = conversation.info;
    const attachments = await Promise.all((event.attachments ?? []).map((file) => this.#again(conversationId, file)));
    if (this.panel.store.state.conversation?.info.conversationId !== conversationId) return;
    this.editing.begin(clientId, { text: event.text, held: heldOf({ page: event.page ?? null, attachments }) });
  }

  /** Takes a queued message out of the queue and back into the composer. @param {string} clientId */
  async edit(clientId) {
    const { conversation } = this.panel.store.state;
    const message = conversation?.view.waiting.find((each) => each.clientId === clientId);
    if (!conversation || !message) return;
    const { conversationId } = conversation.info;
    const attachments = await Promise.all(message.attachments.map((file) => this.#again(conversationId, file)));
    await this.panel.chat.unqueue(clientId);
    this.#bringBack({ text: message.text, page: { url: "", title: "", selection: message.context }, attachments });
  }

  /** @param {Pick<Unsent, "text" | "page" | "attachments">} message */
  #bringBack(message) {
    this.composer.value = joinedText(message.text, this.composer.value);
    this.composer.bring([...heldOf(message), ...this.composer.attachments.held]);
    this.drafts.typed();
    this.drafts.attached();
    this.composer.focus();
  }

  get #lastMessage() {
    const event = this.panel.store.state.conversation?.events.findLast(({ type }) => type === "message");
    return event?.type === "message" ? event.text : null;
  }

  /** Attaches a part of the page in view to the conversation that is in view now. @param {Source} source */
  async attach(source) {
    const { tab } = this.panel.store.state;
    if (!tab) return;
    const bring = this.drafts.destination();
    try {
      const one = await this.#look(source, tab);
      if (one) bring(one);
      this.composer.focus();
    } catch (error) {
      const { message, hint } = faultOf(error);
      this.panel.toast.show(hint ? `${message} ${hint}` : message);
    }
  }

  /**
   * Reads that part of the page; null if nothing was picked.
   * @param {Source} source
   * @param {TabView} tab
   * @returns {Promise<Held | null>}
   */
  async #look(source, tab) {
    switch (source) {
      case "page":
        return attachPage(tab);
      case "selection":
        return attachSelection(tab);
      case "screenshot":
        return attachScreenshot(this.panel.connection, tab);
      case "element": {
        const picked = await this.panel.pick.start(tab.chromeTabId);
        return picked && elementContext(picked);
      }
      case "picture":
        return null;
    }
  }

  /** @returns {import("./drawer-actions.js").Compose} */
  get compose() {
    return {
      insert: (text) => this.composer.insert(text),
      element: (/** @type {Picked} */ picked) => {
        this.composer.attachments.add(elementContext(picked));
        this.composer.focus();
      },
    };
  }
}
