//! The implementation of each wire method for one panel, as a call of the engine.
//!
//! Owns nothing. The table in `protocol/methods.rs` defines the parameters and answers.

use gstack_engine::{Engine, FromExtension, Look, PortId};
use gstack_protocol::activity::{ActivityPage, ActivitySubscribe};
use gstack_protocol::agents::{Agents, AgentsChoose, AgentsList, Commands};
use gstack_protocol::audit::AuditBy;
use gstack_protocol::basics::{Echo, Empty, Pong};
use gstack_protocol::chat::{AnsweredBy, Attachment, ConversationInfo, HistoryPage, Subscribed};
use gstack_protocol::chat_requests::{
    ApprovalAnswer, Branched, ChatAck, ChatBranch, ChatHistory, ChatOpen, ChatOrder, ChatRef, ChatSend, ChatSubscribe,
    ChatUnqueue, FilePart, FileRead, QuestionAnswer, Sent,
};
use gstack_protocol::command::{CommandResult, CommandRun};
use gstack_protocol::control::Stopped;
use gstack_protocol::driver::{DriversGive, DriversHandBack, DriversRelease};
use gstack_protocol::elements::{OfTab, Picked, Refs, RefsHighlight, RefsShow};
use gstack_protocol::fault::Fault;
use gstack_protocol::hello::{Hello, Welcome};
use gstack_protocol::history::{
    ConversationAttach, ConversationExport, ConversationFolder, ConversationRename, ConversationTab, Conversations,
    ConversationsList, InboxLeave, InboxLeft,
};
use gstack_protocol::hops::Hops;
use gstack_protocol::ids::PanelId;
use gstack_protocol::methods::Serve;
use gstack_protocol::panel_key::{PanelConfirmation, PanelProve};
use gstack_protocol::panels::{PanelFocus, PanelOpened};
use gstack_protocol::policy::{Policy, PolicyAdd, PolicyRemove};
use gstack_protocol::relay::{RelayAnswer, RelayDetached, RelayEvent};
use gstack_protocol::settings::{Settings, SettingsSet};
use gstack_protocol::tabs::TabsChanged;

type Answer<T> = Result<T, Fault>;

/// The panel or the background that sent a message.
pub(super) struct Panel {
    pub(super) engine: Engine,
    pub(super) port: PortId,
    pub(super) client: Option<PanelId>,
}

/// Returns an empty answer.
fn done(outcome: Result<(), Fault>) -> Answer<Empty> {
    outcome.map(|()| Empty {})
}

impl Serve for Panel {
    async fn hello(&self, hello: Hello) -> Answer<Welcome> {
        self.engine.panels().hello(self.port, hello)
    }

    async fn panel_prove(&self, prove: PanelProve) -> Answer<PanelConfirmation> {
        self.engine.panel_keys().prove(self.port, &prove)
    }

    async fn ping(&self, _: Empty) -> Answer<Pong> {
        Ok(self.engine.panels().pong())
    }

    async fn echoed(&self, echo: Echo) {
        self.engine.hops().echoed(echo);
    }

    async fn hops(&self, _: Empty) -> Answer<Hops> {
        Ok(Hops { hops: self.engine.hops().behind(self.port).await })
    }

    async fn tabs_changed(&self, changed: TabsChanged) {
        self.engine.browser_events().tabs_changed(self.port, changed);
    }

    async fn panel_opened(&self, opened: PanelOpened) {
        self.engine.panels().panel_opened(self.port, self.client.clone(), opened);
    }

    async fn panel_closed(&self, _: Empty) {
        self.engine.panels().panel_closed(self.port, self.client.clone());
    }

    async fn panel_focus(&self, focus: PanelFocus) {
        self.engine.panels().panel_focus(self.port, self.client.clone(), focus);
    }

    async fn chat_open(&self, open: ChatOpen) -> Answer<ConversationInfo> {
        self.engine.conversation_requests().open(self.port, &open).await
    }

    async fn chat_subscribe(&self, subscribe: ChatSubscribe, answer: impl FnOnce(Subscribed) + Send) -> Answer<()> {
        self.engine.conversations().subscribe(self.port, self.client.clone(), &subscribe, answer)
    }

    async fn chat_unsubscribe(&self, of: ChatRef) -> Answer<Empty> {
        self.engine.conversations().unsubscribe(self.port, self.client.clone(), &of.conversation_id);
        Ok(Empty {})
    }

    async fn chat_history(&self, page: ChatHistory) -> Answer<HistoryPage> {
        self.engine.conversations().history(&page)
    }

    async fn chat_ack(&self, ack: ChatAck) {
        self.engine.conversations().acknowledge(self.port, self.client.clone(), &ack);
    }

    async fn chat_prepare(&self, of: ChatRef) {
        self.engine.spare().prepare(self.port, self.client.clone(), &of.conversation_id);
    }

    async fn chat_send(&self, send: ChatSend) -> Answer<Sent> {
        self.engine.conversation_requests().send(send).await
    }

    async fn chat_branch(&self, branch: ChatBranch) -> Answer<Branched> {
        self.engine.conversation_requests().branch(branch).await
    }

    async fn chat_unqueue(&self, unqueue: ChatUnqueue) -> Answer<Empty> {
        done(self.engine.conversation_requests().unqueue(unqueue).await)
    }

    async fn chat_order(&self, order: ChatOrder) -> Answer<Empty> {
        done(self.engine.conversation_requests().order(order).await)
    }

    async fn chat_stop(&self, of: ChatRef) -> Answer<Empty> {
        done(self.engine.conversation_requests().stop(&of.conversation_id))
    }

    async fn chat_stop_all(&self, _: Empty) -> Answer<Stopped> {
        Ok(Stopped { turns: self.engine.conversations().stop_turns(None) })
    }

    async fn chat_continue(&self, of: ChatRef) -> Answer<Empty> {
        done(self.engine.conversation_requests().go_on(&of.conversation_id))
    }

    async fn chat_clear(&self, of: ChatRef) -> Answer<ConversationInfo> {
        self.engine.conversation_requests().clear(&of.conversation_id)
    }

    async fn approval_answer(&self, answer: ApprovalAnswer) -> Answer<Empty> {
        done(self.engine.approvals().answer(&answer, AnsweredBy::Panel))
    }

    async fn question_answer(&self, answer: QuestionAnswer) -> Answer<Empty> {
        done(self.engine.approvals().answer_question(answer, AnsweredBy::Panel))
    }

    async fn conversations_list(&self, list: ConversationsList) -> Answer<Conversations> {
        self.engine.conversations().list(list).await
    }

    async fn conversations_rename(&self, rename: ConversationRename) -> Answer<ConversationInfo> {
        self.engine.conversation_requests().rename(rename).await
    }

    async fn conversations_delete(&self, of: ChatRef) -> Answer<Empty> {
        done(self.engine.conversation_requests().delete(&of.conversation_id).await)
    }

    async fn conversations_restore(&self, of: ChatRef) -> Answer<ConversationInfo> {
        self.engine.conversations().restore(&of.conversation_id).await
    }

    async fn conversations_export(&self, export: ConversationExport) -> Answer<Attachment> {
        self.engine.conversations().export(export).await
    }

    async fn conversations_attach(&self, attach: ConversationAttach) -> Answer<ConversationInfo> {
        self.engine.conversation_requests().attach(self.port, attach).await
    }

    async fn conversations_folder(&self, folder: ConversationFolder) -> Answer<ConversationInfo> {
        self.engine.conversation_requests().choose_folder(folder).await
    }

    async fn conversations_tab(&self, tab: ConversationTab) -> Answer<ConversationInfo> {
        self.engine.conversation_requests().change_tab_set(self.port, &tab).await
    }

    async fn drivers_release(&self, release: DriversRelease) -> Answer<Empty> {
        done(self.engine.drivers().release_from_panel(self.port, &release).await)
    }

    async fn drivers_give(&self, give: DriversGive) -> Answer<Empty> {
        done(self.engine.drivers().give_from_panel(self.port, &give).await)
    }

    async fn drivers_hand_back(&self, hand_back: DriversHandBack) -> Answer<Empty> {
        done(self.engine.drivers().hand_back_from_panel(self.port, &hand_back).await)
    }

    async fn inbox_leave(&self, leave: InboxLeave) -> Answer<InboxLeft> {
        self.engine.conversation_requests().leave_in_inbox(leave).await
    }

    async fn settings_get(&self, _: Empty) -> Answer<Settings> {
        Ok(self.engine.settings().list().await)
    }

    async fn settings_set(&self, set: SettingsSet) -> Answer<Settings> {
        self.engine.settings().set(set).await
    }

    async fn policy_list(&self, _: Empty) -> Answer<Policy> {
        self.engine.policy().in_force()
    }

    async fn policy_add(&self, add: PolicyAdd) -> Answer<Policy> {
        self.engine.add_rule(add, AuditBy::Panel, Some(self.port))
    }

    async fn policy_remove(&self, remove: PolicyRemove) -> Answer<Policy> {
        self.engine.policy().remove(&remove, AuditBy::Panel)
    }

    async fn activity_subscribe(
        &self,
        subscribe: ActivitySubscribe,
        answer: impl FnOnce(ActivityPage) + Send,
    ) -> Answer<()> {
        self.engine.activity().subscribe(self.port, self.client.clone(), subscribe.after, answer)
    }

    async fn activity_unsubscribe(&self, _: Empty) -> Answer<Empty> {
        self.engine.activity().unsubscribe(self.port, self.client.as_ref());
        Ok(Empty {})
    }

    async fn refs_list(&self, of: OfTab) -> Answer<Refs> {
        self.engine.elements().refs(self.port, of).await
    }

    async fn refs_show(&self, show: RefsShow) -> Answer<Empty> {
        done(self.engine.elements().show_refs(self.port, self.client.clone(), show).await)
    }

    async fn refs_highlight(&self, of: RefsHighlight) -> Answer<Empty> {
        done(self.engine.elements().highlight(self.port, self.client.clone(), of).await)
    }

    async fn pick_start(&self, of: OfTab) -> Answer<Picked> {
        self.engine.elements().pick(self.port, self.client.clone(), of).await
    }

    async fn pick_stop(&self, of: OfTab) -> Answer<Empty> {
        done(self.engine.elements().pick_stop(self.port, of))
    }

    async fn agents_list(&self, list: AgentsList) -> Answer<Agents> {
        if list.refresh {
            return self.engine.settings().look_for_agents().await;
        }
        if list.examine {
            return Ok(self.engine.agents().tell(Look::Rest).await);
        }
        Ok(self.engine.agents().list(Look::Known).await)
    }

    async fn agents_choose(&self, choose: AgentsChoose) -> Answer<ConversationInfo> {
        self.engine.conversation_requests().choose_agent(&choose)
    }

    async fn commands_list(&self, of: ChatRef) -> Answer<Commands> {
        self.engine.conversation_requests().commands(&of.conversation_id).await
    }

    async fn file_read(&self, read: FileRead) -> Answer<FilePart> {
        self.engine.conversations().file_read(&read)
    }

    async fn command_run(&self, run: CommandRun) -> Answer<CommandResult> {
        self.engine.commands().run_from_panel(self.port, run).await
    }

    async fn relay_answer(&self, answer: RelayAnswer) {
        self.engine.browsers().heard(self.port, FromExtension::Answer(answer)).await;
    }

    async fn relay_event(&self, event: RelayEvent) {
        self.engine.browsers().heard(self.port, FromExtension::Event(event)).await;
    }

    async fn relay_detached(&self, detached: RelayDetached) {
        self.engine.browsers().heard(self.port, FromExtension::Detached(detached)).await;
    }
}
