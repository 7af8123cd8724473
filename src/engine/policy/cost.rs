//! Measures the time that identity and policy add to a command. Run by hand: `benches/run.sh` calls `cargo test
//! -p gstack-engine --release --lib policy::cost -- --ignored --nocapture`.
//!
//! Prints medians in microseconds. Never asserts on time.

#![allow(clippy::print_stderr, reason = "the table is what it is run for")]

use super::action_request::{ActionKind, ActionRequest, Risk};
use super::audit::Audit;
use super::{TaintLog, rules};
use gstack_base::filled_secrets;
use gstack_base::peer::{self, Peer};
use gstack_protocol::audit::{AuditBy, AuditEntry};
use gstack_protocol::ids::ConversationId;
use gstack_protocol::policy::{PolicyEffect, PolicyRule, PolicyScope};
use std::time::Instant;
use tokio::net::UnixStream;

const RUNS: usize = 501;
/// The number of rules that a person could create in a year of "Allow on this site".
const RULES: usize = 200;
/// Lines of an answer: about 10 kB.
const ANSWER: usize = 270;
/// Words of one site that the agent has read: about one megabyte.
const WORDS_READ: usize = 150_000;

fn median(mut act: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let begun = Instant::now();
            act();
            begun.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[RUNS / 2]
}

fn rule_of(number: usize) -> PolicyRule {
    PolicyRule {
        id: format!("r{number}"),
        effect: PolicyEffect::Allow,
        scope: PolicyScope::Act,
        site: Some(format!("site{number}.example")),
        tool: None,
        browser: None,
        conversation_id: None,
        until: None,
        made_at: 1,
    }
}

fn decided() -> AuditEntry {
    AuditEntry {
        at: 1,
        conversation_id: Some(ConversationId::new("c1")),
        agent: None,
        action: "click @e3".to_owned(),
        record: None,
        scope: "act".to_owned(),
        site: Some("shop.example".to_owned()),
        allowed: true,
        by: AuditBy::Rule,
        answer: None,
        rule: Some("r1".to_owned()),
    }
}

#[tokio::test]
#[ignore = "a measurement, run by benches/run.sh"]
async fn what_identity_and_policy_add_to_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let listener = peer::listen(&path).unwrap();
    let _client = UnixStream::connect(&path).await.unwrap();
    let (accepted, _) = listener.accept().await.unwrap();
    let connected = Peer::of(&accepted).unwrap();

    let mut taint = TaintLog::new(false);
    let text: String = (0..WORDS_READ).map(|number| format!("word{number} ")).collect();
    taint.read("mail.example", &text);
    let rules: Vec<PolicyRule> = (0..RULES).map(rule_of).collect();
    let request = ActionRequest {
        conversation_id: ConversationId::new("c1"),
        kind: ActionKind::Does(PolicyScope::Act),
        site: Some("nowhere.example".to_owned()),
        tool: None,
        browser: None,
        risk: Risk::Plain,
    };

    let accept = median(|| {
        std::hint::black_box(Peer::of(&accepted).unwrap());
    });
    let again = median(|| {
        std::hint::black_box(connected.lineage());
    });
    let rules_time = median(|| {
        std::hint::black_box(rules::decide(Some(&rules), &request, 2));
    });
    let typing = median(|| {
        std::hint::black_box(taint.risk_of_typing(Some("shop.example"), "Ada Lovelace, 12 St James's Square, London"));
    });
    let going = median(|| {
        std::hint::black_box(
            taint.risk_of_going(Some("shop.example"), "https://shop.example/lamps?colour=green&page=2"),
        );
    });
    let mut audit = Audit::at(folder.path().join("audit.jsonl"));
    let entry = decided();
    let writing = median(|| audit.append(&entry).unwrap());
    let shown: String = (0..ANSWER).map(|number| format!("line {number} of a page's text: 20.00 € \n")).collect();
    let nothing_filled = median(|| {
        std::hint::black_box(filled_secrets::without(&shown));
    });
    for secret in ["Correct-Horse=Battery9", "918273"] {
        filled_secrets::remember(secret, None);
    }
    let cleaning = median(|| {
        std::hint::black_box(filled_secrets::without(&shown));
    });
    eprintln!("| step | µs, median of {RUNS} |\n|---|---:|");
    for (step, time) in [
        ("who connected (once for a connection)", accept),
        ("is it still the same process (each request)", again),
        ("200 rules, none of which holds", rules_time),
        ("taint of what is typed, 1 MB read elsewhere", typing),
        ("taint of an address, 1 MB read elsewhere", going),
        ("the line of the audit, chained and written", writing),
        ("an answer of 10 kB, nothing was filled in", nothing_filled),
        ("an answer of 10 kB without a password and a code", cleaning),
    ] {
        eprintln!("| {step} | {time:.1} |");
    }
    eprintln!("| all of it | {:.1} |", accept + again + rules_time + typing.max(going) + writing + cleaning);
}
