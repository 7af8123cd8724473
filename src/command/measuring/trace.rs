//! The `trace` command.
//!
//! Owns the spec, and who may record what. `trace_file` writes the file, `insights` explains it.

use super::trace_file::{Finished, elements, finish};
use crate::core::output_files::named_or_unnamed;
use crate::core::{Arguments, Context, Output, RecordingKind, wrong};
use crate::files::PartialFile;
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, NotEveryday, Offered, Spec, TabUse, ValueType, Verb,
    When, Writes, parameter, phrase, phrase_when, switch,
};
use gstack_base::counted::counted;
use gstack_browser::page::TraceOptions;
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;

/// A trace in an everyday browser.
pub(super) const ITS_TRACE: NotEveryday = NotEveryday {
    why: "Chrome gives extensions a trace without the page's events",
    instead: "Use the Performance panel of DevTools there, or the browser of `gstack connect`.",
};

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "trace",
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
    flags: &[switch("--screenshots", ValueType::Choice, "start: with small pictures of what was drawn")],
    summary: "Record a performance trace of the tab",
    details: "A JSON file of Chrome's trace events, with a CPU profile and the page's own marks, which the Performance panel of \
        DevTools opens. It has no events of other tabs' processes, and no tokens in addresses; an agent's \
        trace has only addresses of this site. `stop` also says what made the page slow, as `perf-trace` does.",
    untrusted: false,
    writes: Writes::File,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Devtools),
    everyday: Everyday::Refused(ITS_TRACE),
    needs: Needs::Browser,
    phrases: &[
        phrase_when(When::Is("action", "start"), Verb::Record, "a trace"),
        phrase(Verb::Save, "the recorded trace"),
    ],
    output: "Recording a trace, Trace saved: path (N events), and what made the page slow",
    data: "{screenshots: boolean} | {path: string, events: number, bytes: number, cut: boolean, insights: {lcp: unknown, renderBlocking: unknown[], longTasks: unknown, forcedLayout: number, layoutShift: unknown}}",
    run: |context, arguments| Box::pin(trace(context, arguments)),
}];

async fn trace(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    match (arguments.required("action")?.as_str(), arguments.text("path")) {
        ("start", None) => start(context, &arguments).await,
        ("start", Some(extra)) => Err(wrong(format!("trace start does not take {extra:?}")).hint("trace stop PATH")),
        ("stop", _) if arguments.has("--screenshots") => {
            Err(wrong("give --screenshots when the trace starts: trace start --screenshots"))
        }
        ("stop", path) => stop(context, path.as_deref()).await,
        (other, _) => Err(wrong(format!("trace does not know {other:?}")).hint("Use trace start, or trace stop PATH.")),
    }
}

async fn start(context: &Context, arguments: &Arguments) -> Result<Output, Fault> {
    let options = TraceOptions { pictures: arguments.has("--screenshots"), for_model: context.for_model };
    let page = context.page().await?;
    if page.trace().is_some() || !page.start_trace(options).await? {
        return Err(Fault::new(FaultCode::Conflict, "the browser is already recording a trace")
            .hint("It records one at a time. End it in its tab: gstack trace stop PATH")
            .command("gstack trace stop"));
    }
    context.recording_log.began(RecordingKind::Trace, page.id(), context.for_model);
    Ok(Output::text("Recording a trace").data(json!({ "screenshots": options.pictures })))
}

async fn stop(context: &Context, typed: Option<&str>) -> Result<Output, Fault> {
    let path = named_or_unnamed(context, typed, "trace", "json")?;
    let page = context.page().await?;
    let options = page.trace().ok_or_else(|| {
        let none = Fault::new(FaultCode::NotFound, "no trace of this tab is being recorded")
            .hint("Start it with: gstack trace start");
        context.recording_log.lost_or(RecordingKind::Trace, Some(page.id()), context.for_model, none)
    })?;
    if context.for_model && !options.for_model {
        return Err(Fault::new(FaultCode::Forbidden, "the person started this trace").hint(
            "Ask the person to stop \
            it.",
        ));
    }
    // Created before the trace stops, so that an unwritable file does not lose the trace.
    let file = PartialFile::create(&path)?;
    let finished = finish(context, &page, options, Some(file)).await;
    if page.trace().is_none() {
        context.recording_log.ended(RecordingKind::Trace, page.id());
    }
    let Finished { events: count, bytes, is_cut, insights } = finished?;
    let elements = elements(&page, &insights).await;
    let shown = path.display().to_string();
    let ours = format!("Trace saved: {shown} ({})", counted(count, "event"));
    let theirs = insights.words(&elements);
    let mut output = context.told_with_page(&page, ours.clone(), theirs.clone(), format!("{ours}\n{theirs}"));
    output.data = Some(json!({ "path": shown, "events": count, "bytes": bytes, "cut": is_cut,
        "insights": insights.data(&elements) }));
    output.say(is_cut.then(|| "… the browser's buffer was full: the trace lacks its end".to_owned()));
    output.files.push(path);
    Ok(output)
}
