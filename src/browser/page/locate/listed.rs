//! Elements that our script in a page lists for the daemon, which asks the browser about each.
//!
//! Owns the handles and their release. The script chooses the elements.

use crate::devtools::runtime::{Evaluated, Remote};
use crate::frames::{FrameId, World};
use crate::page::error::PageError;
use crate::page::page::Page;
use crate::page::script::{Injected, WORLD, call, devtools};
use serde::Deserialize;
use serde_json::json;

/// Handles to the script's list and to its elements, each only once.
pub(super) struct Listed {
    pub(super) list: String,
    pub(super) elements: Vec<String>,
}

#[derive(Deserialize)]
struct Properties {
    result: Vec<Property>,
}

#[derive(Deserialize)]
struct Property {
    name: String,
    #[serde(default)]
    value: Option<Remote>,
}

impl Page {
    /// Returns what a function of the script lists in a frame. `None`: it lists nothing, or the script is not injected yet.
    /// `group`: the object group by which the handles are released.
    pub(super) async fn listed(
        &self,
        frame: &FrameId,
        function: Injected,
        group: &str,
    ) -> Result<Option<Listed>, PageError> {
        let context = self.context(frame, &World::Isolated(WORLD.to_owned())).await?;
        let session = self.session_of(frame)?;
        let list = json!({
            "expression": format!("globalThis.__gstack?.{function}()"),
            "contextId": context.id,
            "objectGroup": group,
        });
        let list: Evaluated = call(&session, "Runtime.evaluate", &list).await?;
        let Some(list) = list.result.object_id else { return Ok(None) };
        let own = json!({ "objectId": list, "ownProperties": true });
        let properties: Properties = call(&session, "Runtime.getProperties", &own).await?;
        let items = properties.result.into_iter().filter(|property| property.name.parse::<u32>().is_ok());
        let elements = items.filter_map(|item| item.value?.object_id).collect();
        Ok(Some(Listed { list, elements }))
    }

    /// Releases the handles of a group.
    pub(super) async fn release_listed(&self, frame: &FrameId, group: &str) -> Result<(), PageError> {
        let group = json!({ "objectGroup": group });
        self.session_of(frame)?.call_json("Runtime.releaseObjectGroup", &group, devtools::LIMIT).await?;
        Ok(())
    }
}
