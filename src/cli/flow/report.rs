//! `gstack flow run --report FOLDER`: a finished run as an HTML page with the pictures that it took.
//!
//! Owns the markup, which has no scripts and loads only its pictures. Every text of a flow or a page is escaped.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gstack_base::clock::iso;
use gstack_base::counted::counted;
use gstack_base::html::escape;
use gstack_base::visible::visible;
use gstack_base::whole_file::WholeFile;
use gstack_flows::{Outcome, Report, StepReport};
use gstack_protocol::fault::{Fault, FaultCode};
use sha2::{Digest, Sha256};
use std::io::{self, Write as _};
use std::path::Path;

const STYLE: &str = ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:1200px;\
margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}h1{font-size:1.4rem}ol{list-style:none;padding:0}\
li{border:1px solid #8886;border-radius:8px;padding:.8rem 1rem;margin:.8rem 0}h2{font-size:1rem;margin:0}\
.pictures{display:flex;gap:1rem}figure{margin:.6rem 0;flex:1;min-width:0}img{max-width:100%;border:1px solid #8886}\
p{margin:.3rem 0}.dim{opacity:.7}";

/// Creates the folder of a report, which must not exist yet.
pub(super) fn create(folder: &Path) -> Result<(), Fault> {
    std::fs::create_dir(folder).map_err(|error| {
        let hint = match error.kind() {
            io::ErrorKind::AlreadyExists => "Name another folder, or remove that one.",
            _ => "Name a new folder in one that you can write.",
        };
        Fault::new(FaultCode::Storage, format!("{} can't be created: {error}", folder.display())).hint(hint)
    })
}

/// Writes `report.html` and `report.json` beside the pictures.
pub(super) fn write(folder: &Path, report: &Report) -> Result<(), Fault> {
    let json = serde_json::to_string_pretty(report)
        .map_err(|error| Fault::new(FaultCode::Internal, format!("the report can't be written: {error}")))?;
    for (name, text) in [("report.html", page(report)), ("report.json", json)] {
        let path = folder.join(name);
        let failed = |error: io::Error| {
            Fault::new(FaultCode::Storage, format!("{} can't be written: {error}", path.display()))
                .hint("The flow was run. Do not run it again for its report.")
        };
        let new = WholeFile::create(&path).map_err(failed)?;
        new.file().write_all(text.as_bytes()).map_err(failed)?;
        new.finish_new().map_err(failed)?;
    }
    Ok(())
}

fn page(report: &Report) -> String {
    let hash = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    let policy = format!("default-src 'none'; style-src 'sha256-{hash}'; img-src 'self' file:; base-uri 'none'");
    let name = text(&report.flow);
    let steps: String = report.steps.iter().map(step).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\"><title>Flow: {name}</title>\
         <style>{STYLE}</style></head><body>\n<h1>{name}</h1>\n<p>{} of {}: {} in {} ms</p>\n\
         <p class=\"dim\">{}, run {} on <time>{}</time>. The pictures show the page as it was, with what was typed.</p>\n\
         <ol>\n{steps}</ol>\n</body></html>\n",
        report.steps.iter().filter(|step| step.outcome == Outcome::Done).count(),
        counted(report.of, "step"),
        outcome(report.outcome),
        report.millis,
        text(&report.file.display().to_string()),
        text(&report.run),
        escape(&iso(report.started_at)),
    )
}

fn step(step: &StepReport) -> String {
    let element = step.element.as_ref().map(|found| {
        let beside = if found.beside.is_empty() { String::new() } else { format!(" beside “{}”", found.beside) };
        format!("Used {} “{}”{beside}, fits {:.2}", found.role, found.name, found.score)
    });
    let candidates =
        step.candidates.iter().map(|one| format!("Could be {} “{}”, fits {:.2}", one.role, one.name, one.score));
    let lines = element.into_iter().chain(step.message.clone()).chain(candidates).chain(step.hint.clone());
    let lines: String = lines.map(|line| format!("<p class=\"dim\">{}</p>\n", text(&line))).collect();
    let pictures = [("before", &step.before), ("after", &step.after)].into_iter().filter_map(|(when, file)| {
        let file = text(file.as_ref()?);
        Some(format!(
            "<figure><figcaption class=\"dim\">{when}</figcaption><img alt=\"{when}\" src=\"{file}\"></figure>"
        ))
    });
    let pictures: String = pictures.collect();
    let told = text(&step.told);
    let state = outcome(step.outcome);
    format!(
        "<li><h2>{}. {told}</h2>\n<p>{state}, {} ms</p>\n{lines}<div class=\"pictures\">{pictures}</div></li>\n",
        step.step, step.millis
    )
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Failed => "failed: nothing was done in the last step",
        Outcome::Unmet => "done, but what it waits for did not come",
        Outcome::Unknown => "not known whether it was done",
    }
}

/// Escapes a text, and shows what would not be seen.
fn text(any: &str) -> String {
    escape(&visible(any))
}
