//! Which commands are tools: a core that a model can keep in mind, or all that make sense for one.
//!
//! Owns the choice. Never decides whether a call may run.

use super::registry;
use super::spec::{Class, Offered, Spec};
use std::str::FromStr;

/// How many tools are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolProfile {
    #[default]
    Core,
    /// Every command but those that show or set what identifies a person.
    All,
    /// Those too.
    AllWithSecrets,
}

impl ToolProfile {
    /// The commands of it, in the registry's order.
    pub fn specs(self) -> impl Iterator<Item = &'static Spec> {
        registry::all().iter().copied().filter(move |spec| self.has(spec))
    }

    /// A command of it by its name.
    pub fn find(self, name: &str) -> Option<&'static Spec> {
        registry::find(name).filter(|spec| self.has(spec))
    }

    /// Whether its tools take each argument. In the core nothing is written where a model says, and nothing deleted.
    pub fn is_whole(self) -> bool {
        self != Self::Core
    }

    /// Whether a command is in it.
    pub fn has(self, spec: &Spec) -> bool {
        match self {
            Self::Core => matches!(spec.offered, Offered::Core | Offered::Client),
            Self::All => spec.class != Class::Secret,
            Self::AllWithSecrets => true,
        }
    }
}

/// No profile has this name.
#[derive(Debug, thiserror::Error)]
#[error("a profile is `core` or `all`")]
pub struct UnknownProfile;

impl FromStr for ToolProfile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Self, UnknownProfile> {
        match name {
            "core" => Ok(Self::Core),
            "all" => Ok(Self::All),
            _ => Err(UnknownProfile),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ToolProfile;
    use crate::command::core::tool_schema::{core_schema, holdings, input_schema};
    use crate::command::registry;
    use crate::command::spec::Class;

    #[test]
    fn the_core_is_there_and_holds_no_secrets_and_all_has_none_unless_asked() {
        assert!(ToolProfile::Core.find("click").is_some());
        assert!(ToolProfile::Core.specs().all(|spec| spec.class != Class::Secret));
        assert!(ToolProfile::All.specs().all(|spec| spec.class != Class::Secret));
        assert!(ToolProfile::All.find("cookies").is_none() && ToolProfile::All.find("pdf").is_some());
        assert!(ToolProfile::AllWithSecrets.find("cookies").is_some());
        assert!(ToolProfile::Core.find("pdf").is_none());
        assert!("some".parse::<ToolProfile>().is_err() && "all".parse::<ToolProfile>().is_ok());
    }

    #[test]
    fn a_tool_that_only_reads_takes_nothing_that_writes_or_deletes() {
        const DELETES: [&str; 7] = ["clear", "delete", "remove", "reset", "forget", "empty", "drop"];
        let says = |text: &str| {
            let lower = text.to_lowercase();
            lower.split(|letter: char| !letter.is_alphabetic()).any(|word| DELETES.contains(&word))
        };
        for spec in registry::all().iter().filter(|spec| spec.class == Class::Read && !spec.changes()) {
            let places = spec.parameters.iter().map(|given| (given.name, given.help, given.holds));
            let flags = spec.flags.iter().map(|flag| (flag.name, flag.help, flag.holds));
            for (name, help, holds) in places.chain(flags) {
                let is_declared = holds.writes() || !(says(name) || says(help));
                assert!(is_declared, "{} {name}: its spec must say that it deletes", spec.name);
            }
        }
        for profile in [ToolProfile::Core, ToolProfile::All, ToolProfile::AllWithSecrets] {
            for spec in profile.specs().filter(|spec| spec.only_reads(profile.is_whole())) {
                let schema = if profile.is_whole() { input_schema(spec) } else { core_schema(spec) };
                let offered = |name: &str| schema["properties"].get(name).is_some();
                let writes = holdings(spec).find(|(name, holds)| holds.writes() && offered(name));
                assert_eq!(writes, None, "{} is listed as read-only", spec.name);
            }
        }
        let console = registry::find("console").unwrap();
        assert!(console.only_reads(false) && !console.only_reads(true));
    }
}
