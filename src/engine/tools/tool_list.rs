//! The tools that a conversation's agent is offered: which commands, with which arguments.
//!
//! Owns the list and the parsing of a call. Never runs one.

use crate::agents::OfferedTool;
use gstack_command::spec::Offered;
use gstack_command::{Call, Class, Spec, registry, tool_schema};
use gstack_protocol::fault::Fault;
use serde_json::Value;

/// Returns all offered tools as MCP lists them.
pub(super) fn all() -> Vec<OfferedTool> {
    let tool = |spec: &'static Spec| OfferedTool {
        name: spec.name.to_owned(),
        description: tool_schema::description(spec),
        schema: tool_schema::with_cursor(spec, tool_schema::core_schema(spec)),
        read_only: spec.only_reads(false),
        writes: spec.changes(),
    };
    registry::all().iter().copied().filter(|spec| is_offered(spec)).map(tool).collect()
}

fn is_offered(spec: &Spec) -> bool {
    spec.offered == Offered::Core && spec.class != Class::Secret
}

/// Returns the command behind a tool's name if agents with a model are offered it.
pub(super) fn find(tool: &str) -> Option<&'static Spec> {
    registry::find(tool).filter(|spec| is_offered(spec))
}

/// Parses a tool call's JSON arguments. An agent cannot choose where a file is written: images are returned with the
/// answer. Fails if the tool or an argument is not known.
pub(super) fn call_of(tool: &str, arguments: &Value) -> Result<Call, Fault> {
    let spec = find(tool).ok_or_else(|| registry::unknown(tool))?;
    match tool_schema::given_withheld(spec, arguments) {
        Some(fault) => Err(fault),
        None => Call::of(spec, tool_schema::arguments_of(spec, arguments)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::fault::FaultCode;
    use serde_json::json;

    #[test]
    fn an_agent_can_reach_no_command_that_runs_others_or_shows_secrets() {
        for spec in registry::all() {
            let names = std::iter::once(&spec.name).chain(spec.aliases);
            let reached = names.into_iter().any(|name| find(name).is_some());
            let runs_others = spec.runs_others();
            assert!(!(reached && (runs_others || spec.class == Class::Secret)), "{} is offered", spec.name);
        }
        // In case it is ever offered: its class is that of the commands it runs, and unreadable ones are refused.
        let chain = registry::find("chain").unwrap();
        let class = |text: &str| Call::of(chain, vec![text.to_owned()]).unwrap().class();
        assert_eq!(
            (class("text | js 1"), class("cookies"), class("'")),
            (Class::Control, Class::Secret, Class::Secret)
        );
    }

    #[test]
    fn an_agent_says_not_where_a_file_goes() {
        assert!(all().iter().all(|tool| {
            ["path", "output"]
                .iter()
                .all(|name| !tool.schema["properties"].to_string().contains(&format!("\"{name}\"")))
        }));
        let fault = call_of("screenshot", &json!({ "path": "/etc/cron.d/x.png" })).unwrap_err();
        assert_eq!(fault.code, FaultCode::PathRefused);
        assert_eq!(call_of("cookies", &json!({})).unwrap_err().code, FaultCode::Unknown);
    }
}
