//! Every method of the wire: its name, parameters, answer and rules, in both directions.
//!
//! Owns the table. The daemon's dispatch, `extension/protocol.d.ts`, the tables of docs/PROTOCOL.md and the list of
//! golden files are generated from it; the files next to this one define the types.

use super::activity::{ActivityEntry, ActivityPage, ActivitySubscribe};
use super::agents::{Agents, AgentsChoose, AgentsList, Commands};
use super::approval_notices::ApprovalsWaiting;
use super::basics::{Echo, Empty, Pong};
use super::chat::{Attachment, ChatDelta, ChatEventPush, ChatGap, ConversationInfo, HistoryPage, Subscribed};
use super::chat_requests::{
    ApprovalAnswer, Branched, ChatAck, ChatBranch, ChatHistory, ChatOpen, ChatOrder, ChatRef, ChatSend, ChatSubscribe,
    ChatUnqueue, FilePart, FileRead, QuestionAnswer, Sent,
};
use super::command::{CommandResult, CommandRun};
use super::control::Stopped;
use super::declare::{Reply, Rules, notifications, requests};
use super::driver::{DriverAnswered, DriversGive, DriversHandBack, DriversRelease, DriversShown};
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
    /// Proves possession of the browser's key, once for each connection.
    "panel.prove" panel_prove PanelProve(PanelProve) -> PanelConfirmation [unconfirmed];
    /// Checks that the connection is alive.
    "ping" ping Ping(Empty) -> Pong [unconfirmed];
    /// The answer to [`ToPanel::Echo`].
    "echoed" echoed Echoed(Echo) [unconfirmed];
    /// Checks every hop from the daemon onwards.
    "hops" hops Hops(Empty) -> Hops [unconfirmed beside];
    /// Reports Chrome's tab events.
    "tabs.changed" tabs_changed TabsChanged(TabsChanged);
    /// A panel of this port was opened, or now shows another window's tab.
    "panel.opened" panel_opened PanelOpened(PanelOpened);
    /// A panel of this port was closed. Its subscriptions end.
    "panel.closed" panel_closed PanelClosed(Empty);
    /// A panel of this port gained or lost keyboard focus.
    "panel.focus" panel_focus PanelFocus(PanelFocus);
    /// Returns the conversation of a tab, and creates it if there is none.
    "chat.open" chat_open ChatOpen(ChatOpen) -> ConversationInfo [beside];
    /// Reads the events after `after`; later ones are pushed.
    "chat.subscribe" chat_subscribe ChatSubscribe(ChatSubscribe) => Subscribed;
    /// Stops pushing one conversation to this panel.
    "chat.unsubscribe" chat_unsubscribe ChatUnsubscribe(ChatRef) -> Empty;
    /// Returns older events.
    "chat.history" chat_history ChatHistory(ChatHistory) -> HistoryPage;
    /// Confirms that this panel has applied all events up to `seq`.
    "chat.ack" chat_ack ChatAck(ChatAck);
    /// The person is about to write in the conversation that this panel shows, so its agent may be started early.
    "chat.prepare" chat_prepare ChatPrepare(ChatRef);
    /// Sends a message. A repeated `clientId` gets the same answer as before.
    "chat.send" chat_send ChatSend(ChatSend) -> Sent;
    /// Goes on from an earlier message with another text, in a new conversation that takes the tab. A running turn is
    /// stopped. A repeated request gets the same answer as before.
    "chat.branch" chat_branch ChatBranch(ChatBranch) -> Branched;
    /// Removes a queued message.
    "chat.unqueue" chat_unqueue ChatUnqueue(ChatUnqueue) -> Empty;
    /// Changes the order of the queued messages, and may run the first one now.
    "chat.order" chat_order ChatOrder(ChatOrder) -> Empty;
    /// Stops the running turn.
    "chat.stop" chat_stop ChatStop(ChatRef) -> Empty [unconfirmed];
    /// Stops the running turns of all conversations.
    "chat.stopAll" chat_stop_all ChatStopAll(Empty) -> Stopped [unconfirmed];
    /// Runs the queued messages after a turn that was stopped, failed or was interrupted.
    "chat.continue" chat_continue ChatContinue(ChatRef) -> Empty;
    /// Moves the conversation into the history and opens an empty one for its tab.
    "chat.clear" chat_clear ChatClear(ChatRef) -> ConversationInfo;
    /// Answers an approval.
    "approval.answer" approval_answer ApprovalAnswer(ApprovalAnswer) -> Empty;
    /// Answers a question of the agent.
    "question.answer" question_answer QuestionAnswer(QuestionAnswer) -> Empty;
    /// Lists conversations, newest first.
    "conversations.list" conversations_list ConversationsList(ConversationsList) -> Conversations [beside];
    /// Renames a conversation.
    "conversations.rename" conversations_rename ConversationsRename(ConversationRename) -> ConversationInfo [beside];
    /// Deletes a conversation and stops its turn; it can be restored for 7 days.
    "conversations.delete" conversations_delete ConversationsDelete(ChatRef) -> Empty [beside];
    /// Restores a deleted conversation.
    "conversations.restore" conversations_restore ConversationsRestore(ChatRef) -> ConversationInfo [beside];
    /// Exports a conversation as a file for `file.read`.
    "conversations.export" conversations_export ConversationsExport(ConversationExport) -> Attachment [beside];
    /// Opens a conversation in a tab.
    "conversations.attach" conversations_attach ConversationsAttach(ConversationAttach) -> ConversationInfo [beside];
    /// Sets its agent's working directory.
    "conversations.folder" conversations_folder ConversationsFolder(ConversationFolder) -> ConversationInfo [beside];
    /// Adds a tab to a conversation's tab set, or removes it.
    "conversations.tab" conversations_tab ConversationsTab(ConversationTab) -> ConversationInfo [beside];
    /// Takes a tab back from the MCP client that leases it. A command that the client runs there is cancelled.
    "drivers.release" drivers_release DriversRelease(DriversRelease) -> Empty [beside];
    /// Gives a tab to a driver, and takes it from the one that had it.
    "drivers.give" drivers_give DriversGive(DriversGive) -> Empty [beside];
    /// Hands a tab back that the person took over, with a note for whoever works there.
    "drivers.handBack" drivers_hand_back DriversHandBack(DriversHandBack) -> Empty [beside];
    /// Leaves the page or a note for agents that work elsewhere.
    "inbox.leave" inbox_leave InboxLeave(InboxLeave) -> InboxLeft [beside];
    /// Returns every setting with its value and the value's source.
    "settings.get" settings_get SettingsGet(Empty) -> Settings [beside];
    /// Changes one setting.
    "settings.set" settings_set SettingsSet(SettingsSet) -> Settings [beside];
    /// Returns the person's rules.
    "policy.list" policy_list PolicyList(Empty) -> Policy;
    /// Adds a rule.
    "policy.add" policy_add PolicyAdd(PolicyAdd) -> Policy;
    /// Removes a rule.
    "policy.remove" policy_remove PolicyRemove(PolicyRemove) -> Policy;
    /// Returns the activity after `after`; later entries are pushed.
    "activity.subscribe" activity_subscribe ActivitySubscribe(ActivitySubscribe) => ActivityPage;
    /// Stops pushing the activity.
    "activity.unsubscribe" activity_unsubscribe ActivityUnsubscribe(Empty) -> Empty;
    /// Returns the refs of a tab's last snapshot.
    "refs.list" refs_list RefsList(OfTab) -> Refs [beside];
    /// Draws the refs over the page, or removes them.
    "refs.show" refs_show RefsShow(RefsShow) -> Empty [beside];
    /// Highlights one element of the page, or none.
    "refs.highlight" refs_highlight RefsHighlight(RefsHighlight) -> Empty [beside];
    /// Lets the person pick an element. Answered when they pick one or cancel.
    "pick.start" pick_start PickStart(OfTab) -> Picked [beside];
    /// Cancels a pick.
    "pick.stop" pick_stop PickStop(OfTab) -> Empty;
    /// Returns the known agents, or detects them again.
    "agents.list" agents_list AgentsList(AgentsList) -> Agents [beside];
    /// Sets a conversation's agent, model and mode.
    "agents.choose" agents_choose AgentsChoose(AgentsChoose) -> ConversationInfo;
    /// Lists the commands that a message of the conversation can begin with, whichever agent it has.
    "commands.list" commands_list CommandsList(ChatRef) -> Commands [beside];
    /// Reads a part of a conversation's file.
    "file.read" file_read FileRead(FileRead) -> FilePart [beside];
    /// Runs a browser command on the panel's tab (quick actions).
    "command.run" command_run CommandRun(CommandRun) -> CommandResult [beside];
    /// Answers a `relay.…` message that has a `call`.
    "relay.answer" relay_answer RelayAnswer(RelayAnswer);
    /// Forwards a DevTools event of a tab that the extension is attached to.
    "relay.event" relay_event RelayEvent(RelayEvent);
    /// The extension was detached from a tab, but not by the daemon.
    "relay.detached" relay_detached RelayDetached(RelayDetached);
}

notifications! {
    "chat.event" ChatEvent(ChatEventPush);
    "chat.delta" ChatDelta(ChatDelta);
    "chat.gap" ChatGap(ChatGap);
    /// A conversation's state or queue changed.
    "chat.info" ChatInfo(ConversationInfo);
    /// The tabs with a conversation changed (to the background, which forwards it to all its panels).
    "tabs.conversations" TabsConversations(TabsConversations);
    /// Agents were found, lost or signed in.
    "agents.changed" AgentsChanged(Agents);
    /// An agent started or stopped working in these tabs (to the background: pill, frame and cursor).
    "tabs.working" TabsWorking(TabsWorking);
    /// The tabs that MCP clients lease or the approvals that they wait for changed (to all panels of a confirmed browser).
    "drivers.changed" DriversChanged(DriversShown);
    /// The approvals and questions that wait in this browser changed (to the background, for notifications).
    "approvals.waiting" ApprovalsWaiting(ApprovalsWaiting);
    /// An approval of an MCP client was answered, withdrawn, or its time is over (to all panels of confirmed browsers).
    "drivers.answered" DriversAnswered(DriverAnswered);
    /// Checks the connection in this direction, to the background or to the panel that `client` names. Answered by
    /// `echoed`.
    "echo" Echo(Echo);
    /// An agent's pointer in a page (to the background, which draws it).
    "tabs.acting" TabsActing(Acting);
    /// A command started or ended (to panels subscribed by `activity.subscribe`).
    "activity.entry" ActivityEntry(ActivityEntry);
    /// Attaches to a tab (to the background). Answered by `relay.answer`.
    "relay.attach" RelayAttach(RelayAttach);
    /// Detaches from a tab (to the background).
    "relay.detach" RelayDetach(RelayDetach);
    /// Sends a DevTools command (to the background). Answered by `relay.answer`.
    "relay.command" RelayCommand(RelayCommand);
    /// Sends part of the parameters of the next command (to the background).
    "relay.part" RelayPart(RelayPart);
    /// Opens, closes or shows a tab (to the background). Answered by `relay.answer`.
    "relay.tab" RelayTab(RelayTab);
    /// Keys meant for the panel that reached the page during an action (to the panel that has the keyboard focus).
    "panel.keys" PanelKeys(PanelKeys);
    /// The person confirmed this browser, or its code changed (to the background).
    "panel.confirmation" PanelConfirmation(PanelConfirmation);
    /// A hop failed or works again. The native messaging host also sends it if it cannot reach the daemon.
    "fault" Fault(Fault);
}
