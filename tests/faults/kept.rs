//! Every system call that changes a file (each other one by default, all in a long run) fails once, one after the other, while settings, rules, attachments and exports
//! are written: what was confirmed is there after a kill, what was refused is not, and the audit's chain stays whole.

use crate::cases::{cases, send};
use crate::extension::Extension;
use crate::long::usual_or_long;
use crate::syscalls::{Control, ERRORS, NONE, daemon, library};
use crate::world::World;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicI64, Ordering};

pub const ALL: &[(&str, fn())] = cases![settings_rules_attachments_and_exports_survive_each_failing_call];

const AT_ONCE: usize = 3;
const PICTURE: &str = "aGVsbG8gZnJvbSBhIGZpbGU=";
const SETTING: &str = "agents.output-kilobytes";

/// Runs one command, and returns whether it was confirmed. A refusal says why.
fn confirmed(world: &World, arguments: &[&str]) -> bool {
    let (well, said) = world.run(arguments);
    assert!(well || said.contains("gstack: "), "{arguments:?}: {said}");
    well
}

/// Returns the rules in force, as pairs of a scope and an id.
fn rules(world: &World) -> Vec<(String, String)> {
    let (well, said) = world.run(&["policy", "list", "--json"]);
    assert!(well, "{said}");
    let list: Value = serde_json::from_str(&said).unwrap();
    let text = |rule: &Value, name: &str| rule[name].as_str().map(str::to_owned);
    let rules = list["rules"].as_array().cloned().unwrap_or_default();
    rules.iter().filter_map(|rule| Some((text(rule, "scope")?, text(rule, "id")?))).collect()
}

/// Returns the content of a stored file, in Base64.
fn content(extension: &mut Extension, file: &Value) -> Option<String> {
    let of = json!({ "conversationId": extension.conversations[0], "id": file["id"], "offset": 0 });
    let read = extension.ask("file.read", of).unwrap().ok()?;
    read["data"].as_str().map(str::to_owned)
}

/// Runs the story with the call `at` failing. Returns how many calls there were, and how many steps were refused.
fn story(at: i64, error: i64) -> (i64, i64) {
    let world = World::new("");
    let path = world.folder.path().join("control");
    let control = Control::new(&path);
    let mut child = daemon(&world, &path);
    let mut extension = Extension::new("one", 1);
    extension.connect(&world);
    send(&mut extension, 0, "first", "say 1");
    extension.wait_for(0, "idle");
    assert!(confirmed(&world, &["policy", "allow", "download"]), "before anything fails");
    let id = extension.conversations[0].clone();
    let (_, rule) = rules(&world).into_iter().find(|(scope, _)| scope == "download").unwrap();

    let before = control.count();
    control.set(before.saturating_add(at), error, false);
    let set = confirmed(&world, &["settings", "set", SETTING, "61"]);
    let allowed = confirmed(&world, &["policy", "allow", "act"]);
    let removed = confirmed(&world, &["policy", "remove", &rule]);
    let attachment = json!({ "name": "note.txt", "mime": "text/plain", "data": PICTURE });
    let message =
        json!({ "conversationId": id, "clientId": "with", "text": "please [[say 1]]", "attachments": [attachment] });
    let sent = extension.ask("chat.send", message).unwrap();
    extension.wait_for(0, "idle");
    let export = json!({ "conversationId": id, "format": "json" });
    let exported = extension.ask("conversations.export", export.clone()).unwrap();
    let calls = control.count() - before;
    control.set(0, 0, false);
    assert!(child.try_wait().unwrap().is_none(), "the daemon goes on");
    if let Ok(file) = &exported {
        assert!(content(&mut extension, file).is_some(), "an export that was confirmed can be read");
    }
    child.kill().unwrap();
    child.wait().unwrap();

    extension.connect(&world);
    let (_, value) = world.run(&["settings", "get", SETTING]);
    assert_eq!(value.contains("61"), set, "the setting: {value}");
    let now = rules(&world);
    let has = |wanted: &str| now.iter().any(|(scope, _)| scope == wanted);
    assert_eq!(has("act"), allowed, "the new rule: {now:?}");
    assert_eq!(has("download"), !removed, "the removed rule: {now:?}");
    let (well, said) = world.run(&["audit", "--verify"]);
    assert!(well, "the audit's chain: {said}");
    let with = |event: &&Value| event["clientId"] == "with" && event["type"] == "message";
    let panel = &extension.panels[&id];
    let kept = panel.events.values().find(with).map(|event| event["attachments"][0].clone());
    assert_eq!(kept.is_some(), sent.is_ok(), "a message is kept if it was taken: {sent:?}");
    if let Some(file) = kept {
        assert_eq!(content(&mut extension, &file).as_deref(), Some(PICTURE), "with its attachment");
    }
    let again = extension.ask("conversations.export", export).unwrap().unwrap();
    assert!(content(&mut extension, &again).is_some(), "an export works when nothing fails");
    extension.disconnect();
    world.end();
    let refused = [set, allowed, removed, sent.is_ok(), exported.is_ok()].iter().filter(|well| !**well).count();
    (calls, refused.try_into().unwrap())
}

fn settings_rules_attachments_and_exports_survive_each_failing_call() {
    if library().is_none() {
        return println!("there is no C compiler: left out");
    }
    let (calls, refused) = story(NONE, 0);
    assert_eq!(refused, 0, "nothing fails yet");
    assert!(calls > 15, "{calls} calls are seen");
    let (next, refused) = (AtomicI64::new(1), AtomicI64::new(0));
    std::thread::scope(|threads| {
        for _ in 0..AT_ONCE {
            threads.spawn(|| {
                loop {
                    let at = next.fetch_add(usual_or_long(2, 1), Ordering::Relaxed);
                    if at > calls {
                        return;
                    }
                    let error = ERRORS[usize::try_from(at).unwrap() % ERRORS.len()];
                    let told = std::panic::catch_unwind(|| story(at, error));
                    let Ok((_, steps)) = told else { panic!("call {at} of {calls} with error {error}") };
                    refused.fetch_add(steps, Ordering::Relaxed);
                }
            });
        }
    });
    let refused = refused.into_inner();
    println!("of {calls} calls, each or each other one failed, {refused} steps were refused");
    assert!(refused > 0, "a failing call has consequences");
}
