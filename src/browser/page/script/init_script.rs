//! Init scripts of a tab, checked before they are added.
//!
//! Owns the check that a script compiles: a broken one would fail unnoticed in every document. Runs nothing.

use crate::devtools::runtime::CompileScriptParams;
use crate::page::error::PageError;
use crate::page::page::{Page, SCRIPT_LIMIT};
use gstack_base::site::SiteOrPage;

impl Page {
    /// Runs a script in each document from the next one on, in frames and popups too. Returns its number. Fails if the
    /// script does not compile.
    pub async fn add_init_script(&self, source: &str, only_on: Option<SiteOrPage>) -> Result<u64, PageError> {
        let compile = CompileScriptParams::new(source, "", false);
        let compiled = self.session().call_within(compile, SCRIPT_LIMIT).await?;
        if let Some(thrown) = compiled.exception_details {
            return Err(PageError::Script(thrown.words()));
        }
        Ok(self.work().add_init_script(source.to_owned(), only_on)?)
    }
}
