//! A misbehaving agent: whatever it prints or ignores, the conversation and the machine stay usable.

use super::bench::{Bench, end_of, left_behind, text_of};
use gstack_agent::adapter::AgentEvent;
use gstack_protocol::agents::AgentStatus;
use gstack_protocol::chat::TurnOutcome;
use gstack_protocol::fault::FaultCode;

#[tokio::test]
async fn garbage_is_passed_over_and_a_line_of_100_mb_ends_the_turn_with_its_reason() {
    let Some(bench) = Bench::rude() else { return };
    let mut talk = bench.talk().await;
    let events = talk.turn_of("garbage").await;
    assert_eq!((text_of(&events).as_str(), end_of(&events)), ("still here", (TurnOutcome::Done, None)));
    talk.say("huge").await;
    let events = talk.until(|event| matches!(event, AgentEvent::Exited { .. })).await;
    let Some(AgentEvent::Exited { fault: Some(fault) }) = events.last() else { panic!("{events:?}") };
    assert!(fault.message.contains("32 MiB"), "{}", fault.message);
    talk.session.close().await;
    assert_eq!(left_behind(bench.home.path()), Vec::<String>::new());
}

#[tokio::test]
async fn a_flood_arrives_whole_and_a_listener_that_stops_reading_holds_up_no_end() {
    let Some(bench) = Bench::rude() else { return };
    let mut talk = bench.talk().await;
    let events = talk.turn_of("flood 50000").await;
    assert_eq!(text_of(&events).len(), 100_000);
    talk.say("flood 50000").await;
    talk.next().await;
    // The rest remains unread.
    talk.session.close().await;
    assert_eq!(left_behind(bench.home.path()), Vec::<String>::new());
}

#[tokio::test]
async fn one_that_ignores_everything_is_killed_when_it_is_closed() {
    let Some(bench) = Bench::rude() else { return };
    let mut talk = bench.talk().await;
    talk.say("deaf").await;
    talk.until(|event| matches!(event, AgentEvent::TextDelta(_))).await;
    talk.session.interrupt().await;
    talk.session.close().await;
    assert!(matches!(talk.events.recv().await, Some(AgentEvent::Exited { fault: None })));
    assert_eq!(left_behind(bench.home.path()), Vec::<String>::new());
}

#[tokio::test]
async fn one_that_closes_its_output_and_lives_on_is_noticed_and_ended() {
    let Some(bench) = Bench::rude() else { return };
    let mut talk = bench.talk().await;
    talk.say("mute").await;
    let events = talk.until(|event| matches!(event, AgentEvent::Exited { .. })).await;
    let Some(AgentEvent::Exited { fault: Some(fault) }) = events.last() else { panic!("{events:?}") };
    assert!(fault.message.contains("closed its output"), "{}", fault.message);
    assert_eq!(left_behind(bench.home.path()), Vec::<String>::new());
}

#[tokio::test]
async fn one_that_ends_by_itself_is_told_with_its_last_words() {
    let Some(bench) = Bench::rude() else { return };
    let mut talk = bench.talk().await;
    talk.say("loud").await;
    let events = talk.until(|event| matches!(event, AgentEvent::Exited { .. })).await;
    let Some(AgentEvent::Exited { fault: Some(fault) }) = events.last() else { panic!("{events:?}") };
    assert_eq!(fault.code, FaultCode::AgentCrashed);
    assert!(fault.message.contains("exit status: 3") && fault.message.ends_with("the reason"), "{}", fault.message);
}

#[tokio::test]
async fn an_agent_of_ones_own_is_looked_at_like_any_other() {
    let Some(bench) = Bench::rude() else { return };
    let info = bench.agent.probe(&bench.environment).await;
    assert_eq!((info.status, info.version.as_deref(), info.label.as_str()), (AgentStatus::Ready, Some("1"), "Rude"));
    assert_eq!(left_behind(bench.home.path()), Vec::<String>::new());
}
