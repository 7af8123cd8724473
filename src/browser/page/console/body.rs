//! The body of a request or a response.
//!
//! Owns the decoding of the browser's reply. Redacts nothing: callers decide what to show.

use crate::devtools::network::ResponseBody;
use crate::page::error::PageError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    Text(String),
    Binary(Vec<u8>),
    /// There is no body: nothing was received, or it was a redirect.
    None,
    /// The browser no longer holds it.
    Gone,
}

impl Body {
    /// Returns the size in bytes.
    pub fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Binary(bytes) => bytes.len(),
            Self::None | Self::Gone => 0,
        }
    }

    pub(super) fn of_answer(told: ResponseBody) -> Result<Self, PageError> {
        if !told.base64_encoded {
            return Ok(Self::Text(told.body));
        }
        let bytes = STANDARD.decode(told.body).map_err(|error| PageError::Unreadable(error.to_string()))?;
        Ok(String::from_utf8(bytes).map_or_else(|error| Self::Binary(error.into_bytes()), Self::Text))
    }
}
