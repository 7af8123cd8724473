//! Every method of the wire: its name, parameters, answer and rules, in both directions.
//!
//! Owns the table. The daemon's dispatch, `extension/protocol.d.ts`, the tables of docs/PROTOCOL.md and the list of
//! golden files are made from it; the shapes themselves stand in the files beside this one.

use super::activity::{ActivityEntry, ActivityPage, ActivitySubscribe};
use super::agents::{Agents, AgentsChoose, AgentsList};
use super::basics::{Echo, Empty, Pong};
use super::chat::{Attachment, ChatDelta, ChatEventPush, ChatGap, ConversationInfo, HistoryPage, Subscribed};
use super::chat_requests::{
    ApprovalAnswer, ChatAck, ChatHistory, ChatOpen, ChatRef, ChatSend, ChatSubscribe, ChatUnqueue, FilePart, FileRead,
    QuestionAnswer, Sent,
};
use super::command::{CommandResult, CommandRun};
use super::control::Stopped;
use super::declare::{Reply, Rules, notifications, requests};
use super::elements::{Acting, OfTab, Picked, Refs, RefsHighlight, RefsShow};
use super::fault::Fault;
use super::hello::{Hello, Welcome};
use super::history::{
    ConversationAttach, ConversationExport, ConversationFolder, ConversationRename, ConversationTab, Conversations,
    ConversationsList, InboxLeave, InboxLeft,
};
use super::hops::Hops;
use super::ids::PanelId;
use super::panel_key::{PanelConfirmation, PanelProve};
use super::panels::{PanelFocus, PanelKeys, PanelOpened};
use super::policy::{Policy, PolicyAdd, PolicyRemove};
use super::relay::{
    RelayAnswer, RelayAttach, RelayCommand, RelayDetach, RelayDetached, RelayEvent, RelayPart, RelayTab,
};
use super::rpc::Envelope;
use super::settings::{Settings, SettingsSet};
use super::tabs::{TabsChanged, TabsConversations, TabsWorking};

requests! {
    /// The first request on a port.
    "hello" hello Hello(Hello) -> Welcome;
    /// Proves the browser's key, once a connection.
    "panel.prove" panel_prove PanelProve(PanelProve) -> PanelConfirmation [unconfirmed];
    /// A live check of the hop.
    "ping" ping Ping(Empty) -> Pong [unconfirmed];
    /// The answer to [`ToPanel::Echo`].
    "echoed" echoed Echoed(Echo) [unconfirmed];
    /// Every hop from here on, checked now.
    "hops" hops Hops(Empty) -> Hops [unconfirmed beside];
    /// Chrome's tab events.
    "tabs.changed" tabs_changed TabsChanged(TabsChanged);
    /// A panel of this port opened or shows another window's tab.
    "panel.opened" panel_opened PanelOpened(PanelOpened);
    /// A panel of this port is gone. Its subscriptions end.
    "panel.closed" panel_closed PanelClosed(Empty);
    /// The person's keyboard came to a panel of this port, or left it.
    "panel.focus" panel_focus PanelFocus(PanelFocus);
    /// The conversation of a tab; made when there is none.
    "chat.open" chat_open ChatOpen(ChatOpen) -> ConversationInfo;
    /// Reads the events after `after`; later ones are pushed.
    "chat.subscribe" chat_subscribe ChatSubscribe(ChatSubscribe) => Subscribed;
    /// Ends the push of one conversation to this panel.
    "chat.unsubscribe" chat_unsubscribe ChatUnsubscribe(ChatRef) -> Empty;
    /// Older events.
    "chat.history" chat_history ChatHistory(ChatHistory) -> HistoryPage;
    /// This panel has applied all events up to `seq`.
    "chat.ack" chat_ack ChatAck(ChatAck);
    /// The person begins to write in the conversation that this panel shows. Its agent may be made ready.
    "chat.prepare" chat_prepare ChatPrepare(ChatRef);
    /// A message; the same `clientId` again is answered as the first time.
    "chat.send" chat_send ChatSend(ChatSend) -> Sent;
    /// Takes a waiting message back.
    "chat.unqueue" chat_unqueue ChatUnqueue(ChatUnqueue) -> Empty;
    /// Stops the running turn.
    "chat.stop" chat_stop ChatStop(ChatRef) -> Empty [unconfirmed];
    /// Stops the running turns of all conversations.
    "chat.stopAll" chat_stop_all ChatStopAll(Empty) -> Stopped [unconfirmed];
    /// Lets the waiting messages run after a turn that did not end well (stopped, failed, interrupted).
    "chat.continue" chat_continue ChatContinue(ChatRef) -> Empty;
    /// Puts the conversation into history and opens an empty one for its tab.
    "chat.clear" chat_clear ChatClear(ChatRef) -> ConversationInfo;
    /// Answers an approval.
    "approval.answer" approval_answer ApprovalAnswer(ApprovalAnswer) -> Empty;
    /// Answers a question of the agent.
    "question.answer" question_answer QuestionAnswer(QuestionAnswer) -> Empty;
    /// Conversations, newest first.
    "conversations.list" conversations_list ConversationsList(ConversationsList) -> Conversations [beside];
    /// Gives a conversation a title.
    "conversations.rename" conversations_rename ConversationsRename(ConversationRename) -> ConversationInfo [beside];
    /// Puts a conversation aside; it can be restored for some days. What runs there is stopped.
    "conversations.delete" conversations_delete ConversationsDelete(ChatRef) -> Empty [beside];
    /// Brings a deleted conversation back.
    "conversations.restore" conversations_restore ConversationsRestore(ChatRef) -> ConversationInfo [beside];
    /// A conversation as a file; read by `file.read`.
    "conversations.export" conversations_export ConversationsExport(ConversationExport) -> Attachment [beside];
    /// Shows a conversation in a tab.
    "conversations.attach" conversations_attach ConversationsAttach(ConversationAttach) -> ConversationInfo;
    /// Chooses the folder that its agent works in.
    "conversations.folder" conversations_folder ConversationsFolder(ConversationFolder) -> ConversationInfo [beside];
    /// Lets the agent of a conversation into a tab, or out of it.
    "conversations.tab" conversations_tab ConversationsTab(ConversationTab) -> ConversationInfo;
    /// Leaves the page or a note for agents that work elsewhere.
    "inbox.leave" inbox_leave InboxLeave(InboxLeave) -> InboxLeft [beside];
    /// Every setting with its value and where that is from.
    "settings.get" settings_get SettingsGet(Empty) -> Settings [beside];
    /// Changes one setting.
    "settings.set" settings_set SettingsSet(SettingsSet) -> Settings [beside];
    /// The person's rules.
    "policy.list" policy_list PolicyList(Empty) -> Policy;
    /// Adds a rule.
    "policy.add" policy_add PolicyAdd(PolicyAdd) -> Policy;
    /// Takes a rule away.
    "policy.remove" policy_remove PolicyRemove(PolicyRemove) -> Policy;
    /// What was done in the browser after `after`; later entries are pushed.
    "activity.subscribe" activity_subscribe ActivitySubscribe(ActivitySubscribe) => ActivityPage;
    /// Ends that push.
    "activity.unsubscribe" activity_unsubscribe ActivityUnsubscribe(Empty) -> Empty;
    /// The refs of a tab's last snapshot.
    "refs.list" refs_list RefsList(OfTab) -> Refs [beside];
    /// Draws the refs over the page, or takes them away.
    "refs.show" refs_show RefsShow(RefsShow) -> Empty [beside];
    /// Outlines one element of the page, or none.
    "refs.highlight" refs_highlight RefsHighlight(RefsHighlight) -> Empty [beside];
    /// Lets the person pick an element; answered when they have, or when they gave it up.
    "pick.start" pick_start PickStart(OfTab) -> Picked [beside];
    /// Ends a pick that waits.
    "pick.stop" pick_stop PickStop(OfTab) -> Empty;
    /// The agents that were found, or a new look for them.
    "agents.list" agents_list AgentsList(AgentsList) -> Agents [beside];
    /// Chooses the agent and the model of a conversation.
    "agents.choose" agents_choose AgentsChoose(AgentsChoose) -> ConversationInfo;
    /// A part of a conversation's file.
    "file.read" file_read FileRead(FileRead) -> FilePart [beside];
    /// A browser command on the panel's tab (quick actions).
    "command.run" command_run CommandRun(CommandRun) -> CommandResult [beside];
    /// The answer to a `relay.…` message that has a `call`.
    "relay.answer" relay_answer RelayAnswer(RelayAnswer);
    /// A DevTools event of a tab that the extension is attached to.
    "relay.event" relay_event RelayEvent(RelayEvent);
    /// The extension is no longer attached to a tab, by somebody else's doing.
    "relay.detached" relay_detached RelayDetached(RelayDetached);
}

notifications! {
    "chat.event" ChatEvent(ChatEventPush);
    "chat.delta" ChatDelta(ChatDelta);
    "chat.gap" ChatGap(ChatGap);
    /// State or queue of a conversation changed.
    "chat.info" ChatInfo(ConversationInfo);
    /// The tabs that have a conversation changed (to the background: it relays to all its panels).
    "tabs.conversations" TabsConversations(TabsConversations);
    /// Agents were found, lost or signed in.
    "agents.changed" AgentsChanged(Agents);
    /// An agent works in these tabs now, or has ended there (to the background: pill, frame and cursor).
    "tabs.working" TabsWorking(TabsWorking);
    /// A live check of the way out: to the background, or to the panel that `client` names. Answered by `echoed`.
    "echo" Echo(Echo);
    /// An agent's pointer in a page (to the background: it draws it).
    "tabs.acting" TabsActing(Acting);
    /// A command began or ended (to panels that asked by `activity.subscribe`).
    "activity.entry" ActivityEntry(ActivityEntry);
    /// To the background: attach to a tab. Answered by `relay.answer`.
    "relay.attach" RelayAttach(RelayAttach);
    /// To the background: let go of a tab.
    "relay.detach" RelayDetach(RelayDetach);
    /// To the background: a DevTools command. Answered by `relay.answer`.
    "relay.command" RelayCommand(RelayCommand);
    /// To the background: a piece of the parameters of a command that follows.
    "relay.part" RelayPart(RelayPart);
    /// To the background: open, close or show a tab. Answered by `relay.answer`.
    "relay.tab" RelayTab(RelayTab);
    /// Keys that the person pressed for the panel and that reached the page during an action (to the panel that has
    /// the keyboard).
    "panel.keys" PanelKeys(PanelKeys);
    /// The person has confirmed this browser, or its code is another one (to the background).
    "panel.confirmation" PanelConfirmation(PanelConfirmation);
    /// A hop broke or works again. The native host sends it too when it can't reach the daemon.
    "fault" Fault(Fault);
}
