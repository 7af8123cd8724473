//! The `snapshot` command.

use super::snapshot_changes::{changes, worth_it};
use crate::core::output_files::unnamed;
use crate::core::{Arguments, Context, Output};
use crate::privacy::path_guard;
use crate::spec::{
    Category, Class, Everyday, Flag, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, Writes, flag, phrase,
    switch,
};
use crate::visual::format_of;
use gstack_browser::page::{ImageFormat, Page, PrintedSnapshot, SEARCHED, Snapshot, SnapshotOptions, Target};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;
use std::path::{Path, PathBuf};

const CURSOR_TITLE: &str = "── cursor-interactive (not in ARIA tree) ──";
/// How to find a row of a long list.
const FIND_ROW: &str = "-s 'tr:has-text(\"words\")' is the row with these words";
const DIFF_TITLE: &str = "── changes since the snapshot before (- gone, + new) ──";
const NO_BASELINE: &str = "(no previous snapshot to diff against — this snapshot stored as baseline)";

/// The reader of looks (`--look`) in a terminal, which has none.
pub(super) const LOOKS: &str = "--look";

pub(crate) const COMMANDS: &[Spec; 1] = &[Spec {
    name: "snapshot",
    aliases: &["snap"],
    category: Category::Snapshot,
    class: Class::Read,
    parameters: &[],
    flags: &[
        Flag {
            name: "-i",
            alias: "--interactive",
            value: None,
            holds: ValueType::Extent,
            help: "Only interactive elements, including clickable ones outside the ARIA tree (@c1)",
        },
        Flag {
            name: "-c",
            alias: "--compact",
            value: None,
            holds: ValueType::Choice,
            help: "Leave out unnamed structure",
        },
        Flag {
            name: "-d",
            alias: "--depth",
            value: Some("N"),
            holds: ValueType::Extent,
            help: "At most N levels deep",
        },
        Flag {
            name: "-s",
            alias: "--selector",
            value: Some("sel"),
            holds: ValueType::Element,
            help: "Only this element",
        },
        Flag {
            name: "-o",
            alias: "--output",
            value: Some("path"),
            holds: ValueType::OutputPath,
            help: "Also write it to this file; with -a and an image file: the screenshot",
        },
        Flag {
            name: "-a",
            alias: "--annotate",
            value: None,
            holds: ValueType::Choice,
            help: "Also take a screenshot with the refs drawn in it",
        },
        flag(
            "--search",
            "WORDS",
            ValueType::Choice,
            "Only lines that contain all of these words, with their ancestors",
        ),
        switch("--boxes", ValueType::Choice, "With --json, include the position of each element: x, y, width, height"),
        Flag {
            name: "-D",
            alias: "--diff",
            value: None,
            holds: ValueType::Choice,
            help: "Only what changed since the tab's last snapshot",
        },
        flag("--since", "NUMBER", ValueType::Extent, "Only what changed since that snapshot"),
        switch("--full", ValueType::Choice, "The whole page, even if little changed"),
        Flag {
            name: "-C",
            alias: "--cursor",
            value: None,
            holds: ValueType::Choice,
            help: "Include clickable elements outside the ARIA tree (@c1)",
        },
    ],
    summary: "Print the page as an accessibility tree with refs to act on",
    details: "One line per node: @e1 [role] \"name\" [props]: text. Every command that takes a selector also accepts \
        a ref (@e1).\nFrames are part of the tree. An element keeps its ref while its document lives.\nA long page is \
        cut and says how many lines are missing: -s 'tr:has-text(\"words\")' (or li, article …) finds one row, -c \
        gives each row of a table one line.\nAn agent that reads a long page again gets only what changed since its last \
        snapshot, unless it asks for --full.",
    untrusted: true,
    writes: Writes::Nothing,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Core,
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[phrase(Verb::LookAt, "the page")],
    output: "the tree",
    data: "{url: string, refs: number, more: number, snapshot?: number, since?: number, nodes?: [{ref: string, role: string, name: string, site?: string, box?: {x: number, y: number, width: number, height: number}}]}",
    run: |context, arguments| Box::pin(snapshot(context, arguments)),
}];

async fn snapshot(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let depth = arguments.value("-d").map(|text| arguments.number("-d", text)).transpose()?;
    let options = SnapshotOptions {
        interactive: arguments.has("-i"),
        compact: arguments.has("-c"),
        depth,
        scope: arguments.value("-s").map(Target::parse),
        // Clickable elements count as interactive even without an ARIA role.
        cursor: arguments.has("-C") || arguments.has("-i"),
        marks: context.for_model,
        limit: arguments.has("--search").then_some(SEARCHED),
    };
    let path = arguments.value("-o").map(|typed| path_guard::output_path(context, typed)).transpose()?;
    let page = context.page().await?;
    // What is compared is never cut: what lies beyond the limit may have changed too.
    let (mut snapshot, whole) = match arguments.has("--search") {
        true => (page.snapshot(&options).await?, None),
        false => page.snapshot_and_whole(&options).await.map(|(cut, whole)| (cut, Some(whole)))?,
    };
    if let Some(words) = arguments.value("--search") {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let (text, found) = snapshot.search(&words, false);
        if found == 0 {
            return Ok(Output::text("(nothing found)").data(json!({ "url": page.url()?, "refs": 0, "more": 0 })));
        }
        snapshot = Snapshot { text, cursor: String::new(), more: snapshot.more };
    }
    let url = page.url()?;
    let frame = page.chosen_frame();
    let head = frame.map(|frame| format!("[Context: iframe src=\"{}\"]\n", frame.url)).unwrap_or_default();
    let compared = printed(whole.as_ref().unwrap_or(&snapshot));
    let before = page.exchange_snapshot(document_of(&url), &compared);
    let picture = match arguments.has("-a") {
        true => Some(annotate(context, &page, &snapshot, path.as_deref()).await?),
        false => None,
    };
    let is_new = arguments.has("-D") && before.is_none();
    let whole = printed(&snapshot);
    let change = if arguments.has("-D") {
        None
    } else {
        change(context, &page, &arguments, &options, (&compared, whole.len()))?
    };
    let mut text = match (before, &change) {
        _ if is_new => NO_BASELINE.to_owned(),
        (Some((of, _)), _) if arguments.has("-D") && of != document_of(&url) => {
            format!("{head}── another page than before: {of} ──\n{whole}")
        }
        (Some((_, before)), _) if arguments.has("-D") => match changes(&before, &compared) {
            lines if lines.is_empty() => format!("{head}(nothing changed since the snapshot before)\n"),
            lines => format!("{head}{DIFF_TITLE}\n{lines}\n"),
        },
        (_, Some(Change { since, lines })) if lines.is_empty() => {
            format!("{head}(nothing changed since snapshot {since})\n")
        }
        (_, Some(Change { since, lines })) => {
            format!("{head}── changes since snapshot {since} (- gone, + new) ──\n{lines}\n")
        }
        _ => format!("{head}{whole}"),
    };
    let number = (!arguments.has("--search"))
        .then(|| page.keep_snapshot(context.reader.clone(), comparable(&options, &url), compared));
    if let Some(picture) = &picture {
        text = format!("{}\n[annotated screenshot: {}]\n", text.trim_end(), picture.display());
    }
    let mut output = if is_new { Output::text(text) } else { Output::from_page(text, url.clone()) };
    let refs = snapshot.text.matches("@e").count() + snapshot.cursor.matches("@c").count();
    let nodes = match arguments.has("--search") {
        true => page.listed_nodes(false).await?.into_iter().filter(|node| snapshot.has_ref(&node.name)).collect(),
        false => page.listed_nodes(arguments.has("--boxes")).await?,
    };
    let mut data = json!({ "url": url, "refs": refs, "more": snapshot.more, "nodes": nodes });
    if let Some(number) = number {
        data["snapshot"] = json!(number);
    }
    if let Some(Change { since, .. }) = change {
        data["since"] = json!(since);
        output.say(arguments.value("--since").is_none().then(|| "The rest is unchanged; `full` prints it.".to_owned()));
    }
    output = output.data(data);
    if snapshot.text.is_empty() && snapshot.cursor.is_empty() && options.scope.is_none() {
        output.say(Some(page.why_empty().await?));
    }
    if let Some(path) = path.filter(|path| picture.as_ref() != Some(path)) {
        let written = path_guard::write(path, output.text.clone().into_bytes()).await?;
        // `-o` with a picture's extension takes a picture only with -a.
        let hint = if format_of(&written.to_string_lossy()).is_some() { " as text: -a takes a picture" } else { "" };
        output.say(Some(format!("Snapshot saved: {}{hint}", written.display())));
        output.files.push(written);
    }
    output.files.extend(picture);
    Ok(output)
}

/// The changes that are printed in place of the page.
struct Change {
    since: u64,
    lines: String,
}

/// Returns the changes since the snapshot that was named, or, for a model, since its last one if that saves much.
fn change(
    context: &Context,
    page: &Page,
    arguments: &Arguments,
    options: &SnapshotOptions,
    (now, printed): (&str, usize),
) -> Result<Option<Change>, Fault> {
    if let Some(typed) = arguments.value("--since") {
        let number = arguments.number("--since", typed)?;
        let PrintedSnapshot { text, .. } = page.kept_snapshot(number, context.reader.as_deref()).ok_or_else(|| {
            Fault::new(FaultCode::NotFound, format!("snapshot {number} of this tab is not kept"))
                .hint("Only the newest snapshots are kept. Take one without --since; --json includes its number.")
        })?;
        return Ok(Some(Change { since: number, lines: changes(&text, now) }));
    }
    let compares = |reader: &&str| context.for_model || *reader == LOOKS;
    let Some(reader) = context.reader.as_deref().filter(compares) else { return Ok(None) };
    if ["--full", "-a", "-o", "--search"].into_iter().any(|flag| arguments.has(flag)) {
        return Ok(None);
    }
    let last = page.last_read(reader, &comparable(options, &page.url()?));
    Ok(last.and_then(|last| Some(Change { since: last.number, lines: worth_it(&last.text, now, printed)? })))
}

/// Returns an address without its fragment.
fn document_of(url: &str) -> &str {
    url.split('#').next().unwrap_or(url)
}

/// Returns what two snapshots must share so that one can be told by what changed since the other.
fn comparable(options: &SnapshotOptions, url: &str) -> String {
    format!("{options:?} {url}")
}

/// Saves the annotated screenshot to the named file if its extension is a picture's, otherwise to the temp folder.
async fn annotate(context: &Context, page: &Page, snapshot: &Snapshot, named: Option<&Path>) -> Result<PathBuf, Fault> {
    let named = named.and_then(|path| Some((path.to_owned(), format_of(path.to_str()?)?)));
    let (path, format) = named.unwrap_or_else(|| (unnamed(context, "snapshot", "png"), ImageFormat::Png));
    let capture = page.annotated(snapshot, format).await?;
    path_guard::write(path, capture.bytes).await
}

fn printed(snapshot: &Snapshot) -> String {
    let mut text =
        if snapshot.text.is_empty() { "(no interactive elements found)\n".to_owned() } else { snapshot.text.clone() };
    if !snapshot.cursor.is_empty() {
        text.push_str(&format!("\n{CURSOR_TITLE}\n{}", snapshot.cursor));
    }
    if snapshot.more > 0 {
        text.push_str(&format!("… {} more, narrow with -s or -d ({FIND_ROW})\n", snapshot.more));
    }
    text
}
