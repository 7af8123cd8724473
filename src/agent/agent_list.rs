//! The list of agents: which can be used here, and which is the default for a conversation without a choice.
//!
//! Owns the list and the result of the last probe. Never starts an agent.

use super::acp::Acp;
use super::acp::preset::Preset;
use super::adapter::{Agent, AgentEnvironment, Offers};
use super::builtin::{self, Builtin};
use super::claude::{self, ClaudeCode};
use super::codex::{self, Codex};
use super::environment::LoginEnvironment;
use super::sandbox::{Confiner, SandboxSettings, SandboxState, single_files};
use gstack_protocol::agents::{AgentInfo, AgentStatus};
use gstack_protocol::catalogue;
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use gstack_protocol::ids::AgentName;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// The limit for the probe of any agent. Each query to a program has its own, shorter limit.
const PROBE_LIMIT: Duration = Duration::from_secs(30);

/// The configuration of agents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentSettings {
    /// The paths of programs by their agent's name, which are not searched for.
    pub programs: BTreeMap<String, PathBuf>,
    /// Agents of the person's own, in order of preference before the built-in one.
    pub own: Vec<OwnAgent>,
    /// The default agent, if a person chose one.
    pub default: Option<AgentName>,
    /// The folders that the person has allowed agents to write, by agent.
    pub folders: BTreeMap<String, Vec<PathBuf>>,
    /// Variables for all agents, which override those of the login shell.
    pub environment: BTreeMap<String, String>,
    /// `None`: agents run without a sandbox.
    pub sandbox: Option<SandboxSettings>,
}

/// An agent from the configuration. It uses ACP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnAgent {
    pub name: String,
    pub label: Option<String>,
    /// A name to search for, or a path.
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
}

/// All agents. Cheap to clone.
#[derive(Clone)]
pub struct Agents {
    shared: Arc<Shared>,
}

struct Shared {
    listed: Mutex<Listed>,
    environment: LoginEnvironment,
    confiner: Confiner,
    found: Mutex<Option<Vec<AgentInfo>>>,
    /// Held during a probe, so that other callers wait for its result instead of starting every program again.
    looking: tokio::sync::Mutex<()>,
    /// What running agents have offered, which a probe does not ask for.
    learned: Mutex<BTreeMap<AgentName, Offers>>,
    /// What the running probe has found so far.
    looked: watch::Sender<Vec<AgentInfo>>,
    /// The agent that a message waits for: it is examined next.
    wanted: Mutex<Option<AgentName>>,
}

/// The part that the configuration determines. Replaced as a whole when it changes.
#[derive(Clone)]
struct Listed {
    /// `None`: the agents were given directly.
    settings: Option<Arc<AgentSettings>>,
    /// In order of preference; the built-in one is last.
    agents: Vec<Arc<dyn Agent>>,
    chosen: Option<AgentName>,
}

impl Listed {
    fn of(settings: AgentSettings) -> Self {
        let kept = Some(Arc::new(settings.clone()));
        let path = |name: &str| settings.programs.get(name).cloned();
        let mut agents: Vec<Arc<dyn Agent>> =
            vec![Arc::new(ClaudeCode::new(path(claude::NAME))), Arc::new(Codex::new(path(codex::NAME)))];
        let known = [Preset::gemini(), Preset::claude_agent()];
        let own = settings.own.into_iter().map(|own| {
            let OwnAgent { name, label, program, arguments } = own;
            Preset::configured(&name, label, program, arguments)
        });
        for mut preset in known.into_iter().chain(own) {
            let configured = path(&preset.name);
            preset.allowed = settings.folders.get(&preset.name).cloned().unwrap_or_default();
            let acp = Acp::new(preset, configured);
            // An agent of the person's own replaces the known one of the same name.
            agents.retain(|agent| agent.name() != acp.name());
            agents.push(Arc::new(acp));
        }
        agents.push(Arc::new(Builtin));
        Self { settings: kept, agents, chosen: settings.default }
    }
}

impl Agents {
    pub fn new(settings: AgentSettings) -> Self {
        let environment = LoginEnvironment::new(settings.environment.clone());
        let confiner = Confiner::new(settings.sandbox.clone());
        Self::from(Listed::of(settings), environment, confiner)
    }

    /// Creates the list with the given agents. The first usable one is the default; the last one should always be
    /// usable.
    #[cfg(test)]
    pub fn with(agents: Vec<Arc<dyn Agent>>, chosen: Option<AgentName>, environment: LoginEnvironment) -> Self {
        Self::from(Listed { settings: None, agents, chosen }, environment, Confiner::new(None))
    }

    fn from(listed: Listed, environment: LoginEnvironment, confiner: Confiner) -> Self {
        Self {
            shared: Arc::new(Shared {
                listed: Mutex::new(listed),
                environment,
                confiner,
                found: Mutex::default(),
                looking: Default::default(),
                learned: Mutex::default(),
                looked: watch::Sender::new(Vec::new()),
                wanted: Mutex::default(),
            }),
        }
    }

    /// Applies a changed configuration from the next probe on. Running agents are not affected.
    pub fn configure(&self, settings: AgentSettings) {
        let mut listed = self.shared.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if listed.settings.as_deref() == Some(&settings) {
            return;
        }
        self.shared.environment.configure(settings.environment.clone());
        self.shared.confiner.configure(settings.sandbox.clone());
        *listed = Listed::of(settings);
        *self.shared.found.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Adds the folders of a terminal's PATH, so that every program that its `which` finds is found here too. Returns
    /// whether any of them is new, in which case another probe may find more.
    pub fn learn_path(&self, path: &str) -> bool {
        self.shared.environment.learn_path(path)
    }

    fn listed(&self) -> Listed {
        self.shared.listed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the environment in which agents and git are started, with their sandbox.
    pub async fn environment(&self) -> AgentEnvironment {
        self.shared.confiner.confine(self.shared.environment.get().await).await
    }

    /// Returns the agent of this name, usable or not. Fails if there is none.
    pub fn get(&self, name: &AgentName) -> Result<Arc<dyn Agent>, Fault> {
        let agents = self.listed().agents;
        let named = agents.iter().find(|agent| agent.name() == *name);
        named.cloned().ok_or_else(|| {
            let names: Vec<String> = agents.iter().map(|agent| agent.name().to_string()).collect();
            Fault::new(FaultCode::NotFound, catalogue::NO_SUCH_AGENT.with([name.as_str()]))
                .hint(catalogue::CHOOSE_ONE_OF.with([&names.join(", ")]))
                .at(Hop::Daemon)
        })
    }

    /// Returns whether there is a result of a probe.
    pub fn has_looked(&self) -> bool {
        self.found().is_some()
    }

    /// Waits for what a probe finds about one agent, which is then examined next; without a name, for the one that would be
    /// the default. Another caller must be probing. Returns its name, and what was found.
    pub async fn wait_for(&self, name: Option<&AgentName>) -> Option<AgentInfo> {
        let order: Vec<AgentName> = self.listed().agents.iter().map(|agent| agent.name()).collect();
        *self.shared.wanted.lock().unwrap_or_else(PoisonError::into_inner) = name.cloned();
        let mut looked = self.shared.looked.subscribe();
        loop {
            let all = self.found();
            let found = match (&all, name) {
                (Some(all), Some(name)) => all.iter().find(|info| info.name == *name).cloned(),
                (Some(all), None) => all.iter().find(|info| info.default).cloned(),
                (None, Some(name)) => looked.borrow().iter().find(|info| info.name == *name).cloned(),
                (None, None) => first_ready(&order, &looked.borrow()).cloned(),
            };
            if found.is_some() || all.is_some() || looked.changed().await.is_err() {
                return found;
            }
        }
    }

    /// Returns the result of the last probe. Probes if there was none.
    pub async fn list(&self) -> Vec<AgentInfo> {
        if let Some(found) = self.found() {
            return found;
        }
        let looking = self.shared.looking.lock().await;
        match self.found() {
            Some(found) => found,
            None => self.look(&looking).await,
        }
    }

    fn found(&self) -> Option<Vec<AgentInfo>> {
        self.shared.found.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Merges a running agent's offers into the result of the last probe. Returns all agents if that changed anything.
    pub fn learn(&self, name: &AgentName, offers: Offers) -> Option<Vec<AgentInfo>> {
        let mut learned = self.shared.learned.lock().unwrap_or_else(PoisonError::into_inner);
        let known = learned.entry(name.clone()).or_default();
        let Offers { models, modes, commands, account } = offers;
        *known = Offers {
            models: models.or_else(|| known.models.take()),
            modes: modes.or_else(|| known.modes.take()),
            commands: commands.or_else(|| known.commands.take()),
            account: account.or_else(|| known.account.take()),
        };
        let mut found = self.shared.found.lock().unwrap_or_else(PoisonError::into_inner);
        let all = found.as_mut()?;
        let info = all.iter_mut().find(|info| info.name == *name)?;
        let before = info.clone();
        with_offers(info, known);
        (*info != before).then(|| all.clone())
    }

    /// Returns the files of an agent's own settings that its sandbox can't keep read-only to the end: they are compared after
    /// each turn. Reads the disk.
    pub async fn settings_to_compare(&self, name: &AgentName) -> Vec<PathBuf> {
        let environment = self.environment().await;
        let listed = self.listed();
        let agent = listed.agents.iter().find(|agent| agent.name() == *name);
        agent.map(|agent| single_files(&environment, &agent.access(&environment))).unwrap_or_default()
    }

    /// Returns the sandbox state from the last probe.
    pub fn known_sandbox(&self) -> Option<SandboxState> {
        self.shared.confiner.known()
    }

    /// Asks the login shell for its environment again, then probes all agents, one at a time: several that start at once would
    /// make each other, and the person's machine, slow.
    pub async fn refresh(&self) -> Vec<AgentInfo> {
        let looking = self.shared.looking.lock().await;
        self.look(&looking).await
    }

    async fn look(&self, _one_at_a_time: &tokio::sync::MutexGuard<'_, ()>) -> Vec<AgentInfo> {
        let environment = self.shared.environment.refresh().await;
        // Something may have been installed in between.
        self.shared.confiner.forget();
        let environment = self.shared.confiner.confine(environment).await;
        let listed = self.listed();
        let (mut left, mut found) = (listed.agents.clone(), Vec::new());
        self.shared.looked.send_replace(Vec::new());
        while !left.is_empty() {
            let wanted = self.shared.wanted.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let next = left.iter().position(|agent| Some(agent.name()) == wanted).unwrap_or_default();
            let mut info = probe(left.remove(next).as_ref(), &environment).await;
            if let Some(known) = self.shared.learned.lock().unwrap_or_else(PoisonError::into_inner).get(&info.name) {
                // What a probe finds by itself is newer.
                let kept = Offers {
                    models: known.models.clone().filter(|_| info.models.is_empty()),
                    modes: known.modes.clone().filter(|_| info.modes.is_empty()),
                    commands: known.commands.clone().filter(|_| info.commands.is_empty()),
                    account: None,
                };
                with_offers(&mut info, &kept);
            }
            found.push(info);
            self.shared.looked.send_replace(found.clone());
        }
        let place = |info: &AgentInfo| listed.agents.iter().position(|agent| agent.name() == info.name);
        found.sort_by_key(place);
        choose_default(&mut found, listed.chosen.as_ref());
        *self.shared.found.lock().unwrap_or_else(PoisonError::into_inner) = Some(found.clone());
        self.shared.looked.send_replace(Vec::new());
        found
    }
}

async fn probe(agent: &dyn Agent, environment: &AgentEnvironment) -> AgentInfo {
    match tokio::time::timeout(PROBE_LIMIT, agent.probe(environment)).await {
        Ok(info) => info,
        Err(_elapsed) => {
            let mut info = AgentInfo::unknown(agent.name(), agent.label());
            info.has_model = agent.name().as_str() != builtin::NAME;
            info.settle(Err(Fault::new(FaultCode::Timeout, catalogue::AGENT_NO_ANSWER.with([agent.label()]))
                .hint(catalogue::AGENT_TRY_ITSELF)
                .at(Hop::Agent)));
            info
        }
    }
}

/// Marks the default: the chosen one, or else the first one with a model that is ready, or else the first one that only
/// lacks a sign-in, because it is better to say so at once than to answer without a model. `found` contains at least
/// the built-in one, which is always ready.
fn choose_default(found: &mut [AgentInfo], chosen: Option<&AgentName>) {
    let first = |holds: &dyn Fn(&AgentInfo) -> bool| found.iter().position(holds);
    let at = chosen
        .and_then(|name| first(&|info| info.name == *name))
        .or_else(|| first(&|info| info.has_model && info.status == AgentStatus::Ready))
        .or_else(|| first(&|info| info.status == AgentStatus::SignedOut))
        .or_else(|| first(&|info| info.status == AgentStatus::Ready));
    if let Some(at) = at {
        found[at].default = true;
    }
}

/// Adds what the agent offered when it ran last.
fn with_offers(info: &mut AgentInfo, offers: &Offers) {
    let Offers { models, modes, commands, account } = offers;
    if let Some(models) = models {
        info.models.clone_from(models);
    }
    if let Some(modes) = modes {
        info.modes.clone_from(modes);
    }
    if let Some(commands) = commands {
        info.commands.clone_from(commands);
    }
    if account.is_some() {
        info.account.clone_from(account);
    }
}

/// Returns the default among those that were found so far, if the ones that are left cannot change it.
fn first_ready<'a>(order: &[AgentName], found: &'a [AgentInfo]) -> Option<&'a AgentInfo> {
    let known = order.iter().map_while(|name| found.iter().find(|info| info.name == *name));
    known.into_iter().find(|info| info.has_model && info.status == AgentStatus::Ready)
}

#[cfg(test)]
mod tests {
    use super::{AgentSettings, Agents, OwnAgent, choose_default, first_ready};
    use crate::adapter::AgentEnvironment;
    use crate::builtin::Builtin;
    use crate::claude::ClaudeCode;
    use crate::environment::LoginEnvironment;
    use gstack_protocol::agents::{AgentInfo, AgentStatus};
    use gstack_protocol::fault::FaultCode;
    use gstack_protocol::ids::AgentName;
    use std::path::PathBuf;
    use std::sync::Arc;

    fn info(name: &str, status: AgentStatus) -> AgentInfo {
        AgentInfo { status, has_model: name != "builtin", ..AgentInfo::unknown(AgentName::new(name), name) }
    }

    #[test]
    fn the_default_is_the_first_that_is_there_or_the_chosen_one() {
        let table = [
            (AgentStatus::Ready, None, "claude"),
            (AgentStatus::SignedOut, None, "claude"),
            (AgentStatus::Missing, None, "builtin"),
            (AgentStatus::Broken, None, "builtin"),
            (AgentStatus::Ready, Some("builtin"), "builtin"),
            (AgentStatus::Ready, Some("gone"), "claude"),
        ];
        for (status, chosen, expected) in table {
            let mut found = [info("claude", status), info("builtin", AgentStatus::Ready)];
            choose_default(&mut found, chosen.map(AgentName::new).as_ref());
            let defaults: Vec<&str> = found.iter().filter(|info| info.default).map(|info| info.name.as_str()).collect();
            assert_eq!(defaults, [expected]);
        }
    }

    #[test]
    fn one_that_is_ready_comes_before_one_that_is_signed_out() {
        let mut found = [
            info("claude", AgentStatus::SignedOut),
            info("codex", AgentStatus::Ready),
            info("builtin", AgentStatus::Ready),
        ];
        choose_default(&mut found, None);
        assert!(found[1].default && !found[0].default);
    }

    #[test]
    fn a_message_need_not_wait_for_agents_that_come_after_the_one_that_answers() {
        let order = ["claude", "codex", "mine", "builtin"].map(AgentName::new);
        let ready = |name| info(name, AgentStatus::Ready);
        let missing = |name| info(name, AgentStatus::Missing);
        for (found, expected) in [
            (vec![], None),
            (vec![ready("claude")], Some("claude")),
            (vec![missing("claude"), ready("codex")], Some("codex")),
            (vec![missing("claude"), ready("mine")], None),
            (vec![ready("mine"), missing("claude"), missing("codex")], Some("mine")),
            (vec![missing("claude"), missing("codex"), missing("mine"), ready("builtin")], None),
        ] {
            assert_eq!(first_ready(&order, &found).map(|info| info.name.as_str()), expected, "{found:?}");
        }
    }

    #[test]
    fn one_of_the_persons_own_takes_the_place_of_the_known_one() {
        let own = OwnAgent {
            name: "gemini".to_owned(),
            label: Some("Mine".to_owned()),
            program: PathBuf::from("/nowhere/mine"),
            arguments: Vec::new(),
        };
        let agents = Agents::new(AgentSettings { own: vec![own], ..AgentSettings::default() });
        let named = |name: &str| agents.get(&AgentName::new(name)).map(|agent| agent.label().to_owned());
        assert_eq!(named("gemini").unwrap(), "Mine");
        assert_eq!(
            (named("codex").unwrap(), named("claude-agent-acp").unwrap()),
            ("Codex".into(), "Claude (ACP)".into())
        );
    }

    #[tokio::test]
    async fn without_an_agent_the_built_in_one_answers_and_the_missing_one_says_how_to_get_it() {
        let missing = ClaudeCode::new(Some(PathBuf::from("/nowhere/claude")));
        let environment = LoginEnvironment::known(AgentEnvironment::default());
        let agents = Agents::with(vec![Arc::new(missing), Arc::new(Builtin)], None, environment);
        let list = agents.list().await;
        assert_eq!(list[0].fault.as_ref().map(|fault| fault.code), Some(FaultCode::AgentMissing));
        assert!(list[1].default && !list[1].has_model);
        assert_eq!(agents.get(&AgentName::new("x")).err().map(|fault| fault.code), Some(FaultCode::NotFound));
    }
}
