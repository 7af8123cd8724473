//! The end of a trace: its events are filtered, written to a file if there is one, and read for what made the page slow.
//!
//! Owns the file format. `trace_filter` decides which events it contains.

use super::insights::{Elements, Insights};
use super::trace_facts::Facts;
use super::trace_filter::{self, Processes};
use crate::core::Context;
use crate::files::PartialFile;
use gstack_base::nameless;
use gstack_base::site::SiteOrPage;
use gstack_browser::page::{Page, TraceEvents, TraceOptions};
use gstack_protocol::fault::{Fault, FaultCode};
use std::io::SeekFrom;
use std::path::Path;
use tokio::fs::File;
use tokio::io::{AsyncBufReadExt, AsyncSeekExt, AsyncWriteExt, BufReader, BufWriter};

/// A trace that has ended.
pub(super) struct Finished {
    pub(super) events: usize,
    pub(super) bytes: u64,
    /// The browser's buffer was full.
    pub(super) is_cut: bool,
    pub(super) insights: Insights,
}

/// Ends the page's trace and reads its events. Fails if it has already ended.
pub(super) async fn finish(
    context: &Context,
    page: &Page,
    options: TraceOptions,
    mut file: Option<PartialFile>,
) -> Result<Finished, Fault> {
    let here = options.for_model.then(|| page.url().map(|url| SiteOrPage::of(&url))).transpose()?;
    let mut spool = Spool::create(&context.temp_folder)?;
    let Some(mut events) = page.stop_trace().await? else {
        return Err(Fault::new(FaultCode::Conflict, "the trace has already ended"));
    };
    let processes = spool.fill(&mut events).await?;
    let mut facts = Facts::default();
    let count = spool.write_kept(file.as_mut(), &mut facts, &processes, here.as_ref()).await?;
    let bytes = file.as_ref().map_or(0, PartialFile::size);
    if let Some(file) = file {
        file.finish().await?;
    }
    Ok(Finished { events: count, bytes, is_cut: events.is_cut, insights: Insights::of(&facts) })
}

/// Describes the elements that the findings are about. Those that are gone are left out.
pub(super) async fn elements(page: &Page, insights: &Insights) -> Elements {
    let mut elements = Elements::new();
    for node in insights.nodes() {
        if let Some(element) = page.element_of_node(node).await {
            elements.insert(node, element);
        }
    }
    elements
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
        mut file: Option<&mut PartialFile>,
        facts: &mut Facts,
        processes: &Processes,
        here: Option<&SiteOrPage>,
    ) -> Result<usize, Fault> {
        self.0.seek(SeekFrom::Start(0)).await.map_err(|error| unusable(&error))?;
        let mut lines = BufReader::new(self.0.into_inner()).lines();
        let mut count = 0;
        let mut part = String::from("{\"traceEvents\":[");
        while let Some(line) = lines.next_line().await.map_err(|error| unusable(&error))? {
            let Some(event) = trace_filter::kept(&line, processes, here) else { continue };
            facts.see(&event);
            count += 1;
            let Some(file) = &mut file else { continue };
            part.push_str(if count == 1 { "\n" } else { ",\n" });
            part.push_str(&event);
            if part.len() > PART {
                file.write(part.as_bytes()).await?;
                part.clear();
            }
        }
        part.push_str("\n],\"metadata\":{\"source\":\"gstack\"}}\n");
        if let Some(file) = file {
            file.write(part.as_bytes()).await?;
        }
        Ok(count)
    }
}

/// The write size, in bytes.
const PART: usize = 256 * 1024;

fn unusable(error: &std::io::Error) -> Fault {
    Fault::new(FaultCode::Storage, format!("the trace can't be kept in the temp directory: {error}"))
        .hint("Free some space there.")
}
