//! The slots that limit how many agent processes run at once, and the queue for them.
//!
//! Owns the count and the queue. Never starts or ends a process: the holder of a slot does, and an idle holder is asked
//! to give up its slot when another conversation needs one.

use gstack_base::mutex::lock;
use gstack_protocol::ids::ConversationId;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tokio::sync::oneshot;

/// The memory of one agent process, in kB.
const AGENT_KB: u64 = 190 * 1024;
/// By default agents use at most one third of the machine's memory.
const SHARE: u64 = 3;
/// Bounds of the default: with one slot every other conversation waits, and a person cannot follow more than twelve.
const DEFAULTS: std::ops::RangeInclusive<usize> = 2..=12;
/// The default if the machine's memory is unknown.
const DEFAULT_UNKNOWN: usize = 4;

/// The slots of one daemon. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Slots(Arc<Mutex<State>>);

struct State {
    limit: usize,
    /// Keyed by number: a conversation holds two slots until its previous agent has ended.
    holders: HashMap<u64, Holder>,
    last_number: u64,
    waiting: VecDeque<(ConversationId, oneshot::Sender<Slot>)>,
}

struct Holder {
    id: ConversationId,
    /// The end of its last turn; `None` while a turn runs.
    idle_since: Option<Instant>,
}

/// The right to run one agent process. Dropped when the process has ended.
pub(crate) struct Slot {
    slots: Slots,
    number: u64,
}

/// The result of [`Slots::take`].
pub(crate) enum SlotAnswer {
    Now(Slot),
    /// The slot arrives when one is free. The agent of conversation `idle` has no turn and should end to free one.
    Later {
        slot: oneshot::Receiver<Slot>,
        idle: Option<ConversationId>,
    },
}

impl Slots {
    pub(crate) fn new(limit: usize) -> Self {
        Self(Arc::new(Mutex::new(State { limit, holders: HashMap::new(), last_number: 0, waiting: VecDeque::new() })))
    }

    /// Takes a slot for a conversation. Conversations that already wait come first.
    pub(crate) fn take(&self, id: &ConversationId) -> SlotAnswer {
        let mut state = lock(&self.0);
        if state.holders.len() < state.limit && state.waiting.is_empty() {
            return SlotAnswer::Now(self.grant(&mut state, id));
        }
        let (sender, slot) = oneshot::channel();
        state.waiting.push_back((id.clone(), sender));
        SlotAnswer::Later { slot, idle: state.longest_idle() }
    }

    /// Takes a slot if one is free and no conversation waits.
    pub(crate) fn take_free(&self, id: &ConversationId) -> Option<Slot> {
        let mut state = lock(&self.0);
        (state.holders.len() < state.limit && state.waiting.is_empty()).then(|| self.grant(&mut state, id))
    }

    /// Records whether the conversation's agent is idle.
    pub(crate) fn set_idle(&self, id: &ConversationId, idle: bool) {
        for holder in lock(&self.0).holders.values_mut().filter(|holder| holder.id == *id) {
            holder.idle_since = idle.then(Instant::now);
        }
    }

    /// Returns true if a conversation waits for a slot, so that an agent without a turn should end at once.
    pub(crate) fn are_wanted(&self) -> bool {
        let mut state = lock(&self.0);
        state.waiting.retain(|(_, sender)| !sender.is_closed());
        !state.waiting.is_empty()
    }

    /// Returns the conversation whose agent has been idle the longest, if another one waits for a slot.
    pub(crate) fn to_end(&self) -> Option<ConversationId> {
        self.are_wanted().then(|| lock(&self.0).longest_idle()).flatten()
    }

    pub(crate) fn set_limit(&self, limit: usize) {
        let granted = {
            let mut state = lock(&self.0);
            state.limit = limit.max(1);
            self.grant_waiting(&mut state)
        };
        hand_out(granted);
    }

    fn grant(&self, state: &mut State, id: &ConversationId) -> Slot {
        state.last_number += 1;
        let number = state.last_number;
        state.holders.insert(number, Holder { id: id.clone(), idle_since: None });
        Slot { slots: self.clone(), number }
    }

    /// Grants free slots to waiting conversations. The caller sends them without the lock, because a slot whose
    /// receiver is gone is returned, which takes the lock.
    fn grant_waiting(&self, state: &mut State) -> Vec<(Slot, oneshot::Sender<Slot>)> {
        let mut granted = Vec::new();
        while state.holders.len() < state.limit {
            let Some((id, sender)) = state.waiting.pop_front() else { break };
            if !sender.is_closed() {
                granted.push((self.grant(state, &id), sender));
            }
        }
        granted
    }
}

impl State {
    fn longest_idle(&self) -> Option<ConversationId> {
        let idle = self.holders.values().filter_map(|holder| holder.idle_since.map(|since| (since, &holder.id)));
        idle.min_by_key(|(since, _)| *since).map(|(_, id)| id.clone())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let granted = {
            let mut state = lock(&self.slots.0);
            state.holders.remove(&self.number);
            self.slots.grant_waiting(&mut state)
        };
        hand_out(granted);
    }
}

fn hand_out(granted: Vec<(Slot, oneshot::Sender<Slot>)>) {
    for (slot, sender) in granted {
        // If the receiver is gone, dropping the slot passes it to the next one.
        drop(sender.send(slot));
    }
}

/// Returns the default limit: as many agents as fit into the agents' part of the machine's memory.
pub(crate) fn slots_by_memory() -> usize {
    let Ok(text) = std::fs::read_to_string("/proc/meminfo") else { return DEFAULT_UNKNOWN };
    let total =
        text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix("kB")?.trim().parse().ok());
    let fits = total.map_or(DEFAULT_UNKNOWN as u64, |total: u64| total / SHARE / AGENT_KB);
    usize::try_from(fits).unwrap_or(usize::MAX).clamp(*DEFAULTS.start(), *DEFAULTS.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> ConversationId {
        ConversationId::new(name)
    }

    fn later(turn: SlotAnswer) -> (oneshot::Receiver<Slot>, Option<ConversationId>) {
        match turn {
            SlotAnswer::Later { slot, idle } => (slot, idle),
            SlotAnswer::Now(_) => panic!("there is no free slot"),
        }
    }

    #[test]
    fn slots_go_round_in_the_order_of_asking() {
        let slots = Slots::new(1);
        let SlotAnswer::Now(first) = slots.take(&id("a")) else { panic!("the first gets it") };
        let (mut second, _) = later(slots.take(&id("b")));
        let (mut third, _) = later(slots.take(&id("c")));
        assert!(second.try_recv().is_err() && slots.take_free(&id("d")).is_none());
        drop(first);
        let held = second.try_recv().unwrap();
        assert!(third.try_recv().is_err());
        drop(held);
        assert!(third.try_recv().is_ok());
    }

    #[test]
    fn whoever_gave_up_is_passed_over() {
        let slots = Slots::new(1);
        let SlotAnswer::Now(first) = slots.take(&id("a")) else { panic!("the first gets it") };
        let (gone, _) = later(slots.take(&id("b")));
        let (mut next, _) = later(slots.take(&id("c")));
        drop(gone);
        drop(first);
        assert!(next.try_recv().is_ok());
    }

    #[test]
    fn the_agent_without_a_turn_for_the_longest_is_asked_to_end() {
        let slots = Slots::new(2);
        let held: Vec<SlotAnswer> = ["a", "b"].iter().map(|name| slots.take(&id(name))).collect();
        let (waiting, idle) = later(slots.take(&id("c")));
        assert_eq!(idle, None, "both work");
        slots.set_idle(&id("b"), true);
        slots.set_idle(&id("a"), true);
        assert_eq!(slots.to_end(), Some(id("b")));
        drop(waiting);
        assert_eq!(slots.to_end(), None, "nobody waits any more");
        drop(held);
    }

    #[test]
    fn a_conversation_whose_agent_still_ends_is_counted_twice_when_the_next_one_runs() {
        let slots = Slots::new(2);
        let ending = slots.take_free(&id("a")).unwrap();
        let next = slots.take_free(&id("a")).unwrap();
        assert!(slots.take_free(&id("b")).is_none(), "two processes run");
        drop(ending);
        let other = slots.take_free(&id("b")).unwrap();
        assert!(slots.take_free(&id("c")).is_none(), "the second one of a still runs");
        drop((next, other));
        assert!(slots.take_free(&id("c")).is_some());
    }

    #[test]
    fn a_higher_limit_lets_those_run_who_wait() {
        let slots = Slots::new(1);
        let _first = slots.take(&id("a"));
        let (mut second, _) = later(slots.take(&id("b")));
        slots.set_limit(2);
        assert!(second.try_recv().is_ok());
        assert!(DEFAULTS.contains(&slots_by_memory()));
    }
}
