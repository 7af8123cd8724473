//! `gstack auth`: saves, lists, removes, unlocks and fills in sign-ins.
//!
//! Owns the text and where each secret comes from. The daemon owns the store; a secret is never printed.

use super::hidden_input;
use super::terminal::{Terminal, clean_line, show, tell};
use clap::{Arg, ArgAction, ArgMatches, Command};
use gstack_client::http::Client;
use gstack_protocol::basics::Empty;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::secret_text::SecretText;
use gstack_protocol::sign_in::{
    PasswordSource, ProviderKind, SavedSignIn, SavedSignIns, SecretProvider, SignInFields, SignInRemove, SignInSave,
    SignInStore, SignInUnlock,
};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

/// The parsed subcommand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Auth {
    /// Lists the saved sign-ins.
    List,
    /// Saves one.
    Save(Box<Save>),
    /// Removes one.
    Remove {
        /// Its name.
        name: String,
    },
    /// Unlocks the store, or creates it with a passphrase.
    Unlock {
        /// When the daemon forgets the passphrase.
        minutes: Option<u32>,
    },
    /// Forgets the passphrase.
    Lock,
}

/// The options of `auth save`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Save {
    name: String,
    origin: String,
    user: String,
    provider: Option<ProviderKind>,
    entry: String,
    totp_entry: Option<String>,
    totp: bool,
    fields: [Option<String>; 3],
    replace: bool,
}

pub(super) fn command() -> Command {
    let name = || {
        Arg::new("name").required(true).value_name("NAME").help("The sign-in's name, as `gstack auth list` shows it")
    };
    let value =
        |id: &'static str, value: &'static str, help: &'static str| Arg::new(id).long(id).value_name(value).help(help);
    let providers = ProviderKind::ALL.map(ProviderKind::name);
    Command::new("auth")
        .about("Save sign-ins and fill them in without the model seeing them")
        .subcommand(Command::new("list").about("List the saved sign-ins, without secrets (the default)"))
        .subcommand(
            Command::new("save")
                .about("Save a sign-in; the password is typed without echo or read from standard input")
                .arg(
                    Arg::new("name").required(true).value_name("NAME").help("A name for the sign-in, such as ada@shop"),
                )
                .arg(
                    value("origin", "URL", "The only origin that the sign-in is filled in on: https://shop.example")
                        .required(true),
                )
                .arg(value("user", "USER", "The user name or email address").required(true))
                .arg(
                    Arg::new("totp")
                        .long("totp")
                        .action(ArgAction::SetTrue)
                        .conflicts_with("provider")
                        .help("Also ask for the seed of one-time codes: an otpauth:// address or base32"),
                )
                .arg(
                    value("provider", "NAME", "Ask a password manager for the password each time")
                        .value_parser(providers)
                        .requires("entry"),
                )
                .arg(value(
                    "entry",
                    "ENTRY",
                    "The entry in the password manager: a path in pass, op://vault/item/password, or the id or whole name of an item in bw",
                ))
                .arg(value("totp-entry", "ENTRY", "The entry with the one-time codes").requires("provider"))
                .arg(value("user-field", "SEL", "The user name field, if gstack does not find it"))
                .arg(value("password-field", "SEL", "The password field, if gstack does not find it"))
                .arg(value("code-field", "SEL", "The one-time code field, if gstack does not find it"))
                .arg(
                    Arg::new("replace")
                        .long("replace")
                        .action(ArgAction::SetTrue)
                        .help("Replace the saved sign-in with this name"),
                ),
        )
        .subcommand(
            Command::new("fill")
                .about("Fill in a saved sign-in on a page of its origin")
                .arg(name())
                .arg(Arg::new("submit").long("submit").action(ArgAction::SetTrue).help("Submit the form afterwards")),
        )
        .subcommand(Command::new("remove").about("Remove a saved sign-in").arg(name()))
        .subcommand(
            Command::new("unlock")
                .about("Unlock the sign-ins with their passphrase, or create the store with one instead of the keyring")
                .arg(
                    value("minutes", "N", "Forget the passphrase after this many minutes (default: 60)")
                        .value_parser(clap::value_parser!(u32).range(1..)),
                ),
        )
        .subcommand(Command::new("lock").about("Lock the sign-ins again: forget the passphrase now"))
}

/// Returns what was asked for. To fill one in is a command of the browser: then, the error has its arguments.
pub(super) fn parse(matches: &ArgMatches) -> Result<Auth, Vec<String>> {
    let Some((word, matches)) = matches.subcommand() else { return Ok(Auth::List) };
    let given = |key: &str| matches.get_one::<String>(key).cloned();
    let text = |key: &str| given(key).unwrap_or_default();
    Ok(match word {
        "save" => {
            let provider = given("provider");
            Auth::Save(Box::new(Save {
                name: text("name"),
                origin: text("origin"),
                user: text("user"),
                provider: ProviderKind::ALL.into_iter().find(|kind| provider.as_deref() == Some(kind.name())),
                entry: text("entry"),
                totp_entry: given("totp-entry"),
                totp: matches.get_flag("totp"),
                fields: ["user-field", "password-field", "code-field"].map(given),
                replace: matches.get_flag("replace"),
            }))
        }
        "fill" => {
            let submit = matches.get_flag("submit").then(|| "--submit".to_owned());
            return Err(std::iter::once(text("name")).chain(submit).collect());
        }
        "remove" => Auth::Remove { name: text("name") },
        "unlock" => Auth::Unlock { minutes: matches.get_one::<u32>("minutes").copied() },
        "lock" => Auth::Lock,
        _ => Auth::List,
    })
}

pub(super) async fn run(client: &Client, wanted: Auth, json: bool, terminal: Terminal) -> Result<(), Fault> {
    match wanted {
        Auth::List => {
            let known: SavedSignIns = client.get("/auth").await?;
            show(json, &known, || list(&known, terminal))?;
        }
        Auth::Save(save) => {
            open_store(client).await?;
            let saved: SavedSignIn = client.post("/auth/save", &request(*save).await?).await?;
            show(json, &saved, || format!("Saved {}: {} at {}", saved.name, clean_line(&saved.user), saved.origin))?;
        }
        Auth::Remove { name } => {
            let known: SavedSignIns = client.post("/auth/remove", &SignInRemove { name }).await?;
            show(json, &known, || list(&known, terminal))?;
        }
        Auth::Unlock { minutes } => {
            let known: SavedSignIns = client.get("/auth").await?;
            let passphrase = match known.store {
                SignInStore::Keyring => {
                    tell("The system's keyring protects the sign-ins: they have no passphrase.");
                    None
                }
                SignInStore::Missing => Some(passphrase("New passphrase of the sign-ins", true).await?),
                SignInStore::Locked | SignInStore::Unlocked => {
                    Some(passphrase("Passphrase of the sign-ins", false).await?)
                }
            };
            let known = unlock(client, passphrase, minutes).await?;
            show(json, &known, || list(&known, terminal))?;
        }
        Auth::Lock => {
            let known: SavedSignIns = client.post("/auth/lock", &Empty {}).await?;
            show(json, &known, || list(&known, terminal))?;
        }
    }
    Ok(())
}

/// Makes sure that something can be saved: creates the store, with the keyring if there is one, or unlocks it.
async fn open_store(client: &Client) -> Result<(), Fault> {
    let known = unlock(client, None, None).await?;
    let why = known.trouble.unwrap_or_default();
    let passphrase = match known.store {
        SignInStore::Keyring | SignInStore::Unlocked => return Ok(()),
        SignInStore::Missing if hidden_input::is_interactive() => {
            tell(&format!("The system's keyring can't be used: {why}. A passphrase protects the sign-ins instead."));
            passphrase("New passphrase of the sign-ins", true).await?
        }
        SignInStore::Locked if hidden_input::is_interactive() => {
            passphrase("Passphrase of the sign-ins", false).await?
        }
        SignInStore::Missing => {
            return Err(Fault::new(FaultCode::Conflict, format!("the system's keyring can't be used: {why}"))
                .hint("To protect sign-ins with a passphrase instead: gstack auth unlock"));
        }
        SignInStore::Locked => {
            return Err(
                Fault::new(FaultCode::Forbidden, "the saved sign-ins are locked").hint("First: gstack auth unlock")
            );
        }
    };
    unlock(client, Some(passphrase), None).await.map(|_| ())
}

async fn passphrase(prompt: &str, is_new: bool) -> Result<SecretText, Fault> {
    match (hidden_input::is_interactive(), is_new) {
        (true, true) => hidden_input::ask_twice(prompt).await,
        (true, false) => hidden_input::ask(prompt).await,
        (false, _) => Ok(hidden_input::lines(1)?.remove(0)),
    }
}

async fn unlock(client: &Client, passphrase: Option<SecretText>, minutes: Option<u32>) -> Result<SavedSignIns, Fault> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let secrets = ProviderKind::SECRET_VARIABLES.iter();
    let environment =
        secrets.filter_map(|name| set(name).map(|value| ((*name).to_owned(), SecretText::new(value)))).collect();
    client.post("/auth/unlock", &SignInUnlock { passphrase, minutes, environment }).await
}

async fn request(save: Save) -> Result<SignInSave, Fault> {
    let Save { name, origin, user, provider, entry, totp_entry, totp, fields, replace } = save;
    let (password, totp) = match provider {
        Some(kind) => {
            let provider =
                SecretProvider { kind, program: program(kind)?, entry, totp_entry, environment: variables() };
            (PasswordSource::Provider(provider), None)
        }
        None if hidden_input::is_interactive() => {
            let password = hidden_input::ask(&format!("Password of {}", clean_line(&user))).await?;
            let seed = if totp { Some(hidden_input::ask("Seed of the one-time codes").await?) } else { None };
            (PasswordSource::Saved(password), seed)
        }
        None => {
            let mut lines = hidden_input::lines(if totp { 2 } else { 1 })?.into_iter();
            let password = lines.next().unwrap_or_else(|| SecretText::new(String::new()));
            (PasswordSource::Saved(password), lines.next())
        }
    };
    let [user_field, password_field, code_field] = fields;
    let fields = SignInFields { user: user_field, password: password_field, code: code_field };
    Ok(SignInSave { name, origin, user, password, totp, fields, replace })
}

/// Returns the program that this terminal's PATH names.
fn program(kind: ProviderKind) -> Result<String, Fault> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_program = |file: &std::path::PathBuf| {
        file.is_absolute()
            && file.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
    };
    let found = std::env::split_paths(&path).map(|folder| folder.join(kind.name())).find(is_program);
    found.and_then(|file| file.to_str().map(str::to_owned)).ok_or_else(|| {
        Fault::new(FaultCode::NotFound, format!("{} is not installed", kind.name()))
            .hint("Install it so that this terminal finds it.")
    })
}

fn variables() -> BTreeMap<String, String> {
    let set = |name: &&str| Some(((*name).to_owned(), std::env::var(name).ok().filter(|value| !value.is_empty())?));
    ProviderKind::VARIABLES.iter().filter_map(set).collect()
}

fn list(known: &SavedSignIns, terminal: Terminal) -> String {
    match known.store {
        SignInStore::Missing => return "No sign-in is saved yet.".to_owned(),
        SignInStore::Locked => return "The saved sign-ins are locked. To unlock them: gstack auth unlock".to_owned(),
        SignInStore::Keyring | SignInStore::Unlocked if known.sign_ins.is_empty() => {
            return "No sign-in is saved yet.".to_owned();
        }
        SignInStore::Keyring | SignInStore::Unlocked => {}
    }
    let line = |saved: &SavedSignIn| {
        let from = saved.provider.map(|kind| format!("from {}", kind.name()));
        let about = from.into_iter().chain(saved.totp.then(|| "one-time codes".to_owned())).collect::<Vec<_>>();
        let about = if about.is_empty() { String::new() } else { format!("  {}", terminal.dim(&about.join(", "))) };
        format!("{}  {} at {}{about}", terminal.bold(&saved.name), clean_line(&saved.user), saved.origin)
    };
    known.sign_ins.iter().map(line).collect::<Vec<_>>().join("\n")
}
