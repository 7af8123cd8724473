//! Captions of commands in video recordings.
//!
//! Owns the choice of commands that get a caption. The text comes from `words`, which never contains typed text.

use super::call::Call;
use super::context::Context;
use super::words::describe;
use crate::spec::Writes;
use gstack_browser::page::video::ShownWords;

/// Shows a caption for a call in the recording of its tab until the returned guard is dropped. `None` if the tab is not
/// recorded, or if nothing of the call can be seen there.
pub fn show(context: &Context, call: &Call) -> Option<ShownWords> {
    if call.spec.writes == Writes::File || call.spec.runs_others() {
        return None;
    }
    let tab = context.tab.or_else(|| context.browser.current_known())?;
    let recording = context.recordings.of(tab)?;
    let words = describe(call, &|name| context.pages.label(tab, name));
    recording.show(format!("{} {}", words.verb, words.object).trim_end())
}
