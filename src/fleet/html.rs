//! `report.html`: the report for people, in one file without scripts.
//!
//! Owns its form. All text of items and pages is escaped, and the file's own policy lets nothing load or run.

use super::items::as_text;
use super::journal::{Finished, Outcome};
use super::report::Report;
use gstack_base::html::escape;
use gstack_base::visible::visible_line;
use std::fmt::Write;

const HEAD: &str = r#"<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><title>gstack run</title><style>
:root { color-scheme: light dark; --line: #8884; --bad: light-dark(#b3261e, #ff8a80); --good: light-dark(#1b6e2d, #81c995); }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid var(--line); }
td { overflow-wrap: anywhere; } pre { white-space: pre-wrap; margin: .4rem 0 0; } .ok { color: var(--good); } .bad { color: var(--bad); }
</style></head><body>
"#;

/// Returns the document.
pub(crate) fn document(report: &Report) -> String {
    let totals = &report.totals;
    let mut html = String::from(HEAD);
    write!(
        html,
        "<h1>{}</h1><p>{} of {} items ok, {} failed, {} timed out, {} lost, {} unknown, {} not run; sessions: {}, at most {} at once{}.</p>",
        text(&report.flow),
        totals.ok,
        totals.items,
        totals.failed,
        totals.timed_out,
        totals.lost,
        totals.unknown,
        totals.not_run,
        report.sessions,
        report.browsers,
        if report.interrupted { "; interrupted" } else { "" },
    )
    .ok();
    for why in report.failure.iter().chain(&report.left) {
        write!(html, "<p class=\"bad\">{}</p>", text(why)).ok();
    }
    html.push_str("<table><thead><tr><th>#<th>Item<th>Outcome<th>Seconds<th>Session</tr></thead><tbody>\n");
    for one in &report.items {
        row(&mut html, one);
    }
    html.push_str("</tbody></table></body></html>\n");
    html
}

fn row(html: &mut String, one: &Finished) {
    let class = if one.outcome == Outcome::Ok { "ok" } else { "bad" };
    write!(
        html,
        "<tr><td>{}<td>{}<td><span class=\"{class}\">{}</span>",
        one.index + 1,
        text(&as_text(&one.item)),
        one.outcome.word()
    )
    .ok();
    for lost in &one.lost {
        let node = lost.node.as_deref().map(|node| format!(" on {node}")).unwrap_or_default();
        let said = format!("lost session {}{node}: {}", lost.session, lost.reason);
        write!(html, "<p class=\"bad\">{}</p>", text(&said)).ok();
    }
    for (name, said) in [("reason", one.reason.as_deref()), ("output", Some(one.output.as_str()))] {
        if let Some(said) = said.filter(|said| !said.trim().is_empty()) {
            write!(html, "<details><summary>{name}</summary><pre>{}</pre></details>", text(said)).ok();
        }
    }
    let place = one.node.as_deref().map(|node| format!(" on {node}")).unwrap_or_default();
    let seconds = one.millis as f64 / 1000.0;
    writeln!(html, "<td>{seconds:.1}<td>{}</tr>", text(&format!("{}{place}", one.session))).ok();
}

/// Returns HTML that shows just this text. Characters that hide or turn text are written out.
fn text(any: &str) -> String {
    escape(&any.lines().map(visible_line).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::super::{journal, report};
    use super::*;
    use serde_json::Value;

    #[test]
    fn hostile_text_is_only_text() {
        let mut one = journal::sample(0, Outcome::Failed);
        let hostile = "</pre><script>alert(1)</script><img src=x onerror='x'>\u{202e}\u{1b}[2J";
        one.item = Value::from(hostile);
        one.output = hostile.to_owned();
        one.reason = Some(hostile.to_owned());
        one.session = hostile.to_owned();
        let html = document(&report::sample(vec![one]));
        assert!(!html.contains("<script") && !html.contains("<img") && !html.contains("onerror='"), "{html}");
        assert!(!html.contains('\u{202e}') && !html.contains('\u{1b}'));
        assert_eq!(html.matches("&lt;script&gt;").count(), 4);
        assert!(html.contains("default-src 'none'"));
    }
}
