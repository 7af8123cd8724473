//! The commands offered as tools: a core small enough for a model's context, the core with some capabilities, or all.
//!
//! Owns the choice. Never decides whether a call may run.

use super::registry;
use super::spec::{Class, Offered, Spec};

pub use super::spec::Capability;

/// The tools that one MCP client is offered. The default is the core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolProfile {
    capabilities: Vec<Capability>,
    /// With the commands that show or set what identifies a person.
    secrets: bool,
}

impl ToolProfile {
    /// The core and the commands of these capabilities, without secrets.
    pub fn with(capabilities: &[Capability]) -> Self {
        Self { capabilities: capabilities.to_vec(), secrets: false }
    }

    /// Every command that is not secret.
    pub fn all() -> Self {
        Self::with(&Capability::ALL)
    }

    /// Adds the secret commands of the same capabilities.
    pub fn and_secrets(self) -> Self {
        Self { secrets: true, ..self }
    }

    /// The commands of the profile, in the registry's order.
    pub fn specs(&self) -> impl Iterator<Item = &'static Spec> {
        registry::all().iter().copied().filter(move |spec| self.has(spec))
    }

    /// A command of the profile by its name.
    pub fn find(&self, name: &str) -> Option<&'static Spec> {
        registry::find(name).filter(|spec| self.has(spec))
    }

    /// Whether the command's tool takes every argument. Tools of the core take no path and delete nothing, unless the
    /// client has all capabilities.
    pub fn is_whole(&self, spec: &Spec) -> bool {
        matches!(spec.offered, Offered::Extended(_))
            || Capability::ALL.iter().all(|one| self.capabilities.contains(one))
    }

    pub fn has(&self, spec: &Spec) -> bool {
        let is_offered = match spec.offered {
            Offered::Core | Offered::Client => true,
            Offered::Extended(capability) => self.capabilities.contains(&capability),
        };
        is_offered && (self.secrets || spec.class != Class::Secret)
    }
}

#[cfg(test)]
mod tests {
    use super::ToolProfile;
    use crate::core::tool_schema::{core_schema, holdings, input_schema};
    use crate::registry;
    use crate::spec::{Capability, Class};

    #[test]
    fn the_core_is_there_and_holds_no_secrets_and_all_has_none_unless_asked() {
        let (core, all) = (ToolProfile::default(), ToolProfile::all());
        assert!(core.find("click").is_some() && core.find("pdf").is_none());
        assert!(core.specs().chain(all.specs()).all(|spec| spec.class != Class::Secret));
        assert!(all.find("cookies").is_none() && all.find("pdf").is_some());
        let with_secrets = all.and_secrets();
        assert!(
            registry::all().iter().all(|spec| with_secrets.has(spec)),
            "nothing is left out of the largest profile"
        );
    }

    #[test]
    fn a_capability_adds_its_own_commands_and_no_others() {
        for capability in Capability::ALL {
            assert_eq!(Capability::named(capability.name()), Some(capability));
            let plain = ToolProfile::with(&[capability]);
            let with_secrets = plain.clone().and_secrets();
            let core = ToolProfile::default().specs().count();
            assert!(plain.specs().all(|spec| spec.class != Class::Secret));
            assert!(with_secrets.specs().count() > core, "{} adds nothing", capability.name());
            assert!(with_secrets.specs().count() < registry::all().len(), "{} adds all", capability.name());
        }
        let network = ToolProfile::with(&[Capability::Network]);
        assert!(network.find("har").is_some() && network.find("pdf").is_none() && network.find("click").is_some());
        let screenshot = registry::find("screenshot").unwrap();
        assert!(!network.is_whole(screenshot), "a tool of the core still takes no path");
        assert!(network.is_whole(registry::find("har").unwrap()) && ToolProfile::all().is_whole(screenshot));
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
        let one_each = Capability::ALL.into_iter().map(|capability| ToolProfile::with(&[capability]).and_secrets());
        for profile in one_each.chain([ToolProfile::default(), ToolProfile::all(), ToolProfile::all().and_secrets()]) {
            for spec in profile.specs().filter(|spec| spec.only_reads(profile.is_whole(spec))) {
                let schema = if profile.is_whole(spec) { input_schema(spec) } else { core_schema(spec) };
                let offered = |name: &str| schema["properties"].get(name).is_some();
                let writes = holdings(spec).find(|(name, holds)| holds.writes() && offered(name));
                assert_eq!(writes, None, "{} is listed as read-only", spec.name);
            }
        }
        let console = registry::find("console").unwrap();
        assert!(console.only_reads(false) && !console.only_reads(true));
    }
}
