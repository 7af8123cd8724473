//! The secrets that gstack filled in, removed from what a command gives back: its text, its data, its effects, its fault.
//!
//! Owns the parts of an output. `base::filled_secrets` owns the search.

use crate::core::Output;
use gstack_base::filled_secrets::{clean, clean_value, without_in_json};
use gstack_protocol::effects::Effect;
use gstack_protocol::fault::Fault;
use serde_json::Value;

/// Returns the outcome without the secrets, whoever asked.
pub(crate) fn without_secrets(outcome: Result<Output, Fault>) -> Result<Output, Fault> {
    match outcome {
        Ok(mut output) => {
            clean(&mut output.text);
            for text in [&mut output.head, &mut output.note, &mut output.source_url].into_iter().flatten() {
                clean(text);
            }
            output.data.iter_mut().for_each(clean_value);
            output.effects = output.effects.into_iter().map(without_secret).collect();
            Ok(output)
        }
        Err(fault) => Err(fault_without(fault)),
    }
}

/// Returns a text file's content without the secrets. Pictures and other bytes stay as they are.
pub(super) fn bytes_without_secrets(bytes: Vec<u8>) -> Vec<u8> {
    match String::from_utf8(bytes) {
        Ok(text) => without_in_json(&text).into_owned().into_bytes(),
        Err(error) => error.into_bytes(),
    }
}

fn fault_without(mut fault: Fault) -> Fault {
    clean(&mut fault.message);
    for text in [&mut fault.hint, &mut fault.command].into_iter().flatten() {
        clean(text);
    }
    if let Some(page_words) = &mut fault.page_words {
        clean(&mut page_words.ours);
        clean(&mut page_words.theirs);
    }
    if let Some(words) = &mut fault.words {
        words.said.iter_mut().for_each(clean);
        for phrase in [&mut words.message, &mut words.hint].into_iter().flatten() {
            phrase.values.iter_mut().for_each(clean);
        }
    }
    fault
}

/// An effect's texts are a page's: dialogs, addresses, messages of the console.
fn without_secret(effect: Effect) -> Effect {
    let Ok(before) = serde_json::to_value(&effect) else { return effect };
    let mut value: Value = before.clone();
    clean_value(&mut value);
    // A number that became a text can't be read back; then the effect has no text that was a secret either.
    if value == before { effect } else { serde_json::from_value(value).unwrap_or(effect) }
}
