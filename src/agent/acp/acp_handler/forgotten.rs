//! What an agent may have forgotten: the turns that were stopped or failed since the last one that was done.
//!
//! Owns their words. Gemini CLI takes such a turn out of its history, with all of its messages and results, and no agent
//! says whether it does.

use crate::adapter::StepWords;
use crate::clip::clip;

/// In bytes, of one turn.
const LONGEST_TURN: usize = 8 * 1024;
/// The oldest turns are left out first.
const MOST_TURNS: usize = 4;

/// The words of one turn.
#[derive(Debug, Default)]
pub(super) struct Words {
    message: String,
    /// What the agent said and did.
    agent: String,
}

impl Words {
    pub(super) fn of(message: String) -> Self {
        Self { message, agent: String::new() }
    }

    pub(super) fn said(&mut self, first: bool, text: &str) {
        if first {
            self.agent.push_str("\n\nYou: ");
        }
        self.add(text);
    }

    pub(super) fn did(&mut self, step: &StepWords) {
        self.agent.push_str("\n\nYou did: ");
        self.add(&format!("{} {}", step.verb, step.object));
    }

    fn add(&mut self, text: &str) {
        if self.agent.len() < LONGEST_TURN {
            self.agent.push_str(text);
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Forgotten(Vec<Words>);

impl Forgotten {
    pub(super) fn add(&mut self, turn: Words) {
        if self.0.len() == MOST_TURNS {
            self.0.remove(0);
        }
        self.0.push(turn);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the text for the agent, to be sent before a message. A message that is sent again is not repeated.
    pub(super) fn before(&self, message: &str) -> Option<String> {
        let kept = self.0.iter().filter(|turn| !turn.agent.is_empty() || turn.message != message);
        let turns: Vec<String> = kept
            .map(|Words { message, agent }| {
                let words = format!("Person: {}{}", clip(message, LONGEST_TURN), clip(agent, LONGEST_TURN));
                format!("{words}\n\n[This turn ended before you had finished.]")
            })
            .collect();
        (!turns.is_empty()).then(|| turns.join("\n\n"))
    }
}
