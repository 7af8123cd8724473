//! Markdown of answers, rendered for panels.

use super::service::Conversations;
use crate::chat::markdown;
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::methods::Rendered;

/// The most that one request may render, in bytes: more than the longest message.
const MOST_MARKDOWN: usize = 1024 * 1024;
/// One request is rendered at a time.
static RENDERING: tokio::sync::Semaphore = tokio::sync::Semaphore::const_new(1);

impl Conversations {
    /// Renders blocks of an answer, beside the reader of messages. Fails if they are larger than an answer can be.
    pub async fn render_markdown(&self, blocks: Vec<String>) -> Result<Rendered, Fault> {
        let bytes: usize = blocks.iter().map(String::len).sum();
        if bytes > MOST_MARKDOWN {
            let message = format!("{bytes} bytes of Markdown are too much at once; {MOST_MARKDOWN} are the most");
            return Err(Fault::new(FaultCode::TooLarge, message).hint("Send fewer blocks in one request."));
        }
        // Parsing takes many times the memory of its text.
        let _turn = RENDERING.acquire().await.map_err(|error| Fault::new(FaultCode::Internal, error.to_string()))?;
        let render = move || Rendered { html: blocks.iter().map(|block| markdown::render(block)).collect() };
        tokio::task::spawn_blocking(render).await.map_err(|error| Fault::new(FaultCode::Internal, error.to_string()))
    }
}
