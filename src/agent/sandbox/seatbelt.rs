//! Converts a plan to a seatbelt profile for `sandbox-exec` of macOS. Written from Apple's and other projects' profiles
//! and tested only as text: it has not been run on a Mac.
//!
//! Owns the text. If several rules match a path, the last one applies.

use super::plan::Plan;
use std::fmt::Write;
use std::path::Path;

pub(super) const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// Allows everything except files and Unix sockets. The plan's rules then open files; the only Unix socket is that of
/// mDNSResponder.
const BEGIN: &str = "(version 1)
(allow default)
(deny file-read* file-write*)
(deny network-outbound (remote unix-socket))
(deny mach-lookup (global-name \"com.apple.SecurityServer\") (global-name \"com.apple.securityd\"))
(deny appleevent-send)
(deny lsopen)
(allow network-outbound (literal \"/private/var/run/mDNSResponder\"))
(allow file-read-metadata)
(allow file-read* (literal \"/\") (subpath \"/dev\") (subpath \"/private/var/db/timezone\") (subpath \"/private/var/select\"))
(allow file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\") (regex #\"^/dev/ttys[0-9]+$\") (literal \"/dev/ptmx\"))
";

pub(super) fn profile(plan: &Plan) -> String {
    let mut rules: Vec<(&Path, u8, &str)> = Vec::new();
    let lists = [
        (&plan.read, "allow file-read*"),
        (&plan.closed, "deny file-read* file-write*"),
        (&plan.write, "allow file-read* file-write*"),
        (&plan.fixed, "deny file-write*"),
    ];
    for (rank, (paths, rule)) in (0u8..).zip(lists) {
        rules.extend(paths.iter().map(|path| (path.as_path(), rank, rule)));
    }
    rules.push((&plan.temporary, 2, "allow file-read* file-write*"));
    // A path sorts before the paths inside it.
    rules.sort();
    let mut text = BEGIN.to_owned();
    for (path, _, rule) in rules {
        // Writing to a string does not fail.
        writeln!(text, "({rule} (subpath {}))", quoted(path)).ok();
    }
    text
}

fn quoted(path: &Path) -> String {
    let escaped = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn deeper_rules_come_later_and_paths_can_not_end_their_quotes() {
        let plan = Plan {
            read: vec![PathBuf::from("/h")],
            closed: vec![PathBuf::from("/h/g")],
            write: vec![PathBuf::from("/h/g/\")(allow default)")],
            temporary: PathBuf::from("/t"),
            ..Plan::default()
        };
        let text = profile(&plan);
        let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} is not in {text}"));
        assert!(at("(allow file-read* (subpath \"/h\"))") < at("(deny file-read* file-write* (subpath \"/h/g\"))"));
        assert!(at("(subpath \"/h/g\")") < at("(subpath \"/h/g/\\\")(allow default)\")"));
        assert!(text.starts_with("(version 1)\n") && text.contains("(deny network-outbound (remote unix-socket))"));
    }
}
