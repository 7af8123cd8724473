//! The modes of a session: which of them asks the person before a file is written or a command runs, and which one is
//! used.
//!
//! Pure. Owns the choice. An agent without a mode that asks gets a folder that it cannot write, which is a mode of ours
//! in its list, until the person chooses another one.

use super::wire::{ConfigOption, SessionBegun};
use gstack_protocol::agents::ModeInfo;

/// The mode of ours in which the sandbox makes the folder read-only.
pub(super) const READ_ONLY: &str = "gstack:read-only";
/// The mode of ours of an agent without any, in which it writes without asking.
const WRITES: &str = "gstack:writes";

/// How the agent is told which mode it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ModeSetting {
    /// `session/set_mode`
    Method,
    /// `session/set_config_option` with this option.
    Option(String),
}

/// The modes of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Modes {
    /// All modes, ours included. Never empty once the session has begun.
    pub offered: Vec<ModeInfo>,
    /// The agent's own mode, as it reported it last.
    current: Option<String>,
    /// `None` if the agent has no modes.
    pub setting: Option<ModeSetting>,
    /// The mode that the session is meant to be in.
    wanted: String,
}

impl Modes {
    /// Returns the modes that an agent offered, and chooses: `chosen` by the person, or else the one that asks. `asking`:
    /// the ids of modes that ask, best first.
    pub(super) fn new(begun: &SessionBegun, asking: &[&str], chosen: Option<&str>) -> Self {
        let (setting, mut offered, current) = offered_by(begun);
        for mode in &mut offered {
            mode.asks = asking.contains(&mode.id.as_str());
        }
        let best = asking.iter().find(|id| offered.iter().any(|mode| mode.id == **id)).map(|id| (*id).to_owned());
        let safe = best.unwrap_or_else(|| {
            if offered.is_empty() {
                offered.push(ours(WRITES));
            }
            offered.insert(0, ours(READ_ONLY));
            READ_ONLY.to_owned()
        });
        let chosen = chosen.filter(|chosen| offered.iter().any(|mode| mode.id == *chosen));
        let wanted = chosen.map_or(safe, str::to_owned);
        Self { offered, current, setting, wanted }
    }

    /// Returns the agent's own mode to set, if it is not in it.
    pub(super) fn to_set(&self) -> Option<&str> {
        (self.is_own() && self.current.as_deref() != Some(self.wanted.as_str())).then_some(self.wanted.as_str())
    }

    /// Records that the agent did not change to the wanted mode. From now on its folder must be read-only.
    pub(super) fn refused(&mut self) {
        if !self.offered.iter().any(|mode| mode.id == READ_ONLY) {
            self.offered.insert(0, ours(READ_ONLY));
        }
        self.offered.iter_mut().filter(|mode| mode.id != READ_ONLY).for_each(|mode| mode.asks = false);
        self.wanted = READ_ONLY.to_owned();
    }

    /// Returns true if the folder must be read-only.
    pub(super) fn is_read_only(&self) -> bool {
        self.wanted == READ_ONLY
    }

    /// Returns the mode as people see it.
    pub(super) fn shown(&self) -> Option<&ModeInfo> {
        let id = match self.is_own() {
            true => self.current.as_deref().unwrap_or(&self.wanted),
            false => &self.wanted,
        };
        self.offered.iter().find(|mode| mode.id == id)
    }

    fn is_own(&self) -> bool {
        self.wanted != READ_ONLY && self.wanted != WRITES
    }

    /// Records the agent's own mode. Returns false if that is no change.
    pub(super) fn entered(&mut self, id: String) -> bool {
        let is_new = self.current.as_ref() != Some(&id);
        self.current = Some(id);
        is_new
    }

    /// Records the mode that an option of the session's settings has. Returns false if that is no change.
    pub(super) fn entered_by_option(&mut self, options: &[ConfigOption]) -> bool {
        let id = match &self.setting {
            Some(ModeSetting::Option(named)) => options.iter().find(|option| option.id == *named),
            Some(ModeSetting::Method) | None => None,
        };
        id.and_then(|option| option.current_value.as_str()).is_some_and(|id| self.entered(id.to_owned()))
    }

    /// Returns the mode to which the agent must go back: it left that of the session for one that the person has not
    /// chosen and in which it asks nothing.
    pub(super) fn to_go_back_to(&self) -> Option<&str> {
        let current = self.current.as_ref().filter(|_| self.is_own())?;
        let asks = self.offered.iter().any(|mode| mode.id == *current && mode.asks);
        (!asks && *current != self.wanted).then_some(self.wanted.as_str())
    }
}

/// Returns a mode of ours. The panel has its words in other languages.
fn ours(id: &str) -> ModeInfo {
    let asks = id == READ_ONLY;
    let label = if asks { "Read-only folder" } else { "Writes without asking" };
    ModeInfo { id: id.to_owned(), label: label.to_owned(), description: String::new(), asks }
}

/// Returns how a mode is set, the modes, and the current one.
fn offered_by(begun: &SessionBegun) -> (Option<ModeSetting>, Vec<ModeInfo>, Option<String>) {
    let mode = |id: &str, name: &str, description: Option<&str>| ModeInfo {
        id: id.to_owned(),
        label: if name.is_empty() { id.to_owned() } else { name.to_owned() },
        description: description.unwrap_or_default().to_owned(),
        asks: false,
    };
    if let Some(modes) = begun.modes.as_ref().filter(|modes| !modes.available_modes.is_empty()) {
        let offered = modes.available_modes.iter().map(|of| mode(&of.id, &of.name, of.description.as_deref()));
        return (Some(ModeSetting::Method), offered.collect(), modes.current_mode_id.clone());
    }
    let option = begun.config_options.iter().find(|option| option.category.as_deref() == Some("mode"));
    let Some(option) = option.filter(|option| !option.options.is_empty()) else { return (None, Vec::new(), None) };
    let offered = option.options.iter().map(|of| mode(&of.value, &of.name, of.description.as_deref()));
    let current = option.current_value.as_str().map(str::to_owned);
    (Some(ModeSetting::Option(option.id.clone())), offered.collect(), current)
}

#[cfg(test)]
mod tests {
    use super::{ModeSetting, Modes, READ_ONLY};
    use crate::acp::wire::SessionBegun;
    use serde_json::{Value, json};

    const ASKING: [&str; 2] = ["default", "read-only"];

    fn modes(begun: Value, chosen: Option<&str>) -> Modes {
        Modes::new(&serde_json::from_value::<SessionBegun>(begun).unwrap(), &ASKING, chosen)
    }

    fn claude(current: Value) -> Value {
        let modes = ["auto", "default", "acceptEdits"].map(|id| json!({"id": id, "name": id}));
        json!({"sessionId": "s", "modes": {"currentModeId": current, "availableModes": modes}})
    }

    #[test]
    fn the_mode_that_asks_is_chosen_whatever_the_agent_starts_in() {
        for current in [json!("auto"), json!(null), json!("newer"), json!(7)] {
            let modes = modes(claude(current), None);
            assert_eq!((modes.to_set(), modes.is_read_only()), (Some("default"), false));
        }
        assert_eq!(modes(claude(json!("default")), None).to_set(), None);
        let chosen = modes(claude(json!("auto")), Some("acceptEdits"));
        assert_eq!(chosen.to_set(), Some("acceptEdits"));
        assert_eq!(modes(claude(json!("auto")), Some("gone")).to_set(), Some("default"));
    }

    #[test]
    fn an_option_of_the_session_is_a_mode_too_also_in_groups() {
        let choices =
            json!([{"group": "g", "name": "G", "options": [{"value": "auto", "name": "A"}, {"value": "read-only"}]}]);
        let option = json!({"id": "m", "category": "mode", "currentValue": "auto", "options": choices});
        let begun = json!({"sessionId": "s", "modes": null, "models": null, "configOptions": [7, option]});
        let mut modes = modes(begun, None);
        assert_eq!(modes.setting, Some(ModeSetting::Option("m".to_owned())));
        assert_eq!(modes.to_set(), Some("read-only"));
        let told = json!([{"id": "m", "category": "mode", "currentValue": "read-only"}]);
        assert!(modes.entered_by_option(&serde_json::from_value::<Vec<_>>(told).unwrap()));
        assert_eq!((modes.to_set(), modes.shown().unwrap().label.as_str()), (None, "read-only"));
    }

    #[test]
    fn an_agent_without_a_mode_that_asks_has_a_read_only_folder_until_the_person_chooses() {
        let build = json!({"sessionId": "s", "modes": {"currentModeId": "build", "availableModes": [{"id": "build"}]}});
        for (begun, free) in [(build, "build"), (json!({"sessionId": "s", "configOptions": null}), "gstack:writes")] {
            let safe = modes(begun.clone(), None);
            assert!(safe.is_read_only() && safe.to_set().is_none() && safe.shown().unwrap().asks);
            assert_eq!(safe.offered.iter().map(|mode| mode.id.as_str()).collect::<Vec<_>>(), [READ_ONLY, free]);
            let chosen = modes(begun, Some(free));
            assert!(!chosen.is_read_only() && !chosen.shown().unwrap().asks, "{chosen:?}");
        }
    }

    #[test]
    fn a_mode_that_the_agent_does_not_take_counts_as_none_that_asks() {
        let mut modes = modes(claude(json!("auto")), None);
        modes.refused();
        assert!(modes.is_read_only() && modes.offered.iter().all(|mode| mode.asks == (mode.id == READ_ONLY)));
    }

    #[test]
    fn an_agent_that_leaves_the_mode_that_asks_must_go_back_but_not_from_another_one_that_asks() {
        let mut modes = modes(claude(json!("default")), None);
        assert!(modes.entered("acceptEdits".to_owned()) && !modes.entered("acceptEdits".to_owned()));
        assert_eq!(modes.to_go_back_to(), Some("default"));
        modes.entered("default".to_owned());
        assert_eq!(modes.to_go_back_to(), None);
    }
}
