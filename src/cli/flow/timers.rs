//! The timers of scheduled flows: systemd's user units on Linux, launchd's agents on macOS. No process of ours waits.
//!
//! Owns the text of their files and the calls of their programs. Every text that a person or a path brings in is quoted by the
//! rules of systemd.syntax(7) and systemd.unit(5), or of property lists, or refused.

use gstack_base::home::{HOME_VARIABLE, Home, SESSION_VARIABLE};
use gstack_base::{atomic, program};
use gstack_flows::{Cron, Grant};
use gstack_protocol::fault::{Fault, FaultCode};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The prefix of the names of our units.
const UNIT: &str = "gstack-flow-";
const LABEL: &str = "dev.gstack.flow.";

/// A file of a timer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TimerFile {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// The command that a timer starts.
pub(super) struct Started {
    program: String,
    arguments: Vec<String>,
    variables: Vec<(&'static str, String)>,
}

impl Started {
    /// Returns the command of a grant.
    ///
    /// # Errors
    ///
    /// Fails if a path has characters that no unit can have.
    pub(super) fn of(home: &Home, grant: &Grant) -> Result<Self, Fault> {
        let program = program::path().map_err(Fault::internal)?;
        let text = |path: &Path| {
            let text = path.to_str().filter(|text| !text.chars().any(char::is_control));
            text.map(str::to_owned).ok_or_else(|| {
                Fault::new(FaultCode::BadRequest, format!("{} cannot be written into a timer", path.display()))
                    .hint("Move it to a path without control characters.")
            })
        };
        let arguments = ["flow", "run", &grant.flow, "--scheduled", &grant.id].map(str::to_owned).into();
        let mut variables = vec![(HOME_VARIABLE, text(home.shared())?)];
        variables.extend(home.session().map(|session| (SESSION_VARIABLE, session.to_owned())));
        Ok(Self { program: text(&program)?, arguments, variables })
    }

    /// Returns the command for a shell.
    pub(super) fn line(&self) -> String {
        let variables = self.variables.iter().map(|(name, value)| format!("{name}={value}"));
        let words = std::iter::once("env".to_owned()).chain(variables).chain([self.program.clone()]);
        let words = words.chain(self.arguments.iter().cloned());
        words.map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect::<Vec<_>>().join(" ")
    }
}

/// Quotes a word of a unit: `%` begins a specifier, and in a command `$` begins a variable.
fn quoted(word: &str, is_command: bool) -> String {
    let mut text = String::from("\"");
    for letter in word.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            '%' => text.push_str("%%"),
            '$' if is_command => text.push_str("$$"),
            other => text.push(other),
        }
    }
    text.push('"');
    text
}

/// Returns systemd's files. `folder`: that of the person's units.
pub(super) fn systemd(folder: &Path, grant: &Grant, cron: &Cron, started: &Started) -> Vec<TimerFile> {
    let unit = |ending: &str| folder.join(format!("{UNIT}{}.{ending}", grant.id));
    let variables: Vec<String> =
        started.variables.iter().map(|(name, value)| quoted(&format!("{name}={value}"), false)).collect();
    // systemd looks for specifiers in the program too, and takes the first word literally otherwise.
    let program = quoted(&started.program, false);
    let words = started.arguments.iter().map(|word| quoted(word, true));
    let command = std::iter::once(program).chain(words).collect::<Vec<_>>().join(" ");
    let service = format!(
        "[Unit]\nDescription=gstack flow {}\n\n[Service]\nType=oneshot\nEnvironment={}\nExecStart={command}\n",
        grant.flow,
        variables.join(" ")
    );
    let calendar: String = cron.to_systemd(grant.utc).iter().map(|when| format!("OnCalendar={when}\n")).collect();
    let timer = format!(
        "[Unit]\nDescription=gstack flow {}, until {}\n\n[Timer]\n{calendar}AccuracySec=1s\n\n[Install]\nWantedBy=timers.target\n",
        grant.flow, grant.until
    );
    vec![TimerFile { path: unit("service"), text: service }, TimerFile { path: unit("timer"), text: timer }]
}

/// Returns launchd's file.
///
/// # Errors
///
/// Fails if launchd has no such calendar.
pub(super) fn launchd(folder: &Path, grant: &Grant, cron: &Cron, started: &Started) -> Result<Vec<TimerFile>, String> {
    if grant.utc {
        return Err("launchd has only the machine's time zone: leave out --utc".to_owned());
    }
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let string = |text: &str| format!("<string>{}</string>", escaped(text));
    let entries = cron.to_launchd()?.into_iter().map(|entry| {
        let keys = [
            ("Minute", entry.minute),
            ("Hour", entry.hour),
            ("Day", entry.day),
            ("Month", entry.month),
            ("Weekday", entry.weekday),
        ];
        let keys =
            keys.into_iter().filter_map(|(key, value)| Some(format!("<key>{key}</key><integer>{}</integer>", value?)));
        format!("    <dict>{}</dict>\n", keys.collect::<String>())
    });
    let words: String = std::iter::once(&started.program).chain(&started.arguments).map(|word| string(word)).collect();
    let variables: String =
        started.variables.iter().map(|(name, value)| format!("<key>{name}</key>{}", string(value))).collect();
    let label = format!("{LABEL}{}", grant.id);
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
         \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n<dict>\n  <key>Label</key>{}\n  \
         <key>ProgramArguments</key><array>{words}</array>\n  <key>EnvironmentVariables</key><dict>{variables}</dict>\n  \
         <key>StartCalendarInterval</key>\n  <array>\n{}  </array>\n</dict>\n</plist>\n",
        string(&label),
        entries.collect::<String>()
    );
    Ok(vec![TimerFile { path: folder.join(format!("{label}.plist")), text }])
}

/// Returns the folder in which this system keeps the person's timers.
fn folder() -> Result<PathBuf, Fault> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let home = home.ok_or_else(|| Fault::new(FaultCode::Storage, "the variable HOME is not set"))?;
    if cfg!(target_os = "macos") {
        return Ok(home.join("Library/LaunchAgents"));
    }
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    Ok(config.unwrap_or_else(|| home.join(".config")).join("systemd/user"))
}

/// Returns the files of a grant's timer on this system.
///
/// # Errors
///
/// Fails if the system has no such calendar.
pub(super) fn files(grant: &Grant, cron: &Cron, started: &Started) -> Result<Vec<TimerFile>, Fault> {
    let folder = folder()?;
    if cfg!(target_os = "macos") {
        return launchd(&folder, grant, cron, started).map_err(|why| Fault::new(FaultCode::BadRequest, why));
    }
    Ok(systemd(&folder, grant, cron, started))
}

/// Writes the files and starts the timer. Leaves nothing if that fails. `line`: the command, for another timer.
///
/// # Errors
///
/// Fails if the files cannot be written, or the system does not take them.
pub(super) fn start(grant: &Grant, files: &[TimerFile], line: &str) -> Result<(), Fault> {
    let failed = |path: &Path, error: &io::Error| {
        Fault::new(FaultCode::Storage, format!("{} cannot be written: {error}", path.display()))
    };
    for TimerFile { path, text } in files {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
        }
        atomic::write(path, text.as_bytes()).map_err(|error| failed(path, &error))?;
    }
    let outcome = match cfg!(target_os = "macos") {
        true => files.iter().try_for_each(|file| call("launchctl", &["bootstrap", &domain(), &shown(&file.path)])),
        false => call("systemctl", &["--user", "daemon-reload"])
            .and_then(|()| call("systemctl", &["--user", "enable", "--now", &format!("{UNIT}{}.timer", grant.id)])),
    };
    outcome.map_err(|why| {
        for file in files {
            std::fs::remove_file(&file.path).ok();
        }
        Fault::new(FaultCode::NotFound, format!("the timer cannot be started: {why}")).hint(format!(
            "On Linux it needs a user instance of systemd (`loginctl enable-linger`). Any other timer may run: {line}"
        ))
    })
}

/// Ends the timer and removes its files.
///
/// # Errors
///
/// Fails if a file cannot be removed.
pub(super) fn stop(grant: &Grant) -> Result<(), Fault> {
    let folder = folder()?;
    let names = match cfg!(target_os = "macos") {
        true => {
            let label = format!("{LABEL}{}", grant.id);
            call("launchctl", &["bootout", &format!("{}/{label}", domain())]).ok();
            vec![format!("{label}.plist")]
        }
        false => {
            let timer = format!("{UNIT}{}.timer", grant.id);
            call("systemctl", &["--user", "disable", "--now", &timer]).ok();
            vec![timer, format!("{UNIT}{}.service", grant.id)]
        }
    };
    for name in names {
        let path = folder.join(name);
        if let Err(error) = std::fs::remove_file(&path)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(Fault::new(FaultCode::Storage, format!("{} cannot be removed: {error}", path.display())));
        }
    }
    if !cfg!(target_os = "macos") {
        call("systemctl", &["--user", "daemon-reload"]).ok();
    }
    Ok(())
}

/// The person's own services.
fn domain() -> String {
    format!("gui/{}", rustix::process::getuid().as_raw())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Runs a program of the system. The error is its own words.
fn call(program: &str, arguments: &[&str]) -> Result<(), String> {
    let output = Command::new(program).args(arguments).output().map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(format!("{program}: {}", if said.is_empty() { output.status.to_string() } else { said }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant() -> Grant {
        Grant {
            id: "order-0123abcd".to_owned(),
            flow: "order".to_owned(),
            file: PathBuf::from("/f/order.toml"),
            hash: String::new(),
            set: Default::default(),
            sites: Default::default(),
            kinds: Default::default(),
            until: "2027-01-01".to_owned(),
            cron: "0 9 13 * fri".to_owned(),
            utc: false,
            last: None,
        }
    }

    fn started() -> Started {
        Started {
            program: "/opt/a b/%h/$x/\"q\"/\\g".to_owned(),
            arguments: ["flow", "run", "order", "--scheduled", "$HOME %n"].map(str::to_owned).into(),
            variables: vec![("GSTACK_HOME", "/home/a \"b\"/%i/<&>".to_owned())],
        }
    }

    #[test]
    fn no_path_becomes_a_specifier_a_variable_or_another_line() {
        let cron = Cron::read(&grant().cron).unwrap();
        let files = systemd(Path::new("/u"), &grant(), &cron, &started());
        assert_eq!(files[0].path, Path::new("/u/gstack-flow-order-0123abcd.service"));
        let line = |start: &str| files[0].text.lines().find(|line| line.starts_with(start)).unwrap().to_owned();
        assert_eq!(
            line("ExecStart="),
            r#"ExecStart="/opt/a b/%%h/$x/\"q\"/\\g" "flow" "run" "order" "--scheduled" "$$HOME %%n""#
        );
        assert_eq!(line("Environment="), r#"Environment="GSTACK_HOME=/home/a \"b\"/%%i/<&>""#);
        let timer = &files[1].text;
        assert!(timer.contains("OnCalendar=*-*-13 09:00:00\nOnCalendar=Fri *-*-* 09:00:00\n"), "{timer}");
    }

    #[test]
    fn a_property_list_keeps_what_is_in_a_path() {
        let cron = Cron::read(&grant().cron).unwrap();
        let [file] = launchd(Path::new("/l"), &grant(), &cron, &started()).unwrap().try_into().unwrap();
        assert_eq!(file.path, Path::new("/l/dev.gstack.flow.order-0123abcd.plist"));
        assert!(file.text.contains("<key>GSTACK_HOME</key><string>/home/a \"b\"/%i/&lt;&amp;&gt;</string>"));
        assert!(file.text.contains("<dict><key>Minute</key><integer>0</integer><key>Hour</key><integer>9</integer>"));
        let utc = Grant { utc: true, ..grant() };
        assert!(launchd(Path::new("/l"), &utc, &cron, &started()).unwrap_err().contains("--utc"));
    }
}
