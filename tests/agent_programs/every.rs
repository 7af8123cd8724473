//! Tests that hold for every agent's program: an interrupted tool, an API that rate-limits, refuses or is down, a
//! killed process, a missing session.

use super::bench::{Bench, Fake, Program, TOKEN, end_of, left_behind, outcomes, text_of};
use gstack_agent::adapter::{AgentEvent, Launch, Prompt};
use gstack_protocol::chat::{StepOutcome, TurnOutcome};
use gstack_protocol::fault::FaultCode;

const ALL: [Program; 4] = [Program::Claude, Program::Codex, Program::Gemini, Program::ClaudeAgent];

fn benches() -> impl Iterator<Item = (Program, Bench)> {
    ALL.into_iter().filter_map(|program| Some((program, Bench::new(program, &program.scenario(&[]))?)))
}

#[tokio::test]
async fn an_interrupt_in_a_tool_ends_the_turn_and_keeps_the_process() {
    for (program, bench) in benches() {
        let Some(mcp) = Fake::start("mcp.mjs", &[TOKEN]) else { return };
        let mut talk = bench.talk_to(&mcp).await;
        talk.say("hold it").await;
        talk.until(|event| matches!(event, AgentEvent::StepStarted { .. })).await;
        talk.session.interrupt().await;
        let events = talk.turn().await;
        assert_eq!(end_of(&events), (TurnOutcome::Stopped, None), "{program:?} {events:?}");
        let told = outcomes(&events);
        assert!(matches!(told[..], [StepOutcome::Unknown | StepOutcome::Failed]), "{program:?} {told:?}");
        assert_eq!(text_of(&talk.turn_of("repeat after me: still here").await), "still here", "{program:?}");
        talk.session.close().await;
        assert_eq!(left_behind(bench.home.path()), Vec::<String>::new(), "{program:?}");
    }
}

#[tokio::test]
async fn a_rate_limit_is_told_with_the_next_step_and_the_next_turn_runs() {
    for (program, bench) in benches() {
        let mut talk = bench.talk().await;
        if program == Program::Gemini {
            // It retries for minutes without output, and may not answer an interrupt meanwhile. Then the conversation's
            // task closes it, and the next message starts it again.
            talk.say("limited").await;
            bench.asked("limited").await;
            talk.session.interrupt().await;
            talk.session.close().await;
            talk = bench.talk().await;
        } else {
            let (outcome, fault) = end_of(&talk.turn_of("limited").await);
            let fault = fault.unwrap();
            assert_eq!((outcome, fault.code), (TurnOutcome::Failed, FaultCode::AgentError), "{program:?} {fault:?}");
            assert!(fault.message.contains("usage limit") && fault.hint.is_some(), "{program:?} {fault:?}");
        }
        assert_eq!(text_of(&talk.turn_of("repeat after me: on").await), "on", "{program:?}");
        talk.session.close().await;
    }
}

#[tokio::test]
async fn an_api_that_is_not_there_is_told_with_the_next_step() {
    for (program, mut bench) in benches() {
        let mut talk = bench.talk().await;
        talk.turn_of("repeat after me: up").await;
        if let Some(api) = &mut bench.api {
            api.end();
        }
        let (outcome, fault) = end_of(&talk.turn_of("repeat after me: down").await);
        let fault = fault.unwrap();
        assert_eq!((outcome, fault.code), (TurnOutcome::Failed, FaultCode::AgentError), "{program:?} {fault:?}");
        assert!(fault.hint.is_some() && !fault.message.is_empty(), "{program:?} {fault:?}");
        talk.session.close().await;
    }
}

#[tokio::test]
async fn a_killed_process_is_told_in_words_and_leaves_nothing() {
    for (program, bench) in benches() {
        let mut talk = bench.talk().await;
        talk.say("slow").await;
        talk.until(|event| matches!(event, AgentEvent::TextDelta(_))).await;
        super::bench::kill(&left_behind(bench.home.path()));
        let events = talk.until(|event| matches!(event, AgentEvent::Exited { .. })).await;
        let Some(AgentEvent::Exited { fault: Some(fault) }) = events.last() else { panic!("{program:?} {events:?}") };
        assert_eq!(fault.code, FaultCode::AgentCrashed, "{program:?}");
        assert!(fault.message.contains("signal: 9"), "{program:?} {}", fault.message);
        assert!(talk.session.prompt(Prompt::default()).await.is_err(), "{program:?}");
        assert_eq!(left_behind(bench.home.path()), Vec::<String>::new(), "{program:?}");
    }
}

#[tokio::test]
async fn a_session_that_is_gone_begins_anew_and_says_so() {
    for (program, bench) in benches() {
        let resume = Some("01a1fb6d-b310-47f0-84ab-656c15f231eb".to_owned());
        let mut talk = bench.talk_with(Launch { resume, ..bench.launch() }).await.unwrap();
        let events = talk.turn_of("repeat after me: new").await;
        assert!(text_of(&events).ends_with("new"), "{program:?} {events:?}");
        let said = |event: &AgentEvent| matches!(event, AgentEvent::Notice(text) if text.contains("starts a new one"));
        assert!(events.iter().any(said), "{program:?} {events:?}");
        talk.session.close().await;
    }
}
