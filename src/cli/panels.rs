//! `gstack panels`: lists, confirms and forgets the browsers whose side panels are confirmed.
//!
//! Owns the text. The daemon knows which browser a code belongs to.

use super::moment;
use super::terminal::{Terminal, clean_line, show};
use clap::{Arg, ArgMatches, Command};
use gstack_client::http::Client;
use gstack_protocol::fault::Fault;
use gstack_protocol::panel_key::{ConfirmedBy, KnownPanel, KnownPanels, PanelConfirm, PanelForget};

/// The parsed subcommand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Panels {
    List,
    Confirm { code: String },
    Forget { id: String },
}

pub(super) fn command() -> Command {
    let word = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).required(true).value_name(value).help(help)
    };
    Command::new("panels")
        .about("List and confirm the browsers whose side panel may act for you")
        .subcommand(Command::new("list").about("List confirmed and waiting browsers (the default)"))
        .subcommand(Command::new("confirm").about("Confirm the browser whose side panel shows this code").arg(word(
            "code",
            "CODE",
            "The code that the side panel shows",
        )))
        .subcommand(Command::new("forget").about("Withdraw a confirmation").arg(word(
            "id",
            "ID",
            "The browser's id, as `gstack panels` shows it",
        )))
}

pub(super) fn parse(matches: &ArgMatches) -> Panels {
    let text = |matches: &ArgMatches, name: &str| matches.get_one::<String>(name).cloned().unwrap_or_default();
    match matches.subcommand() {
        Some(("confirm", matches)) => Panels::Confirm { code: text(matches, "code") },
        Some(("forget", matches)) => Panels::Forget { id: text(matches, "id") },
        _ => Panels::List,
    }
}

pub(super) async fn run(client: &Client, wanted: Panels, json: bool, terminal: Terminal) -> Result<(), Fault> {
    match wanted {
        Panels::List => {
            let panels: KnownPanels = client.get("/panels").await?;
            show(json, &panels, || list(&panels, terminal))
        }
        Panels::Confirm { code } => {
            let panel: KnownPanel = client.post("/panels/confirm", &PanelConfirm { code }).await?;
            show(json, &panel, || {
                let browser = clean_line(&panel.browser);
                format!("Confirmed {browser} ({}). Its side panel may act for you from now on.", panel.id)
            })
        }
        Panels::Forget { id } => {
            let panels: KnownPanels = client.post("/panels/forget", &PanelForget { id }).await?;
            show(json, &panels, || list(&panels, terminal))
        }
    }
}

fn list(panels: &KnownPanels, terminal: Terminal) -> String {
    let known = panels.panels.iter().map(|panel| {
        let how = match panel.confirmed_by {
            ConfirmedBy::Connect => "by gstack connect",
            ConfirmedBy::Terminal => "in a terminal",
        };
        let used = if panel.connected {
            "connected".to_owned()
        } else {
            format!("last used {}", moment::local(panel.last_seen))
        };
        let (id, mark, browser) = (&panel.id, terminal.good("confirmed"), clean_line(&panel.browser));
        format!("{id}  {mark} {how} {}  {browser}  {used}", moment::local(panel.confirmed_at))
    });
    let waiting = panels.waiting.iter().map(|panel| {
        let (mark, browser) = (terminal.bad("waiting"), clean_line(&panel.browser));
        let next = match panel.connected {
            true => "run the command that its side panel shows",
            false => "not connected",
        };
        format!("{}  {mark} since {}  {browser}  {next}", panel.id, moment::local(panel.since))
    });
    let lines: Vec<String> = known.chain(waiting).collect();
    if lines.is_empty() { "No browser has been confirmed yet.".to_owned() } else { lines.join("\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_are_listed_confirmed_and_forgotten_in_words() {
        let parsed = |line: &[&str]| command().try_get_matches_from(line).map(|matches| parse(&matches));
        assert_eq!(parsed(&["panels"]).unwrap(), Panels::List);
        assert_eq!(parsed(&["panels", "list"]).unwrap(), Panels::List);
        assert_eq!(parsed(&["panels", "confirm", "BCDFGH"]).unwrap(), Panels::Confirm { code: "BCDFGH".to_owned() });
        assert_eq!(parsed(&["panels", "forget", "12"]).unwrap(), Panels::Forget { id: "12".to_owned() });
        assert!(parsed(&["panels", "confirm"]).is_err() && parsed(&["panels", "everything"]).is_err());
    }
}
