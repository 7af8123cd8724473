//! The environment that a conversation's agent runs in.
//!
//! Owns the variables that gstack adds and removes. The rest comes from the login shell.

use super::pool::AgentPool;
use gstack_agent::adapter::AgentEnvironment;
use gstack_base::home::{HOME_VARIABLE, SESSION_VARIABLE};
use gstack_base::lineage::{AGENT_VARIABLE, CONVERSATION_VARIABLE};
use gstack_base::program;
use gstack_protocol::command::{PLACE_VARIABLES, PORT_VARIABLE, TOKEN_VARIABLE};
use gstack_protocol::ids::ConversationId;
use std::ffi::OsStr;
use std::path::PathBuf;

impl AgentPool {
    /// Returns the login shell's environment, the mark that identifies an agent's processes, and what `gstack` in the
    /// agent's shell needs to reach this daemon: the conversation's token and nothing more.
    pub(crate) fn environment_for(
        &self,
        conversation: &ConversationId,
        token: &str,
    ) -> impl Future<Output = AgentEnvironment> + Send + 'static {
        let home = self.0.home.root().to_string_lossy().into_owned();
        let own = [
            (AGENT_VARIABLE, home.clone()),
            (CONVERSATION_VARIABLE, conversation.to_string()),
            (TOKEN_VARIABLE, token.to_owned()),
            (PORT_VARIABLE, self.0.port.to_string()),
            (HOME_VARIABLE, home),
        ];
        let pool = self.clone();
        async move {
            let mut environment = pool.environment().await;
            // The token names the conversation, whose tabs may change, and who drives.
            for name in PLACE_VARIABLES.into_iter().chain([SESSION_VARIABLE]) {
                environment.variables.remove(OsStr::new(name));
            }
            environment.minder = minder();
            environment.variables.extend(own.into_iter().map(|(name, value)| (name.into(), value.into())));
            environment
        }
    }
}

/// Returns the program that becomes the parent of orphaned agent processes. Only Linux supports this.
fn minder() -> Option<PathBuf> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let path = program::path();
    path.inspect_err(|error| tracing::warn!(%error, "agents run without a minder: this program is not found")).ok()
}
