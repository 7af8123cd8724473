//! Exports of a conversation as a document, and reading its files in parts.

use super::service::Conversations;
use crate::tasks::off_thread;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gstack_chat::{Conversation, export};
use gstack_protocol::chat::Attachment;
use gstack_protocol::chat_requests::{FilePart, FileRead};
use gstack_protocol::control::ConversationText;
use gstack_protocol::fault::Fault;
use gstack_protocol::history::{ConversationExport, ExportFormat};
use serde_json::json;
use std::sync::Arc;

impl Conversations {
    /// Returns the whole conversation as a document.
    pub async fn text(&self, request: ConversationExport) -> Result<ConversationText, Fault> {
        let conversation = self.get(&request.conversation_id)?;
        off_thread(move || {
            let Document { text, ending, .. } = export_text(&conversation, request.format)?;
            Ok(ConversationText { name: format!("{}.{ending}", file_name(&conversation.title_of())), text })
        })
        .await
    }

    /// Writes the conversation to a file for `file.read`. The next export replaces it.
    pub async fn export(&self, request: ConversationExport) -> Result<Attachment, Fault> {
        let conversation = self.get(&request.conversation_id)?;
        off_thread(move || {
            let document = export_text(&conversation, request.format)?;
            let name = format!("{}.{}", file_name(&conversation.title_of()), document.ending);
            conversation.write_export(&name, document.mime, document.text.as_bytes()).map_err(|e| e.fault())
        })
        .await
    }

    /// Reads a part of an attached file or of the last export.
    pub fn file_read(&self, read: &FileRead) -> Result<FilePart, Fault> {
        let conversation = self.get(&read.conversation_id)?;
        let part = conversation.read_file(&read.id, read.offset).map_err(|e| e.fault())?;
        Ok(FilePart { data: STANDARD.encode(&part.bytes), total: part.total, mime: part.mime.to_owned() })
    }
}

struct Document {
    text: String,
    ending: &'static str,
    mime: &'static str,
}

fn export_text(conversation: &Arc<Conversation>, format: ExportFormat) -> Result<Document, Fault> {
    let info = conversation.info();
    let events = conversation.replay(0, usize::MAX).map_err(|e| e.fault())?.events;
    match format {
        ExportFormat::Markdown => {
            Ok(Document { text: export::to_markdown(&info, &events), ending: "md", mime: "text/markdown" })
        }
        ExportFormat::Json => {
            let whole = json!({ "conversation": info, "events": events });
            let text = serde_json::to_string_pretty(&whole).map_err(Fault::internal)?;
            Ok(Document { text, ending: "json", mime: "application/json" })
        }
    }
}

/// Turns a title into a file name that is valid on every system.
fn file_name(title: &str) -> String {
    let plain: String =
        title.chars().map(|c| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { ' ' }).collect();
    let words: Vec<&str> = plain.split_whitespace().take(8).collect();
    let name: String = words.join("-").trim_matches(['.', '-']).chars().take(60).collect();
    if name.is_empty() { "conversation".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exports_name_is_a_plain_word_anywhere() {
        assert_eq!(file_name("fix: the <login>/form"), "fix-the-login-form");
        assert_eq!(file_name("../.."), "conversation");
        assert_eq!(file_name(""), "conversation");
    }
}
