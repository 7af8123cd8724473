//! The clipboard, read and written by way of the page.
//!
//! Owns the two calls. The page sees neither of them, and no permission is asked for.

use crate::browser::devtools::runtime::Evaluate;
use crate::browser::frames::World;
use crate::browser::page::error::PageError;
use crate::browser::page::page::{Page, SCRIPT_LIMIT};
use crate::browser::page::script::{Argument, Injected, WORLD, tell};
use serde_json::{Value, json};

impl Page {
    /// The text on the clipboard; empty where there is none.
    pub async fn read_clipboard(&self) -> Result<String, PageError> {
        self.check_site().await?;
        let frame = self.main_frame().await?.id;
        let _: Value = self.script(&frame, Injected::ArmPaste, &[], SCRIPT_LIMIT).await?;
        let paste = json!({ "type": "rawKeyDown", "commands": ["paste"] });
        let sent = tell(self.session(), "Input.dispatchKeyEvent", &paste).await;
        let text: Option<String> = self.script(&frame, Injected::TakePaste, &[], SCRIPT_LIMIT).await?;
        sent?;
        text.ok_or_else(|| PageError::Refused {
            what: "the clipboard".to_owned(),
            reason: "the browser gave the page no text of it; a frame may have the keyboard: click beside it first"
                .to_owned(),
        })
    }

    /// Puts a text on the clipboard.
    pub async fn write_clipboard(&self, text: &str) -> Result<(), PageError> {
        self.check_site().await?;
        let frame = self.main_frame().await?.id;
        // The script is put into the page where it is missing.
        let _: Value = self.script(&frame, Injected::Settled, &[], SCRIPT_LIMIT).await?;
        let context = self.context(&frame, &World::Isolated(WORLD.to_owned())).await?;
        let expression = format!("globalThis.__gstack.{}({})", Injected::CopyText, text.json()?);
        let evaluate = Evaluate { expression, return_by_value: true, user_gesture: true, ..Evaluate::default() };
        let reply = self.session_of(&frame)?.call_within(evaluate.within(&context), SCRIPT_LIMIT).await?;
        match reply.result.value.map(|value| value.get() == "true") {
            Some(true) => Ok(()),
            _ => Err(PageError::Refused {
                what: "the clipboard".to_owned(),
                reason: "the browser did not let the page write it".to_owned(),
            }),
        }
    }
}
