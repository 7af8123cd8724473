//! The browser's reports of a page's tools.
//!
//! Owns the time for which the `WebMCP` domain is enabled: from `begin` until the reports are dropped.

use super::offered::{PageTool, PageTools};
use crate::cdp::CdpError;
use crate::devtools::web_mcp::{Disable, Enable, ToolsAdded, ToolsRemoved};
use crate::devtools_session::Session;
use crate::events::{Event, Subscription};
use crate::frames::Frame;
use crate::page::error::PageError;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::Injected;
use serde::Deserialize;

const ADDED: &str = "WebMCP.toolsAdded";
const REMOVED: &str = "WebMCP.toolsRemoved";
pub(super) const RESPONDED: &str = "WebMCP.toolResponded";
/// More tools of a page are not looked at.
const MOST_TOOLS: usize = 200;

#[derive(Deserialize)]
struct Offers {
    present: bool,
    secure: bool,
}

impl Page {
    /// Returns the tools that the page's documents offer at present, or none if the browser lets no page offer any.
    pub async fn offered_tools(&self) -> Result<Vec<PageTool>, PageError> {
        Ok(Reports::begin(self).await?.tools())
    }

    /// Returns the tools that the page's documents offer at present, or why there can be none.
    pub async fn page_tools(&self) -> Result<PageTools, PageError> {
        let tools = Reports::begin(self).await?.tools();
        if !tools.is_empty() {
            return Ok(PageTools::Offered(tools));
        }
        let main = self.main_frame().await?.id;
        let offers: Offers = self.script(&main, Injected::OffersTools, &[], SCRIPT_LIMIT).await?;
        Ok(match offers {
            Offers { present: true, .. } => PageTools::Offered(tools),
            Offers { secure: false, .. } => PageTools::Insecure,
            Offers { secure: true, .. } => PageTools::Off,
        })
    }
}

/// The tools of all documents, kept up to date by the browser's events.
pub(super) struct Reports {
    sources: Vec<Source>,
    tools: Vec<PageTool>,
}

/// The documents of one process.
pub(super) struct Source {
    pub(super) session: Session,
    frames: Vec<Frame>,
    events: Subscription,
}

impl Reports {
    /// Enables the reports for all documents of the page. Empty if the browser does not know the domain.
    pub(super) async fn begin(page: &Page) -> Result<Self, PageError> {
        let mut reports = Self { sources: Vec::new(), tools: Vec::new() };
        for frame in page.frames().await? {
            let known = |source: &&mut Source| source.session.id() == Some(&frame.session);
            if let Some(source) = reports.sources.iter_mut().find(known) {
                source.frames.push(frame);
                continue;
            }
            // A frame that was removed meanwhile offers nothing.
            let Ok(session) = page.session_of(&frame.id) else { continue };
            let events = session.subscribe(&[ADDED, REMOVED]);
            reports.sources.push(Source { session, frames: vec![frame], events });
        }
        for source in &reports.sources {
            match source.session.call(Enable {}).await {
                Ok(_) | Err(CdpError::Protocol { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        reports.take_all();
        Ok(reports)
    }

    pub(super) fn tools(&self) -> Vec<PageTool> {
        self.tools.clone()
    }

    /// Takes what has been reported so far.
    pub(super) fn take_all(&mut self) {
        let Self { sources, tools } = self;
        for source in sources {
            while let Some(event) = source.events.try_next() {
                take(tools, &source.frames, &event);
            }
        }
    }

    /// Returns the source of a tool's document.
    pub(super) fn source_of(&mut self, tool: &PageTool) -> Option<&mut Source> {
        self.sources.iter_mut().find(|source| source.frames.iter().any(|frame| frame.id == tool.frame))
    }
}

impl Drop for Reports {
    fn drop(&mut self) {
        for source in &self.sources {
            source.session.post(Disable {});
        }
    }
}

fn take(tools: &mut Vec<PageTool>, frames: &[Frame], event: &Event) {
    if event.method() == REMOVED {
        let removed = event.read::<ToolsRemoved>().map(|removed| removed.tools).unwrap_or_default();
        tools.retain(|tool| !removed.iter().any(|gone| gone.name == tool.name && gone.frame_id == tool.frame.as_str()));
    }
    if event.method() != ADDED {
        return;
    }
    for added in event.read::<ToolsAdded>().map(|added| added.tools).unwrap_or_default() {
        let Some(frame) = frames.iter().find(|frame| frame.id.as_str() == added.frame_id) else { continue };
        tools.retain(|tool| tool.name != added.name || tool.frame != frame.id);
        if tools.len() < MOST_TOOLS {
            tools.push(PageTool::new(added, frame));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn told(tools: &mut Vec<PageTool>, frames: &[Frame], method: &str, params: Value) {
        let params = serde_json::value::to_raw_value(&params).unwrap();
        take(tools, frames, &Event::new(None, method, Some(&params)));
    }

    fn frame(id: &str) -> Frame {
        use crate::devtools::target::SessionId;
        Frame {
            id: crate::frames::FrameId::new(id),
            parent: None,
            session: serde_json::from_value::<SessionId>(json!("S")).unwrap(),
            url: format!("https://{id}.example/"),
            name: String::new(),
            loader: "L".to_owned(),
        }
    }

    #[test]
    fn tools_are_known_by_frame_and_name_and_bounded() {
        let frames = [frame("a"), frame("b")];
        let add = |name: &str, of: &str, description: &str| json!({ "tools": [{ "name": name, "frameId": of, "description": description }] });
        let mut tools = Vec::new();
        for (name, of) in [("add", "a"), ("add", "b"), ("add", "unknown"), ("sub", "a")] {
            told(&mut tools, &frames, ADDED, add(name, of, "old"));
        }
        told(&mut tools, &frames, ADDED, add("add", "a", "new"));
        told(&mut tools, &frames, REMOVED, json!({ "tools": [{ "name": "sub", "frameId": "a" }] }));
        let known: Vec<_> =
            tools.iter().map(|tool| (tool.name.as_str(), tool.url.as_str(), tool.description.as_str())).collect();
        assert_eq!(known, [("add", "https://b.example/", "old"), ("add", "https://a.example/", "new")]);
        for number in 0..2 * MOST_TOOLS {
            told(&mut tools, &frames, ADDED, add(&number.to_string(), "a", ""));
        }
        assert_eq!(tools.len(), MOST_TOOLS);
    }
}
