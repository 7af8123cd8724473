//! The visitor that lets wire tests handle the type of each answer. Only in test builds.

use serde::Serialize;
use serde::de::DeserializeOwned;
use ts_rs::TS;

/// An operation on each answer type; `methods::walk` calls it for all of them.
pub(super) trait AnswerVisitor {
    fn answer<T: TS + Serialize + DeserializeOwned + 'static>(&mut self, method: &'static str);
}
