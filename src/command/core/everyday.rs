//! What can't be done in an everyday browser, where gstack acts by way of its extension: each command with the reason.
//!
//! Owns the list; docs/EVERYDAY.md repeats it. Never decides which browser a command is for.

use super::arguments::Arguments;
use super::call::Call;
use crate::command::spec::{Everyday, NotEveryday};
use crate::protocol::fault::{Fault, FaultCode, Hop};

pub(in crate::command) const ITS_COOKIES: &str = "the cookies of a person's whole profile are left alone there";
pub(in crate::command) const ITS_PROCESSES: &str = "an extension is not told of the browser's processes";

/// DevTools commands of these domains are closed to extensions.
const DOMAINS: &[&str] = &["Animation.", "Browser.", "Memory.", "SystemInfo."];

/// Fails if a call does not work there.
///
/// # Errors
///
/// Says why not, and what to do instead.
pub fn check(call: &Call) -> Result<(), Fault> {
    let refusal = match call.spec.everyday {
        Everyday::Works => None,
        Everyday::Refused(refusal) => Some(refusal),
        Everyday::Depends(decide) => decide(&call.arguments),
    };
    refusal.map_or(Ok(()), |refusal| Err(refused(call.spec.name, refusal)))
}

/// For a DevTools command of a closed domain.
pub(in crate::command) fn closed_domain(arguments: &Arguments) -> Option<NotEveryday> {
    let method = arguments.text("method")?;
    DOMAINS.iter().any(|domain| method.starts_with(domain)).then_some(NotEveryday {
        why: "Chrome closes this method's domain to extensions",
        instead: "Use the browser of `gstack connect` for it.",
    })
}

fn refused(what: &str, NotEveryday { why, instead }: NotEveryday) -> Fault {
    Fault::new(FaultCode::Forbidden, format!("`{what}` does not work in an everyday browser: {why}"))
        .hint(instead)
        .at(Hop::Browser)
}

#[cfg(test)]
mod tests {
    use crate::command::registry;
    use crate::command::spec::Everyday;

    #[test]
    fn each_of_them_is_a_command_and_stands_in_the_documentation() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/EVERYDAY.md");
        let documented = std::fs::read_to_string(path).unwrap();
        let refused = registry::all().iter().filter(|spec| matches!(spec.everyday, Everyday::Refused(_)));
        for name in refused.map(|spec| spec.name) {
            assert!(documented.contains(&format!("| `{name}` |")), "{name} is not in docs/EVERYDAY.md");
        }
    }
}
