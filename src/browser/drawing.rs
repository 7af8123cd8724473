//! Makes a hidden page draw frames while a command needs them.
//!
//! Owns the screencast that forces it. Never starts one while a recording runs.

use super::devtools::page::{StopScreencastParams, jpeg_frames};
use super::devtools_session::Session;
use super::tab::Work;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::AbortHandle;

/// A command that needs no frame, and a screenshot of a tab in view, mostly takes less. The page cannot be asked
/// whether it is in view: with focus emulation it always says yes.
const DRAW_AFTER: Duration = Duration::from_millis(50);

/// Makes a hidden page draw frames, after a short delay.
pub struct Drawing {
    page: Session,
    state: Arc<Mutex<DrawingState>>,
    /// Starts to draw after `DRAW_AFTER`.
    waiting: AbortHandle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DrawingState {
    Waiting,
    Drawing,
    Over,
}

impl Drawing {
    fn begin(page: &Session, state: &Mutex<DrawingState>) {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        if *state != DrawingState::Waiting {
            return;
        }
        *state = DrawingState::Drawing;
        // The frames are discarded, so they are as small as possible. The router acknowledges them.
        page.post(jpeg_frames(1, 16, 16));
    }
}

impl Drop for Drawing {
    fn drop(&mut self) {
        self.waiting.abort();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *state, DrawingState::Over) == DrawingState::Drawing {
            self.page.post(StopScreencastParams {});
        }
    }
}

impl Work {
    /// Makes the page draw frames while its tab is hidden, as long as the guard lives: without it, a screenshot of a
    /// hidden tab hangs and its animation frames never fire. A tab in view draws by itself, and forcing it would cost
    /// two frames, so drawing starts only if the guard lives longer than `DRAW_AFTER`.
    pub fn draw(&self) -> Drawing {
        // A recording makes it draw already, in its own size.
        let first = if self.is_cast() { DrawingState::Over } else { DrawingState::Waiting };
        let state = Arc::new(Mutex::new(first));
        let later = (self.session().clone(), state.clone());
        let waiting = tokio::spawn(async move {
            tokio::time::sleep(DRAW_AFTER).await;
            Drawing::begin(&later.0, &later.1);
        });
        Drawing { page: self.session().clone(), state, waiting: waiting.abort_handle() }
    }
}
