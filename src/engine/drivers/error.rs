//! Faults of registrations. Read by the author of an MCP client or in a terminal, so they are in English.

use gstack_base::counted::counted;
use gstack_protocol::catalogue;
use gstack_protocol::fault::{Fault, FaultCode};

#[derive(Debug)]
pub(crate) enum DriversError {
    /// The process is registered already.
    AlreadyRegistered,
    /// `most` drivers are registered.
    TooMany { most: usize },
    /// The registration that a command names has ended.
    NotRegistered,
    /// The calling process cannot be identified.
    NoProcess,
    /// A terminal's name is not one short word.
    NoTerminalName,
    /// Another shell or script has this name.
    NameTaken { name: String, pid: i32 },
    /// An agent or a client used the name of a terminal.
    NotATerminal,
    /// A terminal's command came over the port.
    TerminalOnPort,
    /// A terminal named a tab that is not in its set. `name` is the person's name for it.
    NotOwnTab { tab: String, name: String },
    /// The tab is in another browser than the one that the CDP client drives.
    OtherBrowser { tab: String, name: String },
    /// The driver that a panel gives a tab to has ended.
    Gone,
    /// No driver has this name.
    NoSuchDriver { name: String },
    /// `lease` does not say which driver gets the tab.
    NameNeeded,
    /// Only the person gives a tab to another driver.
    OnlyPersonGives,
    /// Only the person gives a driver a tab of another browser.
    NotItsBrowser { tab: String, browser: String },
    /// No driver leases the tab.
    NotLeased { tab: String },
    /// The person did not give the driver the tab.
    NotGiven { tab: String },
    /// The person took the tab while a call ran in it. `can_ask`: the caller has `lease`.
    TakenBack { tab: String, can_ask: bool },
    /// `waiting` approvals of this driver, or of all drivers, wait already, and no more fit.
    TooManyApprovals { waiting: usize },
    /// This driver, or all drivers together, withdrew `most` approvals a short time ago. In `seconds` the next one may be
    /// opened.
    WithdrawsTooOften { most: usize, seconds: u64 },
    /// Nobody works in the tab that the person wants to take over.
    NobodyWorks { tab: String },
    /// A note is for nobody, because no tab is taken over.
    NobodyPaused,
    /// The person's note is longer than `most` characters.
    NoteTooLong { most: usize },
    /// The person took over the tab and has not handed it back in time.
    PersonWorks { tab: String },
    /// The person took over the tab and has handed it back since the last call.
    HandedBack { said: String },
    /// Only the person takes over and hands back.
    OnlyPersonPauses,
    /// `most` CDP endpoints are open.
    TooManyEndpoints { most: usize },
    /// No CDP endpoint has this id.
    NoSuchEndpoint { id: String },
    /// A tunnel asks for what only a client on this machine may have.
    TunnelNotTrusted,
    /// A tunnel's time is not allowed.
    TunnelTime,
    /// No tunnel has this id or name.
    NoSuchTunnel { id: String },
    /// The tab shows a page of the browser or a local file.
    NoWebPage { tab: String },
    /// A CDP client would drive an everyday browser, and the person did not say so.
    EverydayNotChosen,
    /// A CDP client is to drive an everyday browser, and the browser in use or of the tabs is another one.
    NoEveryday,
    /// Chrome does not let extensions do what an endpoint of an everyday browser should allow.
    NotInEveryday { grant: &'static str },
    /// The approval is too long for a person to read.
    ApprovalTooLong,
}

impl From<DriversError> for Fault {
    fn from(error: DriversError) -> Self {
        let (code, message, hint): (_, String, &'static str) = match error {
            DriversError::AlreadyRegistered => (
                FaultCode::Conflict,
                "this process is already registered as a driver".to_owned(),
                "Start one `gstack mcp` for each MCP client.",
            ),
            DriversError::TooMany { most } => (
                FaultCode::TooLarge,
                format!("{most} drivers are registered, which is the limit"),
                "Close MCP clients that are no longer used.",
            ),
            DriversError::NotRegistered => (
                FaultCode::Forbidden,
                "this driver's registration has ended".to_owned(),
                "Repeat the call: `gstack mcp` then registers again.",
            ),
            DriversError::NoProcess => (
                FaultCode::Forbidden,
                "the calling process could not be identified".to_owned(),
                "Start `gstack mcp` on the same machine and as the same user as the daemon.",
            ),
            DriversError::NoSuchDriver { name } => {
                (FaultCode::NotFound, format!("no driver is named {name:?}"), "`gstack status` lists the drivers.")
            }
            DriversError::NoTerminalName => (
                FaultCode::BadRequest,
                "this is not a valid driver name".to_owned(),
                "Use one word of at most 40 letters, digits, hyphens, underscores and full stops, such as shop-tests.",
            ),
            DriversError::NameTaken { name, pid } => (
                FaultCode::Conflict,
                format!("another shell or script (process {pid}) uses the name {name:?}"),
                "Choose another name, or end that process.",
            ),
            DriversError::NotATerminal => (
                FaultCode::Forbidden,
                "only a shell or script of the person takes a name with --driver".to_owned(),
                "Run the command without --driver and without GSTACK_DRIVER. It acts in your own tabs.",
            ),
            DriversError::TerminalOnPort => (
                FaultCode::Forbidden,
                "naming a driver is not offered on the port".to_owned(),
                "Use the gstack command line, which speaks over a unix socket.",
            ),
            DriversError::NotOwnTab { tab, name } => {
                let fault = Self::new(FaultCode::NotFound, format!("tab {tab} is not among the tabs of {name}"));
                return fault.hint(format!("Lease it first: gstack --driver {name} lease {tab}"));
            }
            DriversError::OtherBrowser { tab, name } => (
                FaultCode::Conflict,
                format!("tab {tab} is not in the browser that {name} drives"),
                "Give it a tab of its own browser, or open an endpoint there with `gstack cdp --tabs`.",
            ),
            DriversError::Gone => {
                let fault = Fault::new(FaultCode::NotFound, catalogue::DRIVER_GONE);
                return fault.hint(catalogue::DRIVER_GONE_NEXT);
            }
            DriversError::NameNeeded => (
                FaultCode::BadRequest,
                "no driver was given".to_owned(),
                "Name it with --to: gstack lease 3 --to cursor. `gstack status` lists the drivers.",
            ),
            DriversError::OnlyPersonGives => (
                FaultCode::Forbidden,
                "a driver can't give tabs to another one".to_owned(),
                "Release the tab with `release`, and ask the person to lease it to the other one.",
            ),
            DriversError::NotItsBrowser { tab, browser } => (
                FaultCode::Forbidden,
                format!("tab {tab} is in the browser {browser}, which is not yours"),
                "Ask the person to give it to you: gstack lease TAB --to NAME.",
            ),
            DriversError::NotLeased { tab } => {
                (FaultCode::NotFound, format!("no driver leases tab {tab}"), "`tabs` shows who leases which tab.")
            }
            DriversError::NotGiven { tab } => (
                FaultCode::Denied,
                format!("the person did not give you tab {tab}"),
                "Work in your own tabs. `newtab` opens one.",
            ),
            DriversError::TakenBack { tab, can_ask } => (
                FaultCode::Denied,
                format!("the person took tab {tab} back"),
                match can_ask {
                    true => "Work in another tab. `lease` asks for this one again.",
                    false => "Work in another tab.",
                },
            ),
            DriversError::TooManyApprovals { waiting } => (
                FaultCode::Conflict,
                format!(
                    "{} of MCP clients {} for the person, which is the limit",
                    counted(waiting, "approval"),
                    if waiting == 1 { "waits" } else { "wait" }
                ),
                "Wait until the person has answered one of them, then repeat the call.",
            ),
            DriversError::WithdrawsTooOften { most, seconds } => (
                FaultCode::Conflict,
                format!("{most} approvals were withdrawn within a minute, so no new one is opened for {seconds} s"),
                "Wait that long. Then repeat the call once, and keep it open until the person has answered.",
            ),
            DriversError::NobodyWorks { tab } => (
                FaultCode::NotFound,
                format!("nobody works in tab {tab}"),
                "`gstack status` lists the MCP clients and their tabs.",
            ),
            DriversError::NobodyPaused => (
                FaultCode::NotFound,
                "you have not taken over a tab, so nobody would get the note".to_owned(),
                "Take one over with: gstack pause",
            ),
            DriversError::NoteTooLong { most } => {
                (FaultCode::TooLarge, format!("a note can have at most {most} characters"), "Shorten it.")
            }
            DriversError::PersonWorks { tab } => (
                FaultCode::Conflict,
                format!("the person took over tab {tab} and has not handed it back"),
                "Wait, then repeat the call. Nothing was done.",
            ),
            DriversError::HandedBack { said } => {
                (FaultCode::Cancelled, said, "Nothing was done. Take a snapshot, and decide again.")
            }
            DriversError::OnlyPersonPauses => {
                (FaultCode::Forbidden, "only the person can take over a tab".to_owned(), "Ask the person.")
            }
            DriversError::TooManyEndpoints { most } => (
                FaultCode::TooLarge,
                format!("{most} CDP endpoints are open, which is the limit"),
                "End those that are no longer used: `gstack cdp list`, `gstack cdp revoke ID`.",
            ),
            DriversError::NoSuchEndpoint { id } => (
                FaultCode::NotFound,
                format!("no CDP endpoint has the id {id:?}"),
                "`gstack cdp list` lists the endpoints.",
            ),
            DriversError::TunnelNotTrusted => (
                FaultCode::Forbidden,
                "a program on another machine is never trusted".to_owned(),
                "Leave out --trusted: the person answers its approvals here.",
            ),
            DriversError::TunnelTime => (
                FaultCode::BadRequest,
                "a tunnel can stay open for one second to seven days".to_owned(),
                "Give a time such as --ttl 30m or --ttl 8h.",
            ),
            DriversError::NoSuchTunnel { id } => (
                FaultCode::NotFound,
                format!("no tunnel has the id or name {id:?}"),
                "`gstack tunnel list` lists them.",
            ),
            DriversError::NoWebPage { tab } => (
                FaultCode::Forbidden,
                format!("tab {tab} shows no web page"),
                "Open a web page in it first: gstack goto URL --tab N",
            ),
            DriversError::EverydayNotChosen => (
                FaultCode::Forbidden,
                "this is your everyday browser, with your logins".to_owned(),
                "Add --everyday to let the client drive its tabs there. For a browser of its own: `gstack disconnect`, then `gstack connect`.",
            ),
            DriversError::NoEveryday => (
                FaultCode::Conflict,
                "--everyday is for your everyday browser, and another browser is in use".to_owned(),
                "Run `gstack connect --everyday` first, or name tabs of it with --tabs.",
            ),
            DriversError::NotInEveryday { grant } => (
                FaultCode::Forbidden,
                format!("--allow {grant} is not possible in an everyday browser"),
                "Leave it out, or use the browser of `gstack connect`.",
            ),
            DriversError::ApprovalTooLong => (
                FaultCode::TooLarge,
                "the description of this call is too long to show for approval".to_owned(),
                "Do it in several calls, each with a shorter text or script.",
            ),
        };
        Self::new(code, message).hint(hint)
    }
}
