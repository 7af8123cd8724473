//! Failures of remote browsers, and their faults.
//!
//! Owns the code, the message and the next step of each. Addresses in here are already redacted (`address::shown`).

use gstack_protocol::fault::{Fault, FaultCode, Hop};
use std::path::PathBuf;
use std::time::Duration;

/// The reasons why a remote browser cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The text is not an address, and no endpoint of `config.toml` has this name.
    #[error("{0} is neither an address nor the name of an endpoint in config.toml")]
    NotAnAddress(String),
    /// A command line is readable by every user of the machine.
    #[error("{0} would be readable by every user of this machine, so it is not taken from the command line")]
    SecretArgument(String),
    /// A setting of an endpoint is not valid.
    #[error("the endpoint {endpoint} in config.toml is not valid: {why}")]
    BadSetting {
        /// Its name.
        endpoint: String,
        /// The problem, without the value.
        why: String,
    },
    /// The certificates in the endpoint's file cannot be read.
    #[error("the certificates in {} cannot be read: {why}", path.display())]
    NoCertificates {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// Credentials would cross the network unencrypted.
    #[error("{0} is not encrypted, and credentials are configured for it")]
    Unencrypted(String),
    /// No key is known for a hosted service.
    #[error("there is no API key for {0}")]
    NoKey(&'static str),
    /// A hosted service needs another setting.
    #[error("{service} needs {what}")]
    NoSetting {
        /// The service.
        service: &'static str,
        /// The setting.
        what: &'static str,
    },
    /// The address does not answer as expected.
    #[error("no browser answers at {at}: {why}")]
    Unreachable {
        /// The redacted address.
        at: String,
        /// The reason.
        why: String,
    },
    /// The certificate is not trusted, or there is no TLS.
    #[error("the identity of {at} cannot be verified: {why}")]
    Untrusted {
        /// The redacted address.
        at: String,
        /// The TLS library's message.
        why: String,
    },
    /// Redirects are not followed: they could lead anywhere, with our credentials.
    #[error("{0} redirects to another address, which is not followed")]
    Redirects(String),
    /// The endpoint refuses the credentials, or there are none.
    #[error("{0} does not accept the credentials")]
    Denied(String),
    /// The answer is not what the protocol says.
    #[error("{at} does not answer as expected: {why}")]
    Garbled {
        /// The redacted address.
        at: String,
        /// The problem.
        why: String,
    },
    /// The answer leads to a machine that the endpoint may not name.
    #[error("{at} refers to a browser at {named}, which is not its own address")]
    LeadsAway {
        /// The redacted address of the endpoint.
        at: String,
        /// The redacted address that it names.
        named: String,
    },
    /// No answer in time.
    #[error("{at} did not answer within {limit:?}")]
    Slow {
        /// The redacted address.
        at: String,
        /// The time limit.
        limit: Duration,
    },
    /// A Grid's queue did not serve the request in time.
    #[error("every browser of the grid at {0} is busy, and none became available in time")]
    Busy(String),
    /// The server has as many sessions as it allows.
    #[error("{0} does not allow another session now")]
    TooMany(String),
    /// A session could not be created. Holds the server's words, shortened.
    #[error("{at} did not create a session: {why}")]
    NotCreated {
        /// The redacted address.
        at: String,
        /// The server's message.
        why: String,
    },
    /// The session has no DevTools connection.
    #[error("the session at {at} offers no DevTools connection: {why}")]
    NoDevTools {
        /// The redacted address.
        at: String,
        /// The reason.
        why: String,
    },
    /// A file could not be moved to or from the browser's machine.
    #[error("the file could not be moved to or from the browser's machine: {0}")]
    File(String),
    /// The daemon ended before there was an answer.
    #[error("gstack ended before the browser was ready")]
    Unneeded,
    /// The session could not be put on record, so it is not used.
    #[error("the session could not be recorded: {0}")]
    NotRecorded(std::io::Error),
    /// The requested capabilities are not valid.
    #[error("the capabilities are not valid: {0}")]
    BadCapabilities(String),
}

impl From<RemoteError> for Fault {
    fn from(error: RemoteError) -> Self {
        use RemoteError as E;
        let (code, hint) = match &error {
            E::NotAnAddress(_) => (
                FaultCode::BadRequest,
                "Write wss://HOST/…, https://HOST or http://127.0.0.1:PORT, or add [browser.endpoints.NAME] to config.toml.",
            ),
            E::SecretArgument(_) => (
                FaultCode::BadRequest,
                "Put the whole address into config.toml as [browser.endpoints.NAME] url = \"…\", and give the name.",
            ),
            E::BadSetting { .. } | E::NoCertificates { .. } => {
                (FaultCode::BadRequest, "Fix that setting in config.toml, then run it again.")
            }
            E::Unencrypted(_) => (
                FaultCode::BadRequest,
                "Use wss:// or https://, or set plaintext = true for this endpoint if the network is private.",
            ),
            E::NoKey(_) | E::NoSetting { .. } => (
                FaultCode::BadRequest,
                "Set it in config.toml under [browser.endpoints.NAME] (key, key-variable, account), or in the service's usual environment variable.",
            ),
            E::Unreachable { .. } | E::Slow { .. } => {
                (FaultCode::BrowserDown, "Check the address, and that the endpoint is running and reachable from here.")
            }
            E::Untrusted { .. } => (
                FaultCode::Forbidden,
                "If your own authority issued the certificate, set ca = \"FILE.pem\" for this endpoint in config.toml.",
            ),
            E::Redirects(_) | E::LeadsAway { .. } => {
                (FaultCode::Forbidden, "Give the address that the browser is really served at.")
            }
            E::Denied(_) => {
                (FaultCode::Forbidden, "Check the endpoint's headers or key in config.toml: [browser.endpoints.NAME].")
            }
            E::Garbled { .. } => (FaultCode::BrowserDown, "Check that the address is a DevTools endpoint or a Grid."),
            E::Busy(_) | E::TooMany(_) => (FaultCode::Conflict, "Try again later, or add nodes or sessions there."),
            E::NotCreated { .. } => {
                (FaultCode::BrowserDown, "Check that a node offers this browser, and check the capabilities in --caps.")
            }
            E::NoDevTools { .. } => (
                FaultCode::BrowserDown,
                "Use a Chromium browser, and a Grid with CDP enabled; a chromedriver without a Grid must run on this machine.",
            ),
            E::Unneeded => (FaultCode::Cancelled, "Run it again."),
            E::NotRecorded(_) => (FaultCode::Storage, "Free some disk space, then run it again."),
            E::File(_) => (FaultCode::Storage, "For a file behind an address: gstack download URL"),
            E::BadCapabilities(_) => (
                FaultCode::BadRequest,
                "Give a JSON object of W3C capabilities: --caps '{\"browserName\": \"chrome\"}'",
            ),
        };
        Self::new(code, error.to_string()).hint(hint).at(Hop::Browser)
    }
}
