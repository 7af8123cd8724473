//! Drops files on an element of a page.
//!
//! Owns the order of the drag events. Never judges the paths: the caller has checked them.

use crate::page::error::PageError;
use crate::page::locate::{Need, Target};
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::{Injected, tell};
use crate::page::wait::Settling;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

const DROP_NEEDS: [Need; 3] = [Need::Visible, Need::Stable, Need::Hit];

impl Page {
    /// Drags files over the middle of the element and drops them there.
    ///
    /// # Errors
    ///
    /// Fails without dropping anything if the page does not accept files there: the browser would open them instead.
    pub async fn drop_files(&self, target: &Target, files: &[PathBuf], limit: Duration) -> Result<(), PageError> {
        let files = self.paths_there(files).await?;
        let settling = Settling::begin(self);
        let _drawing = self.draw();
        let ready = self.ready(target, &DROP_NEEDS, "dropping", limit).await?;
        let at = self.free_point(target, &ready, "dropping", limit).await?;
        self.points_at(&ready, at, false).await;
        let _: Value = self.script(&ready.frame, Injected::WatchDrop, &[], SCRIPT_LIMIT).await?;
        let send = async |kind: &str| {
            let data = json!({ "items": [], "files": files, "dragOperationsMask": 1 });
            let params = json!({ "type": kind, "x": at.x, "y": at.y, "data": data });
            tell(self.session(), "Input.dispatchDragEvent", &params).await
        };
        send("dragEnter").await?;
        send("dragOver").await?;
        let takes: bool = self.script(&ready.frame, Injected::EndDrop, &[], SCRIPT_LIMIT).await?;
        if !takes {
            send("dragCancel").await?;
            let reason = "the page does not accept files dropped there".to_owned();
            return Err(PageError::Refused { what: target.to_string(), reason });
        }
        self.unless_closed(send("drop").await).await?;
        self.settle(settling).await;
        Ok(())
    }
}
