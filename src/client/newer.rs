//! Decides what to do if no daemon runs because the last one ended for a newer gstack: an older program waits for the
//! newer daemon, and starts its own only if none comes.
//!
//! Owns the rule and its limits. Starts nothing.

use gstack_base::home::Home;
use gstack_base::lock::FileLock;
use gstack_base::process::own_pid;
use gstack_base::upgrade::{UpgradeMark, is_newer};
use gstack_protocol::VERSION;
use std::time::{Duration, Instant};

/// The longest time from the mark to the newer daemon: the older one's end and the newer one's start.
const LONGEST: Duration = Duration::from_secs(35);
/// The longest time without a sign of the newer gstack: its browser restarts a native host shortly after it has lost
/// one.
const UNSEEN: Duration = Duration::from_secs(8);
/// The polling interval. Nothing notifies about another program's progress.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The next step of a program that finds no daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Start,
    /// Check again after a moment.
    Wait,
}

/// The state of an upgrade.
#[derive(Clone, Copy, Debug)]
struct Signs<'a> {
    /// The version for which the daemon ended.
    version: &'a str,
    /// The time since the daemon ended.
    age: Duration,
    /// The time since the upgrade was last seen at work: a daemon that ends or starts, or a process that asked for it.
    unseen: Duration,
}

/// Applies the rule. The mark's age bounds the wait, so that nothing waits for an upgrade that failed or was reverted.
fn next(ours: &str, signs: Option<Signs<'_>>) -> Next {
    match signs {
        Some(signs) if is_newer(signs.version, ours) && signs.age < LONGEST && signs.unseen < UNSEEN => Next::Wait,
        _ => Next::Start,
    }
}

/// One program's wait for a newer daemon.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    since: Option<Instant>,
    seen: Option<Instant>,
}

impl Waiting {
    /// Returns the next step. Call it only if no daemon answers and no other program can start one.
    pub(super) fn next(&mut self, home: &Home) -> Next {
        let Some((mark, age)) = UpgradeMark::read(home) else { return Next::Start };
        // `gstack upgrade` has installed the newer program itself, so it does not wait.
        if mark.starters.iter().any(|starter| starter.pid == own_pid()) {
            return Next::Start;
        }
        // The clock may be set during the wait.
        let age = age.max(self.since.map_or(Duration::ZERO, |since| since.elapsed()));
        if mark.has_starter() || FileLock::is_held(&home.daemon_lock()).unwrap_or(false) {
            self.seen = Some(Instant::now());
        }
        let unseen = self.seen.map_or(age, |seen| seen.elapsed());
        let next = next(VERSION, Some(Signs { version: &mark.version, age, unseen }));
        if next == Next::Wait && self.since.is_none() {
            self.since = Some(Instant::now());
            gstack_base::say::line(format_args!("a newer gstack ({}) is starting; waiting for it", mark.version));
        }
        next
    }

    pub(super) async fn pause(&self) {
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;
    const MOMENT: Duration = Duration::from_millis(1);

    fn of(version: &str, age: Duration, unseen: Duration) -> Next {
        next("0.2.0", Some(Signs { version, age, unseen }))
    }

    #[test]
    fn only_an_older_program_waits() {
        assert_eq!(of("0.3.0", NOW, NOW), Next::Wait);
        for version in ["0.2.0", "0.1.0", "", "no version"] {
            assert_eq!(of(version, NOW, NOW), Next::Start, "{version}");
        }
        assert_eq!(next("0.2.0", None), Next::Start);
    }

    #[test]
    fn it_starts_when_nothing_of_the_newer_one_is_seen() {
        assert_eq!(of("0.3.0", UNSEEN, UNSEEN - MOMENT), Next::Wait);
        assert_eq!(of("0.3.0", UNSEEN, UNSEEN), Next::Start);
    }

    #[test]
    fn it_starts_when_the_newer_one_works_and_does_not_come() {
        assert_eq!(of("0.3.0", LONGEST - MOMENT, NOW), Next::Wait);
        assert_eq!(of("0.3.0", LONGEST, NOW), Next::Start);
    }

    #[test]
    fn a_mark_of_long_ago_is_not_waited_for() {
        let day = Duration::from_secs(24 * 60 * 60);
        assert_eq!(of("9.9.9", day, NOW), Next::Start);
    }

    #[test]
    fn a_daemon_that_ends_is_a_sign_of_the_upgrade_and_its_end_begins_the_wait() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home")).unwrap();
        std::fs::create_dir(home.run_files()).unwrap();
        let mut waiting = Waiting::default();
        assert_eq!(waiting.next(&home), Next::Start, "there is no mark");
        UpgradeMark::new("999.0.0".to_owned()).write(&home).unwrap();
        let lock = FileLock::try_take(&home.daemon_lock()).unwrap();
        assert_eq!(waiting.next(&home), Next::Wait);
        assert!(waiting.seen.is_some());
        drop(lock);
        assert_eq!(waiting.next(&home), Next::Wait);
        waiting.seen = Instant::now().checked_sub(UNSEEN);
        assert_eq!(waiting.next(&home), Next::Start);
        waiting.seen = None;
        assert_eq!(waiting.next(&home), Next::Wait);
        let mut own = UpgradeMark::new("999.0.0".to_owned());
        own.ask("999.0.0", gstack_base::process::Process::find(own_pid()));
        own.write(&home).unwrap();
        assert_eq!(waiting.next(&home), Next::Start, "it asked itself: it starts the newer one");
    }
}
