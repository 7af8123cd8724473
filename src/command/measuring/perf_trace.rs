//! The `perf-trace` command.
//!
//! Owns the spec and the load that is traced. `insights` explains it.

use super::trace::ITS_TRACE;
use super::trace_file::{Finished, elements, finish};
use crate::core::{Arguments, Context, Output};
use crate::files::PartialFile;
use crate::privacy::path_guard;
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, Offered, Spec, TIMEOUT, TabUse, ValueType, Verb,
    Writes, parameter, phrase,
};
use gstack_browser::page::{LoadState, Page, TraceOptions};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(30);
/// A page that never stops loading things is judged by what it did until then.
const QUIET_LIMIT: Duration = Duration::from_secs(5);

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "perf-trace",
    aliases: &[],
    category: Category::Inspection,
    class: Class::Act,
    parameters: &[parameter(
        "path",
        false,
        Kind::Text,
        ValueType::OutputPath,
        "Also keep the trace in this file, under the working or the temp directory",
    )],
    flags: &[TIMEOUT],
    summary: "Reload the page under a trace and say what made it slow",
    details: "Also written `perf trace`. Reports the phases of the largest contentful paint (LCP), requests that delay the first paint, \
        tasks of more than 50 ms, layouts that scripts forced, and layout shifts with their elements. Chrome measures no paint \
        in a tab in the background. To trace anything other than a page load: `trace start`, act, `trace stop`.",
    untrusted: true,
    writes: Writes::Page,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Devtools),
    everyday: Everyday::Refused(ITS_TRACE),
    needs: Needs::Browser,
    phrases: &[phrase(Verb::Measure, "what makes the page slow")],
    output: "Largest paint (LCP): N ms (good), its phases, then what delayed the page, one line each",
    data: "{lcp: unknown, renderBlocking: unknown[], longTasks: unknown, forcedLayout: number, layoutShift: unknown, path?: string}",
    run: |context, arguments| Box::pin(perf_trace(context, arguments)),
}];

async fn perf_trace(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let limit = arguments.timeout(LIMIT)?;
    let path = arguments.text("path").map(|typed| path_guard::output_path(context, &typed)).transpose()?;
    let file = path.as_deref().map(PartialFile::create).transpose()?;
    let page = context.page().await?;
    let options = TraceOptions { pictures: false, for_model: context.for_model };
    if page.trace().is_some() || !page.start_trace(options).await? {
        return Err(Fault::new(FaultCode::Conflict, "the browser is already recording a trace")
            .hint("It records one at a time. End it in its tab: gstack trace stop PATH")
            .command("gstack trace stop"));
    }
    let ends = page.ends_trace();
    let loaded = load(&page, limit).await;
    let finished = finish(context, &page, options, file).await;
    drop(ends);
    loaded?;
    let Finished { is_cut, insights, .. } = finished?;
    let elements = elements(&page, &insights).await;
    let mut data = insights.data(&elements);
    let mut output = Output::from_page(insights.words(&elements), page.url()?);
    output.say(is_cut.then(|| "… the browser's buffer was full: the trace lacks its end".to_owned()));
    if let Some(path) = path {
        let shown = path.display().to_string();
        output.say(Some(format!("Trace saved: {shown}")));
        data["path"] = json!(shown);
        output.files.push(path);
    }
    Ok(output.data(data))
}

async fn load(page: &Page, limit: Duration) -> Result<(), Fault> {
    page.reload(false, limit).await?;
    if let Err(error) = page.wait_until(LoadState::NetworkIdle, QUIET_LIMIT.min(limit)).await {
        tracing::debug!(%error, "the traced page did not become quiet");
    }
    Ok(())
}
