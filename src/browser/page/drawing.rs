//! Keeping a page drawn that nobody looks at.
//!
//! Owns the hold. A hidden tab draws no frames, so that pointer moves, animations and captures stand still in it;
//! taking its frames, as small as they come, makes it draw. `browser::router` acknowledges them.

use crate::browser::session::Session;
use chromiumoxide::cdp::browser_protocol::page::{StartScreencastFormat, StartScreencastParams, StopScreencastParams};

/// In pixels: nobody looks at the frames.
const FRAME_SIDE: i64 = 16;

/// The page is drawn for as long as this lives.
pub(super) struct Drawing {
    session: Session,
}

impl Drawing {
    /// What is sent on the session after this finds the page drawn.
    pub(super) fn begin(session: &Session) -> Self {
        session.post(StartScreencastParams {
            format: Some(StartScreencastFormat::Jpeg),
            quality: Some(1),
            max_width: Some(FRAME_SIDE),
            max_height: Some(FRAME_SIDE),
            ..StartScreencastParams::default()
        });
        Self { session: session.clone() }
    }
}

impl Drop for Drawing {
    fn drop(&mut self) {
        self.session.post(StopScreencastParams::default());
    }
}
