//! Coverage: the used parts of a page's scripts and style sheets.
//!
//! Owns the recording and the counting, for the page and its same-site frames. Scripts without an address, including
//! our own, are left out. Never decides what to show.

use crate::page::error::PageError;
use crate::page::page::{Page, lock};
use crate::page::script::{call, tell};
use crate::targets::FrameNavigated;
use serde::Deserialize;
use serde_json::json;
use std::collections::HashMap;

const ADDED: &str = "CSS.styleSheetAdded";
const NAVIGATED: &str = "Page.frameNavigated";

/// The use of one script or style sheet, in characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeUse {
    pub url: String,
    pub used: u64,
    pub total: u64,
}

#[derive(Deserialize)]
struct Scripts {
    result: Vec<Script>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Script {
    url: String,
    functions: Vec<Function>,
}

#[derive(Deserialize)]
struct Function {
    ranges: Vec<Range>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Range {
    start_offset: u64,
    end_offset: u64,
    #[serde(default)]
    count: u64,
}

#[derive(Deserialize)]
struct SheetAdded {
    header: Sheet,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sheet {
    style_sheet_id: String,
    #[serde(default, rename = "sourceURL")]
    source_url: String,
    #[serde(default)]
    length: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rules {
    rule_usage: Vec<RuleUse>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RuleUse {
    style_sheet_id: String,
    start_offset: f64,
    end_offset: f64,
    used: bool,
}

impl Page {
    /// Records the executed parts of scripts from now on. Returns false if a recording is in progress.
    pub async fn start_script_coverage(&self) -> Result<bool, PageError> {
        if lock(&self.memory.measured.scripts).is_some() {
            return Ok(false);
        }
        tell(self.session(), "Profiler.enable", &json!({})).await?;
        let params = json!({ "callCount": false, "detailed": true });
        tell(self.session(), "Profiler.startPreciseCoverage", &params).await?;
        *lock(&self.memory.measured.scripts) = Some(self.keep_attached()?);
        Ok(true)
    }

    /// Stops the recording. Returns `None` if none was in progress.
    pub async fn stop_script_coverage(&self) -> Result<Option<Vec<CodeUse>>, PageError> {
        let Some(_kept) = lock(&self.memory.measured.scripts).take() else { return Ok(None) };
        let Scripts { result } = call(self.session(), "Profiler.takePreciseCoverage", &json!({})).await?;
        tell(self.session(), "Profiler.stopPreciseCoverage", &json!({})).await?;
        tell(self.session(), "Profiler.disable", &json!({})).await?;
        let used = result.into_iter().filter(|script| !script.url.is_empty()).map(|script| {
            let ranges: Vec<Range> = script.functions.into_iter().flat_map(|function| function.ranges).collect();
            let total = ranges.iter().map(|range| range.end_offset).max().unwrap_or_default();
            CodeUse { url: script.url, used: length_used(ranges), total }
        });
        Ok(Some(added_up(used)))
    }

    /// Records the applied style rules from now on. Returns false if a recording is in progress.
    pub async fn start_style_coverage(&self) -> Result<bool, PageError> {
        if self.tracks_styles() {
            return Ok(false);
        }
        // The browser reports existing style sheets before this reply.
        let events = self.session().subscribe(&[ADDED, NAVIGATED]);
        tell(self.session(), "DOM.enable", &json!({})).await?;
        tell(self.session(), "CSS.enable", &json!({})).await?;
        tell(self.session(), "CSS.startRuleUsageTracking", &json!({})).await?;
        *lock(&self.memory.measured.styles) = Some((events, self.keep_attached()?));
        Ok(true)
    }

    /// Returns true while applied style rules are recorded: the `CSS` domain must then stay enabled.
    pub(in crate::page) fn tracks_styles(&self) -> bool {
        lock(&self.memory.measured.styles).is_some()
    }

    /// Stops the recording and returns the result for the present document; `None` if none was in progress.
    pub async fn stop_style_coverage(&self) -> Result<Option<Vec<CodeUse>>, PageError> {
        let Some((mut events, _kept)) = lock(&self.memory.measured.styles).take() else { return Ok(None) };
        let Rules { rule_usage } = call(self.session(), "CSS.stopRuleUsageTracking", &json!({})).await?;
        tell(self.session(), "CSS.disable", &json!({})).await?;
        tell(self.session(), "DOM.disable", &json!({})).await?;
        let mut sheets: HashMap<String, Sheet> = HashMap::new();
        while let Some(event) = events.try_next() {
            if event.method() == ADDED {
                let Some(SheetAdded { header }) = event.read() else { continue };
                sheets.insert(header.style_sheet_id.clone(), header);
            } else if event.read::<FrameNavigated>().is_some_and(|navigated| navigated.is_of_page()) {
                sheets.clear();
            }
        }
        if events.missed() > 0 {
            return Err(PageError::Unreadable("the page had too many style sheets".to_owned()));
        }
        let mut ranges: HashMap<String, Vec<Range>> = HashMap::new();
        for rule in rule_usage.into_iter().filter(|rule| rule.used) {
            // Offsets in a text, far below 2^53.
            let (start_offset, end_offset) = (rule.start_offset.max(0.0) as u64, rule.end_offset.max(0.0) as u64);
            ranges.entry(rule.style_sheet_id).or_default().push(Range { start_offset, end_offset, count: 1 });
        }
        let used = sheets.into_values().filter(|sheet| !sheet.source_url.is_empty()).map(|sheet| CodeUse {
            used: ranges.remove(&sheet.style_sheet_id).map(length_used).unwrap_or_default(),
            total: sheet.length.max(0.0) as u64,
            url: sheet.source_url,
        });
        Ok(Some(added_up(used)))
    }
}

/// Returns the used length of a text. In nested ranges, the innermost decides.
fn length_used(ranges: Vec<Range>) -> u64 {
    // The start and end of each range. At the same offset, ends come before starts; the innermost end and the outermost
    // start come first.
    let mut edges: Vec<(u64, bool, i128, Range)> = Vec::with_capacity(ranges.len() * 2);
    for range in ranges.into_iter().filter(|range| range.start_offset < range.end_offset) {
        let length = i128::from(range.end_offset - range.start_offset);
        edges.push((range.start_offset, true, -length, range));
        edges.push((range.end_offset, false, length, range));
    }
    edges.sort_by_key(|(at, begins, length, _)| (*at, *begins, *length));
    let (mut used, mut last, mut open) = (0, 0, Vec::new());
    for (at, begins, _, range) in edges {
        if open.last().is_some_and(|count| *count > 0) {
            used += at - last;
        }
        last = at;
        if begins {
            open.push(range.count);
        } else {
            open.pop();
        }
    }
    used
}

/// Adds up the entries of each address: inline code counts for its document.
fn added_up(all: impl Iterator<Item = CodeUse>) -> Vec<CodeUse> {
    let mut by_url: HashMap<String, CodeUse> = HashMap::new();
    for CodeUse { url, used, total } in all {
        let sum = by_url.entry(url.clone()).or_insert_with(|| CodeUse { url, ..CodeUse::default() });
        sum.used += used;
        sum.total += total;
    }
    let mut sums: Vec<CodeUse> = by_url.into_values().collect();
    sums.sort_by(|one, other| (other.total - other.used, &one.url).cmp(&(one.total - one.used, &other.url)));
    sums
}

#[cfg(test)]
mod tests {
    use super::{CodeUse, Range, added_up, length_used};

    fn ranges(all: &[(u64, u64, u64)]) -> Vec<Range> {
        all.iter().map(|&(start_offset, end_offset, count)| Range { start_offset, end_offset, count }).collect()
    }

    #[test]
    fn the_innermost_range_says_what_is_used() {
        assert_eq!(length_used(ranges(&[(0, 100, 1), (20, 50, 0), (30, 40, 2)])), 80);
        assert_eq!(length_used(ranges(&[(0, 100, 0), (0, 10, 1), (10, 20, 0), (90, 100, 1)])), 20);
        assert_eq!(length_used(ranges(&[(0, 10, 1), (0, 10, 0)])), 0, "a function that never ran");
        assert_eq!(length_used(ranges(&[(5, 5, 1)])), 0);
    }

    #[test]
    fn what_wastes_most_comes_first_and_a_document_is_one_line() {
        let part = |url: &str, used, total| CodeUse { url: url.to_owned(), used, total };
        let sums = added_up([part("a", 1, 10), part("b", 0, 5), part("b", 5, 20), part("c", 7, 7)].into_iter());
        assert_eq!(sums, [part("b", 5, 25), part("a", 1, 10), part("c", 7, 7)]);
    }
}
