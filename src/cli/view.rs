//! `gstack view`: prints a link to a page that shows a browser live, and ends these pages.
//!
//! Owns the text. The daemon makes the link, and serves the page.

use super::here::Place;
use super::moment;
use super::terminal::show;
use clap::{ArgMatches, Command};
use gstack_base::counted::counted;
use gstack_client::http::Client;
use gstack_protocol::basics::Empty;
use gstack_protocol::fault::Fault;
use gstack_protocol::view::{ViewEnded, ViewOpen, ViewOpened};

/// The parsed subcommand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Open,
    End,
}

pub(super) fn command() -> Command {
    Command::new("view")
        .about("Print a link to a page that shows the browser live, with approvals and *Take over*")
        .long_about(
            "Print a link to a page that shows the browser live: the tab in use, the steps, approvals with their buttons, and \
             *Take over*, with which your mouse and keys go to the page while the agent is paused. It shows browsers without a \
             window too. The link opens once, within two minutes, in a browser of yours on this computer. --tab and --browser \
             choose what it shows.",
        )
        .subcommand(Command::new("end").about("End every link and every page that shows a browser"))
}

pub(super) fn parse(matches: &ArgMatches) -> View {
    match matches.subcommand() {
        Some(_) => View::End,
        None => View::Open,
    }
}

pub(super) async fn run(client: &Client, wanted: View, (tab, browser): Place, json: bool) -> Result<(), Fault> {
    match wanted {
        View::Open => {
            let opened: ViewOpened = client.post("/view/open", &ViewOpen { tab_id: tab, browser }).await?;
            show(json, &opened, || {
                let until = moment::local(opened.expires_at);
                format!("{}\nOpen this link in a browser on this computer. It opens once, until {until}.", opened.url)
            })
        }
        View::End => {
            let ended: ViewEnded = client.post("/view/end", &Empty {}).await?;
            show(json, &ended, || match ended.ended {
                0 => "No view was open.".to_owned(),
                count => format!("Ended {}.", counted(count, "view")),
            })
        }
    }
}
