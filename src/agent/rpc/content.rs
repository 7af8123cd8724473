//! A content block of MCP, which ACP also uses: a tool's result, a model's text.
//!
//! Owns the type and the part that a person sees. Never interprets the text.

use crate::adapter::Image;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum Content {
    Text {
        #[serde(default)]
        text: String,
    },
    Image {
        /// Base64.
        #[serde(default)]
        data: String,
        #[serde(default)]
        mime_type: String,
    },
    #[default]
    #[serde(other)]
    Other,
}

/// Returns the texts, joined by lines, and the pictures. Skips a picture that cannot be decoded.
pub fn read(blocks: impl IntoIterator<Item = Content>) -> (String, Vec<Image>) {
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for block in blocks {
        match block {
            Content::Text { text } => texts.push(text),
            Content::Image { data, mime_type: mime } => {
                images.extend(STANDARD.decode(&data).map(|bytes| Image { mime, bytes }));
            }
            Content::Other => {}
        }
    }
    (texts.join("\n"), images)
}
