//! Commands that do not work in an everyday browser, where gstack acts through its extension, each with the reason.
//!
//! Owns the list; docs/EVERYDAY.md repeats it. Never decides which browser a command targets.

use super::arguments::Arguments;
use super::call::Call;
use crate::spec::{Everyday, NotEveryday};
use gstack_protocol::fault::{Fault, FaultCode, Hop};

pub(crate) const ITS_COOKIES: &str = "gstack does not touch the cookies of the person's own profile";
pub(crate) const ITS_PROCESSES: &str = "extensions can't see the browser's processes";

/// Chrome does not let extensions call DevTools commands of these domains.
const DOMAINS: &[&str] = &["Animation.", "Browser.", "Memory.", "ServiceWorker.", "SystemInfo."];

/// Checks that a call works in an everyday browser.
///
/// # Errors
///
/// Fails if it does not, with the reason and an alternative.
pub fn check(call: &Call) -> Result<(), Fault> {
    let refusal = match call.spec.everyday {
        Everyday::Works => None,
        Everyday::Refused(refusal) => Some(refusal),
        Everyday::Depends(decide) => decide(&call.arguments),
    };
    refusal.map_or(Ok(()), |refusal| Err(refused(call.spec.name, refusal)))
}

/// Returns the refusal if the DevTools command belongs to a closed domain.
pub(crate) fn closed_domain(arguments: &Arguments) -> Option<NotEveryday> {
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
    use crate::registry;
    use crate::spec::Everyday;

    #[test]
    fn each_of_them_is_a_command_and_stands_in_the_documentation() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/EVERYDAY.md");
        let documented = std::fs::read_to_string(path).unwrap();
        let refused = registry::all().iter().filter(|spec| matches!(spec.everyday, Everyday::Refused(_)));
        for name in refused.map(|spec| spec.name) {
            assert!(documented.contains(&format!("| `{name}` |")), "{name} is not in docs/EVERYDAY.md");
        }
    }
}
