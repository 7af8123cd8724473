//! A call of a command as the policy's wish: what kind of action, where, and how far it reaches.

use crate::agent::adapter::ToolCall;
use crate::base::site;
use crate::browser::page::Leading;
use crate::command::{Arguments, Spec};
use crate::engine::policy::{Deed, Shape, Trail, Wish};
use crate::protocol::ids::ConversationId;
use crate::protocol::policy::PolicyScope;

/// What is known of the tab and the conversation when a call comes.
pub(super) struct Scene<'a> {
    pub(super) conversation_id: &'a ConversationId,
    /// The site that the tab shows.
    pub(super) site: Option<String>,
    /// What is typed would go into a password field.
    pub(super) into_password: bool,
    /// It closes a tab that the agent did not open.
    pub(super) closes_theirs: bool,
    pub(super) trail: &'a Trail,
}

pub(super) fn wish(spec: &Spec, call: &ToolCall, scene: Scene<'_>) -> Wish {
    let Scene { conversation_id, site, into_password, closes_theirs, trail } = scene;
    let arguments = Arguments::parse(spec, &call.args).unwrap_or_default();
    let text = |name: &str| arguments.text(name).unwrap_or_default();
    let deed = match Deed::of(spec.class_of(&call.args)) {
        Deed::Does(PolicyScope::Act) => Deed::Does(match spec.name {
            "download" => PolicyScope::Download,
            "upload" => PolicyScope::Upload,
            _ if into_password => PolicyScope::Password,
            _ => PolicyScope::Act,
        }),
        deed => deed,
    };
    // Neither does anything to a page.
    let deed = match spec.name {
        "tab" => Deed::Read,
        "newtab" if text("url").is_empty() => Deed::Read,
        _ => deed,
    };
    let (place, shape) = match (deed, spec.name) {
        // Where it goes is what a person decides about, not where it comes from.
        (Deed::Does(_), "goto" | "newtab" | "download") => {
            (destination(&text("url")), trail.shape_of_going(site.as_deref(), &text("url")))
        }
        (Deed::Does(_), "closetab") => (site, if closes_theirs { Shape::ClosesTheirs } else { Shape::Plain }),
        (Deed::Does(PolicyScope::Control | PolicyScope::Upload), _) => (site, trail.shape_of_control()),
        (Deed::Does(_), _) => {
            let typed = typed(spec, &arguments);
            let shape = typed.map_or(Shape::Plain, |text| trail.shape_of_typing(site.as_deref(), &text));
            (site, shape)
        }
        (Deed::Read | Deed::Secret, _) => (site, Shape::Plain),
    };
    Wish { conversation_id: conversation_id.clone(), deed, site: place, shape }
}

/// What a click does beside what it does to its own page: the markup says that it leads to another site.
pub(super) fn leading(of: &Wish, leading: &Leading, trail: &Trail) -> Option<Wish> {
    let to = site::of(&leading.url).filter(|to| of.site.as_ref() != Some(to))?;
    let shape = trail.shape_of_leading(of.site.as_deref(), &leading.url, leading.form);
    (shape != Shape::Plain).then(|| Wish { site: Some(to), shape, ..of.clone() })
}

/// Whether a call may follow a link or send a form.
pub(super) fn may_lead(spec: &Spec, call: &ToolCall) -> bool {
    let is_enter = |arguments: Arguments| {
        arguments.text("key").is_some_and(|key| key.rsplit('+').next().is_some_and(|last| last.ends_with("Enter")))
    };
    match spec.name {
        "click" => true,
        "press" => Arguments::parse(spec, &call.args).is_ok_and(is_enter),
        _ => false,
    }
}

/// The words that a call puts into the page.
pub(super) fn typed(spec: &Spec, arguments: &Arguments) -> Option<String> {
    match spec.name {
        "fill" => arguments.text("value"),
        "type" | "dialog-accept" => arguments.text("text"),
        // Letter by letter.
        "press" => arguments.text("key").filter(|key| key.chars().count() == 1),
        _ => None,
    }
}

/// Whether a call types, and so may type into a password field.
pub(super) fn types(spec: &Spec) -> bool {
    matches!(spec.name, "fill" | "type" | "press")
}

/// The site that an address leads to; none where it has none or can't be read.
pub(super) fn destination(typed: &str) -> Option<String> {
    // `localhost:3000` parses as it is too, with `localhost` for its scheme and no host.
    site::of(typed).or_else(|| site::of(&format!("https://{typed}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{registry, tool_schema};
    use serde_json::{Value, json};

    fn wished(name: &str, arguments: &Value, trail: &Trail, into_password: bool) -> Wish {
        let spec = registry::find(name).unwrap();
        let args = tool_schema::arguments_of(spec, arguments).unwrap();
        let call = ToolCall { command: name.to_owned(), args };
        let conversation_id = &ConversationId::new("c1");
        wish(
            spec,
            &call,
            Scene { conversation_id, site: Some("a.example".to_owned()), into_password, closes_theirs: true, trail },
        )
    }

    #[test]
    fn where_goto_goes_is_its_address_however_it_is_spelled_and_no_other_word() {
        for (url, site) in [
            ("https://a.example/b", Some("a.example")),
            ("https://a.example:443/", Some("a.example")),
            ("https://a.example@evil.example/", Some("evil.example")),
            ("a.example/b", Some("a.example")),
            ("localhost:3000", Some("localhost:3000")),
            ("evil.example:8080/x", Some("evil.example:8080")),
            ("about:blank", None),
        ] {
            let wish = wished("goto", &json!({ "url": url, "timeout": 5000 }), &Trail::default(), false);
            assert_eq!(wish.site.as_deref(), site, "{url}");
        }
    }

    #[test]
    fn a_call_is_what_it_does_rather_than_its_class() {
        let trail = Trail::default();
        let deed = |name, arguments, into_password| wished(name, &arguments, &trail, into_password).deed;
        assert_eq!(deed("click", json!({"selector": "@e1"}), false), Deed::Does(PolicyScope::Act));
        let fill = json!({"selector": "#p", "value": "x"});
        assert_eq!(deed("fill", fill.clone(), false), Deed::Does(PolicyScope::Act));
        assert_eq!(deed("fill", fill, true), Deed::Does(PolicyScope::Password));
        assert_eq!(deed("download", json!({"url": "https://b.example/f"}), false), Deed::Does(PolicyScope::Download));
        assert_eq!(deed("upload", json!({"selector": "#f", "file": ["a"]}), false), Deed::Does(PolicyScope::Upload));
        assert_eq!(deed("js", json!({"expression": "1"}), false), Deed::Does(PolicyScope::Control));
        assert_eq!(deed("cookies", json!({}), false), Deed::Secret);
        assert_eq!(deed("text", json!({}), false), Deed::Read);
        assert_eq!(deed("tab", json!({"id": 2}), false), Deed::Read);
        assert_eq!(deed("newtab", json!({}), false), Deed::Read);
        assert_eq!(deed("newtab", json!({"url": "https://b.example"}), false), Deed::Does(PolicyScope::Act));
        assert_eq!(wished("closetab", &json!({}), &trail, false).shape, Shape::ClosesTheirs);
    }

    #[test]
    fn what_was_read_elsewhere_shapes_what_is_typed_gone_to_and_run() {
        let mut trail = Trail::default();
        trail.read("mail.example", "correct horse battery staple velvet moon");
        let shape = |name, arguments| wished(name, &arguments, &trail, false).shape;
        let words = "correct horse battery staple velvet";
        assert_eq!(shape("fill", json!({"selector": "#q", "value": words})), Shape::Carrying);
        assert_eq!(shape("type", json!({"text": words})), Shape::Carrying);
        assert_eq!(shape("fill", json!({"selector": "#q", "value": "shoes"})), Shape::Plain);
        assert_eq!(shape("goto", json!({"url": "https://b.example/"})), Shape::NewSite);
        assert_eq!(shape("goto", json!({"url": "https://a.example/x"})), Shape::Plain);
        assert_eq!(shape("js", json!({"expression": "1"})), Shape::Carrying);
        assert_eq!(shape("click", json!({"selector": "@e1"})), Shape::Plain);
    }
}
