//! `gstack connect`, `disconnect` and `stop`: the lifetimes of the browser and the daemon, reported step by step.

use super::arguments::Globals;
use super::here::place;
use super::terminal::{Terminal, print, print_line};
use super::usage;
use gstack_base::browser_names::{BrowserName, MAIN};
use gstack_client::http::Client;
use gstack_protocol::control::{ConnectLine, ConnectRequest, Connected};
use gstack_protocol::fault::{Fault, FaultCode};

/// Connects a browser and prints the steps. `session`: the value of `--session`.
pub(super) async fn connect(
    client: &Client,
    request: ConnectRequest,
    json: bool,
    session: Option<&str>,
    terminal: Terminal,
) -> Result<(), Fault> {
    let said = |text: &str| match session {
        Some(session) => usage::with_session(text, session),
        None => text.to_owned(),
    };
    // A browser that the first try opened is the one that the second try finds.
    let mut lines = client.stream_repeatable("/connect", &request).await?;
    while let Some(line) = lines.next::<ConnectLine>().await? {
        if json && !matches!(line, ConnectLine::Failed(_)) {
            print_line(&serde_json::to_string(&line).map_err(|e| Fault::new(FaultCode::Internal, e.to_string()))?);
        }
        match line {
            ConnectLine::Step { name, detail, millis } if !json => {
                let time = terminal.dim(&format!("{millis:>5} ms"));
                print(&format!("{} {name:<18} {time}  {detail}\n", terminal.good("✓")));
            }
            ConnectLine::Notice(text) if !json => print(&format!("{} {}\n", terminal.warm("!"), said(&text))),
            ConnectLine::Done(connected) => {
                if !json {
                    print(&said(&next_steps(&connected, terminal)));
                }
                return Ok(());
            }
            ConnectLine::Failed(fault) => return Err(fault),
            ConnectLine::Step { .. } | ConnectLine::Notice(_) => {}
        }
    }
    Err(Fault::new(FaultCode::Internal, "the daemon ended its answer without a result")
        .hint("Run `gstack doctor`.")
        .command("gstack doctor"))
}

/// Returns the name of the browser to connect: `--name`, or else the global option or the environment. `None` for the
/// main one.
///
/// # Errors
///
/// Fails if both options are given and differ.
pub(super) fn name(named: Option<BrowserName>, globals: &Globals) -> Result<Option<String>, Fault> {
    if let (Some(named), Some(chosen)) = (&named, &globals.browser)
        && named != chosen
    {
        return Err(Fault::new(FaultCode::BadRequest, format!("--name {named} and --browser {chosen} differ"))
            .hint("Give one of them. For the browser's program: --program PATH"));
    }
    let (_, chosen) = place(globals.tab, globals.browser.as_ref())?;
    Ok(named.map(|name| name.to_string()).or(chosen).filter(|name| name != MAIN))
}

fn next_steps(connected: &Connected, terminal: Terminal) -> String {
    let where_to = match (connected.mode.as_str(), connected.panel) {
        ("headless", _) => {
            "The browser runs without a window.\nTalk to it: gstack chat \"help\"   ·   drive it: gstack goto example.com"
        }
        ("attached", _) => {
            "gstack did not start this browser and never closes it: gstack disconnect only detaches from it.\nDrive \
                it: gstack snapshot -i   ·   talk to it: gstack chat \"help\""
        }
        ("remote", _) => {
            "The browser runs on another machine: gstack disconnect leaves it, and ends a session that gstack created.\nDrive \
                it: gstack snapshot -i   ·   talk to it: gstack chat \"help\""
        }
        ("everyday", _) => {
            "This is your own browser, with your logins: gstack disconnect only detaches from it.\nDrive it: gstack \
                tabs   ·   gstack snapshot -i   ·   talk to it: gstack chat \"help\""
        }
        (_, true) => {
            "The side panel is open: type there what you want done on the page.\nFrom here:  gstack chat \"help\"   ·   gstack goto example.com"
        }
        (_, false) => "Open the side panel with gstack's icon in the browser's toolbar.",
    };
    let named = connected.name.as_ref().map_or_else(String::new, |name| {
        format!("Its commands take --browser {name}: gstack --browser {name} goto example.com\n")
    });
    format!("\n{} with {}.\n{where_to}\n{named}", terminal.bold("Connected"), connected.agent)
}
