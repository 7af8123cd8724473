//! The `heap` command.
//!
//! Owns the spec and the file. A snapshot contains everything that the page holds, including secrets, except those that
//! gstack filled in: it is for people only.

use crate::core::output_files::named_or_unnamed;
use crate::core::{Arguments, Context, Output, wrong};
use crate::files::PartialFile;
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, NotEveryday, Offered, Spec, TabUse, ValueType, Verb,
    When, Writes, parameter, phrase, phrase_when,
};
use gstack_base::filled_secrets;
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "heap",
    aliases: &[],
    category: Category::Inspection,
    class: Class::Read,
    parameters: &[
        parameter("action", true, Kind::Text, ValueType::Choice, "usage, or snapshot, which writes a file"),
        parameter(
            "path",
            false,
            Kind::Text,
            ValueType::OutputPath,
            "snapshot: where to write it, under the working or the temp directory",
        ),
    ],
    flags: &[],
    summary: "Show how large the page's JavaScript heap is, or write a snapshot of it",
    details: "The Memory panel of DevTools opens the .heapsnapshot file. It contains all text in the page's memory, \
        including secrets, so agents cannot take one. The page is paused meanwhile.",
    untrusted: false,
    writes: Writes::File,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Devtools),
    everyday: Everyday::Depends(of_the_profiler),
    needs: Needs::Browser,
    phrases: &[
        phrase_when(When::Is("action", "usage"), Verb::Measure, "the page's heap"),
        phrase(Verb::Save, "the page's heap"),
    ],
    output: "JavaScript: USED of TOTAL MB, and what documents and buffers take; Heap snapshot saved: path",
    data: "{used: number, total: number, documents: number | null, buffers: number | null} | {path: string, bytes: number}",
    run: |context, arguments| Box::pin(heap(context, arguments)),
}];

fn of_the_profiler(arguments: &Arguments) -> Option<NotEveryday> {
    (arguments.text("action").as_deref() == Some("snapshot")).then_some(NotEveryday {
        why: "Chrome closes its HeapProfiler to extensions",
        instead: "`heap usage` works there. For a snapshot use the Memory panel of DevTools, or the browser of `gstack connect`.",
    })
}

async fn heap(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    match (arguments.required("action")?.as_str(), arguments.text("path")) {
        ("usage", None) => usage(context).await,
        ("usage", Some(extra)) => Err(wrong(format!("heap usage does not take {extra:?}")).hint(
            "Give a path: heap \
            snapshot PATH",
        )),
        ("snapshot", path) => snapshot(context, path.as_deref()).await,
        (other, _) => {
            Err(wrong(format!("heap does not know {other:?}")).hint("Use heap usage, or heap snapshot PATH."))
        }
    }
}

async fn usage(context: &Context) -> Result<Output, Fault> {
    let usage = context.page().await?.heap_usage().await?;
    let megabytes = |bytes: f64| format!("{:.1} MB", bytes / 1_000_000.0);
    let text = format!(
        "JavaScript: {} of {}\nDocuments: {}\nBuffers: {}",
        megabytes(usage.used_size),
        megabytes(usage.total_size),
        megabytes(usage.embedder_heap_used_size),
        megabytes(usage.backing_storage_size)
    );
    Ok(Output::text(text).data(json!({ "used": usage.used_size, "total": usage.total_size,
        "documents": usage.embedder_heap_used_size, "buffers": usage.backing_storage_size })))
}

async fn snapshot(context: &Context, typed: Option<&str>) -> Result<Output, Fault> {
    if context.for_model {
        return Err(Fault::new(
            FaultCode::Forbidden,
            "agents can't take a heap snapshot: it contains the page's secrets",
        )
        .hint("See its size with `heap usage`, or ask the person to take it."));
    }
    let path = named_or_unnamed(context, typed, "heap", "heapsnapshot")?;
    let page = context.page().await?;
    let mut file = PartialFile::create(&path)?;
    let mut parts = page.heap_snapshot().await?;
    let mut texts = Texts::default();
    while let Some(part) = parts.next().await? {
        file.write(texts.add(&part).as_bytes()).await?;
    }
    file.write(texts.end().as_bytes()).await?;
    let bytes = file.size();
    file.finish().await?;
    let shown = path.display().to_string();
    let mut output =
        Output::text(format!("Heap snapshot saved: {shown}")).data(json!({ "path": shown, "bytes": bytes }));
    output.files.push(path);
    Ok(output)
}

/// The end of a snapshot is the list of its texts, on one line (Chromium 156). Only these lose the secrets that gstack
/// filled in: the numbers before them are places in the file.
#[derive(Default)]
struct Texts {
    begun: bool,
    /// A line of numbers, or a text, that is not complete yet.
    rest: String,
}

const TEXTS: &str = "\"strings\":[";
/// V8 cuts longer texts, without a sign (`heap_snapshot_string_limit`).
const LONGEST_TEXT: usize = 1024;

impl Texts {
    /// Returns what is complete.
    fn add(&mut self, part: &str) -> String {
        self.rest.push_str(part);
        let list = if self.begun { Some(0) } else { self.rest.find(TEXTS).map(|at| at + TEXTS.len()) };
        self.begun = list.is_some();
        let Some(list) = list else {
            let complete = self.rest.rfind('\n').map_or(0, |at| at + 1);
            return self.rest.drain(..complete).collect();
        };
        let numbers: String = self.rest.drain(..list).collect();
        let complete = ends_of_texts(&self.rest).last().copied().unwrap_or_default();
        let texts: String = self.rest.drain(..complete).collect();
        numbers + &without_secrets(&texts)
    }

    fn end(&mut self) -> String {
        let rest = std::mem::take(&mut self.rest);
        if self.begun { without_secrets(&rest) } else { rest }
    }
}

/// Returns the places after the quotes that end texts.
fn ends_of_texts(texts: &str) -> Vec<usize> {
    let (mut inside, mut escaped, mut ends) = (false, false, Vec::new());
    for (at, byte) in texts.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = inside,
            b'"' => {
                inside = !inside;
                if !inside {
                    ends.push(at + 1);
                }
            }
            _ => {}
        }
    }
    ends
}

fn without_secrets(texts: &str) -> String {
    let (mut clean, mut done) = (String::with_capacity(texts.len()), 0);
    for end in ends_of_texts(texts) {
        let text = &texts[done..end];
        done = end;
        match text.strip_suffix('"').filter(|cut| cut.len() > LONGEST_TEXT) {
            // What is left of a secret is found before an ellipsis.
            Some(cut) => {
                let marked = format!("{cut}…");
                let text = filled_secrets::without(&marked);
                clean.push_str(text.strip_suffix('…').unwrap_or(&text));
                clean.push('"');
            }
            None => clean.push_str(text),
        }
    }
    clean.push_str(&texts[done..]);
    filled_secrets::without(&clean).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_TEXT, Texts};
    use gstack_base::filled_secrets;

    #[test]
    fn texts_lose_secrets_wherever_the_parts_end_and_numbers_stay() {
        filled_secrets::remember("kept918273\"x", None);
        filled_secrets::remember("918274", None);
        let whole = "{\"nodes\":[918274,1\n,918274],\n\"strings\":[\"a\\\\\",\"is kept918273\\\"x\",\"918274\"]}";
        for length in [1, 7, 20, whole.len()] {
            let mut texts = Texts::default();
            let letters: Vec<char> = whole.chars().collect();
            let mut clean: String =
                letters.chunks(length).map(|part| texts.add(&part.iter().collect::<String>())).collect();
            clean += &texts.end();
            let wanted = "{\"nodes\":[918274,1\n,918274],\n\"strings\":[\"a\\\\\",\"is [redacted]\",\"[redacted]\"]}";
            assert_eq!(clean, wanted, "parts of {length}");
        }
        let mut texts = Texts { begun: true, rest: String::new() };
        let cut = format!("\"{}kept9182\",\"kept9182\",\"left", "x".repeat(LONGEST_TEXT - 8));
        let clean = texts.add(&cut);
        assert!(clean.ends_with("xx[redacted]\",\"kept9182\""), "{clean}");
        assert_eq!(texts.end(), ",\"left");
    }
}
