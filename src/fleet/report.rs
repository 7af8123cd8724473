//! The report of a run: `report.json`, the summary on the terminal, and what the exit code goes by.
//!
//! Owns the shape of the report. `html` draws the same for people.

use super::journal::{Finished, LostSession, Outcome};
use super::pool::PoolEnd;
use gstack_base::clock::{iso, now_millis};
use gstack_base::visible::visible_line;
use serde::Serialize;
use std::fmt::Write;

/// The rows of the summary on the terminal; the files have all.
const MOST_ROWS: usize = 20;
const SHOWN_REASON: usize = 100;

/// `report.json`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    version: u32,
    pub(crate) run: String,
    pub(crate) flow: String,
    started_at: String,
    ended_at: String,
    /// Stopped by a signal.
    pub(crate) interrupted: bool,
    /// How many browsers were asked for.
    pub(crate) browsers: usize,
    /// How many sessions this process opened.
    pub(crate) sessions: usize,
    pub(crate) totals: Totals,
    /// Why the rest was not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<String>,
    /// Sessions that could not be ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) left: Vec<String>,
    /// Every session that was lost, and the item that it ran.
    lost: Vec<LostItem>,
    pub(crate) items: Vec<Finished>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Totals {
    pub(crate) items: usize,
    pub(crate) ok: usize,
    pub(crate) failed: usize,
    pub(crate) timed_out: usize,
    pub(crate) lost: usize,
    pub(crate) unknown: usize,
    pub(crate) not_run: usize,
}

#[derive(Debug, Serialize)]
struct LostItem {
    index: usize,
    #[serde(flatten)]
    session: LostSession,
}

/// The options and the time at which the run was started.
pub(crate) struct Run {
    pub(crate) id: String,
    pub(crate) flow: String,
    pub(crate) started: u64,
    pub(crate) browsers: usize,
    pub(crate) items: usize,
    pub(crate) interrupted: bool,
}

impl Report {
    pub(crate) fn of(run: Run, end: PoolEnd) -> Self {
        let items: Vec<Finished> = end.finished.into_values().collect();
        let count = |outcome| items.iter().filter(|one| one.outcome == outcome).count();
        let totals = Totals {
            items: run.items,
            ok: count(Outcome::Ok),
            failed: count(Outcome::Failed),
            timed_out: count(Outcome::TimedOut),
            lost: count(Outcome::Lost),
            unknown: count(Outcome::Unknown),
            not_run: run.items.saturating_sub(items.len()),
        };
        let lost = items
            .iter()
            .flat_map(|one| one.lost.iter().map(|session| LostItem { index: one.index, session: session.clone() }));
        Self {
            version: 1,
            run: run.id,
            flow: run.flow,
            started_at: iso(run.started),
            ended_at: iso(now_millis()),
            interrupted: run.interrupted,
            browsers: run.browsers,
            sessions: end.sessions,
            totals,
            failure: end.failure.map(|fault| fault.message),
            left: end.left,
            lost: lost.collect(),
            items,
        }
    }

    /// Whether every item succeeded.
    pub(crate) fn is_well(&self) -> bool {
        self.totals.ok == self.totals.items
    }

    /// Returns the summary for a terminal. Nothing in it can act on the terminal.
    pub(crate) fn summary(&self) -> String {
        let Totals { items, ok, failed, timed_out, lost, unknown, not_run } = self.totals;
        let mut text = format!("{ok} of {items} items ok");
        let bad =
            [(failed, "failed"), (timed_out, "timed out"), (lost, "lost"), (unknown, "unknown"), (not_run, "not run")];
        for (count, word) in bad {
            if count > 0 {
                write!(text, ", {count} {word}").ok();
            }
        }
        text.push('\n');
        let bad: Vec<&Finished> = self.items.iter().filter(|one| one.outcome != Outcome::Ok).collect();
        for one in bad.iter().take(MOST_ROWS) {
            let reason: String =
                visible_line(one.reason.as_deref().unwrap_or_default()).chars().take(SHOWN_REASON).collect();
            writeln!(text, "  item {:<6} {:<9}  {reason}", one.index + 1, one.outcome.word()).ok();
        }
        if bad.len() > MOST_ROWS {
            writeln!(text, "  and {} more; see the report", bad.len() - MOST_ROWS).ok();
        }
        for lost in self.lost.iter().take(MOST_ROWS) {
            let LostSession { session, node, reason } = &lost.session;
            let node = node.as_deref().map(|node| format!(" on {}", visible_line(node))).unwrap_or_default();
            writeln!(text, "  lost session {session}{node} in item {}: {}", lost.index + 1, visible_line(reason)).ok();
        }
        for why in self.failure.iter().chain(&self.left) {
            writeln!(text, "  {}", visible_line(why)).ok();
        }
        text
    }
}

#[cfg(test)]
pub(crate) fn sample(items: Vec<Finished>) -> Report {
    let finished = items.into_iter().map(|one| (one.index, one)).collect();
    let run =
        Run { id: "1".to_owned(), flow: "f.mjs".to_owned(), started: 0, browsers: 2, items: 4, interrupted: false };
    Report::of(run, PoolEnd { finished, sessions: 2, failure: None, left: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::super::journal;
    use super::*;

    #[test]
    fn totals_and_lost_sessions_are_named() {
        let mut lost = journal::sample(2, Outcome::Lost);
        let session = |node: &str| LostSession {
            session: "run-1-1".to_owned(),
            node: Some(node.to_owned()),
            reason: "its browser ended".to_owned(),
        };
        lost.lost = vec![session("http://n1:5555\u{1b}[2J")];
        let report = sample(vec![journal::sample(0, Outcome::Ok), lost]);
        assert_eq!(report.totals, Totals { items: 4, ok: 1, lost: 1, not_run: 2, ..Totals::default() });
        let text = report.summary();
        assert!(text.contains("1 of 4 items ok, 1 lost, 2 not run") && !report.is_well());
        assert!(
            text.contains("lost session run-1-1 on http://n1:5555\\u{1b}[2J in item 3: its browser ended"),
            "{text}"
        );
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["lost"][0]["index"], 2);
        assert_eq!(json["items"][1]["outcome"], "lost");
    }
}
