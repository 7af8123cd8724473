//! The ways in which a turn ends. The turn machine decides between them.

use super::vocabulary::TurnEnd;
use gstack_protocol::catalogue;
use gstack_protocol::chat::{TurnOutcome, Usage};
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use gstack_protocol::ids::TurnId;

/// A [`TurnEnd`] without its turn.
pub(super) struct Ending {
    pub(super) outcome: TurnOutcome,
    pub(super) model: Option<String>,
    pub(super) cost_usd: Option<f64>,
    pub(super) usage: Option<Usage>,
    pub(super) fault: Option<Fault>,
}

impl Ending {
    fn plain(outcome: TurnOutcome) -> Self {
        Self { outcome, model: None, cost_usd: None, usage: None, fault: None }
    }
    /// Returns the ending of a stopped turn: stopped by a person, or given up with a fault.
    pub(super) fn stopped_for(fault: Option<Fault>) -> Self {
        fault.map_or_else(|| Self::plain(TurnOutcome::Stopped), Self::failed)
    }
    pub(super) fn interrupted() -> Self {
        Self::plain(TurnOutcome::Interrupted)
    }
    pub(super) fn failed(fault: Fault) -> Self {
        Self { fault: Some(fault), ..Self::plain(TurnOutcome::Failed) }
    }
    pub(super) fn of(self, turn_id: TurnId) -> TurnEnd {
        let Self { outcome, model, cost_usd, usage, fault } = self;
        TurnEnd { turn_id, outcome, model, cost_usd, usage, fault }
    }
}

/// Returns the fault if the agent itself reports none.
pub(super) fn gone() -> Fault {
    Fault::new(FaultCode::AgentCrashed, catalogue::AGENT_ENDED_MID_TURN)
        .hint(catalogue::SEND_AGAIN_RESTARTS)
        .at(Hop::Agent)
}
