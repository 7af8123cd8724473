//! DevTools commands whose replies are read leniently: newer browsers add values that generated types do not know.
//!
//! Owns the one way to call them from here. Never decides what is called.

use crate::browser::page::error::PageError;
use crate::browser::session::Session;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::time::Duration;

/// Long enough for a busy page; a hung one answers nothing.
pub(in crate::browser::page) const LIMIT: Duration = Duration::from_secs(15);

/// Sends a command and reads of its reply what `T` names.
pub(in crate::browser::page) async fn call<T: DeserializeOwned>(
    session: &Session,
    method: &'static str,
    params: &Value,
) -> Result<T, PageError> {
    let reply = session.call_json(method, params, LIMIT).await?;
    serde_json::from_value(reply).map_err(|error| PageError::Unreadable(format!("{method}: {error}")))
}

/// As `call`, where the reply says nothing.
pub(in crate::browser::page) async fn tell(
    session: &Session,
    method: &'static str,
    params: &Value,
) -> Result<(), PageError> {
    session.call_json(method, params, LIMIT).await?;
    Ok(())
}
