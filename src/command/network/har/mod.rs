//! The `har` command.
//!
//! Owns the spec, who may record what, and what is left out: for a model, everything that `network` does not show it;
//! for everybody, responses from refused addresses. `archive` owns the file format.

mod archive;
mod cookies;
mod entry;

use super::record::is_of;
use crate::core::output_files::named_or_unnamed;
use crate::core::{Arguments, Context, Output, RecordingKind, wrong};
use crate::privacy::path_guard;
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, When,
    Writes, parameter, phrase, phrase_when, switch,
};
use archive::Archive;
use entry::{Entry, Redacts};
use gstack_base::counted::counted;
use gstack_base::metadata::is_metadata_url;
use gstack_base::site::SiteOrPage;
use gstack_browser::page::{Exchange, Page, Recording, RecordingOptions};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;
use url::Url;

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "har",
    aliases: &[],
    category: Category::Inspection,
    class: Class::Read,
    parameters: &[
        parameter("action", true, Kind::Text, ValueType::Choice, "start, or stop, which writes the file"),
        parameter(
            "path",
            false,
            Kind::Text,
            ValueType::OutputPath,
            "stop: where to write it, under the working or the temp directory",
        ),
    ],
    flags: &[
        switch(
            "--bodies",
            ValueType::Choice,
            "start: with the bodies of answers, up to 8 MiB each and 32 MiB together",
        ),
        switch("--secrets", ValueType::Choice, "start: nothing is redacted; for people only"),
    ],
    summary: "Record the tab's requests into a HAR file",
    details: "HAR 1.2, which Playwright's routeFromHAR replays if it has bodies. Without --secrets it has no cookies, \
        no Authorization, and no tokens in addresses and bodies. An agent's recording contains only requests made by \
        this site's pages.",
    untrusted: false,
    writes: Writes::File,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Network),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[
        phrase_when(When::Is("action", "start"), Verb::Record, "the requests"),
        phrase(Verb::Save, "the recorded requests"),
    ],
    output: "Recording requests, HAR saved: path (N requests)",
    data: "{bodies: boolean, secrets: boolean} | {path: string, requests: number, bodies: unknown, secrets: boolean, leftOut: {ofOtherSites: number, refused: number, noLongerKept: number}}",
    run: |context, arguments| Box::pin(har(context, arguments)),
}];

async fn har(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let path = arguments.text("path");
    match (arguments.required("action")?.as_str(), path) {
        ("start", None) => start(context, &arguments).await,
        ("start", Some(extra)) => Err(wrong(format!("har start does not take {extra:?}")).hint("har stop PATH")),
        ("stop", path) => {
            if let Some(flag) = ["--bodies", "--secrets"].into_iter().find(|flag| arguments.has(flag)) {
                return Err(wrong(format!("give {flag} when the recording starts: har start {flag}")));
            }
            stop(context, path.as_deref()).await
        }
        (other, _) => Err(wrong(format!("har does not know {other:?}")).hint("Use har start, or har stop PATH.")),
    }
}

async fn start(context: &Context, arguments: &Arguments) -> Result<Output, Fault> {
    let options = RecordingOptions {
        bodies: arguments.has("--bodies"),
        secrets: arguments.has("--secrets"),
        for_model: context.for_model,
    };
    if options.secrets && options.for_model {
        return Err(
            Fault::new(FaultCode::Forbidden, "secrets are not recorded for agents").hint("Leave --secrets out.")
        );
    }
    let page = context.page().await?;
    if !page.start_recording(options)? {
        return Err(Fault::new(FaultCode::Conflict, "this tab's requests are already being recorded")
            .hint("Save them first: gstack har stop PATH")
            .command("gstack har stop"));
    }
    context.recording_log.began(RecordingKind::Requests, page.id(), context.for_model);
    let with = if options.bodies { " with bodies" } else { "" };
    Ok(Output::text(format!("Recording requests{with}"))
        .data(json!({ "bodies": options.bodies, "secrets": options.secrets })))
}

async fn stop(context: &Context, typed: Option<&str>) -> Result<Output, Fault> {
    let path = named_or_unnamed(context, typed, "requests", "har")?;
    let page = context.page().await?;
    let options = page.recording().ok_or_else(|| {
        let none = Fault::new(FaultCode::NotFound, "this tab's requests are not being recorded")
            .hint("Start it with: gstack har start");
        context.recording_log.lost_or(RecordingKind::Requests, Some(page.id()), context.for_model, none)
    })?;
    if context.for_model && !options.for_model {
        return Err(Fault::new(FaultCode::Forbidden, "the person started this recording")
            .hint("See the requests with `network`, or ask the person to stop it."));
    }
    let Some((recording, exchanges)) = page.stop_recording() else {
        return Err(Fault::new(FaultCode::Conflict, "the recording has already ended"));
    };
    context.recording_log.ended(RecordingKind::Requests, page.id());
    let taken = Taken::of(&page, &recording, exchanges).await;
    page.drop_bodies();
    let taken = taken?;
    let url = page.url()?;
    let redacts = Redacts(!recording.options.secrets);
    let archive = Archive { page: redacts.address(&url), since: recording.since, entries: taken.entries };
    let (entries, bodies) = (archive.entries.len(), archive.entries.iter().filter(|entry| entry.has_body()).count());
    let path = path_guard::write(path, archive.text()?.into_bytes()).await?;
    let shown = path.display().to_string();
    let mut output = Output::text(format!("HAR saved: {shown} ({})", counted(entries, "request")));
    output.data =
        Some(json!({ "path": shown, "requests": entries, "bodies": bodies, "secrets": recording.options.secrets,
        "leftOut": { "ofOtherSites": taken.of_others, "refused": taken.refused, "noLongerKept": taken.gone } }));
    for (count, why) in [(taken.of_others, "of documents of other sites"), (taken.gone, "no longer kept")] {
        output.say((count > 0).then(|| format!("… not in it: {} {why}", counted(count, "request"))));
    }
    output.files.push(path);
    Ok(output)
}

/// The entries for the file, and the counts of those left out.
#[derive(Default)]
struct Taken {
    entries: Vec<Entry>,
    of_others: usize,
    refused: usize,
    gone: usize,
}

impl Taken {
    async fn of(page: &Page, recording: &Recording, exchanges: Vec<Exchange>) -> Result<Self, Fault> {
        let here = SiteOrPage::of(&page.url()?);
        let for_model = recording.options.for_model;
        let mut taken = Self::default();
        for exchange in exchanges.into_iter().filter(|exchange| crosses_network(&exchange.record.url)) {
            let is_ours = !for_model || is_of(&exchange.record, &here);
            if is_refused(page, &exchange) {
                taken.refused += 1;
            } else if !is_ours {
                taken.of_others += 1;
            } else if !exchange.is_kept {
                taken.gone += 1;
            } else {
                // The page itself may not be allowed to read another site's response.
                let shows_body = !for_model || SiteOrPage::of(&exchange.record.url) == here;
                let body = match shows_body && recording.options.bodies {
                    true => page.recorded_body(recording, &exchange).await?,
                    false => None,
                };
                let posted = page.request_body(&exchange).await?;
                taken.entries.push(Entry { exchange, posted, body, redacts: Redacts(!recording.options.secrets) });
            }
        }
        Ok(taken)
    }
}

/// Whether the request went to, or was answered by, an address that must not be read.
/// `blob:` and `data:` addresses hold their content themselves. mitmproxy 11 refuses a whole file for one such entry.
fn crosses_network(url: &str) -> bool {
    ["http://", "https://", "ws://", "wss://"].iter().any(|scheme| url.starts_with(scheme))
}

fn is_refused(page: &Page, exchange: &Exchange) -> bool {
    let url = &exchange.record.url;
    let names_one = || Url::parse(url).ok().and_then(|url| url.host_str().map(|host| page.browser().refuses(host)));
    is_metadata_url(url) || page.refuses_answer(exchange) || names_one().unwrap_or_default()
}
