//! From a message's bytes to the engine and back, by method.

use crate::base::well_formed;
use crate::engine::{Engine, Heard, PortId, PortSender, Standing};
use crate::protocol::audit::AuditBy;
use crate::protocol::chat::AnsweredBy;
use crate::protocol::control::Stopped;
use crate::protocol::fault::{Fault, FaultCode, Hop};
use crate::protocol::ids::PanelId;
use crate::protocol::methods::{Empty, Hops, ToDaemon};
use crate::protocol::rpc::Envelope;
use futures_util::FutureExt;
use serde::Serialize;
use tokio_util::task::TaskTracker;

/// Handles one message. What takes long runs beside the others; the rest keeps its order.
pub async fn message(engine: &Engine, port: PortId, sender: &PortSender, tasks: &TaskTracker, bytes: &[u8]) {
    let bytes: &[u8] = &well_formed::repair(bytes);
    let envelope: Envelope = match serde_json::from_slice(bytes) {
        Ok(envelope) => envelope,
        Err(error) => {
            let fault = Fault::new(FaultCode::BadRequest, format!("not a JSON-RPC message: {error}"));
            sender.send(&Envelope::failure(None, None, fault));
            return;
        }
    };
    let request = Request { engine: engine.clone(), port, client: envelope.client.clone() };
    let reply = Reply { sender: sender.clone(), client: envelope.client, id: envelope.id };
    let call: ToDaemon = match serde_json::from_slice(bytes) {
        Ok(call) => call,
        Err(error) => {
            let fault = Fault::new(FaultCode::BadRequest, format!("{error}"))
                .hint("The extension and the daemon may be of different versions: reload the extension.");
            return reply.fail(fault);
        }
    };
    match engine.standing(port) {
        _ if matches!(call, ToDaemon::Hello(_)) => {}
        Standing::Unknown => {
            let hint =
                "The first request on a port is `hello`, with a protocol that gstack speaks: reload the extension.";
            let fault = Fault::new(FaultCode::ProtocolMismatch, "the extension has not said hello").hint(hint);
            return reply.fail(fault.at(Hop::Background));
        }
        Standing::Unconfirmed if !is_open(&call) => return reply.refuse(|| engine.unconfirmed(port)),
        Standing::Unconfirmed | Standing::Confirmed => {}
    }
    if takes_long(&call) {
        let mut handling = Box::pin(async move { request.handle(call, &reply).await });
        // It begins in its turn and goes on by itself: a `pick.stop` finds the pick that was asked for before it.
        if (&mut handling).now_or_never().is_none() {
            tasks.spawn(handling);
        }
    } else {
        request.handle(call, &reply).await;
    }
}

/// What a browser that the person has not confirmed may ask: who is there, what is wrong, and that work stops.
fn is_open(call: &ToDaemon) -> bool {
    matches!(
        call,
        ToDaemon::PanelProve(_)
            | ToDaemon::Ping(_)
            | ToDaemon::Echoed(_)
            | ToDaemon::Hops(_)
            | ToDaemon::ChatStop(_)
            | ToDaemon::ChatStopAll(_)
    )
}

/// What waits for a browser, a program or a disk.
fn takes_long(call: &ToDaemon) -> bool {
    matches!(
        call,
        ToDaemon::Hops(_)
            | ToDaemon::AgentsList(_)
            | ToDaemon::CommandRun(_)
            | ToDaemon::FileRead(_)
            | ToDaemon::MarkdownRender(_)
            | ToDaemon::RefsList(_)
            | ToDaemon::RefsShow(_)
            | ToDaemon::RefsHighlight(_)
            | ToDaemon::PickStart(_)
            | ToDaemon::ConversationsList(_)
            | ToDaemon::ConversationsRename(_)
            | ToDaemon::ConversationsDelete(_)
            | ToDaemon::ConversationsRestore(_)
            | ToDaemon::ConversationsExport(_)
            | ToDaemon::ConversationsFolder(_)
            | ToDaemon::InboxLeave(_)
            | ToDaemon::SettingsGet(_)
            | ToDaemon::SettingsSet(_)
    )
}

struct Reply {
    sender: PortSender,
    client: Option<PanelId>,
    /// Absent for notifications: nothing is answered.
    id: Option<u64>,
}

impl Reply {
    fn give<T: Serialize>(&self, outcome: Result<T, Fault>) {
        match (outcome, self.id) {
            (Ok(value), Some(id)) => self.sender.send(&Envelope::response(self.client.clone(), id, &value)),
            (Ok(_), None) => {}
            (Err(fault), _) => self.fail(fault),
        }
    }

    /// Refuses a request; a notification is ignored.
    fn refuse(&self, fault: impl FnOnce() -> Fault) {
        if self.id.is_some() {
            self.fail(fault());
        }
    }

    fn fail(&self, fault: Fault) {
        match self.id {
            Some(id) => self.sender.send(&Envelope::failure(self.client.clone(), Some(id), fault)),
            None => tracing::warn!(code = ?fault.code, "a notification was refused: {fault}"),
        }
    }
}

struct Request {
    engine: Engine,
    port: PortId,
    client: Option<PanelId>,
}

impl Request {
    async fn handle(self, call: ToDaemon, reply: &Reply) {
        let Self { engine, port, client } = self;
        match call {
            ToDaemon::Hello(hello) => reply.give(engine.hello(port, hello)),
            ToDaemon::PanelProve(prove) => reply.give(engine.prove_panel(port, &prove)),
            ToDaemon::Ping(Empty {}) => reply.give(Ok(engine.pong())),
            ToDaemon::Echoed(echo) => engine.echoed(echo),
            ToDaemon::Hops(Empty {}) => reply.give(Ok(Hops { hops: engine.hops(port).await })),
            ToDaemon::TabsChanged(changed) => engine.tabs_changed(port, changed),
            ToDaemon::PanelOpened(opened) => engine.panel_opened(port, client, opened),
            ToDaemon::PanelClosed(Empty {}) => engine.panel_closed(port, client),
            ToDaemon::PanelFocus(focus) => engine.panel_focus(port, client, focus),
            ToDaemon::ChatOpen(open) => reply.give(engine.chat_open(port, &open)),
            ToDaemon::ChatSubscribe(subscribe) => {
                let answer = |subscribed| reply.give(Ok(subscribed));
                if let Err(fault) = engine.conversations().subscribe(port, client, &subscribe, answer) {
                    reply.fail(fault);
                }
            }
            ToDaemon::ChatUnsubscribe(of) => {
                engine.conversations().unsubscribe(port, client, &of.conversation_id);
                reply.give(Ok(Empty {}));
            }
            ToDaemon::ChatHistory(page) => reply.give(engine.conversations().history(&page)),
            ToDaemon::ChatPrepare(of) => engine.chat_prepare(port, client, &of.conversation_id),
            ToDaemon::ChatAck(ack) => engine.conversations().acknowledge(port, client, &ack),
            ToDaemon::ChatSend(send) => reply.give(engine.chat_send(send).await),
            ToDaemon::ChatUnqueue(unqueue) => reply.give(engine.chat_unqueue(unqueue).await.map(|()| Empty {})),
            ToDaemon::ChatStop(of) => reply.give(engine.chat_stop(&of.conversation_id).map(|()| Empty {})),
            ToDaemon::ChatContinue(of) => reply.give(engine.chat_continue(&of.conversation_id).map(|()| Empty {})),
            ToDaemon::ChatClear(of) => reply.give(engine.chat_clear(&of.conversation_id)),
            ToDaemon::ChatStopAll(Empty {}) => reply.give(Ok(Stopped { turns: engine.stop_turns(None) })),
            ToDaemon::ActivitySubscribe(subscribe) => {
                let answer = |page| reply.give(Ok(page));
                if let Err(fault) = engine.activity().subscribe(port, client, subscribe.after, answer) {
                    reply.fail(fault);
                }
            }
            ToDaemon::ActivityUnsubscribe(Empty {}) => {
                engine.activity().unsubscribe(port, client.as_ref());
                reply.give(Ok(Empty {}));
            }
            ToDaemon::QuestionAnswer(answer) => {
                reply.give(engine.answer_question(answer, AnsweredBy::Panel).map(|()| Empty {}));
            }
            ToDaemon::ConversationsList(list) => reply.give(engine.conversations().list(list).await),
            ToDaemon::ConversationsRename(rename) => reply.give(engine.rename_conversation(rename).await),
            ToDaemon::ConversationsDelete(of) => {
                reply.give(engine.delete_conversation(&of.conversation_id).await.map(|()| Empty {}));
            }
            ToDaemon::ConversationsRestore(of) => reply.give(engine.conversations().restore(&of.conversation_id).await),
            ToDaemon::ConversationsExport(export) => reply.give(engine.conversations().export(export).await),
            ToDaemon::ConversationsAttach(attach) => reply.give(engine.attach_conversation(port, attach).await),
            ToDaemon::ConversationsFolder(folder) => reply.give(engine.choose_folder(folder).await),
            ToDaemon::ConversationsTab(tab) => reply.give(engine.conversation_tab(port, &tab)),
            ToDaemon::InboxLeave(leave) => reply.give(engine.leave_in_inbox(leave).await),
            ToDaemon::SettingsGet(Empty {}) => reply.give(Ok(engine.settings().await)),
            ToDaemon::SettingsSet(set) => reply.give(engine.set_setting(set).await),
            ToDaemon::PolicyList(Empty {}) => reply.give(engine.policy().in_force()),
            ToDaemon::PolicyAdd(add) => reply.give(engine.policy().add(add, AuditBy::Panel)),
            ToDaemon::PolicyRemove(remove) => reply.give(engine.policy().remove(&remove, AuditBy::Panel)),
            ToDaemon::RefsList(of) => reply.give(engine.refs(port, of).await),
            ToDaemon::RefsShow(show) => reply.give(engine.show_refs(port, client, show).await.map(|()| Empty {})),
            ToDaemon::RefsHighlight(of) => reply.give(engine.highlight(port, client, of).await.map(|()| Empty {})),
            ToDaemon::PickStart(of) => reply.give(engine.pick(port, client, of).await),
            ToDaemon::PickStop(of) => reply.give(engine.pick_stop(port, of).map(|()| Empty {})),
            ToDaemon::ApprovalAnswer(answer) => {
                reply.give(engine.answer_approval(&answer, AnsweredBy::Panel).map(|()| Empty {}));
            }
            ToDaemon::AgentsList(list) if list.refresh => reply.give(engine.look_for_agents_again().await),
            ToDaemon::AgentsList(_) => reply.give(Ok(engine.agents().list(false).await)),
            ToDaemon::AgentsChoose(choose) => reply.give(engine.choose_agent(&choose)),
            ToDaemon::MarkdownRender(markdown) => {
                reply.give(engine.conversations().render_markdown(markdown.blocks).await)
            }
            ToDaemon::FileRead(read) => reply.give(engine.conversations().file_read(&read)),
            ToDaemon::RelayAnswer(answer) => engine.browsers().heard(port, Heard::Answer(answer)).await,
            ToDaemon::RelayEvent(event) => engine.browsers().heard(port, Heard::Event(event)).await,
            ToDaemon::RelayDetached(detached) => engine.browsers().heard(port, Heard::Detached(detached)).await,
            ToDaemon::CommandRun(run) => reply.give(engine.command_from_panel(port, run).await),
        }
    }
}
