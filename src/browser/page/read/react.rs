//! React's components: their tree, and one of them with its props and state.
//!
//! Owns the calls. `page_react.js` reads the components in the page's own world, which alone has them, so all of it is the page's
//! word; our own script finds their elements.

use super::data::ElementBox;
use crate::devtools::runtime::{EvaluateParams, Evaluation, evaluate_value};
use crate::frames::{FrameId, World};
use crate::page::error::PageError;
use crate::page::locate::refs::{ElementPlace, RefKind};
use crate::page::locate::{FaultReply, Target};
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::Injected;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

const READ: &str = include_str!("page_react.js");
const HANDLERS: &str = include_str!("page_handlers.js");
/// A snapshot does not wait longer for what React handles.
const HANDLERS_LIMIT: Duration = Duration::from_secs(2);

/// A component in the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    pub name: String,
    /// Its key among its siblings, if it has one.
    pub key: Option<String>,
    /// The number of components around it.
    pub depth: usize,
    /// The ref of its first element: `@e3`.
    pub element: Option<String>,
    /// The box of its first element within its frame.
    pub place: Option<ElementBox>,
}

/// The components of a document, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentTree {
    pub components: Vec<Component>,
    /// How many there are, also beyond those listed.
    pub total: usize,
}

/// One component as it is now.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ComponentDetails {
    pub name: String,
    pub key: Option<Value>,
    pub props: Value,
    /// The values of its state hooks, in order; of a class its state.
    pub state: Vec<Value>,
    /// The components around it, the nearest first.
    pub within: Vec<String>,
}

#[derive(Deserialize)]
struct TreeReply {
    present: bool,
    components: Vec<FoundComponent>,
    total: usize,
}

#[derive(Deserialize)]
struct FoundComponent {
    name: String,
    key: Option<String>,
    depth: usize,
    path: Option<Vec<u32>>,
    #[serde(rename = "box")]
    place: Option<ElementBox>,
}

#[derive(Deserialize)]
struct ComponentReply {
    present: bool,
    component: Option<ComponentDetails>,
}

#[derive(Deserialize)]
struct PathReply {
    path: Option<Vec<u32>>,
    #[serde(flatten)]
    fault: FaultReply,
}

#[derive(Deserialize)]
struct NumbersReply {
    document: String,
    numbers: Vec<u32>,
}

impl Page {
    /// Returns the first `most` components of the chosen frame; `None` if there is no React.
    pub async fn react_tree(&self, most: usize) -> Result<Option<ComponentTree>, PageError> {
        let frame = self.current_frame().await?;
        let reply: TreeReply = self.read_react(&frame, json!({ "most": most })).await?;
        if !reply.present {
            return Ok(None);
        }
        let paths: Vec<Option<Vec<u32>>> = reply.components.iter().map(|found| found.path.clone()).collect();
        let NumbersReply { document, numbers } =
            self.script(&frame, Injected::NumbersAt, &[&paths], SCRIPT_LIMIT).await?;
        let mut refs = self.memory.refs();
        let mut name = |number: &u32| {
            let place = ElementPlace { frame: frame.clone(), document: document.clone(), number: *number };
            (*number > 0).then(|| refs.name(RefKind::Element, place).to_string())
        };
        let component = |(found, number): (FoundComponent, &u32)| Component {
            name: found.name,
            key: found.key,
            depth: found.depth,
            element: name(number),
            place: found.place,
        };
        let components = reply.components.into_iter().zip(&numbers).map(component).collect();
        Ok(Some(ComponentTree { components, total: reply.total }))
    }

    /// Returns the nearest component around an element; `None` if there is none.
    pub async fn react_component(&self, target: &Target) -> Result<Option<ComponentDetails>, PageError> {
        let (frame, PathReply { path, fault }) = self.ask_where(target, Injected::PathOf, &[], SCRIPT_LIMIT).await?;
        if fault.fault.is_some() {
            return Err(fault.error(target).unwrap_or_else(|| PageError::NotFound(target.to_string())));
        }
        let Some(path) = path else { return Ok(None) };
        let reply: ComponentReply = self.read_react(&frame, json!({ "path": path })).await?;
        let secrets: Vec<String> = self.script(&frame, Injected::SecretValues, &[], SCRIPT_LIMIT).await?;
        Ok(reply.component.filter(|_| reply.present).map(|found| found.without(&secrets)))
    }

    /// Tells our script on which elements of a frame React handles pointer events, and which listen for a double or right
    /// click: such an element may have no other sign.
    pub(super) async fn note_handlers(&self, frame: &FrameId) -> Result<(), PageError> {
        let context = self.context(frame, &World::Main).await?;
        // For `getEventListeners`.
        let evaluate = EvaluateParams { include_command_line_api: Some(true), ..evaluate_value(HANDLERS) };
        let evaluate = evaluate.ending_after(HANDLERS_LIMIT).within(&context);
        let reply = self.session_of(frame)?.call_within(evaluate, HANDLERS_LIMIT).await?;
        let found =
            reply.result.value.and_then(|value| serde_json::from_str::<Vec<(Vec<u32>, Vec<String>)>>(value.get()).ok());
        let found = found.unwrap_or_default();
        if found.is_empty() {
            return Ok(());
        }
        self.script::<Value>(frame, Injected::NoteHandled, &[&found], SCRIPT_LIMIT).await.map(|_| ())
    }

    async fn read_react<T: DeserializeOwned>(&self, frame: &FrameId, options: Value) -> Result<T, PageError> {
        let context = self.context(frame, &World::Main).await?;
        let expression = format!("({})({options})", READ.trim().trim_end_matches(';'));
        let evaluate = evaluate_value(expression).ending_after(SCRIPT_LIMIT).within(&context);
        let reply = self.session_of(frame)?.call_within(evaluate, SCRIPT_LIMIT).await?;
        if let Some(thrown) = reply.exception_details {
            return Err(PageError::Script(thrown.words()));
        }
        let value = reply.result.value.ok_or_else(|| PageError::Unreadable("no components".to_owned()))?;
        serde_json::from_str(value.get()).map_err(|error| PageError::Unreadable(error.to_string()))
    }
}

impl ComponentDetails {
    /// Removes the values of password fields and hidden tokens, which a component's props and state repeat.
    fn without(mut self, secrets: &[String]) -> Self {
        hide(&mut self.props, secrets);
        self.state.iter_mut().for_each(|state| hide(state, secrets));
        self
    }
}

fn hide(value: &mut Value, secrets: &[String]) {
    match value {
        Value::String(text) if secrets.iter().any(|secret| text.contains(secret.as_str())) => {
            *value = Value::from("[redacted]");
        }
        Value::Array(list) => list.iter_mut().for_each(|one| hide(one, secrets)),
        Value::Object(fields) => fields.values_mut().for_each(|one| hide(one, secrets)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::hide;
    use serde_json::json;

    #[test]
    fn what_a_password_field_holds_is_in_no_value() {
        let mut value = json!({ "a": ["x", "hunter2"], "b": { "c": "is hunter2!" }, "d": 2 });
        hide(&mut value, &["hunter2".to_owned()]);
        assert_eq!(value, json!({ "a": ["x", "[redacted]"], "b": { "c": "[redacted]" }, "d": 2 }));
    }
}
