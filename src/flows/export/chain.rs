//! A flow as the commands of `gstack chain`.

use crate::file::{Element, Flow, Step};
use crate::fill::{Values, filled};
use crate::sites::OWN_FRAME;
use crate::words::{self, Places, role_selector};

/// The parts of a page in which `near` is looked for.
const AROUND: &str = ":is(li, tr, article, form, section, fieldset, dialog, [role=listitem], [role=row], [role=group])";

pub(super) fn commands(flow: &Flow, values: &Values) -> Result<String, String> {
    let mut text = String::new();
    for step in &flow.steps {
        for words in lines(&filled(step, values)?)? {
            text.push_str(&words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "));
            text.push('\n');
        }
    }
    Ok(text)
}

/// Returns the commands of a step: its act, and its condition. In a frame of another site, the frame is chosen before and
/// left after them.
pub(super) fn lines(step: &Step) -> Result<Vec<Vec<String>>, String> {
    if step.tab.is_some() || step.wait.as_ref().is_some_and(|wait| wait.tab.is_some()) {
        return Err("a tab that a step opens has no name there: use --to playwright".to_owned());
    }
    let mut lines = Vec::new();
    let frame = step.frame.as_ref().filter(|frame| *frame != OWN_FRAME);
    if let Some(frame) = frame {
        if frame.contains("://") {
            lines.push(vec!["frame".to_owned(), "--url".to_owned(), format!("^{}(/|$)", escaped(frame))]);
        } else {
            return Err(format!("a frame of the site {frame} cannot be chosen by its address"));
        }
    }
    if let Some(act) = &step.act {
        if act == words::SET {
            return Err("only a run sees what set must do: write fill, select, check or uncheck".to_owned());
        }
        let spec = words::spec(act)?;
        let element =
            step.element().filter(|_| words::takes_element(spec)).map(|element| selector(&element)).transpose()?;
        let to = step.to.as_ref().map(selector).transpose()?;
        let places = Places { element: element.as_deref(), to: to.as_deref() };
        let words = words::words(spec, step, places)?;
        lines.push(std::iter::once(spec.name.to_owned()).chain(words).collect());
    }
    if frame.is_some() {
        lines.push(vec!["frame".to_owned(), "main".to_owned()]);
    }
    if let Some((command, words)) = step.wait.as_ref().and_then(words::wait) {
        lines.push(std::iter::once(command.to_owned()).chain(words).collect());
    }
    Ok(lines)
}

/// Returns a text as a part of a regular expression.
fn escaped(text: &str) -> String {
    let escape = |c: char| if c.is_alphanumeric() || "{}/:-".contains(c) { vec![c] } else { vec!['\\', c] };
    text.chars().flat_map(escape).collect()
}

fn selector(element: &Element) -> Result<String, String> {
    let Element { role, name, near, nth, selector } = element;
    let found = match (selector, role, name) {
        (Some(selector), ..) => selector.clone(),
        (None, Some(role), Some(name)) => role_selector(role, name),
        (None, None, Some(name)) => format!("text=\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")),
        (None, _, None) => return Err("an element has no name".to_owned()),
    };
    let near = near.as_ref().map(|near| {
        format!("{AROUND}:has-text(\"{}\") >> nth=-1 >> ", near.replace('\\', "\\\\").replace('"', "\\\""))
    });
    let nth = nth.map(|nth| format!(" >> nth={}", nth.saturating_sub(1)));
    Ok([near.unwrap_or_default(), found, nth.unwrap_or_default()].concat())
}

/// Quotes a word as `chain` reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@=,+%*#&".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}
