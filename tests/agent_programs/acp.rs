//! The real Gemini CLI and the real ACP adapter of Claude Code, against fakes of their APIs.

use super::bench::{Bench, Fake, Program, TOKEN, end_of, first_result, first_step, left_behind, outcomes, text_of};
use gstack_agent::adapter::{AgentEvent, Launch, PermissionAnswer};
use gstack_protocol::agents::AgentStatus;
use gstack_protocol::chat::{StepKind, StepOutcome, TurnOutcome};
use gstack_protocol::fault::FaultCode;

const BOTH: [Program; 2] = [Program::Gemini, Program::ClaudeAgent];

fn bench(program: Program) -> Option<Bench> {
    Bench::new(program, &program.scenario(&[]))
}

#[tokio::test]
async fn turns_run_over_one_process_and_an_interrupt_keeps_it() {
    for program in BOTH {
        let Some(bench) = bench(program) else { return };
        let mut talk = bench.talk().await;
        let first = talk.turn_of("repeat after me: grüße 🎉 from here").await;
        // claude-agent-acp says first that no tools are there.
        assert!(text_of(&first).ends_with("grüße 🎉 from here"), "{program:?}");
        let offered = |event: &AgentEvent| matches!(event, AgentEvent::Offers(offers) if offers.models.is_some());
        assert!(first.iter().any(offered), "{first:?}");
        assert!(
            matches!(first.last(), Some(AgentEvent::TurnDone { usage: Some(usage), .. }) if usage.output_tokens > 0)
        );
        talk.say("slow").await;
        talk.until(|event| matches!(event, AgentEvent::TextDelta(_))).await;
        talk.session.interrupt().await;
        assert_eq!(end_of(&talk.turn().await), (TurnOutcome::Stopped, None));
        assert_eq!(text_of(&talk.turn_of("repeat after me: still here").await), "still here", "{program:?}");
        talk.session.close().await;
        assert!(matches!(talk.events.recv().await, Some(AgentEvent::Exited { fault: None })));
        assert_eq!(left_behind(bench.home.path()), Vec::<String>::new());
        assert_eq!(std::fs::read_dir(bench.home.path().join("run")).unwrap().count(), 0, "run files are left");
    }
}

#[tokio::test]
async fn our_tools_run_unasked_others_are_confined_and_the_token_is_in_no_arguments() {
    for program in BOTH {
        let Some(bench) = bench(program) else { return };
        let Some(mcp) = Fake::start("mcp.mjs", &[TOKEN]) else { return };
        let mut talk = bench.talk_to(&mcp).await;
        let events = talk.turn_of("open it").await;
        let (begun, done) = (first_step(&events), first_result(&events));
        let (verb, tool, arguments) = begun.unwrap();
        assert_eq!((verb.as_str(), tool.as_str()), ("Registry", "goto"), "{events:?}");
        assert!(arguments.contains("a.test"), "{arguments}");
        assert_eq!(done, Some((StepOutcome::Ok, "Navigated to http://a.test/ (200)".to_owned())), "{program:?}");
        assert!(!events.iter().any(|event| matches!(event, AgentEvent::PermissionAsked(_))));
        let request = bench.requests().into_iter().find(|request| request["body"]["tools"][0].is_object()).unwrap();
        let offered = request["body"]["tools"].to_string();
        for closed in ["run_shell_command", "web_fetch", "\"Bash\"", "\"WebFetch\""] {
            assert!(!offered.contains(closed), "{program:?} has {closed}");
        }
        assert!(request["body"].to_string().contains("side panel"));
        for process in left_behind(bench.home.path()) {
            let arguments = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            assert!(!String::from_utf8_lossy(&arguments).contains(TOKEN), "{program:?}");
        }
        talk.session.close().await;
    }
}

#[tokio::test]
async fn a_write_is_asked_for_and_a_no_is_told_as_denied() {
    for program in BOTH {
        let Some(bench) = bench(program) else { return };
        let mut talk = bench.talk().await;
        let path = bench.home.path().join("project/new.txt");
        talk.say(&format!("write it {}", path.display())).await;
        let asked = talk.permission().await;
        assert!(asked.ask.contains("new.txt") && asked.does.contains("new.txt"), "{asked:?}");
        assert_eq!((asked.kind, asked.read_only), (StepKind::File, false));
        asked.answer.send(PermissionAnswer::Deny("no".to_owned())).unwrap();
        let events = talk.turn().await;
        assert_eq!(outcomes(&events), [StepOutcome::Denied], "{program:?} {events:?}");
        assert!(!path.exists());

        talk.say(&format!("write it {}", path.display())).await;
        talk.permission().await.answer.send(PermissionAnswer::Allow).unwrap();
        assert_eq!(outcomes(&talk.turn().await), [StepOutcome::Ok], "{program:?}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "x");

        talk.say(&format!("write it {}", bench.home.path().join("project/other.txt").display())).await;
        let asked = talk.permission().await;
        talk.session.interrupt().await;
        let events = talk.turn().await;
        let withdrawn =
            |event: &AgentEvent| matches!(event, AgentEvent::Withdrawn { request } if *request == asked.request);
        assert_eq!(events.iter().filter(|event| withdrawn(event)).count(), 1, "{program:?} {events:?}");
        assert_eq!(end_of(&events), (TurnOutcome::Stopped, None));
        talk.session.close().await;
    }
}

#[tokio::test]
async fn a_session_is_resumed_or_it_says_that_it_is_not() {
    for program in BOTH {
        let Some(bench) = bench(program) else { return };
        let mut talk = bench.talk().await;
        let first = talk.turn_of("repeat after me: zanzibar").await;
        let resume = first.iter().find_map(|event| match event {
            AgentEvent::SessionStarted { resume, .. } => Some(resume.clone()),
            _ => None,
        });
        talk.session.close().await;
        let mut talk = bench.talk_with(Launch { resume, ..bench.launch() }).await.unwrap();
        let events = talk.turn_of("repeat after me: more").await;
        assert!(text_of(&events).ends_with("more"), "{program:?}");
        let remembered = bench.requests().pop().unwrap()["body"].to_string().contains("zanzibar");
        let said = events.iter().any(|event| matches!(event, AgentEvent::Notice(_)));
        // Gemini CLI does not always find the sessions that it has written, but it must not be silent about it.
        assert!(remembered != said, "{program:?} {events:?}");
        assert!(remembered || program == Program::Gemini);
        talk.session.close().await;
    }
}

#[tokio::test]
async fn a_wrong_key_is_told_in_words() {
    for program in BOTH {
        let Some(bench) = bench(program) else { return };
        let mut talk = bench.talk().await;
        let (outcome, fault) = end_of(&talk.turn_of("wrong key").await);
        let fault = fault.unwrap();
        // claude-agent-acp calls a refused key a missing sign-in.
        let (code, words) = match program {
            Program::ClaudeAgent => (FaultCode::AgentSignedOut, "is not signed in"),
            _ => (FaultCode::AgentError, "refused the sign-in"),
        };
        assert_eq!((outcome, fault.code), (TurnOutcome::Failed, code), "{program:?} {fault:?}");
        assert!(fault.message.contains(words) && fault.hint.is_some(), "{program:?} {fault:?}");
        talk.session.close().await;
    }
}

#[tokio::test]
async fn a_turn_that_the_api_refused_is_not_shown_as_done_if_the_agent_calls_it_done() {
    let Some(bench) = bench(Program::CodexAcp) else { return };
    let mut talk = bench.talk().await;
    let (outcome, fault) = end_of(&talk.turn_of("limited").await);
    let fault = fault.unwrap();
    assert_eq!((outcome, fault.code), (TurnOutcome::Failed, FaultCode::AgentError), "{fault:?}");
    assert!(fault.message.contains("usage limit"), "{fault:?}");
    assert!(text_of(&talk.turn_of("repeat after me: still here").await).ends_with("still here"));
    talk.session.close().await;
}

#[tokio::test]
async fn an_agent_that_forgets_a_stopped_turn_is_told_what_was_said_in_it() {
    for program in BOTH {
        let Some(bench) = bench(program) else { return };
        let mut talk = bench.talk().await;
        talk.say("my number is 7319: slow").await;
        talk.until(|event| matches!(event, AgentEvent::TextDelta(_))).await;
        talk.session.interrupt().await;
        assert_eq!(end_of(&talk.turn().await), (TurnOutcome::Stopped, None));
        for word in ["one", "two"] {
            assert_eq!(text_of(&talk.turn_of(&format!("repeat after me: {word}")).await), word, "{program:?}");
            let sent = bench.requests().pop().unwrap()["body"].to_string();
            assert!(sent.contains("my number is 7319") && sent.contains("side panel"), "{program:?} {sent}");
        }
        talk.session.close().await;
    }
}

#[tokio::test]
async fn a_look_tells_the_version_and_whether_it_is_signed_in() {
    for program in BOTH {
        let Some(mut bench) = bench(program) else { return };
        let info = bench.agent.probe(&bench.environment).await;
        assert_eq!(info.status, AgentStatus::Ready, "{info:?}");
        assert!(info.version.is_some(), "{program:?}");
        if program == Program::Gemini {
            bench.environment.variables.remove(std::ffi::OsStr::new("GEMINI_API_KEY"));
            assert_eq!(bench.agent.probe(&bench.environment).await.status, AgentStatus::SignedOut);
        }
        assert_eq!(left_behind(bench.home.path()), Vec::<String>::new());
    }
}
