//! A content block of MCP, which ACP also uses: a tool's result, a model's text.
//!
//! Owns the type and the part that a person sees. Never interprets the text.

use crate::adapter::Image;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;

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

/// How deep a picture may be in a tool's raw output.
const DEEPEST: usize = 6;

/// Adds the pictures in a raw output, whose format is the agent's own: image blocks of MCP, or `data:` addresses.
pub fn pictures(raw: &Value, images: &mut Vec<Image>) {
    pictures_within(raw, DEEPEST, images);
}

fn pictures_within(raw: &Value, deeper: usize, images: &mut Vec<Image>) {
    match raw {
        Value::Array(elements) if deeper > 0 => {
            elements.iter().for_each(|element| pictures_within(element, deeper - 1, images));
        }
        Value::Object(fields) => match picture(raw) {
            Some(image) => images.push(image),
            None if deeper > 0 => fields.values().for_each(|value| pictures_within(value, deeper - 1, images)),
            None => {}
        },
        _ => {}
    }
}

fn picture(block: &Value) -> Option<Image> {
    let text = |name: &str| block.get(name).and_then(Value::as_str);
    if let Some((mime, data)) = text("url").and_then(|url| url.strip_prefix("data:")?.split_once(";base64,")) {
        let bytes = STANDARD.decode(data).ok().filter(|_| mime.starts_with("image/"))?;
        return Some(Image { mime: mime.to_owned(), bytes });
    }
    let mime = text("mimeType").or_else(|| text("mediaType")).unwrap_or("image/png").to_owned();
    let bytes = STANDARD.decode(text("data").filter(|_| text("type") == Some("image"))?).ok()?;
    Some(Image { mime, bytes })
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
