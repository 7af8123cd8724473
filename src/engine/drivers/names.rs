//! The names of drivers: what the program calls itself, and the person's name for it.
//!
//! Owns their display. A program chooses its name, so the name must neither hide letters nor look like the person's.

use super::error::DriversError;
use gstack_base::shorten::shorten;
use gstack_base::visible::visible;

/// In characters, for the program's name and for the person's.
const LONGEST_NAME: usize = 40;
/// The name of a client that gives none.
const NAMELESS: &str = "mcp";

/// The two parts of a driver's name.
pub(super) struct DriverNames {
    /// The program's own name for itself.
    pub(super) client: String,
    /// The person's name for it.
    pub(super) label: Option<String>,
}

impl DriverNames {
    pub(super) fn new(client: &str, label: Option<&str>) -> Self {
        Self { client: client_name(client), label: label_of(label) }
    }

    /// Returns both as one name: `cursor (work)`.
    pub(super) fn whole(&self) -> String {
        let Self { client, label } = self;
        label.as_ref().map_or_else(|| client.clone(), |label| format!("{client} ({label})"))
    }
}

/// Returns a name as people see it. What is cut off is replaced by an ellipsis.
fn shown(text: &str) -> String {
    // A name may be megabytes long, so only what can be shown is made visible.
    let start: String = text.trim().chars().take(LONGEST_NAME + 1).collect();
    shorten(&visible(&start).replace('\n', " "), LONGEST_NAME)
}

/// Letters that look like the round brackets around the person's name for a client.
const OPENING: [char; 6] = ['(', '（', '﹙', '⁽', '₍', '❨'];
const CLOSING: [char; 6] = [')', '）', '﹚', '⁾', '₎', '❩'];

/// Returns what a program calls itself. Only the person's name for it stands in round brackets.
fn client_name(text: &str) -> String {
    let name = shown(text).replace(OPENING, "[").replace(CLOSING, "]");
    if name.is_empty() { NAMELESS.to_owned() } else { name }
}

fn label_of(text: Option<&str>) -> Option<String> {
    text.map(shown).filter(|label| !label.is_empty())
}

/// Checks the person's name for a terminal. It is typed as one word, and is shown whole and as it is.
pub(super) fn check_terminal_name(name: &str) -> Result<(), DriversError> {
    let is_word = |text: &str| text.chars().all(|one| one.is_alphanumeric() || matches!(one, '-' | '_' | '.'));
    let is_short = name.chars().take(LONGEST_NAME + 1).count() <= LONGEST_NAME;
    let begins = name.chars().next().is_some_and(char::is_alphanumeric);
    // Some letters of scripts that combine are alphanumeric, and not visible by themselves.
    if is_short && begins && is_word(name) && shown(name) == name {
        return Ok(());
    }
    Err(DriversError::NoTerminalName)
}

/// Returns the name, with a number if it is taken.
pub(super) fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(name) {
        return name.to_owned();
    }
    (2..).map(|number| format!("{name} {number}")).find(|name| !is_taken(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{DriverNames, check_terminal_name, client_name, free_name};

    #[test]
    fn a_name_is_short_visible_and_not_taken_twice() {
        let name = |client, label| DriverNames::new(client, label).whole();
        assert_eq!(name("cursor", None), "cursor");
        assert_eq!(name(" cursor ", Some("work")), "cursor (work)");
        assert_eq!(name("", Some(" ")), "mcp");
        let taken = ["cursor", "cursor 2"];
        assert_eq!(free_name("cursor", |name| taken.contains(&name)), "cursor 3");
        assert_eq!(free_name("zed", |name| taken.contains(&name)), "zed");
    }

    #[test]
    fn a_terminals_name_is_one_short_word() {
        for name in ["a", "shop-tests", "nightly.2", "магазин"] {
            assert!(check_terminal_name(name).is_ok(), "{name}");
        }
        let long = "x".repeat(41);
        for name in
            ["", " a", "a b", "-a", "a(b)", "a\u{1b}[2J", "a\u{202e}b", "a\u{200b}", "a\nb", "a/b", long.as_str()]
        {
            assert!(check_terminal_name(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn a_hostile_name_hides_nothing_and_is_not_mistaken_for_the_persons() {
        assert_eq!(client_name("a\u{202e}b"), "a⟨U+202E⟩b");
        assert_eq!(client_name("a\u{1b}[2Jb\nc\u{0}"), "a⟨U+001B⟩[2Jb c⟨U+0000⟩");
        for work in ["(work)", "（work）", "⁽work⁾"] {
            assert_eq!(client_name(&format!("cursor {work}")), "cursor [work]", "as if the person had named it");
        }
        assert_eq!(client_name(&"x".repeat(10_000)).chars().count(), 40);
        assert!(client_name(&"\u{202e}".repeat(10_000)).chars().count() <= 40);
        assert!(client_name(&"x".repeat(41)).ends_with('…'));
        assert_eq!(
            client_name("<img src=x onerror=alert[1]>"),
            "<img src=x onerror=alert[1]>",
            "panels draw it as text"
        );
    }
}
