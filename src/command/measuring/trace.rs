//! The `trace` command.
//!
//! Owns the spec, who may record what, and the file format. `trace_filter` decides which events it contains.

use super::trace_filter::{self, Processes};
use crate::base::counted::counted;
use crate::base::nameless;
use crate::base::site::SiteOrPage;
use crate::browser::page::{TraceEvents, TraceOptions};
use crate::command::core::{Arguments, Context, Output, wrong};
use crate::command::files::PartialFile;
use crate::command::privacy::path_guard;
use crate::command::spec::{
    Capability, Category, Class, Everyday, Holds, Kind, Navigates, Needs, NotEveryday, Offered, Spec, TabUse, Verb,
    When, Writes, parameter, phrase, phrase_when, switch,
};
use crate::protocol::fault::{Fault, FaultCode};
use serde_json::json;
use std::io::SeekFrom;
use std::path::Path;
use tokio::fs::File;
use tokio::io::{AsyncBufReadExt, AsyncSeekExt, AsyncWriteExt, BufReader, BufWriter};

pub(in crate::command) const COMMANDS: &[Spec] = &[Spec {
    name: "trace",
    aliases: &[],
    category: Category::Inspection,
    class: Class::Read,
    parameters: &[
        parameter("action", true, Kind::Text, Holds::Choice, "start, or stop, which writes the file"),
        parameter(
            "path",
            false,
            Kind::Text,
            Holds::OutputPath,
            "stop: where to write it, under the working or the temp directory",
        ),
    ],
    flags: &[switch("--screenshots", Holds::Choice, "start: with small pictures of what was drawn")],
    summary: "Record a performance trace of the tab",
    details: "A JSON file of Chrome's trace events, with a CPU profile and the page's own marks, which Perfetto and the Performance \
        panel of DevTools open. It has no events of other tabs' processes, and no tokens in addresses; an agent's \
        trace has only addresses of this site.",
    untrusted: false,
    writes: Writes::File,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Devtools),
    everyday: Everyday::Refused(NotEveryday {
        why: "Chrome gives extensions a trace without the page's events",
        instead: "Use the Performance panel of DevTools there, or the browser of `gstack connect`.",
    }),
    needs: Needs::Browser,
    phrases: &[
        phrase_when(When::Is("action", "start"), Verb::Record, "a trace"),
        phrase(Verb::Save, "the recorded trace"),
    ],
    output: "Recording a trace, Trace saved: path (N events)",
    data: "{screenshots: boolean} | {path: string, events: number, bytes: number, cut: boolean}",
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
        (other, _) => Err(wrong(format!("trace can't {other:?}")).hint("Use trace start, or trace stop PATH.")),
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
    Ok(Output::text("Recording a trace").data(json!({ "screenshots": options.pictures })))
}

async fn stop(context: &Context, typed: Option<&str>) -> Result<Output, Fault> {
    let path = match typed {
        Some(typed) => path_guard::output_path(context, typed)?,
        None => context.temp_folder.join(format!("gstack-trace-{}.json", uuid::Uuid::new_v4().simple())),
    };
    let page = context.page().await?;
    let options = page.trace().ok_or_else(|| {
        Fault::new(FaultCode::NotFound, "no trace of this tab is being recorded").hint(
            "Start it with: gstack trace \
            start",
        )
    })?;
    if context.for_model && !options.for_model {
        return Err(Fault::new(FaultCode::Forbidden, "the person started this trace").hint(
            "Ask the person to stop \
            it.",
        ));
    }
    let here = options.for_model.then(|| page.url().map(|url| SiteOrPage::of(&url))).transpose()?;
    // Created before the trace stops, so that an unwritable file does not lose the trace.
    let mut file = PartialFile::create(&path)?;
    let mut spool = Spool::create(&context.temp_folder)?;
    let Some(mut events) = page.stop_trace().await? else {
        return Err(Fault::new(FaultCode::Conflict, "the trace has already ended"));
    };
    let processes = spool.fill(&mut events).await?;
    let count = spool.write_kept(&mut file, &processes, here.as_ref()).await?;
    let bytes = file.size();
    file.finish().await?;
    let shown = path.display().to_string();
    let mut output = Output::text(format!("Trace saved: {shown} ({})", counted(count, "event")));
    output.data = Some(json!({ "path": shown, "events": count, "bytes": bytes, "cut": events.is_cut }));
    output.say(events.is_cut.then(|| "… the browser's buffer was full: the trace lacks its end".to_owned()));
    output.files.push(path);
    Ok(output)
}

/// The events, one on each line in an unnamed file, until the tab's processes are known.
struct Spool(BufWriter<File>);

impl Spool {
    fn create(folder: &Path) -> Result<Self, Fault> {
        let file = nameless::create(folder).map_err(|error| unusable(&error))?;
        Ok(Self(BufWriter::new(File::from_std(file))))
    }

    async fn fill(&mut self, events: &mut TraceEvents) -> Result<Processes, Fault> {
        let mut processes = Processes::default();
        while let Some(part) = events.next().await? {
            for event in part {
                processes.see(event.get());
                // A raw line break can only occur between fields; inside a string it would be escaped.
                let line = event.get().replace(['\n', '\r'], " ") + "\n";
                self.0.write_all(line.as_bytes()).await.map_err(|error| unusable(&error))?;
            }
        }
        Ok(processes)
    }

    /// Writes the events to keep and returns their number.
    async fn write_kept(
        mut self,
        file: &mut PartialFile,
        processes: &Processes,
        here: Option<&SiteOrPage>,
    ) -> Result<usize, Fault> {
        self.0.seek(SeekFrom::Start(0)).await.map_err(|error| unusable(&error))?;
        let mut lines = BufReader::new(self.0.into_inner()).lines();
        let mut count = 0;
        let mut part = String::from("{\"traceEvents\":[");
        while let Some(line) = lines.next_line().await.map_err(|error| unusable(&error))? {
            let Some(event) = trace_filter::kept(&line, processes, here) else { continue };
            part.push_str(if count == 0 { "\n" } else { ",\n" });
            part.push_str(&event);
            count += 1;
            if part.len() > PART {
                file.write(part.as_bytes()).await?;
                part.clear();
            }
        }
        part.push_str("\n],\"metadata\":{\"source\":\"gstack\"}}\n");
        file.write(part.as_bytes()).await?;
        Ok(count)
    }
}

/// The write size, in bytes.
const PART: usize = 256 * 1024;

fn unusable(error: &std::io::Error) -> Fault {
    Fault::new(FaultCode::Storage, format!("the trace can't be kept in the temp directory: {error}"))
        .hint("Free some space there.")
}
