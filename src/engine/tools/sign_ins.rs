//! A saved sign-in as the person and the policy see it before an agent has it filled in.
//!
//! Owns the words on the card, and what counts as a look at a secret. Never asks for a secret.

use crate::browsers::{Browsers, BrowsersError};
use crate::sign_ins::SignIns;
use gstack_base::hex;
use gstack_base::site;
use gstack_base::visible::visible;
use gstack_command::{Call, Class, SignInSource, check_sign_in_origin};
use gstack_protocol::catalogue;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;
use gstack_protocol::policy::PolicyTool;
use gstack_protocol::sentence::LocalizedPhrase;
use gstack_protocol::sign_in::SavedSignIn;

/// Returns a saved sign-in.
///
/// # Errors
///
/// Fails before anyone is asked if there is none of this name, or if the tab shows another origin.
pub(super) async fn sign_in(
    browsers: &Browsers,
    sign_ins: &SignIns,
    tab: TabId,
    name: &str,
) -> Result<SavedSignIn, Fault> {
    let about = sign_ins.find(name).await?.described();
    let gone = || BrowsersError::NotOpen(catalogue::NO_BROWSER_FOR.with(["sign-in"]));
    let (browser, _) = browsers.pages_with(Some(tab)).ok_or_else(gone)?;
    check_sign_in_origin(&about, &browser.tab(tab)?.info()?.url)?;
    Ok(about)
}

/// Returns what a rule names: another origin or user under the same name is another sign-in.
pub(super) fn policy_tool(about: &SavedSignIn) -> PolicyTool {
    let said = format!("{}\n{}", about.origin, about.user);
    PolicyTool { name: about.name.clone(), fingerprint: hex::sha256(said) }
}

/// Returns the whole of it, for the card and the audit.
pub(super) fn words(about: &SavedSignIn) -> String {
    format!("{} at {}", visible(&about.user), about.origin)
}

/// Returns the request for approval: `Sign in as ada at shop.example`.
pub(super) fn request(about: &SavedSignIn) -> (String, LocalizedPhrase) {
    let (user, at) = (visible(&about.user), site::of(&about.origin).unwrap_or_else(|| about.origin.clone()));
    let ask = format!("Sign in as {user} at {at}");
    (ask, LocalizedPhrase { code: "own_signing_in_at".to_owned(), values: vec![user, at] })
}

/// Returns whether a call could read a secret in the page by a script of its own, or by one of the page that it calls.
pub(super) fn could_read_secret(call: &Call) -> bool {
    matches!(call.class(), Class::Control | Class::Intercept | Class::PageTool)
}

/// Returns whether a tab, or one that its scripts could reach, shows a document into which gstack filled a secret.
pub(super) fn reaches_secret(browsers: &Browsers, tab: TabId) -> bool {
    let Some((browser, pages)) = browsers.pages_with(Some(tab)) else { return false };
    browser.tab(tab).is_ok_and(|tab| pages.may_reach_secret(&tab))
}
