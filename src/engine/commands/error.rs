//! Faults of commands that their client may not run.

use gstack_command::Class;
use gstack_protocol::fault::{Fault, FaultCode, Hop};

/// The client that may not run a command.
#[derive(Debug)]
pub(super) enum NotOffered {
    /// A script. The port's token is in a file that other programs of the user can read, so it gives no access to
    /// accounts.
    Script {
        command: &'static str,
        class: Class,
        /// The command that would have run it, and the number of its step there.
        step: Option<(&'static str, usize)>,
    },
    /// A model outside any conversation. No approval is possible for it, so it gets only tabs that the person has
    /// handed over.
    Model,
    /// A model that names a tab of a browser that it was not started for.
    OtherBrowser { browser: String },
    /// A second recording of what the person does in a tab.
    Recorded,
}

impl From<NotOffered> for Fault {
    fn from(error: NotOffered) -> Self {
        match error {
            NotOffered::Script { command, class, step } => {
                let place = step.map(|(within, step)| format!(" (step {step} of `{within}`)")).unwrap_or_default();
                let why = match class {
                    Class::SignIn => "it fills in a saved sign-in",
                    _ => "it shows or sets what identifies a person",
                };
                Self::new(FaultCode::Forbidden, format!("`{command}`{place} is not offered on the port: {why}"))
                    .hint("Use the gstack command line, or set `script-secrets = true` under [daemon] in config.toml.")
            }
            NotOffered::Recorded => Self::new(FaultCode::Conflict, "this tab is being recorded already")
                .hint("End that recording with Ctrl-C in its terminal."),
            NotOffered::OtherBrowser { browser } => {
                Self::new(FaultCode::Forbidden, format!("this is a tab of the browser {browser}, which is not yours"))
                    .hint("The person chooses the browser of a client: gstack mcp --browser NAME")
                    .at(Hop::Browser)
            }
            NotOffered::Model => Self::new(
                FaultCode::Forbidden,
                "this is a tab of the person's everyday browser, which they have not handed over",
            )
            .hint("The person can allow it: gstack connect --everyday")
            .command("gstack connect --everyday")
            .at(Hop::Browser),
        }
    }
}
