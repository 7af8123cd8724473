//! Flows in a conversation: a message `/NAME` runs a saved flow of the person in the conversation's tab, without a model.
//!
//! Owns which messages are flows. `gstack_flows` owns the files and the runs, `turn` one run, `message` what a message says.

mod message;
mod question;
pub(crate) mod tool;
mod turn;

use gstack_agent::adapter::{Agent, AgentEnvironment, AgentEvent, AgentSession, Examined, Launch, Prompt, Started};
use gstack_agent::direct::DirectAgent;
use gstack_agent::in_process::InProcess;
use gstack_base::counted::counted;
use gstack_base::home::Home;
use gstack_engine::Engine;
use gstack_flows::{FlowError, Listed, find, list};
use gstack_protocol::agents::{AgentInfo, SlashCommand};
use gstack_protocol::ids::AgentName;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use tokio::sync::mpsc;
use turn::FlowTurn;

/// The name in a conversation's record. No person chooses it.
const NAME: &str = "flow";

/// Runs flows as the person who typed the message.
pub(crate) struct FlowRunner {
    home: Home,
    /// Asks the agent that heals a step. Set once the engine is there.
    engine: Arc<OnceLock<Engine>>,
}

impl FlowRunner {
    pub(crate) fn new(home: Home) -> Self {
        Self { home, engine: Arc::default() }
    }

    /// Lets an agent of this engine be asked when a person wants a step healed.
    pub(crate) fn heal_with(&self, engine: Engine) {
        if self.engine.set(engine).is_err() {
            tracing::error!("flows have two engines");
        }
    }
}

impl Agent for FlowRunner {
    fn name(&self) -> AgentName {
        AgentName::new(NAME)
    }

    fn label(&self) -> &str {
        "Flow"
    }

    fn examine<'a>(&'a self, _: &'a AgentEnvironment, info: &'a mut AgentInfo) -> Examined<'a> {
        info.has_model = false;
        Box::pin(std::future::ready(Ok(())))
    }

    fn start(&self, launch: Launch, events: mpsc::Sender<AgentEvent>) -> Started<'_> {
        let (home, folder, tools, told) = (self.home.clone(), launch.folder, launch.tools, events.clone());
        let engine = Arc::clone(&self.engine);
        let run = move |prompt: Prompt, cancel| {
            let turn = FlowTurn {
                home: home.clone(),
                folder: folder.clone(),
                tools: Arc::clone(&tools),
                events: told.clone(),
                engine: Arc::clone(&engine),
                cancel,
                attended: true.into(),
            };
            async move { turn.run(&prompt.text).await }
        };
        let session: Box<dyn AgentSession> = Box::new(InProcess::new(events, run));
        Box::pin(std::future::ready(Ok(session)))
    }
}

impl DirectAgent for FlowRunner {
    /// A flow that may not run yet says how to allow it, but takes no command of the agent's: a repository has its file.
    fn takes(&self, message: &str, folder: &Path, offered: &[SlashCommand]) -> bool {
        let Some((name, _)) = message::named(message) else { return false };
        let may_run = match find(&self.home, folder, name) {
            Ok(found) => found.may_run,
            Err(FlowError::NotFound(_) | FlowError::BadName(_)) => return false,
            Err(_) => false,
        };
        may_run || offered.iter().all(|command| command.name != name)
    }

    fn commands(&self, folder: &Path) -> Vec<SlashCommand> {
        let listed = list(&self.home, folder).unwrap_or_else(|error| {
            tracing::warn!(%error, "the flows can't be listed");
            Vec::new()
        });
        listed.into_iter().filter(Listed::can_run).map(command).collect()
    }
}

fn command(listed: Listed) -> SlashCommand {
    let argument = |(name, parameter): (&String, &gstack_flows::Parameter)| match parameter.default {
        Some(_) => format!("[{name}=…]"),
        None => format!("{name}=…"),
    };
    let (optional, needed): (Vec<_>, Vec<_>) =
        listed.flow.parameters.iter().partition(|(_, parameter)| parameter.default.is_some());
    let hint = needed.into_iter().chain(optional).map(argument).collect::<Vec<_>>().join(" ");
    let about = if listed.about.is_empty() { counted(listed.steps, "step") } else { listed.about };
    SlashCommand { name: listed.name, description: about, hint }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const FLOW: &str = "flow = 1\nabout = \"Order\"\nparameters.mail = \"a@b.example\"\nparameters.size = {}\n\
        steps = [\n  { act = \"click\", role = \"button\", name = \"{{mail}}{{size}}\" },\n]\n";

    fn offered(name: &str) -> Vec<SlashCommand> {
        vec![SlashCommand { name: name.to_owned(), description: String::new(), hint: String::new() }]
    }

    #[test]
    fn a_repository_can_neither_list_a_flow_nor_take_a_command_from_the_agent() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home")).unwrap();
        let project = folder.path().join("project");
        let theirs = project.join(".gstack/flows");
        fs::create_dir_all(&theirs).unwrap();
        fs::write(theirs.join("review.toml"), FLOW).unwrap();
        let runner = FlowRunner::new(home.clone());
        assert_eq!(runner.commands(&project), []);
        assert!(runner.takes("/review", &project, &[]), "it says how to allow it");
        assert!(!runner.takes("/review", &project, &offered("review")), "the agent's own command");
        gstack_flows::allow(&home, &find(&home, &project, "review").unwrap()).unwrap();
        assert!(runner.takes("/review size=2", &project, &offered("review")));
        let hint = "size=… [mail=…]".to_owned();
        let listed = SlashCommand { name: "review".to_owned(), description: "Order".to_owned(), hint };
        assert_eq!(runner.commands(&project), [listed]);
        // Another content is another flow.
        fs::write(theirs.join("review.toml"), FLOW.replace("Order", "Steal")).unwrap();
        assert_eq!(runner.commands(&project), []);
    }

    #[test]
    fn a_message_names_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home")).unwrap();
        gstack_flows::save(&home, "order", FLOW, false).unwrap();
        fs::write(folder.path().join("out.toml"), FLOW).unwrap();
        let runner = FlowRunner::new(home);
        let takes = |message: &str| runner.takes(message, folder.path(), &[]);
        assert!(takes("/order") && takes("  /order size=1\n"));
        for other in
            ["order", "/", "/Order2", "/../out", "/./out", "/out.toml", "//order", "/ord er", "/order/../../out"]
        {
            assert!(!takes(other), "{other}");
        }
    }
}
