//! What a trace says about a page load: its paints, requests, long tasks and layout shifts.
//!
//! Owns the names of Chrome's events and fields. Never judges or words anything.

use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};

/// In milliseconds. W3C Long Tasks.
pub(super) const LONG: f64 = 50.0;
/// In milliseconds. Shorter events explain no long task.
const TELLING: f64 = 10.0;
/// The limit for each kind of event that is kept: a trace may hold millions.
const MOST: usize = 20_000;
const WORK: [&str; 7] = [
    "EvaluateScript",
    "FunctionCall",
    "v8.compile",
    "ParseHTML",
    "ParseAuthorStyleSheet",
    "Layout",
    "UpdateLayoutTree",
];

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(default, borrow)]
    name: std::borrow::Cow<'a, str>,
    #[serde(default)]
    pid: i64,
    #[serde(default)]
    tid: i64,
    /// Microseconds.
    #[serde(default)]
    ts: f64,
    #[serde(default)]
    dur: f64,
    #[serde(default)]
    args: Value,
}

/// A load of the main document. Times are in milliseconds of the trace's clock.
#[derive(Clone, Debug, Default)]
pub(super) struct Load {
    pub(super) id: String,
    pub(super) at: f64,
    pub(super) pid: i64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Paint {
    pub(super) of: String,
    pub(super) at: f64,
    pub(super) node: Option<i64>,
    pub(super) is_image: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Request {
    pub(super) url: String,
    pub(super) kind: String,
    pub(super) blocks: bool,
    pub(super) sent: f64,
    pub(super) answered: Option<f64>,
    pub(super) ended: Option<f64>,
}

/// A span of work on a thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Span {
    pub(super) name: String,
    pub(super) thread: (i64, i64),
    pub(super) at: f64,
    pub(super) took: f64,
    pub(super) url: Option<String>,
    pub(super) function: Option<String>,
    /// A script forced this layout.
    pub(super) is_forced: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Shift {
    pub(super) pid: i64,
    pub(super) at: f64,
    pub(super) score: f64,
    pub(super) nodes: Vec<i64>,
}

/// The facts of a trace, in no order.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) loads: Vec<Load>,
    pub(super) first_paints: Vec<Paint>,
    pub(super) largest_paints: Vec<Paint>,
    /// The address of an image that was the largest, by its element.
    pub(super) images: HashMap<i64, String>,
    pub(super) requests: BTreeMap<String, Request>,
    pub(super) main_threads: HashSet<(i64, i64)>,
    pub(super) tasks: Vec<Span>,
    pub(super) work: Vec<Span>,
    pub(super) shifts: Vec<Shift>,
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

impl Facts {
    /// Reads an event, given as JSON.
    pub(super) fn see(&mut self, event: &str) {
        let Ok(Event { name, pid, tid, ts, dur, args }) = serde_json::from_str::<Event<'_>>(event) else { return };
        let (at, took, data) = (ts / 1000.0, dur / 1000.0, &args["data"]);
        let node = data["nodeId"].as_i64().or_else(|| data["DOMNodeId"].as_i64());
        let paint = || Paint {
            of: text(&data["navigationId"]).unwrap_or_default(),
            at,
            node,
            is_image: data["type"] == "image",
        };
        match name.as_ref() {
            "thread_name" if args["name"] == "CrRendererMain" => {
                self.main_threads.insert((pid, tid));
            }
            "navigationStart" if data["isOutermostMainFrame"] == true && text(&data["documentLoaderURL"]).is_some() => {
                let id = text(&data["navigationId"]).unwrap_or_default();
                keep(&mut self.loads, Load { id, at, pid });
            }
            "firstContentfulPaint" => keep(&mut self.first_paints, paint()),
            "largestContentfulPaint::Candidate" => keep(&mut self.largest_paints, paint()),
            "LargestImagePaint::Candidate" => {
                if let (Some(node), Some(url)) = (node, text(&data["imageUrl"])) {
                    self.images.insert(node, url);
                }
            }
            "ResourceSendRequest" | "ResourceReceiveResponse" | "ResourceFinish" => self.request(&name, at, data),
            "LayoutShift" if data["had_recent_input"] != true => {
                let nodes = data["impacted_nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
                let nodes = nodes.iter().filter_map(|node| node["node_id"].as_i64()).collect();
                let score =
                    data["weighted_score_delta"].as_f64().or_else(|| data["score"].as_f64()).unwrap_or_default();
                keep(&mut self.shifts, Shift { pid, at, score, nodes });
            }
            "RunTask" if took > LONG => {
                keep(&mut self.tasks, Span { thread: (pid, tid), at, took, ..Span::default() });
            }
            known if WORK.contains(&known) && (took > TELLING || known == "Layout") => {
                let is_forced = known == "Layout" && args["beginData"]["stackTrace"].is_array();
                if took <= TELLING && !is_forced {
                    return;
                }
                let caller = &args["beginData"]["stackTrace"][0];
                let source = if is_forced { caller } else { data };
                keep(
                    &mut self.work,
                    Span {
                        name: known.to_owned(),
                        thread: (pid, tid),
                        at,
                        took,
                        url: text(&source["url"]).or_else(|| text(&args["fileName"])),
                        function: text(&source["functionName"]),
                        is_forced,
                    },
                );
            }
            _ => {}
        }
    }

    fn request(&mut self, event: &str, at: f64, data: &Value) {
        let Some(id) = text(&data["requestId"]) else { return };
        if event == "ResourceSendRequest" && self.requests.len() < MOST {
            let request = self.requests.entry(id).or_default();
            request.url = text(&data["url"]).unwrap_or_default();
            request.kind = text(&data["resourceType"]).unwrap_or_default();
            request.blocks = matches!(data["renderBlocking"].as_str(), Some("blocking" | "in_body_parser_blocking"));
            request.sent = at;
            return;
        }
        let Some(request) = self.requests.get_mut(&id) else { return };
        match event {
            "ResourceReceiveResponse" => {
                let timing = &data["timing"];
                // In seconds of the same clock, and milliseconds after that.
                let began = timing["requestTime"].as_f64().map(|time| time * 1000.0);
                let headers = timing["receiveHeadersStart"].as_f64().or_else(|| timing["receiveHeadersEnd"].as_f64());
                request.answered = began.zip(headers).map(|(began, headers)| began + headers).or(Some(at));
            }
            _ => {
                request.ended =
                    data["finishTime"].as_f64().filter(|time| *time > 0.0).map(|time| time * 1000.0).or(Some(at))
            }
        }
    }

    /// Returns the newest load of a page in the trace.
    pub(super) fn load(&self) -> Option<&Load> {
        self.loads.iter().max_by(|one, other| one.at.total_cmp(&other.at))
    }
}

fn keep<T>(list: &mut Vec<T>, one: T) {
    if list.len() < MOST {
        list.push(one);
    }
}
