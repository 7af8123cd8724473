//! Data of a page: tables, field values, boxes, and the facts that it states about itself.
//!
//! Owns the calls. The injected script defines the formats.

use super::snapshot::Snapshot;
use crate::frames::FrameId;
use crate::page::error::PageError;
use crate::page::locate::{Bounds, FaultReply, RefName, Target};
use crate::page::page::{Page, SCRIPT_LIMIT, lock};
use crate::page::script::Injected;
use gstack_base::site;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

/// A large table is read as a whole.
const TABLE_LIMIT: Duration = Duration::from_secs(20);

/// The limit of text that is searched, not shown, in bytes.
pub const SEARCHED: usize = 4 * 1024 * 1024;

/// The texts of a table. A cell that spans several rows or columns is repeated in each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Empty if the table has no header cells.
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// The number of rows beyond the limit.
    #[serde(default)]
    pub more: usize,
}

/// The facts that a page states about itself.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Facts {
    /// Labels with the values beside them, in document order.
    pub pairs: Vec<(String, String)>,
    pub tables: Vec<Table>,
    /// Microdata items: values by property name.
    pub items: Vec<BTreeMap<String, String>>,
}

/// A rectangle of the tab's viewport, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElementBox {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl ElementBox {
    fn of(Bounds { x, y, width, height }: Bounds) -> Self {
        Self { x, y, width, height }
    }
}

/// An element that the last snapshot listed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ListedNode {
    #[serde(rename = "ref")]
    pub name: String,
    pub role: String,
    #[serde(rename = "name")]
    pub label: String,
    /// The origin of its frame's document, unless that is the origin of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub place: Option<ElementBox>,
}

#[derive(Deserialize)]
struct TableReply {
    #[serde(flatten)]
    table: Option<Table>,
    #[serde(flatten)]
    fault: FaultReply,
}

#[derive(Deserialize)]
struct ValueReply {
    value: Option<String>,
    #[serde(flatten)]
    fault: FaultReply,
}

fn refused(fault: &FaultReply, target: &Target) -> PageError {
    fault.error(target).unwrap_or_else(|| PageError::NotFound(target.to_string()))
}

impl Page {
    /// Returns a table's texts; without a target, those of the page's only table.
    pub async fn table(&self, target: Option<&Target>) -> Result<Table, PageError> {
        let only = Target::Selector("role=table".to_owned());
        let reply: TableReply = self.ask(target.unwrap_or(&only), Injected::ReadTable, &[], TABLE_LIMIT).await?;
        match reply.fault.fault {
            Some(_) => Err(refused(&reply.fault, target.unwrap_or(&only))),
            None => Ok(reply.table.unwrap_or_default()),
        }
    }

    /// Returns a field's value. A password is `[redacted]`.
    pub async fn field_value(&self, target: &Target) -> Result<String, PageError> {
        let reply: ValueReply = self.ask(target, Injected::ValueOfField, &[], SCRIPT_LIMIT).await?;
        reply.value.ok_or_else(|| refused(&reply.fault, target))
    }

    /// Returns the number of elements that a selector matches, in its frame. A ref counts as one, or fails as stale.
    pub async fn count(&self, target: &Target) -> Result<usize, PageError> {
        match target {
            Target::Ref(_) => self.locate(target).await.map(|_| 1),
            Target::Selector(selector) => {
                let frame = self.frame_with(selector, Duration::ZERO).await?;
                self.matches(&frame, selector, Duration::ZERO).await
            }
        }
    }

    /// Scrolls an element into view and returns its box in the tab's viewport.
    pub async fn element_box(&self, target: &Target) -> Result<ElementBox, PageError> {
        let (frame, found) = self.rectangle(target).await?;
        // A covered element has a box too.
        if let Err(cover) = self.point_in_tab(&frame, found.middle()).await? {
            tracing::debug!(cover, "an element that is measured is covered");
        }
        Ok(ElementBox::of(self.projection(&frame).await?.bounds(found)))
    }

    /// Returns the facts that the page states about itself, in the chosen frame.
    pub async fn facts(&self) -> Result<Facts, PageError> {
        self.read_whole(Injected::ReadFacts, &[]).await
    }

    /// Returns the elements of the last snapshot; with `boxes`, their present boxes, `None` for an element without a
    /// box or one that is gone.
    pub async fn listed_nodes(&self, boxes: bool) -> Result<Vec<ListedNode>, PageError> {
        let listed = lock(&self.memory.listed).clone();
        let places =
            if boxes { self.places_of(listed.iter().map(|one| one.name).collect()).await? } else { HashMap::new() };
        let main = self.main_frame().await?;
        let page = site::origin(&main.url);
        let in_main: HashSet<RefName> = {
            let refs = self.memory.refs();
            let is_in_main = |name: &RefName| refs.place(*name).is_some_and(|place| place.frame == main.id);
            listed.iter().map(|one| one.name).filter(is_in_main).collect()
        };
        let node = |one: crate::page::overlay::ListedRef| ListedNode {
            place: places.get(&one.name).copied(),
            name: one.name.to_string(),
            role: one.role,
            label: one.label,
            site: (one.origin != page && !in_main.contains(&one.name)).then_some(one.origin),
        };
        Ok(listed.into_iter().map(node).collect())
    }

    async fn places_of(&self, names: Vec<RefName>) -> Result<HashMap<RefName, ElementBox>, PageError> {
        let mut by_frame: HashMap<FrameId, Vec<(RefName, u32)>> = HashMap::new();
        {
            let refs = self.memory.refs();
            for name in names {
                if let Some(place) = refs.place(name) {
                    by_frame.entry(place.frame.clone()).or_default().push((name, place.number));
                }
            }
        }
        let mut places = HashMap::new();
        for (frame, elements) in by_frame {
            let numbers: Vec<u32> = elements.iter().map(|(_, number)| *number).collect();
            let asked = async {
                let boxes: Vec<Option<[f64; 4]>> =
                    self.script(&frame, Injected::BoxesOf, &[&numbers], SCRIPT_LIMIT).await?;
                Ok::<_, PageError>((boxes, self.projection(&frame).await?))
            };
            // A frame that is gone has no boxes.
            let Ok((boxes, projection)) = asked.await else { continue };
            for ((name, _), found) in elements.into_iter().zip(boxes) {
                if let Some([x, y, width, height]) = found {
                    places.insert(name, ElementBox::of(projection.bounds(Bounds { x, y, width, height })));
                }
            }
        }
        Ok(places)
    }
}

impl Snapshot {
    /// Returns true if an element has a line in the snapshot.
    pub fn has_ref(&self, name: &str) -> bool {
        self.text.lines().chain(self.cursor.lines()).any(|line| line.trim_start().split(' ').next() == Some(name))
    }

    /// Returns the lines that contain all of these words, in any case, with their ancestors, and the number of matches.
    /// `alone`: without the ancestors.
    pub fn search(&self, words: &[String], alone: bool) -> (String, usize) {
        let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let has_all = |line: &str| {
            let line = line.to_lowercase();
            words.iter().all(|word| line.contains(word))
        };
        let depth = |line: &str| line.len() - line.trim_start().len();
        let mut above: Vec<(&str, bool)> = Vec::new();
        let mut text = String::new();
        let mut found = 0;
        for line in self.text.lines().chain(self.cursor.lines()) {
            while above.last().is_some_and(|(last, _)| depth(last) >= depth(line)) {
                above.pop();
            }
            let is_found = has_all(line);
            if is_found {
                found += 1;
                let lead = above.iter_mut().filter(|(_, is_told)| !alone && !is_told);
                for (line, is_told) in lead {
                    *is_told = true;
                    text.push_str(line);
                    text.push('\n');
                }
                text.push_str(if alone { line.trim_start() } else { line });
                text.push('\n');
            }
            above.push((line, is_found));
        }
        (text, found)
    }
}

#[cfg(test)]
mod tests {
    use super::Snapshot;

    #[test]
    fn a_search_shows_lines_with_what_they_lie_under() {
        let text = "@e1 [list]\n  @e2 [listitem]\n    @e3 [button] \"Add to basket\"\n  @e4 [listitem]\n    @e5 [button] \"Remove\"\n";
        let snapshot =
            Snapshot { text: text.to_owned(), cursor: "@c1 [cursor:pointer] \"basket\"\n".to_owned(), more: 0 };
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (shown, found) = snapshot.search(&words("BASKET"), false);
        assert_eq!(found, 2);
        assert_eq!(
            shown,
            "@e1 [list]\n  @e2 [listitem]\n    @e3 [button] \"Add to basket\"\n@c1 [cursor:pointer] \"basket\"\n"
        );
        assert_eq!(snapshot.search(&words("button basket"), true), ("@e3 [button] \"Add to basket\"\n".to_owned(), 1));
        assert_eq!(snapshot.search(&words("nothing"), false).1, 0);
    }
}
