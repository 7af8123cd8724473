//! The accessibility tree of a page with its frames, as numbered lines.
//!
//! Owns the joining of frames, the numbering and the cap. What becomes a line is the injected script's to say.

use super::element::{FaultReply, TRIES_TO_READ, Target};
use super::error::PageError;
use super::page::Page;
use super::refs::{ElementPlace, RefKind, RefTable};
use crate::browser::frames::FrameId;
use chromiumoxide::cdp::browser_protocol::dom::DescribeNodeParams;
use chromiumoxide::cdp::js_protocol::runtime::RemoteObjectId;
use futures_util::future::{BoxFuture, join_all};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::Duration;

/// In bytes. More would only bury what matters in an agent's context.
const LONGEST: usize = 60_000;
const SNAPSHOT_LIMIT: Duration = Duration::from_secs(15);
/// A frame that does not answer must not hold up the page around it.
const FRAME_LIMIT: Duration = Duration::from_secs(3);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotOptions {
    /// Only interactive roles.
    pub interactive: bool,
    /// Without unnamed structural nodes.
    pub compact: bool,
    /// Lines deeper than this are left out.
    pub depth: Option<u32>,
    pub scope: Option<Target>,
    /// Also what is clickable outside of the ARIA tree.
    pub cursor: bool,
}

/// A snapshot as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The tree's lines; empty for an empty page.
    pub text: String,
    /// `@c1 [cursor:pointer] "text"` lines.
    pub cursor: String,
    /// Lines that did not fit.
    pub more: usize,
}

#[derive(Serialize)]
struct ScriptOptions {
    interactive: bool,
    compact: bool,
    depth: Option<u32>,
    cursor: bool,
    scope: Option<super::element::ScriptTarget>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Walked {
    #[serde(default)]
    document: String,
    #[serde(default)]
    lines: String,
    #[serde(default)]
    more: usize,
    #[serde(default)]
    cursor_lines: String,
    #[serde(default)]
    frames: Vec<u32>,
    #[serde(flatten)]
    fault: FaultReply,
}

/// One frame's lines with those of the frames in it, by the number of their element.
struct FrameTree {
    frame: FrameId,
    walked: Walked,
    children: HashMap<u32, Inner>,
}

enum Inner {
    Tree(Box<FrameTree>),
    /// It did not answer.
    Silent,
}

impl Page {
    pub async fn snapshot(&self, options: &SnapshotOptions) -> Result<Snapshot, PageError> {
        let mut tries = 0;
        let tree = loop {
            match self.walk_whole(options).await {
                Err(PageError::DocumentGone) if tries < TRIES_TO_READ => tries += 1,
                result => break result?,
            }
        };
        if tree.walked.fault.fault.is_some() {
            let target = options.scope.clone().unwrap_or_else(|| Target::Selector(String::new()));
            return Err(tree.walked.fault.error(&target).unwrap_or_else(|| PageError::NotFound(target.to_string())));
        }
        let mut refs = self.memory.refs();
        self.forget_old_documents(&mut refs, &tree);
        let mut writer = Writer {
            refs: &mut refs,
            interactive: options.interactive,
            text: String::new(),
            cursor: String::new(),
            more: 0,
        };
        writer.tree(&tree, 0);
        Ok(Snapshot { text: writer.text, cursor: writer.cursor, more: writer.more })
    }

    /// The main frame, or the one that the scope is in, with all frames in it.
    async fn walk_whole(&self, options: &SnapshotOptions) -> Result<FrameTree, PageError> {
        let (frame, scope) = match &options.scope {
            None => (self.main_frame().await?.id, None),
            Some(target) => {
                let (frame, scope) = self.locate(target).await?;
                (frame, Some(scope))
            }
        };
        let script_options = ScriptOptions {
            interactive: options.interactive,
            compact: options.compact,
            depth: options.depth,
            cursor: options.cursor,
            scope,
        };
        self.walk(frame, script_options, SNAPSHOT_LIMIT).await
    }

    /// The tab's snapshot before this one, which is kept for the next time.
    pub fn exchange_snapshot(&self, snapshot: &str) -> Option<String> {
        self.memory.last_snapshot().replace(snapshot.to_owned())
    }

    /// A frame and, at the same time, all frames in it.
    fn walk(
        &self,
        frame: FrameId,
        options: ScriptOptions,
        limit: Duration,
    ) -> BoxFuture<'_, Result<FrameTree, PageError>> {
        Box::pin(async move {
            let walked: Walked = self.script(&frame, "snapshot", &[&options], limit).await?;
            let inner = walked.frames.iter().map(|number| {
                let depth = depth_in_line(&walked.lines, *number);
                let left = options.depth.map(|most| most.checked_sub(depth + 1));
                let options = ScriptOptions {
                    interactive: options.interactive,
                    compact: options.compact,
                    depth: left.flatten(),
                    cursor: options.cursor,
                    scope: None,
                };
                let too_deep = left == Some(None);
                self.inner_frame(&frame, *number, options, too_deep)
            });
            let children = join_all(inner).await.into_iter().flatten().collect();
            Ok(FrameTree { frame, walked, children })
        })
    }

    async fn inner_frame(
        &self,
        parent: &FrameId,
        number: u32,
        options: ScriptOptions,
        too_deep: bool,
    ) -> Option<(u32, Inner)> {
        if too_deep {
            return None;
        }
        let tree = async {
            let frame = self.content_frame(parent, number).await?;
            self.walk(frame, options, FRAME_LIMIT).await
        };
        match tree.await {
            Ok(tree) => Some((number, Inner::Tree(Box::new(tree)))),
            Err(PageError::Timeout { .. }) => Some((number, Inner::Silent)),
            Err(error) => {
                // It went away meanwhile: its element is listed, without content.
                tracing::debug!(%error, "a frame could not be read");
                None
            }
        }
    }

    /// The frame that an element of `parent` holds, in whichever process it runs.
    async fn content_frame(&self, parent: &FrameId, number: u32) -> Result<FrameId, PageError> {
        let object = self.element_handle(parent, number).await?;
        let describe = DescribeNodeParams {
            object_id: Some(RemoteObjectId::new(object)),
            depth: Some(0),
            ..DescribeNodeParams::default()
        };
        let node = self.session_of(parent)?.call(describe).await?.node;
        let frame = node.frame_id.ok_or(PageError::DocumentGone)?;
        Ok(FrameId::new(frame.inner().as_str()))
    }

    /// Refs of documents that this snapshot found replaced, and of frames that are no more.
    fn forget_old_documents(&self, refs: &mut RefTable, tree: &FrameTree) {
        let mut documents = HashMap::new();
        tree.documents(&mut documents);
        refs.keep(|place| match documents.get(&place.frame) {
            Some(document) => *document == place.document,
            None => self.frame(&place.frame).is_ok(),
        });
    }
}

impl FrameTree {
    fn documents<'a>(&'a self, into: &mut HashMap<&'a FrameId, &'a str>) {
        into.insert(&self.frame, &self.walked.document);
        for inner in self.children.values() {
            if let Inner::Tree(tree) = inner {
                tree.documents(into);
            }
        }
    }
}

/// One line as the script writes it.
struct Line<'a> {
    depth: u32,
    number: u32,
    kind: &'a str,
    role: &'a str,
    name: &'a str,
    properties: &'a str,
    text: &'a str,
}

impl<'a> Line<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let mut fields = line.splitn(7, '\t');
        Some(Self {
            depth: fields.next()?.parse().ok()?,
            number: fields.next()?.parse().ok()?,
            kind: fields.next()?,
            role: fields.next()?,
            name: fields.next()?,
            properties: fields.next()?,
            text: fields.next()?,
        })
    }
}

fn depth_in_line(lines: &str, number: u32) -> u32 {
    lines
        .lines()
        .filter_map(Line::read)
        .find(|line| line.kind == "f" && line.number == number)
        .map_or(0, |line| line.depth)
}

struct Writer<'a> {
    refs: &'a mut RefTable,
    interactive: bool,
    text: String,
    cursor: String,
    more: usize,
}

impl Writer<'_> {
    fn tree(&mut self, tree: &FrameTree, indent: u32) {
        for line in tree.walked.lines.lines().filter_map(Line::read) {
            let depth = indent + line.depth;
            let is_frame = line.kind == "f";
            // Where only controls are listed a frame is not one; what is in it may be.
            let listed = !(is_frame && self.interactive);
            if listed {
                self.line(tree, &line, depth);
            }
            if !is_frame {
                continue;
            }
            let inner = depth + u32::from(listed);
            match tree.children.get(&line.number) {
                Some(Inner::Tree(child)) => self.tree(child, inner),
                Some(Inner::Silent) => self.push(inner, "(this frame does not answer)"),
                None => {}
            }
        }
        self.more += tree.walked.more;
        for line in tree.walked.cursor_lines.lines().filter_map(Line::read) {
            if self.text.len() + self.cursor.len() > LONGEST {
                self.more += 1;
                continue;
            }
            let name = self.refs.name(RefKind::Cursor, place(tree, line.number));
            self.refs.label(name, line.name);
            let text = quoted(line.name);
            // Writing to a String does not fail.
            writeln!(self.cursor, "{name} [{}] {text}", line.role).ok();
        }
    }

    fn line(&mut self, tree: &FrameTree, line: &Line<'_>, depth: u32) {
        if self.text.len() > LONGEST {
            self.more += 1;
            return;
        }
        let mut written = String::new();
        if line.number > 0 {
            let name = self.refs.name(RefKind::Element, place(tree, line.number));
            self.refs.label(name, if line.name.is_empty() { line.role } else { line.name });
            write!(written, "{name} ").ok();
        }
        write!(written, "[{}]", line.role).ok();
        if !line.name.is_empty() {
            write!(written, " {}", quoted(line.name)).ok();
        }
        if !line.properties.is_empty() {
            write!(written, " [{}]", line.properties).ok();
        }
        if !line.text.is_empty() {
            write!(written, ": {}", line.text).ok();
        }
        self.push(depth, &written);
    }

    fn push(&mut self, depth: u32, line: &str) {
        for _ in 0..depth {
            self.text.push_str("  ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }
}

fn place(tree: &FrameTree, number: u32) -> ElementPlace {
    ElementPlace { frame: tree.frame.clone(), document: tree.walked.document.clone(), number }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::{FrameTree, Inner, Walked, Writer};
    use crate::browser::frames::FrameId;
    use crate::browser::page::refs::RefTable;
    use std::collections::HashMap;

    fn tree(frame: &str, lines: &str, children: HashMap<u32, Inner>) -> FrameTree {
        let walked = Walked { document: frame.to_owned(), lines: lines.to_owned(), ..Walked::default() };
        FrameTree { frame: FrameId::new(frame), walked, children }
    }

    fn write(tree: &FrameTree, refs: &mut RefTable, interactive: bool) -> String {
        let mut writer = Writer { refs, interactive, text: String::new(), cursor: String::new(), more: 0 };
        writer.tree(tree, 0);
        writer.text
    }

    #[test]
    fn a_frames_lines_stand_under_its_own_and_refs_stay() {
        let inner = tree("inner", "0\t1\te\tbutton\tGo \"now\"\tdisabled\t", HashMap::new());
        let children = HashMap::from([(5, Inner::Tree(Box::new(inner)))]);
        let outer =
            tree("outer", "0\t1\te\theading\tHi\tlevel=1\t\n1\t5\tf\tiframe\t\t\t\n1\t0\tt\ttext\t\t\twords", children);
        let mut refs = RefTable::default();
        let expected = "@e1 [heading] \"Hi\" [level=1]\n  @e2 [iframe]\n    @e3 [button] \"Go \\\"now\\\"\" [disabled]\n  [text]: words\n";
        assert_eq!(write(&outer, &mut refs, false), expected);
        assert_eq!(write(&outer, &mut refs, false), expected);
        assert!(write(&outer, &mut refs, true).contains("\n  @e3 [button]"));
    }

    #[test]
    fn what_is_beyond_the_cap_is_counted() {
        let line = format!("0\t1\te\tbutton\t{}\t\t\n", "x".repeat(1000));
        let long = tree("f", &line.repeat(100), HashMap::new());
        let mut refs = RefTable::default();
        let mut writer =
            Writer { refs: &mut refs, interactive: false, text: String::new(), cursor: String::new(), more: 0 };
        writer.tree(&long, 0);
        assert!(writer.text.len() < 62_000);
        assert_eq!(writer.more + writer.text.lines().count(), 100);
    }
}
