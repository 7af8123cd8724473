//! Snapshots: the accessibility tree of a page with its frames, as numbered lines.
//!
//! Owns the joining of frames, the numbering and the limit. The injected script decides what becomes a line.

use super::data::SEARCHED;
use super::pdf::viewer_in;
use super::snapshot_lines::{FrameTree, Inner, Walked, Writer, depth_in_line};
use crate::devtools::dom::describe;
use crate::frames::FrameId;
use crate::page::error::PageError;
use crate::page::locate::{RefTable, TRIES_TO_READ, Target};
use crate::page::page::{Page, lock};
use crate::page::script::Injected;
use futures_util::future::{BoxFuture, join_all};
use serde::Serialize;
use std::collections::HashMap;
use std::time::Duration;

const SNAPSHOT_LIMIT: Duration = Duration::from_secs(15);
/// A frame that does not answer must not delay the page around it.
const FRAME_LIMIT: Duration = Duration::from_secs(3);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotOptions {
    /// Only interactive roles.
    pub interactive: bool,
    /// Without unnamed structural nodes.
    pub compact: bool,
    /// The deepest level to include.
    pub depth: Option<u32>,
    pub scope: Option<Target>,
    /// Includes elements that are clickable without an ARIA role.
    pub cursor: bool,
    /// Marks text that the user cannot see.
    pub marks: bool,
    /// In bytes; replaces the page's own limit.
    pub limit: Option<usize>,
}

/// A snapshot as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The lines of the tree; empty for an empty page.
    pub text: String,
    /// `@c1 [cursor:pointer] "text"` lines.
    pub cursor: String,
    /// The number of lines that did not fit.
    pub more: usize,
}

#[derive(Serialize)]
struct ScriptOptions {
    interactive: bool,
    compact: bool,
    depth: Option<u32>,
    cursor: bool,
    marks: bool,
    scope: Option<crate::page::locate::element::ScriptTarget>,
    /// Answers with `suspects` instead if closed shadow roots must be opened first.
    suspects: bool,
    /// The most text from one frame; the joined lines have the same limit.
    limit: usize,
    /// Stops at the limit instead of counting the lines beyond it.
    stops: bool,
}

impl Snapshot {
    /// Lists the lines of a text that is in no tree.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let lines = text.lines().map(|line| format!("[text]: {line}\n"));
        Self { text: lines.collect(), cursor: String::new(), more: 0 }
    }
    fn lines(&self) -> usize {
        self.text.lines().count() + self.cursor.lines().count()
    }
}

impl Page {
    pub async fn snapshot(&self, options: &SnapshotOptions) -> Result<Snapshot, PageError> {
        self.taken(options, false).await
    }

    /// Takes a snapshot that is cut at the limit, and one of the whole page. The refs of the first one are the ones that are
    /// known and drawn. The page is walked twice only if the first one is cut, and the first time only to the limit.
    pub async fn snapshot_and_whole(&self, options: &SnapshotOptions) -> Result<(Snapshot, Snapshot), PageError> {
        let mut cut = self.taken(options, true).await?;
        if cut.more == 0 {
            return Ok((cut.clone(), cut));
        }
        let listed = lock(&self.memory.listed).clone();
        let whole = self.taken(&SnapshotOptions { limit: Some(SEARCHED), ..options.clone() }, false).await;
        *lock(&self.memory.listed) = listed;
        self.redraw_refs().await?;
        let whole = whole?;
        cut.more = (whole.lines() + whole.more).saturating_sub(cut.lines()).max(1);
        Ok((cut, whole))
    }

    async fn taken(&self, options: &SnapshotOptions, stops: bool) -> Result<Snapshot, PageError> {
        let mut tries = 0;
        let tree = loop {
            match self.walk_whole(options, stops).await {
                Err(PageError::DocumentGone) if tries < TRIES_TO_READ => tries += 1,
                result => break result?,
            }
        };
        if tree.walked.fault.fault.is_some() {
            let target = options.scope.clone().unwrap_or_else(|| Target::Selector(String::new()));
            return Err(tree.walked.fault.error(&target).unwrap_or_else(|| PageError::NotFound(target.to_string())));
        }
        let (snapshot, listed) = {
            let mut refs = self.memory.refs();
            self.forget_old_documents(&mut refs, &tree);
            let mut writer = Writer::new(&mut refs, options.interactive, options.limit.unwrap_or(self.snapshot_limit));
            writer.tree(&tree, 0);
            (Snapshot { text: writer.text, cursor: writer.cursor, more: writer.more }, writer.listed)
        };
        *lock(&self.memory.listed) = listed;
        self.redraw_refs().await?;
        Ok(snapshot)
    }

    /// Walks the main frame, or the frame of the scope, with all frames in it.
    async fn walk_whole(&self, options: &SnapshotOptions, stops: bool) -> Result<FrameTree, PageError> {
        let (frame, scope) = match &options.scope {
            None => (self.current_frame().await?, None),
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
            marks: options.marks,
            scope,
            suspects: true,
            limit: options.limit.unwrap_or(self.snapshot_limit),
            stops,
        };
        self.walk(frame, script_options, SNAPSHOT_LIMIT).await
    }

    /// Stores this snapshot of an address and returns the tab's previous one.
    pub fn exchange_snapshot(&self, url: &str, snapshot: &str) -> Option<(String, String)> {
        self.memory.last_snapshot().replace((url.to_owned(), snapshot.to_owned()))
    }

    /// Walks a frame and, concurrently, all frames in it.
    fn walk(
        &self,
        frame: FrameId,
        mut options: ScriptOptions,
        limit: Duration,
    ) -> BoxFuture<'_, Result<FrameTree, PageError>> {
        Box::pin(async move {
            if options.cursor
                && let Err(error) = self.note_handlers(&frame).await
            {
                tracing::debug!(%error, "React's handlers could not be read");
            }
            let mut walked: Walked = self.script(&frame, Injected::Snapshot, &[&options], limit).await?;
            if walked.suspects {
                match tokio::time::timeout(limit, self.open_closed_roots(&frame)).await {
                    Ok(Ok(())) => {}
                    // The frame has changed: later steps detect that, or do without its closed roots.
                    Ok(Err(error)) => tracing::debug!(%error, "closed shadow roots could not be asked for"),
                    Err(_) => return Err(PageError::Timeout { what: "reading the page".to_owned(), after: limit }),
                }
                if let Err(error) = self.read_internals(&frame).await {
                    tracing::debug!(%error, "roles by internals could not be asked for");
                }
                options.suspects = false;
                walked = self.script(&frame, Injected::Snapshot, &[&options], limit).await?;
            }
            let inner = walked.frames.iter().map(|number| {
                let depth = depth_in_line(&walked.lines, *number);
                let left = options.depth.map(|most| most.checked_sub(depth + 1));
                let options = ScriptOptions {
                    interactive: options.interactive,
                    compact: options.compact,
                    depth: left.flatten(),
                    cursor: options.cursor,
                    marks: options.marks,
                    scope: None,
                    suspects: true,
                    limit: options.limit,
                    stops: options.stops,
                };
                let too_deep = left == Some(None);
                self.inner_frame(&frame, *number, options, too_deep)
            });
            let children = join_all(inner).await.into_iter().flatten().collect();
            let is_pdf = viewer_in(&self.frames().await?, &frame).is_some();
            Ok(FrameTree { frame, walked, children, is_pdf })
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
                // The frame is gone: its element is listed without content.
                tracing::debug!(%error, "a frame could not be read");
                None
            }
        }
    }

    /// Returns the frame that an element of `parent` owns, in any process.
    pub(in crate::page) async fn content_frame(&self, parent: &FrameId, number: u32) -> Result<FrameId, PageError> {
        let object = self.element_handle(parent, number).await?;
        let node = self.session_of(parent)?.call(describe(object)).await?.node;
        let frame = node.frame_id.ok_or(PageError::DocumentGone)?;
        Ok(FrameId::new(frame))
    }

    /// Drops the refs of documents that this snapshot found replaced, and of frames that are gone.
    fn forget_old_documents(&self, refs: &mut RefTable, tree: &FrameTree) {
        let mut documents = HashMap::new();
        tree.documents(&mut documents);
        refs.keep(|place| match documents.get(&place.frame) {
            Some(document) => *document == place.document,
            None => self.frame(&place.frame).is_ok(),
        });
    }
}
