//! The built-in agent's help. It never claims to understand more than it does.

use super::page::plain;
use crate::claude::INSTALL_COMMAND;
use crate::clip::one_line;

const ABILITIES: &str = "\
- `open example.com` · `back` · `forward` · `reload`\n\
- `click Sign in` · `click the Search button` · `press Enter`\n\
- `fill Email with me@example.com` · `type hello into Search` · `fill this form with test data`\n\
- `scroll down` · `scroll to Comments`\n\
- `summarise this page` · `text` · `links` · `fields` · `console` · `screenshot` · `snapshot`\n\n\
Several at once: `open example.com, then click More information`.\n";

pub(super) fn help() -> String {
    format!(
        "I am the built-in agent: no model, no network, plain commands only. I can do:\n\n{ABILITIES}\n{}",
        with_a_model()
    )
}

pub(super) fn not_understood(sentence: &str) -> String {
    format!(
        "I did not understand “{}”. I am the built-in agent and follow plain commands only:\n\n{ABILITIES}\n{}",
        plain(&one_line(sentence, 200)),
        with_a_model()
    )
}

fn with_a_model() -> String {
    format!(
        "For everything else install an agent with a model, then choose it below:\n\n```sh\n{INSTALL_COMMAND}\nclaude auth login\n```\n"
    )
}
