//! The files that commands write: the one that was named, or one in the private folder.
//!
//! Owns their names. `path_guard` decides which paths are open, and writes.

use super::Context;
use crate::privacy::path_guard;
use gstack_protocol::fault::Fault;
use std::path::PathBuf;

/// Returns a path in the private folder, for output without a given path.
pub(crate) fn unnamed(context: &Context, what: &str, extension: &str) -> PathBuf {
    context.temp_folder.join(format!("gstack-{what}-{}.{extension}", uuid::Uuid::new_v4().simple()))
}

/// Returns the file to write for a typed path, or one in the private folder if none was typed.
pub(crate) fn named_or_unnamed(
    context: &Context,
    typed: Option<&str>,
    what: &str,
    extension: &str,
) -> Result<PathBuf, Fault> {
    match typed {
        Some(typed) => path_guard::output_path(context, typed),
        None => Ok(unnamed(context, what, extension)),
    }
}
