//! The lines of a snapshot: joins frames, numbers elements, and applies the size limit.
//!
//! Owns the line format. Never sends anything to the page: `snapshot` has done that.

use crate::frames::FrameId;
use crate::page::locate::{ElementPlace, FaultReply, RefKind, RefName, RefTable};
use crate::page::overlay::ListedRef;
use serde::Deserialize;
use std::collections::HashMap;
use std::fmt::Write as _;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Walked {
    /// Nothing was walked: the page has elements whose closed shadow roots must be opened first.
    #[serde(default)]
    pub(super) suspects: bool,
    #[serde(default)]
    pub(super) document: String,
    #[serde(default)]
    pub(super) lines: String,
    #[serde(default)]
    pub(super) more: usize,
    #[serde(default)]
    pub(super) cursor_lines: String,
    #[serde(default)]
    pub(super) frames: Vec<u32>,
    #[serde(default)]
    pub(super) origin: String,
    #[serde(flatten)]
    pub(super) fault: FaultReply,
}

/// One frame's lines, and the frames in it by the number of their element.
pub(super) struct FrameTree {
    pub(super) frame: FrameId,
    pub(super) walked: Walked,
    pub(super) children: HashMap<u32, Inner>,
    /// It shows a PDF, whose words are in no tree.
    pub(super) is_pdf: bool,
}

pub(super) enum Inner {
    Tree(Box<FrameTree>),
    /// The frame did not answer.
    Silent,
}

impl FrameTree {
    /// Collects every frame's document.
    pub(super) fn documents<'a>(&'a self, into: &mut HashMap<&'a FrameId, &'a str>) {
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

/// Returns the depth of the line for a frame's element.
pub(super) fn depth_in_line(lines: &str, number: u32) -> u32 {
    lines
        .lines()
        .filter_map(Line::read)
        .find(|line| line.kind == "f" && line.number == number)
        .map_or(0, |line| line.depth)
}

pub(super) struct Writer<'a> {
    refs: &'a mut RefTable,
    interactive: bool,
    limit: usize,
    pub(super) text: String,
    pub(super) cursor: String,
    pub(super) more: usize,
    /// The elements that got a ref.
    pub(super) listed: Vec<ListedRef>,
}

impl<'a> Writer<'a> {
    /// Creates a writer. `interactive`: only controls are listed, so a frame has no line of its own. Lines beyond
    /// `limit` bytes are counted.
    pub(super) fn new(refs: &'a mut RefTable, interactive: bool, limit: usize) -> Self {
        Self { refs, interactive, limit, text: String::new(), cursor: String::new(), more: 0, listed: Vec::new() }
    }

    /// Writes a frame's lines, with those of the frames in it in place.
    pub(super) fn tree(&mut self, tree: &FrameTree, indent: u32) {
        for line in tree.walked.lines.lines().filter_map(Line::read) {
            let depth = indent + line.depth;
            let is_frame = line.kind == "f";
            // A frame is not a control, but its content may be.
            let listed = !(is_frame && self.interactive);
            if listed {
                self.line(tree, &line, depth);
            }
            if !is_frame {
                continue;
            }
            let inner = depth + u32::from(listed);
            match tree.children.get(&line.number) {
                Some(Inner::Tree(child)) if child.is_pdf && listed => {
                    self.push(inner, "(a PDF: `text` with the ref of its frame prints its words)");
                }
                Some(Inner::Tree(child)) => self.tree(child, inner),
                Some(Inner::Silent) => self.push(inner, "(this frame does not answer)"),
                None => {}
            }
        }
        self.more += tree.walked.more;
        for line in tree.walked.cursor_lines.lines().filter_map(Line::read) {
            if self.text.len() + self.cursor.len() > self.limit {
                self.more += 1;
                continue;
            }
            let name = self.refs.name(RefKind::Cursor, place(tree, line.number));
            self.refs.label(name, line.name);
            self.refs.role(name, line.role);
            self.list(tree, name, &line);
            let text = quoted(line.name);
            // Writing to a String does not fail.
            writeln!(self.cursor, "{name} [{}] {text}", line.role).ok();
        }
    }

    fn line(&mut self, tree: &FrameTree, line: &Line<'_>, depth: u32) {
        if self.text.len() > self.limit {
            self.more += 1;
            return;
        }
        let mut written = String::new();
        if line.number > 0 {
            let name = self.refs.name(RefKind::Element, place(tree, line.number));
            self.refs.label(name, if line.name.is_empty() { line.role } else { line.name });
            self.refs.role(name, line.role);
            self.list(tree, name, line);
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

    fn list(&mut self, tree: &FrameTree, name: RefName, line: &Line<'_>) {
        let (role, label) = (line.role.to_owned(), line.name.to_owned());
        self.listed.push(ListedRef { name, role, label, origin: tree.walked.origin.clone() });
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
    use crate::frames::FrameId;
    use crate::page::locate::RefTable;
    use crate::page::read::SNAPSHOT_LIMIT;
    use std::collections::HashMap;

    fn tree(frame: &str, lines: &str, children: HashMap<u32, Inner>) -> FrameTree {
        let walked = Walked { document: frame.to_owned(), lines: lines.to_owned(), ..Walked::default() };
        FrameTree { frame: FrameId::new(frame), walked, children, is_pdf: false }
    }

    fn write(tree: &FrameTree, refs: &mut RefTable, interactive: bool) -> String {
        let mut writer = Writer::new(refs, interactive, SNAPSHOT_LIMIT);
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
        let mut writer = Writer::new(&mut refs, false, SNAPSHOT_LIMIT);
        writer.tree(&long, 0);
        assert!(writer.text.len() < 62_000);
        assert_eq!(writer.more + writer.text.lines().count(), 100);
    }
}
