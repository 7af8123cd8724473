//! The built-in agent: plain commands without a model or a network. Always available.
//!
//! Owns what it is and which messages it answers. Acts only through [`Tools`](super::adapter::Tools).

mod direct_turn;
mod find;
mod help;
mod keys;
mod page;
mod parse;
#[cfg(test)]
mod parse_tests;
mod test_data;
#[cfg(test)]
mod tests;

use super::adapter::{Agent, AgentEnvironment, AgentEvent, AgentSession, Examined, Launch, Prompt, Started};
use super::in_process::InProcess;
use direct_turn::DirectTurn;
use gstack_protocol::agents::AgentInfo;
use gstack_protocol::ids::AgentName;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tokio::sync::mpsc;

pub const NAME: &str = "builtin";

/// Returns whether a message is exactly one unambiguous command, so that it needs no model.
pub fn is_one_command(message: &str) -> bool {
    use parse::{Scroll, Step};
    matches!(
        &parse::parse(message)[..],
        [Step::Open(_) | Step::Back | Step::Forward | Step::Reload | Step::Screenshot | Step::Scroll(Scroll::By(_))]
    )
}

#[derive(Debug, Default)]
pub struct Builtin;

impl Agent for Builtin {
    fn name(&self) -> AgentName {
        AgentName::new(NAME)
    }

    fn label(&self) -> &str {
        "Built-in"
    }

    fn examine<'a>(&'a self, _: &'a AgentEnvironment, info: &'a mut AgentInfo) -> Examined<'a> {
        info.version = Some(gstack_protocol::VERSION.to_owned());
        info.has_model = false;
        Box::pin(std::future::ready(Ok(())))
    }

    fn start(&self, launch: Launch, events: mpsc::Sender<AgentEvent>) -> Started<'_> {
        let (tools, told) = (launch.tools, events.clone());
        let run = move |prompt: Prompt, cancel| {
            let (tools, events) = (Arc::clone(&tools), told.clone());
            let turn = DirectTurn { tools, events, cancel, is_one: AtomicBool::new(false) };
            async move { turn.run(&prompt).await }
        };
        let session: Box<dyn AgentSession> = Box::new(InProcess::new(events, run));
        Box::pin(std::future::ready(Ok(session)))
    }
}
