//! Ids as newtypes, so that a tab cannot be confused with a conversation or a Chrome tab.
//!
//! Owns the format of ids on the wire. Never decides which ids exist.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps untrusted text; the receiver checks whether the id exists.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }
            /// Creates a new random id (UUID version 4).
            pub fn random() -> Self {
                Self(uuid::Uuid::new_v4().to_string())
            }
            /// Returns the id as it is written on the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

macro_rules! number_id {
    ($(#[$doc:meta])* $name:ident($number:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(pub $number);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = std::num::ParseIntError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}

number_id!(
    /// A tab's id for people and commands: a small number counted up by the daemon, never reused while it runs.
    TabId(u32)
);
number_id!(
    /// Chrome's own id of a tab (`chrome.tabs.Tab.id`). Unique within one browser run only.
    ChromeTabId(i64)
);
number_id!(
    /// Chrome's id of a window (`chrome.windows.Window.id`).
    WindowId(i64)
);
text_id!(
    /// One conversation; also the name of its folder under `sessions/`.
    ConversationId
);
text_id!(
    /// One turn of an agent: from the message that began it to its end.
    TurnId
);
text_id!(
    /// The id that the panel or the CLI gives a message before sending it. Makes a resend harmless.
    ClientMessageId
);
text_id!(
    /// One action of an agent within a turn.
    StepId
);
text_id!(
    /// One approval request.
    ApprovalId
);
text_id!(
    /// One question of an agent to the person.
    QuestionId
);
text_id!(
    /// One panel behind a browser's port; absent for the background itself.
    PanelId
);
text_id!(
    /// One installation of the extension in one profile (random, kept in `chrome.storage.local`).
    InstanceId
);
text_id!(
    /// One run of one browser that gstack started (`GSTACK_BROWSER` in its environment).
    BrowserRun
);
text_id!(
    /// One run of the daemon. A new epoch tells a panel that unacknowledged state may be lost.
    Epoch
);
text_id!(
    /// A DevTools target (`Target.TargetID`).
    TargetId
);
text_id!(
    /// A file that belongs to a conversation (`sessions/<id>/files/<file id>`).
    FileId
);
text_id!(
    /// A registered driver: an MCP client, for as long as it is connected.
    DriverId
);
text_id!(
    /// An agent's name: `claude`, `builtin`, or a name from the configuration.
    AgentName
);
