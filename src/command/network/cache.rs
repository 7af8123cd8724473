//! The `cache` command.
//!
//! Owns the argument parsing. The cache belongs to the whole browser, so the command leaves a person's everyday browser
//! alone.

use crate::core::{Arguments, Context, Output, wrong};
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, NotEveryday, Offered, Spec, TabUse, ValueType, Verb,
    When, Writes, parameter, phrase, phrase_when,
};
use gstack_protocol::fault::Fault;
use serde_json::json;

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "cache",
    aliases: &[],
    category: Category::Inspection,
    class: Class::Act,
    parameters: &[parameter(
        "action",
        true,
        Kind::Text,
        ValueType::Choice,
        "clear: of the whole browser; off or on: for this tab",
    )],
    flags: &[],
    summary: "Clear the browser's cache, or turn it off in this tab",
    details: "off applies to this tab and the tabs it opens until `cache on`, even after navigation. Cookies and storage stay.",
    untrusted: false,
    writes: Writes::Browser,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Network),
    everyday: Everyday::Depends(of_a_person),
    needs: Needs::Browser,
    phrases: &[
        phrase_when(When::Is("action", "clear"), Verb::Clear, "the browser's cache"),
        phrase(Verb::Set, "the cache {action}"),
    ],
    output: "Cache cleared, Cache off, Cache on",
    data: "{cleared: boolean} | {cache: boolean}",
    run: |context, arguments| Box::pin(cache(context, arguments)),
}];

fn of_a_person(arguments: &Arguments) -> Option<NotEveryday> {
    (arguments.text("action").as_deref() == Some("clear")).then_some(NotEveryday {
        why: "gstack does not touch the cache of the person's own profile",
        instead: "`cache off` does without it in this tab.",
    })
}

async fn cache(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let action = arguments.required("action")?;
    let page = context.page().await?;
    match action.as_str() {
        "clear" => {
            page.clear_cache().await?;
            Ok(Output::text("Cache cleared").data(json!({ "cleared": true })))
        }
        "off" | "on" => {
            page.set_cache(action == "on").await?;
            Ok(Output::text(format!("Cache {action}")).data(json!({ "cache": action == "on" })))
        }
        other => Err(wrong(format!("cache does not know {other:?}")).hint("Use cache clear, cache off or cache on.")),
    }
}
