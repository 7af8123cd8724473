//! The names by which people tell the browsers of one daemon apart.
//!
//! Owns the check of a name.

use super::plain_name::is_name;
use std::fmt;

/// The name of the browser that commands without `--browser` use.
pub const MAIN: &str = "main";

/// The name of a browser. Has only letters, digits, `-` and `_`, so it is never a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BrowserName(String);

/// The text is not the name of a browser.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the browser name {0:?} is not usable")]
pub struct BadBrowserName(pub String);

impl BadBrowserName {
    /// The next step.
    pub const HINT: &str = "A browser name has letters, digits, - and _ only, at most 32 of them. \
        The program of a browser is chosen by: gstack connect --program PATH";
}

impl Default for BrowserName {
    fn default() -> Self {
        Self(MAIN.to_owned())
    }
}

impl fmt::Display for BrowserName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl BrowserName {
    /// Checks a name.
    ///
    /// # Errors
    ///
    /// Fails if it is empty, longer than 32 characters, or has other characters than letters, digits, `-` and `_`.
    pub fn parse(name: &str) -> Result<Self, BadBrowserName> {
        match is_name(name) {
            true => Ok(Self(name.to_owned())),
            false => Err(BadBrowserName(name.chars().take(64).collect())),
        }
    }

    /// Returns true for the browser that commands without `--browser` use.
    pub fn is_main(&self) -> bool {
        self.0 == MAIN
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::home::Home;
    use super::*;
    use crate::private_folder::HomeError;
    use std::fs;

    #[test]
    fn a_browser_name_is_not_a_path() {
        for name in ["shop", "a-b_1", "main", &"x".repeat(32)] {
            assert!(BrowserName::parse(name).is_ok(), "{name}");
        }
        for name in ["", ".", "..", "../x", "a/b", "/usr/bin/chromium", "a b", "a.sock", "ä", &"x".repeat(33)] {
            assert!(BrowserName::parse(name).is_err(), "{name}");
        }
    }

    #[test]
    fn each_browser_has_its_own_files_and_the_main_one_those_of_the_home() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("g")).unwrap();
        let shop = home.for_browser(&BrowserName::parse("shop").unwrap()).unwrap();
        assert_eq!(home.for_browser(&BrowserName::default()).unwrap(), home);
        let files = |home: &Home| {
            [
                home.browser_socket(),
                home.keeper_key(),
                home.keeper_lock(),
                home.keeper_log(),
                home.tabs_file(),
                home.everyday_file(),
                home.capture_file(),
                home.browser_profile(),
            ]
        };
        for (own, of_main) in files(&shop).iter().zip(files(&home)) {
            assert!(*own != of_main && own.starts_with(home.root()), "{own:?}");
        }
        assert_eq!((shop.http_socket(), shop.config_file()), (home.http_socket(), home.config_file()));
        assert_eq!(home.browsers(), [BrowserName::default(), BrowserName::parse("shop").unwrap()]);
        assert_eq!(shop.browsers(), home.browsers(), "the same from each browser");
        fs::create_dir(home.browsers_folder().join("a.b")).unwrap();
        fs::write(home.browsers_folder().join("file"), "").unwrap();
        assert_eq!(home.browsers().len(), 2);
    }

    #[test]
    fn a_name_whose_socket_path_would_be_too_long_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let deep = "x".repeat(80 - folder.path().as_os_str().len());
        let home = Home::at(folder.path().join(deep)).unwrap();
        let name = |length| BrowserName::parse(&"n".repeat(length)).unwrap();
        let Err(error) = home.for_browser(&name(32)) else { panic!("the path fits") };
        let HomeError::LongBrowserName { most, .. } = error else { panic!("{error}") };
        let named = home.for_browser(&name(most)).unwrap();
        std::os::unix::net::UnixListener::bind(named.browser_socket()).unwrap();
        assert!(home.for_browser(&name(most + 1)).is_err());
    }
}
