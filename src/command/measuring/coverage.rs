//! The `coverage` command.
//!
//! Owns the spec and the table with its size limit. The page content in it is limited to addresses without secrets.

use crate::core::{Arguments, Context, Output, RecordingKind, wrong};
use crate::privacy::redaction;
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, NotEveryday, Offered, Spec, TabUse, ValueType, Verb,
    When, Writes, parameter, phrase, phrase_when,
};
use gstack_browser::page::CodeUse;
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::{Value, json};

/// Further files only count towards the total.
const MOST_LINES: usize = 40;

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "coverage",
    aliases: &[],
    category: Category::Inspection,
    class: Class::Read,
    parameters: &[
        parameter("what", true, Kind::Text, ValueType::Choice, "js or css"),
        parameter("action", true, Kind::Text, ValueType::Choice, "start, or stop, which prints the table"),
    ],
    flags: &[],
    summary: "Show how much of the page's scripts or style sheets is used",
    details: "Reload after start to count what runs while the page loads. Counts characters, as DevTools does, of the page and its \
        frames of the same site; css of the document that is there at stop. Prints the 40 files with the most unused code.",
    untrusted: true,
    writes: Writes::Browser,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Devtools),
    everyday: Everyday::Depends(of_scripts),
    needs: Needs::Browser,
    phrases: &[
        phrase_when(When::Is("action", "start"), Verb::Record, "which code is used"),
        phrase(Verb::Read, "which code is used"),
    ],
    output: "Recording which js is used; then UNUSED unused of ALL (N%)  URL, one line per file, and the sum",
    data: "{recording: string} | {files: [{url: string, used: number, unused: number, total: number}], leftOut?: number, used?: number, unused?: number, total?: number}",
    run: |context, arguments| Box::pin(coverage(context, arguments)),
}];

fn of_scripts(arguments: &Arguments) -> Option<NotEveryday> {
    (arguments.text("what").as_deref() == Some("js")).then_some(NotEveryday {
        why: "Chrome closes its Profiler to extensions",
        instead: "`coverage css` works there. For scripts use the browser of `gstack connect`.",
    })
}

async fn coverage(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let what = arguments.required("what")?;
    let of_scripts = match what.as_str() {
        "js" => true,
        "css" => false,
        other => {
            return Err(wrong(format!("coverage does not know {other:?}")).hint(
                "Use coverage js or coverage \
            css.",
            ));
        }
    };
    let action = arguments.required("action")?;
    if action != "start" && action != "stop" {
        return Err(wrong(format!("coverage does not know {action:?}")).hint(format!("coverage {what} start, or stop")));
    }
    let kind = if of_scripts { RecordingKind::ScriptCoverage } else { RecordingKind::StyleCoverage };
    let page = context.page().await?;
    if action == "start" {
        let begun = match of_scripts {
            true => page.start_script_coverage().await?,
            false => page.start_style_coverage().await?,
        };
        if !begun {
            return Err(Fault::new(FaultCode::Conflict, format!("{what} coverage is already being recorded"))
                .hint(format!("See it: gstack coverage {what} stop"))
                .command(format!("gstack coverage {what} stop")));
        }
        context.recording_log.began(kind, page.id(), context.for_model);
        return Ok(Output::text(format!("Recording which {what} is used")).data(json!({ "recording": what })));
    }
    let found = match of_scripts {
        true => page.stop_script_coverage().await?,
        false => page.stop_style_coverage().await?,
    };
    let files = found.ok_or_else(|| {
        let none = Fault::new(FaultCode::NotFound, format!("{what} coverage is not being recorded"))
            .hint(format!("Start it with: gstack coverage {what} start"));
        context.recording_log.lost_or(kind, Some(page.id()), context.for_model, none)
    })?;
    context.recording_log.ended(kind, page.id());
    if files.is_empty() {
        return Ok(Output::text(format!("(no {what} with an address)")).data(json!({ "files": [] })));
    }
    let mut output = Output::from_page(table(&files), page.url()?);
    let left_out = files.len().saturating_sub(MOST_LINES);
    output.say((left_out > 0).then(|| format!("… {left_out} more files with less unused code")));
    let (used, total) = sum(&files);
    let shown: Vec<Value> = files.iter().take(MOST_LINES).map(fields).collect();
    output.say(Some(format!("In all: {}", share(used, total))));
    Ok(output
        .data(json!({ "files": shown, "leftOut": left_out, "used": used, "unused": total - used, "total": total })))
}

fn sum(files: &[CodeUse]) -> (u64, u64) {
    files.iter().fold((0, 0), |(used, total), file| (used + file.used, total + file.total))
}

fn fields(file: &CodeUse) -> Value {
    let CodeUse { url, used, total } = file;
    json!({ "url": redaction::text(url), "used": used, "unused": total - used, "total": total })
}

/// Formats `120 unused of 400 (30%)`.
fn share(used: u64, total: u64) -> String {
    let unused = total - used;
    format!("{unused} unused of {total} ({}%)", (unused * 100).checked_div(total).unwrap_or_default())
}

fn table(files: &[CodeUse]) -> String {
    let lines = files.iter().take(MOST_LINES);
    lines
        .map(|file| format!("{}  {}", share(file.used, file.total), redaction::text(&file.url)))
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::{CodeUse, MOST_LINES, table};

    #[test]
    fn the_table_is_bounded_and_its_addresses_have_no_secrets() {
        let file = |at: usize| CodeUse { url: format!("http://a/{at}.js?token=abc"), used: 1, total: 4 };
        let text = table(&(0..100).map(file).collect::<Vec<_>>());
        assert_eq!(text.lines().count(), MOST_LINES);
        assert_eq!(text.lines().next(), Some("3 unused of 4 (75%)  http://a/0.js?token=[redacted]"));
        assert_eq!(table(&[CodeUse::default()]), "0 unused of 0 (0%)  ");
    }
}
