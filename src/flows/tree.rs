//! The lines of a snapshot as a tree of elements with their neighbours.
//!
//! Owns reading the text that `snapshot` prints. What a page wrote in it is data: a name is in quotes, and no text of a
//! page begins a line.

use super::file::Element;
use std::collections::HashMap;

/// One line of a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Node {
    /// `@e3`; empty if it has none.
    pub(crate) reference: String,
    pub(crate) role: String,
    pub(crate) name: String,
    /// The text after the line's colon.
    pub(crate) text: String,
    /// The origin of its frame, unless that is the origin of the page.
    pub(crate) site: Option<String>,
    depth: usize,
    parent: Option<usize>,
    /// The index after its last descendant.
    end: usize,
}

/// The page as a snapshot shows it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
}

impl Tree {
    /// Reads the lines. Skips those that are not of the tree: headings, and counts of what is missing.
    pub(crate) fn read(text: &str) -> Self {
        let mut nodes: Vec<Node> = text.lines().filter_map(Node::read).collect();
        let mut open: Vec<usize> = Vec::new();
        for at in 0..nodes.len() {
            while let Some(last) = open.last().copied().filter(|last| nodes[*last].depth >= nodes[at].depth) {
                nodes[last].end = at;
                open.pop();
            }
            nodes[at].parent = open.last().copied();
            open.push(at);
        }
        let count = nodes.len();
        for at in open {
            nodes[at].end = count;
        }
        Self { nodes }
    }

    /// Adds the origins of frames, by ref.
    pub(crate) fn with_sites(mut self, sites: &HashMap<String, String>) -> Self {
        for node in &mut self.nodes {
            node.site = sites.get(&node.reference).cloned();
        }
        self
    }

    /// Returns the site of a frame of another site that has an element with this name.
    pub(crate) fn site_with(&self, element: &Element) -> Option<String> {
        let name = normal(element.name.as_deref()?);
        self.nodes.iter().find(|node| node.site.is_some() && normal(&node.name) == name)?.site.clone()
    }

    /// Returns the ancestors of a node, the nearest first.
    pub(crate) fn ancestors(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.nodes[at].parent, |above| self.nodes[*above].parent)
    }

    /// Returns a node with its descendants.
    pub(crate) fn inside(&self, at: usize) -> std::ops::Range<usize> {
        at..self.nodes[at].end
    }

    /// Returns the nodes with the same parent, with their descendants.
    pub(crate) fn beside(&self, at: usize) -> std::ops::Range<usize> {
        match self.nodes[at].parent {
            Some(parent) => parent + 1..self.nodes[parent].end,
            None => 0..self.nodes.len(),
        }
    }

    /// Whether one of the nodes has these words in its name or text. `words` is normal.
    pub(crate) fn has_words(&self, range: std::ops::Range<usize>, words: &str) -> bool {
        range.into_iter().any(|at| self.nodes[at].says(words))
    }

    pub(crate) fn parent(&self, at: usize) -> Option<usize> {
        self.nodes[at].parent
    }
}

impl Node {
    fn read(line: &str) -> Option<Self> {
        let rest = line.trim_start_matches(' ');
        let depth = (line.len() - rest.len()) / 2;
        let (reference, rest) = match rest.strip_prefix('@') {
            Some(_) => rest.split_once(' ')?,
            None => ("", rest),
        };
        let (role, rest) = rest.strip_prefix('[')?.split_once(']')?;
        let (name, rest) = match rest.strip_prefix(" \"") {
            Some(quoted) => unquoted(quoted)?,
            None => (String::new(), rest),
        };
        let rest = match rest.strip_prefix(" [") {
            Some(properties) => properties.split_once(']').map_or("", |(_, rest)| rest),
            None => rest,
        };
        let text = rest.strip_prefix(": ").unwrap_or_default();
        let role = role.to_owned();
        Some(Self { reference: reference.to_owned(), role, name, text: text.to_owned(), depth, ..Self::default() })
    }

    pub(crate) fn says(&self, words: &str) -> bool {
        contains_words(&normal(&self.name), words) || contains_words(&normal(&self.text), words)
    }
}

/// Returns a quoted text and what follows the quote.
fn unquoted(quoted: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((text, &quoted[at + 1..])),
            '\\' => text.push(characters.next()?.1),
            other => text.push(other),
        }
    }
    None
}

/// Returns a text in lower case with single spaces.
pub(crate) fn normal(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a text has these words, and not only as a part of other words. Both are normal.
pub(crate) fn contains_words(text: &str, words: &str) -> bool {
    !words.is_empty()
        && text.match_indices(words).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + words.len()..].chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_nodes_with_parents() {
        let text = "@e1 [list] \"Lamps\"\n  @e2 [listitem]: Desk lamp\n    @e3 [button] \"Buy \\\"now\\\"\" [disabled]\n  [text]: more: x\n\
                    @e4 [link] \"a\\\\b\"\n\n── cursor-interactive (not in ARIA tree) ──\n@c1 [cursor:pointer] \"Go\"\n… 3 more, narrow\n";
        let tree = Tree::read(text);
        let shown: Vec<_> =
            tree.nodes.iter().map(|node| (node.reference.as_str(), node.name.as_str(), node.parent)).collect();
        assert_eq!(
            shown,
            [
                ("@e1", "Lamps", None),
                ("@e2", "", Some(0)),
                ("@e3", "Buy \"now\"", Some(1)),
                ("", "", Some(0)),
                ("@e4", "a\\b", None),
                ("@c1", "Go", None)
            ]
        );
        assert_eq!((tree.inside(0), tree.inside(1), tree.beside(1)), (0..4, 1..3, 1..4));
        assert!(tree.has_words(0..4, "desk lamp") && tree.nodes[3].text == "more: x");
        assert_eq!(tree.ancestors(2).collect::<Vec<_>>(), [1, 0]);
    }

    #[test]
    fn words_are_whole() {
        assert!(contains_words("buy now", "buy") && contains_words("(buy)", "buy"));
        assert!(!contains_words("buyer", "buy") && !contains_words("x", ""));
        assert_eq!(normal("  Buy\n NOW "), "buy now");
    }
}
