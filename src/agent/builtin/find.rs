//! Returns selectors for an element as a person describes it, most likely first.
//!
//! Pure. The turn checks whether an element exists.

use super::parse::Target;

/// Returns selectors for "click Submit". The last one is tried even if none matches, because its error describes best
/// what is missing.
pub(super) fn to_click(target: &Target) -> Vec<String> {
    if let Some(selector) = as_selector(&target.name) {
        return vec![selector];
    }
    let roles: &[&str] = match &target.role {
        Some(role) => &[role],
        None => &["button", "link", "menuitem", "tab", "checkbox", "radio"],
    };
    let mut selectors: Vec<String> = roles.iter().map(|role| by_role(role, &target.name)).collect();
    selectors.push(by_text(&target.name));
    selectors
}

/// Returns selectors for a field to fill.
pub(super) fn to_fill(field: &str) -> Vec<String> {
    if let Some(selector) = as_selector(field) {
        return vec![selector];
    }
    let mut selectors: Vec<String> =
        ["textbox", "searchbox", "combobox", "spinbutton"].iter().map(|role| by_role(role, field)).collect();
    let quoted = quote(field);
    for attribute in ["placeholder", "aria-label", "name", "id"] {
        selectors.push(format!("input[{attribute}={quoted} i], textarea[{attribute}={quoted} i]"));
    }
    // It is tried first, and again last for its error.
    selectors.push(by_role("textbox", field));
    selectors
}

pub(super) fn by_text(text: &str) -> String {
    as_selector(text).unwrap_or_else(|| format!("text={}", quote(text)))
}

fn by_role(role: &str, name: &str) -> String {
    format!("role={role}[name={}]", quote(name))
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns the text if it already is a selector: a ref, an id, a class, an attribute or one with its kind as a prefix.
fn as_selector(text: &str) -> Option<String> {
    let kinds = ["@e", "@c", "text=", "role=", "xpath=", "css="];
    let plain_css = text.starts_with(['#', '.', '[']) && text.len() > 1 && !text.contains(' ');
    (plain_css || kinds.iter().any(|kind| text.starts_with(kind))).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{by_text, to_click, to_fill};
    use crate::builtin::parse::Target;

    #[test]
    fn the_likeliest_comes_first_and_the_most_telling_last() {
        let named = to_click(&Target { name: "Say \"hi\"".into(), role: None });
        assert_eq!(named[0], r#"role=button[name="Say \"hi\""]"#);
        assert_eq!(named.last().unwrap(), r#"text="Say \"hi\"""#);
        assert_eq!(to_click(&Target { name: "X".into(), role: Some("tab") }), [r#"role=tab[name="X"]"#, r#"text="X""#]);
        assert_eq!(to_click(&Target { name: "@e3".into(), role: None }), ["@e3"]);
        let fields = to_fill("Email");
        assert_eq!((fields.first(), fields[0].as_str()), (fields.last(), r#"role=textbox[name="Email"]"#));
        assert_eq!(by_text("#top"), "#top");
    }
}
