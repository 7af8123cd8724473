//! The possible answers to an approval.

use serde::{Deserialize, Serialize};

/// A person's answer to an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    AllowOnce,
    AllowSite,
    AllowConversation,
    /// On every site and in every conversation, until the rule is removed.
    AllowAlways,
    Deny,
}

impl Decision {
    pub fn allows(self) -> bool {
        self != Self::Deny
    }
}
