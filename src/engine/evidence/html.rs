//! An evidence file as HTML: one file without scripts, that loads nothing and runs nothing.
//!
//! Owns the markup. Every text goes through `text`, which redacts and escapes it; pictures are inlined. The page's
//! policy allows its one style by hash and pictures in the file, and nothing else.

use super::report::{Item, Report, ReportedAct};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gstack_base::clock::iso;
use gstack_base::html::escape;
use gstack_base::visible::visible;
use gstack_chat::evidence::TracedRequest;
use gstack_command::shared_text;
use gstack_protocol::VERSION;
use sha2::{Digest, Sha256};
use std::fmt::Write;

const STYLE: &str = ":root{color-scheme:light dark;--line:#d0d0d4;--dim:#60606a;--back:#fff;--box:#f5f5f7;--text:#1c1c20}\
@media (prefers-color-scheme:dark){:root{--line:#3a3a42;--dim:#a4a4ae;--back:#17171a;--box:#222227;--text:#ececf0}}\
body{font:15px/1.5 system-ui,sans-serif;max-width:960px;margin:2rem auto;padding:0 1rem;background:var(--back);\
color:var(--text);overflow-wrap:anywhere}h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}h3{font-size:1rem;margin:0}\
.words{white-space:pre-wrap}.dim{color:var(--dim)}ol{list-style:none;padding:0}li{border:1px solid var(--line);\
border-radius:8px;padding:.8rem 1rem;margin:.8rem 0}li.act{background:var(--box)}dl{display:grid;\
grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:.5rem 0}dt{color:var(--dim)}dd{margin:0}\
code{font:13px/1.5 ui-monospace,monospace;white-space:pre-wrap}table{border-collapse:collapse;width:100%;font-size:13px}\
th,td{text-align:start;vertical-align:top;padding:.2rem .6rem .2rem 0;border-top:1px solid var(--line)}\
figure{margin:.6rem 0}img{max-width:100%;border:1px solid var(--line);border-radius:4px}";

/// Returns the whole file.
pub(super) fn page(report: &Report) -> String {
    let mut out = String::new();
    let hash = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    let policy =
        format!("default-src 'none'; style-src 'sha256-{hash}'; img-src data:; base-uri 'none'; form-action 'none'");
    let title = if report.title.is_empty() { "A turn" } else { &report.title };
    put(&mut out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    put(&mut out, &format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">"));
    put(
        &mut out,
        "<meta name=\"viewport\" content=\"width=device-width\"><meta name=\"referrer\" content=\"no-referrer\">",
    );
    put(&mut out, &format!("<title>Evidence: {}</title><style>{STYLE}</style></head><body>\n", text(title)));
    put(&mut out, &format!("<h1>{}</h1>\n<dl>", text(title)));
    row(&mut out, "Turn", &text(&report.turn_id));
    let model = report.model.as_ref().map(|model| format!(", {model}")).unwrap_or_default();
    row(&mut out, "Agent", &text(&format!("{}{model}", report.agent)));
    row(&mut out, "Started", &time(report.started_at));
    row(&mut out, "Took", &seconds(report.took));
    let fault = report.fault.as_ref().map(|fault| format!(": {fault}")).unwrap_or_default();
    row(&mut out, "Outcome", &text(&format!("{}{fault}", report.outcome)));
    put(&mut out, "</dl>\n<h2>Message</h2>\n");
    put(&mut out, &format!("<p class=\"words\">{}</p>\n", text(&report.message)));
    if let Some(shown) = report.page.as_ref().filter(|page| !page.url.is_empty()) {
        let words = format!("Sent from {} ({})", text(&shown.title), code(&shown.url));
        put(&mut out, &format!("<p class=\"dim\">{words}</p>\n"));
    }
    for name in &report.attachments {
        put(&mut out, &format!("<p class=\"dim\">With the file {}</p>\n", text(name)));
    }
    put(&mut out, "<h2>What the agent said and did</h2>\n<ol>\n");
    let mut number = 0;
    for item in &report.items {
        match item {
            Item::Said(words) if words.trim().is_empty() => {}
            Item::Said(words) => put(&mut out, &format!("<li class=\"words\">{}</li>\n", text(words.trim()))),
            Item::Notice(words) => put(&mut out, &format!("<li class=\"words dim\">{}</li>\n", text(words))),
            Item::Asked { question, answer } => {
                let words = format!("Asked you: {}\n\nYour answer: {}", text(question), text(answer));
                put(&mut out, &format!("<li class=\"words\">{words}</li>\n"));
            }
            Item::Act(act) => {
                number += 1;
                put_act(&mut out, number, act, report.started_at);
            }
        }
    }
    put(&mut out, "</ol>\n<h2>About this file</h2>\n");
    for note in notes(report, number) {
        put(&mut out, &format!("<p class=\"dim\">{}</p>\n", escape(&note)));
    }
    put(&mut out, "</body></html>\n");
    out
}

fn put_act(out: &mut String, number: usize, act: &ReportedAct, started_at: u64) {
    put(out, &format!("<li class=\"act\"><h3>{number}. {}</h3>\n<dl>", text(act.words.trim())));
    row(out, "Call", &code(&act.call));
    let after = seconds(act.at.saturating_sub(started_at));
    row(out, "Time", &format!("{} ({after} after the start), took {}", time(act.at), seconds(act.took)));
    for (url, title) in &act.pages {
        row(out, "Page", &format!("{}<br>{}", text(title), code(url)));
    }
    for decision in &act.decisions {
        row(out, "Decision", &text(decision));
    }
    let result = if act.result.is_empty() { String::new() } else { format!(": {}", text(&act.result)) };
    row(out, "Outcome", &format!("{}{result}", text(act.outcome)));
    put(out, "</dl>\n");
    if let Some(requests) = &act.requests {
        put_requests(out, act, requests);
    }
    for picture in &act.pictures {
        let shown = picture.bytes.as_ref().and_then(|bytes| Some((mime_of(bytes)?, STANDARD.encode(bytes))));
        match shown {
            Some((mime, data)) => put(
                out,
                &format!(
                    "<figure><figcaption class=\"dim\">{caption}</figcaption><img alt=\"{caption}\" \
                     src=\"data:{mime};base64,{data}\"></figure>\n",
                    caption = picture.caption
                ),
            ),
            None => put(out, &format!("<p class=\"dim\">{}: this picture is missing.</p>\n", picture.caption)),
        }
    }
    put(out, "</li>\n");
}

fn put_requests(out: &mut String, act: &ReportedAct, requests: &[TracedRequest]) {
    if requests.is_empty() {
        put(out, "<p class=\"dim\">Its tab sent no requests while it ran.</p>\n");
        return;
    }
    put(out, "<table><thead><tr><th>Requests from its tab while it ran<th>Status</thead><tbody>\n");
    for request in requests {
        let status = match (&request.failed, request.status) {
            (Some(reason), _) => reason.clone(),
            (None, Some(status)) => status.to_string(),
            (None, None) => "pending when it ended".to_owned(),
        };
        let line = code(&format!("{} {}", request.method, request.url));
        put(out, &format!("<tr><td>{line}<td>{}\n", text(&status)));
    }
    put(out, "</tbody></table>\n");
    if act.more_requests > 0 {
        put(out, &format!("<p class=\"dim\">{} further requests are not listed.</p>\n", act.more_requests));
    }
}

/// Writes the note about what the file omits.
fn notes(report: &Report, acts: usize) -> Vec<String> {
    let mut notes = vec![
        format!("Written by gstack {VERSION}. The file loads nothing and runs nothing. Times are in UTC."),
        "Passwords, keys, cookies and secrets in addresses are replaced by [redacted] or by their length. That is a \
         precaution: read the file before you pass it on, and look at its pictures, which are not redacted."
            .to_owned(),
    ];
    if acts > 0 && !report.has_pictures_of_acts {
        notes.push(
            "No pictures were taken before and after the actions: only those that the agent took itself are shown. To take \
             them in later turns: gstack settings set evidence.pictures true"
                .to_owned(),
        );
    }
    if report.missing_pictures > 0 {
        notes.push(format!(
            "{} pictures are left out, because they are no longer kept or do not fit.",
            report.missing_pictures
        ));
    }
    if report.dropped_notes > 0 {
        notes.push(format!(
            "The notes of {} actions in this turn were dropped to make room for newer ones, so their pages and requests \
             are missing.",
            report.dropped_notes
        ));
    }
    notes.push(
        "A request is listed with an action if its tab sent it while the action ran. The page may have sent it on its own."
            .to_owned(),
    );
    notes
}

/// Returns the media type of a picture by its first bytes. Anything else is not shown.
fn mime_of(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// Returns any text as HTML that shows just that text, without its secrets.
fn text(any: &str) -> String {
    escape(&visible(&shared_text::redacted(any)))
}

fn code(any: &str) -> String {
    format!("<code>{}</code>", text(any))
}

fn row(out: &mut String, name: &str, html: &str) {
    put(out, &format!("<dt>{name}</dt><dd>{html}</dd>\n"));
}

fn time(at: u64) -> String {
    format!("<time>{}</time>", escape(&iso(at)))
}

fn seconds(millis: u64) -> String {
    format!("{}.{:03} s", millis / 1000, millis % 1000)
}

fn put(out: &mut String, html: &str) {
    // Writing to a String does not fail.
    out.write_str(html).ok();
}
