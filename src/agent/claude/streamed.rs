//! The part of a message that stream events have already reported, so that its finished blocks add only the rest.
//!
//! Owns the comparison. Pure; never sends events itself.

/// The message that is being streamed, or was streamed last.
#[derive(Debug, Default)]
pub(super) struct Streamed {
    message: String,
    blocks: Vec<StreamedBlock>,
}

#[derive(Debug)]
struct StreamedBlock {
    /// `text`, `thinking`, `tool_use` …
    kind: String,
    text: String,
    finished: bool,
}

impl Streamed {
    pub(super) fn begin_message(&mut self, id: String) {
        self.message = id;
        self.blocks.clear();
    }

    pub(super) fn begin_block(&mut self, kind: &str) {
        self.blocks.push(StreamedBlock { kind: kind.to_owned(), text: String::new(), finished: false });
    }

    /// Appends to the newest block. Returns true if this is the block's first text.
    pub(super) fn grow(&mut self, text: &str) -> bool {
        let Some(block) = self.blocks.last_mut() else { return true };
        let first = block.text.is_empty();
        block.text.push_str(text);
        first
    }

    /// Marks a block of the message as finished with the text `whole`. Returns the text not yet reported, and whether
    /// it starts a new block; `None` if all of it was streamed.
    pub(super) fn rest_of<'a>(&mut self, message: &str, kind: &str, whole: &'a str) -> Option<(bool, &'a str)> {
        let same_message = self.message == message;
        let open = self.blocks.iter_mut().find(|block| same_message && !block.finished && block.kind == kind);
        let Some(block) = open else { return Some((true, whole)) };
        block.finished = true;
        match whole.strip_prefix(block.text.as_str()) {
            Some("") => None,
            Some(rest) => Some((block.text.is_empty(), rest)),
            // It changed after it was streamed; reported text cannot be retracted.
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Streamed;

    #[test]
    fn only_what_was_not_streamed_is_left() {
        let mut streamed = Streamed::default();
        streamed.begin_message("m".into());
        streamed.begin_block("thinking");
        assert!(streamed.grow("hm"));
        streamed.begin_block("text");
        assert!(streamed.grow("one "));
        assert!(!streamed.grow("two"));
        assert_eq!(streamed.rest_of("m", "thinking", "hm"), None);
        assert_eq!(streamed.rest_of("m", "text", "one two three"), Some((false, " three")));
        assert_eq!(streamed.rest_of("m", "text", "another block"), Some((true, "another block")));
        assert_eq!(streamed.rest_of("other", "text", "one two"), Some((true, "one two")));
    }

    #[test]
    fn a_block_that_began_without_text_is_told_whole() {
        let mut streamed = Streamed::default();
        streamed.begin_message("m".into());
        streamed.begin_block("text");
        assert_eq!(streamed.rest_of("m", "text", "all"), Some((true, "all")));
    }
}
