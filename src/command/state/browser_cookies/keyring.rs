//! The password that a desktop keyring stores for a browser's cookies.
//!
//! Owns the place where each browser keeps it. Never prints or logs it.

use gstack_keyring::{Item, KeyringError};
use zeroize::Zeroizing;

/// The keyring's answer.
#[derive(Default)]
pub(super) struct Passwords {
    /// The passwords that may belong to the browser.
    pub(super) found: Vec<Zeroizing<String>>,
    /// Why there are none, for people.
    pub(super) trouble: Option<String>,
}

/// Asks the keyring for a browser's password.
pub(super) async fn passwords(browser: &str) -> Passwords {
    let mut passwords = Passwords::default();
    for place in places(browser) {
        match place.ask().await {
            Ok(found) => passwords.found.extend(found.into_iter().filter(|password| !password.is_empty())),
            Err(KeyringError::Missing) => {}
            Err(error) => passwords.trouble = Some(error.to_string()),
        }
    }
    if !passwords.found.is_empty() {
        passwords.trouble = None;
    } else if passwords.trouble.is_none() {
        passwords.trouble = Some(format!("the keyring has no password for {browser}"));
    }
    passwords
}

/// A place where the keyring may have the password.
enum Place {
    /// Entries of the Secret Service whose `application` this is: by it, a browser finds its own password.
    Application(&'static str),
    /// An item of the macOS Keychain.
    Keychain { service: String, account: String },
}

impl Place {
    async fn ask(&self) -> Result<Vec<Zeroizing<String>>, KeyringError> {
        match self {
            Self::Application(name) => gstack_keyring::matching("application", name).await,
            Self::Keychain { service, account } => {
                Ok(vec![gstack_keyring::read(Item { service, user: account }).await?])
            }
        }
    }
}

/// Returns the places, most likely first.
fn places(browser: &str) -> Vec<Place> {
    let family = browser.split(' ').next().unwrap_or_default();
    if cfg!(target_os = "macos") {
        let account = match family {
            "Edge" => "Microsoft Edge",
            family => family,
        };
        return vec![Place::Keychain { service: format!("{account} Safe Storage"), account: account.to_owned() }];
    }
    // Chromium forks often keep Chromium's name.
    let names: &[&str] = match family {
        "Chrome" => &["chrome"],
        "Brave" => &["brave"],
        "Edge" => &["microsoft-edge", "edge", "chromium"],
        "Vivaldi" => &["vivaldi", "chrome"],
        _ => &["chromium"],
    };
    names.iter().map(|name| Place::Application(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::places;

    #[test]
    fn every_browser_has_a_place() {
        for browser in &gstack_base::browsers::FAMILY {
            assert!(!places(browser.name).is_empty(), "{}", browser.name);
        }
    }
}
