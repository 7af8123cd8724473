//! Which instance and which profile the commands of this terminal use: an option, else the environment, else the file of
//! the project, else the default.
//!
//! Owns that order, and the question about a project's file, which is used only if the person allowed it
//! in a terminal. Until then commands there fail, because they would act in another browser than the project asks for.

use super::confirm;
use super::terminal::{tell, visible_line};
use gstack_base::bindings::{self, Binding, BindingError, Found};
use gstack_base::home::{Home, HomeError, SESSION_VARIABLE};
use gstack_base::lineage;
use gstack_base::profiles::{DEFAULT, ProfileName};
use gstack_protocol::command::PROFILE_VARIABLE;
use gstack_protocol::command::TOKEN_VARIABLE;
use gstack_protocol::fault::{Fault, FaultCode};
use std::path::{Path, PathBuf};

/// The instance and the profile to use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    /// `None`: the one that the environment names, or the default one.
    pub(super) session: Option<String>,
    /// The profile of a browser that is started. `None`: the configured one.
    profile: Option<String>,
    pub(super) by: ChosenBy,
}

/// The source of the choice of the instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum ChosenBy {
    Option,
    Environment,
    /// The project's file.
    File(PathBuf),
    /// There is a project's file, but the person refused it.
    Refused(PathBuf),
    #[default]
    Default,
}

/// Why there is no choice yet.
enum Undecided {
    /// The person has not been asked about this file.
    Ask(Found),
    Unusable(BindingError),
}

impl Choice {
    /// Returns the profile to start a browser with. `named`: the option `--profile`.
    pub(super) fn profile(&self, named: Option<String>) -> Option<String> {
        named.or_else(|| variable(PROFILE_VARIABLE)).or_else(|| self.profile.clone())
    }

    /// Returns where the choice comes from, for `--json`.
    pub(super) fn source(&self) -> String {
        match &self.by {
            ChosenBy::Option => "option".to_owned(),
            ChosenBy::Environment => "environment".to_owned(),
            ChosenBy::File(file) => file.display().to_string(),
            ChosenBy::Refused(_) | ChosenBy::Default => "default".to_owned(),
        }
    }

    /// Returns the same for people: `chosen by GSTACK_SESSION`. `None` if nothing chose it.
    pub(super) fn told(&self) -> Option<String> {
        match &self.by {
            ChosenBy::Option => Some("chosen by --session".to_owned()),
            ChosenBy::Environment => Some(format!("chosen by {SESSION_VARIABLE}")),
            ChosenBy::File(file) => Some(format!("chosen by {}", shown(file))),
            ChosenBy::Refused(file) => Some(format!("{} is ignored, as you decided", shown(file))),
            ChosenBy::Default => None,
        }
    }

    fn of_file(found: &Found) -> Self {
        let Binding { session, profile } = found.binding.clone();
        Self { session, profile, by: ChosenBy::File(found.file.clone()) }
    }
}

/// Returns the choice if the person need not be asked. Reads small files, and asks nothing. `session`: the option.
pub(super) fn without_asking(session: Option<&str>) -> Option<Choice> {
    decide(session).ok()
}

/// Returns the choice. Asks the person about a project's file that they have not decided about yet.
///
/// # Errors
///
/// Fails if the file cannot be used, or the person has not decided about it and cannot be asked.
pub(super) async fn asking(session: Option<&str>) -> Result<Choice, Fault> {
    match decide(session) {
        Ok(choice) => Ok(choice),
        Err(Undecided::Unusable(error)) => Err(unusable(&error)),
        Err(Undecided::Ask(found)) => match ask(&found).await? {
            true => Ok(Choice::of_file(&found)),
            false => Ok(Choice { by: ChosenBy::Refused(found.file), ..Choice::default() }),
        },
    }
}

fn decide(session: Option<&str>) -> Result<Choice, Undecided> {
    if let Some(session) = session {
        return Ok(Choice { session: Some(session.to_owned()), profile: None, by: ChosenBy::Option });
    }
    if is_set(SESSION_VARIABLE) {
        return Ok(Choice { by: ChosenBy::Environment, ..Choice::default() });
    }
    // An agent's commands go to the daemon that started it.
    if is_set(TOKEN_VARIABLE) {
        return Ok(Choice::default());
    }
    // Without a home there are no answers, and the command itself reports that.
    let Ok(home) = Home::shared_root().map(Home::named) else { return Ok(Choice::default()) };
    match bindings::find(home.shared()).map_err(Undecided::Unusable)? {
        None => Ok(Choice::default()),
        Some(found) if found.binding == Binding::default() => Ok(Choice::default()),
        Some(found) => match found.allowed {
            Some(true) => Ok(Choice::of_file(&found)),
            Some(false) => Ok(Choice { by: ChosenBy::Refused(found.file), ..Choice::default() }),
            None => Err(Undecided::Ask(found)),
        },
    }
}

/// Returns whether a variable has a value, even one that is not UTF-8.
fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Asks the person about a file, and records the answer.
async fn ask(found: &Found) -> Result<bool, Fault> {
    let file = shown(&found.file);
    if !is_person() {
        return Err(Fault::new(
            FaultCode::Forbidden,
            format!("{file} asks for another session, and you have not allowed it"),
        )
        .hint("Run `gstack instances trust` in a terminal in that folder. To ignore the file: --session default")
        .command("gstack instances trust"));
    }
    let home = base_home()?;
    let allowed =
        confirm::ask(&format!("{file} asks to use {}.\nUse it in this folder?", wishes(&home, &found.binding))).await?;
    bindings::answer(&home, found, allowed).map_err(|error| not_written(&home, &error))?;
    if !allowed {
        tell("Ignored from now on. To use it later: gstack instances trust");
    }
    Ok(allowed)
}

/// Describes what a file asks for, and what that would reach.
fn wishes(home: &Home, binding: &Binding) -> String {
    let session = binding.session.as_deref().map(|name| {
        let exists = name == DEFAULT || Home::instances_of(home.shared()).join(name).exists();
        format!("the session {name} ({})", if exists { "it exists, with its browser and conversations" } else { "new" })
    });
    let profile = binding.profile.as_deref().and_then(|name| ProfileName::parse(name).ok()).map(|name| {
        let exists = home.profile(&name).exists();
        format!("the browser profile {name} ({})", if exists { "it exists, with its logins" } else { "new" })
    });
    session.into_iter().chain(profile).collect::<Vec<_>>().join(" and ")
}

/// Answers `gstack instances trust` and `untrust` about the file of the current folder.
///
/// # Errors
///
/// Fails if there is no file, it cannot be used, or the person cannot be asked.
pub(super) async fn trust(allow: bool) -> Result<(Found, bool), Fault> {
    let home = base_home()?;
    let none = || {
        Fault::new(
            FaultCode::NotFound,
            "there is no .gstack/session.toml in this folder or above it, up to the repository",
        )
        .hint("It names a session, a profile or both: session = \"shop\"")
    };
    let found = bindings::find(home.shared()).map_err(|error| unusable(&error))?;
    let found = found.filter(|found| found.binding != Binding::default()).ok_or_else(none)?;
    if !allow {
        let had = bindings::forget(&home, &found.file).map_err(|error| not_written(&home, &error))?;
        return Ok((found, had));
    }
    if found.allowed == Some(true) {
        return Ok((found, true));
    }
    let allowed = ask(&found).await?;
    Ok((found, allowed))
}

/// Returns whether a person types here: at a terminal, and not behind an agent of gstack.
fn is_person() -> bool {
    confirm::can_ask() && !lineage::agent_started_us()
}

/// Returns the home that all instances share.
fn base_home() -> Result<Home, Fault> {
    let fault = |error: HomeError| Fault::new(FaultCode::Storage, error.to_string()).hint(error.hint());
    Home::at(Home::shared_root().map_err(fault)?).map_err(fault)
}

fn shown(file: &Path) -> String {
    visible_line(&file.display().to_string())
}

fn unusable(error: &BindingError) -> Fault {
    Fault::new(FaultCode::BadRequest, format!("{} can't be used: {}", shown(&error.file), error.why)).hint(
        "Correct the file, or choose a session yourself: --session NAME. For the default session: --session default",
    )
}

fn not_written(home: &Home, error: &std::io::Error) -> Fault {
    Fault::new(FaultCode::Storage, format!("your answer can't be kept: {error}"))
        .hint(gstack_base::trouble::hint(home.shared(), error))
}

/// Returns the file that applies here and has no answer yet, for `gstack instances`.
pub(super) fn undecided(session: Option<&str>) -> Option<String> {
    match decide(session) {
        Err(Undecided::Ask(found)) => {
            Some(format!("{} is not used until you run: gstack instances trust", shown(&found.file)))
        }
        Err(Undecided::Unusable(error)) => Some(format!("{} can't be used: {}", shown(&error.file), error.why)),
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_session_comes_before_everything_else() {
        let choice = without_asking(Some("news")).unwrap();
        assert_eq!((choice.session.as_deref(), choice.by.clone()), (Some("news"), ChosenBy::Option));
        assert_eq!(choice.profile(Some("work".to_owned())).as_deref(), Some("work"));
        assert_eq!((choice.source().as_str(), choice.told().as_deref()), ("option", Some("chosen by --session")));
        let file = Choice { by: ChosenBy::File(PathBuf::from("/a\nb/.gstack/session.toml")), ..Choice::default() };
        assert_eq!(file.told().unwrap(), "chosen by /a\\nb/.gstack/session.toml");
    }
}
