//! The `watch` command.

use crate::core::{Arguments, Context, Output, wrong};
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, Writes,
    parameter, phrase,
};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "watch",
    aliases: &[],
    category: Category::Tabs,
    class: Class::Read,
    parameters: &[parameter(
        "action",
        false,
        Kind::Text,
        ValueType::Choice,
        "stop, to end it and see what it saw last",
    )],
    flags: &[],
    summary: "Watch the tab while you use it: takes a snapshot each time the page settles after a change",
    details: "Does nothing in the page. `watch stop` prints the last snapshot.",
    untrusted: true,
    writes: Writes::Page,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Control),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[phrase(Verb::Watch, "the page")],
    output: "WATCHING tab N, or: WATCH STOPPED (Ns, M snapshots) and the last snapshot",
    data: "{seconds: number, snapshots: number}",
    run: |context, arguments| Box::pin(watch(context, arguments)),
}];

async fn watch(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let page = match arguments.text("action").as_deref() {
        None | Some("start" | "stop") => context.page().await?,
        Some(other) => return Err(wrong(format!("watch does not know {other:?}"))),
    };
    if arguments.text("action").as_deref() != Some("stop") {
        let id = page.id();
        if page.begin_watch(&context.pages).await? {
            return Ok(Output::text(format!("WATCHING tab {id} (end it with: watch stop)")));
        }
        return Err(Fault::new(FaultCode::Conflict, format!("tab {id} is being watched already"))
            .hint("End it with: gstack watch stop"));
    }
    let Some(watched) = page.end_watch().await? else {
        return Err(
            Fault::new(FaultCode::Conflict, "this tab is not being watched").hint("Start it with: gstack watch")
        );
    };
    let (seconds, snapshots) = (watched.seconds(), watched.snapshots);
    let last = Output::from_page(watched.last, page.url()?);
    let head = Some(format!("WATCH STOPPED ({seconds}s, {snapshots} snapshots)"));
    Ok(Output { head, ..last }.data(json!({ "seconds": seconds, "snapshots": snapshots })))
}
