//! DevTools commands whose replies are parsed leniently: newer browsers add values that generated types do not know.
//!
//! Owns the one way to send them from here. Never decides what to send.

use crate::devtools_session::Session;
use crate::page::error::PageError;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::time::Duration;

/// Long enough for a busy page; a hung one answers nothing.
pub(in crate::page) const LIMIT: Duration = Duration::from_secs(15);

/// Sends a command and parses the fields of `T` from its reply.
pub(in crate::page) async fn call<T: DeserializeOwned>(
    session: &Session,
    method: &'static str,
    params: &Value,
) -> Result<T, PageError> {
    let reply = session.call_json(method, params, LIMIT).await?;
    serde_json::from_value(reply).map_err(|error| PageError::Unreadable(format!("{method}: {error}")))
}

/// Like `call`, for an empty reply.
pub(in crate::page) async fn tell(session: &Session, method: &'static str, params: &Value) -> Result<(), PageError> {
    session.call_json(method, params, LIMIT).await?;
    Ok(())
}
