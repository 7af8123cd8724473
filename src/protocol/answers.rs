//! What the tests of the wire do with the type of each answer. Only in test builds.

use serde::Serialize;
use serde::de::DeserializeOwned;
use ts_rs::TS;

/// Something that is done with each answer's type; `methods::walk` goes through them.
pub(super) trait AnswerVisitor {
    fn answer<T: TS + Serialize + DeserializeOwned + 'static>(&mut self, method: &'static str);
}
