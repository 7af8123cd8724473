//! The hash chain of the audit: each line carries its number and the SHA-256 of the previous line.
//!
//! Owns the format of a line, the head (the end of the chain) and the proof that nothing in between was changed,
//! removed or inserted. Touches no file. There is no key: a process that can write the lines and the head can rewrite
//! both.

use gstack_base::filled_secrets;
use gstack_base::hex::sha256;
use gstack_protocol::audit::{AuditEntry, AuditProof};
use gstack_protocol::chat::Millis;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The hash before the first line.
const NOTHING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// A line as it is written. Lines without `number` and `previous` are older than the chain.
#[derive(Serialize)]
struct Line<'a> {
    number: u64,
    previous: &'a str,
    #[serde(flatten)]
    entry: &'a AuditEntry,
}

/// The fields that link a line to the previous one.
#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Link {
    number: u64,
    previous: String,
}

/// The end of the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    /// The number of the last line; 0 before the first.
    pub(super) number: u64,
    /// The SHA-256 of the last line.
    pub(super) hash: String,
    /// The SHA-256 of the line being written: after a crash the chain may end at that line or at the one before.
    pub(super) pending: Option<String>,
    /// The first number that is kept. Earlier lines were in a file that has been replaced.
    pub(super) oldest: u64,
    /// The first number of the current file.
    pub(super) file: u64,
    /// When the head was created, and at which number. Lines removed from the end before that cannot be detected.
    pub(super) since: Millis,
    pub(super) since_number: u64,
}

impl Head {
    /// Creates the head of existing lines, or of none.
    pub(super) fn begun(files: &[&str], now: Millis) -> Self {
        let numbers = |text: &str| text.lines().filter_map(link).map(|link| link.number).collect::<Vec<_>>();
        let last = files.iter().flat_map(|text| text.lines()).rfind(|line| !line.trim().is_empty());
        let number = last.and_then(link).map_or(0, |link| link.number);
        Self {
            number,
            hash: last.map_or_else(|| NOTHING.to_owned(), sha256),
            pending: None,
            oldest: files.iter().find_map(|text| numbers(text).first().copied()).unwrap_or(1),
            file: files.last().and_then(|text| numbers(text).first().copied()).unwrap_or(number + 1),
            since: now,
            since_number: number,
        }
    }

    /// Returns the next line without its line break.
    pub(super) fn next_line(&self, entry: &AuditEntry) -> serde_json::Result<String> {
        let line = serde_json::to_string(&Line { number: self.number + 1, previous: &self.hash, entry })?;
        Ok(filled_secrets::without_in_json(&line).into_owned())
    }

    /// Returns the end of the chain after that line.
    pub(super) fn after(&self, line: &str) -> Self {
        Self { number: self.number + 1, hash: sha256(line), pending: None, ..self.clone() }
    }

    /// Resolves a write that a crash interrupted: the pending line is either the last line or missing.
    pub(super) fn settled(mut self, last_line: Option<&str>) -> Self {
        let pending = self.pending.take();
        match last_line {
            Some(line) if pending.is_some() && pending == Some(sha256(line)) => self.after(line),
            _ => self,
        }
    }
}

/// The lines of one file, oldest first.
pub(super) struct Lines<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
}

struct Read<'a> {
    place: String,
    link: Link,
    hash: String,
    line: &'a str,
}

/// Verifies the chain from the oldest line to the head. `known` is a hash that someone recorded earlier and that must
/// be in the chain.
pub(super) fn prove(files: &[Lines<'_>], head: &Head, known: Option<&str>) -> AuditProof {
    let mut proof = AuditProof {
        sound: false,
        lines: 0,
        first: 0,
        last: 0,
        before_chaining: 0,
        torn: 0,
        head: head.hash.clone(),
        since: head.since,
        since_number: head.since_number,
        trouble: None,
    };
    let mut chain: Vec<Read<'_>> = Vec::new();
    let mut before = NOTHING.to_owned();
    for Lines { file, text } in files {
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let place = format!("{file} line {}", at + 1);
            match link(line) {
                Some(link) => chain.push(Read { place, link, hash: sha256(line), line }),
                None if serde_json::from_str::<AuditEntry>(line).is_err() => proof.torn += 1,
                None if chain.is_empty() => {
                    proof.before_chaining += 1;
                    before = sha256(line);
                }
                None => return AuditProof { trouble: Some(format!("{place} was inserted")), ..proof },
            }
        }
    }
    proof.lines = chain.len() as u64;
    proof.first = chain.first().map_or(0, |read| read.link.number);
    proof.last = chain.last().map_or(0, |read| read.link.number);
    proof.trouble = broken(&chain, &before, head).or_else(|| {
        let known = known?;
        let is_there = known == before || chain.iter().any(|read| read.hash == known);
        (!is_there).then(|| {
            format!(
                "no line has the hash {known}: the line was changed or removed, or its file has been replaced since"
            )
        })
    });
    proof.sound = proof.trouble.is_none();
    proof
}

/// Describes the first place where the chain is broken.
fn broken(chain: &[Read<'_>], before: &str, head: &Head) -> Option<String> {
    if let Some(first) = chain.first() {
        if first.link.number > head.oldest {
            return Some(missing(head.oldest, first.link.number - 1, &format!("before {}", first.place)));
        }
        let begins = first.link.number == 1 || before != NOTHING;
        if begins && first.link.previous != before {
            return Some(format!(
                "{} does not follow what is before it: that was changed, or this line was",
                first.place
            ));
        }
    }
    for (at, pair) in chain.windows(2).enumerate() {
        let [one, next] = pair else { continue };
        let number = next.link.number;
        if number <= one.link.number {
            return Some(format!("{} was inserted: its number {number} was there already", next.place));
        }
        if number > one.link.number + 1 {
            return Some(missing(one.link.number + 1, number - 1, &format!("before {}", next.place)));
        }
        if next.link.previous != one.hash {
            // If the next line still matches the second of the two, the first was changed.
            let fits = match chain.get(at + 2) {
                Some(third) => third.link.previous == next.hash,
                None => head.hash == next.hash,
            };
            return Some(changed(if fits { one } else { next }));
        }
    }
    let last = chain.last();
    let number = last.map_or(0, |read| read.link.number);
    if number < head.number {
        return Some(missing(number + 1, head.number, "from the end"));
    }
    let last = last?;
    if number == head.number {
        return (last.hash != head.hash).then(|| changed(last));
    }
    // A crash between writing a line and its head.
    let is_pending = number == head.number + 1 && head.pending.as_deref() == Some(&last.hash);
    (!is_pending).then(|| {
        let more = chain.iter().find(|read| read.link.number > head.number).unwrap_or(last);
        format!("{} was inserted: gstack has not written it", more.place)
    })
}

fn changed(read: &Read<'_>) -> String {
    let mut text = format!("{} was changed", read.place);
    if let Ok(entry) = serde_json::from_str::<AuditEntry>(read.line) {
        // The time helps to find the line in a backup.
        write!(text, " (number {}, of {} ms)", read.link.number, entry.at).ok();
    }
    text
}

fn missing(from: u64, to: u64, place: &str) -> String {
    if from == to {
        format!("number {from} was removed {place}")
    } else {
        format!("numbers {from} to {to} were removed {place}")
    }
}

fn link(line: &str) -> Option<Link> {
    serde_json::from_str(line).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::audit::AuditBy;
    use proptest::prelude::*;

    fn entry(at: u64) -> AuditEntry {
        serde_json::from_value(serde_json::json!({
            "at": at, "action": format!("click @e{at}"), "scope": "act", "allowed": true, "by": AuditBy::Panel
        }))
        .unwrap()
    }

    fn written(before: &str, count: u64) -> (Vec<String>, Head) {
        let mut head = Head::begun(&[before], 7);
        let mut lines: Vec<String> = before.lines().map(str::to_owned).collect();
        for at in 1..=count {
            let line = head.next_line(&entry(at)).unwrap();
            head = head.after(&line);
            lines.push(line);
        }
        (lines, head)
    }

    fn check(lines: &[String], head: &Head) -> AuditProof {
        prove(&[Lines { file: "audit.jsonl", text: &lines.join("\n") }], head, None)
    }

    fn trouble(lines: &[String], head: &Head) -> String {
        check(lines, head).trouble.unwrap_or_default()
    }

    #[test]
    fn an_untouched_chain_is_sound_with_what_was_there_before_it() {
        let old = serde_json::to_string(&entry(9)).unwrap();
        for before in [String::new(), format!("{old}\n{old}")] {
            let (lines, head) = written(&before, 5);
            let proof = check(&lines, &head);
            assert_eq!(proof.trouble, None);
            assert!(proof.sound && (proof.lines, proof.first, proof.last) == (5, 1, 5));
            assert_eq!(proof.before_chaining, if before.is_empty() { 0 } else { 2 });
            assert_eq!(Head::begun(&[&lines.join("\n")], 7).hash, head.hash, "a lost head is made from the lines");
        }
        assert!(check(&[], &Head::begun(&[], 7)).sound);
    }

    #[test]
    fn the_first_line_that_was_changed_removed_or_inserted_is_named() {
        let (lines, head) = written("", 6);
        let with = |change: &dyn Fn(&mut Vec<String>)| {
            let mut lines = lines.clone();
            change(&mut lines);
            trouble(&lines, &head)
        };
        let forged = |line: &str| line.replace("click", "clack");
        assert!(with(&|all| all[2] = forged(&all[2])).starts_with("audit.jsonl line 3 was changed"));
        assert!(with(&|all| all[0] = forged(&all[0])).starts_with("audit.jsonl line 1 was changed"));
        assert!(with(&|all| all[5] = forged(&all[5])).starts_with("audit.jsonl line 6 was changed"));
        assert!(
            with(&|all| all[3] = all[3].replace("previous\":\"", "previous\":\"f"))
                .starts_with("audit.jsonl line 4 was")
        );
        assert_eq!(with(&|all| drop(all.remove(2))), "number 3 was removed before audit.jsonl line 3");
        assert_eq!(with(&|all| drop(all.drain(1..4))), "numbers 2 to 4 were removed before audit.jsonl line 2");
        assert_eq!(with(&|all| drop(all.remove(0))), "number 1 was removed before audit.jsonl line 1");
        assert_eq!(with(&|all| drop(all.pop())), "number 6 was removed from the end");
        assert_eq!(with(&Vec::clear), "numbers 1 to 6 were removed from the end");
        assert!(with(&|all| all.insert(3, all[1].clone())).starts_with("audit.jsonl line 4 was inserted"));
        assert!(with(&|all| all.swap(2, 3)).contains("number 3 was removed"));
        let plain = serde_json::to_string(&entry(3)).unwrap();
        assert_eq!(with(&|all| all.insert(3, plain.clone())), "audit.jsonl line 4 was inserted");
        assert!(with(&|all| all.insert(0, plain.clone())).contains("does not follow"));
        assert_eq!(with(&|all| all[2] = "garbage".to_owned()), "number 3 was removed before audit.jsonl line 4");
    }

    #[test]
    fn lines_that_somebody_appended_or_a_rewritten_chain_do_not_match_the_head() {
        let (mut lines, head) = written("", 4);
        let forged = head.next_line(&entry(99)).unwrap();
        lines.push(forged);
        assert!(trouble(&lines, &head).contains("gstack has not written it"));
        let (mut other, _) = written("", 3);
        other.push(Head::begun(&[&other.join("\n")], 7).next_line(&entry(99)).unwrap());
        assert!(trouble(&other, &head).starts_with("audit.jsonl line 4 was changed"));
    }

    #[test]
    fn a_crash_between_a_line_and_its_head_leaves_a_sound_chain() {
        let (mut lines, head) = written("", 3);
        let line = head.next_line(&entry(4)).unwrap();
        let pending = Head { pending: Some(sha256(&line)), ..head.clone() };
        assert!(check(&lines, &pending).sound, "the line was never written");
        lines.push(line.clone());
        assert!(check(&lines, &pending).sound, "the line was written");
        assert_eq!(pending.clone().settled(Some(&line)), head.after(&line));
        assert_eq!(pending.settled(lines.get(2).map(String::as_str)), head);
        // A torn line only loses itself.
        lines.truncate(3);
        lines.push("{\"number\":4,\"prev".to_owned());
        lines.push(line.clone());
        let proof = check(&lines, &head.after(&line));
        assert!(proof.sound && proof.torn == 1);
    }

    #[test]
    fn an_older_file_that_was_replaced_is_no_hole_but_one_that_was_removed_is() {
        let (lines, head) = written("", 9);
        let head = Head { oldest: 4, file: 7, ..head };
        let (older, newer) = (lines[3..6].join("\n"), lines[6..].join("\n"));
        let files = [Lines { file: "audit.1.jsonl", text: &older }, Lines { file: "audit.jsonl", text: &newer }];
        assert_eq!(prove(&files, &head, None).trouble, None);
        let known = sha256(&lines[4]);
        assert!(prove(&files, &head, Some(&known)).sound);
        assert!(prove(&files, &head, Some(&sha256(&lines[0]))).trouble.unwrap().starts_with("no line has the hash"));
        let removed = prove(&files[1..], &head, None).trouble.unwrap();
        assert_eq!(removed, "numbers 4 to 6 were removed before audit.jsonl line 1");
    }

    proptest! {
        #[test]
        fn no_change_of_a_byte_goes_unnoticed(count in 1..8_u64, at in any::<prop::sample::Index>(), byte in 0x20..0x7f_u8) {
            let (lines, head) = written("", count);
            let mut text = lines.join("\n").into_bytes();
            let at = at.index(text.len());
            prop_assume!(text[at] != byte);
            text[at] = byte;
            let text = String::from_utf8(text).unwrap();
            let proof = prove(&[Lines { file: "audit.jsonl", text: &text }], &head, None);
            prop_assert!(!proof.sound);
        }
    }
}
