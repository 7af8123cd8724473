//! The options of `gstack flow`.

use clap::{Arg, ArgAction, ArgMatches, Command};
use gstack_flows::{Form, Values};
use std::path::PathBuf;

/// The parsed subcommand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flows {
    /// Lists the flows.
    List,
    /// Prints one, with numbered steps.
    Show {
        /// A name or a file.
        flow: String,
    },
    /// Says whether one can run.
    Check {
        /// A name or a file.
        flow: String,
    },
    /// Allows one that is not the person's own, with the content that it has now.
    Trust {
        /// A name or a file.
        flow: String,
        /// Does not ask.
        yes: bool,
    },
    /// Runs one.
    Run {
        /// A name or a file.
        flow: String,
        /// The values of its parameters.
        set: Values,
        /// The first step.
        from: Option<usize>,
        /// How long a step waits for its element, in seconds.
        timeout: Option<u32>,
        /// The new folder for a report with pictures.
        report: Option<PathBuf>,
        /// Asks an agent about a step whose element is gone.
        heal: bool,
    },
    /// Runs one by the system's timer.
    Schedule(NewSchedule),
    /// Lists the scheduled ones.
    Schedules,
    /// Ends the schedule of one.
    Unschedule {
        /// Its name.
        flow: String,
    },
    /// Runs a scheduled one once.
    RunScheduled {
        /// The grant's id.
        id: String,
    },
    /// Makes one of the record of what was done.
    Save {
        /// The new flow's name.
        name: String,
        /// The turn of an agent; `None` for the newest one.
        turn: Option<String>,
        /// The commands of this terminal in the last minutes, instead of a turn.
        minutes: Option<u64>,
        /// Defaults of its parameters.
        set: Values,
        /// Replaces a flow of this name.
        replace: bool,
    },
    /// Makes one of what the person does in a tab from now on.
    Record {
        /// The new flow's name.
        name: String,
        /// Replaces a flow of this name.
        replace: bool,
        /// Ends the recording of this flow in another terminal.
        stop: bool,
    },
    /// Makes one of a recording of another tool.
    Import {
        /// The new flow's name.
        name: String,
        /// The recording, or `-`.
        file: PathBuf,
        /// Replaces a flow of this name.
        replace: bool,
    },
    /// Prints one as a program of another tool.
    Export {
        /// A name or a file.
        flow: String,
        /// The tool.
        form: Form,
        /// The values of its parameters.
        set: Values,
    },
    /// Prints the JSON Schema of the format.
    Schema,
}

/// The arguments of `flow schedule FLOW`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSchedule {
    /// A name or a file.
    pub flow: String,
    /// When: five fields.
    pub cron: String,
    /// Whether these are in UTC.
    pub utc: bool,
    /// The last day.
    pub until: String,
    /// The values of its parameters.
    pub set: Values,
    /// Does not ask.
    pub yes: bool,
}

impl Flows {
    /// Whether only a person may do this: it acts in the browser or decides what may.
    pub(in crate::cli) fn is_persons_own(&self) -> bool {
        matches!(
            self,
            Self::Trust { .. }
                | Self::Run { .. }
                | Self::Schedule(_)
                | Self::Unschedule { .. }
                | Self::RunScheduled { .. }
                | Self::Save { .. }
                | Self::Record { .. }
                | Self::Import { .. }
        )
    }

    /// Whether it is about the commands of this terminal: it runs some, or reads which it has run.
    pub(in crate::cli) fn acts(&self) -> bool {
        matches!(self, Self::Run { .. } | Self::Save { .. } | Self::Record { .. })
    }
}

pub(in crate::cli) fn command() -> Command {
    let flow = || Arg::new("flow").value_name("FLOW").required(true).help("Its name, or its file: ./buy.toml");
    let name = || Arg::new("name").value_name("NAME").required(true).help("The new flow's name");
    let replace = || Arg::new("replace").long("replace").action(ArgAction::SetTrue).help("Replace a flow of this name");
    let set = || {
        Arg::new("set")
            .long("set")
            .value_name("NAME=VALUE")
            .action(ArgAction::Append)
            .value_parser(|text: &str| match text.split_once('=') {
                Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
                None => Err("it has no =: write --set NAME=VALUE"),
            })
            .help("The value of a parameter; may be repeated")
    };
    Command::new("flow")
        .about("Run again, without a model, what was done once in the browser")
        .subcommand(Command::new("list").about("List your flows and those of this folder's project (the default)"))
        .subcommand(Command::new("show").about("Print a flow with numbered steps").arg(flow()))
        .subcommand(
            Command::new("check").about("Check a flow without a browser: exits with 2 if it cannot run").arg(flow()),
        )
        .subcommand(
            Command::new("trust")
                .about("Print a flow that is not in your own folder, and allow its content to run")
                .arg(flow())
                .arg(Arg::new("yes").long("yes").action(ArgAction::SetTrue).help("Do not ask")),
        )
        .subcommand(
            Command::new("run")
                .about("Run a flow: exits with 1 if a step fails, and with 3 if it is not known what one did")
                .arg(flow())
                .arg(set())
                .arg(
                    Arg::new("from")
                        .long("from")
                        .value_name("STEP")
                        .value_parser(clap::value_parser!(u16).range(1..))
                        .help("Start at this step, as `flow show` numbers them; needed after a run that was cut off"),
                )
                .arg(
                    Arg::new("timeout")
                        .long("timeout")
                        .value_name("SECONDS")
                        .value_parser(clap::value_parser!(u32).range(0..=600))
                        .help("How long a step waits for its element (default 10)"),
                )
                .arg(
                    Arg::new("report")
                        .long("report")
                        .value_name("FOLDER")
                        .value_parser(clap::value_parser!(PathBuf))
                        .help("Write a report to this new folder, with pictures before and after each step that acts"),
                )
                .arg(
                    Arg::new("scheduled")
                        .long("scheduled")
                        .value_name("ID")
                        .hide(true)
                        .conflicts_with_all(["set", "from", "timeout", "report", "heal"]),
                )
                .arg(Arg::new("heal").long("heal").action(ArgAction::SetTrue).help(
                    "At a step whose element is gone, ask your agent for its new description, and you for approval",
                )),
        )
        .subcommand(
            Command::new("schedule")
                .about(
                    "Run a flow by your system's timer (systemd or launchd); without a flow, list the scheduled ones",
                )
                .arg(Arg::new("flow").value_name("FLOW").help("Its name, or its file: ./buy.toml"))
                .arg(
                    Arg::new("cron")
                        .long("cron")
                        .value_name("FIELDS")
                        .requires_all(["flow", "until"])
                        .help("When: \"MINUTE HOUR DAY MONTH WEEKDAY\", as in \"30 7 * * mon-fri\""),
                )
                .arg(
                    Arg::new("until")
                        .long("until")
                        .value_name("DATE")
                        .requires("cron")
                        .help("The last day: 2027-01-31"),
                )
                .arg(Arg::new("utc").long("utc").action(ArgAction::SetTrue).requires("cron").help("--cron is in UTC"))
                .arg(set().requires("cron"))
                .arg(Arg::new("yes").long("yes").action(ArgAction::SetTrue).requires("cron").help("Do not ask"))
                .arg(
                    Arg::new("remove")
                        .long("remove")
                        .action(ArgAction::SetTrue)
                        .requires("flow")
                        .conflicts_with("cron")
                        .help("End the flow's schedule"),
                ),
        )
        .subcommand(
            Command::new("save")
                .about("Make a flow of what took effect in an agent's turn or in this terminal")
                .arg(name())
                .arg(Arg::new("turn").long("turn").value_name("ID").help("The turn's id, or the start of it"))
                .arg(
                    Arg::new("last")
                        .long("last")
                        .action(ArgAction::SetTrue)
                        .conflicts_with("turn")
                        .help("The newest turn of an agent (the default)"),
                )
                .arg(
                    Arg::new("terminal")
                        .long("terminal")
                        .action(ArgAction::SetTrue)
                        .conflicts_with_all(["turn", "last"])
                        .help("What you did by browser commands, in the tab of the newest one"),
                )
                .arg(
                    Arg::new("minutes")
                        .long("minutes")
                        .value_name("N")
                        .requires("terminal")
                        .value_parser(clap::value_parser!(u64).range(1..=10_080))
                        .default_value("30")
                        .help("How far back --terminal goes"),
                )
                .arg(set())
                .arg(replace()),
        )
        .subcommand(
            Command::new("record")
                .about("Make a flow of what you do in the tab until you press Ctrl-C; passwords are not recorded")
                .arg(name())
                .arg(replace())
                .arg(
                    Arg::new("stop")
                        .long("stop")
                        .action(ArgAction::SetTrue)
                        .conflicts_with("replace")
                        .help("End the recording of this flow that runs in another terminal, and keep it"),
                ),
        )
        .subcommand(
            Command::new("import")
                .about("Make a flow of a recording: of Chrome's Recorder (JSON), or a test of Playwright codegen")
                .arg(name())
                .arg(
                    Arg::new("file")
                        .value_name("FILE|-")
                        .required(true)
                        .value_parser(clap::value_parser!(PathBuf))
                        .help("The recording"),
                )
                .arg(replace()),
        )
        .subcommand(
            Command::new("export")
                .about("Print a flow as a Playwright test, as the commands of `gstack chain`, or as a shell script")
                .arg(flow())
                .arg(
                    Arg::new("to")
                        .long("to")
                        .value_name("FORM")
                        .required(true)
                        .value_parser(Form::ALL.map(|(name, _)| name))
                        .help("What to print"),
                )
                .arg(set()),
        )
        .subcommand(Command::new("schema").about("Print the JSON Schema of a flow's file, for editors"))
}

pub(in crate::cli) fn parse(matches: &ArgMatches) -> Flows {
    let text = |matches: &ArgMatches, key: &str| matches.get_one::<String>(key).cloned().unwrap_or_default();
    let flow = |matches: &ArgMatches| text(matches, "flow");
    let set =
        |matches: &ArgMatches| matches.get_many::<(String, String)>("set").into_iter().flatten().cloned().collect();
    match matches.subcommand() {
        Some(("show", matches)) => Flows::Show { flow: flow(matches) },
        Some(("check", matches)) => Flows::Check { flow: flow(matches) },
        Some(("trust", matches)) => Flows::Trust { flow: flow(matches), yes: matches.get_flag("yes") },
        Some(("run", matches)) if matches.contains_id("scheduled") => {
            Flows::RunScheduled { id: text(matches, "scheduled") }
        }
        Some(("schedule", matches)) => match (matches.contains_id("flow"), matches.get_flag("remove")) {
            (false, _) => Flows::Schedules,
            (true, true) => Flows::Unschedule { flow: flow(matches) },
            (true, false) => Flows::Schedule(NewSchedule {
                flow: flow(matches),
                cron: text(matches, "cron"),
                utc: matches.get_flag("utc"),
                until: text(matches, "until"),
                set: set(matches),
                yes: matches.get_flag("yes"),
            }),
        },
        Some(("run", matches)) => Flows::Run {
            flow: flow(matches),
            set: set(matches),
            from: matches.get_one::<u16>("from").copied().map(usize::from),
            timeout: matches.get_one::<u32>("timeout").copied(),
            report: matches.get_one::<PathBuf>("report").cloned(),
            heal: matches.get_flag("heal"),
        },
        Some(("save", matches)) => Flows::Save {
            name: text(matches, "name"),
            turn: matches.get_one::<String>("turn").cloned(),
            minutes: matches.get_one::<u64>("minutes").copied().filter(|_| matches.get_flag("terminal")),
            set: set(matches),
            replace: matches.get_flag("replace"),
        },
        Some(("record", matches)) => {
            let name = text(matches, "name");
            Flows::Record { name, replace: matches.get_flag("replace"), stop: matches.get_flag("stop") }
        }
        Some(("import", matches)) => Flows::Import {
            name: text(matches, "name"),
            file: matches.get_one::<PathBuf>("file").cloned().unwrap_or_default(),
            replace: matches.get_flag("replace"),
        },
        Some(("export", matches)) => Flows::Export {
            flow: flow(matches),
            form: Form::ALL
                .into_iter()
                .find(|(name, _)| *name == text(matches, "to"))
                .map_or(Form::Playwright, |(_, form)| form),
            set: set(matches),
        },
        Some(("schema", _)) => Flows::Schema,
        _ => Flows::List,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_may_look_at_flows_and_not_allow_one() {
        let parsed = |words: &[&str]| {
            parse(&command().try_get_matches_from(std::iter::once("flow").chain(words.iter().copied())).unwrap())
        };
        assert_eq!(parsed(&[]), Flows::List);
        assert_eq!(parsed(&["check", "a"]), Flows::Check { flow: "a".to_owned() });
        assert!(parsed(&["trust", "a"]).is_persons_own());
        let schedule = ["schedule", "a", "--cron", "0 9 * * *", "--until", "2027-01-01"];
        for words in [&schedule[..], &["schedule", "a", "--remove"], &["run", "a", "--scheduled", "a-1"]] {
            assert!(parsed(words).is_persons_own(), "{words:?}");
        }
        assert_eq!(parsed(&["schedule"]), Flows::Schedules);
        assert!(!parsed(&["show", "a"]).is_persons_own() && !Flows::Schema.is_persons_own());
    }
}
