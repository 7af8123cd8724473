//! A flow of `gstack flow` for one item.
//!
//! Owns the values that an item gives it, and its commands in a session. An item is never done twice: its journal is in
//! the item's own folder, and an attempt begins only if no earlier one can have changed anything.

use super::item::Ended;
use super::journal::Outcome;
use super::session::Session;
use gstack_client::http::Client;
use gstack_flows::{At, Begun, Commands, Flow, FlowError, Follower, Found, Next, Runs, StepReport, Values, Wanted};
use gstack_protocol::command::{CommandRequest, CommandResult};
use gstack_protocol::fault::Fault;
use serde_json::Value;
use std::path::Path;

/// Returns the values that an item gives to the parameters of a flow: its fields with their names, or the item itself. The
/// error is a message.
pub(crate) fn values(flow: &Flow, item: &Value) -> Result<Values, String> {
    let text = |name: &str, value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        _ => Err(format!("{name} is neither text nor a number")),
    };
    let needed: Vec<&String> =
        flow.parameters.iter().filter(|(_, parameter)| parameter.default.is_none()).map(|(name, _)| name).collect();
    let Value::Object(fields) = item else {
        let all: Vec<&String> = flow.parameters.keys().collect();
        let (([name], _) | (_, [name])) = (needed.as_slice(), all.as_slice()) else {
            let names = all.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(match all.is_empty() {
                true => "the flow takes no values".to_owned(),
                false => format!("write it as an object: the flow has the parameters {names}"),
            });
        };
        return Ok(Values::from([((*name).clone(), text(name, item)?)]));
    };
    if let Some(missing) = needed.iter().find(|name| fields.get(**name).is_none_or(Value::is_null)) {
        return Err(format!("it has no {missing}"));
    }
    let given = flow.parameters.keys().filter_map(|name| Some((name, fields.get(name)?)));
    given.filter(|(_, value)| !value.is_null()).map(|(name, value)| Ok((name.clone(), text(name, value)?))).collect()
}

/// Sends commands to a session.
struct Sender<'a> {
    client: Client,
    /// The item's folder.
    folder: &'a Path,
}

impl Commands for Sender<'_> {
    async fn run(&self, command: &str, words: Vec<String>, at: &At) -> Result<CommandResult, Fault> {
        let At { tab, acts_on } = at.clone();
        let request = CommandRequest {
            command: command.to_owned(),
            args: words,
            tab_id: tab,
            acts_on,
            cwd: self.folder.to_str().map(str::to_owned),
            no_autostart: true,
            ..CommandRequest::default()
        };
        self.client.post("/command", &request).await
    }
}

/// The lines of the steps that have ended.
#[derive(Default)]
pub(crate) struct Lines(pub(crate) Vec<String>);

impl Follower for Lines {
    async fn begins(&mut self, _step: &Begun) {}

    async fn ended(&mut self, report: &StepReport) {
        let word = match report.outcome {
            gstack_flows::Outcome::Done => "done",
            gstack_flows::Outcome::Failed => "failed",
            gstack_flows::Outcome::Unmet => "unmet",
            gstack_flows::Outcome::Unknown => "unknown",
        };
        let why = report.message.as_ref().map(|message| format!(": {message}")).unwrap_or_default();
        self.0.push(format!("[{}] {} {word}{why}", report.step, report.told));
    }

    async fn next(&mut self, _report: &StepReport) -> Next {
        Next::Stop
    }
}

/// Runs the flow for an item.
pub(crate) async fn run(found: &Found, item: &Value, session: &Session, (folder, lines): (&Path, &mut Lines)) -> Ended {
    let set = match found.flow().map_err(|error| error.to_string()).and_then(|flow| values(&flow, item)) {
        Ok(set) => set,
        Err(why) => return Ended::failed(why),
    };
    let sender = Sender { client: session.client(), folder };
    let wanted = Wanted { set, ..Wanted::default() };
    let runs = Runs::once(folder.join("flow"));
    match gstack_flows::run(&runs, found, &wanted, &sender, lines).await {
        Ok(report) => {
            let outcome = match report.outcome {
                gstack_flows::Outcome::Done => Outcome::Ok,
                gstack_flows::Outcome::Failed | gstack_flows::Outcome::Unmet => Outcome::Failed,
                gstack_flows::Outcome::Unknown => Outcome::Unknown,
            };
            let last = report.steps.last().filter(|_| outcome != Outcome::Ok);
            let reason = last.map(|step| {
                let why = step.message.clone().unwrap_or_default();
                format!("step {} ({}): {why}", step.step, step.told)
            });
            Ended { outcome, reason, result: serde_json::to_value(&report).ok(), ..Ended::default() }
        }
        Err(FlowError::CutOff { message, .. }) => {
            Ended { outcome: Outcome::Unknown, reason: Some(message), ..Ended::default() }
        }
        Err(error) => Ended::failed(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_flows::Parameter;
    use serde_json::json;

    fn flow(parameters: &[(&str, Option<&str>)]) -> Flow {
        let parameter =
            |default: &Option<&str>| Parameter { default: default.map(str::to_owned), ..Parameter::default() };
        let parameters = parameters.iter().map(|(name, default)| ((*name).to_owned(), parameter(default))).collect();
        Flow { parameters, ..Flow::default() }
    }

    #[test]
    fn an_item_gives_a_flow_its_values() {
        let shop = flow(&[("sku", None), ("count", Some("1"))]);
        let pair = |name: &str, value: &str| Values::from([(name.to_owned(), value.to_owned())]);
        assert_eq!(values(&shop, &json!("a-1")).unwrap(), pair("sku", "a-1"), "the one that must be set");
        assert_eq!(values(&shop, &json!({ "sku": 7, "count": null, "note": "x" })).unwrap(), pair("sku", "7"));
        assert_eq!(values(&shop, &json!({ "count": "2" })).unwrap_err(), "it has no sku");
        assert!(values(&shop, &json!({ "sku": ["a"] })).unwrap_err().contains("sku is neither"));
        let two = flow(&[("a", None), ("b", None)]);
        assert!(values(&two, &json!("x")).unwrap_err().contains("a, b"));
        assert!(values(&flow(&[]), &json!("x")).is_err() && values(&flow(&[]), &json!({})).unwrap().is_empty());
        assert_eq!(values(&flow(&[("a", Some("1"))]), &json!("2")).unwrap(), pair("a", "2"));
    }
}
