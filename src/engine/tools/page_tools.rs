//! A page's tool as the person and the policy see it before an agent calls it.
//!
//! Owns the words on the card. Never believes them: they are the page's claims.

use super::error::ToolError;
use crate::browsers::{Browsers, BrowsersError};
use gstack_base::visible::visible;
use gstack_browser::page::{Expected, PageTool, PageTools};
use gstack_command::{chosen_page_tool, envelope, page_tool_claims, page_tool_input};
use gstack_protocol::catalogue;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;
use gstack_protocol::policy::PolicyTool;

/// The longest description and schema that are put before a person, in bytes.
const LONGEST_WORDS: usize = 16 * 1024;

/// A tool of the page at the time of the look.
pub(super) struct SeenTool(PageTool);

impl SeenTool {
    /// Returns the tool that a rule would name.
    pub(super) fn policy_tool(&self) -> PolicyTool {
        PolicyTool { name: self.0.name.clone(), fingerprint: self.0.fingerprint() }
    }

    pub(super) fn expected(&self) -> Expected {
        Expected::of_tool(self.0.fingerprint())
    }

    /// Returns the address of its document.
    pub(super) fn url(&self) -> &str {
        &self.0.url
    }

    /// Returns what its page says about it.
    pub(super) fn words(&self) -> String {
        let PageTool { description, schema, url, .. } = &self.0;
        let claims = page_tool_claims(&self.0);
        let mut lines = vec![
            format!("offered by: {}", visible(url)),
            format!("the page says: “{}”", visible(description)),
            format!("its input: {}", visible(&schema.to_string())),
        ];
        if !claims.is_empty() {
            lines.push(format!("the page claims, and gstack does not check: {}", claims.join(", ")));
        }
        lines.join("\n")
    }

    fn length(&self) -> usize {
        self.0.name.len() + self.0.description.len() + self.0.schema.to_string().len()
    }
}

impl SeenTool {
    /// Looks for the tool that a call names. `input` is the call's, as JSON.
    ///
    /// # Errors
    ///
    /// Fails if the page does not offer it, or the input does not fit its schema, before anyone is asked.
    pub(super) async fn find(
        browsers: &Browsers,
        tab: TabId,
        (name, site): (&str, Option<&str>),
        input: Option<&str>,
    ) -> Result<Self, Fault> {
        let gone = || BrowsersError::NotOpen(catalogue::NO_BROWSER_FOR.with(["webmcp-call"]));
        let (browser, pages) = browsers.pages_with(Some(tab)).ok_or_else(gone)?;
        let page = pages.open(&browser.tab(tab)?).await?;
        let tools = match page.page_tools().await? {
            PageTools::Offered(tools) => tools,
            PageTools::Insecure | PageTools::Off => Vec::new(),
        };
        let seen = Self(chosen_page_tool(&tools, name, site)?.clone());
        if seen.length() > LONGEST_WORDS {
            return Err(ToolError::ToolTooLong(name.to_owned()).into());
        }
        page_tool_input(&seen.0, input).map_err(envelope::fault_for_model)?;
        Ok(seen)
    }
}
