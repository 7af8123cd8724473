//! Measures the search over journals against SQLite's FTS5, which the program already contains. Run by hand:
//! `benches/run.sh` calls `cargo test -p gstack-chat --release --lib search_cost -- --ignored --nocapture`.
//!
//! Prints medians in milliseconds and sizes in bytes; asserts only that both find the same conversations.

#![allow(clippy::print_stderr, reason = "the table is what it is run for")]

use super::search::{Budget, find};
use crate::journal::line::encode;
use crate::journal::{Delta, JOURNAL_FILE};
use gstack_protocol::chat::{ChatBody, ChatEvent, MessageSource};
use gstack_protocol::ids::{ClientMessageId, TurnId};
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A year of a busy person's conversations.
const CONVERSATIONS: usize = 300;
const TURNS: usize = 20;
/// Words in one answer of the agent: about 2 kB.
const WORDS: usize = 300;
/// Pieces in which an answer arrives.
const PIECES: usize = 20;
/// Bytes of reasoning in a turn, which is not searched.
const THINKING: usize = 8_000;
const RUNS: usize = 11;

/// A word of a vocabulary of 5,000, chosen by a fixed sequence so that each run measures the same text.
struct Words(u64);

impl Words {
    fn next(&mut self) -> String {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("word{}", (self.0 >> 33) % 5_000)
    }

    fn text(&mut self, count: usize) -> String {
        (0..count).map(|_| self.next()).collect::<Vec<_>>().join(" ")
    }
}

/// Writes one conversation's journal; returns the texts that a search reads. `mark`: a word only this conversation has.
fn write_journal(folder: &Path, words: &mut Words, mark: &str) -> Vec<String> {
    let mut journal = Vec::new();
    let mut texts = Vec::new();
    let mut seq = 0;
    for turn in 0..TURNS {
        let turn_id = TurnId::random();
        let mut event = |seq: &mut u64, body| {
            *seq += 1;
            journal.extend(encode(&ChatEvent { seq: *seq, at: 1, body }));
        };
        let asked = if turn == TURNS / 2 { format!("{} {mark}", words.text(20)) } else { words.text(20) };
        let message = ChatBody::Message {
            client_id: ClientMessageId::random(),
            text: asked.clone(),
            page: None,
            attachments: Vec::new(),
            from: MessageSource::Panel,
            model: None,
        };
        event(&mut seq, message);
        event(&mut seq, ChatBody::Thinking { turn_id: turn_id.clone(), text: "t".repeat(THINKING) });
        event(&mut seq, ChatBody::Text { turn_id, text: String::new() });
        let mut answer = String::new();
        for _ in 0..PIECES {
            let piece = format!("{} ", words.text(WORDS / PIECES));
            journal.extend(encode(&Delta { delta: seq, offset: answer.len() as u64, text: piece.clone() }));
            answer.push_str(&piece);
        }
        texts.extend([asked, answer]);
    }
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join(JOURNAL_FILE), journal).unwrap();
    texts
}

/// An index of all texts. `tokenizer`: `trigram` finds parts of words as the scan does, `unicode61` whole words only.
fn index(path: &Path, tokenizer: &str, conversations: &[Vec<String>]) -> (Connection, Duration) {
    let begun = Instant::now();
    let mut database = Connection::open(path).unwrap();
    let table = format!("CREATE VIRTUAL TABLE said USING fts5(conversation UNINDEXED, text, tokenize = '{tokenizer}')");
    database.execute_batch(&table).unwrap();
    let all = database.transaction().unwrap();
    for (number, texts) in conversations.iter().enumerate() {
        for text in texts {
            all.execute("INSERT INTO said VALUES (?1, ?2)", (number as i64, text)).unwrap();
        }
    }
    all.commit().unwrap();
    (database, begun.elapsed())
}

fn median<T>(mut act: impl FnMut() -> T) -> (f64, T) {
    let mut result = None;
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let begun = Instant::now();
            result = Some(act());
            begun.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[RUNS / 2], result.unwrap())
}

fn scan(folders: &[PathBuf], wanted: &str) -> BTreeSet<usize> {
    let mut budget = Budget { bytes: u64::MAX, until: Instant::now() + Duration::from_secs(3600) };
    let found = folders.iter().map(|folder| find(folder, wanted, &mut budget).unwrap());
    found.enumerate().filter(|(_, excerpt)| excerpt.is_some()).map(|(number, _)| number).collect()
}

fn query(database: &Connection, wanted: &str) -> BTreeSet<usize> {
    let sql = "SELECT conversation, snippet(said, 1, '', '', '…', 20) FROM said WHERE said MATCH ?1";
    let mut statement = database.prepare(sql).unwrap();
    let rows = statement.query_map([format!("\"{wanted}\"")], |row| row.get::<_, i64>(0)).unwrap();
    rows.map(|row| usize::try_from(row.unwrap()).unwrap()).collect()
}

#[test]
#[ignore = "a measurement, run by benches/run.sh"]
fn what_a_search_costs_by_scan_and_by_index() {
    let folder = tempfile::tempdir().unwrap();
    let mut words = Words(1);
    let folders: Vec<PathBuf> = (0..CONVERSATIONS).map(|number| folder.path().join(number.to_string())).collect();
    let conversations: Vec<Vec<String>> = folders
        .iter()
        .enumerate()
        .map(|(number, folder)| write_journal(folder, &mut words, &format!("lighthouse{number:04}")))
        .collect();
    let journals: u64 = folders.iter().map(|folder| folder.join(JOURNAL_FILE).metadata().unwrap().len()).sum();
    let (trigram, trigram_built) = index(&folder.path().join("trigram.db"), "trigram", &conversations);
    let (whole, whole_built) = index(&folder.path().join("whole.db"), "unicode61", &conversations);
    let size = |name: &str| folder.path().join(name).metadata().unwrap().len();

    eprintln!("| what | scan of journals | FTS5 trigram | FTS5 whole words |\n|---|---:|---:|---:|");
    eprintln!("| bytes beside the journals' {journals} | 0 | {} | {} |", size("trigram.db"), size("whole.db"));
    eprintln!(
        "| build the index, ms | 0 | {:.0} | {:.0} |",
        trigram_built.as_secs_f64() * 1e3,
        whole_built.as_secs_f64() * 1e3
    );
    for (what, wanted) in [
        ("a word in one conversation, ms", "lighthouse0150"),
        ("a word in every conversation, ms", "word77"),
        ("a word in none, ms", "nowhere"),
    ] {
        let (scan_time, scanned) = median(|| scan(&folders, wanted));
        let (trigram_time, by_trigram) = median(|| query(&trigram, wanted));
        let (whole_time, _) = median(|| query(&whole, wanted));
        assert_eq!(scanned, by_trigram, "{wanted}");
        eprintln!("| {what} | {scan_time:.1} | {trigram_time:.1} | {whole_time:.1} |");
    }
}
