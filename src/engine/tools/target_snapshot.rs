//! What a call would act on: its elements as the page has them now, or the document that it runs in.
//!
//! Owns the look, made before each decision and again after the person's answer, and the record made from it. Decides
//! nothing.

use super::page_tools::SeenTool;
use super::sign_ins::{self, sign_in};
use crate::browsers::Browsers;
use crate::sign_ins::SignIns;
use gstack_base::site::{self, SiteOrPage};
use gstack_base::visible::visible;
use gstack_browser::page::error::PageError;
use gstack_browser::page::{ClickDestination, Expected, ExpectedElement, Page, Target};
use gstack_command::spec::{Navigates, TabUse};
use gstack_command::{Call, Class, consequence, redaction};
use gstack_protocol::action::{ActionElement, ActionRecord};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;
use gstack_protocol::policy::PolicyTool;
use gstack_protocol::sign_in::SavedSignIn;

/// The longest text that the person can edit in a card, in bytes. A longer text is only shown.
const LONGEST_TEXT: usize = 4 * 1024;

/// The permission for a call, from a rule or from the person.
pub(super) struct ApprovedCall {
    /// The elements or the document that the page must still have when input is sent.
    pub(super) expected: Option<Expected>,
    /// The page that the tab showed when the call was judged: it runs on no other.
    pub(super) shown: SiteOrPage,
    /// The address of the document that the call acts on, if known. In a frame it differs from the tab's.
    pub(super) home: Option<String>,
    /// The call with the text that the person wrote, if they did.
    pub(super) edited: Option<Call>,
}

/// The elements that a call would act on, as the page has them now.
#[derive(Default)]
pub(super) struct TargetSnapshot {
    pub(super) into_password: bool,
    /// True if it reloads a page that was the result of a form.
    resends: bool,
    /// In the order of the call: the first one takes the input.
    elements: Vec<ExpectedElement>,
    /// The document that a call without elements acts in; empty if it cannot be determined. `None` if an element names
    /// it, or the call acts in no document.
    document: Option<String>,
    /// The page's tool, if the call calls one. It names its document itself.
    pub(super) tool: Option<SeenTool>,
    /// The saved sign-in that the call fills in.
    pub(super) sign_in: Option<SavedSignIn>,
}

impl TargetSnapshot {
    /// Looks up the elements of a call, or its document if it names none. Calls that only read are skipped.
    ///
    /// # Errors
    ///
    /// Fails if the call names a tool that the page does not offer or whose schema its input does not fit, or a sign-in that
    /// is not for the page.
    pub(super) async fn take(
        (browsers, sign_ins): (&Browsers, &SignIns),
        call: &Call,
        tab: TabId,
    ) -> Result<Self, Fault> {
        if call.class() == Class::Read {
            return Ok(Self::default());
        }
        if let Some((name, site)) = call.page_tool() {
            let input = call.arguments.text("input");
            let tool = SeenTool::find(browsers, tab, (&name, site.as_deref()), input.as_deref()).await?;
            return Ok(Self { tool: Some(tool), ..Self::default() });
        }
        let sign_in = match call.sign_in() {
            Some(name) => Some(sign_in(browsers, sign_ins, tab, &name).await?),
            None => None,
        };
        // Opened once: nothing else works on the tab during the look.
        let opened = if needs_page(call) { page_of(browsers, tab).await } else { None };
        let resends = call.spec.navigates == Navigates::Again && resends(opened.as_ref()).await;
        let page = opened.and_then(Result::ok);
        // If the page cannot be queried, nothing can be typed into it either.
        let into_password = match page.as_ref().filter(|_| call.types()) {
            Some(page) => page.is_password(call.target().as_ref()).await,
            None => false,
        };
        let elements = elements(page.as_ref(), call).await;
        let names_document = elements.iter().any(|element| element.subject.is_some());
        let document = match acts_in_page(call) && !names_document {
            true => Some(document(page.as_ref()).await),
            false => None,
        };
        Ok(Self { into_password, resends, elements, document, tool: None, sign_in })
    }

    /// Returns the element that takes the input.
    pub(super) fn subject(&self) -> Option<&ClickDestination> {
        self.elements.first()?.subject.as_ref()
    }

    /// Returns true if the call submits a form, or its label names an irreversible action.
    pub(super) fn submits(&self, call: &Call) -> bool {
        if self.resends {
            return true;
        }
        let Some(subject) = self.subject().filter(|_| call.may_navigate()) else { return false };
        let clicks = call.spec.navigates == Navigates::ElementsTarget || !subject.takes_text;
        subject.submits || (clicks && consequence::is_told_by(&subject.name))
    }

    /// Returns the site of the document that the call acts on, or `of_tab` if it cannot be determined.
    pub(super) fn site(&self, of_tab: impl FnOnce() -> Option<String>) -> Option<String> {
        if let Some(sign_in) = &self.sign_in {
            return site::of(&sign_in.origin);
        }
        self.home().map_or_else(of_tab, |home| site::of(&home))
    }

    /// Returns the address of the document that the call acts on, if its element or tool names it.
    fn home(&self) -> Option<String> {
        let of_tool = || self.tool.as_ref().map(|tool| tool.url().to_owned());
        self.subject().map(|subject| subject.home.clone()).or_else(of_tool)
    }

    /// Returns the permission to do this, and nothing else, on the page `shown`.
    pub(super) fn permit(&self, call: &Call, shown: SiteOrPage, edited: Option<Call>) -> ApprovedCall {
        let is_bound = !self.elements.is_empty() || self.document.is_some();
        let of_page = || Expected::new(call.activation(), self.elements.clone(), self.document.clone());
        let expected = self.tool.as_ref().map(SeenTool::expected).or_else(|| is_bound.then(of_page));
        ApprovedCall { expected, shown, home: self.home(), edited }
    }

    /// Returns what a rule for this call would name besides the site.
    pub(super) fn policy_tool(&self) -> Option<PolicyTool> {
        let of_sign_in = || self.sign_in.as_ref().map(sign_ins::policy_tool);
        self.tool.as_ref().map(SeenTool::policy_tool).or_else(of_sign_in)
    }

    fn content(&self) -> String {
        let of_sign_in = || self.sign_in.as_ref().map(sign_ins::words);
        self.tool.as_ref().map(SeenTool::words).or_else(of_sign_in).unwrap_or_default()
    }

    pub(super) fn record(&self, call: &Call) -> ActionRecord {
        let leads = self.subject().filter(|subject| call.may_navigate() && !subject.url.is_empty());
        let mut elements = self.elements.iter();
        let element = |element: &ExpectedElement| {
            element.subject.as_ref().map(|subject| ActionElement {
                target: element.target.as_ref().map(|target| visible(&target.to_string())).unwrap_or_default(),
                role: subject.role.clone(),
                name: visible(&subject.name),
                document: subject.document.clone(),
            })
        };
        ActionRecord {
            // The journal keeps what is shown, which must not include a password.
            command: visible(&if self.into_password { redaction::line(call) } else { call.line() }),
            scope: None,
            element: elements.next().and_then(element),
            other_elements: elements.filter_map(element).collect(),
            document: self.document.clone().filter(|document| !document.is_empty()),
            destination: leads
                .map(|subject| visible(&subject.url))
                .or_else(|| call.destinations().first().map(|to| visible(to))),
            submits: self.submits(call),
            text: call
                .text()
                .map(|(_, text)| text)
                .filter(|text| !self.into_password && text.len() <= LONGEST_TEXT && visible(text) == *text),
            content: self.content(),
            agent_reason: None,
        }
    }
}

/// Returns true if the call acts in the page that its tab shows, and not in the one that it goes to.
fn acts_in_page(call: &Call) -> bool {
    let leaves = matches!(call.spec.navigates, Navigates::TabToAddress | Navigates::RequestToAddress);
    call.spec.tab == TabUse::ThisPage && !leaves
}

fn needs_page(call: &Call) -> bool {
    acts_in_page(call) || call.spec.navigates == Navigates::Again || call.types() || !call.elements().is_empty()
}

/// Returns each element that a call acts on, or the focused one, with where a click or Enter there would lead,
/// according to the page's markup.
async fn elements(page: Option<&Page>, call: &Call) -> Vec<ExpectedElement> {
    let mut targets: Vec<Option<Target>> = call.elements().into_iter().map(Some).collect();
    if targets.is_empty() && call.types() {
        targets.push(None);
    }
    let mut elements = Vec::new();
    for target in targets {
        let subject = match page {
            Some(page) => page.leads_to(target.as_ref(), call.activation()).await,
            None => None,
        };
        elements.push(ExpectedElement { target, subject });
    }
    elements
}

/// Returns the id of the tab's document; empty, which is no document's id, if it cannot be determined.
async fn document(page: Option<&Page>) -> String {
    match page {
        Some(page) => page.document_id().await.unwrap_or_default(),
        None => String::new(),
    }
}

/// Returns true if reloading the page would resubmit a form, or if the page cannot be queried. Returns false if the
/// tab is gone, because nothing can be reloaded then.
async fn resends(opened: Option<&Result<Page, PageError>>) -> bool {
    match opened {
        Some(Ok(page)) => page.resends().await,
        Some(Err(_)) => true,
        None => false,
    }
}

/// Opens the tab's page. `None` if the tab is gone.
async fn page_of(browsers: &Browsers, tab: TabId) -> Option<Result<Page, PageError>> {
    let (browser, pages) = browsers.pages_with(Some(tab))?;
    Some(pages.open(&browser.tab(tab).ok()?).await)
}
