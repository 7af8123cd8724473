//! The accessibility rules that a page breaks, by axe-core in our own world of each of its frames.
//!
//! Owns axe-core's source, the order of the frames, the time limit over all of them and the joining of what they report. An
//! element gets the ref that a snapshot gives it. The page cannot reach the run: a document that hides itself from scripts by
//! the names of its elements is refused. Never judges a rule and never decides what of it is shown.

use crate::frames::{Frame, FrameId};
use crate::page::error::PageError;
use crate::page::locate::{ElementPlace, FaultReply, RefKind, ScriptTarget, TRIES_TO_READ, Target};
use crate::page::page::Page;
use crate::page::script::Injected;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::Instant;

/// As published, and after it what keeps it from listening to the page's messages: frames are audited one by one.
const AXE_CORE: &str = concat!(
    include_str!("../../injected/vendor/axe-core/axe.min.js"),
    "\n;globalThis.axe.frameMessenger({ open: () => undefined, post: () => false });"
);
/// axe-core ends by itself, but reads the whole document first: seconds for a large one.
const GRACE: Duration = Duration::from_secs(20);
/// A frame in the page must not use up the time of all.
const INNER_LIMIT: Duration = Duration::from_secs(10);
/// More of them are left out.
const MOST_FRAMES: usize = 30;

/// What is audited, and for how long.
#[derive(Clone, Debug)]
pub struct AuditOptions {
    /// axe-core's names of rules; empty: by `tags`.
    pub rules: Vec<String>,
    /// axe-core's tags (`wcag2a`, `best-practice`); empty: what it does by default.
    pub tags: Vec<String>,
    /// Elements that are listed of one rule.
    pub most: usize,
    pub limit: Duration,
}

/// How an audit ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Audited {
    Done(Audit),
    /// axe-core has no rules or tags of these names.
    Unknown(Vec<String>),
    /// The page has elements of these names, behind which it hides from every script.
    Shadowed(Vec<String>),
}

/// What axe-core found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    pub version: String,
    /// The worst first.
    pub broken: Vec<AuditedRule>,
    /// The checks that axe-core could not decide.
    pub doubtful: Vec<AuditedRule>,
    /// Rules that something was checked by and that hold.
    pub passed: Vec<String>,
    /// Rules that were not finished in time, or that failed themselves.
    pub unfinished: Vec<String>,
    /// Frames that were looked at.
    pub frames: usize,
    /// Frames that were not: they did not answer, or there were too many.
    pub unread_frames: usize,
}

/// One rule with elements that it concerns.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditedRule {
    pub rule: String,
    pub impact: Option<Impact>,
    pub help: String,
    pub url: String,
    pub tags: Vec<String>,
    /// How many elements.
    pub count: usize,
    /// The first of them.
    pub elements: Vec<AuditedElement>,
}

/// axe-core's scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Impact {
    Minor,
    Moderate,
    Serious,
    Critical,
}

/// An element that a rule concerns.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditedElement {
    /// Its ref: `@e3`.
    pub name: String,
    /// `<img id="logo">`
    pub description: String,
    /// axe-core's words; empty if it has none.
    pub reason: String,
}

#[derive(Deserialize)]
struct RuleReply {
    rule: String,
    impact: Option<Impact>,
    help: String,
    url: String,
    tags: Vec<String>,
    count: usize,
    elements: Vec<FoundElement>,
}

#[derive(Deserialize)]
struct FoundElement {
    number: u32,
    description: String,
    reason: String,
}

#[derive(Serialize)]
struct ScriptOptions<'a> {
    rules: &'a [String],
    tags: &'a [String],
    most: usize,
    /// Milliseconds.
    limit: u64,
    inner: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Reply {
    missing: bool,
    hidden: bool,
    unknown: Vec<String>,
    shadowed: Vec<String>,
    document: String,
    version: String,
    passed: Vec<String>,
    broken: Vec<RuleReply>,
    doubtful: Vec<RuleReply>,
    unfinished: Vec<String>,
    #[serde(flatten)]
    fault: FaultReply,
}

impl Page {
    /// Audits the chosen frame with all frames in it, or what one element holds in its frame.
    pub async fn audit(&self, target: Option<&Target>, options: &AuditOptions) -> Result<Audited, PageError> {
        let end = Instant::now() + options.limit;
        let mut tries = 0;
        loop {
            match (self.audit_once(target, options, end).await, target) {
                // A selector means the next document as well, a ref does not.
                (Err(PageError::DocumentGone), None | Some(Target::Selector(_))) if tries < TRIES_TO_READ => tries += 1,
                (result, _) => return result,
            }
        }
    }

    async fn audit_once(
        &self,
        target: Option<&Target>,
        options: &AuditOptions,
        end: Instant,
    ) -> Result<Audited, PageError> {
        let (top, script_target) = match target {
            None => (self.current_frame().await?, None),
            Some(target) => {
                let (frame, script_target) = self.locate(target).await?;
                (frame, Some(script_target))
            }
        };
        let reply = self.audit_frame(&top, script_target.as_ref(), options, end).await?;
        if let Some(target) = target.filter(|_| reply.fault.fault.is_some()) {
            return Err(reply.fault.error(target).unwrap_or_else(|| PageError::NotFound(target.to_string())));
        }
        if !reply.unknown.is_empty() {
            return Ok(Audited::Unknown(reply.unknown));
        }
        if !reply.shadowed.is_empty() {
            return Ok(Audited::Shadowed(reply.shadowed));
        }
        let mut audit = Audit { version: reply.version.clone(), ..Audit::default() };
        let mut passed = BTreeSet::new();
        self.join(&mut audit, &mut passed, &top, reply, options.most);
        let inner = if target.is_none() { frames_in(self.frames().await?, &top) } else { Vec::new() };
        for frame in inner {
            if audit.frames >= MOST_FRAMES || Instant::now() >= end {
                audit.unread_frames += 1;
                continue;
            }
            match self.audit_frame(&frame, None, options, end.min(Instant::now() + INNER_LIMIT)).await {
                Ok(reply) if reply.hidden => {}
                Ok(reply) if reply.shadowed.is_empty() => {
                    self.join(&mut audit, &mut passed, &frame, reply, options.most)
                }
                Ok(_) => audit.unread_frames += 1,
                Err(error) => {
                    tracing::debug!(%error, "a frame could not be audited");
                    audit.unread_frames += 1;
                }
            }
        }
        Ok(Audited::Done(audit.finished(passed)))
    }

    /// Calls axe-core in one frame, and puts it there first if it is not there yet.
    async fn audit_frame(
        &self,
        frame: &FrameId,
        target: Option<&ScriptTarget>,
        options: &AuditOptions,
        end: Instant,
    ) -> Result<Reply, PageError> {
        let inner = self.frame(frame)?.parent.is_some();
        for _ in 0..2 {
            let left = end.saturating_duration_since(Instant::now());
            let script_options = ScriptOptions {
                rules: &options.rules,
                tags: &options.tags,
                most: options.most,
                limit: u64::try_from(left.as_millis()).unwrap_or(u64::MAX),
                inner,
            };
            let limit = left + GRACE;
            let reply: Reply = self.script(frame, Injected::AuditDocument, &[&target, &script_options], limit).await?;
            if !reply.missing {
                return Ok(reply);
            }
            self.load_library(frame, AXE_CORE, limit).await?;
        }
        // Another document came between the two.
        Err(PageError::DocumentGone)
    }

    fn join(&self, audit: &mut Audit, passed: &mut BTreeSet<String>, frame: &FrameId, reply: Reply, most: usize) {
        let Reply { document, broken, doubtful, unfinished, .. } = reply;
        audit.frames += 1;
        let mut refs = self.memory.refs();
        let mut name = |number: u32| {
            let place = ElementPlace { frame: frame.clone(), document: document.clone(), number };
            refs.name(RefKind::Element, place).to_string()
        };
        for (into, rules) in [(&mut audit.broken, broken), (&mut audit.doubtful, doubtful)] {
            for RuleReply { rule, impact, help, url, tags, count, elements } in rules {
                let named = elements.into_iter().map(|FoundElement { number, description, reason }| AuditedElement {
                    name: name(number),
                    description,
                    reason,
                });
                match into.iter_mut().find(|known| known.rule == rule) {
                    None => into.push(AuditedRule { rule, impact, help, url, tags, count, elements: named.collect() }),
                    Some(known) => {
                        let room = most.saturating_sub(known.elements.len());
                        known.elements.extend(named.take(room));
                        known.count += count;
                        known.impact = known.impact.max(impact);
                    }
                }
            }
        }
        passed.extend(reply.passed);
        audit.unfinished.extend(unfinished);
    }
}

impl Audit {
    /// In the order in which it is read.
    fn finished(mut self, mut passed: BTreeSet<String>) -> Self {
        for rules in [&mut self.broken, &mut self.doubtful] {
            rules.sort_by(|one, other| {
                (Reverse(one.impact), Reverse(one.count), &one.rule).cmp(&(
                    Reverse(other.impact),
                    Reverse(other.count),
                    &other.rule,
                ))
            });
        }
        self.unfinished.sort();
        self.unfinished.dedup();
        let others = self.broken.iter().chain(&self.doubtful).map(|rule| &rule.rule).chain(&self.unfinished);
        for rule in others {
            passed.remove(rule);
        }
        self.passed = passed.into_iter().collect();
        self
    }
}

/// The frames within one, at any depth. `all`: parents first.
fn frames_in(all: Vec<Frame>, top: &FrameId) -> Vec<FrameId> {
    let mut inner: Vec<FrameId> = Vec::new();
    for Frame { id, parent, .. } in all {
        if parent.is_some_and(|parent| parent == *top || inner.contains(&parent)) {
            inner.push(id);
        }
    }
    inner
}

#[cfg(test)]
mod tests {
    use super::{Audit, AuditedRule, Impact, frames_in};
    use crate::devtools::target::SessionId;
    use crate::frames::{Frame, FrameId};

    fn rule(name: &str, impact: Option<Impact>, count: usize) -> AuditedRule {
        let text = || name.to_owned();
        let (tags, elements) = (Vec::new(), Vec::new());
        AuditedRule { rule: text(), impact, help: text(), url: text(), tags, count, elements }
    }

    #[test]
    fn the_worst_comes_first_and_what_is_broken_in_one_frame_has_not_passed() {
        let broken = vec![
            rule("b", Some(Impact::Minor), 9),
            rule("d", None, 1),
            rule("a", Some(Impact::Critical), 1),
            rule("c", Some(Impact::Critical), 2),
        ];
        let audit = Audit { broken, unfinished: vec!["z".to_owned(), "z".to_owned()], ..Audit::default() };
        let done = audit.finished(["a", "e", "z"].map(str::to_owned).into());
        assert_eq!(done.broken.iter().map(|rule| rule.rule.as_str()).collect::<Vec<_>>(), ["c", "a", "b", "d"]);
        assert_eq!((done.passed, done.unfinished), (vec!["e".to_owned()], vec!["z".to_owned()]));
    }

    #[test]
    fn only_frames_within_the_chosen_one_are_audited() {
        let frame = |id: &str, parent: Option<&str>| Frame {
            id: FrameId::new(id),
            parent: parent.map(FrameId::new),
            session: SessionId::from("s".to_owned()),
            url: String::new(),
            name: String::new(),
            loader: String::new(),
        };
        let all = || vec![frame("m", None), frame("a", Some("m")), frame("b", Some("a")), frame("c", Some("m"))];
        let names = |top: &str| -> Vec<String> {
            frames_in(all(), &FrameId::new(top)).iter().map(|id| id.as_str().to_owned()).collect()
        };
        assert_eq!((names("m"), names("a")), (vec!["a".into(), "b".into(), "c".into()], vec!["b".to_owned()]));
    }
}
