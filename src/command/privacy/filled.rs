//! The secrets that gstack filled in, removed from what a command gives back: its text, its data, its effects, its fault.
//!
//! Owns the parts of an output. `base::filled_secrets` owns the search.

use crate::core::Output;
use gstack_base::filled_secrets::{clean, clean_value, without, without_in_json};
use gstack_protocol::effects::Effect;
use gstack_protocol::fault::Fault;
use serde_json::Value;
use std::borrow::Cow;

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

/// Returns true if a file of quoted-printable parts has a secret. It can't be removed there: its letters may be written as
/// `=C3`, and its lines are broken anywhere.
pub(crate) fn is_in_quoted_printable(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digits = bytes.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        let (letter, length) = match digits {
            Some("\r\n") if byte == b'=' => (None, 3),
            Some(digits) if byte == b'=' => match u8::from_str_radix(digits, 16) {
                Ok(letter) => (Some(letter), 3),
                Err(_) => (Some(byte), 1),
            },
            _ => (Some(byte), 1),
        };
        decoded.extend(letter);
        at += length;
    }
    matches!(without(&String::from_utf8_lossy(&decoded)), Cow::Owned(_)) || matches!(without(text), Cow::Owned(_))
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

#[cfg(test)]
mod tests {
    use super::is_in_quoted_printable;
    use gstack_base::filled_secrets;

    #[test]
    fn a_secret_is_found_across_the_lines_of_quoted_printable() {
        let clean = "Content-Transfer-Encoding: quoted-printable\r\n\r\n<p title=3D\"=C3=9Cbung=\r\ns\">x =zz =</p>=";
        filled_secrets::remember("\u{dc}bung:Horse=9", None);
        assert!(!is_in_quoted_printable(clean));
        for text in
            ["<p>=C3=9Cbung:Horse=3D9</p>", "<p>=C3=9Cbu=\r\nng:Ho=\r\nrse=3D9</p>", "<p>\u{dc}bung:Horse=9</p>"]
        {
            assert!(is_in_quoted_printable(text), "{text}");
        }
    }
}
