//! A script for each document of the tab, checked before it is taken.
//!
//! Owns the check that it is a whole script: one that is not would fail unseen in every document. Runs nothing of it.

use crate::base::site::Place;
use crate::browser::devtools::runtime::CompileScript;
use crate::browser::page::error::PageError;
use crate::browser::page::page::{Page, SCRIPT_LIMIT};

impl Page {
    /// Runs a script in each document from the next on, in frames and popups too. Returns its number.
    pub async fn add_init_script(&self, source: &str, only_on: Option<Place>) -> Result<u64, PageError> {
        let compile = CompileScript { expression: source.to_owned(), source_url: String::new(), persist_script: false };
        let compiled = self.session().call_within(compile, SCRIPT_LIMIT).await?;
        if let Some(thrown) = compiled.exception_details {
            return Err(PageError::Script(thrown.words()));
        }
        Ok(self.work().add_init_script(source.to_owned(), only_on)?)
    }
}
