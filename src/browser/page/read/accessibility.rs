//! The browser's own accessibility tree, including frames, as indented text.
//!
//! Owns the line format. Secret field values are redacted, as in every other reader. Assigns no refs: actions use those
//! of a snapshot.

use crate::devtools::dom::DescribedNode;
use crate::frames::FrameId;
use crate::page::error::PageError;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::{Injected, call};
use futures_util::future::{BoxFuture, join_all};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;

/// In bytes. A longer tree is cut and marked as such.
const LONGEST: usize = 400_000;
/// Replaces a secret.
const REDACTED: &str = "[redacted]";
/// In characters: shorter secrets would match parts of other words.
const SHORTEST_PART: usize = 3;
/// Frames nested deeper than this are left out.
const DEEPEST_FRAME: u32 = 8;

#[derive(Deserialize)]
struct Tree {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    node_id: String,
    #[serde(default)]
    ignored: bool,
    #[serde(default)]
    role: Option<PropertyValue>,
    #[serde(default)]
    name: Option<PropertyValue>,
    #[serde(default)]
    value: Option<PropertyValue>,
    #[serde(default)]
    properties: Vec<Property>,
    #[serde(default)]
    child_ids: Vec<String>,
    #[serde(rename = "backendDOMNodeId", default)]
    backend: Option<i64>,
}

#[derive(Deserialize)]
struct PropertyValue {
    #[serde(default)]
    value: Value,
}

#[derive(Deserialize)]
struct Property {
    name: String,
    value: PropertyValue,
}

impl Page {
    /// Returns every node that is not ignored: `role "name" [property]: value`, two spaces per level.
    pub async fn accessibility(&self) -> Result<String, PageError> {
        let frame = self.current_frame().await?;
        let mut text = String::new();
        self.write_tree(&frame, 0, 0, &mut text).await?;
        if text.len() > LONGEST {
            let mut end = LONGEST;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
            text.push_str("\n… the rest of the tree does not fit");
        }
        Ok(text)
    }

    /// Returns the number of elements whose content the browser leaves out of its tree: they are off-screen under
    /// `content-visibility: auto`.
    pub async fn skipped_parts(&self) -> Result<usize, PageError> {
        let frames = self.frames().await?;
        let asked =
            frames.iter().map(|frame| self.script::<usize>(&frame.id, Injected::SkippedParts, &[], SCRIPT_LIMIT));
        // A frame that is gone has none.
        Ok(join_all(asked).await.into_iter().flatten().sum())
    }

    fn write_tree<'a>(
        &'a self,
        frame: &'a FrameId,
        depth: usize,
        nesting: u32,
        text: &'a mut String,
    ) -> BoxFuture<'a, Result<(), PageError>> {
        Box::pin(async move {
            let session = self.session_of(frame)?;
            let secrets: Vec<String> = self.script(frame, Injected::SecretValues, &[], SCRIPT_LIMIT).await?;
            let tree: Tree =
                call(&session, "Accessibility.getFullAXTree", &json!({ "frameId": frame.as_str() })).await?;
            let nodes: HashMap<&str, &Node> = tree.nodes.iter().map(|node| (node.node_id.as_str(), node)).collect();
            let mut open: Vec<(&str, usize)> =
                tree.nodes.first().map(|top| (top.node_id.as_str(), depth)).into_iter().collect();
            while let Some((id, depth)) = open.pop() {
                let Some(node) = nodes.get(id).filter(|_| text.len() <= LONGEST) else { continue };
                let listed = node.is_listed();
                if listed {
                    // Writing to a String does not fail.
                    writeln!(text, "{}{}", "  ".repeat(depth), node.line(&secrets)).ok();
                }
                let inner = depth + usize::from(listed);
                if node.role().contains("Iframe") && nesting < DEEPEST_FRAME {
                    if let Some(child) = self.frame_of(frame, node.backend).await? {
                        self.write_tree(&child, inner, nesting + 1, text).await?;
                    }
                    continue;
                }
                open.extend(node.child_ids.iter().rev().map(|child| (child.as_str(), inner)));
            }
            Ok(())
        })
    }

    /// Returns the frame that a node of `parent` owns; `None` if it is gone.
    async fn frame_of(&self, parent: &FrameId, backend: Option<i64>) -> Result<Option<FrameId>, PageError> {
        let Some(backend) = backend else { return Ok(None) };
        let session = self.session_of(parent)?;
        let described: DescribedNode = call(&session, "DOM.describeNode", &json!({ "backendNodeId": backend })).await?;
        let frame = described.node.frame_id.map(FrameId::new);
        Ok(frame.filter(|frame| self.frame(frame).is_ok()))
    }
}

impl Node {
    fn role(&self) -> &str {
        self.role.as_ref().and_then(|role| role.value.as_str()).unwrap_or_default()
    }
    fn name(&self) -> &str {
        self.name.as_ref().and_then(|name| name.value.as_str()).unwrap_or_default()
    }
    /// Returns false for nodes without information: the text of an `InlineTextBox` is in its `StaticText`.
    fn is_listed(&self) -> bool {
        let role = self.role();
        let says_nothing = matches!(role, "none" | "generic" | "InlineTextBox") && self.name().is_empty();
        !self.ignored && !says_nothing && role != "InlineTextBox"
    }
    /// Formats a node. `secrets`: field values of the document that must not be shown; a field's text has nodes of its
    /// own, too.
    fn line(&self, secrets: &[String]) -> String {
        let mut line = self.role().to_owned();
        if !self.name().is_empty() {
            // Writing to a String does not fail.
            write!(line, " {:?}", readable(self.name(), secrets)).ok();
        }
        let properties: Vec<String> = self.properties.iter().filter_map(Property::words).collect();
        if !properties.is_empty() {
            write!(line, " [{}]", properties.join(" ")).ok();
        }
        match self.value.as_ref().map(|value| &value.value) {
            Some(Value::String(text)) if !text.is_empty() => write!(line, ": {}", readable(text, secrets)).ok(),
            Some(Value::Number(number)) => write!(line, ": {number}").ok(),
            _ => None,
        };
        line
    }
}

/// Removes secrets from a text: the name of a field's ancestor contains the field's text. A short secret is removed
/// only as a whole word.
fn readable(text: &str, secrets: &[String]) -> String {
    let mut text = text.to_owned();
    for secret in secrets {
        if secret.chars().count() >= SHORTEST_PART {
            text = text.replace(secret.as_str(), REDACTED);
        } else {
            let words: Vec<&str> = text.split(' ').map(|word| if word == secret { REDACTED } else { word }).collect();
            text = words.join(" ");
        }
    }
    text
}

impl Property {
    /// Formats a property: `focused`, `level=2`; `None` if it is false or repeats an address of the page.
    fn words(&self) -> Option<String> {
        match &self.value.value {
            Value::Bool(true) => Some(self.name.clone()),
            Value::String(text) if !text.is_empty() && text != "false" && self.name != "url" => {
                Some(format!("{}={text}", self.name))
            }
            Value::Number(number) => Some(format!("{}={number}", self.name)),
            _ => None,
        }
    }
}
