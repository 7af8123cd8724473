//! The `find` and `count` commands.
//!
//! Owns their output text. The snapshot decides which nodes become lines.

use super::look::READ;
use crate::core::{Arguments, Context, Output};
use crate::spec::{Category, Kind, Offered, Spec, ValueType, Verb, flag, parameter, phrase, selector};
use gstack_base::counted::counted;
use gstack_browser::page::{Page, SEARCHED, Snapshot, SnapshotOptions};
use gstack_protocol::fault::Fault;
use serde_json::json;

/// For more results, `snapshot` is the better command.
const MOST_FOUND: usize = 30;

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "find",
        parameters: &[parameter(
            "words",
            true,
            Kind::Rest,
            ValueType::Choice,
            "Words of the line in the tree: button basket",
        )],
        flags: &[flag("--limit", "N", ValueType::Choice, "Maximum number of elements (default: 30)")],
        summary: "Find elements by their role, name and text",
        details: "Prints one line, with its ref, for each element that has all of these words. snapshot --search also \
            shows their ancestors. PDFs: lines without refs.",
        offered: Offered::Core,
        phrases: &[phrase(Verb::Find, "{words}")],
        output: "@e3 [role] \"name\", one line each, or: (nothing found)",
        data: "{found: number, lines: string[]}",
        run: |context, arguments| Box::pin(async move { find(context, &arguments).await }),
        ..READ
    },
    Spec {
        name: "count",
        category: Category::Inspection,
        parameters: &[selector(true, ValueType::Element, "A selector")],
        summary: "Count the elements that match",
        untrusted: false,
        phrases: &[phrase(Verb::Count, "{sel}")],
        output: "N",
        data: "number",
        run: |context, arguments| Box::pin(async move { count(context, &arguments).await }),
        ..READ
    },
];

async fn find(context: &Context, arguments: &Arguments) -> Result<Output, Fault> {
    let most = arguments.value("--limit").map_or(Ok(MOST_FOUND), |text| arguments.number("--limit", text))?;
    let words: Vec<String> = arguments.required("words")?.split_whitespace().map(str::to_owned).collect();
    let page = context.page().await?;
    let (text, found) = search(context, &page, &words).await?;
    let shown: Vec<&str> = text.lines().take(most).collect();
    let mut output = Output::from_page(shown.join("\n"), page.url()?).data(json!({ "found": found, "lines": shown }));
    if found == 0 {
        let mut output = Output::text("(nothing found)").data(json!({ "found": 0, "lines": [] }));
        let pdfs = page.embedded_pdfs().await?;
        output.say((pdfs > 0).then(|| {
            format!("… not searched: {} in frames. `text` with a frame's ref prints its words", counted(pdfs, "PDF"))
        }));
        return Ok(output);
    }
    if found > shown.len() {
        output.say(Some(format!("… {} more: give more words", found - shown.len())));
    }
    Ok(output)
}

async fn search(context: &Context, page: &Page, words: &[String]) -> Result<(String, usize), Fault> {
    let options =
        SnapshotOptions { cursor: true, marks: context.for_model, limit: Some(SEARCHED), ..SnapshotOptions::default() };
    let found = page.snapshot(&options).await?.search(words, true);
    if found.1 == 0 && page.shows_pdf().await? {
        return in_pdf(context, page, words).await;
    }
    Ok(found)
}

/// Returns the lines of a PDF that have all of the words, and their number. They have no refs.
async fn in_pdf(context: &Context, page: &Page, words: &[String]) -> Result<(String, usize), Fault> {
    let text = if context.for_model { page.text_with_marks(None).await? } else { page.text(None).await? };
    Ok(Snapshot::of_text(&text).search(words, true))
}

async fn count(context: &Context, arguments: &Arguments) -> Result<Output, Fault> {
    let target = arguments.required_target("sel")?;
    let count = context.page().await?.count(&target).await?;
    Ok(Output::text(count.to_string()).data(json!(count)))
}
