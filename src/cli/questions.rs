//! An agent's question at the terminal: its text, and the meaning of a typed answer.
//!
//! Owns the text and the parsing. Never asks the daemon.

use super::terminal::{Terminal, clean_line};
use gstack_protocol::chat::QuestionPart;
use gstack_protocol::fault::{Fault, FaultCode};

/// Formats a question with numbered options.
pub(super) fn lines_of(part: &QuestionPart, terminal: Terminal) -> Vec<String> {
    let header = if part.header.is_empty() { String::new() } else { format!("{}: ", clean_line(&part.header)) };
    let several = if part.multiple { terminal.dim(" (several may be chosen)") } else { String::new() };
    let head = format!("{}{}{several}", header, terminal.bold(&clean_line(&part.text)));
    let options = part.options.iter().enumerate().map(|(at, option)| {
        let more = if option.description.is_empty() {
            String::new()
        } else {
            format!("  {}", terminal.dim(&clean_line(&option.description)))
        };
        format!("  {}  {}{more}", at + 1, clean_line(&option.label))
    });
    std::iter::once(head).chain(options).collect()
}

/// Parses the typed answer to one part: an option's number or label (several, separated by commas, if the part allows
/// it), or else free text. Fails if the answer is empty or has a number without an option.
pub(super) fn answer_of(part: &QuestionPart, typed: &str) -> Result<Vec<String>, Fault> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Err(Fault::new(FaultCode::BadRequest, "the answer is empty").hint(how_to_answer(part)));
    }
    let pieces: Vec<&str> = typed.split(',').map(str::trim).filter(|piece| !piece.is_empty()).collect();
    let several: Option<Vec<String>> = pieces.iter().map(|piece| option_of(part, piece)).collect();
    if let Some(label) = option_of(part, typed) {
        return Ok(vec![label]);
    }
    if let Some(labels) = several.filter(|labels| part.multiple && !labels.is_empty()) {
        return Ok(labels);
    }
    if part.closed {
        return Err(Fault::new(FaultCode::BadRequest, "that is none of the options").hint(how_to_answer(part)));
    }
    let is_number = |piece: &&str| piece.bytes().all(|byte| byte.is_ascii_digit());
    if !part.options.is_empty() && pieces.iter().all(is_number) {
        let what = if pieces.len() > 1 && !part.multiple {
            "only one may be chosen".to_owned()
        } else {
            format!("there are {} options", part.options.len())
        };
        return Err(Fault::new(FaultCode::BadRequest, what).hint(how_to_answer(part)));
    }
    Ok(vec![typed.to_owned()])
}

fn option_of(part: &QuestionPart, piece: &str) -> Option<String> {
    let by_words = part.options.iter().find(|option| option.label.eq_ignore_ascii_case(piece));
    let by_number = || part.options.get(piece.parse::<usize>().ok()?.checked_sub(1)?);
    by_words.or_else(by_number).map(|option| option.label.clone())
}

pub(super) fn how_to_answer(part: &QuestionPart) -> String {
    match (part.options.is_empty(), part.multiple) {
        _ if part.closed => "Answer with a number.".to_owned(),
        (true, _) => "Answer in your own words.".to_owned(),
        (false, false) => "Answer with a number or in your own words.".to_owned(),
        (false, true) => "Answer with numbers, separated by commas, or in your own words.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::chat::QuestionOption;

    fn part(labels: &[&str], multiple: bool) -> QuestionPart {
        let option = |label: &&str| QuestionOption::plain(*label, "");
        QuestionPart {
            text: "Which?".into(),
            header: String::new(),
            options: labels.iter().map(option).collect(),
            multiple,
            closed: false,
            words: None,
        }
    }

    #[test]
    fn an_answer_is_a_number_a_label_or_the_persons_own_words() {
        let one = part(&["Red", "Blue, dark", "7"], false);
        for (typed, chosen) in [
            ("1", "Red"),
            (" blue, DARK ", "Blue, dark"),
            ("2", "Blue, dark"),
            ("7", "7"),
            ("neither of them", "neither of them"),
            ("red, or not", "red, or not"),
        ] {
            assert_eq!(answer_of(&one, typed).unwrap(), [chosen], "{typed}");
        }
        for wrong in ["", "  ", "4", "0", "1,2"] {
            assert!(answer_of(&one, wrong).unwrap_err().hint.is_some(), "{wrong}");
        }
        assert_eq!(answer_of(&part(&[], false), "42").unwrap(), ["42"]);
        let closed = QuestionPart { closed: true, ..one };
        assert_eq!(answer_of(&closed, "2").unwrap(), ["Blue, dark"]);
        for words in ["neither of them", "4"] {
            assert!(answer_of(&closed, words).is_err(), "{words}");
        }
    }

    #[test]
    fn several_are_chosen_with_commas_where_that_may_be() {
        let many = part(&["Red", "Blue", "Green"], true);
        assert_eq!(answer_of(&many, "1, green").unwrap(), ["Red", "Green"]);
        assert_eq!(answer_of(&many, "2").unwrap(), ["Blue"]);
        assert_eq!(answer_of(&many, "Red, and pink").unwrap(), ["Red, and pink"]);
        assert!(answer_of(&many, "1,9").is_err());
    }
}
