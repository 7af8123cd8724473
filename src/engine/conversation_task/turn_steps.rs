//! The steps of a running turn: their text and their images.
//!
//! Owns the time between the start and the end of a step. Never runs or measures anything: the conversation does.

use crate::conversations::Learned;
use gstack_agent::adapter::{Image, StepWords};
use gstack_chat::Conversation;
use gstack_command::tool_arguments;
use gstack_protocol::chat::{ChatBody, StepOutcome};
use gstack_protocol::ids::{StepId, TurnId};
use std::collections::HashMap;
use std::sync::Arc;

/// Arguments and results are for display, so they are cut.
const LONGEST: usize = 4 * 1024;

#[derive(Default)]
pub(super) struct Steps {
    open: HashMap<StepId, Open>,
    /// Facts about calls whose steps were not reported yet.
    early: Vec<Learned>,
}

struct Open {
    tool: String,
    /// Complete, as the agent gave them.
    arguments: String,
}

impl Steps {
    pub(super) fn begin(
        &mut self,
        turn_id: TurnId,
        step_id: StepId,
        words: StepWords,
        tool: String,
        arguments: String,
    ) -> ChatBody {
        self.open.insert(step_id.clone(), Open { tool: tool.clone(), arguments: arguments.clone() });
        let StepWords { kind, verb, object, phrase } = words;
        // The destination of the text is not known yet: it is shown once the page was asked, unless it is a password.
        let arguments = cut(tool_arguments::redacted(&tool, &arguments));
        ChatBody::Step { turn_id, step_id, kind, verb, object, phrase, tool, arguments }
    }

    pub(super) fn end(&mut self, turn_id: TurnId, step_id: StepId, outcome: StepOutcome, result: String) -> ChatBody {
        self.open.remove(&step_id);
        ChatBody::StepDone { turn_id, step_id, outcome, duration_ms: 0, result: cut(result), images: Vec::new() }
    }

    /// Records a fact about an open step. Keeps it for the start of the step if that was not reported yet.
    pub(super) fn learned(&mut self, turn_id: &TurnId, learned: Learned) -> Option<ChatBody> {
        let Some(step_id) =
            self.open.iter().find(|(id, open)| learned.of.is_of(id, &open.tool, &open.arguments)).map(|(id, _)| id)
        else {
            self.early.push(learned);
            return None;
        };
        Some(updated(turn_id.clone(), step_id.clone(), learned))
    }

    /// Returns the facts that arrived before the start of a step.
    pub(super) fn learned_before(&mut self, turn_id: &TurnId, step_id: &StepId) -> Vec<ChatBody> {
        let Some(open) = self.open.get(step_id) else { return Vec::new() };
        let of_it = self.early.extract_if(.., |learned| learned.of.is_of(step_id, &open.tool, &open.arguments));
        of_it.map(|learned| updated(turn_id.clone(), step_id.clone(), learned)).collect()
    }

    /// Returns the tool of a running step and its arguments.
    pub(super) fn call_of(&self, step_id: &StepId) -> Option<(&str, &str)> {
        self.open.get(step_id).map(|open| (open.tool.as_str(), open.arguments.as_str()))
    }

    /// Returns the steps that have not ended.
    pub(super) fn open(&self) -> Vec<StepId> {
        self.open.keys().cloned().collect()
    }

    /// Ends a step that was cut off.
    pub(super) fn cut_off(&mut self, turn_id: TurnId, step_id: StepId, outcome: StepOutcome) -> ChatBody {
        let words = match outcome {
            StepOutcome::NotSent => "It was stopped before it was sent; it did nothing.",
            _ => "It was interrupted; it is unknown whether it took effect.",
        };
        self.end(turn_id, step_id, outcome, words.to_owned())
    }

    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.early.clear();
    }

    /// Stores a step's images with the conversation and names them in its end.
    pub(super) async fn with_images(
        body: ChatBody,
        pictures: Vec<Image>,
        conversation: &Arc<Conversation>,
    ) -> ChatBody {
        if pictures.is_empty() {
            return body;
        }
        let keeper = conversation.clone();
        let kept = tokio::task::spawn_blocking(move || {
            let name = |image: &Image| format!("screenshot.{}", image.mime.rsplit('/').next().unwrap_or("png"));
            let write = |image: &Image| match keeper.write_file(&name(image), &image.mime, &image.bytes) {
                Ok(attachment) => Some(attachment),
                Err(error) => {
                    tracing::warn!(%error, "a screenshot can't be kept");
                    None
                }
            };
            pictures.iter().filter_map(write).collect()
        })
        .await
        .unwrap_or_default();
        match body {
            ChatBody::StepDone { turn_id, step_id, outcome, duration_ms, result, .. } => {
                ChatBody::StepDone { turn_id, step_id, outcome, duration_ms, result, images: kept }
            }
            other => other,
        }
    }
}

fn updated(turn_id: TurnId, step_id: StepId, Learned { object, phrase, arguments, .. }: Learned) -> ChatBody {
    ChatBody::StepUpdated { turn_id, step_id, object, phrase, arguments: cut(arguments) }
}

fn cut(mut text: String) -> String {
    if text.len() > LONGEST {
        let mut end = LONGEST;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::chat::StepKind;

    fn begin(steps: &mut Steps, name: &str, arguments: String) -> ChatBody {
        let words = StepWords::of_own_tool(StepKind::Other, "Using", name.to_owned());
        steps.begin(TurnId::new("t"), StepId::new(name), words, name.to_owned(), arguments)
    }

    #[test]
    fn long_arguments_and_results_are_cut_at_a_character() {
        let mut steps = Steps::default();
        let ChatBody::Step { arguments, .. } = begin(&mut steps, "a", format!("x{}", "ä".repeat(LONGEST))) else {
            panic!("no step")
        };
        assert!(arguments.ends_with('…') && arguments.len() <= LONGEST + '…'.len_utf8());
        let end = steps.end(TurnId::new("t"), StepId::new("a"), StepOutcome::Ok, "short".to_owned());
        assert!(matches!(end, ChatBody::StepDone { result, .. } if result == "short"));
    }

    #[test]
    fn steps_that_were_not_reported_are_cut_off_once() {
        let mut steps = Steps::default();
        begin(&mut steps, "a", String::new());
        begin(&mut steps, "b", String::new());
        steps.end(TurnId::new("t"), StepId::new("a"), StepOutcome::Ok, String::new());
        assert_eq!(steps.open(), [StepId::new("b")]);
        let end = steps.cut_off(TurnId::new("t"), StepId::new("b"), StepOutcome::NotSent);
        assert!(
            matches!(end, ChatBody::StepDone { outcome: StepOutcome::NotSent, result, .. } if result.contains("did nothing"))
        );
        assert!(steps.open().is_empty());
    }
}
