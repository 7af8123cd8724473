//! The command line in an agent's own shell: the same tools, the same tabs, the same questions to the person.
//!
//! Owns what of a command line an agent may say. Never trusts what the caller says about who it is.

use super::ConversationTools;
use super::offered;
use crate::agent::adapter::{ToolCall, ToolResult};
use crate::command::spec::Kind;
use crate::command::{Arguments, Spec};
use crate::protocol::command::{CommandRequest, CommandResult};
use crate::protocol::fault::{Fault, FaultCode};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

impl ConversationTools {
    /// Runs a command of the agent's command line; it ends with the caller's connection.
    pub async fn command(self: Arc<Self>, request: CommandRequest) -> Result<CommandResult, Fault> {
        let spec = offered::find(&request.command).ok_or_else(|| offered::not_offered(&request.command))?;
        let arguments = Arguments::parse(spec, &request.args)?;
        if let Some(name) = path_in(spec, &arguments) {
            return Err(offered::path_withheld(spec.name, name));
        }
        let call = ToolCall { command: spec.name.to_owned(), args: request.args };
        let cancel = CancellationToken::new();
        // When the caller goes, this is dropped, and what runs takes its question back.
        let _gone = cancel.clone().drop_guard();
        let (answer, answered) = oneshot::channel();
        let tools = self.clone();
        self.engine.spawn(async move {
            // The caller may have gone.
            answer.send(tools.run_in_turn(call, request.tab_id, cancel).await).ok();
        });
        let ended = |_| Fault::new(FaultCode::Updating, "gstack is ending");
        let ToolResult { text, data, .. } = answered.await.map_err(ended)??;
        Ok(CommandResult { output: text, data, files: Vec::new() })
    }
}

/// The name of a path that the caller gave.
fn path_in(spec: &Spec, arguments: &Arguments) -> Option<&'static str> {
    let places = spec.parameters.iter().filter(|parameter| parameter.kind == Kind::Path);
    let flags = spec.flags.iter().filter(|flag| flag.value.is_some_and(|value| value.eq_ignore_ascii_case("path")));
    places
        .map(|parameter| parameter.name)
        .find(|name| arguments.text(name).is_some())
        .or_else(|| flags.map(|flag| flag.name).find(|name| arguments.value(name).is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_wherever_it_is_said() {
        let said = |name: &str, words: &[&str]| {
            let spec = offered::find(name).unwrap();
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            path_in(spec, &Arguments::parse(spec, &words).unwrap())
        };
        assert_eq!(said("screenshot", &["#a", "x.png"]), Some("path"));
        assert_eq!(said("snapshot", &["-o", "x.png"]), Some("-o"));
        assert_eq!(said("snapshot", &["--output=x.png"]), Some("-o"));
        assert_eq!(said("snapshot", &["-i"]), None);
        assert_eq!(said("screenshot", &[]), None);
    }
}
