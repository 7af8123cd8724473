//! The `diff` command.

use super::text_diff;
use crate::core::{Arguments, Context, Output};
use crate::navigating::leave_metadata;
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, Offered, Spec, TIMEOUT, TabUse, ValueType, Verb,
    Writes, parameter, phrase,
};
use gstack_browser::page::TemporaryTab;
use gstack_browser::refused::RefusalMark;
use gstack_protocol::fault::Fault;
use std::time::Duration;
use url::Url;

const NAVIGATION_LIMIT: Duration = Duration::from_secs(15);

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "diff",
    aliases: &[],
    category: Category::Visual,
    class: Class::Act,
    parameters: &[
        parameter("url1", true, Kind::Text, ValueType::Destination, "The first page"),
        parameter("url2", true, Kind::Text, ValueType::Destination, "The page to compare it with"),
    ],
    flags: &[TIMEOUT],
    summary: "Compare the text of two pages line by line",
    details: "Opens each page in its own tab, and closes it afterwards.",
    untrusted: true,
    writes: Writes::Tab,
    tab: TabUse::ThisPage,
    navigates: Navigates::RequestToAddress,
    offered: Offered::Extended(Capability::Visual),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[phrase(Verb::Compare, "{url1} with {url2}")],
    output: "--- url1, +++ url2, then the lines with +, - or a space",
    data: "",
    run: |context, arguments| Box::pin(diff(context, arguments)),
}];

async fn diff(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let limit = arguments.timeout(NAVIGATION_LIMIT)?;
    let (first, second) = (arguments.required("url1")?, arguments.required("url2")?);
    let addresses = (context.address(&first)?, context.address(&second)?);
    // Each in its own tab and both at once.
    let (before, after) =
        tokio::try_join!(text_of(context, &addresses.0, limit), text_of(context, &addresses.1, limit))?;
    let text = format!("--- {first}\n+++ {second}\n{}", text_diff::diff(&before, &after));
    Ok(Output::from_page(text, format!("{first} and {second}")))
}

async fn text_of(context: &Context, address: &Url, limit: Duration) -> Result<String, Fault> {
    let tab = TemporaryTab::open(&context.browser).await?;
    let page = context.pages.open(&tab).await?;
    let arrival = page.goto(address.as_str(), limit).await?;
    leave_metadata(&page, &arrival).await?;
    let text = page.text(None).await?;
    page.check_addresses(RefusalMark::default())?;
    Ok(text)
}
