//! What made a traced page slow, in words: the phases of its largest paint, long tasks, requests that delay the first
//! paint, layout shifts.
//!
//! Owns the judgement. Never reads a trace: `trace_facts` does.

use super::trace_facts::{Facts, LONG, Load, Paint, Request, Shift, Span};
use gstack_base::counted::counted;
use serde_json::{Value, json};
use std::collections::HashMap;

/// The number of examples of each kind.
const MOST: usize = 5;
/// In milliseconds. Less forced layout is no finding.
const FORCED: f64 = 10.0;
/// In milliseconds. Layout shifts of one session window: <https://web.dev/articles/cls>.
const GAP: f64 = 1000.0;
const WINDOW: f64 = 5000.0;

/// The name of each element that a finding is about, by its number in the trace.
pub(super) type Elements = HashMap<i64, String>;

/// A phase of the largest paint.
#[derive(Clone, Debug, PartialEq)]
struct Phase {
    what: &'static str,
    ms: f64,
}

/// The findings of a trace.
#[derive(Debug, Default)]
pub(super) struct Insights {
    largest: Option<(f64, Paint, Option<String>, Vec<Phase>)>,
    first_paint: Option<f64>,
    blocking: Vec<Request>,
    /// The time for which long tasks blocked the page, how many there were, and the longest, each with what it did.
    blocked: f64,
    tasks: usize,
    longest: Vec<(Span, Option<Span>)>,
    forced: (f64, Option<Span>),
    score: f64,
    shifts: Vec<Shift>,
    has_load: bool,
    origin: f64,
}

impl Insights {
    pub(super) fn of(facts: &Facts) -> Self {
        let load = facts.load();
        let since = load.map_or(f64::MIN, |load| load.at);
        let mut found = Self { has_load: load.is_some(), origin: load.map_or(0.0, |load| load.at), ..Self::default() };
        if let Some(load) = load {
            found.paints(facts, load);
        }
        found.work(facts, load, since);
        let is_here = |shift: &&Shift| shift.at >= since && load.is_none_or(|load| load.pid == shift.pid);
        let mut shifts: Vec<Shift> = facts.shifts.iter().filter(is_here).cloned().collect();
        found.score = largest_window(&mut shifts);
        shifts.sort_by(|one, other| other.score.total_cmp(&one.score));
        shifts.truncate(MOST);
        found.shifts = shifts;
        found
    }

    fn paints(&mut self, facts: &Facts, load: &Load) {
        let newest = |paints: &[Paint]| {
            paints.iter().filter(|paint| paint.of == load.id).max_by(|one, other| one.at.total_cmp(&other.at)).cloned()
        };
        self.first_paint = newest(&facts.first_paints).map(|paint| paint.at);
        let document = facts.requests.get(&load.id);
        if let Some(paint) = newest(&facts.largest_paints) {
            let url = paint.node.and_then(|node| facts.images.get(&node)).filter(|_| paint.is_image).cloned();
            let image =
                facts.requests.values().find(|request| Some(&request.url) == url.as_ref() && request.sent >= load.at);
            let phases = phases(load, &paint, document, image);
            self.largest = Some((paint.at - load.at, paint, url, phases));
        }
        let until = self.first_paint.unwrap_or(f64::MAX);
        self.blocking = facts
            .requests
            .values()
            .filter(|request| request.blocks && request.sent >= load.at && request.sent < until)
            .cloned()
            .collect();
        self.blocking.sort_by(|one, other| took(other).total_cmp(&took(one)));
    }

    fn work(&mut self, facts: &Facts, load: Option<&Load>, since: f64) {
        let is_here = |span: &&Span| {
            span.at >= since
                && facts.main_threads.contains(&span.thread)
                && load.is_none_or(|load| load.pid == span.thread.0)
        };
        let mut tasks: Vec<&Span> = facts.tasks.iter().filter(is_here).collect();
        tasks.sort_by(|one, other| other.took.total_cmp(&one.took));
        self.tasks = tasks.len();
        self.blocked = tasks.iter().map(|task| task.took - LONG).sum();
        let cause = |task: &Span| {
            let within = |one: &&Span| {
                one.thread == task.thread && one.at >= task.at && one.at + one.took <= task.at + task.took + 1.0
            };
            // The innermost of what took most of the task.
            let telling = facts.work.iter().filter(within).filter(|one| one.took > task.took / 2.0);
            telling.min_by(|one, other| one.took.total_cmp(&other.took)).cloned()
        };
        self.longest = tasks.iter().take(MOST).map(|task| ((*task).clone(), cause(task))).collect();
        let forced = facts.work.iter().filter(|one| one.is_forced).filter(is_here);
        let all: f64 = forced.clone().map(|one| one.took).sum();
        self.forced = (all, forced.max_by(|one, other| one.took.total_cmp(&other.took)).cloned());
    }

    /// Returns the elements that the findings are about.
    pub(super) fn nodes(&self) -> Vec<i64> {
        let largest = self.largest.iter().filter_map(|(_, paint, ..)| paint.node);
        largest.chain(self.shifts.iter().filter_map(|shift| shift.nodes.first().copied())).collect()
    }

    /// Returns the findings as text.
    pub(super) fn words(&self, elements: &Elements) -> String {
        let mut lines = Vec::new();
        self.paint_words(elements, &mut lines);
        if !self.blocking.is_empty() {
            let delay = if self.blocking.len() == 1 { "delays" } else { "delay" };
            lines.push(format!("Render-blocking: {} {delay} the first paint", counted(self.blocking.len(), "request")));
            lines.extend(
                self.blocking
                    .iter()
                    .take(MOST)
                    .map(|request| format!("  {} {} {}", ms(took(request)), request.kind.to_lowercase(), request.url)),
            );
        }
        if self.tasks == 0 {
            lines.push("Long tasks: none of more than 50 ms".to_owned());
        } else {
            lines.push(format!("Long tasks: {} blocked the page for {}", self.tasks, ms(self.blocked)));
            lines.extend(self.longest.iter().map(|(task, cause)| {
                let why = cause.as_ref().map_or_else(|| "many small pieces of work".to_owned(), work_words);
                format!("  {} at {}: {why}", ms(task.took), ms(task.at - self.origin))
            }));
        }
        if let (all, Some(most)) = &self.forced
            && *all > FORCED
        {
            lines.push(format!(
                "Forced layouts: {}, because scripts read sizes after changing the page; most by {}",
                ms(*all),
                script_words(most)
            ));
        }
        match self.shifts.len() {
            0 => lines.push("Layout shifts: none".to_owned()),
            _ => lines.push(format!("Layout shifts: {:.3} ({})", self.score, rating(self.score, 0.1, 0.25))),
        }
        lines.extend(self.shifts.iter().map(|shift| {
            let element = shift.nodes.first().and_then(|node| elements.get(node));
            let element = element.map_or_else(|| "an element that is gone".to_owned(), Clone::clone);
            format!("  {:.3} at {}: {element} moved", shift.score, ms(shift.at - self.origin))
        }));
        lines.join("\n")
    }

    fn paint_words(&self, elements: &Elements, lines: &mut Vec<String>) {
        let Some((at, paint, url, phases)) = &self.largest else {
            lines.push(match self.has_load {
                true => "Largest paint: not in the trace (Chrome measures none in a tab in the background)".to_owned(),
                false => "No page was loaded while the trace was recorded".to_owned(),
            });
            return;
        };
        let element = paint.node.and_then(|node| elements.get(&node));
        let what = url.as_ref().or(element).map(|what| format!(": {what}")).unwrap_or_default();
        lines.push(format!("Largest paint (LCP): {} ({}){what}", ms(*at), rating(*at, 2500.0, 4000.0)));
        lines.extend(phases.iter().map(|Phase { what, ms: took }| format!("  {} {what}", ms(*took))));
    }

    /// Returns the findings as JSON. Times are in milliseconds since the load began.
    pub(super) fn data(&self, elements: &Elements) -> Value {
        let round = |time: f64| (time * 10.0).round() / 10.0;
        let name = |node: Option<&i64>| node.and_then(|node| elements.get(node));
        let largest = self.largest.as_ref().map(|(at, paint, url, phases)| {
            let phases: Vec<Value> =
                phases.iter().map(|phase| json!({ "what": phase.what, "ms": round(phase.ms) })).collect();
            json!({ "ms": round(*at), "rating": rating(*at, 2500.0, 4000.0), "url": url, "element": name(paint.node.as_ref()),
                "phases": phases })
        });
        let blocking: Vec<Value> = self
            .blocking
            .iter()
            .take(MOST)
            .map(|one| json!({ "url": one.url, "type": one.kind, "ms": round(took(one)) }))
            .collect();
        let tasks: Vec<Value> = self.longest.iter().map(|(task, cause)| {
            json!({ "ms": round(task.took), "at": round(task.at - self.origin), "what": cause.as_ref().map(work_words),
                "url": cause.as_ref().and_then(|cause| cause.url.clone()) })
        }).collect();
        let shifts: Vec<Value> = self.shifts.iter().map(|shift| {
            json!({ "score": shift.score, "at": round(shift.at - self.origin), "element": name(shift.nodes.first()) })
        }).collect();
        json!({ "lcp": largest, "renderBlocking": blocking,
            "longTasks": { "count": self.tasks, "blocked": round(self.blocked), "longest": tasks },
            "forcedLayout": round(self.forced.0),
            "layoutShift": { "score": self.score, "rating": rating(self.score, 0.1, 0.25), "shifts": shifts } })
    }
}

/// Divides the time until the largest paint: <https://web.dev/articles/optimize-lcp>.
fn phases(load: &Load, paint: &Paint, document: Option<&Request>, image: Option<&Request>) -> Vec<Phase> {
    let Some(answered) = document.and_then(|document| document.answered) else { return Vec::new() };
    let mut phases = vec![Phase { what: "until the server answered", ms: answered - load.at }];
    let mut until = answered;
    if let Some((sent, ended)) = image.and_then(|image| Some((image.sent, image.ended?))) {
        phases.push(Phase { what: "until the browser asked for the picture", ms: sent - answered });
        phases.push(Phase { what: "until the picture was loaded", ms: ended - sent });
        until = ended;
    }
    phases.push(Phase { what: "until it was drawn", ms: paint.at - until });
    phases.retain(|phase| phase.ms >= 0.0);
    phases
}

/// Returns the largest sum of a session window.
fn largest_window(shifts: &mut [Shift]) -> f64 {
    shifts.sort_by(|one, other| one.at.total_cmp(&other.at));
    let (mut largest, mut sum, mut first, mut last) = (0.0_f64, 0.0, f64::MIN, f64::MIN);
    for shift in shifts {
        if shift.at - last > GAP || shift.at - first > WINDOW {
            (sum, first) = (0.0, shift.at);
        }
        last = shift.at;
        sum += shift.score;
        largest = largest.max(sum);
    }
    largest
}

fn took(request: &Request) -> f64 {
    request.ended.map_or(0.0, |ended| (ended - request.sent).max(0.0))
}

fn rating(value: f64, good: f64, poor: f64) -> &'static str {
    match value {
        value if value <= good => "good",
        value if value <= poor => "needs improvement",
        _ => "poor",
    }
}

fn work_words(work: &Span) -> String {
    match work.name.as_str() {
        "EvaluateScript" | "v8.compile" | "FunctionCall" => format!("script {}", script_words(work)),
        "ParseHTML" => "reading the HTML".to_owned(),
        "ParseAuthorStyleSheet" => "reading style sheets".to_owned(),
        "Layout" => "layout".to_owned(),
        _ => "matching styles".to_owned(),
    }
}

fn script_words(work: &Span) -> String {
    match (&work.function, &work.url) {
        (Some(function), Some(url)) => format!("{function} of {url}"),
        (None, Some(url)) => url.clone(),
        (Some(function), None) => function.clone(),
        (None, None) => "in the page".to_owned(),
    }
}

fn ms(time: f64) -> String {
    format!("{time:.0} ms")
}

#[cfg(test)]
mod tests {
    use super::{Insights, Shift, largest_window};
    use crate::measuring::trace_facts::Facts;
    use serde_json::json;
    use std::collections::HashMap;

    fn facts(events: &[serde_json::Value]) -> Facts {
        let mut facts = Facts::default();
        events.iter().for_each(|event| facts.see(&event.to_string()));
        facts
    }

    #[test]
    fn a_load_is_divided_and_its_delays_are_named() {
        let own = |name: &str, ts: u64, dur: u64, data: serde_json::Value| json!({ "name": name, "pid": 2, "tid": 3, "ts": ts, "dur": dur, "args": { "data": data, "frame": "F" } });
        let events = [
            json!({ "name": "thread_name", "pid": 2, "tid": 3, "ts": 0, "args": { "name": "CrRendererMain" } }),
            own(
                "navigationStart",
                1_000_000,
                0,
                json!({ "isOutermostMainFrame": true, "documentLoaderURL": "http://a/", "navigationId": "N" }),
            ),
            own(
                "ResourceSendRequest",
                1_001_000,
                0,
                json!({ "requestId": "N", "url": "http://a/", "resourceType": "Document" }),
            ),
            own(
                "ResourceReceiveResponse",
                1_200_000,
                0,
                json!({ "requestId": "N", "timing": { "requestTime": 1.0, "receiveHeadersStart": 200.0 } }),
            ),
            own(
                "ResourceSendRequest",
                1_210_000,
                0,
                json!({ "requestId": "S", "url": "http://a/s.css", "resourceType": "Stylesheet", "renderBlocking": "blocking" }),
            ),
            own("ResourceFinish", 1_500_000, 0, json!({ "requestId": "S", "finishTime": 1.51 })),
            own(
                "ResourceSendRequest",
                1_600_000,
                0,
                json!({ "requestId": "I", "url": "http://a/i.png", "resourceType": "Image" }),
            ),
            own("ResourceFinish", 1_900_000, 0, json!({ "requestId": "I", "finishTime": 1.9 })),
            own("firstContentfulPaint", 1_700_000, 0, json!({ "navigationId": "N" })),
            own("LargestImagePaint::Candidate", 2_000_000, 0, json!({ "DOMNodeId": 7, "imageUrl": "http://a/i.png" })),
            own(
                "largestContentfulPaint::Candidate",
                2_000_000,
                0,
                json!({ "navigationId": "N", "nodeId": 7, "type": "image" }),
            ),
            own("RunTask", 1_300_000, 250_000, json!({})),
            own("EvaluateScript", 1_301_000, 240_000, json!({ "url": "http://a/a.js" })),
            own("RunTask", 500_000, 250_000, json!({})),
            own(
                "LayoutShift",
                1_800_000,
                0,
                json!({ "weighted_score_delta": 0.2, "impacted_nodes": [{ "node_id": 9 }] }),
            ),
            own("LayoutShift", 1_850_000, 0, json!({ "weighted_score_delta": 0.5, "had_recent_input": true })),
        ];
        let found = Insights::of(&facts(&events));
        assert_eq!(found.nodes(), [7, 9]);
        let words = found.words(&HashMap::from([(9, "<div id=\"late\">".to_owned())]));
        assert_eq!(
            words,
            "Largest paint (LCP): 1000 ms (good): http://a/i.png\n  200 ms until the server answered\n  \
             400 ms until the browser asked for the picture\n  300 ms until the picture was loaded\n  \
             100 ms until it was drawn\nRender-blocking: 1 request delays the first paint\n  \
             300 ms stylesheet http://a/s.css\nLong tasks: 1 blocked the page for 200 ms\n  \
             250 ms at 300 ms: script http://a/a.js\nLayout shifts: 0.200 (needs improvement)\n  \
             0.200 at 800 ms: <div id=\"late\"> moved"
        );
        let data = found.data(&HashMap::new());
        assert_eq!((&data["lcp"]["phases"][2]["ms"], &data["longTasks"]["blocked"]), (&json!(300.0), &json!(200.0)));
    }

    #[test]
    fn a_trace_without_a_load_and_one_of_garbage_say_so() {
        for events in [
            vec![],
            vec![
                json!({ "name": "RunTask", "args": 1 }),
                json!([1]),
                json!({ "name": "LayoutShift", "args": { "data": [] } }),
            ],
        ] {
            let words = Insights::of(&facts(&events)).words(&HashMap::new());
            assert!(words.starts_with("No page was loaded while the trace was recorded\nLong tasks: none"), "{words}");
        }
    }

    #[test]
    fn shifts_are_summed_by_session_window() {
        let at = |at: f64, score: f64| Shift { pid: 2, at, score, nodes: Vec::new() };
        assert_eq!(largest_window(&mut [at(2500.0, 0.3), at(0.0, 0.1), at(900.0, 0.1)]), 0.3);
        let mut long: Vec<Shift> = (0..10).map(|number| at(f64::from(number) * 900.0, 0.1)).collect();
        let largest = largest_window(&mut long);
        assert!((largest - 0.6).abs() < 1e-9, "{largest}");
    }
}
