//! A tool as its page describes it.
//!
//! Owns the fingerprint and the choice among tools of the same name.

use crate::devtools::web_mcp::{Annotations, Tool};
use crate::frames::{Frame, FrameId};
use gstack_base::hex;
use gstack_base::site;
use serde_json::{Value, json};

/// A tool of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct PageTool {
    pub name: String,
    pub description: String,
    /// The JSON schema of its input, as the page gives it.
    pub schema: Value,
    pub annotations: Annotations,
    /// True for a form with a `toolname`.
    pub is_form: bool,
    /// The address of its document.
    pub url: String,
    pub frame: FrameId,
}

/// The tools of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum PageTools {
    /// In the order in which the browser reports them.
    Offered(Vec<PageTool>),
    /// The browser offers WebMCP only to pages from `https` and this machine, and this page is neither.
    Insecure,
    /// The browser does not offer WebMCP to pages.
    Off,
}

/// The tool of a name.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolChoice<'a> {
    One(&'a PageTool),
    Missing,
    /// Several documents offer it.
    Several(Vec<&'a PageTool>),
}

impl PageTool {
    pub(super) fn new(tool: Tool, frame: &Frame) -> Self {
        Self {
            name: tool.name,
            description: tool.description,
            schema: tool.input_schema.unwrap_or_else(|| json!({})),
            annotations: tool.annotations,
            is_form: tool.backend_node_id.is_some(),
            url: frame.url.clone(),
            frame: frame.id.clone(),
        }
    }

    /// Returns the host of its document; `None` for a document without one.
    pub fn site(&self) -> Option<String> {
        site::of(&self.url)
    }

    /// Returns the SHA-256, in hexadecimal, of everything that the page says about the tool.
    pub fn fingerprint(&self) -> String {
        let Self { name, description, schema, annotations, is_form, .. } = self;
        let said = json!([name, description, schema, annotations, is_form]).to_string();
        hex::sha256(said)
    }
}

/// Finds a tool by its name and, if given, the site of its document.
pub fn choose<'a>(tools: &'a [PageTool], name: &str, on: Option<&str>) -> ToolChoice<'a> {
    let is_meant = |tool: &&PageTool| tool.name == name && on.is_none_or(|on| tool.site().as_deref() == Some(on));
    let found: Vec<&PageTool> = tools.iter().filter(is_meant).collect();
    match found.as_slice() {
        [] => ToolChoice::Missing,
        [one] => ToolChoice::One(one),
        _ => ToolChoice::Several(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, url: &str) -> PageTool {
        PageTool {
            name: name.to_owned(),
            description: "Adds".to_owned(),
            schema: json!({ "type": "object" }),
            annotations: Annotations::default(),
            is_form: false,
            url: url.to_owned(),
            frame: FrameId::new("F"),
        }
    }

    #[test]
    fn a_tool_is_another_one_once_the_page_says_anything_else_about_it() {
        let known = tool("add", "https://a.example/");
        let others = [
            PageTool { name: "ad".to_owned(), ..known.clone() },
            PageTool { description: "Adds.".to_owned(), ..known.clone() },
            PageTool { schema: json!({ "type": "object", "required": ["a"] }), ..known.clone() },
            PageTool { annotations: Annotations { read_only: true, ..Annotations::default() }, ..known.clone() },
            PageTool { is_form: true, ..known.clone() },
        ];
        for other in others {
            assert_ne!(other.fingerprint(), known.fingerprint(), "{other:?}");
        }
        let elsewhere = PageTool { url: "https://a.example/b".to_owned(), ..known.clone() };
        assert_eq!(elsewhere.fingerprint(), known.fingerprint());
    }

    #[test]
    fn a_name_that_two_documents_use_needs_its_site() {
        let tools = [tool("add", "https://a.example/"), tool("add", "https://b.example/"), tool("one", "about:srcdoc")];
        assert_eq!(choose(&tools, "one", None), ToolChoice::One(&tools[2]));
        assert_eq!(choose(&tools, "add", Some("b.example")), ToolChoice::One(&tools[1]));
        assert_eq!(choose(&tools, "add", None), ToolChoice::Several(vec![&tools[0], &tools[1]]));
        for (name, on) in [("none", None), ("one", Some("a.example"))] {
            assert_eq!(choose(&tools, name, on), ToolChoice::Missing, "{name}");
        }
    }
}
