//! Flows as tools of agents: `flow_NAME` runs one that the person keeps or has allowed.
//!
//! Owns the list of these tools, the reading of a call, and its result. Each step goes through the agent's own policy, and the
//! person allows the list of steps as one. A call can neither make nor change a flow, nor choose where one begins.

use gstack_agent::adapter::{ToolCall, ToolResult};
use gstack_agent::direct::FLOW_TOOL_PREFIX as PREFIX;
use gstack_base::counted::counted;
use gstack_base::home::Home;
use gstack_base::plain_name;
use gstack_base::shorten::shorten;
use gstack_base::visible::visible;
use gstack_command::envelope;
use gstack_command::registry;
use gstack_engine::{AgentAccess, Driver, Engine, ListedSteps, OfferedTool};
use gstack_flows::{
    At, Begun, Commands, FlowError, Follower, Found, Listed, Next, Outcome, Report, Runs, StepReport, Values, Wanted,
    find, list, plan,
};
use gstack_protocol::command::{CommandRequest, CommandResult};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The longest description of a flow or a parameter, in characters.
const ABOUT: usize = 200;
/// The most flows that are listed: each costs an agent's context.
const MOST_LISTED: usize = 30;
/// The most steps that a person reads on one card.
const MOST_STEPS: usize = 50;

/// Returns the flow's name, if the name of a tool is one of a flow's.
pub(crate) fn named(tool: &str) -> Option<&str> {
    tool.strip_prefix(PREFIX).filter(|name| plain_name::is_name(name))
}

/// Returns the flows that may run here, as tools. Reads the disk.
pub(crate) fn offered(home: &Home, folder: &Path) -> Vec<OfferedTool> {
    let listed = list(home, folder).unwrap_or_else(|error| {
        tracing::warn!(%error, "the flows can't be listed");
        Vec::new()
    });
    listed.into_iter().filter(Listed::can_run).take(MOST_LISTED).map(tool).collect()
}

fn tool(listed: Listed) -> OfferedTool {
    let about = |text: &str| visible(&shorten(text, ABOUT));
    let steps = counted(listed.steps, "step");
    let said = if listed.about.is_empty() { String::new() } else { format!(" {:?}.", about(&listed.about)) };
    let description = format!(
        "Runs a flow that the person keeps ({steps}), in your tab.{said} They are asked once for all its steps."
    );
    let property = |(name, parameter): (&String, &gstack_flows::Parameter)| {
        // A default may be the person's own address: it is not told.
        let default = if parameter.default.is_some() { " It has a default." } else { "" };
        let text = format!("{}{default}", about(&parameter.about));
        (name.clone(), json!({ "type": "string", "description": text.trim() }))
    };
    let properties: Map<String, Value> = listed.flow.parameters.iter().map(property).collect();
    let needed = listed.flow.parameters.iter().filter(|(_, parameter)| parameter.default.is_none());
    let required: Vec<&String> = needed.map(|(name, _)| name).collect();
    let schema =
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    let schema = if let Value::Object(schema) = schema { schema } else { Map::new() };
    OfferedTool { name: format!("{PREFIX}{}", listed.name), description, schema, read_only: false, writes: true }
}

/// Runs a flow for an agent. `name` is its name, `arguments` its values.
pub(crate) async fn run(
    tools: Arc<dyn AgentAccess>,
    home: &Home,
    name: &str,
    arguments: &Value,
    cancel: CancellationToken,
) -> Result<ToolResult, Fault> {
    // Dropped when the caller leaves, so that a waiting approval is withdrawn.
    let _gone = cancel.clone().drop_guard();
    let found = find(home, &tools.folder(), name)?;
    found.check_seen()?;
    let wanted = Wanted { set: values(arguments)?, ..Wanted::default() };
    let steps = plan(&found, &wanted.set)?;
    if steps.len() > MOST_STEPS {
        return Err(Fault::new(FaultCode::TooLarge, format!("{name} has more steps than a person reads on one card"))
            .hint("Ask the person to run it."));
    }
    let ask = format!("Run your flow “{name}”, {}", counted(steps.len(), "step"));
    let sender = Sender { steps: tools.step_list(&ask, &steps), cancel };
    // On the heap: a request's stack has no room for a whole run.
    let (runs, mut silent) = (Runs::of(home), Silent);
    let report = Box::pin(gstack_flows::run(&runs, &found, &wanted, &sender, &mut silent)).await;
    let report = report.map_err(|error| match error {
        // Only the person knows what it did.
        FlowError::CutOff { message, .. } => {
            Fault::new(FaultCode::OutcomeUnknown, message).hint("Ask the person to look at the page and to run it.")
        }
        other => other.into(),
    })?;
    answer(&found, &wanted.set, &report)
}

/// Runs a flow for a client that the person trusts: nothing is asked about its acts.
pub(crate) async fn run_trusted(
    (engine, driver): (&Engine, Arc<Driver>),
    name: &str,
    request: &CommandRequest,
) -> Result<ToolResult, Fault> {
    let folder = request.cwd.as_deref().unwrap_or("/");
    let found = find(engine.home(), Path::new(folder), name)?;
    found.check_seen()?;
    let wanted = Wanted { set: values(&given(request))?, ..Wanted::default() };
    let sender = TrustedSender { engine, driver, template: request };
    let (runs, mut silent) = (Runs::of(engine.home()), Silent);
    let report = Box::pin(gstack_flows::run(&runs, &found, &wanted, &sender, &mut silent)).await?;
    answer(&found, &wanted.set, &report)
}

/// Returns the values in a command: JSON, as its only argument.
pub(crate) fn given(request: &CommandRequest) -> Value {
    request.args.first().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| json!({}))
}

/// Reads the values of a call.
fn values(arguments: &Value) -> Result<Values, Fault> {
    let wrong = || Fault::new(FaultCode::BadRequest, "the values of a flow are texts").hint("List the tools again.");
    let given = arguments.as_object().ok_or_else(wrong)?;
    let value = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    given.iter().map(value).collect::<Option<Values>>().ok_or_else(wrong)
}

/// Says which steps ran, and where and why it stopped. Has no value that the agent did not give.
fn answer(found: &Found, set: &Values, report: &Report) -> Result<ToolResult, Fault> {
    let flow = found.flow()?;
    let withheld = flow.parameters.iter().filter(|(name, _)| !set.contains_key(*name));
    let defaults: Vec<(String, String)> = withheld
        .filter_map(|(name, parameter)| Some((parameter.default.clone()?, format!("{{{{{name}}}}}"))))
        .filter(|(value, _)| !value.is_empty())
        .collect();
    let without = |text: &str| defaults.iter().fold(text.to_owned(), |text, (value, name)| text.replace(value, name));
    let line = |step: &StepReport| {
        let how = match step.outcome {
            Outcome::Done => "done",
            Outcome::Failed => "not done",
            Outcome::Unmet => "done, but what it waits for did not come",
            Outcome::Unknown => "it is not known whether it took effect",
        };
        let why = step.message.as_deref().map(|why| format!(": {}", without(why))).unwrap_or_default();
        let page: Vec<String> = step.candidates.iter().map(|one| format!("[{}] {:?}", one.role, one.name)).collect();
        let page = if page.is_empty() { String::new() } else { format!(" The page has {}.", page.join(", ")) };
        format!("{}. {} ({how}{why}){page}", step.step, step.told)
    };
    let lines: Vec<String> = report.steps.iter().map(line).collect();
    let steps = envelope::wrap_for_model(&lines.join("\n"));
    let (name, of) = (&report.flow, report.of);
    match report.outcome {
        Outcome::Done => Ok(ToolResult {
            text: format!("{name} is done, {}.\n{steps}", counted(of, "step")),
            ..ToolResult::default()
        }),
        outcome => {
            let last = report.steps.last().map_or(1, |step| step.step);
            let (code, how) = match outcome {
                Outcome::Unknown => (FaultCode::OutcomeUnknown, "in"),
                Outcome::Unmet => (FaultCode::Timeout, "after"),
                Outcome::Failed | Outcome::Done => (FaultCode::Element, "at"),
            };
            let message = format!("{name} stopped {how} step {last} of {of}.\n{steps}");
            Err(Fault::new(code, message)
                .hint("Look at the page. Do the rest yourself, or ask the person; do not run it again."))
        }
    }
}

/// Sends the steps as the agent's own acts.
struct Sender {
    steps: Arc<dyn ListedSteps>,
    cancel: CancellationToken,
}

impl Commands for Sender {
    async fn run(&self, command: &str, words: Vec<String>, at: &At) -> Result<CommandResult, Fault> {
        let At { tab, acts_on } = at.clone();
        let step = ToolCall { command: command.to_owned(), args: words, typed: false, tab, acts_on };
        match self.steps.run(step, self.cancel.clone()).await {
            Ok(ToolResult { text, data, files, .. }) => {
                Ok(CommandResult { output: text, data, files, ..CommandResult::default() })
            }
            Err(fault) if self.cancel.is_cancelled() && registry::find(command).is_some_and(|spec| spec.changes()) => {
                Err(Fault { code: FaultCode::OutcomeUnknown, message: "the run was stopped".to_owned(), ..fault })
            }
            Err(fault) => Err(fault),
        }
    }
}

/// Sends the steps as the acts of a trusted client.
struct TrustedSender<'a> {
    engine: &'a Engine,
    driver: Arc<Driver>,
    template: &'a CommandRequest,
}

impl Commands for TrustedSender<'_> {
    async fn run(&self, command: &str, words: Vec<String>, at: &At) -> Result<CommandResult, Fault> {
        let At { tab, acts_on } = at.clone();
        let request = CommandRequest {
            command: command.to_owned(),
            args: words,
            tab_id: tab.or(self.template.tab_id),
            acts_on,
            ..self.template.clone()
        };
        self.engine.commands().run_as_driver(self.driver.clone(), request).await
    }
}

/// Stops at the first step that is not done: an agent decides nothing in a run.
struct Silent;

impl Follower for Silent {
    async fn begins(&mut self, _step: &Begun) {}

    async fn ended(&mut self, _report: &StepReport) {}

    async fn next(&mut self, _report: &StepReport) -> Next {
        Next::Stop
    }
}
