//! Roles and states that custom elements have by their ElementInternals: asks the browser's accessibility tree for those
//! elements alone, and passes the answers to our script.
//!
//! Owns the requests; the script chooses the elements. Never reads a value that is not a number.

use crate::frames::FrameId;
use crate::page::error::PageError;
use crate::page::page::Page;
use crate::page::script::{Injected, call};
use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The object group that releases the handles.
const GROUP: &str = "gstack internals";

/// The reasons for which a node with a role is ignored. Source: `AXIgnoredReason` of Chromium.
const OUT_OF_REACH: [&str; 8] = [
    "activeModalDialog",
    "activeFullscreenElement",
    "ariaHiddenElement",
    "ariaHiddenSubtree",
    "inertElement",
    "inertSubtree",
    "notRendered",
    "notVisible",
];

#[derive(Deserialize)]
struct Tree {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    #[serde(default)]
    ignored: bool,
    #[serde(default)]
    ignored_reasons: Vec<State>,
    #[serde(default)]
    role: Option<Computed>,
    #[serde(default)]
    name: Option<Computed>,
    #[serde(default)]
    value: Option<Computed>,
    #[serde(default)]
    properties: Vec<State>,
}

#[derive(Deserialize)]
struct State {
    name: String,
    value: Computed,
}

#[derive(Deserialize)]
struct Computed {
    #[serde(default)]
    value: Value,
    /// The possible origins of a name, in order of precedence.
    #[serde(default)]
    sources: Vec<Source>,
}

#[derive(Deserialize)]
struct Source {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    superseded: bool,
    #[serde(default)]
    value: Option<Value>,
}

impl Page {
    /// Tells our script of a frame the roles and states by internals. Returns false if no element has any.
    pub(in crate::page) async fn read_internals(&self, frame: &FrameId) -> Result<bool, PageError> {
        let Some(listed) = self.listed(frame, Injected::ListAsked, GROUP).await? else { return Ok(false) };
        let session = &self.session_of(frame)?;
        let asked = listed.elements.iter().map(|handle| async move {
            let given = json!({ "objectId": handle, "fetchRelatives": false });
            call::<Tree>(session, "Accessibility.getPartialAXTree", &given).await
        });
        // An element that was removed has no role.
        let told: Vec<Value> = join_all(asked)
            .await
            .into_iter()
            .map(|tree| tree.ok().and_then(|tree| tree.nodes.first().and_then(Node::told)).unwrap_or_default())
            .collect();
        let tell = json!({
            "objectId": listed.list,
            "functionDeclaration": format!("function (told) {{ globalThis.__gstack?.{}(this, told); }}", Injected::TellInternals),
            "arguments": [{ "value": told }],
        });
        let _: Value = call(session, "Runtime.callFunctionOn", &tell).await?;
        self.release_listed(frame, GROUP).await?;
        Ok(told.iter().any(Value::is_object))
    }
}

impl Node {
    /// Returns what our script is told: `false` if the element is only out of reach now, so that nothing is known of its role.
    fn told(&self) -> Option<Value> {
        let is_out = |reason: &State| OUT_OF_REACH.contains(&reason.name.as_str());
        if self.ignored && self.ignored_reasons.iter().any(is_out) {
            return Some(Value::Bool(false));
        }
        self.attributes()
    }

    /// Returns the role as `role` and the rest as ARIA attributes; `None` without a role.
    fn attributes(&self) -> Option<Value> {
        let role = self.role.as_ref()?.value.as_str().filter(|role| !matches!(*role, "none" | "generic"))?;
        if self.ignored {
            return None;
        }
        let mut told = Map::new();
        told.insert("role".to_owned(), json!(role));
        if let Some(name) = self.name.as_ref().and_then(Computed::given_name) {
            told.insert("aria-label".to_owned(), json!(name));
        }
        for State { name, value } in &self.properties {
            let Some(attribute) = attribute_of(name) else { continue };
            let text = match &value.value {
                // A value without a text of its own has an empty one.
                Value::String(text) if text.is_empty() => continue,
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            told.insert(attribute.to_owned(), json!(text));
        }
        if let Some(number) = self.value.as_ref().map(|value| &value.value).filter(|value| value.is_number()) {
            told.insert("aria-valuenow".to_owned(), json!(number.to_string()));
        }
        Some(Value::Object(told))
    }
}

impl Computed {
    /// Returns a name that does not come from the element's content, which our script reads by itself.
    fn given_name(&self) -> Option<&str> {
        let source = self.sources.iter().find(|source| source.value.is_some() && !source.superseded)?;
        (source.kind != "contents").then(|| self.value.as_str()).flatten().filter(|name| !name.is_empty())
    }
}

/// Returns the ARIA attribute of a property of the accessibility tree.
fn attribute_of(property: &str) -> Option<&'static str> {
    Some(match property {
        "checked" => "aria-checked",
        "pressed" => "aria-pressed",
        "expanded" => "aria-expanded",
        "selected" => "aria-selected",
        "disabled" => "aria-disabled",
        "required" => "aria-required",
        "readonly" => "aria-readonly",
        "invalid" => "aria-invalid",
        "level" => "aria-level",
        "hasPopup" => "aria-haspopup",
        "valuetext" => "aria-valuetext",
        _ => return None,
    })
}
