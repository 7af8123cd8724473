//! The parts of results that were cut off, until their reader reads on.
//!
//! Owns them in memory, the newest ones only. A cursor gives access to nothing but the rest of a result that its reader
//! has got the beginning of.

use super::context::Output;
use super::tool_schema;
use crate::spec::Spec;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of rests that are kept. A model reads on at once, or never.
const MOST: usize = 8;
/// The bytes that they have together.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// The rests of one reader. Cheap to clone.
#[derive(Clone, Default)]
pub struct Rests(Arc<Mutex<VecDeque<Rest>>>);

struct Rest {
    cursor: String,
    text: String,
    source_url: Option<String>,
}

impl Rests {
    /// Cuts a result of a command to `most` bytes and keeps the rest. The result says with which cursor it is read.
    pub fn cut(&self, output: &mut Output, most: usize, of: &Spec) {
        // A part that holds no character would never end.
        let Some(text) = output.split_at(most.max(4)) else { return };
        let (left, how_to_narrow) = (text.chars().count(), tool_schema::how_to_narrow(of));
        if !tool_schema::reads_on(of) {
            return output.say(Some(format!("… {left} more characters, {how_to_narrow}")));
        }
        let cursor = uuid::Uuid::new_v4().simple().to_string()[..12].to_owned();
        output
            .say(Some(format!("… {left} more characters: call this tool with cursor {cursor:?}, or {how_to_narrow}")));
        let mut rests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rests.push_back(Rest { cursor, text, source_url: output.source_url.clone() });
        while rests.len() > MOST
            || rests.len() > 1 && rests.iter().map(|rest| rest.text.len()).sum::<usize>() > MOST_BYTES
        {
            rests.pop_front();
        }
    }

    /// Returns the next part of a result. `None` if there is no such rest, or not any more.
    pub fn next(&self, cursor: &str, most: usize, of: &Spec) -> Option<Output> {
        let rest = {
            let mut rests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let at = rests.iter().position(|rest| rest.cursor == cursor)?;
            rests.remove(at)?
        };
        let mut output = Output { source_url: rest.source_url, ..Output::text(rest.text) };
        self.cut(&mut output, most, of);
        Some(output)
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Rests};
    use crate::core::Output;
    use crate::registry;
    use crate::spec::Spec;

    fn spec(name: &str) -> &'static Spec {
        registry::find(name).unwrap()
    }

    fn cursor(output: &Output) -> Option<String> {
        let note = output.note.as_deref()?;
        Some(note.split('"').nth(1)?.to_owned())
    }

    #[test]
    fn a_long_result_is_read_to_its_end_part_by_part_and_each_part_once() {
        let rests = Rests::default();
        let whole: String = (0..1000).map(|line| format!("line {line} ä\n")).collect();
        let mut output = Output::from_page(whole.clone(), "http://a.test/");
        rests.cut(&mut output, 3000, spec("text"));
        let mut read = output.text.clone();
        let mut next = cursor(&output);
        while let Some(at) = next {
            let part = rests.next(&at, 3000, spec("text")).unwrap();
            assert!(part.text.len() <= 3000 && part.source_url.as_deref() == Some("http://a.test/"));
            assert!(rests.next(&at, 3000, spec("text")).is_none());
            read.push('\n');
            read.push_str(&part.text);
            next = cursor(&part);
        }
        assert_eq!(read.split_whitespace().collect::<Vec<_>>(), whole.split_whitespace().collect::<Vec<_>>());
    }

    #[test]
    fn only_the_newest_rests_are_kept() {
        let rests = Rests::default();
        let mut first = Output::text("x".repeat(100));
        rests.cut(&mut first, 10, spec("text"));
        for _ in 0..MOST {
            rests.cut(&mut Output::text("x".repeat(100)), 10, spec("text"));
        }
        assert!(rests.next(&cursor(&first).unwrap(), 10, spec("text")).is_none());
    }

    #[test]
    fn a_text_is_cut_at_a_line_and_what_is_missing_is_said_outside_of_the_envelope() {
        let cut = |mut output: Output, most: usize, name: &str| {
            Rests::default().cut(&mut output, most, spec(name));
            output
        };
        let output = cut(Output::from_page("first line\nsecond line\nthird", "http://a/").data(1), 24, "text");
        assert_eq!((output.text.as_str(), &output.data), ("first line\nsecond line", &None));
        let travels = output.into_result().output;
        assert!(travels.contains("UNTRUSTED TEXT]\n… 5 more characters: call this tool with cursor \""), "{travels}");
        let wide = cut(Output::text("ä".repeat(10)), 5, "click").into_result().output;
        assert_eq!(wide, "ää\n… 8 more characters, narrow with selector");
        assert_eq!(cut(Output::text("whole"), 5, "text").into_result().output, "whole");
    }
}
