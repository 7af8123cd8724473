//! The real Claude Code against a fake API on loopback: an isolated HOME, a dummy key, no other network.
//!
//! Skipped with a message if `claude` (`GSTACK_TEST_CLAUDE` or PATH) or `node` is not installed.

use super::bench::{Bench, Fake, Program, TOKEN, end_of, first_result, first_step, left_behind, text_of};
use base64::Engine as _;
use gstack_agent::adapter::{Agent as _, AgentEnvironment, AgentEvent, Image, Launch, PermissionAnswer, Prompt};
use gstack_agent::claude::ClaudeCode;
use gstack_protocol::agents::AgentStatus;
use gstack_protocol::chat::{PageContext, StepOutcome, TurnOutcome};
use gstack_protocol::fault::FaultCode;
use serde_json::json;
use std::path::PathBuf;

/// A PNG of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn bench() -> Option<Bench> {
    let own = [
        json!({"match": "read it", "tools": true, "reply": [{"tool": "Read", "input": {"file_path": "$1"}}]}),
        json!({"match": "ask me", "tools": true, "reply": [{"tool": "AskUserQuestion", "input": {"questions": [{
            "question": "Which color?", "header": "Color", "multiSelect": false,
            "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]}]}}]}),
    ];
    Bench::new(Program::Claude, &Program::Claude.scenario(&own))
}

#[tokio::test]
async fn two_turns_run_over_one_process_and_nothing_is_left() {
    let Some(bench) = bench() else { return };
    let mut talk = bench.talk().await;
    let first = talk.turn_of("repeat after me: grüße 🎉 from here").await;
    assert_eq!(text_of(&first), "grüße 🎉 from here");
    assert_eq!(end_of(&first), (TurnOutcome::Done, None));
    assert!(matches!(first[0], AgentEvent::SessionStarted { .. }));
    let second = talk.turn_of("repeat after me: again").await;
    assert_eq!(text_of(&second), "again");
    assert!(!second.iter().any(|event| matches!(event, AgentEvent::SessionStarted { .. })));
    assert!(matches!(second.last(), Some(AgentEvent::TurnDone { cost_usd: Some(cost), .. }) if *cost > 0.0));

    talk.session.close().await;
    assert!(matches!(talk.events.recv().await, Some(AgentEvent::Exited { fault: None })));
    assert_eq!(left_behind(bench.home.path()), Vec::<String>::new());
    assert_eq!(std::fs::read_dir(bench.home.path().join("run")).unwrap().count(), 0, "run files are left");
}

#[tokio::test]
async fn it_gets_file_tools_and_ours_and_no_shell_and_its_secrets_are_not_in_its_arguments() {
    let Some(bench) = bench() else { return };
    let Some(mcp) = Fake::start("mcp.mjs", &[TOKEN]) else { return };
    std::fs::create_dir(bench.home.path().join(".claude")).unwrap();
    let settings =
        json!({"permissions": {"allow": ["Bash", "Write"]}, "env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}});
    std::fs::write(bench.home.path().join(".claude/settings.json"), settings.to_string()).unwrap();
    let mut talk = bench.talk_to(&mcp).await;

    let events = talk.turn_of("open it").await;
    let (begun, done) = (first_step(&events), first_result(&events));
    assert_eq!(begun.map(|(verb, tool, _)| (verb, tool)), Some(("Registry".to_owned(), "goto".to_owned())));
    assert_eq!(done, Some((StepOutcome::Ok, "Navigated to http://a.test/ (200)".to_owned())));

    let request = bench.requests().into_iter().find(|request| request["body"]["tools"][0].is_object()).unwrap();
    let mut offered: Vec<&str> =
        request["body"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    offered.sort_unstable();
    assert_eq!(
        offered,
        [
            "AskUserQuestion",
            "Edit",
            "Glob",
            "Grep",
            "Read",
            "TaskCreate",
            "TaskList",
            "TaskUpdate",
            "Write",
            "mcp__gstack__goto"
        ]
    );
    let system = request["body"]["system"].to_string();
    assert!(system.contains("side panel") && !system.contains("persistent file-based memory"));

    for process in left_behind(bench.home.path()) {
        let arguments = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&arguments).contains(TOKEN));
    }
    talk.session.close().await;
}

#[tokio::test]
async fn an_interrupt_in_mid_stream_ends_the_turn_and_keeps_the_process() {
    let Some(bench) = bench() else { return };
    let mut talk = bench.talk().await;
    talk.say("slow").await;
    talk.until(|event| matches!(event, AgentEvent::TextDelta(_))).await;
    talk.session.interrupt().await;
    assert_eq!(end_of(&talk.turn().await), (TurnOutcome::Stopped, None));
    assert_eq!(text_of(&talk.turn_of("repeat after me: still here").await), "still here");
    talk.session.close().await;
}

#[tokio::test]
async fn an_interrupt_at_once_still_ends_the_turn() {
    let Some(bench) = bench() else { return };
    let mut talk = bench.talk().await;
    talk.say("slow").await;
    talk.session.interrupt().await;
    assert_eq!(end_of(&talk.turn().await), (TurnOutcome::Stopped, None));
    assert_eq!(text_of(&talk.turn_of("repeat after me: still here").await), "still here");
    talk.session.close().await;
    assert_eq!(left_behind(bench.home.path()), Vec::<String>::new());
}

#[tokio::test]
async fn a_write_is_asked_for_and_a_no_reaches_the_model_in_words() {
    let Some(bench) = bench() else { return };
    let mut talk = bench.talk().await;
    let path = bench.home.path().join("project/new.txt");
    talk.say(&format!("write it {}", path.display())).await;
    let asked = talk.permission().await;
    assert_eq!((asked.ask.as_str(), asked.does.as_str()), ("Write new.txt", path.to_str().unwrap()));
    assert!(!asked.read_only);
    asked.answer.send(PermissionAnswer::Deny("The person said: not in this folder.".to_owned())).unwrap();
    let events = talk.turn().await;
    let denied = |event: &AgentEvent| matches!(event, AgentEvent::StepDone { outcome: StepOutcome::Denied, .. });
    assert!(events.iter().any(denied), "{events:?}");
    assert_eq!(end_of(&events), (TurnOutcome::Done, None));
    assert!(!path.exists());
    let last = bench.requests().pop().unwrap().to_string();
    assert!(last.contains("not in this folder"));

    talk.say(&format!("write it {}", path.display())).await;
    let asked = talk.permission().await;
    asked.answer.send(PermissionAnswer::Allow).unwrap();
    talk.turn().await;
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "x");
    talk.session.close().await;
}

#[tokio::test]
async fn credentials_are_closed_without_a_question_even_inside_the_folder() {
    let Some(bench) = bench() else { return };
    let secret = bench.home.path().join(".ssh/id");
    std::fs::create_dir(bench.home.path().join(".ssh")).unwrap();
    std::fs::write(&secret, "the secret of this test").unwrap();
    for folder in ["project", "."] {
        let launch = Launch { folder: bench.home.path().join(folder), ..bench.launch() };
        let mut talk = bench.talk_with(launch).await.unwrap();
        let events = talk.turn_of(&format!("read it {}", secret.display())).await;
        assert!(!events.iter().any(|event| matches!(event, AgentEvent::PermissionAsked(_))));
        let failed = |event: &AgentEvent| {
            matches!(event, AgentEvent::StepDone { outcome: StepOutcome::Denied | StepOutcome::Failed, .. })
        };
        assert!(events.iter().any(failed), "{events:?}");
        talk.session.close().await;
    }
    assert!(bench.requests().iter().all(|request| !request.to_string().contains("the secret of this test")));
}

#[tokio::test]
async fn a_wrong_key_is_told_with_the_next_step() {
    let Some(bench) = bench() else { return };
    let mut talk = bench.talk().await;
    let events = talk.turn_of("wrong key").await;
    let (outcome, fault) = end_of(&events);
    let fault = fault.unwrap();
    assert_eq!((outcome, fault.code), (TurnOutcome::Failed, FaultCode::AgentError));
    assert!(fault.hint.unwrap().contains("ANTHROPIC_API_KEY"));
    assert_eq!(text_of(&events), "");
    talk.session.close().await;
}

#[tokio::test]
async fn a_session_is_resumed() {
    let Some(bench) = bench() else { return };
    let mut talk = bench.talk().await;
    let first = talk.turn_of("repeat after me: remember").await;
    let Some(AgentEvent::SessionStarted { resume, .. }) = first.first() else { panic!("{first:?}") };
    let resume = resume.clone();
    talk.session.close().await;

    let mut talk = bench.talk_with(Launch { resume: Some(resume), ..bench.launch() }).await.unwrap();
    assert_eq!(text_of(&talk.turn_of("repeat after me: more").await), "more");
    let last = bench.requests().pop().unwrap();
    assert!(last["body"]["messages"].to_string().contains("remember"));
    talk.session.close().await;
}

#[tokio::test]
async fn signing_in_is_asked_for_where_there_is_no_key() {
    let Some(mut bench) = bench() else { return };
    assert_eq!(bench.agent.probe(&bench.environment).await.status, AgentStatus::Ready);
    bench.environment.variables.remove(std::ffi::OsStr::new("ANTHROPIC_API_KEY"));
    let info = bench.agent.probe(&bench.environment).await;
    assert_eq!(info.status, AgentStatus::SignedOut);
    assert_eq!(info.fault.unwrap().command.as_deref(), Some("claude auth login"));
    let fault = bench.talk_with(bench.launch()).await.err().unwrap();
    assert_eq!(fault.code, FaultCode::AgentSignedOut);
    assert!(left_behind(bench.home.path()).is_empty());
}

#[tokio::test]
async fn a_missing_program_is_told_with_the_command_that_installs_it() {
    let agent = ClaudeCode::new(Some(PathBuf::from("/nowhere/claude")));
    let info = agent.probe(&AgentEnvironment::default()).await;
    assert_eq!(info.status, AgentStatus::Missing);
    let fault = info.fault.unwrap();
    assert_eq!(fault.code, FaultCode::AgentMissing);
    assert_eq!(fault.command.as_deref(), Some("npm install -g @anthropic-ai/claude-code"));
}

#[tokio::test]
async fn a_question_that_is_open_when_the_turn_is_stopped_is_withdrawn() {
    let Some(bench) = bench() else { return };
    let mut talk = bench.talk().await;
    let path = bench.home.path().join("project/new.txt");
    talk.say(&format!("write it {}", path.display())).await;
    let asked = talk.permission().await;
    talk.session.interrupt().await;
    let events = talk.turn().await;
    let withdrawn =
        |event: &AgentEvent| matches!(event, AgentEvent::Withdrawn { request } if *request == asked.request);
    assert_eq!(events.iter().filter(|event| withdrawn(event)).count(), 1);
    assert_eq!(end_of(&events), (TurnOutcome::Stopped, None));
    // Too late: the answer has no effect.
    asked.answer.send(PermissionAnswer::Allow).ok();
    assert_eq!(text_of(&talk.turn_of("repeat after me: next").await), "next");
    assert!(!path.exists());
    talk.session.close().await;
}

#[tokio::test]
async fn the_page_and_pictures_reach_the_model_beside_the_words() {
    let Some(bench) = bench() else { return };
    let mut talk = bench.talk().await;
    let page = PageContext { url: "https://a.test/".into(), title: "A <b>page</b>".into(), selection: None };
    let image =
        Image { mime: "image/png".into(), bytes: base64::engine::general_purpose::STANDARD.decode(PIXEL).unwrap() };
    talk.session
        .prompt(Prompt { text: "what is it?".into(), page: Some(page), images: vec![image], ..Prompt::default() })
        .await
        .unwrap();
    assert_eq!(end_of(&talk.turn().await), (TurnOutcome::Done, None));
    let sent = bench.requests().pop().unwrap()["body"]["messages"].to_string();
    assert!(sent.contains("https://a.test/") && sent.contains("A &lt;b&gt;page&lt;/b&gt;"));
    assert!(sent.contains("what is it?") && sent.contains("\"image/png\""));
    let second = talk.session.prompt(Prompt { text: "slow".into(), ..Prompt::default() }).await;
    assert!(second.is_ok());
    let third = talk.session.prompt(Prompt { text: "too early".into(), ..Prompt::default() }).await;
    assert_eq!(third.unwrap_err().code, FaultCode::Conflict);
    talk.session.close().await;
    assert_eq!(left_behind(bench.home.path()), Vec::<String>::new());
}

#[tokio::test]
async fn a_question_is_put_to_the_person_and_their_answer_reaches_the_model() {
    let Some(bench) = bench() else { return };
    let mut talk = bench.talk().await;
    talk.say("ask me").await;
    let asked = talk.until(|event| matches!(event, AgentEvent::QuestionAsked(_))).await.pop();
    let Some(AgentEvent::QuestionAsked(asked)) = asked else { panic!("not asked") };
    assert_eq!((asked.parts[0].text.as_str(), asked.parts[0].options[1].label.as_str()), ("Which color?", "Blue"));
    asked.answer.send(vec![vec!["Blue".to_owned()]]).unwrap();
    let events = talk.turn().await;
    assert_eq!(end_of(&events), (TurnOutcome::Done, None));
    assert!(bench.requests().pop().unwrap()["body"]["messages"].to_string().contains("Blue"));

    talk.say("ask me").await;
    let asked = talk.until(|event| matches!(event, AgentEvent::QuestionAsked(_))).await.pop();
    drop(asked);
    assert_eq!(end_of(&talk.turn().await), (TurnOutcome::Done, None));
    assert!(bench.requests().pop().unwrap()["body"]["messages"].to_string().contains("did not answer"));
    talk.session.close().await;
}

#[tokio::test]
async fn what_it_offers_is_told_and_a_model_is_changed_in_the_same_process() {
    let Some(bench) = bench() else { return };
    let mut talk = bench.talk().await;
    let first = talk.turn_of("repeat after me: one").await;
    let offers = first.iter().find_map(|event| match event {
        AgentEvent::Offers(offers) => Some(offers.clone()),
        _ => None,
    });
    let offers = offers.unwrap();
    assert!(offers.models.is_some_and(|models| models.iter().any(|model| model.id == "sonnet")));
    assert!(offers.commands.is_some());
    let Some(AgentEvent::TurnDone { usage: Some(usage), .. }) = first.last() else { panic!("{first:?}") };
    assert!(usage.input_tokens > 0 && usage.output_tokens > 0 && usage.context_tokens > 0, "{usage:?}");
    let processes = left_behind(bench.home.path());
    talk.session.set_model(Some("fast".to_owned())).await.unwrap();
    talk.turn_of("repeat after me: two").await;
    let requests = bench.requests();
    let models: Vec<&str> = requests.iter().filter_map(|request| request["body"]["model"].as_str()).collect();
    assert!(models.last().unwrap().contains("haiku"), "{models:?}");
    assert_eq!(left_behind(bench.home.path()), processes);
    talk.session.close().await;
}
