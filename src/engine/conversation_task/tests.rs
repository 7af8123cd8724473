//! Tests of a conversation's task with inputs at inconvenient moments, with a real engine and no agent.
//!
//! Owns only these cases. Never starts a process.

use super::task::Task;
use crate::Engine;
use crate::config::Config;
use crate::conversations::{ConversationGate, Input};
use crate::provision::Provision;
use gstack_agent::builtin;
use gstack_base::home::Home;
use gstack_base::upgrade::UpgradeMark;
use gstack_chat::store::{NewConversation, Store};
use gstack_chat::turn::{ApprovalRequest, Message};
use gstack_chat::{Conversation, Event};
use gstack_protocol::chat::{ChatBody, ConversationState, Decision, MessageSource, StepKind};
use gstack_protocol::chat_requests::ChatSend;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::{AgentName, ApprovalId, ClientMessageId, TurnId};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

async fn engine_at(home: &Path) -> Engine {
    let provision = Provision { unpack_extension: |home| Ok(home.extension()), register_host: |_| Ok(()) };
    let home = Home::at(home.to_path_buf()).unwrap();
    Engine::open(home, Config::default(), 1, provision, Vec::new(), CancellationToken::new()).await.unwrap()
}

fn conversation_of(engine: &Engine) -> Arc<Conversation> {
    engine.conversations().store().create(NewConversation { folder: "/".to_owned(), page: None })
}

fn message(text: &str) -> Message {
    Message {
        turn_id: TurnId::random(),
        client_id: ClientMessageId::new(text),
        text: text.to_owned(),
        page: None,
        attachments: Vec::new(),
        from: MessageSource::Panel,
        model: None,
    }
}

/// Returns a task whose conversation has a turn that an agent works on.
fn in_turn(engine: &Engine) -> (Task, ConversationGate) {
    let conversation = conversation_of(engine);
    let message = message("do it");
    let turn_id = message.turn_id.clone();
    conversation.send(message).unwrap();
    conversation.handle(Event::AgentReady(turn_id.clone()));
    conversation.handle(Event::PromptAccepted(turn_id));
    let gate = engine.conversations().gate(&conversation);
    (Task::new(engine.inner.task_services.clone(), gate.clone()), gate)
}

fn request(id: &str) -> ApprovalRequest {
    ApprovalRequest {
        approval_id: ApprovalId::new(id),
        ask: "click".to_owned(),
        phrase: None,
        site: None,
        why: None,
        does: "click @e1".to_owned(),
        action: Box::default(),
        kind: StepKind::Act,
        choices: vec![Decision::AllowOnce, Decision::Deny],
    }
}

#[tokio::test]
async fn a_question_that_was_taken_back_before_it_was_read_opens_no_card() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine_at(&folder.path().join("home")).await;
    let (mut task, gate) = in_turn(&engine);
    let (answer, receiver) = oneshot::channel();
    drop(receiver);
    gate.handle(Event::ApprovalWithdrawn(ApprovalId::new("one")));
    task.input(Input::Asked { request: request("one"), answer }).await;
    assert_eq!(gate.conversation().state(), ConversationState::Running);

    // Withdrawn after the check and before the card: the withdrawal found nothing.
    let (answer, receiver) = oneshot::channel();
    drop(receiver);
    task.asked(request("two"), answer);
    assert_eq!(gate.conversation().state(), ConversationState::Running);

    let (answer, _waits) = oneshot::channel();
    task.input(Input::Asked { request: request("three"), answer }).await;
    assert_eq!(gate.conversation().state(), ConversationState::WaitingForApproval);
    engine.close().await;
}

#[tokio::test]
async fn a_start_that_was_given_up_does_not_end_the_start_of_a_later_task() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine_at(&folder.path().join("home")).await;
    let conversation = conversation_of(&engine);
    let gate = engine.conversations().gate(&conversation);
    let choice = async || engine.inner.task_services.choose(&conversation, &message("help")).await;
    let mut ended = Task::new(engine.inner.task_services.clone(), gate.clone());
    ended.start(None, choice().await, None);
    let given_up = ended.generation;
    ended.end_current();
    let mut later = Task::new(engine.inner.task_services.clone(), gate);
    later.start(None, choice().await, None);
    let stopped = Fault::new(FaultCode::Cancelled, "stopped");
    later.input(Input::Started { generation: given_up, outcome: Err(stopped) }).await;
    assert!(later.starting.is_some(), "its own start goes on");
    engine.close().await;
}

#[tokio::test]
async fn a_stop_of_what_waits_for_the_next_daemon_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let engine = engine_at(&home).await;
    let conversation = conversation_of(&engine);
    let (stopped, waits) = (message("stopped"), message("waits"));
    let gate = engine.conversations().gate(&conversation);
    let mut task = Task::new(engine.inner.task_services.clone(), gate.clone());
    engine.upgrade().set_mark(UpgradeMark::new("999.0.0".to_owned()));
    let begun = conversation.send(stopped).unwrap();
    task.input(Input::Effects(begun.effects)).await;
    conversation.send(waits).unwrap();
    let stop = conversation.handle(Event::Stop);
    task.input(Input::Effects(stop.effects)).await;
    assert_eq!(conversation.state(), ConversationState::Idle);
    crate::conversations::persist(conversation).await.unwrap();
    engine.close().await;
    drop((task, gate, engine));

    let again = Store::open(&Home::at(home).unwrap()).unwrap();
    let recovered = again.recover().conversations.pop().unwrap();
    assert_eq!(recovered.info().queued, 1, "only what was not stopped waits");
}

#[tokio::test]
async fn a_model_that_comes_with_a_message_is_for_its_turn_alone() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine_at(&folder.path().join("home")).await;
    let conversation = conversation_of(&engine);
    conversation.choose_agent(Some(AgentName::new("claude")), Some("sonnet".to_owned()), None);
    let named = Message { model: Some("opus".to_owned()), ..message("why is it so?") };
    let plain = message("why is it so, again?");
    assert_eq!(engine.inner.task_services.choose(&conversation, &named).await.model.as_deref(), Some("opus"));
    assert_eq!(engine.inner.task_services.choose(&conversation, &plain).await.model.as_deref(), Some("sonnet"));
    let one_command = message("go back");
    let by_a_model = Message { model: Some("opus".to_owned()), ..one_command.clone() };
    assert!(engine.inner.task_services.choose(&conversation, &one_command).await.direct);
    assert!(!engine.inner.task_services.choose(&conversation, &by_a_model).await.direct, "who names a model wants one");
    engine.close().await;
}

#[tokio::test]
async fn a_message_that_is_sent_with_a_model_changes_nothing_for_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine_at(&folder.path().join("home")).await;
    let conversation = conversation_of(&engine);
    // The built-in agent starts no process.
    conversation.choose_agent(Some(AgentName::new(builtin::NAME)), Some("sonnet".to_owned()), None);
    for (text, model) in [("/deep why is it so?", None), ("and that?", Some("opus".to_owned()))] {
        let send = ChatSend {
            conversation_id: conversation.id().clone(),
            client_id: ClientMessageId::new(text),
            text: text.to_owned(),
            page: None,
            attachments: Vec::new(),
            agent: None,
            model,
            from: MessageSource::Panel,
        };
        engine.conversation_requests().send(send).await.unwrap();
    }
    assert_eq!(conversation.model().as_deref(), Some("sonnet"));
    let events = conversation.history(conversation.head() + 1, 50).unwrap().events;
    let said: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.body {
            ChatBody::Message { text, model, .. } => Some((text.as_str(), model.as_deref())),
            _ => None,
        })
        .collect();
    assert_eq!(said, [("why is it so?", Some("deep")), ("and that?", Some("opus"))]);
    engine.close().await;
}
