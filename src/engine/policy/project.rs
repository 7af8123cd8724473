//! The rules of a project: `.gstack/policy.toml` in the folder where an agent or a client works, and in the folders above it
//! up to the root of its git repository.
//!
//! Owns reading those files and what they make of a verdict. The files may be a stranger's, so they only narrow: a rule
//! denies or asks, and a file that cannot be used allows nothing but looking. Nothing is cached: each decision reads them.

use super::action_request::{ActionKind, ActionRequest};
use super::rules::{Verdict, why_not_covered};
use gstack_base::project_file::{self, FOLDER};
use gstack_base::site;
use gstack_base::visible::visible;
use gstack_protocol::chat::Decision;
use gstack_protocol::policy::{PolicyEffect, PolicyRule, PolicyScope};
use std::io;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

const FILE: &str = "policy.toml";
/// The most bytes of a file. Two hundred rules have less.
const MOST_BYTES: u64 = 64 * 1024;
/// The most rules of a file.
const MOST_RULES: usize = 200;

/// The rules of a project. The innermost file comes first.
#[derive(Debug, Default)]
pub(super) struct ProjectRules {
    denies: Vec<PolicyRule>,
    asks: Vec<PolicyRule>,
}

/// A file that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProjectFault {
    pub(super) file: PathBuf,
    pub(super) why: String,
}

/// The verdict of the person's rules after the project's rules have narrowed it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Narrowed {
    /// The project has no say.
    Unchanged(Verdict),
    /// The named rule asks each time.
    Asks(String),
    /// The named rule denies it.
    Denied(String),
    /// A file cannot be used, so only looking is allowed.
    Unusable(ProjectFault),
}

/// Returns the answers to an approval that a project asks for. None of them makes a rule: the project would ask again.
pub(super) fn choices() -> Vec<Decision> {
    vec![Decision::AllowOnce, Decision::Deny]
}

/// Applies a project's rules to a verdict. Never turns a refusal into anything else.
pub(super) fn narrow(
    verdict: Verdict,
    project: Result<&ProjectRules, &ProjectFault>,
    request: &ActionRequest,
) -> Narrowed {
    if matches!(verdict, Verdict::Denied(_) | Verdict::NotOffered) {
        return Narrowed::Unchanged(verdict);
    }
    let looks = request.kind == ActionKind::Read;
    let project = match project {
        Ok(project) => project,
        Err(_) if looks => return Narrowed::Unchanged(verdict),
        Err(fault) => return Narrowed::Unusable(fault.clone()),
    };
    let covering = |rules: &[PolicyRule]| {
        rules.iter().find(|rule| why_not_covered(rule, request).is_none()).map(|rule| rule.id.clone())
    };
    if let Some(rule) = covering(&project.denies) {
        return Narrowed::Denied(rule);
    }
    match covering(&project.asks) {
        Some(rule) if !looks => Narrowed::Asks(rule),
        _ => Narrowed::Unchanged(verdict),
    }
}

/// Reads the rules of the project in which a folder lies. `own_home` is gstack's own folder, which has no project's file.
pub(super) fn rules_in(folder: &Path, own_home: &Path) -> Result<ProjectRules, ProjectFault> {
    let mut rules = ProjectRules::default();
    let unusable = |error: io::Error| ProjectFault { file: folder.join(FOLDER).join(FILE), why: error.to_string() };
    for place in project_file::places(folder, own_home).map_err(unusable)? {
        let file = place.join(FILE);
        add_file(&mut rules, &place, &file).map_err(|why| ProjectFault { file, why })?;
    }
    Ok(rules)
}

fn add_file(rules: &mut ProjectRules, place: &Path, file: &Path) -> Result<(), String> {
    let Some(text) = project_file::read(place, FILE, MOST_BYTES)? else { return Ok(()) };
    let table: Table = toml::from_str(&text).map_err(|error| project_file::syntax(&text, &error))?;
    for (key, value) in &table {
        let (effect_rules, entries) = match (key.as_str(), value) {
            ("deny", Value::Array(entries)) => (&mut rules.denies, entries),
            ("ask", Value::Array(entries)) => (&mut rules.asks, entries),
            ("deny" | "ask", _) => return Err(format!("{key:?} is not a list of tables: write [[{key}]]")),
            _ => return Err(refused(key)),
        };
        if entries.len() > MOST_RULES {
            return Err(format!("it has more than {MOST_RULES} rules"));
        }
        for (at, entry) in entries.iter().enumerate() {
            let name = format!("{key} {}", at + 1);
            let id = format!("{}: {name}", visible(&file.display().to_string()));
            effect_rules.push(rule(id, entry).map_err(|why| format!("{name}: {why}"))?);
        }
    }
    Ok(())
}

fn refused(key: &str) -> String {
    let key: String = key.chars().take(40).collect();
    format!("{key:?} is refused: a project's file can only narrow what you allowed, by [[deny]] and [[ask]]")
}

/// Reads one rule. It covers an action as a rule of the person that denies does.
fn rule(id: String, entry: &Value) -> Result<PolicyRule, String> {
    let table = entry.as_table().ok_or("it is not a table")?;
    if let Some(key) = table.keys().find(|key| !matches!(key.as_str(), "scope" | "site")) {
        let key: String = key.chars().take(40).collect();
        return Err(format!("{key:?} is refused: a rule has a scope, and a site if it is for one"));
    }
    let text = |key: &str| match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(format!("{key:?} is not a text")),
    };
    let scope = text("scope")?.ok_or("it has no scope")?;
    let known = PolicyScope::ALL.into_iter().find(|known| known.name() == scope).ok_or_else(|| {
        let scope: String = scope.chars().take(40).collect();
        format!("{scope:?} is not a scope: use {}", PolicyScope::ALL.map(PolicyScope::name).join(", "))
    })?;
    let site = text("site")?.map(|typed| site::typed(typed).ok_or("its site is not a host")).transpose()?;
    Ok(PolicyRule {
        id,
        effect: PolicyEffect::Deny,
        scope: known,
        site,
        tool: None,
        browser: None,
        conversation_id: None,
        until: None,
        made_at: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::super::action_request::Risk;
    use super::*;
    use gstack_protocol::ids::ConversationId;
    use std::fs;

    fn write(folder: &Path, text: &str) {
        fs::create_dir_all(folder.join(FOLDER)).unwrap();
        fs::write(folder.join(FOLDER).join(FILE), text).unwrap();
    }

    fn request(kind: ActionKind, site: Option<&str>) -> ActionRequest {
        let site = site.map(str::to_owned);
        ActionRequest {
            conversation_id: ConversationId::new("c"),
            kind,
            site,
            browser: None,
            tool: None,
            risk: Risk::Plain,
        }
    }

    fn narrowed(folder: &Path, verdict: Verdict, kind: ActionKind, site: Option<&str>) -> Narrowed {
        let rules = rules_in(folder, Path::new("/nowhere"));
        narrow(verdict, rules.as_ref(), &request(kind, site))
    }

    fn why(folder: &Path) -> String {
        rules_in(folder, Path::new("/nowhere")).unwrap_err().why
    }

    const SUBMIT: ActionKind = ActionKind::Does(PolicyScope::Submit);
    const ACT: ActionKind = ActionKind::Does(PolicyScope::Act);
    const RUN: Verdict = Verdict::Run(None);

    #[test]
    fn a_project_narrows_and_never_widens() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let deny = "[[deny]]\nscope = \"submit\"\n[[ask]]\nscope = \"act\"\nsite = \"shop.example\"\n";
        write(&root, deny);
        let name = |rule: &str| format!("{}: {rule}", root.join(FOLDER).join(FILE).display());
        let of = |verdict, kind, site| narrowed(&root, verdict, kind, site);
        assert_eq!(of(RUN, SUBMIT, None), Narrowed::Denied(name("deny 1")));
        assert_eq!(of(Verdict::Ask(vec![Decision::AllowAlways]), SUBMIT, None), Narrowed::Denied(name("deny 1")));
        assert_eq!(of(RUN, ACT, Some("shop.example")), Narrowed::Asks(name("ask 1")));
        assert_eq!(of(RUN, ACT, Some("other.example")), Narrowed::Unchanged(RUN));
        assert_eq!(of(RUN, ActionKind::Read, Some("shop.example")), Narrowed::Unchanged(RUN));
        // What the person's own rules refuse stays refused, for their reason.
        for refused in [Verdict::Denied("a".to_owned()), Verdict::NotOffered] {
            assert_eq!(of(refused.clone(), ACT, Some("shop.example")), Narrowed::Unchanged(refused));
        }
        write(&root, "[[ask]]\nscope = \"everything\"\n");
        assert_eq!(of(RUN, ACT, None), Narrowed::Asks(name("ask 1")));
        assert_eq!(of(RUN, ActionKind::Read, None), Narrowed::Unchanged(RUN), "looking is not asked about");
        write(&root, "[[deny]]\nscope = \"everything\"\n");
        assert_eq!(of(RUN, ActionKind::Read, None), Narrowed::Denied(name("deny 1")));
        fs::remove_dir_all(root.join(FOLDER)).unwrap();
        assert_eq!(of(RUN, SUBMIT, None), Narrowed::Unchanged(RUN));
    }

    #[test]
    fn a_file_that_cannot_be_used_allows_only_looking_and_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (text, said) in [
            ("[[allow]]\nscope = \"act\"\n", "\"allow\" is refused"),
            ("unattended = \"10h\"\n", "\"unattended\" is refused"),
            ("[[deny]]\nscope = \"act\"\neffect = \"allow\"\n", "deny 1: \"effect\" is refused"),
            ("[[deny]]\nscope = \"shel\"\n", "deny 1: \"shel\" is not a scope"),
            ("[[ask]]\nsite = \"shop.example\"\n", "ask 1: it has no scope"),
            ("[[ask]]\nscope = \"act\"\nsite = \"a b\"\n", "ask 1: its site is not a host"),
            ("deny = \"everything\"\n", "\"deny\" is not a list of tables"),
            ("deny = [1]\n", "deny 1: it is not a table"),
            ("\n\ntoken hunter2\n", "line 3 is not valid TOML"),
        ] {
            write(&root, text);
            let found = why(&root);
            assert!(found.starts_with(said) && !found.contains("hunter2"), "{text}: {found}");
            assert!(matches!(narrowed(&root, RUN, ACT, None), Narrowed::Unusable(_)), "{text}");
            assert_eq!(narrowed(&root, RUN, ActionKind::Read, None), Narrowed::Unchanged(RUN));
        }
        write(&root, &"[[deny]]\nscope = \"act\"\n".repeat(MOST_RULES + 1));
        assert!(why(&root).contains("more than 200 rules"));
        write(&root, &"#".repeat(100_000));
        assert!(why(&root).contains("longer than 64 KiB"));
        fs::write(root.join(FOLDER).join(FILE), b"\xff\xfe").unwrap();
        assert!(!why(&root).is_empty());
        fs::remove_dir_all(root.join(FOLDER)).unwrap();
        std::os::unix::fs::symlink("/nowhere", root.join(FOLDER)).unwrap();
        assert!(why(&root).contains("symlinks"), "even one that leads nowhere");
        fs::remove_file(root.join(FOLDER)).unwrap();
        fs::write(root.join(FOLDER), "a file").unwrap();
        assert!(!why(&root).is_empty());
    }

    #[test]
    fn files_count_up_to_the_root_of_the_repository_and_gstacks_home_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let outer = folder.path().canonicalize().unwrap();
        let root = outer.join("project");
        let inner = root.join("a/b");
        fs::create_dir_all(&inner).unwrap();
        write(&outer, "[[deny]]\nscope = \"everything\"\n");
        write(&root, "[[deny]]\nscope = \"submit\"\n");
        assert_eq!(narrowed(&inner, RUN, SUBMIT, None), Narrowed::Unchanged(RUN), "no repository: the folder alone");
        fs::create_dir(root.join(".git")).unwrap();
        assert!(matches!(narrowed(&inner, RUN, SUBMIT, None), Narrowed::Denied(_)));
        assert_eq!(narrowed(&inner, RUN, ACT, None), Narrowed::Unchanged(RUN), "a file above the repository");
        std::os::unix::fs::symlink(&inner, outer.join("link")).unwrap();
        assert!(matches!(narrowed(&outer.join("link"), RUN, SUBMIT, None), Narrowed::Denied(_)));
        let own = rules_in(&root, &root.join(FOLDER)).unwrap();
        assert!(own.denies.is_empty(), "gstack's own home");
        assert!(rules_in(Path::new("a/b"), &outer).unwrap().denies.is_empty());
    }
}
