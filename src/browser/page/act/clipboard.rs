//! Reads and writes the clipboard through the page.
//!
//! Owns the two calls. The page notices neither of them, and no permission prompt opens.

use crate::devtools::runtime::{EvaluateParams, Evaluation, evaluate_value};
use crate::frames::World;
use crate::page::error::PageError;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::{Argument, Injected, WORLD, tell};
use serde_json::{Value, json};

impl Page {
    /// Returns the text on the clipboard; empty if there is none.
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
            reason: "the browser gave the page no clipboard text; a frame may have the focus: click outside it first"
                .to_owned(),
        })
    }

    /// Writes a text to the clipboard.
    pub async fn write_clipboard(&self, text: &str) -> Result<(), PageError> {
        self.check_site().await?;
        let frame = self.main_frame().await?.id;
        // Injects the script if it is missing.
        let _: Value = self.script(&frame, Injected::Settled, &[], SCRIPT_LIMIT).await?;
        let context = self.context(&frame, &World::Isolated(WORLD.to_owned())).await?;
        let expression = format!("globalThis.__gstack.{}({})", Injected::CopyText, text.json()?);
        let evaluate = EvaluateParams { user_gesture: Some(true), ..evaluate_value(expression) };
        let reply = self.session_of(&frame)?.call_within(evaluate.within(&context), SCRIPT_LIMIT).await?;
        match reply.result.value.map(|value| value.get() == "true") {
            Some(true) => Ok(()),
            _ => Err(PageError::Refused {
                what: "the clipboard".to_owned(),
                reason: "the browser did not let the page write to the clipboard".to_owned(),
            }),
        }
    }
}
