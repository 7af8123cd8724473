//! `Fetch`: pausing requests and answering them.

use super::{Done, commands};
pub use chromiumoxide_cdp::cdp::browser_protocol::fetch::{
    AuthChallengeResponse, AuthChallengeResponseResponse, HeaderEntry, RequestPattern,
};
pub use chromiumoxide_cdp::cdp::browser_protocol::network::ErrorReason;

/// Pauses requests to these addresses: `*` matches any text, `?` one character.
pub fn pattern(url: impl Into<String>) -> RequestPattern {
    RequestPattern::builder().url_pattern(url).build()
}

commands! { browser_protocol::fetch:
    EnableParams => Done;
    DisableParams => Done;
    FulfillRequestParams => Done;
    ContinueWithAuthParams => Done;
    ContinueRequestParams => Done;
    FailRequestParams => Done;
}
