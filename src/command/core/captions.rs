//! What a command does, in the recording of its tab.
//!
//! Owns the choice of the commands whose words are shown. The words are `words`'; what is typed does not appear in them.

use super::call::Call;
use super::context::Context;
use super::words::describe;
use crate::browser::page::video::ShownWords;
use crate::command::spec::Writes;

/// Shows the words of a call beneath the pictures of its tab's recording, until what this returns is dropped. `None`: the tab
/// is not recorded, or the call does nothing that could be seen there.
pub fn show(context: &Context, call: &Call) -> Option<ShownWords> {
    if call.spec.writes == Writes::File || call.spec.runs_others() {
        return None;
    }
    let tab = context.tab.or_else(|| context.browser.current_known())?;
    let recording = context.recordings.of(tab)?;
    let words = describe(call, &|name| context.pages.label(tab, name));
    recording.show(format!("{} {}", words.verb, words.object).trim_end())
}
