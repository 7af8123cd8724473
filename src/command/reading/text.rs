//! The `text`, `html`, `links` and `forms` commands.

use crate::core::{Arguments, Context, Output};
use crate::privacy::url_guard;
use crate::spec::{
    Capability, Category, Class, Everyday, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, Writes, phrase,
    selector,
};
use gstack_base::counted::counted;
use gstack_base::site::SiteOrPage;
use gstack_browser::error::BrowserError;
use gstack_browser::page::WholeText;
use gstack_browser::page::error::PageError;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::relay::Refusal;
use serde_json::json;

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "text",
        aliases: &[],
        category: Category::Reading,
        class: Class::Read,
        parameters: &[selector(false, ValueType::Element, "Only this element's text")],
        flags: &[],
        summary: "Print the page's visible text",
        details: "Leaves out script, style and noscript; trims lines and drops empty ones. In a tab with a PDF: its text.",
        untrusted: true,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Read, "{sel}"), phrase(Verb::Read, "the page")],
        output: "text",
        data: "",
        run: |context, arguments| Box::pin(text(context, arguments)),
    },
    Spec {
        name: "html",
        aliases: &[],
        category: Category::Reading,
        class: Class::Read,
        parameters: &[selector(false, ValueType::Element, "Only this element's inner HTML")],
        flags: &[],
        summary: "Print the page's HTML",
        details: "Prints the whole document with its doctype, or an element's innerHTML.",
        untrusted: true,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Reading),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Read, "{sel}"), phrase(Verb::Read, "the page's HTML")],
        output: "html",
        data: "",
        run: |context, arguments| Box::pin(html(context, arguments)),
    },
    Spec {
        name: "links",
        aliases: &[],
        category: Category::Reading,
        class: Class::Read,
        parameters: &[],
        flags: &[],
        summary: "List the page's links",
        details: "",
        untrusted: true,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Read, "the links")],
        output: "text → href, one line per link",
        data: "[{text: string, href: string}]",
        run: |context, _| Box::pin(links(context)),
    },
    Spec {
        name: "forms",
        aliases: &[],
        category: Category::Reading,
        class: Class::Read,
        parameters: &[],
        flags: &[],
        summary: "List the page's forms and their fields",
        details: "Passwords are [redacted].",
        untrusted: true,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Read, "the forms")],
        output: "JSON",
        data: "[{index: number, action?: string, method: string, id?: string, fields: [{tag: string, type?: string, name?: string, …}]}]",
        run: |context, _| Box::pin(forms(context)),
    },
];

const BESIDE_FRAME: &str = "Another extension has put a frame into this page, and Chrome keeps gstack out of such pages: this is the \
    page's own text, without its frames.";

async fn text(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let target = arguments.target("sel");
    let page = match context.page_or_error().await {
        Ok(page) => page,
        Err(PageError::Browser(BrowserError::Relay(Refusal::OtherFrame))) if target.is_none() => {
            return text_by_extension(context).await;
        }
        Err(error) => return Err(error.into()),
    };
    if let Some(target) = target {
        let text = match context.for_model {
            true => page.text_with_marks(Some(&target)).await?,
            false => page.text(Some(&target)).await?,
        };
        return Ok(Output::from_page(text, page.url()?));
    }
    let WholeText { text, frames, pdfs } = page.text_and_frames(context.for_model).await?;
    let is_empty = text.is_empty();
    let mut output = Output::from_page(text, page.url()?);
    if is_empty {
        output.say(Some(page.why_empty().await?));
    }
    output.say(not_in_it(frames, pdfs));
    Ok(output)
}

/// Says that frames have text that is not printed.
fn not_in_it(frames: usize, pdfs: usize) -> Option<String> {
    let framed = (frames > 0).then(|| format!("{} with text", counted(frames, "frame")));
    let papers = (pdfs > 0).then(|| counted(pdfs, "PDF"));
    let parts: Vec<String> = framed.into_iter().chain(papers).collect();
    let what = parts.join(" and ");
    (!what.is_empty())
        .then(|| format!("… and {what} in it: `snapshot` lists the frames, and `text` with a ref prints the words"))
}

/// Reads a page to which Chrome lets gstack not attach.
async fn text_by_extension(context: &Context) -> Result<Output, Fault> {
    let (url, text) = context.tab().await?.text_by_extension().await?;
    if url_guard::is_refused_address(&url) {
        return Err(BrowserError::RefusedAddress(url).into());
    }
    let shown = SiteOrPage::of(&url);
    if let Some(wanted) = context.only_on.as_ref().filter(|wanted| **wanted != shown) {
        return Err(PageError::OtherSite { wanted: wanted.to_string() }.into());
    }
    let mut output = Output::from_page(text, url);
    output.say(Some(BESIDE_FRAME.to_owned()));
    Ok(output)
}

async fn html(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let page = context.page().await?;
    let html = page.html(arguments.target("sel").as_ref()).await?;
    Ok(Output::from_page(html, page.url()?))
}

async fn links(context: &Context) -> Result<Output, Fault> {
    let page = context.page().await?;
    let links = page.links().await?;
    let lines: Vec<String> = links.iter().map(|link| format!("{} → {}", link.text, link.href)).collect();
    Ok(Output::from_page(lines.join("\n"), page.url()?).data(json!(links)))
}

async fn forms(context: &Context) -> Result<Output, Fault> {
    let page = context.page().await?;
    let forms = page.forms().await?;
    Ok(Output::from_page(pretty(&forms)?, page.url()?).data(forms))
}

/// Formats JSON for people, indented by 2 spaces.
pub(crate) fn pretty(value: &serde_json::Value) -> Result<String, Fault> {
    serde_json::to_string_pretty(value).map_err(|error| Fault::new(FaultCode::Internal, error.to_string()))
}
