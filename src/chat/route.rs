//! Which model a message asks for: a fast one for actions, a deep one for analysis. Pure.

/// How much thought a message asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// An action on the page: `click Submit`.
    Fast,
    /// Analysis, writing, code: `why does the login fail?`
    Deep,
}

/// Words of thought: one of them anywhere asks for the deep model.
const ANALYSIS: &[&str] = &[
    "analyse",
    "analyze",
    "architecture",
    "audit",
    "bug",
    "compare",
    "debug",
    "design",
    "diagnose",
    "evaluate",
    "explain",
    "fix",
    "implement",
    "improve",
    "investigate",
    "optimise",
    "optimize",
    "plan",
    "prove",
    "reason",
    "refactor",
    "research",
    "review",
    "rewrite",
    "summarise",
    "summarize",
    "think",
    "understand",
    "why",
];

/// Words of action: a message that begins with one, and has no word of thought, asks for the fast model.
const ACTION: &[&str] = &[
    "back",
    "check",
    "choose",
    "clear",
    "click",
    "close",
    "download",
    "enter",
    "fill",
    "focus",
    "forward",
    "go",
    "goto",
    "hover",
    "login",
    "navigate",
    "open",
    "press",
    "reload",
    "refresh",
    "screenshot",
    "scroll",
    "search",
    "select",
    "show",
    "sign",
    "submit",
    "switch",
    "tap",
    "toggle",
    "type",
    "uncheck",
    "upload",
    "visit",
    "wait",
    "zoom",
];

/// Words before the action: `please click`, `now go back`.
const COURTESY: &[&str] = &["please", "now", "then", "and", "just", "ok", "okay", "can", "could", "you", "next", "hey"];

/// A longer message is a task of its own, whatever it begins with.
const LONGEST_ACTION: usize = 40;

/// The depth that a message asks for; deep where it is not plainly an action.
pub fn depth(message: &str) -> Depth {
    let words: Vec<String> = message
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .take(LONGEST_ACTION + 1)
        .map(str::to_lowercase)
        .collect();
    if words.len() > LONGEST_ACTION || words.iter().any(|word| ANALYSIS.contains(&word.as_str())) {
        return Depth::Deep;
    }
    let first = words.iter().find(|word| !COURTESY.contains(&word.as_str()));
    if first.is_some_and(|word| ACTION.contains(&word.as_str())) { Depth::Fast } else { Depth::Deep }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_decide() {
        let table = [
            ("click Submit", Depth::Fast),
            ("Please, can you click the blue button?", Depth::Fast),
            ("go to example.com and fill in the form with my name", Depth::Fast),
            ("take", Depth::Deep),
            ("why does the login fail?", Depth::Deep),
            ("open the page and explain what it does", Depth::Deep),
            ("click through the flow and review it", Depth::Deep),
            ("Refactor this function", Depth::Deep),
            ("what is on this page", Depth::Deep),
            ("", Depth::Deep),
            ("now", Depth::Deep),
            ("SCROLL down", Depth::Fast),
            ("wait, that is not what I asked: design it anew", Depth::Deep),
        ];
        for (message, expected) in table {
            assert_eq!(depth(message), expected, "{message:?}");
        }
        assert_eq!(depth(&format!("click {}", "this and ".repeat(40))), Depth::Deep);
    }
}
