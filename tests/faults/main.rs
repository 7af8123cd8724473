//! Faults on purpose: random orders of messages, stops, kills and full disks against the real program, and what must
//! hold after each. A seed names an order; `GSTACK_FAULT_SEED=N` runs that one again.
//!
//! `GSTACK_FAULT_SEEDS` says how many orders are run (else as many as fit into `GSTACK_FAULT_SECONDS`, 45 by default).
//! `GSTACK_FAULT_CASE=WORDS` runs the cases with these words in their name.
//! `GSTACK_SOAK=CONVERSATIONS,TURNS` runs the long one instead: that memory and open files stay flat.
//! The program is also the agent that it gives to gstack: with [`agent::VARIABLE`] set it plays that part.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where its world breaks")]

mod agent;
mod cases;
mod extension;
mod journal;
mod schedule;
mod soak;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

const SECONDS: u64 = 45;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{variable}={text} is no number")))
}

fn main() {
    if std::env::var_os(agent::VARIABLE).is_some() {
        return agent::play();
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        return println!("faults: test");
    }
    // `cargo test NAME` of another test runs nothing here.
    let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
    if filter.is_some_and(|filter| !"faults".contains(filter.as_str())) {
        return println!("test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 1 filtered out");
    }
    if let Ok(size) = std::env::var("GSTACK_SOAK") {
        return soak::run(&size);
    }
    let mut failed = Vec::new();
    let mut passed = 0;
    let mut run = |name: String, case: &dyn Fn()| match catch_unwind(AssertUnwindSafe(case)) {
        Ok(()) => {
            passed += 1;
            println!("test {name} ... ok");
        }
        Err(_) => {
            println!("test {name} ... FAILED");
            failed.push(name);
        }
    };
    if let Some(seed) = number("GSTACK_FAULT_SEED") {
        run(format!("seed {seed}"), &|| schedule::run(seed));
    } else {
        let only = std::env::var("GSTACK_FAULT_CASE").unwrap_or_default();
        for (name, case) in cases::ALL.iter().filter(|(name, _)| name.contains(&only)) {
            run((*name).to_owned(), case);
        }
        let first = u64::from(std::process::id()) << 16 ^ Instant::now().elapsed().as_nanos() as u64 ^ entropy();
        let until = Instant::now() + Duration::from_secs(number("GSTACK_FAULT_SECONDS").unwrap_or(SECONDS));
        let count = number("GSTACK_FAULT_SEEDS");
        let mut done = 0;
        while count.map_or(Instant::now() < until, |count| done < count) {
            let seed = (first + done) % 1_000_000;
            run(format!("seed {seed}"), &|| schedule::run(seed));
            done += 1;
        }
    }
    let words = if failed.is_empty() { "ok" } else { "FAILED" };
    println!("\ntest result: {words}. {passed} passed; {} failed; 0 ignored; 0 measured; 0 filtered out", failed.len());
    if !failed.is_empty() {
        println!("failed: {failed:?}; GSTACK_FAULT_SEED=N repeats one order");
        std::process::exit(101);
    }
}

/// Another beginning each time.
fn entropy() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}
