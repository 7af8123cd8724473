//! Replays recorded sessions of real ACP agents through the wire and the handler: nothing is lost, duplicated or unknown.

use super::acp_handler::AcpHandler;
use super::agreed::{ModelSetting, Session};
use super::modes::Modes;
use super::wire::{PermissionRequest, SessionBegun, Update};
use crate::adapter::{AgentEvent, Offers, Prompt};
use crate::guard::Guard;
use crate::rpc::message::{Dialect, Incoming, parse, read};
use crate::rpc::protocol_handler::{HandlerOutput, ProtocolHandler};
use crate::rpc::{Entry, NoTools, ends, play, sample, steps, text_of, unknown};
use gstack_protocol::chat::{StepOutcome, TurnOutcome};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SAMPLES: [&str; 2] = ["acp/gemini.both.jsonl", "acp/claude_agent.both.jsonl"];

fn handler(entries: &[Entry]) -> AcpHandler {
    let id = entries.iter().find_map(|entry| entry.line["result"]["sessionId"].as_str()).unwrap();
    AcpHandler::new(session(id, PathBuf::from("/srv/project")))
}

fn session(id: &str, folder: PathBuf) -> Session {
    Session {
        label: "Agent".to_owned(),
        sign_in: None,
        session_id: id.to_owned(),
        tools: Arc::new(NoTools),
        offered: vec!["goto".to_owned()],
        guard: Guard::new(&folder, Some(Path::new("/srv/home")), &[]),
        folder,
        model: None,
        own_model: None,
        takes_images: true,
        model_setting: None,
        modes: Modes::default(),
        preamble: None,
        offers: Offers::default(),
        fences: false,
    }
}

fn events_of(name: &str) -> Vec<AgentEvent> {
    let entries = sample(name);
    play(&mut handler(&entries), Dialect::JsonRpc2, &entries, "session/prompt")
}

#[test]
fn sessions_are_told_whole_and_once() {
    for name in SAMPLES {
        let chunks = sample(name);
        let chunk = |entry: &Entry| {
            let update = &entry.line["params"]["update"];
            let said = update["sessionUpdate"] == "agent_message_chunk";
            said.then(|| update["content"]["text"].as_str().unwrap_or_default().to_owned())
        };
        let expected: String = chunks.iter().filter_map(chunk).collect();
        assert_eq!(text_of(&events_of(name)), expected, "{name}");
    }
}

#[test]
fn turns_and_steps_end_as_they_did() {
    use TurnOutcome::{Done, Stopped};
    let gemini = events_of("acp/gemini.both.jsonl");
    assert_eq!(ends(&gemini), [(Done, None), (Done, None), (Done, None), (Stopped, None)]);
    let told = steps(&gemini);
    assert_eq!(told.iter().map(|step| step.1).collect::<Vec<_>>(), [StepOutcome::Ok, StepOutcome::Denied]);
    assert_eq!(told[0].0, "Writing to gem.txt");

    let claude = events_of("acp/claude_agent.both.jsonl");
    let outcomes: Vec<TurnOutcome> = ends(&claude).iter().map(|end| end.0).collect();
    assert_eq!(outcomes[..6], [Done; 6]);
    assert_eq!(outcomes[6..], [Stopped, Stopped, TurnOutcome::Failed, Done]);
    let told = steps(&claude);
    assert_eq!(told[0], ("Running echo hi".to_owned(), StepOutcome::Ok));
    let outcomes: Vec<StepOutcome> = told.iter().map(|step| step.1).collect();
    assert_eq!(&outcomes[1..5], [StepOutcome::Ok, StepOutcome::Ok, StepOutcome::Denied, StepOutcome::Denied]);
    assert_eq!(told[2].0, "Write new.txt");
    let usage = |event: &AgentEvent| matches!(event, AgentEvent::TurnDone { usage: Some(usage), .. } if usage.context_window == 1_000_000);
    assert!(claude.iter().any(usage));
}

#[test]
fn no_message_is_unknown() {
    let known = |message: &Incoming| match message {
        Incoming::Answer { .. } => true,
        Incoming::Notification { params, .. } => Update::parse(params).is_some(),
        Incoming::Request { params, .. } => read::<PermissionRequest>(params, "a permission").is_some(),
    };
    for name in SAMPLES {
        assert_eq!(unknown(&sample(name), known), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn an_update_of_an_unknown_kind_is_passed_over() {
    let entries = sample("acp/gemini.both.jsonl");
    let mut with_news = entries;
    let id = with_news.iter().find_map(|entry| entry.line["result"]["sessionId"].as_str()).unwrap().to_owned();
    for update in [
        serde_json::json!({"sessionUpdate": "newer", "x": 1}),
        serde_json::json!({"sessionUpdate": "tool_call", "toolCallId": 7}),
        serde_json::json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "newer"}}),
        serde_json::json!(null),
    ] {
        let params = serde_json::json!({"sessionId": id, "update": update});
        let line = serde_json::json!({"jsonrpc": "2.0", "method": "session/update", "params": params});
        with_news.push(Entry { from_agent: true, line });
    }
    let events = play(&mut handler(&with_news), Dialect::JsonRpc2, &with_news, "session/prompt");
    assert_eq!(text_of(&events), text_of(&events_of("acp/gemini.both.jsonl")));
}

#[test]
fn a_message_without_a_model_goes_back_to_the_sessions_own() {
    let mut handler = AcpHandler::new(Session {
        model: Some("large".to_owned()),
        own_model: Some("large".to_owned()),
        model_setting: Some(ModelSetting::Method),
        ..session("s1", PathBuf::from("/srv/project"))
    });
    let mut out = HandlerOutput::new(Dialect::JsonRpc2, 0);
    let mut set = |model: Option<&str>| {
        handler.set_model(model.map(str::to_owned), &mut out).unwrap();
        let (_, lines) = out.drain();
        lines
            .iter()
            .map(|line| serde_json::from_slice::<Value>(line).unwrap()["params"]["modelId"].clone())
            .collect::<Vec<_>>()
    };
    let none: Vec<Value> = Vec::new();
    assert_eq!(set(None), none);
    assert_eq!(set(Some("mini")), ["mini"]);
    assert_eq!(set(Some("mini")), none);
    assert_eq!(set(None), ["large"]);
    assert_eq!(set(Some("deep")), none, "how much thought a message needs is not a model");
}

#[test]
fn a_model_that_is_refused_is_told_and_does_not_count() {
    let mut handler = AcpHandler::new(Session {
        own_model: Some("large".to_owned()),
        model: Some("large".to_owned()),
        model_setting: Some(ModelSetting::Method),
        ..session("s1", PathBuf::from("/srv/project"))
    });
    let mut out = HandlerOutput::new(Dialect::JsonRpc2, 0);
    handler.set_model(Some("mini".to_owned()), &mut out).unwrap();
    let refused = parse(r#"{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}}"#).unwrap();
    handler.incoming(refused, &mut out);
    handler.prompt(Prompt { text: "go".to_owned(), ..Prompt::default() }, &mut out);
    let done = parse(r#"{"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}"#).unwrap();
    handler.incoming(done, &mut out);
    let (events, _) = out.drain();
    let words = "Agent did not accept the model mini; a different one is answering.";
    assert!(events.iter().any(|event| matches!(event, AgentEvent::Notice(text) if **text == *words)), "{events:?}");
    assert!(matches!(events.last(), Some(AgentEvent::TurnDone { model: Some(model), .. }) if model == "large"));
}

#[test]
fn where_no_way_back_is_known_a_new_process_is_asked_for() {
    let begun = || session("s1", PathBuf::from("/srv/project"));
    let mut out = HandlerOutput::new(Dialect::JsonRpc2, 0);
    let mut handler = AcpHandler::new(Session { model_setting: Some(ModelSetting::Method), ..begun() });
    handler.set_model(Some("mini".to_owned()), &mut out).unwrap();
    assert!(handler.set_model(None, &mut out).is_err());
    let mut fixed = AcpHandler::new(begun());
    fixed.set_model(Some("mini".to_owned()), &mut out).unwrap();
    fixed.prompt(Prompt { text: "go".to_owned(), ..Prompt::default() }, &mut out);
    let words = "Agent has a fixed model.";
    assert!(out.drain().0.iter().any(|event| matches!(event, AgentEvent::Notice(text) if **text == *words)));
}

fn sent(out: &mut HandlerOutput, method: &str) -> Vec<Value> {
    let lines = out.drain().1;
    let lines = lines.iter().map(|line| serde_json::from_slice::<Value>(line).unwrap());
    lines.filter(|line| line["method"] == method).map(|line| line["params"].clone()).collect()
}

fn updates(handler: &mut AcpHandler, update: Value, out: &mut HandlerOutput) {
    let params = serde_json::json!({"sessionId": "s1", "update": update});
    let line = serde_json::json!({"jsonrpc": "2.0", "method": "session/update", "params": params});
    handler.incoming(parse(&line.to_string()).unwrap(), out);
}

#[test]
fn a_message_that_starts_with_a_slash_is_not_taken_for_a_command_that_the_agent_does_not_have() {
    let mut handler = AcpHandler::new(session("s1", PathBuf::from("/srv/project")));
    let mut out = HandlerOutput::new(Dialect::JsonRpc2, 0);
    let commands = serde_json::json!([{"name": "compact", "description": ""}]);
    updates(
        &mut handler,
        serde_json::json!({"sessionUpdate": "available_commands_update", "availableCommands": commands}),
        &mut out,
    );
    out.drain();
    for (text, expected) in [
        ("/compact now", "/compact now"),
        ("/etc/hosts: what is it?", "<message>\n/etc/hosts: what is it?\n</message>"),
        ("/", "<message>\n/\n</message>"),
        ("hello", "hello"),
    ] {
        handler.prompt(Prompt { text: text.to_owned(), ..Prompt::default() }, &mut out);
        assert_eq!(sent(&mut out, "session/prompt")[0]["prompt"][0]["text"], expected);
    }
}

#[test]
fn an_agent_that_leaves_the_mode_that_asks_is_changed_back_or_stopped() {
    let begun = serde_json::json!({"sessionId": "s1", "modes": {
        "currentModeId": "default",
        "availableModes": [{"id": "default", "name": "Default"}, {"id": "auto", "name": "Auto"}],
    }});
    for (answer, stops) in [(r#"{"id": 2, "result": {}}"#, false), (r#"{"id": 2, "error": {"code": 1}}"#, true)] {
        let begun: SessionBegun = serde_json::from_value(begun.clone()).unwrap();
        let modes = Modes::new(&begun, &["default"], None);
        let mut handler = AcpHandler::new(Session { modes, ..session("s1", PathBuf::from("/srv/project")) });
        let mut out = HandlerOutput::new(Dialect::JsonRpc2, 0);
        handler.prompt(Prompt { text: "go".to_owned(), ..Prompt::default() }, &mut out);
        out.drain();
        updates(
            &mut handler,
            serde_json::json!({"sessionUpdate": "current_mode_update", "currentModeId": "auto"}),
            &mut out,
        );
        let (events, lines) = out.drain();
        assert!(matches!(&events[..], [AgentEvent::ModeChanged(mode)] if mode.label == "Auto" && !mode.asks));
        let asked: Value = serde_json::from_slice(&lines[0]).unwrap();
        assert_eq!((&asked["method"], &asked["params"]["modeId"]), (&"session/set_mode".into(), &"default".into()));
        handler.incoming(parse(answer).unwrap(), &mut out);
        let (events, lines) = out.drain();
        assert!(events.iter().any(|event| matches!(event, AgentEvent::Notice(words) if words.contains("Auto"))));
        assert_eq!(lines.iter().any(|line| String::from_utf8_lossy(line).contains("session/cancel")), stops);
    }
}

#[test]
fn a_request_that_has_only_a_title_shows_the_open_calls_and_allows_none_by_itself() {
    let open = serde_json::json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "gstack_goto", "kind": "other",
        "status": "in_progress", "rawInput": {"url": "http://a.test/"}});
    for (asked, shown) in [
        (serde_json::json!({"toolCallId": "confirm", "title": "Confirm"}), "http://a.test/"),
        (serde_json::json!({"toolCallId": "e", "title": "ls", "kind": "execute"}), "ls"),
        (serde_json::json!({"toolCallId": "w", "title": "Write", "rawInput": {"path": "b.txt"}}), "b.txt"),
    ] {
        let offered = vec!["goto".to_owned()];
        let mut handler = AcpHandler::new(Session { offered, ..session("s1", PathBuf::from("/srv/project")) });
        let mut out = HandlerOutput::new(Dialect::JsonRpc2, 0);
        handler.prompt(Prompt { text: "go".to_owned(), ..Prompt::default() }, &mut out);
        updates(&mut handler, open.clone(), &mut out);
        out.drain();
        let options = serde_json::json!([{"optionId": "yes", "kind": "allow_once"}]);
        let params = serde_json::json!({"sessionId": "s1", "toolCall": asked, "options": options});
        let line =
            serde_json::json!({"jsonrpc": "2.0", "id": 7, "method": "session/request_permission", "params": params});
        handler.incoming(parse(&line.to_string()).unwrap(), &mut out);
        let (events, lines) = out.drain();
        assert!(lines.is_empty(), "{asked}: nothing is answered before the person does");
        let card = events.iter().find_map(|event| match event {
            AgentEvent::PermissionAsked(card) => Some(card.does.clone()),
            _ => None,
        });
        assert!(card.as_deref().is_some_and(|does| does.contains(shown)), "{asked}: {card:?}");
    }
}

fn answers(handler: &mut AcpHandler, id: u64, result: &Value, out: &mut HandlerOutput) -> Vec<AgentEvent> {
    let line = serde_json::json!({"jsonrpc": "2.0", "id": id, "result": result});
    handler.incoming(parse(&line.to_string()).unwrap(), out);
    out.drain().0
}

#[test]
fn a_turn_that_ends_without_a_word_is_not_shown_as_done() {
    let said = |text: &str| serde_json::json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}});
    let call = serde_json::json!({"sessionUpdate": "tool_call", "toolCallId": "c", "status": "completed"});
    let plan = serde_json::json!({"sessionUpdate": "plan", "entries": [{"content": "a", "status": "pending"}]});
    let commands =
        serde_json::json!({"sessionUpdate": "available_commands_update", "availableCommands": [{"name": "compact"}]});
    let none = serde_json::json!({"stopReason": "end_turn", "usage": null});
    let zero = serde_json::json!({"stopReason": "end_turn", "_meta": {"quota": {"token_count": {"output_tokens": 0}}}});
    let some = serde_json::json!({"stopReason": "end_turn", "usage": {"outputTokens": 4}});
    for (text, update, result, expected, is_told) in [
        ("hello", None, &none, TurnOutcome::Failed, true),
        ("hello", Some(said(" \n")), &none, TurnOutcome::Failed, true),
        ("hello", None, &zero, TurnOutcome::Failed, true),
        ("hello", None, &some, TurnOutcome::Done, true),
        ("hello", Some(said("hi")), &none, TurnOutcome::Done, false),
        ("hello", Some(call), &none, TurnOutcome::Done, false),
        ("hello", Some(plan), &none, TurnOutcome::Done, false),
        ("/compact", None, &none, TurnOutcome::Done, false),
    ] {
        let mut handler = AcpHandler::new(session("s1", PathBuf::from("/srv/project")));
        let mut out = HandlerOutput::new(Dialect::JsonRpc2, 0);
        updates(&mut handler, commands.clone(), &mut out);
        handler.prompt(Prompt { text: text.to_owned(), ..Prompt::default() }, &mut out);
        out.drain();
        if let Some(update) = update.clone() {
            updates(&mut handler, update, &mut out);
        }
        let events = answers(&mut handler, 1, result, &mut out);
        let Some(AgentEvent::TurnDone { outcome, fault, .. }) = events.last() else { panic!("{events:?}") };
        assert_eq!(*outcome, expected, "{text} {update:?} {result}");
        let words = "Agent ended its turn without an answer and without an error";
        let noticed = events.iter().any(|event| matches!(event, AgentEvent::Notice(text) if **text == *words));
        assert_eq!(noticed || fault.as_ref().is_some_and(|fault| fault.message == words), is_told, "{events:?}");
    }
}

#[test]
fn a_turn_that_codex_calls_done_after_its_api_failed_is_told_with_the_reason() {
    let mut handler = AcpHandler::new(session("s1", PathBuf::from("/srv/project")));
    let mut out = HandlerOutput::new(Dialect::JsonRpc2, 0);
    handler.prompt(Prompt { text: "hello".to_owned(), ..Prompt::default() }, &mut out);
    let status = |status: &str| serde_json::json!({"sessionUpdate": "session_info_update", "_meta": {"codex": {"threadStatus": {"type": status}}}});
    let said = |text: &str| serde_json::json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}});
    for update in [
        said("Warning: no metadata\n\n"),
        status("active"),
        status("systemError"),
        said("exceeded retry limit, last status: 429 Too Many Requests\n\n"),
    ] {
        updates(&mut handler, update, &mut out);
    }
    let events = answers(&mut handler, 1, &serde_json::json!({"stopReason": "end_turn", "usage": null}), &mut out);
    let Some(AgentEvent::TurnDone { outcome: TurnOutcome::Failed, fault: Some(fault), .. }) = events.last() else {
        panic!("{events:?}")
    };
    assert!(fault.message.contains("usage limit") && !fault.message.contains("Warning"), "{}", fault.message);
}

#[test]
fn the_instructions_are_sent_until_a_turn_is_done() {
    let preamble = Some("Be brief.".to_owned());
    let mut handler = AcpHandler::new(Session { preamble, ..session("s1", PathBuf::from("/srv/project")) });
    let mut out = HandlerOutput::new(Dialect::JsonRpc2, 0);
    let said =
        serde_json::json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Noted"}});
    let asked = [("cancelled", true), ("end_turn", true), ("end_turn", false)];
    for (number, (stop_reason, is_instructed)) in (1..).zip(asked) {
        handler.prompt(Prompt { text: "go on".to_owned(), ..Prompt::default() }, &mut out);
        let prompt = sent(&mut out, "session/prompt")[0]["prompt"][0]["text"].as_str().unwrap().to_owned();
        assert_eq!(prompt.starts_with("<instructions>\nBe brief.\n</instructions>\n\n"), is_instructed, "{prompt}");
        updates(&mut handler, said.clone(), &mut out);
        answers(&mut handler, number, &serde_json::json!({"stopReason": stop_reason}), &mut out);
    }
}

#[test]
fn a_form_is_a_question_until_it_is_answered_withdrawn_or_stopped() {
    use crate::rpc::protocol_handler::Answer;
    let mut handler = AcpHandler::new(session("s1", PathBuf::from("/srv/project")));
    let mut out = HandlerOutput::new(Dialect::JsonRpc2, 0);
    let ask = |id: u64| {
        let params = serde_json::json!({"sessionId": "s1", "mode": "form", "message": "Which?", "requestedSchema": {
            "type": "object", "properties": {"a": {"type": "string", "enum": ["x", "y"]}}}});
        let line = serde_json::json!({"jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params});
        parse(&line.to_string()).unwrap()
    };
    let lines =
        |lines: Vec<Vec<u8>>| lines.iter().map(|line| serde_json::from_slice(line).unwrap()).collect::<Vec<Value>>();
    handler.incoming(ask(90), &mut out);
    let (events, told) = out.drain();
    assert!(events.is_empty() && lines(told)[0]["result"]["action"] == "decline", "nobody is there between turns");

    handler.prompt(Prompt { text: "go".to_owned(), ..Prompt::default() }, &mut out);
    out.drain();
    handler.incoming(ask(91), &mut out);
    let asked = out.drain().0;
    assert!(matches!(&asked[..], [AgentEvent::QuestionAsked(asked)] if asked.parts[0].text == "Which?"), "{asked:?}");
    handler.answered("91", Answer::Question(Some(vec![vec!["y".to_owned()]])), &mut out);
    let told = &lines(out.drain().1)[0];
    assert_eq!(told["result"], serde_json::json!({"action": "accept", "content": {"a": "y"}}));

    handler.incoming(ask(92), &mut out);
    out.drain();
    handler.answered("92", Answer::Question(None), &mut out);
    assert_eq!(lines(out.drain().1)[0]["result"]["action"], "decline");

    handler.incoming(ask(93), &mut out);
    out.drain();
    handler.incoming(parse(r#"{"method": "$/cancel_request", "params": {"requestId": 93}}"#).unwrap(), &mut out);
    let (events, told) = out.drain();
    assert!(matches!(&events[..], [AgentEvent::Withdrawn { request }] if request == "93"), "{events:?}");
    assert_eq!(lines(told)[0]["result"]["action"], "cancel");

    handler.incoming(ask(94), &mut out);
    out.drain();
    handler.interrupt(&mut out);
    let (events, told) = out.drain();
    assert!(matches!(&events[..], [AgentEvent::Withdrawn { request }] if request == "94"), "{events:?}");
    assert!(lines(told).iter().any(|line| line["result"]["action"] == "cancel"));
}
