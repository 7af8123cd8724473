//! The depth of thought that a message needs: a fast model for actions, a deep one for analysis. Pure.
//!
//! Owns the word lists. If a message is not clearly an action, it gets the deep model, which can also act.

/// The depth of thought that a message needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// An action on the page: `click Submit`.
    Fast,
    /// Analysis, writing, code: `why does the login fail?`
    Deep,
}

/// Words of analysis: one of them anywhere selects the deep model, however the message begins.
const ANALYSIS: &[&str] = &[
    "analyse",
    "analyze",
    "analysis",
    "architecture",
    "assess",
    "audit",
    "brainstorm",
    "bug",
    "bugs",
    "compare",
    "comparison",
    "critique",
    "debug",
    "describe",
    "design",
    "diagnose",
    "differences",
    "draft",
    "estimate",
    "evaluate",
    "explain",
    "fix",
    "how",
    "implement",
    "improve",
    "investigate",
    "optimise",
    "optimize",
    "plan",
    "prove",
    "reason",
    "recommend",
    "refactor",
    "report",
    "research",
    "review",
    "rewrite",
    "suggest",
    "summarise",
    "summarize",
    "summary",
    "think",
    "translate",
    "understand",
    "verify",
    "what",
    "what's",
    "which",
    "why",
];

/// Phrases of analysis, whose words appear in this order and close together.
const ANALYSIS_PHRASES: &[&[&str]] = &[
    &["check", "for"],
    &["check", "if"],
    &["check", "whether"],
    &["tell", "me"],
    &["find", "out"],
    &["read", "and"],
    &["look", "for"],
];
/// The number of words that may come between two words of a phrase.
const PHRASE_REACH: usize = 6;

/// Words of action: a message that begins with one selects the fast model.
const ACTION: &[&str] = &[
    "accept",
    "add",
    "back",
    "book",
    "cancel",
    "check",
    "choose",
    "clear",
    "click",
    "close",
    "confirm",
    "copy",
    "delete",
    "deselect",
    "dismiss",
    "download",
    "drag",
    "enter",
    "expand",
    "fill",
    "focus",
    "follow",
    "forward",
    "go",
    "goto",
    "hit",
    "hover",
    "log",
    "login",
    "logout",
    "navigate",
    "open",
    "paste",
    "pick",
    "play",
    "pause",
    "press",
    "put",
    "refresh",
    "reload",
    "remove",
    "save",
    "screenshot",
    "scroll",
    "search",
    "select",
    "send",
    "set",
    "show",
    "sign",
    "snapshot",
    "sort",
    "start",
    "stop",
    "submit",
    "switch",
    "take",
    "tap",
    "tick",
    "toggle",
    "type",
    "uncheck",
    "untick",
    "upload",
    "visit",
    "wait",
    "zoom",
];

/// Phrases that mean an action anywhere in a short message: `the blue button: click it`.
const ACTION_PHRASES: &[&[&str]] = &[
    &["click"],
    &["scroll", "down"],
    &["scroll", "up"],
    &["scroll", "to"],
    &["fill", "in"],
    &["fill", "out"],
    &["fill", "with"],
    &["go", "to"],
    &["go", "back"],
    &["sign", "in"],
    &["sign", "out"],
    &["log", "in"],
    &["log", "out"],
    &["type", "into"],
    &["type", "in"],
    &["take", "screenshot"],
    &["reload"],
    &["press", "enter"],
];

/// Words that may precede the action: `please click`, `now go back`.
const COURTESY: &[&str] = &[
    "please", "now", "then", "and", "just", "ok", "okay", "can", "could", "would", "will", "you", "next", "hey", "hi",
    "let's", "lets", "first", "also", "i", "want", "need", "to", "go", "ahead",
];

/// A message with more words is not a single action, however it begins.
const LONGEST_ACTION: usize = 40;
/// A phrase of action in the middle counts only in a message with at most this many words.
const LONGEST_MENTION: usize = 15;

/// Returns the depth for a message: deep unless it is clearly an action.
pub(super) fn of(message: &str) -> Depth {
    let words: Vec<String> = unquoted(message)
        .split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .filter(|word| !word.is_empty())
        .take(LONGEST_ACTION + 1)
        .map(|word| word.to_lowercase().replace('’', "'"))
        .collect();
    if words.len() > LONGEST_ACTION
        || words.iter().any(|word| ANALYSIS.contains(&word.as_str()))
        || ANALYSIS_PHRASES.iter().any(|phrase| has_phrase(&words, phrase))
    {
        return Depth::Deep;
    }
    let is_first = |at: usize| words[..at].iter().all(|word| COURTESY.contains(&word.as_str()));
    let begins = words.iter().enumerate().any(|(at, word)| ACTION.contains(&word.as_str()) && is_first(at));
    let mentions = || ACTION_PHRASES.iter().any(|phrase| has_phrase(&words, phrase));
    if begins || (words.len() <= LONGEST_MENTION && mentions()) { Depth::Fast } else { Depth::Deep }
}

/// Removes quoted text, because it is typed or named, not requested: `click "Why us?"`.
fn unquoted(message: &str) -> String {
    let mut kept = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(open) = rest.find(['"', '“', '`', '«']) {
        let (before, from) = rest.split_at(open);
        let mut letters = from.chars();
        let closing = match letters.next() {
            Some('“') => '”',
            Some('«') => '»',
            Some(same) => same,
            None => break,
        };
        let inside = letters.as_str();
        let Some(end) = inside.find(closing) else { break };
        kept.push_str(before);
        kept.push(' ');
        rest = &inside[end + closing.len_utf8()..];
    }
    kept.push_str(rest);
    kept
}

/// Returns whether the words of a phrase appear in order, each close enough to the previous one.
fn has_phrase(words: &[String], phrase: &[&str]) -> bool {
    let Some((first, more)) = phrase.split_first() else { return true };
    words.iter().enumerate().filter(|(_, word)| word == first).any(|(mut at, _)| {
        more.iter().all(|next| {
            let reach = (at + 1 + PHRASE_REACH).min(words.len());
            match words[at + 1..reach].iter().position(|word| word == next) {
                Some(further) => {
                    at += 1 + further;
                    true
                }
                None => false,
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_fast() {
        for message in [
            "click Submit",
            "Please, can you click the blue button?",
            "go to example.com and fill in the form with my name",
            "go back",
            "back",
            "SCROLL down",
            "scroll to the bottom",
            "type hello into the search box",
            "press Enter",
            "reload",
            "refresh the page",
            "open example.com",
            "open the second result in a new tab",
            "navigate to localhost:3000/login",
            "fill the email with a@b.example",
            "select Germany in Country",
            "check the box",
            "check the terms checkbox and submit",
            "uncheck newsletter",
            "take a screenshot",
            "screenshot",
            "show the menu",
            "close the dialog",
            "dismiss the cookie banner",
            "log in with the saved account",
            "sign out",
            "now wait for the spinner to go away",
            "submit the form",
            "upload cv.pdf",
            "download the invoice",
            "hover over the avatar",
            "search for red shoes",
            "switch to the second tab",
            "zoom in",
            "I want you to click the red one",
            "ok, then press Save",
            "let's go to the next page",
            "the blue button, click it",
            "on the left there is a menu, please click Settings",
            "click \"Why us?\"",
            "click “What is new”",
            "type `explain everything` into Note",
            "add two of these to the cart",
            "could you scroll down a bit",
        ] {
            assert_eq!(of(message), Depth::Fast, "{message:?}");
        }
    }

    #[test]
    fn analysis_is_deep_whatever_it_begins_with() {
        for message in [
            "why does the login fail?",
            "what is on this page",
            "What's the price?",
            "how do I cancel my plan",
            "explain this error",
            "describe the layout",
            "summarize this page",
            "summarise the thread",
            "analyze the network requests",
            "compare the two offers",
            "review this pull request",
            "find all bugs",
            "find any accessibility bugs on this page",
            "check the page for broken links",
            "check for errors",
            "check whether the form works",
            "check if it is in stock",
            "tell me about the author",
            "assess the risk",
            "report on the performance",
            "read the article and list the arguments",
            "read this and answer the questions",
            "open the page and explain what it does",
            "click through the flow and review it",
            "go to example.com and tell me the opening hours",
            "take a screenshot and describe it",
            "Refactor this function",
            "fix the failing test",
            "write a friendly reply",
            "which one is cheaper",
            "wait, that is not what I asked: design it anew",
            "find out who wrote this",
            "translate the page",
        ] {
            assert_eq!(of(message), Depth::Deep, "{message:?}");
        }
    }

    #[test]
    fn what_is_neither_is_deep() {
        for message in [
            "",
            "now",
            "hello",
            "thanks",
            "the header looks odd",
            "42",
            "https://example.com",
            "…",
            "\"click\"",
            "你好",
        ] {
            assert_eq!(of(message), Depth::Deep, "{message:?}");
        }
        assert_eq!(of(&format!("click {}", "this and ".repeat(40))), Depth::Deep, "a long one is a task");
        let long = "there is something on this page that I did not see before and it would be good to click it";
        assert_eq!(of(long), Depth::Deep, "a mention in a longer one decides nothing");
        assert_eq!(of("say \"open"), Depth::Deep, "a quotation mark that nobody closes");
    }
}
