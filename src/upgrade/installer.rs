//! The installer of this program: only a package manager may replace its own files.
//!
//! Owns the table of locations. Looks only at the path.

use std::path::Path;

pub(super) struct Installer;

/// A part of the path, the installer's name, and its update command.
const PLACES: [(&str, &str, &str); 7] = [
    ("/nix/store/", "Nix", "nix profile upgrade gstack"),
    ("/Cellar/", "Homebrew", "brew upgrade gstack"),
    ("/node_modules/", "npm", "npm update --global"),
    ("/.cargo/bin/", "cargo", "cargo install --locked --path ."),
    ("/target/debug/", "cargo build", "install/setup.sh"),
    ("/target/release/", "cargo build", "install/setup.sh"),
    ("/target/dist/", "cargo build", "install/setup.sh"),
];
/// The locations of system packages.
const SYSTEM: [&str; 3] = ["/usr/bin", "/bin", "/opt"];

impl Installer {
    /// Returns the program's installer, or `None` if it is the installation script.
    pub(super) fn of(program: &Path) -> Option<&'static str> {
        let path = program.display().to_string();
        let found = PLACES.iter().find(|(part, ..)| path.contains(part)).map(|(_, name, _)| *name);
        found.or_else(|| SYSTEM.iter().any(|folder| program.starts_with(folder)).then_some("a package of this system"))
    }

    /// Returns the installer's update command.
    pub(super) fn command(name: &str) -> &'static str {
        let found = PLACES.iter().find(|(_, known, _)| *known == name);
        found.map_or("sudo apt install ./gstack_VERSION_ARCH.deb", |(.., command)| command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_package_managers_are_left_to_them() {
        for (path, by) in [
            ("/nix/store/abc-gstack-0.1.0/bin/gstack", Some("Nix")),
            ("/opt/homebrew/Cellar/gstack/0.1.0/bin/gstack", Some("Homebrew")),
            ("/home/you/.npm/_npx/1/node_modules/@owner/gstack-linux-x64/bin/gstack", Some("npm")),
            ("/home/you/.cargo/bin/gstack", Some("cargo")),
            ("/home/you/gstack/target/release/gstack", Some("cargo build")),
            ("/usr/bin/gstack", Some("a package of this system")),
            ("/home/you/.local/bin/gstack", None),
            ("/usr/local/bin/gstack", None),
        ] {
            assert_eq!(Installer::of(Path::new(path)), by, "{path}");
        }
        assert_eq!(Installer::command("Nix"), "nix profile upgrade gstack");
    }
}
