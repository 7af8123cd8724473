//! `policy.json`: the rules on disk, and the clock for their end times.
//!
//! Owns the file: mode 0600, replaced as a whole, of one version. The daemon's lock makes it the only writer. A file
//! that cannot be read allows nothing and is never overwritten, because it may contain denials.

use super::error::PolicyError;
use super::rules::is_in_force;
use gstack_base::atomic;
use gstack_protocol::chat::Millis;
use gstack_protocol::fault::Fault;
use gstack_protocol::policy::{PolicyEffect, PolicyRule};
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

const VERSION: u32 = 1;
/// A person could not keep track of more rules.
const MOST_RULES: usize = 1000;
/// In bytes. gstack never writes a larger file.
const LARGEST_FILE: u64 = 4 * 1024 * 1024;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    /// The time of the last change. A clock that shows an earlier time was set back.
    seen: Millis,
    rules: Vec<PolicyRule>,
}

/// The rules of one home.
#[derive(Debug)]
pub(super) struct PolicyStore {
    path: PathBuf,
    /// Oldest first, or the fault if they cannot be read.
    rules: Result<Vec<PolicyRule>, Fault>,
    clock: Clock,
}

impl PolicyStore {
    /// Reads the rules. `wall` is the current wall clock time.
    pub(super) fn open(path: PathBuf, wall: Millis) -> Self {
        let (rules, seen) = match read(&path) {
            Ok(file) => (Ok(file.rules), file.seen),
            Err(error) => (Err(error.into()), 0),
        };
        Self { path, rules, clock: Clock::at(wall.max(seen)) }
    }

    /// Returns the rules, including expired ones, or `None` if they cannot be read.
    pub(super) fn rules(&self) -> Option<&[PolicyRule]> {
        self.rules.as_deref().ok()
    }

    /// Returns the fault if the rules cannot be read.
    pub(super) fn fault(&self) -> Option<&Fault> {
        self.rules.as_ref().err()
    }

    /// Returns the time for the end of rules: the wall clock, but at least the last known time plus what has elapsed
    /// since.
    pub(super) fn now(&self, wall: Millis) -> Millis {
        self.clock.now(wall, Instant::now())
    }

    /// Returns the rules in force, newest first. Fails if the rules cannot be read.
    pub(super) fn in_force(&self, wall: Millis) -> Result<Vec<PolicyRule>, Fault> {
        let now = self.now(wall);
        let rules = self.rules.as_ref().map_err(Clone::clone)?;
        Ok(rules.iter().rev().filter(|rule| is_in_force(rule, now)).cloned().collect())
    }

    /// Adds a rule that a person made, replacing an equal one. It is on the disk when this returns; if the write fails,
    /// it is not in force.
    pub(super) fn add(&mut self, rule: PolicyRule, wall: Millis) -> Result<(), Fault> {
        let mut rules = self.held(wall)?;
        rules.retain(|old| !says_the_same(old, &rule));
        if rules.len() >= MOST_RULES {
            return Err(PolicyError::RulesFull { most: MOST_RULES }.into());
        }
        rules.push(rule);
        self.replace(rules, wall)
    }

    /// Removes a rule. Fails with `NotFound` if no rule has this id.
    pub(super) fn remove(&mut self, id: &str, wall: Millis) -> Result<PolicyRule, Fault> {
        let mut rules = self.held(wall)?;
        let Some(at) = rules.iter().position(|rule| rule.id == id) else {
            return Err(PolicyError::NoRule(id.to_owned()).into());
        };
        let removed = rules.remove(at);
        self.replace(rules, wall)?;
        Ok(removed)
    }

    /// Returns the rules to keep. Expired rules are dropped before the clock is trusted again.
    fn held(&self, wall: Millis) -> Result<Vec<PolicyRule>, Fault> {
        let now = self.now(wall);
        let rules = self.rules.as_ref().map_err(Clone::clone)?;
        Ok(rules.iter().filter(|rule| rule.until.is_none_or(|until| now < until)).cloned().collect())
    }

    fn replace(&mut self, rules: Vec<PolicyRule>, wall: Millis) -> Result<(), Fault> {
        let file = File { version: VERSION, seen: wall, rules };
        let mut bytes = serde_json::to_vec_pretty(&file).map_err(Fault::internal)?;
        bytes.push(b'\n');
        atomic::write(&self.path, &bytes)
            .map_err(|source| PolicyError::RuleNotWritten { path: self.path.clone(), source })?;
        self.rules = Ok(file.rules);
        // A person has just acted, so trust their clock.
        self.clock = Clock::at(wall);
        Ok(())
    }
}

/// Returns the number of rules in a file, or `None` if it cannot be read as a whole.
pub fn policy_rules_of(path: PathBuf) -> Option<usize> {
    PolicyStore::open(path, 0).rules().map(<[PolicyRule]>::len)
}

fn read(path: &Path) -> Result<File, PolicyError> {
    let unreadable = |why: String| PolicyError::RulesNotRead { path: path.to_owned(), why };
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(File { version: VERSION, seen: 0, rules: Vec::new() });
        }
        Err(error) => return Err(unreadable(error.to_string())),
    };
    let mut text = String::new();
    let length = file.take(LARGEST_FILE + 1).read_to_string(&mut text).map_err(|e| unreadable(e.to_string()))?;
    if length as u64 > LARGEST_FILE {
        return Err(unreadable(format!("it is larger than {LARGEST_FILE} bytes")));
    }
    let file: File = serde_json::from_str(&text).map_err(|e| unreadable(e.to_string()))?;
    if file.version != VERSION {
        return Err(unreadable(format!("it has version {}; this gstack supports {VERSION}", file.version)));
    }
    Ok(file)
}

/// Whether a new rule (`right`) takes the place of an old one: it says the same, or the old one is from before rules named the kind
/// of browser.
fn says_the_same(left: &PolicyRule, right: &PolicyRule) -> bool {
    left.effect == right.effect
        && (left.browser == right.browser || (left.effect == PolicyEffect::Allow && left.browser.is_none()))
        && left.scope == right.scope
        && left.site == right.site
        && left.conversation_id == right.conversation_id
}

/// A wall clock that does not go back while the daemon runs.
#[derive(Clone, Copy, Debug)]
struct Clock {
    wall: Millis,
    at: Instant,
}

impl Clock {
    fn at(wall: Millis) -> Self {
        Self { wall, at: Instant::now() }
    }

    fn now(&self, wall: Millis, instant: Instant) -> Millis {
        let passed = instant.saturating_duration_since(self.at).as_millis();
        wall.max(self.wall.saturating_add(u64::try_from(passed).unwrap_or(u64::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::fault::FaultCode;
    use gstack_protocol::policy::{PolicyBrowser, PolicyScope};
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    /// Later than the machine's own clock can reach during the test.
    const WALL: Millis = 10_000_000;

    fn rule(id: &str, until: Option<Millis>) -> PolicyRule {
        PolicyRule {
            id: id.to_owned(),
            effect: PolicyEffect::Allow,
            scope: if until.is_some() { PolicyScope::Everything } else { PolicyScope::Act },
            site: until.is_none().then(|| format!("{id}.example")),
            tool: None,
            browser: None,
            conversation_id: None,
            until,
            made_at: WALL,
        }
    }

    fn ids(store: &PolicyStore, wall: Millis) -> Vec<String> {
        store.in_force(wall).unwrap().into_iter().map(|rule| rule.id).collect()
    }

    #[test]
    fn rules_survive_a_restart_for_their_owner_alone_and_can_be_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("policy.json");
        let mut store = PolicyStore::open(path.clone(), WALL);
        store.add(rule("a", None), WALL).unwrap();
        store.add(rule("b", None), WALL).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let mut store = PolicyStore::open(path.clone(), WALL);
        assert_eq!(ids(&store, WALL), ["b", "a"]);
        assert_eq!(store.remove("a", WALL).unwrap().id, "a");
        assert_eq!(store.remove("a", WALL).unwrap_err().code, FaultCode::NotFound);
        assert_eq!(ids(&PolicyStore::open(path, WALL), WALL), ["b"]);
    }

    #[test]
    fn the_same_said_again_replaces_what_was_said() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = PolicyStore::open(folder.path().join("policy.json"), WALL);
        store.add(rule("first", Some(WALL + 10_000)), WALL).unwrap();
        store.add(rule("second", Some(WALL + 99_000)), WALL).unwrap();
        assert_eq!(ids(&store, WALL), ["second"]);
    }

    #[test]
    fn an_answer_replaces_the_rule_from_before_rules_named_a_browser_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("policy.json");
        let text = r#"{"version":1,"seen":0,"rules":[{"id":"old","effect":"allow","scope":"act","madeAt":1}]}"#;
        std::fs::write(&path, text).unwrap();
        let mut store = PolicyStore::open(path, WALL);
        assert_eq!(ids(&store, WALL), ["old"]);
        let of = |id, browser| PolicyRule { browser: Some(browser), site: None, ..rule(id, None) };
        store.add(of("own", PolicyBrowser::Own), WALL).unwrap();
        store.add(of("everyday", PolicyBrowser::Everyday), WALL).unwrap();
        assert_eq!(ids(&store, WALL), ["everyday", "own"]);
    }

    #[test]
    fn what_is_garbage_or_newer_or_a_folder_allows_nothing_and_is_left_as_it_is() {
        let newer = format!(r#"{{"version":2,"seen":{WALL},"rules":[]}}"#);
        for text in ["", "{", "[]", "null", r#"{"version":1}"#, &newer, r#"{"version":1,"seen":1,"rules":[],"x":1}"#] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("policy.json");
            std::fs::write(&path, text).unwrap();
            let mut store = PolicyStore::open(path.clone(), WALL);
            assert!(store.rules().is_none(), "{text}");
            assert!(store.fault().unwrap().hint.is_some());
            assert_eq!(store.add(rule("a", None), WALL).unwrap_err().code, FaultCode::Storage, "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        let folder = tempfile::tempdir().unwrap();
        assert!(PolicyStore::open(folder.path().to_owned(), WALL).rules().is_none());
    }

    #[test]
    fn what_could_not_be_written_is_not_in_force() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = PolicyStore::open(folder.path().join("gone/policy.json"), WALL);
        assert_eq!(store.add(rule("a", None), WALL).unwrap_err().code, FaultCode::Storage);
        assert!(ids(&store, WALL).is_empty());
    }

    #[test]
    fn a_rule_ends_by_the_wall_clock_and_setting_it_back_makes_none_longer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("policy.json");
        let mut store = PolicyStore::open(path.clone(), WALL);
        let until = WALL + 3_600_000;
        store.add(rule("away", Some(until)), WALL).unwrap();
        assert_eq!(ids(&store, until - 1), ["away"]);
        assert!(ids(&store, until).is_empty());
        // Set back at run time: the elapsed time still counts.
        let clock = Clock { wall: WALL, at: Instant::now() };
        let later = clock.at + Duration::from_secs(3600);
        assert_eq!(clock.now(0, later), until);
        assert_eq!(clock.now(until + 5, clock.at), until + 5);
        // Set back across a restart: not before the rule was made.
        let restarted = PolicyStore::open(path, 5);
        assert!(restarted.now(5) >= WALL);
    }
}
