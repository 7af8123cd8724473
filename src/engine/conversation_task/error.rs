//! Faults of turns that end without their agent ending them.
//!
//! Owns the code, the message and the next step of each. The adapter owns the faults that an agent reports itself.

use gstack_protocol::catalogue::{self, MessageTemplate, Sentence};
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use std::time::Duration;

#[derive(Debug)]
pub(super) enum TurnError {
    /// A person stopped it before the agent had the message. Holds how far it had come.
    Stopped(MessageTemplate),
    /// The agent process ended before it got the message.
    AgentEnded,
    /// `limit` is in megabytes.
    SaidTooMuch { limit: u64 },
    /// The agent was silent for this long.
    Silent(Duration),
    /// The turn worked for this long.
    TooLong(Duration),
}

impl From<TurnError> for Fault {
    fn from(error: TurnError) -> Self {
        let time_is_over = |limit, seconds, minutes, setting: &str| {
            Self::new(FaultCode::Timeout, after(limit, seconds, minutes))
                .hint(catalogue::TURN_LIMIT_NEXT.with([setting]))
        };
        let fault = match error {
            TurnError::Stopped(what) => Self::new(FaultCode::Cancelled, what),
            TurnError::AgentEnded => Self::new(FaultCode::AgentCrashed, catalogue::AGENT_ENDED_BEFORE),
            TurnError::SaidTooMuch { limit } => {
                Self::new(FaultCode::TooLarge, catalogue::TURN_SAID_TOO_MUCH.with([&limit.to_string()]))
                    .hint(catalogue::TURN_SAID_TOO_MUCH_NEXT)
            }
            TurnError::Silent(limit) => {
                let setting = "watchdog.silence-minutes";
                time_is_over(limit, catalogue::TURN_SILENT_SECONDS, catalogue::TURN_SILENT_MINUTES, setting)
            }
            TurnError::TooLong(limit) => {
                let setting = "watchdog.total-minutes";
                time_is_over(limit, catalogue::TURN_LONG_SECONDS, catalogue::TURN_LONG_MINUTES, setting)
            }
        };
        fault.at(Hop::Agent)
    }
}

fn after(limit: Duration, in_seconds: MessageTemplate, in_minutes: MessageTemplate) -> Sentence {
    match limit.as_secs() {
        0..120 => in_seconds.with([&limit.as_secs_f64().to_string()]),
        long => in_minutes.with([&(long / 60).to_string()]),
    }
}
