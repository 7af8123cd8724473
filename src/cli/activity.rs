//! `gstack activity`: the commands that ran in the browser, and who ran them.
//!
//! Owns the lines on the terminal. The daemon has already redacted their text.

use super::terminal::{Terminal, clean_line, print_line, show};
use gstack_client::http::Client;
use gstack_protocol::activity::{ActivityEntry, ActivityOutcome, ActivityPage, ActivitySource};
use gstack_protocol::fault::{Fault, FaultCode};

/// Prints the recorded activity. With `follow`, keeps printing each command when it has ended.
pub(super) async fn activity(running: &Client, follow: bool, json: bool, terminal: Terminal) -> Result<(), Fault> {
    if !follow {
        let page: ActivityPage = running.get("/activity/history").await?;
        if json {
            return show(true, &page, String::new);
        }
        if page.entries.is_empty() {
            print_line("Nothing has been done yet.");
        }
        for entry in &page.entries {
            print_line(&line(entry, terminal));
        }
        return Ok(());
    }
    let mut events = running.events("/activity/stream").await?;
    while let Some(event) = events.next_event().await? {
        match event.name.as_str() {
            "activity" => {
                let entry: ActivityEntry = serde_json::from_str(&event.data)
                    .map_err(|error| Fault::new(FaultCode::ProtocolMismatch, error.to_string()))?;
                if json {
                    print_line(&event.data);
                } else if entry.outcome != ActivityOutcome::Running {
                    print_line(&line(&entry, terminal));
                }
            }
            "gap" if json => print_line(&event.data),
            "gap" => print_line(&terminal.dim("… older entries are not kept")),
            _ => {}
        }
    }
    Ok(())
}

/// Formats one entry: `14:03:22  terminal  tab 3  click @e3  ok, 120 ms  Clicked @e3 → …`
fn line(entry: &ActivityEntry, terminal: Terminal) -> String {
    let at = i64::try_from(entry.at).ok().and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    let time = at.map(|at| at.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M:%S").to_string());
    let source = match entry.source {
        _ if entry.driver.is_some() => clean_line(entry.driver.as_deref().unwrap_or_default()),
        ActivitySource::Terminal => "terminal".to_owned(),
        ActivitySource::Http => "http".to_owned(),
        ActivitySource::Mcp => "mcp".to_owned(),
        ActivitySource::Agent => "agent".to_owned(),
        ActivitySource::Panel => "panel".to_owned(),
    };
    let tab = entry.tab_id.map(|id| format!("tab {id}")).unwrap_or_default();
    let took = entry.duration_ms.map(|millis| format!(", {millis} ms")).unwrap_or_default();
    let outcome = match entry.outcome {
        ActivityOutcome::Running => terminal.warm("runs"),
        ActivityOutcome::Ok => terminal.good("ok"),
        ActivityOutcome::Failed => terminal.bad("failed"),
        ActivityOutcome::Unknown => terminal.bad("outcome unknown"),
    };
    let call = clean_line(&format!("{} {}", entry.command, entry.args.join(" ")));
    let head = format!("{}  {source:<8}  {tab:<6}", time.unwrap_or_default());
    let result = terminal.dim(&clean_line(&entry.result));
    format!("{}  {call}  {outcome}{took}  {result}", terminal.dim(&head)).trim_end().to_owned()
}
