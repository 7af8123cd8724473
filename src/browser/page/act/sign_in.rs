//! Fills in a sign-in.
//!
//! Owns the binding to one document: values are sent only into the script context of the document in which the fields
//! were seen, so that no other page's process ever gets them. The checks right before each value are in
//! `injected/sign_in.js`. Also owns the answer whether a tab may still show a
//! secret, which an agent's script could read there. Never looks up a secret and never keeps one.

use crate::frames::{Context, FrameId};
use crate::page::error::PageError;
use crate::page::page::{Memory, Page, Pages, SCRIPT_LIMIT};
use crate::page::script::Injected;
use crate::page::wait::Settling;
use crate::tab::Tab;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The selectors that the person gave for fields that are not found by themselves.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SignInSelectors {
    pub user: Option<String>,
    pub password: Option<String>,
    pub code: Option<String>,
}

/// The values to fill in. Only those are used for which the page has a field.
#[derive(Serialize)]
pub struct SignInValues<'a> {
    pub user: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'a str>,
}

/// A field of a sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SignInField {
    User,
    Password,
    Code,
}

/// The fields that a document has.
#[derive(Debug)]
pub struct SignInForm {
    frame: FrameId,
    context: Context,
    loader: String,
    seen: Seen,
}

#[derive(Debug, Deserialize)]
struct Seen {
    here: bool,
    user: bool,
    password: bool,
    code: bool,
    several: Option<SignInField>,
}

/// What was filled in.
#[derive(Debug, Deserialize)]
pub struct SignInDone {
    #[serde(default)]
    pub refused: Option<SignInRefusal>,
    /// The other origin that the form sends to.
    #[serde(default)]
    pub elsewhere: Option<String>,
    pub filled: Vec<SignInField>,
    pub submitted: bool,
}

/// Why not everything was filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SignInRefusal {
    /// The document is of another origin, or is inside of one.
    Origin,
    /// There is more than one candidate for a field.
    Several,
    /// The form sends to another origin.
    Destination,
    /// The page changed a field while it was filled in.
    Changed,
}

impl SignInForm {
    /// Whether the document is of the origin.
    pub fn is_here(&self) -> bool {
        self.seen.here
    }
    /// Returns the kind of field for which there are several candidates.
    pub fn several(&self) -> Option<SignInField> {
        self.seen.several
    }
    pub fn has(&self, field: SignInField) -> bool {
        match field {
            SignInField::User => self.seen.user,
            SignInField::Password => self.seen.password,
            SignInField::Code => self.seen.code,
        }
    }
}

impl Page {
    /// Looks for the fields of a sign-in in the tab's main document and in those of the same origin within it.
    pub async fn sign_in_form(&self, origin: &str, given: &SignInSelectors) -> Result<SignInForm, PageError> {
        self.check_site().await?;
        let main = self.main_frame().await?;
        let (context, seen) =
            self.script_and_context(&main.id, Injected::SeeSignIn, &[&origin, given], SCRIPT_LIMIT).await?;
        Ok(SignInForm { frame: main.id, context, loader: main.loader, seen })
    }

    /// Fills in the values, and submits the form if wanted. From here on, the document counts as holding a secret.
    pub async fn fill_sign_in(
        &self,
        form: &SignInForm,
        origin: &str,
        given: &SignInSelectors,
        values: &SignInValues<'_>,
        submit: bool,
    ) -> Result<SignInDone, PageError> {
        self.check_site().await?;
        let settling = Settling::begin(self);
        // Before the value is sent: an answer may be lost.
        if values.password.is_some() || values.code.is_some() {
            self.memory.hold_secret(origin, &form.loader);
        }
        let call = Injected::FillSignIn;
        let done: Result<SignInDone, PageError> = self
            .script_within((&form.frame, &form.context), call, &[&origin, given, values, &submit], SCRIPT_LIMIT)
            .await;
        self.settle_asked(settling, None).await;
        done
    }
}

impl Memory {
    pub(super) fn hold_secret(&self, origin: &str, loader: &str) {
        self.held_secrets.add(origin, loader);
    }
}

impl Pages {
    /// Returns whether the tab, or another one that its scripts could reach because it is of the same origin, shows a
    /// document into which a secret was filled.
    pub fn may_reach_secret(&self, tab: &Tab) -> bool {
        let of = |tab: &Tab| self.memory_if_known(tab.id()).map(|memory| memory.held_secrets.all());
        let shows = |tab: &Tab, held: &BTreeSet<(String, String)>| {
            // A tab that is not followed at the moment may show anything that it showed before.
            held.iter().any(|(_, loader)| tab.shows_document(loader).unwrap_or(true))
        };
        if of(tab).is_some_and(|held| shows(tab, &held)) {
            return true;
        }
        let own = tab.info().map(|info| origin_of(&info.url)).unwrap_or_default();
        tab.browser().tabs().iter().filter_map(|info| tab.browser().tab(info.id).ok()).any(|other| {
            let held = of(&other).unwrap_or_default();
            held.iter().any(|(origin, _)| *origin == own) && shows(&other, &held)
        })
    }
}

fn origin_of(address: &str) -> String {
    url::Url::parse(address).map(|url| url.origin().ascii_serialization()).unwrap_or_default()
}
