//! Every method of the wire: its name, parameters and result, in both directions.
//!
//! Owns the list. The daemon's dispatch and `extension/protocol.d.ts` are made from it.

use super::activity::{ActivityEntry, ActivitySubscribe};
use super::agents::AgentInfo;
use super::chat::{ConversationInfo, SaidPhrase};
pub use super::chat_requests::{
    ApprovalAnswer, ChatAck, ChatHistory, ChatOpen, ChatRef, ChatSend, ChatSubscribe, ChatUnqueue, FilePart, FileRead,
    MarkdownRender, NewAttachment, QuestionAnswer, Rendered, Sent,
};
use super::command::CommandRequest;
use super::elements::{Acting, OfTab, RefsHighlight, RefsShow};
use super::fault::{Fault, FaultWords, Hop};
use super::hello::Hello;
use super::history::{
    ConversationAttach, ConversationExport, ConversationFolder, ConversationRename, ConversationTab, ConversationsList,
    InboxLeave,
};
use super::ids::{AgentName, ChromeTabId, ConversationId, Epoch, TabId, WindowId};
use super::panel_key::{PanelConfirmation, PanelProve};
use super::policy::{PolicyAdd, PolicyRemove};
use super::relay::{
    RelayAnswer, RelayAttach, RelayCommand, RelayDetach, RelayDetached, RelayEvent, RelayPart, RelayTab,
};
use super::settings::SettingsSet;
use super::tabs::{TabWithConversation, TabsChanged};
use serde::{Deserialize, Serialize};

/// The messages of the extension to the daemon: `method` and `params` of a request or notification.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "method", content = "params")]
pub enum ToDaemon {
    /// The first request on a port. → [`super::hello::Welcome`]
    #[serde(rename = "hello")]
    Hello(Hello),
    /// Proves the browser's key, once a connection. → [`PanelConfirmation`]
    #[serde(rename = "panel.prove")]
    PanelProve(PanelProve),
    /// A live check of the hop. → [`Pong`]
    #[serde(rename = "ping")]
    Ping(Empty),
    /// Notification: the answer to [`ToPanel::Echo`].
    #[serde(rename = "echoed")]
    Echoed(Echo),
    /// Every hop from here on, checked now. → [`Hops`]
    #[serde(rename = "hops")]
    Hops(Empty),
    /// Notification: Chrome's tab events.
    #[serde(rename = "tabs.changed")]
    TabsChanged(TabsChanged),
    /// Notification: a panel of this port opened or shows another window's tab.
    #[serde(rename = "panel.opened")]
    PanelOpened(PanelOpened),
    /// Notification: a panel of this port is gone. Its subscriptions end.
    #[serde(rename = "panel.closed")]
    PanelClosed(Empty),
    /// Notification: the person's keyboard came to a panel of this port, or left it.
    #[serde(rename = "panel.focus")]
    PanelFocus(PanelFocus),
    /// The conversation of a tab; made when there is none. → [`ConversationInfo`]
    #[serde(rename = "chat.open")]
    ChatOpen(ChatOpen),
    /// Reads the events after `after`; later ones are pushed. → [`super::chat::Subscribed`]
    #[serde(rename = "chat.subscribe")]
    ChatSubscribe(ChatSubscribe),
    /// Ends the push of one conversation to this panel. → [`Empty`]
    #[serde(rename = "chat.unsubscribe")]
    ChatUnsubscribe(ChatRef),
    /// Older events. → [`super::chat::HistoryPage`]
    #[serde(rename = "chat.history")]
    ChatHistory(ChatHistory),
    /// Notification: this panel has applied all events up to `seq`.
    #[serde(rename = "chat.ack")]
    ChatAck(ChatAck),
    /// Notification: the person begins to write in the conversation that this panel shows. Its agent may be made ready.
    #[serde(rename = "chat.prepare")]
    ChatPrepare(ChatRef),
    /// A message; the same `clientId` again is answered as the first time. → [`Sent`]
    #[serde(rename = "chat.send")]
    ChatSend(ChatSend),
    /// Takes a waiting message back. → [`Empty`]
    #[serde(rename = "chat.unqueue")]
    ChatUnqueue(ChatUnqueue),
    /// Stops the running turn. → [`Empty`]
    #[serde(rename = "chat.stop")]
    ChatStop(ChatRef),
    /// Stops the running turns of all conversations. → [`super::control::Stopped`]
    #[serde(rename = "chat.stopAll")]
    ChatStopAll(Empty),
    /// Lets the waiting messages run after a turn that did not end well (stopped, failed, interrupted). → [`Empty`]
    #[serde(rename = "chat.continue")]
    ChatContinue(ChatRef),
    /// Puts the conversation into history and opens an empty one for its tab. → [`ConversationInfo`]
    #[serde(rename = "chat.clear")]
    ChatClear(ChatRef),
    /// Answers an approval. → [`Empty`]
    #[serde(rename = "approval.answer")]
    ApprovalAnswer(ApprovalAnswer),
    /// Answers a question of the agent. → [`Empty`]
    #[serde(rename = "question.answer")]
    QuestionAnswer(QuestionAnswer),
    /// Conversations, newest first. → [`Conversations`]
    #[serde(rename = "conversations.list")]
    ConversationsList(ConversationsList),
    /// → [`ConversationInfo`]
    #[serde(rename = "conversations.rename")]
    ConversationsRename(ConversationRename),
    /// Puts a conversation aside; it can be restored for some days. What runs there is stopped. → [`Empty`]
    #[serde(rename = "conversations.delete")]
    ConversationsDelete(ChatRef),
    /// Brings a deleted conversation back. → [`ConversationInfo`]
    #[serde(rename = "conversations.restore")]
    ConversationsRestore(ChatRef),
    /// → [`super::chat::Attachment`], read by `file.read`
    #[serde(rename = "conversations.export")]
    ConversationsExport(ConversationExport),
    /// → [`ConversationInfo`]
    #[serde(rename = "conversations.attach")]
    ConversationsAttach(ConversationAttach),
    /// → [`ConversationInfo`]
    #[serde(rename = "conversations.folder")]
    ConversationsFolder(ConversationFolder),
    /// → [`ConversationInfo`]
    #[serde(rename = "conversations.tab")]
    ConversationsTab(ConversationTab),
    /// → [`super::history::InboxLeft`]
    #[serde(rename = "inbox.leave")]
    InboxLeave(InboxLeave),
    /// → [`super::settings::Settings`]
    #[serde(rename = "settings.get")]
    SettingsGet(Empty),
    /// → [`super::settings::Settings`]
    #[serde(rename = "settings.set")]
    SettingsSet(SettingsSet),
    /// → [`super::policy::Policy`]
    #[serde(rename = "policy.list")]
    PolicyList(Empty),
    /// → [`super::policy::Policy`]
    #[serde(rename = "policy.add")]
    PolicyAdd(PolicyAdd),
    /// → [`super::policy::Policy`]
    #[serde(rename = "policy.remove")]
    PolicyRemove(PolicyRemove),
    /// → [`super::activity::ActivityPage`]
    #[serde(rename = "activity.subscribe")]
    ActivitySubscribe(ActivitySubscribe),
    /// → [`Empty`]
    #[serde(rename = "activity.unsubscribe")]
    ActivityUnsubscribe(Empty),
    /// The refs of a tab's last snapshot. → [`super::elements::Refs`]
    #[serde(rename = "refs.list")]
    RefsList(OfTab),
    /// → [`Empty`]
    #[serde(rename = "refs.show")]
    RefsShow(RefsShow),
    /// → [`Empty`]
    #[serde(rename = "refs.highlight")]
    RefsHighlight(RefsHighlight),
    /// Lets the person pick an element; answered when they have, or when they gave it up. → [`super::elements::Picked`]
    #[serde(rename = "pick.start")]
    PickStart(OfTab),
    /// Ends a pick that waits. → [`Empty`]
    #[serde(rename = "pick.stop")]
    PickStop(OfTab),
    /// → [`Agents`]
    #[serde(rename = "agents.list")]
    AgentsList(AgentsList),
    /// Chooses the agent and the model of a conversation. → [`ConversationInfo`]
    #[serde(rename = "agents.choose")]
    AgentsChoose(AgentsChoose),
    /// Markdown to HTML, one result a block. → [`Rendered`]
    #[serde(rename = "markdown.render")]
    MarkdownRender(MarkdownRender),
    /// A part of a conversation's file. → [`FilePart`]
    #[serde(rename = "file.read")]
    FileRead(FileRead),
    /// A browser command on the panel's tab (quick actions). → [`super::command::CommandResult`]
    #[serde(rename = "command.run")]
    CommandRun(CommandRun),
    /// Notification: the answer to a `relay.…` message that has a `call`.
    #[serde(rename = "relay.answer")]
    RelayAnswer(RelayAnswer),
    /// Notification: a DevTools event of a tab that the extension is attached to.
    #[serde(rename = "relay.event")]
    RelayEvent(RelayEvent),
    /// Notification: the extension is no longer attached to a tab, by somebody else's doing.
    #[serde(rename = "relay.detached")]
    RelayDetached(RelayDetached),
}

/// The messages of the daemon to the extension. Notifications only.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "method", content = "params")]
pub enum ToPanel {
    #[serde(rename = "chat.event")]
    ChatEvent(super::chat::ChatEventPush),
    #[serde(rename = "chat.delta")]
    ChatDelta(super::chat::ChatDelta),
    #[serde(rename = "chat.gap")]
    ChatGap(super::chat::ChatGap),
    /// State or queue of a conversation changed.
    #[serde(rename = "chat.info")]
    ChatInfo(ConversationInfo),
    /// The tabs that have a conversation changed (to the background: it relays to all its panels).
    #[serde(rename = "tabs.conversations")]
    TabsConversations(TabsConversations),
    /// Agents were found, lost or signed in.
    #[serde(rename = "agents.changed")]
    AgentsChanged(Agents),
    /// An agent works in these tabs now, or has ended there (to the background: pill, frame and cursor).
    #[serde(rename = "tabs.working")]
    TabsWorking(TabsWorking),
    /// A live check of the way out: to the background, or to the panel that `client` names. Answered by `echoed`.
    #[serde(rename = "echo")]
    Echo(Echo),
    /// An agent's pointer in a page (to the background: it draws it).
    #[serde(rename = "tabs.acting")]
    TabsActing(Acting),
    /// A command began or ended (to panels that asked by `activity.subscribe`).
    #[serde(rename = "activity.entry")]
    ActivityEntry(ActivityEntry),
    /// To the background: attach to a tab. Answered by `relay.answer`.
    #[serde(rename = "relay.attach")]
    RelayAttach(RelayAttach),
    /// To the background: let go of a tab.
    #[serde(rename = "relay.detach")]
    RelayDetach(RelayDetach),
    /// To the background: a DevTools command. Answered by `relay.answer`.
    #[serde(rename = "relay.command")]
    RelayCommand(RelayCommand),
    /// To the background: a piece of the parameters of a command that follows.
    #[serde(rename = "relay.part")]
    RelayPart(RelayPart),
    /// To the background: open, close or show a tab. Answered by `relay.answer`.
    #[serde(rename = "relay.tab")]
    RelayTab(RelayTab),
    /// Keys that the person pressed for the panel and that reached the page during an action (to the panel that has
    /// the keyboard).
    #[serde(rename = "panel.keys")]
    PanelKeys(PanelKeys),
    /// The person has confirmed this browser, or its code is another one (to the background).
    #[serde(rename = "panel.confirmation")]
    PanelConfirmation(PanelConfirmation),
    /// A hop broke or works again. The native host sends it too when it can't reach the daemon.
    #[serde(rename = "fault")]
    Fault(Fault),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Empty {}

/// The content of an echo, so that each answer finds its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Echo {
    pub nonce: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Pong {
    pub epoch: Epoch,
}

/// One hop, checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct HopState {
    pub hop: Hop,
    pub ok: bool,
    /// In words: `Chromium 156, pid 4242, 3 tabs`.
    pub detail: String,
    /// The detail as a code, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Box<FaultWords>>,
    /// How long the check took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub millis: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hops {
    pub hops: Vec<HopState>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PanelOpened {
    pub window_id: WindowId,
}

/// Whether the panel's page has the focus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PanelFocus {
    pub focused: bool,
    /// The panel's own address, which no other panel has.
    pub address: String,
}

/// Names of keys as in DOM's `KeyboardEvent.key`, in the order in which they were pressed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PanelKeys {
    pub keys: Vec<String>,
    /// When each was pressed, in milliseconds since 1970: what was typed in the panel meanwhile stands before or behind it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<Vec<f64>>", optional))]
    pub at: Vec<f64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AgentsList {
    /// Look again instead of answering from what is known.
    #[serde(default)]
    pub refresh: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Agents {
    pub agents: Vec<AgentInfo>,
    /// The sandbox that confines them, once it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxInfo>,
}

/// Whether agents run in a sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SandboxInfo {
    pub in_force: bool,
    /// The mechanism, or what is missing.
    pub detail: String,
    /// The same as codes, if it has some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub words: Option<Box<FaultWords>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AgentsChoose {
    pub conversation_id: ConversationId,
    /// Absent: the default agent.
    #[serde(default)]
    pub agent: Option<AgentName>,
    /// `fast`, `deep` or one of the agent's models. Absent: by what each message asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CommandRun {
    pub chrome_tab_id: ChromeTabId,
    /// Its `tabId` is set by the daemon.
    #[serde(flatten)]
    pub request: CommandRequest,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TabsConversations {
    pub tabs: Vec<TabWithConversation>,
}

/// One tab in which an agent works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct WorkingTab {
    pub tab_id: TabId,
    pub chrome_tab_id: ChromeTabId,
    /// The agent's name as people know it.
    pub agent_label: String,
    /// The current action in words: `Clicking Submit`.
    pub doing: String,
    /// The same as a code, for panels of other languages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub phrase: Option<SaidPhrase>,
    /// It waits for a person's answer.
    pub waiting: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TabsWorking {
    /// All of them; an empty list when none.
    pub tabs: Vec<WorkingTab>,
}
