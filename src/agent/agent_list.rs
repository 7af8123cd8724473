//! The list of agents: which can be used here, and which is the default for a conversation without a choice.
//!
//! Owns the list and the result of the last look. An agent is examined only if it answers or is shown: the others are only
//! found. Never starts an agent for a conversation. `default_agent` chooses the default.

use super::acp::Acp;
use super::acp::preset::Preset;
use super::adapter::{Agent, AgentEnvironment, Offers};
use super::builtin::{self, Builtin};
use super::claude::{self, ClaudeCode};
use super::codex::{self, Codex};
use super::default_agent::{choose_default, first_ready, is_known};
use super::environment::LoginEnvironment;
use super::sandbox::{Confiner, SandboxSettings, SandboxState, single_files};
use gstack_protocol::agents::AgentInfo;
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

/// How much is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Returns the agents found last time. Does the same as `Again` if none were looked for yet.
    Known,
    /// Looks for all agents again, and examines the default one.
    Again,
    /// Looks for all agents again, and examines them.
    Everything,
    /// Examines the agents that were found and not examined yet.
    Rest,
}

/// The turn of a look, so that there is one at a time.
type Turn<'a> = tokio::sync::MutexGuard<'a, ()>;

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

    /// Returns the agents after this look. Agents are examined one at a time: several that start at once would make each other,
    /// and the person's machine, slow.
    pub async fn list(&self, look: Look) -> Vec<AgentInfo> {
        if let (Look::Known, Some(found)) = (look, self.found()) {
            return found;
        }
        let looking = self.shared.looking.lock().await;
        match (look, self.found()) {
            (Look::Known, Some(found)) => found,
            (Look::Rest, Some(found)) => self.examine_rest(found, &looking).await,
            (Look::Everything | Look::Rest, _) => self.look(true, &looking).await,
            (Look::Known | Look::Again, _) => self.look(false, &looking).await,
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
        // It has started.
        info.unexamined = false;
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

    /// Asks the login shell for its environment again, and looks for all agents. Examines them, or if not `everything` only those
    /// that a message waits for, and as many as it takes to know the default.
    async fn look(&self, everything: bool, _one_at_a_time: &Turn<'_>) -> Vec<AgentInfo> {
        let environment = self.shared.environment.refresh().await;
        // Something may have been installed in between.
        self.shared.confiner.forget();
        let environment = self.shared.confiner.confine(environment).await;
        let listed = self.listed();
        let order: Vec<AgentName> = listed.agents.iter().map(|agent| agent.name()).collect();
        let chosen = listed.chosen.as_ref().filter(|chosen| order.contains(chosen));
        let (mut left, mut found) = (listed.agents.clone(), Vec::new());
        self.shared.looked.send_replace(Vec::new());
        while !left.is_empty() {
            let wanted = self.shared.wanted.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let place = |name: Option<&AgentName>| left.iter().position(|agent| Some(&agent.name()) == name);
            let next = place(wanted.as_ref()).or_else(|| place(chosen)).unwrap_or_default();
            let is_needed = everything || place(wanted.as_ref()).is_some() || !is_known(&order, chosen, &found);
            let agent = left.remove(next);
            let mut info = match is_needed {
                true => probe(agent.as_ref(), &environment).await,
                false => glance(agent.as_ref(), &environment).await,
            };
            self.add_learned(&mut info);
            found.push(info);
            self.shared.looked.send_replace(found.clone());
        }
        let place = |info: &AgentInfo| order.iter().position(|name| *name == info.name);
        found.sort_by_key(place);
        choose_default(&mut found, listed.chosen.as_ref());
        *self.shared.found.lock().unwrap_or_else(PoisonError::into_inner) = Some(found.clone());
        self.shared.looked.send_replace(Vec::new());
        found
    }

    /// Examines the agents that were only found.
    async fn examine_rest(&self, mut found: Vec<AgentInfo>, _one_at_a_time: &Turn<'_>) -> Vec<AgentInfo> {
        let environment = self.environment().await;
        let agents = self.listed().agents;
        for info in found.iter_mut().filter(|info| info.unexamined) {
            let Some(agent) = agents.iter().find(|agent| agent.name() == info.name) else { continue };
            let default = info.default;
            *info = AgentInfo { default, ..probe(agent.as_ref(), &environment).await };
            self.add_learned(info);
        }
        let mut known = self.shared.found.lock().unwrap_or_else(PoisonError::into_inner);
        // The configuration may have changed meanwhile.
        if known.is_some() {
            *known = Some(found.clone());
        }
        found
    }

    /// Adds what a running agent has offered. What an examination finds by itself is newer.
    fn add_learned(&self, info: &mut AgentInfo) {
        if let Some(known) = self.shared.learned.lock().unwrap_or_else(PoisonError::into_inner).get(&info.name) {
            let kept = Offers {
                models: known.models.clone().filter(|_| info.models.is_empty()),
                modes: known.modes.clone().filter(|_| info.modes.is_empty()),
                commands: known.commands.clone().filter(|_| info.commands.is_empty()),
                account: None,
            };
            with_offers(info, &kept);
        }
    }
}

/// Finds an agent's program without starting it.
async fn glance(agent: &dyn Agent, environment: &AgentEnvironment) -> AgentInfo {
    let located = match agent.locate(environment).await {
        Ok(None) => return probe(agent, environment).await,
        located => located,
    };
    let mut info = AgentInfo::unknown(agent.name(), agent.label());
    info.path = located.as_ref().ok().and_then(Option::as_ref).map(|path| path.display().to_string());
    info.unexamined = located.is_ok();
    info.settle(located.map(|_| ()));
    info
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

#[cfg(test)]
mod tests {
    use super::{AgentSettings, Agents, Look, OwnAgent};
    use crate::adapter::{Agent, AgentEnvironment, AgentEvent, Examined, Launch, Located, Offers, Started};
    use crate::builtin::Builtin;
    use crate::claude::ClaudeCode;
    use crate::environment::LoginEnvironment;
    use gstack_protocol::agents::{AgentInfo, AgentStatus};
    use gstack_protocol::fault::{Fault, FaultCode};
    use gstack_protocol::ids::AgentName;
    use std::path::PathBuf;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::sync::mpsc;

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

    /// An agent that counts how often it is examined.
    struct Counting(&'static str, AtomicUsize);

    impl Agent for Counting {
        fn name(&self) -> AgentName {
            AgentName::new(self.0)
        }
        fn label(&self) -> &str {
            self.0
        }
        fn locate<'a>(&'a self, _environment: &'a AgentEnvironment) -> Located<'a> {
            Box::pin(std::future::ready(Ok(Some(PathBuf::from("/opt").join(self.0)))))
        }
        fn examine<'a>(&'a self, _environment: &'a AgentEnvironment, info: &'a mut AgentInfo) -> Examined<'a> {
            self.1.fetch_add(1, Ordering::Relaxed);
            info.version = Some("1".to_owned());
            Box::pin(std::future::ready(Ok(())))
        }
        fn start(&self, _launch: Launch, _events: mpsc::Sender<AgentEvent>) -> Started<'_> {
            let fault = Fault::new(FaultCode::AgentError, "it only counts");
            Box::pin(std::future::ready(Err(fault)))
        }
    }

    #[tokio::test]
    async fn an_agent_is_started_for_its_examination_only_if_it_answers_or_is_shown() {
        let counting = ["one", "two", "three"].map(|name| Arc::new(Counting(name, AtomicUsize::new(0))));
        let counts = || counting.each_ref().map(|agent| agent.1.load(Ordering::Relaxed));
        let list: Vec<Arc<dyn Agent>> = counting.iter().map(|agent| agent.clone() as Arc<dyn Agent>).collect();
        let environment = || LoginEnvironment::known(AgentEnvironment::default());
        let agents = Agents::with(list.clone(), None, environment());

        let found = agents.list(Look::Known).await;
        assert_eq!(counts(), [1, 0, 0]);
        assert!(found[0].default && !found[0].unexamined && found[1].unexamined && found[1].version.is_none());
        assert_eq!((found[1].status, found[1].path.as_deref()), (AgentStatus::Ready, Some("/opt/two")));
        assert_eq!(agents.wait_for(Some(&AgentName::new("two"))).await.map(|info| info.unexamined), Some(true));

        let shown = agents.list(Look::Rest).await;
        assert!(shown.iter().all(|info| !info.unexamined) && shown[0].default && !shown[1].default);
        assert_eq!(agents.list(Look::Rest).await, agents.list(Look::Known).await);
        assert_eq!(counts(), [1, 1, 1], "each once");
        agents.list(Look::Everything).await;
        assert_eq!(counts(), [2, 2, 2]);

        let chosen = Agents::with(list, Some(AgentName::new("three")), environment());
        assert!(chosen.list(Look::Known).await[2].default);
        assert_eq!(counts(), [2, 2, 3], "a chosen default needs no others");
        chosen.learn(&AgentName::new("one"), Offers::default());
        assert!(!chosen.list(Look::Known).await[0].unexamined, "one that ran is known");
    }

    #[tokio::test]
    async fn without_an_agent_the_built_in_one_answers_and_the_missing_one_says_how_to_get_it() {
        let missing = ClaudeCode::new(Some(PathBuf::from("/nowhere/claude")));
        let environment = LoginEnvironment::known(AgentEnvironment::default());
        let agents = Agents::with(vec![Arc::new(missing), Arc::new(Builtin)], None, environment);
        let list = agents.list(Look::Known).await;
        assert_eq!(list[0].fault.as_ref().map(|fault| fault.code), Some(FaultCode::AgentMissing));
        assert!(list[1].default && !list[1].has_model);
        assert_eq!(agents.get(&AgentName::new("x")).err().map(|fault| fault.code), Some(FaultCode::NotFound));
    }
}
