//! The real Codex against a fake of the Responses API.

use super::bench::{Bench, Fake, Program, TOKEN, end_of, first_result, first_step, left_behind, outcomes, text_of};
use base64::Engine as _;
use gstack_agent::adapter::{AgentEvent, Image, Launch, PermissionAnswer, Prompt};
use gstack_protocol::agents::AgentStatus;
use gstack_protocol::chat::{StepKind, StepOutcome, TurnOutcome};
use gstack_protocol::fault::FaultCode;
use serde_json::json;

/// A PNG of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn bench() -> Option<Bench> {
    let run = |command: &str| json!({"tool": "exec_command", "input": {"cmd": command}});
    let own = [
        json!({"match": "run it ", "reply": [run("$1")]}),
        json!({"match": "beyond ", "reply": [{"tool": "exec_command", "input": {
            "cmd": "$1", "sandbox_permissions": "require_escalated", "justification": "It must be outside"}}]}),
        json!({"match": "think", "reply": [{"reasoning": "Let me think."}, {"text": "Thought."}]}),
        json!({"match": "ask me", "reply": [{"tool": "request_user_input", "input": {"questions": [{"id": "c", "header": "Color",
            "question": "Which color?", "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]}]}}]}),
        json!({"match": "cut off", "reply": [{"text": "partial "}, {"drop": true}]}),
    ];
    Bench::new(Program::Codex, &Program::Codex.scenario(&own))
}

#[tokio::test]
async fn two_turns_run_over_one_process_with_their_usage_and_nothing_is_left() {
    let Some(bench) = bench() else { return };
    let mut talk = bench.talk().await;
    let first = talk.turn_of("repeat after me: grüße 🎉 from here").await;
    assert_eq!(text_of(&first), "grüße 🎉 from here");
    assert!(matches!(first[0], AgentEvent::SessionStarted { .. }));
    let second = talk.turn_of("repeat after me: again").await;
    assert_eq!(text_of(&second), "again");
    let Some(AgentEvent::TurnDone { outcome: TurnOutcome::Done, usage: Some(usage), .. }) = second.last() else {
        panic!("{second:?}")
    };
    assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (60, 40, 20));
    assert!(usage.context_window > 0);
    talk.session.close().await;
    assert!(matches!(talk.events.recv().await, Some(AgentEvent::Exited { fault: None })));
    assert_eq!(left_behind(bench.home.path()), Vec::<String>::new());
}

#[tokio::test]
async fn our_tools_are_reached_unasked_and_the_token_is_not_in_its_arguments() {
    let Some(bench) = bench() else { return };
    let Some(mcp) = Fake::start("mcp.mjs", &[TOKEN]) else { return };
    let mut talk = bench.talk_to(&mcp).await;
    let events = talk.turn_of("open it").await;
    let (begun, done) = (first_step(&events), first_result(&events));
    assert_eq!(begun.map(|(verb, tool, _)| (verb, tool)), Some(("Registry".to_owned(), "goto".to_owned())));
    assert_eq!(done, Some((StepOutcome::Ok, "Navigated to http://a.test/ (200)".to_owned())));
    let request = &bench.requests()[0]["body"];
    assert!(request.to_string().contains("side panel"));
    let offered = request["tools"].to_string();
    assert!(!offered.contains("web_search") && !offered.contains("spawn_agent"), "{offered}");
    for process in left_behind(bench.home.path()) {
        let arguments = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&arguments).contains(TOKEN));
    }
    talk.session.close().await;
}

#[tokio::test]
async fn the_sandbox_reads_the_folder_and_neither_credentials_nor_the_token_and_writes_nothing() {
    let Some(bench) = bench() else { return };
    std::fs::create_dir(bench.home.path().join(".ssh")).unwrap();
    std::fs::write(bench.home.path().join(".ssh/id"), "the secret of this test").unwrap();
    std::fs::write(bench.home.path().join("project/open.txt"), "readable").unwrap();
    let mut talk = bench.talk().await;
    talk.turn_of("run it cat $HOME/.ssh/id; cat open.txt; env; echo x > new.txt; sleep 0.2").await;
    let seen = bench.requests().pop().unwrap()["body"]["input"].to_string();
    assert!(seen.contains("readable"), "{seen}");
    assert!(!seen.contains("the secret of this test") && !seen.contains(TOKEN));
    assert!(!bench.home.path().join("project/new.txt").exists());
    talk.session.close().await;
}

#[tokio::test]
async fn what_the_sandbox_forbids_is_asked_for_and_a_no_is_told_as_denied() {
    let Some(bench) = bench() else { return };
    let mut talk = bench.talk().await;
    // Codex writes nowhere without asking; gstack's sandbox lets it write only in the folder.
    let path = bench.home.path().join("project/outside.txt");
    talk.say(&format!("beyond touch {}", path.display())).await;
    let asked = talk.permission().await;
    assert_eq!(asked.does, format!("touch {}", path.display()));
    assert_eq!(
        (asked.kind, asked.why.as_deref(), asked.read_only),
        (StepKind::Shell, Some("It must be outside"), false)
    );
    asked.answer.send(PermissionAnswer::Deny("no".to_owned())).unwrap();
    let events = talk.turn().await;
    assert_eq!(outcomes(&events), [StepOutcome::Denied]);
    assert_eq!(end_of(&events), (TurnOutcome::Done, None));
    assert!(!path.exists());

    talk.say(&format!("beyond touch {}", path.display())).await;
    talk.permission().await.answer.send(PermissionAnswer::Allow).unwrap();
    let events = talk.turn().await;
    assert_eq!(outcomes(&events), [StepOutcome::Ok], "{events:?}");
    assert!(path.exists());
    talk.session.close().await;
}

#[tokio::test]
async fn a_question_that_is_open_when_the_turn_is_stopped_is_withdrawn() {
    let Some(bench) = bench() else { return };
    let mut talk = bench.talk().await;
    let path = bench.home.path().join("outside.txt");
    talk.say(&format!("beyond touch {}", path.display())).await;
    let asked = talk.permission().await;
    talk.session.interrupt().await;
    let events = talk.turn().await;
    let withdrawn =
        |event: &AgentEvent| matches!(event, AgentEvent::Withdrawn { request } if *request == asked.request);
    assert_eq!(events.iter().filter(|event| withdrawn(event)).count(), 1, "{events:?}");
    assert_eq!(end_of(&events), (TurnOutcome::Stopped, None));
    asked.answer.send(PermissionAnswer::Allow).ok();
    assert_eq!(text_of(&talk.turn_of("repeat after me: next").await), "next");
    assert!(!path.exists());
    talk.session.close().await;
}

#[tokio::test]
async fn an_interrupt_in_mid_stream_at_once_and_in_a_tool_ends_the_turn_and_keeps_the_process() {
    let Some(bench) = bench() else { return };
    let mut talk = bench.talk().await;
    talk.say("slow").await;
    talk.until(|event| matches!(event, AgentEvent::TextDelta(_))).await;
    talk.session.interrupt().await;
    assert_eq!(end_of(&talk.turn().await), (TurnOutcome::Stopped, None));
    talk.say("slow").await;
    talk.session.interrupt().await;
    assert_eq!(end_of(&talk.turn().await), (TurnOutcome::Stopped, None));
    talk.say("run it sleep 1000").await;
    talk.until(|event| matches!(event, AgentEvent::StepStarted { .. })).await;
    talk.session.interrupt().await;
    let events = talk.turn().await;
    assert_eq!((outcomes(&events), end_of(&events)), (vec![StepOutcome::Unknown], (TurnOutcome::Stopped, None)));
    assert_eq!(text_of(&talk.turn_of("repeat after me: still here").await), "still here");
    talk.session.close().await;
    assert_eq!(left_behind(bench.home.path()), Vec::<String>::new());
}

#[tokio::test]
async fn reasoning_and_questions_are_told() {
    let Some(bench) = bench() else { return };
    let mut talk = bench.talk().await;
    let events = talk.turn_of("think").await;
    let thought = |event: &AgentEvent| matches!(event, AgentEvent::ThinkingDelta(text) if text == "Let me think.");
    assert_eq!(events.iter().filter(|event| thought(event)).count(), 1, "{events:?}");
    assert_eq!(text_of(&events), "Thought.");

    talk.say("ask me").await;
    let asked = talk.until(|event| matches!(event, AgentEvent::QuestionAsked(_))).await.pop();
    let Some(AgentEvent::QuestionAsked(asked)) = asked else { panic!("not asked") };
    assert_eq!((asked.parts[0].text.as_str(), asked.parts[0].options[1].label.as_str()), ("Which color?", "Blue"));
    asked.answer.send(vec![vec!["Blue".to_owned()]]).unwrap();
    assert_eq!(end_of(&talk.turn().await), (TurnOutcome::Done, None));
    assert!(bench.requests().pop().unwrap()["body"]["input"].to_string().contains("Blue"));
    talk.session.close().await;
}

#[tokio::test]
async fn a_thread_is_resumed_and_one_that_is_gone_begins_anew_and_says_so() {
    let Some(bench) = bench() else { return };
    let mut talk = bench.talk().await;
    let first = talk.turn_of("repeat after me: remember").await;
    let Some(AgentEvent::SessionStarted { resume, .. }) = first.first() else { panic!("{first:?}") };
    let resume = resume.clone();
    talk.session.close().await;

    let mut talk = bench.talk_with(Launch { resume: Some(resume), ..bench.launch() }).await.unwrap();
    assert_eq!(text_of(&talk.turn_of("repeat after me: more").await), "more");
    assert!(bench.requests().pop().unwrap()["body"]["input"].to_string().contains("remember"));
    talk.session.close().await;
}

#[tokio::test]
async fn failures_of_the_api_are_told_with_the_next_step() {
    let Some(mut bench) = bench() else { return };
    let mut talk = bench.talk().await;
    let (outcome, fault) = end_of(&talk.turn_of("wrong key").await);
    assert_eq!(outcome, TurnOutcome::Failed);
    assert!(fault.unwrap().message.contains("refused the key"));
    let events = talk.turn_of("limited").await;
    let fault = end_of(&events).1.unwrap();
    assert!(fault.message.contains("usage limit") && fault.hint.is_some(), "{fault:?}");
    let events = talk.turn_of("cut off").await;
    let retried = |event: &AgentEvent| matches!(event, AgentEvent::Notice(text) if text.contains("trying again"));
    assert!(events.iter().any(retried), "{events:?}");
    assert_eq!(end_of(&events).0, TurnOutcome::Failed);
    bench.api = None;
    let fault = end_of(&talk.turn_of("repeat after me: down").await).1.unwrap();
    assert!(fault.message.contains("can't be reached"), "{fault:?}");
    talk.session.close().await;
}

#[tokio::test]
async fn a_look_tells_version_models_and_whether_it_is_signed_in() {
    let Some(bench) = bench() else { return };
    let info = bench.agent.probe(&bench.environment).await;
    assert_eq!(info.status, AgentStatus::Ready, "{info:?}");
    assert!(info.version.is_some_and(|version| version.starts_with(|digit: char| digit.is_ascii_digit())));
    assert!(!info.models.is_empty());
    // Without a custom provider it requires an account.
    std::fs::remove_file(bench.home.path().join(".codex/config.toml")).unwrap();
    let info = bench.agent.probe(&bench.environment).await;
    assert_eq!(info.status, AgentStatus::SignedOut);
    assert_eq!(info.fault.unwrap().command.as_deref(), Some("codex login"));
    let fault = bench.talk_with(bench.launch()).await.err().unwrap();
    assert_eq!(fault.code, FaultCode::AgentSignedOut);
    assert_eq!(left_behind(bench.home.path()), Vec::<String>::new());
}

#[tokio::test]
async fn a_setting_that_opens_the_sandbox_keeps_it_from_running() {
    let Some(bench) = bench() else { return };
    let path = bench.home.path().join(".codex/config.toml");
    let config = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("sandbox_mode = \"danger-full-access\"\n{config}")).unwrap();
    std::fs::write(bench.home.path().join(".netrc"), "the secret of this test").unwrap();
    match bench.talk_with(bench.launch()).await {
        Err(fault) => assert!(fault.hint.unwrap().contains("sandbox_mode")),
        Ok(mut talk) => {
            talk.turn_of("run it cat $HOME/.netrc; sleep 0.2").await;
            assert!(!bench.requests().iter().any(|request| request.to_string().contains("the secret of this test")));
            talk.session.close().await;
        }
    }
}

#[tokio::test]
async fn pictures_and_a_change_of_model_reach_the_api() {
    let Some(bench) = bench() else { return };
    let mut talk = bench.talk().await;
    let image =
        Image { mime: "image/png".into(), bytes: base64::engine::general_purpose::STANDARD.decode(PIXEL).unwrap() };
    talk.session.set_model(Some("gpt-other".to_owned())).await.unwrap();
    talk.session.prompt(Prompt { text: "what is it?".into(), images: vec![image], ..Prompt::default() }).await.unwrap();
    let events = talk.turn().await;
    assert!(matches!(events.last(), Some(AgentEvent::TurnDone { model: Some(model), .. }) if model == "gpt-other"));
    let sent = &bench.requests().pop().unwrap()["body"];
    assert_eq!(sent["model"], "gpt-other");
    assert!(sent["input"].to_string().contains("data:image/png;base64"));
    let own = {
        talk.session.set_model(None).await.unwrap();
        let events = talk.turn_of("repeat after me: back").await;
        let Some(AgentEvent::TurnDone { model: Some(own), .. }) = events.last() else { panic!("{events:?}") };
        own.clone()
    };
    assert_ne!(own, "gpt-other");
    assert_eq!(bench.requests().pop().unwrap()["body"]["model"], own.as_str(), "it does not keep what one turn named");
    talk.session.close().await;
}
