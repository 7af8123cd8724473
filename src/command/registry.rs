//! All commands, and running one by its name.
//!
//! Owns the list. A command exists once: beside its handler, in the file of its category.

use super::arguments::Arguments;
use super::context::{Context, Output};
use super::envelope;
use super::spec::{Category, Spec};
use super::{
    browser_cookies, chain, compare, contents, control, cookies, devtools, dialog_answers, files, frames, identity,
    inbox, inspect, inspection, interaction, looks, navigation, reading, saved_state, snapshot, tabs, viewport, visual,
    waiting, watch,
};
use crate::protocol::fault::{Fault, FaultCode};
use std::path::Path;
use std::sync::LazyLock;

static ALL: LazyLock<Vec<&'static Spec>> = LazyLock::new(|| {
    let groups: &[&'static [Spec]] = &[
        navigation::COMMANDS,
        reading::COMMANDS,
        contents::READING,
        inspection::COMMANDS,
        cookies::INSPECTION,
        contents::INSPECTION,
        inspect::COMMANDS,
        devtools::COMMANDS,
        interaction::COMMANDS,
        waiting::COMMANDS,
        viewport::COMMANDS,
        dialog_answers::COMMANDS,
        files::COMMANDS,
        cookies::INTERACTION,
        browser_cookies::COMMANDS,
        identity::COMMANDS,
        looks::INTERACTION,
        visual::COMMANDS,
        looks::VISUAL,
        compare::COMMANDS,
        snapshot::COMMANDS,
        tabs::COMMANDS,
        frames::COMMANDS,
        chain::COMMANDS,
        saved_state::COMMANDS,
        watch::COMMANDS,
        inbox::COMMANDS,
        control::COMMANDS,
    ];
    groups.iter().copied().flatten().collect()
});

/// Every command, by category.
pub fn all() -> &'static [&'static Spec] {
    &ALL
}

/// The commands of one category, in their order.
pub fn of(category: Category) -> impl Iterator<Item = &'static Spec> {
    ALL.iter().copied().filter(move |spec| spec.category == category)
}

/// A command by its name or another name of it.
pub fn find(name: &str) -> Option<&'static Spec> {
    ALL.iter().copied().find(|spec| spec.name == name || spec.aliases.contains(&name))
}

/// As `find`; the fault of an unknown name suggests the nearest one.
pub fn get(name: &str) -> Result<&'static Spec, Fault> {
    find(name).ok_or_else(|| unknown(name))
}

/// The fault for a name that is no command, with the nearest one as its hint.
pub fn unknown(name: &str) -> Fault {
    unknown_among(name, &[])
}

/// The same where other commands exist beside these (the CLI's own).
pub fn unknown_among(name: &str, others: &[&str]) -> Fault {
    let fault = Fault::new(FaultCode::Unknown, format!("Unknown command: {name}"));
    match nearest(name, others) {
        Some(near) => fault.hint(format!("Did you mean: {near}?")),
        None => fault.hint("See all commands: gstack help"),
    }
}

fn nearest<'a>(name: &str, others: &[&'a str]) -> Option<&'a str> {
    let names = ALL.iter().flat_map(|spec| std::iter::once(&spec.name).chain(spec.aliases)).chain(others);
    let given = name.to_lowercase();
    let most = 1 + given.chars().count() / 4;
    names
        .map(|known| (if known.starts_with(&given) && given.len() > 1 { 1 } else { distance(&given, known) }, *known))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// Insertions, deletions, replacements and swaps of neighbours between two words.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let mut rows: Vec<Vec<usize>> = vec![(0..=right.len()).collect()];
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let mut best = (rows[i][j] + usize::from(a != b)).min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                best = best.min(rows[i - 1][j - 1] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[left.len()][right.len()]
}

/// Parses the arguments and runs the command, until it is done or cancelled.
pub async fn run(context: &Context, name: &str, args: &[String]) -> Result<Output, Fault> {
    let spec = get(name)?;
    let arguments = Arguments::parse(spec, args)?;
    tokio::select! {
        biased;
        output = execute(context, spec, arguments) => output,
        () = context.cancel.cancelled() => Err(cut_off(spec)),
    }
}

/// Runs a command that needs no browser for these arguments; none: it needs one.
pub async fn run_without_browser(
    spec: &Spec,
    arguments: &Arguments,
    cwd: Option<&Path>,
    temp_folder: &Path,
) -> Option<Result<Output, Fault>> {
    match spec.name {
        "inbox" => Some(inbox::read_or_clear(cwd, arguments).await),
        "cookie-import-browser" if browser_cookies::only_lists(arguments) => {
            Some(browser_cookies::list_installed(temp_folder).await)
        }
        _ => None,
    }
}

/// Runs it. The one way in which a command's output comes to be: what it read from a page that has to do with a refused
/// address is not handed on, nothing is done in such a page, and a model gets what a page has said in its envelope.
pub async fn execute(context: &Context, spec: &Spec, arguments: Arguments) -> Result<Output, Fault> {
    let outcome = execute_where_allowed(context, spec, arguments).await;
    if context.for_model { outcome.map_err(envelope::fault_for_model) } else { outcome }
}

async fn execute_where_allowed(context: &Context, spec: &Spec, arguments: Arguments) -> Result<Output, Fault> {
    // About tabs, not about what is in them; the commands inside of a chain come here themselves.
    if spec.category == Category::Tabs {
        return (spec.run)(context, arguments).await;
    }
    // Without a tab the command says so itself.
    let Ok(tab) = context.tab().await else { return (spec.run)(context, arguments).await };
    let since = tab.refusal_mark();
    // Such a page can be left; where that leads alone counts then.
    let leaves = spec.category == Category::Navigation;
    if !leaves {
        tab.check_addresses(since)?;
    }
    let output = (spec.run)(context, arguments).await;
    let since = if leaves { tab.refusal_mark() } else { since };
    let Err(refused) = tab.check_addresses(since) else { return output };
    for file in output.map(|output| output.files).unwrap_or_default() {
        if let Err(error) = tokio::fs::remove_file(&file).await {
            tracing::warn!(%error, "a file with refused content could not be removed");
        }
    }
    Err(refused.into())
}

fn cut_off(spec: &Spec) -> Fault {
    if spec.writes {
        Fault::new(FaultCode::OutcomeUnknown, format!("{} was cut off; whether it took effect is not known", spec.name))
            .hint("Look at the page (snapshot) before you repeat it.")
    } else {
        Fault::new(FaultCode::Cancelled, format!("{} was cancelled", spec.name))
    }
}

#[cfg(test)]
mod tests {
    use super::{all, find, unknown, unknown_among};
    use crate::command::spec::{Category, Kind};
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_every_command_has_its_texts() {
        let mut names = HashSet::new();
        for spec in all() {
            assert!(names.insert(spec.name), "{} twice", spec.name);
            for alias in spec.aliases {
                assert!(names.insert(alias), "{alias} twice");
            }
            assert!(!spec.summary.is_empty() && !spec.summary.ends_with('.'), "{}", spec.name);
            assert!(!spec.output.is_empty(), "{}", spec.name);
            assert!(spec.help().contains(spec.summary));
            // What takes all that is left comes last; what is optional comes after what is required.
            let kinds: Vec<Kind> = spec.parameters.iter().map(|parameter| parameter.kind).collect();
            let open = kinds.iter().position(|kind| matches!(kind, Kind::Rest | Kind::List));
            assert!(open.is_none_or(|at| at + 1 == kinds.len()), "{}", spec.name);
            assert!(spec.parameters.is_sorted_by_key(|parameter| !parameter.required), "{}", spec.name);
        }
        assert!(Category::ALL.iter().all(|category| super::of(*category).next().is_some()));
    }

    #[test]
    fn unknown_names_suggest_the_nearest() {
        for (typed, near) in [("clik", "click"), ("snapshto", "snapshot"), ("gotoo", "goto"), ("screen", "screenshot")]
        {
            assert_eq!(unknown(typed).hint.unwrap(), format!("Did you mean: {near}?"));
        }
        assert_eq!(unknown_among("conect", &["connect"]).hint.unwrap(), "Did you mean: connect?");
        assert!(unknown("xyzzyx").hint.unwrap().contains("gstack help"));
        assert!(find("nothing").is_none());
    }
}
