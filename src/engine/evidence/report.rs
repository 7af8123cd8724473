//! What is known of one turn, in order: the message, the agent's words and each act.
//!
//! Pure: events, traces and lines of the audit in, a report out. `html` escapes and redacts every text of it.

use super::decisions::{Span, assign};
use super::words;
use gstack_chat::evidence::{ActTrace, TracedRequest};
use gstack_protocol::audit::AuditEntry;
use gstack_protocol::chat::{Attachment, ChatBody, ChatEvent, ConversationInfo, PageContext};
use gstack_protocol::ids::{ApprovalId, ClientMessageId, FileId, QuestionId, StepId, TurnId};
use std::collections::{HashMap, HashSet};

/// The most bytes of pictures in one file, before they are encoded.
const MOST_PICTURES: u64 = 24 * 1024 * 1024;

#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) title: String,
    pub(super) turn_id: String,
    pub(super) agent: String,
    pub(super) model: Option<String>,
    pub(super) message: String,
    pub(super) page: Option<PageContext>,
    pub(super) attachments: Vec<String>,
    pub(super) started_at: u64,
    pub(super) took: u64,
    pub(super) outcome: String,
    pub(super) fault: Option<String>,
    pub(super) items: Vec<Item>,
    /// Whether pictures were taken before and after acts. If not, only those that the agent took are there.
    pub(super) has_pictures_of_acts: bool,
    /// Pictures that are no longer kept, or that the file has no room for.
    pub(super) missing_pictures: usize,
    /// Acts whose notes were pushed out by newer ones.
    pub(super) dropped_notes: u64,
}

#[derive(Debug)]
pub(super) enum Item {
    Said(String),
    Notice(String),
    Asked { question: String, answer: String },
    Act(Box<ReportedAct>),
}

#[derive(Debug, Default)]
pub(super) struct ReportedAct {
    pub(super) words: String,
    /// The tool with its arguments.
    pub(super) call: String,
    pub(super) at: u64,
    pub(super) took: u64,
    pub(super) outcome: &'static str,
    pub(super) result: String,
    /// The pages before and after, once if they are the same.
    pub(super) pages: Vec<(String, String)>,
    pub(super) decisions: Vec<String>,
    /// `None` if nobody looked.
    pub(super) requests: Option<Vec<TracedRequest>>,
    pub(super) more_requests: usize,
    pub(super) pictures: Vec<Picture>,
}

#[derive(Debug)]
pub(super) struct Picture {
    pub(super) caption: &'static str,
    id: FileId,
    pub(super) bytes: Option<Vec<u8>>,
}

/// A step of the journal while the report is put together.
struct Step<'a> {
    id: &'a StepId,
    at: u64,
    done_at: u64,
    tool: &'a str,
    given: &'a str,
    arguments: &'a str,
    images: &'a [Attachment],
    act: ReportedAct,
}

impl Report {
    /// Returns what is known of a turn; `None` if it has not ended. `events`: all of the conversation, oldest first.
    pub(super) fn of(
        info: &ConversationInfo,
        events: &[ChatEvent],
        turn: &TurnId,
        traces: &[ActTrace],
        audit: &[AuditEntry],
    ) -> Option<Self> {
        let mut report = Self { title: info.title.clone(), turn_id: turn.as_str().to_owned(), ..Self::default() };
        let mut steps: Vec<Step<'_>> = Vec::new();
        // The order of what is shown: an act by its place in `steps`.
        let mut order: Vec<(Option<usize>, Option<Item>)> = Vec::new();
        let mut answered: Vec<(u64, String)> = Vec::new();
        let mut asked: HashMap<&QuestionId, usize> = HashMap::new();
        let mut approvals: HashSet<&ApprovalId> = HashSet::new();
        let (mut message, mut direct, mut ended) = (None, false, false);
        for event in events {
            match &event.body {
                ChatBody::TurnStarted { turn_id, client_id, agent_label, model, direct: plain, .. }
                    if turn_id == turn =>
                {
                    (report.agent, report.model, report.started_at) = (agent_label.clone(), model.clone(), event.at);
                    (message, direct) = (Some(client_id), *plain);
                }
                ChatBody::Text { turn_id, text } if turn_id == turn => {
                    order.push((None, Some(Item::Said(text.clone()))));
                }
                ChatBody::Notice { turn_id, text, .. } if turn_id == turn => {
                    order.push((None, Some(Item::Notice(text.clone()))));
                }
                ChatBody::Step { turn_id, step_id, verb, object, tool, arguments, .. } if turn_id == turn => {
                    let act = ReportedAct { words: format!("{verb} {object}"), at: event.at, ..ReportedAct::default() };
                    order.push((Some(steps.len()), None));
                    steps.push(Step {
                        id: step_id,
                        at: event.at,
                        done_at: u64::MAX,
                        tool,
                        given: arguments,
                        arguments,
                        images: &[],
                        act,
                    });
                }
                ChatBody::StepUpdated { turn_id, step_id, object, arguments, .. } if turn_id == turn => {
                    if let Some(step) = steps.iter_mut().find(|step| step.id == step_id) {
                        if !object.is_empty() {
                            let verb = step.act.words.split(' ').next().unwrap_or_default();
                            step.act.words = format!("{verb} {object}");
                        }
                        if !arguments.is_empty() {
                            step.arguments = arguments;
                        }
                    }
                }
                ChatBody::StepDone { turn_id, step_id, outcome, duration_ms, images, .. } if turn_id == turn => {
                    if let Some(step) = steps.iter_mut().find(|step| step.id == step_id) {
                        (step.act.outcome, step.act.took) = (words::step(*outcome), *duration_ms);
                        (step.done_at, step.images) = (event.at, images);
                    }
                }
                ChatBody::Approval { turn_id, approval_id, .. } if turn_id == turn => {
                    approvals.insert(approval_id);
                }
                ChatBody::ApprovalDone { approval_id, decision, by, .. } if approvals.contains(approval_id) => {
                    answered.push((event.at, words::answer(*decision, *by)));
                }
                ChatBody::Question { turn_id, question_id, parts } if turn_id == turn => {
                    let question: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
                    asked.insert(question_id, order.len());
                    let answer = "not answered".to_owned();
                    order.push((None, Some(Item::Asked { question: question.join("\n"), answer })));
                }
                ChatBody::QuestionDone { question_id, answers, .. } => {
                    let place = asked.get(question_id).and_then(|at| order.get_mut(*at));
                    if let Some((_, Some(Item::Asked { answer, .. }))) = place
                        && !answers.is_empty()
                    {
                        *answer = answers.iter().map(|part| part.join(", ")).collect::<Vec<_>>().join("\n");
                    }
                }
                ChatBody::TurnDone { turn_id, outcome, duration_ms, model, fault, .. } if turn_id == turn => {
                    (report.outcome, report.took) = (words::turn(*outcome), *duration_ms);
                    report.model = model.clone().or(report.model);
                    report.fault = fault.as_ref().map(|fault| fault.message.clone());
                    ended = true;
                }
                _ => {}
            }
        }
        if !ended {
            return None;
        }
        report.take_message(events, message);
        let traced = pair(&steps, traces);
        let spans: Vec<Span> = steps
            .iter()
            .zip(&traced)
            .map(|(step, trace)| match trace {
                Some(trace) => Span { from: trace.came_at, to: trace.ended_at, line: Some(trace.line.clone()) },
                None => Span { from: step.at, to: step.done_at, line: None },
            })
            .collect();
        let assigned = assign(&spans, audit);
        let mut acts: Vec<Option<ReportedAct>> = Vec::new();
        for (at, step) in steps.into_iter().enumerate() {
            let (from, to) = (step.at, step.done_at);
            let mut act = finished(step, traced[at]);
            act.decisions = assigned[at].iter().map(|index| words::decision(&audit[*index])).collect();
            if act.decisions.is_empty() {
                act.decisions =
                    answered.iter().filter(|(at, _)| from <= *at && *at <= to).map(|(_, w)| w.clone()).collect();
            }
            if act.decisions.is_empty() {
                act.decisions.push(if direct { OWN_WORDS } else { NO_DECISION }.to_owned());
            }
            report.has_pictures_of_acts |= traced[at].is_some_and(has_picture);
            acts.push(Some(act));
        }
        report.items = order
            .into_iter()
            .filter_map(|(step, item)| match step {
                Some(at) => acts.get_mut(at)?.take().map(|act| Item::Act(Box::new(act))),
                None => item,
            })
            .collect();
        Some(report)
    }

    fn take_message(&mut self, events: &[ChatEvent], wanted: Option<&ClientMessageId>) {
        let sent = events.iter().find_map(|event| match &event.body {
            ChatBody::Message { client_id, text, page, attachments, .. } if Some(client_id) == wanted => {
                Some((text, page, attachments))
            }
            _ => None,
        });
        if let Some((text, page, attachments)) = sent {
            self.message = text.clone();
            self.page = page.clone();
            self.attachments = attachments.iter().map(|file| file.name.clone()).collect();
        }
    }

    /// Reads the pictures, until the file is full. `read` returns a picture of at most so many bytes.
    pub(super) fn load_pictures(&mut self, read: &dyn Fn(&FileId, u64) -> Option<Vec<u8>>) {
        let mut left = MOST_PICTURES;
        let mut missing = 0;
        for item in &mut self.items {
            let Item::Act(act) = item else { continue };
            for picture in &mut act.pictures {
                picture.bytes = read(&picture.id, left);
                match &picture.bytes {
                    Some(bytes) => left = left.saturating_sub(bytes.len() as u64),
                    None => missing += 1,
                }
            }
        }
        self.missing_pictures = missing;
    }
}

const OWN_WORDS: &str = "your own command: no decision is needed";
const NO_DECISION: &str = "no decision is recorded";

fn has_picture(trace: &ActTrace) -> bool {
    [&trace.before, &trace.after].into_iter().flatten().any(|page| page.picture.is_some())
}

/// Whether a trace may be the one of a step.
type Rule = fn(&Step<'_>, &ActTrace) -> bool;

/// Returns the trace of each step: by the agent's id of the call, or by its arguments.
fn pair<'a>(steps: &[Step<'_>], traces: &'a [ActTrace]) -> Vec<Option<&'a ActTrace>> {
    let mut paired: Vec<Option<&ActTrace>> = vec![None; steps.len()];
    let mut used = vec![false; traces.len()];
    let rules: [Rule; 2] = [
        |step, trace| trace.call_id.as_deref() == Some(step.id.as_str()),
        |step, trace| trace.tool == step.tool && trace.arguments == step.given,
    ];
    for rule in rules {
        for (step, place) in steps.iter().zip(&mut paired).filter(|(_, place)| place.is_none()) {
            if let Some(at) = (0..traces.len()).find(|at| !used[*at] && rule(step, &traces[*at])) {
                used[at] = true;
                *place = Some(&traces[at]);
            }
        }
    }
    paired
}

fn finished(step: Step<'_>, trace: Option<&ActTrace>) -> ReportedAct {
    let Step { tool, arguments, images, mut act, .. } = step;
    // The trace has them without any text that was typed.
    act.call = format!("{tool} {}", trace.map_or(arguments, |trace| &trace.arguments));
    if act.outcome.is_empty() {
        act.outcome = "interrupted, outcome unknown";
    }
    let mut pictures: Vec<(&'static str, &FileId)> = Vec::new();
    if let Some(trace) = trace {
        act.result = trace.result.clone();
        act.requests = trace.requests.clone();
        act.more_requests = trace.more_requests;
        for (caption, page) in [("Before", &trace.before), ("After", &trace.after)] {
            let Some(page) = page else { continue };
            let shown = (page.url.clone(), page.title.clone());
            if act.pages.last() != Some(&shown) {
                act.pages.push(shown);
            }
            pictures.extend(page.picture.as_ref().map(|id| (caption, id)));
        }
    }
    pictures.extend(images.iter().map(|image| ("Taken by the agent", &image.id)));
    act.pictures = pictures.into_iter().map(|(caption, id)| Picture { caption, id: id.clone(), bytes: None }).collect();
    act
}
