//! What can't be done in an everyday browser, where gstack acts by way of its extension: each command with the reason.
//!
//! Owns the list; docs/EVERYDAY.md repeats it. Never decides which browser a command is for.

use super::arguments::Arguments;
use super::spec::Spec;
use crate::protocol::fault::{Fault, FaultCode, Hop};

const ITS_COOKIES: &str = "the cookies of a person's whole profile are left alone there";
const ITS_PROCESSES: &str = "an extension is not told of the browser's processes";

/// Command, why not, and what to do instead.
pub const REFUSED: &[(&str, &str, &str)] = &[
    ("cookies", ITS_COOKIES, "In the browser of `gstack connect` it works."),
    ("cookie", ITS_COOKIES, "Sign in on the page itself, or use the browser of `gstack connect`."),
    ("cookie-import", ITS_COOKIES, "Import them into the browser of `gstack connect`."),
    ("cookie-import-browser", ITS_COOKIES, "Import them into the browser of `gstack connect`."),
    ("state", ITS_COOKIES, "Save and load states in the browser of `gstack connect`."),
    ("memory", ITS_PROCESSES, "The browser's own task manager tells."),
];

/// DevTools commands of these domains are for the browser itself, and closed to extensions.
const DOMAINS: &[&str] = &["Browser.", "SystemInfo."];

/// An error where a command is one of these.
pub fn check(spec: &Spec, arguments: &Arguments) -> Result<(), Fault> {
    if let Some((_, why, instead)) = REFUSED.iter().find(|(name, ..)| *name == spec.name) {
        return Err(refused(spec.name, why, instead));
    }
    let method = arguments.text("method").filter(|_| spec.name == "cdp");
    if let Some(method) = method.filter(|method| DOMAINS.iter().any(|domain| method.starts_with(domain))) {
        let why = "extensions may send DevTools commands to a page only";
        return Err(refused(&method, why, "Use the browser of `gstack connect` for it."));
    }
    Ok(())
}

fn refused(what: &str, why: &str, instead: &str) -> Fault {
    Fault::new(FaultCode::Forbidden, format!("`{what}` does not work in an everyday browser: {why}"))
        .hint(instead)
        .at(Hop::Browser)
}

#[cfg(test)]
mod tests {
    use super::REFUSED;
    use crate::command::registry;

    #[test]
    fn each_of_them_is_a_command_and_stands_in_the_documentation() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/EVERYDAY.md");
        let documented = std::fs::read_to_string(path).unwrap();
        for (name, ..) in REFUSED {
            assert!(registry::find(name).is_some(), "{name} is no command");
            assert!(documented.contains(&format!("| `{name}` |")), "{name} is not in docs/EVERYDAY.md");
        }
    }
}
