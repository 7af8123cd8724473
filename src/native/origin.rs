//! The extensions that may talk to the host. Chrome checks the manifest's list; this checks again.

use gstack_protocol::{EXTENSION_ID, extension_ids};

const SCHEME: &str = "chrome-extension://";

/// Returns true if an argument is an extension's origin, which makes this process the native host.
pub fn is_origin(argument: &str) -> bool {
    argument.starts_with(SCHEME)
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "refused: {origin} is not the gstack extension ({SCHEME}{EXTENSION_ID}/). Load the extension that `gstack install-host` names."
)]
pub(super) struct ForeignOrigin {
    origin: String,
}

pub(super) fn check(origin: &str) -> Result<(), ForeignOrigin> {
    let id = origin.strip_prefix(SCHEME).map(|rest| rest.strip_suffix('/').unwrap_or(rest));
    if id.is_some_and(|id| extension_ids().any(|ours| ours == id)) {
        Ok(())
    } else {
        Err(ForeignOrigin { origin: origin.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_extension_is_let_in() {
        for ours in extension_ids() {
            assert_eq!(check(&format!("chrome-extension://{ours}/")), Ok(()));
        }
        for foreign in [
            "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/",
            "chrome-extension://",
            &format!("chrome-extension://{EXTENSION_ID}/evil"),
            &format!("chrome-extension://x{EXTENSION_ID}/"),
            &format!("https://{EXTENSION_ID}/"),
        ] {
            assert!(check(foreign).is_err(), "{foreign} was let in");
        }
    }
}
