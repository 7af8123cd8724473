//! `gstack tunnel`: gives a program on another machine one set of tabs and nothing else, through the person's own ssh.
//!
//! Owns the text, the socket's place and the line for ssh. `mcp::tunnel` serves the socket; the daemon judges what comes through.

use super::cdp::{seconds, tab_number};
use super::here::Place;
use super::moment;
use super::terminal::{print_line, show, tell};
use clap::{Arg, ArgAction, ArgMatches, Command};
use gstack_base::clock::now_millis;
use gstack_base::home::private_folder;
use gstack_base::peer;
use gstack_client::http::Client;
use gstack_daemon::mcp::tunnel::Tunnel;
use gstack_protocol::driver::DriverBegin;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::TabId;
use gstack_protocol::tunnel::{TunnelBegin, TunnelEnd, TunnelRevoke, Tunnels};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The start of the name of a tunnel's folder.
const SOCKETS: &str = "tunnel-";

/// The parsed subcommand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    Open(Box<Open>),
    List,
    Revoke { id: Option<String> },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Open {
    to: Option<String>,
    run: bool,
    tabs: Vec<TabId>,
    ttl_seconds: u64,
    name: Option<String>,
    remote_socket: Option<String>,
}

pub(super) fn command() -> Command {
    Command::new("tunnel")
        .about("Give an agent or script on another machine its own tabs of this browser, through your ssh")
        .long_about(
            "Open a socket at which a program on another machine drives its own tabs, and print the ssh command that takes the \
             socket there. The tunnel ends with this command, when its time is up, or with `gstack tunnel revoke`. docs/TUNNEL.md shows both ends.",
        )
        .subcommand_negates_reqs(true)
        .args_conflicts_with_subcommands(true)
        .arg(Arg::new("to").long("to").value_name("HOST").value_parser(host).help("The other machine, as you would give it to ssh: me@build.example. Without it, only the socket is printed"))
        .arg(Arg::new("run").long("run").action(ArgAction::SetTrue).requires("to").help("Run the ssh command instead of printing it"))
        .arg(
            Arg::new("tabs")
                .long("tabs")
                .value_name("N,…")
                .value_delimiter(',')
                .value_parser(tab_number)
                .help("The tabs that the other side gets. By default it opens its own, in the browser of --browser"),
        )
        .arg(
            Arg::new("ttl")
                .long("ttl")
                .value_name("TIME")
                .default_value("8h")
                .value_parser(seconds)
                .help("How long the tunnel lasts: 30m, 8h, 2d"),
        )
        .arg(Arg::new("name").long("name").value_name("NAME").help("A name for the other side, shown in approvals, `status` and the audit"))
        .arg(
            Arg::new("remote-socket")
                .long("remote-socket")
                .value_name("PATH")
                .value_parser(remote_path)
                .help("The path of the socket on the other machine. By default a new name in /tmp"),
        )
        .subcommand(Command::new("list").about("List the tunnels that are open"))
        .subcommand(
            Command::new("revoke")
                .about("End a tunnel at once")
                .arg(Arg::new("id").value_name("ID|NAME").help("The tunnel's id or name, as `gstack tunnel list` shows it. Without either, all tunnels")),
        )
}

pub(super) fn parse(matches: &ArgMatches) -> Wanted {
    let text = |matches: &ArgMatches, name: &str| matches.get_one::<String>(name).cloned();
    match matches.subcommand() {
        Some(("list", _)) => Wanted::List,
        Some((_, matches)) => Wanted::Revoke { id: text(matches, "id") },
        None => Wanted::Open(Box::new(Open {
            to: text(matches, "to"),
            run: matches.get_flag("run"),
            tabs: matches.get_many::<TabId>("tabs").into_iter().flatten().copied().collect(),
            ttl_seconds: matches.get_one::<u64>("ttl").copied().unwrap_or_default(),
            name: text(matches, "name"),
            remote_socket: text(matches, "remote-socket"),
        })),
    }
}

/// Refuses what ssh would take for an option, or a shell for more than a word.
fn host(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-@:[]%/".contains(c);
    match !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err(format!("{text:?} is not a host such as build.example or me@build.example")),
    }
}

/// Refuses a path that ssh, or a shell, would read as more than a path.
fn remote_path(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    match text.starts_with('/') && text.len() <= 100 && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err(format!("{text:?} is not an absolute path of letters, digits, dots, dashes and underscores")),
    }
}

/// Runs the subcommand. `tab` and `browser`: the values of `--tab` and `--browser`.
pub(super) async fn run(client: &Client, wanted: Wanted, (tab, browser): Place, json: bool) -> Result<ExitCode, Fault> {
    match wanted {
        Wanted::Open(mut wanted) => {
            if wanted.tabs.is_empty() {
                wanted.tabs.extend(tab);
            }
            open(client, *wanted, browser, json).await
        }
        Wanted::List => {
            let tunnels: Tunnels = client.get("/tunnels").await?;
            show(json, &tunnels, || list(&tunnels)).map(|()| ExitCode::SUCCESS)
        }
        Wanted::Revoke { id } => {
            let tunnels: Tunnels = client.post("/tunnels/revoke", &TunnelRevoke { id }).await?;
            show(json, &tunnels, || list(&tunnels)).map(|()| ExitCode::SUCCESS)
        }
    }
}

fn list(tunnels: &Tunnels) -> String {
    if tunnels.tunnels.is_empty() {
        return "No tunnel is open.".to_owned();
    }
    let line = |one: &gstack_protocol::tunnel::Tunnel| {
        let to = one.to.as_ref().map(|to| format!("  to {to}")).unwrap_or_default();
        let tabs: Vec<String> = one.tabs.iter().map(ToString::to_string).collect();
        let tabs = if tabs.is_empty() { "no tab".to_owned() } else { format!("tabs {}", tabs.join(", ")) };
        format!("{}  {}{to}  {tabs}  until {}", one.id.as_str(), one.name, moment::local(one.expires_at))
    };
    tunnels.tunnels.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A file or folder that is removed when it is dropped.
struct Removed(PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        let removed = match self.0.is_dir() {
            true => std::fs::remove_dir_all(&self.0),
            false => std::fs::remove_file(&self.0),
        };
        if let Err(error) = removed {
            tracing::debug!(%error, path = %self.0.display(), "it was not removed");
        }
    }
}

/// Returns the private folder of a tunnel's files.
fn files_of(own: &str) -> PathBuf {
    std::env::temp_dir().join(format!("gstack-tunnel-{own}"))
}

/// Removes what tunnels left whose commands were killed: at their sockets nobody listens.
fn remove_left(beside: &Path) {
    for entry in beside.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(own) = name.to_str().and_then(|name| name.strip_prefix(SOCKETS)) else { continue };
        let tried = std::os::unix::net::UnixStream::connect(entry.path().join("s"));
        if tried.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionRefused) {
            drop(Removed(files_of(own)));
            drop(Removed(entry.path()));
        }
    }
}

async fn open(client: &Client, wanted: Open, browser: Option<String>, json: bool) -> Result<ExitCode, Fault> {
    let number = uuid::Uuid::new_v4().simple().to_string();
    let unusable = |path: &Path, error: &dyn std::fmt::Display| {
        Fault::new(FaultCode::Storage, format!("{} can't be used: {error}", path.display()))
            .hint("Free space on the disk, and check who may write there.")
    };
    // Beside the other sockets, whose folder no other user may enter.
    let beside = client.home().http_socket();
    remove_left(beside.parent().unwrap_or(&beside));
    let own = &number[..12];
    let sockets = beside.with_file_name(format!("{SOCKETS}{own}"));
    private_folder(&sockets).map_err(|error| unusable(&sockets, &error))?;
    let _sockets = Removed(sockets.clone());
    let socket = sockets.join("s");
    // Its commands take no paths. What they write without one goes here, and nowhere else.
    let folder = files_of(own);
    private_folder(&folder).map_err(|error| unusable(&folder, &error))?;
    let _folder = Removed(folder.clone());
    let listener = peer::listen(&socket).map_err(|error| unusable(&socket, &error))?;
    let begin = DriverBegin {
        client: "tunnel".to_owned(),
        name: wanted.name.clone().or_else(|| wanted.to.clone()),
        cwd: Some(folder.to_string_lossy().into_owned()),
        browser,
        tunnel: Some(TunnelBegin { tabs: wanted.tabs, ttl_seconds: wanted.ttl_seconds, to: wanted.to.clone() }),
        ..DriverBegin::default()
    };
    let tunnel = Tunnel::open(client, begin).await?;
    let remote = wanted.remote_socket.unwrap_or_else(|| format!("/tmp/gstack-{}.sock", &number[..16]));
    let ssh = wanted.to.as_deref().map(|to| ssh_words(&remote, &socket, to));
    let expires_at = now_millis().saturating_add(wanted.ttl_seconds.saturating_mul(1000));
    let shown = json!({
        "id": tunnel.info.driver_id, "name": tunnel.info.name, "socket": socket,
        "remoteSocket": ssh.as_ref().map(|_| &remote), "ssh": ssh, "expiresAt": expires_at,
    });
    match &ssh {
        _ if json => print_line(&shown.to_string()),
        Some(words) if !wanted.run => print_line(&quoted(words)),
        Some(_) => {}
        None => print_line(&socket.to_string_lossy()),
    }
    let there = if ssh.is_some() { remote.as_str() } else { "SOCKET" };
    tell(&format!(
        "Open until {} as {}. On the other machine: gstack mcp --socket {there}, or gstack --remote {there} snapshot -i\n\
         To end it: Ctrl-C, or gstack tunnel revoke {}",
        moment::local(expires_at),
        tunnel.info.name,
        tunnel.info.driver_id.as_str()
    ));
    let mut running = match ssh.filter(|_| wanted.run) {
        Some(words) => Some(start(&words)?),
        None => None,
    };
    let ssh_ends = async {
        match &mut running {
            Some(child) => child.wait().await.map(|status| status.code()).ok().flatten(),
            None => std::future::pending().await,
        }
    };
    let code = tokio::select! {
        end = tunnel.serve(listener) => {
            tell(match end {
                Some(TunnelEnd::Revoked) => "The tunnel was revoked.",
                Some(TunnelEnd::Expired) => "The tunnel's time is up.",
                None => "The tunnel ended, because gstack ended.",
            });
            if end == Some(TunnelEnd::Expired) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        code = ssh_ends => {
            tell("The tunnel ended, because ssh ended.");
            if code == Some(0) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        () = interrupted() => ExitCode::SUCCESS,
    };
    Ok(code)
}

/// Resolves on Ctrl-C, or when the terminal or a supervisor ends this command.
async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    let of = |kind| async move {
        match signal(kind) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        () = of(SignalKind::interrupt()) => {}
        () = of(SignalKind::terminate()) => {}
        () = of(SignalKind::hangup()) => {}
    }
}

/// Returns the ssh command: no shell there, an error if the socket can't be placed, and a stale one is replaced.
fn ssh_words(remote: &str, socket: &Path, to: &str) -> Vec<String> {
    let forward = format!("{remote}:{}", socket.display());
    ["ssh", "-N", "-o", "ExitOnForwardFailure=yes", "-R", &forward, "--", to].map(str::to_owned).to_vec()
}

fn quoted(words: &[String]) -> String {
    let is_plain = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "._-@:/=[]%".contains(c));
    let quote = |word: &String| match is_plain(word) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

fn start(words: &[String]) -> Result<tokio::process::Child, Fault> {
    let mut command = tokio::process::Command::new(&words[0]);
    command.args(&words[1..]).kill_on_drop(true);
    command.spawn().map_err(|error| {
        Fault::new(FaultCode::NotFound, format!("ssh did not start: {error}"))
            .hint("Install OpenSSH, or run without --run and use the printed line.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tunnel_is_asked_for_listed_and_ended() {
        let parsed = |line: &[&str]| command().try_get_matches_from(line).map(|matches| parse(&matches));
        let open = |line: &[&str]| match parsed(line).unwrap() {
            Wanted::Open(open) => *open,
            other => panic!("{other:?}"),
        };
        assert_eq!(open(&["tunnel"]), Open { ttl_seconds: 8 * 3600, ..Open::default() });
        let many =
            open(&["tunnel", "--to", "me@build.example", "--run", "--tabs", "3,5", "--ttl", "30m", "--name", "ci"]);
        assert_eq!(
            (many.to.as_deref(), many.run, many.ttl_seconds, many.tabs.len()),
            (Some("me@build.example"), true, 1800, 2)
        );
        assert_eq!(parsed(&["tunnel", "list"]).unwrap(), Wanted::List);
        assert_eq!(parsed(&["tunnel", "revoke", "ci"]).unwrap(), Wanted::Revoke { id: Some("ci".to_owned()) });
        for wrong in [
            &["tunnel", "--run"][..],
            &["tunnel", "--to", "-oProxyCommand=touch /tmp/x"],
            &["tunnel", "--to", "a b"],
            &["tunnel", "--to", "a;b"],
            &["tunnel", "--to", "$(id)"],
            &["tunnel", "--to", ""],
            &["tunnel", "--to", "a", "--remote-socket", "relative"],
            &["tunnel", "--to", "a", "--remote-socket", "/tmp/a:b"],
            &["tunnel", "--to", "a", "--remote-socket", "/tmp/a b"],
            &["tunnel", "--ttl", "0s"],
        ] {
            assert!(parsed(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_line_for_ssh_is_one_word_for_each_argument() {
        let words = ssh_words("/tmp/a.sock", Path::new("/home/ada lovelace's/s"), "me@build.example");
        let line = quoted(&words);
        assert!(line.ends_with(r"-R '/tmp/a.sock:/home/ada lovelace'\''s/s' -- me@build.example"), "{line}");
    }
}
