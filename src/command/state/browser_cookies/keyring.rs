//! The password that a desktop keyring stores for a browser's cookies.
//!
//! Owns the query, made through the system's own program: `secret-tool` (Secret Service: GNOME Keyring, KWallet,
//! KeePassXC) or `security` (macOS Keychain). Never prints or logs the answer.

use crate::base::person_program;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

/// A locked keyring prompts the person.
const LIMIT: Duration = Duration::from_secs(60);

/// The keyring's answer.
#[derive(Default)]
pub(super) struct Passwords {
    /// The passwords that may belong to the browser.
    pub(super) found: Vec<Vec<u8>>,
    /// Why there are none, for people.
    pub(super) trouble: Option<String>,
}

/// Asks the keyring for a browser's password.
pub(super) async fn passwords(browser: &str) -> Passwords {
    let mut passwords = Passwords::default();
    for question in questions(browser) {
        match ask(&question).await {
            Ok(Some(password)) => passwords.found.push(password),
            Ok(None) => {}
            Err(trouble) => passwords.trouble = Some(trouble),
        }
    }
    if !passwords.found.is_empty() {
        passwords.trouble = None;
    } else if passwords.trouble.is_none() {
        passwords.trouble = Some(format!("the keyring has no password for {browser}"));
    }
    passwords
}

/// Returns the commands to run, each a program with its arguments, most likely first.
fn questions(browser: &str) -> Vec<Vec<String>> {
    let family = browser.split(' ').next().unwrap_or_default();
    if cfg!(target_os = "macos") {
        let account = match family {
            "Edge" => "Microsoft Edge",
            family => family,
        };
        let service = format!("{account} Safe Storage");
        return vec![
            ["security", "find-generic-password", "-w", "-a", account, "-s", &service].map(str::to_owned).to_vec(),
        ];
    }
    // The attribute by which a browser finds its own password. Chromium forks often keep Chromium's name.
    let names: &[&str] = match family {
        "Chrome" => &["chrome"],
        "Brave" => &["brave"],
        "Edge" => &["microsoft-edge", "edge", "chromium"],
        "Vivaldi" => &["vivaldi", "chrome"],
        _ => &["chromium"],
    };
    names.iter().map(|name| ["secret-tool", "lookup", "application", name].map(str::to_owned).to_vec()).collect()
}

/// Returns `None` if the keyring answers but has no entry. Fails if it does not answer.
async fn ask(question: &[String]) -> Result<Option<Vec<u8>>, String> {
    let Some((program, arguments)) = question.split_first() else { return Ok(None) };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    if let Some(bus) = person_program::session_bus() {
        command.env("DBUS_SESSION_BUS_ADDRESS", bus);
    }
    let answer = match timeout(LIMIT, command.output()).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(format!(
                "{program} is not installed, and without it the keyring can't be asked (Debian: libsecret-tools)"
            ));
        }
        Ok(Err(error)) => return Err(format!("{program} can't be run: {error}")),
        Err(_) => return Err(format!("the keyring did not answer within {} s", LIMIT.as_secs())),
    };
    let password = answer.stdout.strip_suffix(b"\n").unwrap_or(&answer.stdout).to_vec();
    match answer.status.success() && !password.is_empty() {
        true => Ok(Some(password)),
        // No error output means no entry. Otherwise no keyring answers, or it is locked.
        false => match String::from_utf8_lossy(&answer.stderr).lines().next().map(str::trim) {
            Some(words) if !words.is_empty() => Err(format!("no keyring answers ({words})")),
            _ => Ok(None),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{ask, questions};

    fn shell(script: &str) -> Vec<String> {
        ["sh", "-c", script].map(str::to_owned).to_vec()
    }

    #[tokio::test]
    async fn a_keyring_that_gives_nothing_says_why() {
        assert_eq!(ask(&shell("echo secret")).await.unwrap(), Some(b"secret".to_vec()));
        assert_eq!(ask(&shell("exit 1")).await.unwrap(), None);
        assert!(ask(&shell("echo no bus >&2; exit 1")).await.unwrap_err().contains("no bus"));
        let missing = ask(&["no-such-program".to_owned()]).await.unwrap_err();
        assert!(missing.contains("not installed"), "{missing}");
    }

    #[test]
    fn every_browser_has_a_question() {
        for browser in &crate::base::browsers::FAMILY {
            assert!(!questions(browser.name).is_empty(), "{}", browser.name);
        }
    }
}
