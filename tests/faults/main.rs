//! Deliberate faults: random orders of messages, stops, kills and full disks against the real program, and the checks
//! after each. A seed names an order; `GSTACK_FAULT_SEED=N` runs it again, `GSTACK_FAULT_BROWSER_SEED=N` one with a
//! real browser.
//!
//! `GSTACK_FAULT_SEEDS`, `GSTACK_FAULT_UPGRADE_SEEDS` and `GSTACK_FAULT_BROWSER_SEEDS` run that many new orders and no
//! cases, `GSTACK_FAULT_AT_ONCE` sets how many run side by side; `GSTACK_FAULT_CASE=WORDS` runs the cases with these
//! words in their name and no orders. `GSTACK_TEST_LONG=1` runs more of the usual orders and a longer soak test, as every
//! night does. `GSTACK_SOAK=CONVERSATIONS,TURNS` sets the length of the soak test. The program
//! is also the agent that it gives to gstack: with [`agent::VARIABLE`] set it plays that part.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where its world breaks")]

mod agent;
mod browser;
mod builds;
mod cases;
mod clients;
mod crowd;
mod disks;
mod extension;
mod frames;
mod host;
mod journal;
mod kept;
#[path = "../shared/long.rs"]
mod long;
#[path = "../shared/panel_key.rs"]
mod panel_key;
#[path = "../shared/patience.rs"]
mod patience;
mod programs;
mod reach;
mod schedule;
mod soak;
mod syscalls;
mod worktrees;
mod world;

use long::usual_or_long;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

/// By default the same orders run each time, so that only a change makes one fail. The first of them once found a turn
/// without an end, on a disk that was full for a moment.
const FIRST_SEED: u64 = 981_756;
/// The number of orders, and in a long run.
const SEEDS: (u64, u64) = (24, 80);
/// Orders of an upgrade, messages, a stop and a kill.
const UPGRADE_SEEDS: (u64, u64) = (12, 60);
/// Each opens a browser several times.
const BROWSER_SEEDS: (u64, u64) = (1, 4);
/// An order spends most of its time waiting for processes to start and to end.
const AT_ONCE: usize = 8;
/// A case may start several processes.
const CASES_AT_ONCE: usize = 4;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")))
}

/// The results and failures, in the format of cargo's own harness.
#[derive(Default)]
struct Report {
    passed: AtomicU64,
    failed: Mutex<Vec<String>>,
}

impl Report {
    fn run(&self, name: String, case: impl FnOnce()) {
        let began = Instant::now();
        match catch_unwind(AssertUnwindSafe(case)) {
            Ok(()) => {
                self.passed.fetch_add(1, Ordering::Relaxed);
                println!("test {name} ... ok <{:.1}s>", began.elapsed().as_secs_f64());
            }
            Err(_) => {
                println!("test {name} ... FAILED");
                self.failed.lock().unwrap().push(name);
            }
        }
    }

    /// Runs cases side by side: most of them wait for processes.
    fn run_cases(&self, cases: &[(&str, fn())], at_once: usize) {
        side_by_side(cases, at_once, |(name, case)| self.run((*name).to_owned(), case));
    }

    /// Runs this many orders side by side, each named by its seed.
    fn run_seeds(&self, what: &str, (first, count): (u64, u64), at_once: usize, schedule: fn(u64)) {
        let began = Instant::now();
        let seeds: Vec<u64> = (0..count).map(|done| first.wrapping_add(done) % 1_000_000).collect();
        side_by_side(&seeds, at_once, |seed| self.run(format!("{what}-{seed}"), || schedule(*seed)));
        println!("{count} orders in {:.0} s", began.elapsed().as_secs_f64());
    }
}

fn side_by_side<T: Sync>(all: &[T], at_once: usize, run: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|threads| {
        for _ in 0..at_once {
            threads.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    run(one);
                }
            });
        }
    });
}

/// The first part of an order's name, and what runs its seed.
type Order = (&'static str, fn(u64));
const ORDERS: [Order; 3] =
    [("seed", schedule::run), ("upgrade-seed", builds::schedule), ("browser-seed", browser::schedule)];

/// A case's name, and what runs it.
type Case = (&'static str, fn());
const GROUPS: [&[Case]; 13] = [
    cases::ALL,
    worktrees::ALL,
    disks::ALL,
    reach::ALL,
    frames::ALL,
    clients::ALL,
    syscalls::ALL,
    kept::ALL,
    programs::ALL,
    crowd::ALL,
    builds::ALL,
    browser::ALL,
    soak::ALL,
];

/// The first seed and the number of each kind of order.
fn usual_orders() -> [(u64, u64); 3] {
    [SEEDS, UPGRADE_SEEDS, BROWSER_SEEDS].map(|(usual, long)| (FIRST_SEED, usual_or_long(usual, long)))
}

fn main() {
    if std::env::var_os(agent::VARIABLE).is_some() {
        return agent::play();
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        GROUPS.into_iter().flatten().for_each(|(name, _)| println!("{name}: test"));
        for ((kind, _), (_, count)) in ORDERS.iter().zip(usual_orders()) {
            (FIRST_SEED..FIRST_SEED + count).for_each(|seed| println!("{kind}-{seed}: test"));
        }
        return;
    }
    // `--exact NAME…` runs these cases and orders, as with the usual harness.
    let named: Vec<&String> = match arguments.iter().any(|argument| argument == "--exact") {
        true => arguments.iter().filter(|argument| !argument.starts_with('-')).collect(),
        false => Vec::new(),
    };
    // `cargo test NAME` for another test runs nothing here.
    let filter = arguments.iter().find(|argument| named.is_empty() && !argument.starts_with('-'));
    if filter.is_some_and(|filter| !"faults".contains(filter.as_str())) {
        return println!("test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 1 filtered out");
    }
    let report = Report::default();
    if let Some(seed) = number("GSTACK_FAULT_SEED") {
        report.run(format!("seed-{seed}"), || schedule::run(seed));
    } else if let Some(seed) = number("GSTACK_FAULT_UPGRADE_SEED") {
        report.run(format!("upgrade-seed-{seed}"), || builds::schedule(seed));
    } else if let Some(seed) = number("GSTACK_FAULT_BROWSER_SEED") {
        report.run(format!("browser-seed-{seed}"), || browser::schedule(seed));
    } else {
        let only = std::env::var("GSTACK_FAULT_CASE").ok().filter(|words| !words.is_empty());
        let (seeds, browsers) = (number("GSTACK_FAULT_SEEDS"), number("GSTACK_FAULT_BROWSER_SEEDS"));
        let orders_alone = seeds.is_some() || browsers.is_some() || number("GSTACK_FAULT_UPGRADE_SEEDS").is_some();
        let is_wanted = |name: &str| {
            let is_named = named.is_empty() || named.iter().any(|wanted| wanted.as_str() == name);
            !orders_alone && is_named && only.as_ref().is_none_or(|only| name.contains(only))
        };
        let cases: Vec<_> = GROUPS.into_iter().flatten().filter(|(name, _)| is_wanted(name)).copied().collect();
        let at_once = number("GSTACK_FAULT_AT_ONCE").map_or(AT_ONCE, |at_once| usize::try_from(at_once).unwrap());
        report.run_cases(&cases, at_once.min(CASES_AT_ONCE));
        for (kind, schedule) in ORDERS {
            let seeds = named.iter().filter_map(|name| name.strip_prefix(kind)?.strip_prefix('-')?.parse().ok());
            seeds.for_each(|seed| report.run(format!("{kind}-{seed}"), || schedule(seed)));
        }
        if only.is_none() && named.is_empty() {
            let asked = [seeds, number("GSTACK_FAULT_UPGRADE_SEEDS"), browsers];
            for (((kind, schedule), usual), asked) in ORDERS.into_iter().zip(usual_orders()).zip(asked) {
                let orders = match asked {
                    Some(count) => (entropy(), count),
                    None if orders_alone => continue,
                    None => usual,
                };
                report.run_seeds(kind, orders, if kind == "browser-seed" { 2 } else { at_once }, schedule);
            }
        }
    }
    let (passed, failed) = (report.passed.into_inner(), report.failed.into_inner().unwrap());
    let words = if failed.is_empty() { "ok" } else { "FAILED" };
    println!("\ntest result: {words}. {passed} passed; {} failed; 0 ignored; 0 measured; 0 filtered out", failed.len());
    if !failed.is_empty() {
        println!("failed: {failed:?}; GSTACK_FAULT_SEED=N or GSTACK_FAULT_BROWSER_SEED=N repeats one order");
        std::process::exit(101);
    }
}

/// Returns a different start each time.
fn entropy() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}
