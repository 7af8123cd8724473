//! The list of all commands, and how to run one by name.
//!
//! Owns the list. Each command is defined once, next to its handler, in the file of its category.

use super::spec::{Category, LOOK, Needs, QUIET, Spec, shape};
use super::{
    acting, emulating, files, finding, managing, measuring, navigating, network, reading, recording, state, visual,
};
use crate::core::{Call, Context, Folders, Output, effects, envelope, with_usage};
use crate::reading::look;
use gstack_browser::effects::Effects;
use gstack_protocol::fault::{Fault, FaultCode};
use std::sync::LazyLock;
use strsim::osa_distance;

static ALL: LazyLock<Vec<&'static Spec>> = LazyLock::new(|| {
    let groups: &[&'static [Spec]] = &[
        navigating::navigation::COMMANDS,
        reading::text::COMMANDS,
        finding::find::COMMANDS,
        finding::data::COMMANDS,
        finding::extract::COMMANDS,
        reading::contents::READING,
        reading::inspection::COMMANDS,
        reading::collected::COMMANDS,
        network::list::COMMANDS,
        network::route::COMMANDS,
        network::conditions::COMMANDS,
        network::site::COMMANDS,
        network::har::COMMANDS,
        network::cache::COMMANDS,
        network::workers::COMMANDS,
        emulating::emulate::COMMANDS,
        state::cookies::INSPECTION,
        state::storage::COMMANDS,
        reading::contents::INSPECTION,
        measuring::vitals::COMMANDS,
        measuring::audit::COMMANDS,
        measuring::trace::COMMANDS,
        measuring::perf_trace::COMMANDS,
        measuring::coverage::COMMANDS,
        measuring::heap::COMMANDS,
        reading::react::COMMANDS,
        reading::styles::COMMANDS,
        managing::devtools::COMMANDS,
        managing::init_script::COMMANDS,
        acting::pointer::COMMANDS,
        acting::interaction::COMMANDS,
        acting::fields::COMMANDS,
        acting::keys::COMMANDS,
        acting::scrolling::COMMANDS,
        acting::mouse::COMMANDS,
        acting::clipboard::COMMANDS,
        acting::sign_in::COMMANDS,
        acting::web_mcp::COMMANDS,
        navigating::waiting::COMMANDS,
        visual::viewport::COMMANDS,
        acting::dialog_answers::COMMANDS,
        files::transfer::COMMANDS,
        files::downloads::COMMANDS,
        state::cookies::INTERACTION,
        state::browser_cookies::COMMANDS,
        state::identity::COMMANDS,
        visual::styling::INTERACTION,
        visual::screenshot::COMMANDS,
        visual::pdf::COMMANDS,
        visual::mhtml::COMMANDS,
        recording::video::COMMANDS,
        visual::styling::VISUAL,
        visual::compare::COMMANDS,
        visual::compare_pictures::COMMANDS,
        reading::snapshot::COMMANDS,
        navigating::tabs::COMMANDS,
        navigating::frames::COMMANDS,
        managing::chain::COMMANDS,
        state::saved_state::COMMANDS,
        navigating::watch::COMMANDS,
        managing::inbox::COMMANDS,
        managing::control::COMMANDS,
    ];
    groups.iter().copied().flatten().collect()
});

/// Returns every command, by category.
pub fn all() -> &'static [&'static Spec] {
    &ALL
}

/// Returns every command except these, by category.
pub fn all_but(names: &[&str]) -> impl Iterator<Item = &'static Spec> {
    ALL.iter().copied().filter(move |spec| !names.contains(&spec.name))
}

/// Returns the commands of one category, in registry order.
pub fn of(category: Category) -> impl Iterator<Item = &'static Spec> {
    ALL.iter().copied().filter(move |spec| spec.category == category)
}

/// Finds a command by its name or one of its aliases.
pub fn find(name: &str) -> Option<&'static Spec> {
    ALL.iter().copied().find(|spec| spec.name == name || spec.aliases.contains(&name))
}

/// Finds a command whose two-word name is written as two words: `diff` and `image` for `diff-image`.
pub fn find_apart(name: &str, word: &str) -> Option<&'static Spec> {
    find(&format!("{name}-{word}"))
}

/// Like [`find`], for a name that a client gave.
///
/// # Errors
///
/// Fails if there is no such command. The fault suggests the nearest one.
pub fn get(name: &str) -> Result<&'static Spec, Fault> {
    find(name).ok_or_else(|| unknown(name))
}

/// Commands that other tools have under these names (agent-browser 0.41.2, playwright-cli 0.1.22), and what does it here.
const WORDS_OF_OTHERS: [(&str, &str); 12] = [
    ("quit", "To close the browser: gstack disconnect. To end gstack too: gstack stop"),
    ("exit", "To close the browser: gstack disconnect. To end gstack too: gstack stop"),
    ("close", "To close a tab: gstack closetab. To close the browser: gstack disconnect"),
    ("title", "Titles are in: gstack tabs"),
    ("get", "One command for each: gstack text, html, attrs, count, url, tabs"),
    ("keyboard", "To type: gstack type TEXT. To press a key: gstack press Enter"),
    ("visit", "gstack goto URL"),
    ("evaluate", "gstack js EXPRESSION"),
    ("content", "The page's text: gstack text. Its HTML: gstack html"),
    ("read", "The page's text: gstack text. Its controls: gstack snapshot -i"),
    ("look", "The page's controls: gstack snapshot -i. A picture: gstack screenshot"),
    ("run-code", "gstack js EXPRESSION"),
];

/// Returns the fault for an unknown name, with the nearest command as its hint.
pub fn unknown(name: &str) -> Fault {
    unknown_among(name, &[])
}

/// Like `unknown`, but also considers `others` (the CLI's own commands).
pub fn unknown_among(name: &str, others: &[&str]) -> Fault {
    let fault = Fault::new(FaultCode::Unknown, format!("Unknown command: {name}"));
    let names = ALL.iter().flat_map(|spec| std::iter::once(&spec.name).chain(spec.aliases)).chain(others);
    if let Some((_, instead)) = WORDS_OF_OTHERS.iter().find(|(word, _)| *word == name) {
        return fault.hint(*instead);
    }
    match nearest(name, names.copied()) {
        Some(near) => fault.hint(format!("Did you mean: {near}?")),
        None => fault.hint("See all commands: gstack help"),
    }
}

/// Returns the entry of `names` whose spelling is closest to `name`, if one is close enough.
pub fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let given = name.to_lowercase();
    let most = 1 + given.chars().count() / 4;
    names
        .map(|known| {
            (if known.starts_with(&given) && given.len() > 1 { 1 } else { osa_distance(&given, known) }, known)
        })
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// Runs the command until it finishes or is cancelled.
///
/// # Errors
///
/// Fails if the command fails or was cancelled. If a cancelled command writes, its outcome is unknown.
pub async fn run_cancellable(context: &Context, call: &Call) -> Result<Output, Fault> {
    tokio::select! {
        biased;
        output = run(context, call) => output,
        () = context.cancel.cancelled() => Err(cut_off(call.spec)),
    }
}

/// Runs a command that needs no browser for these arguments. Returns `None` if it needs one. A fault contains the usage
/// as that of [`run`] does.
pub async fn run_without_browser(call: &Call, folders: Folders) -> Option<Result<Output, Fault>> {
    match call.spec.needs {
        Needs::Folder => Some(managing::inbox::read_or_clear(folders.cwd.as_deref(), &call.arguments).await),
        Needs::BrowserUnless { unless, run } if unless(&call.arguments) => {
            Some(run(folders, call.arguments.clone()).await)
        }
        Needs::Browser | Needs::BrowserUnless { .. } | Needs::Engine(_) => None,
    }
    .map(|outcome| outcome.map_err(|fault| with_usage(call.spec, fault)))
    .map(|outcome| outcome.inspect(|output| check_shape(call.spec, output)))
}

/// Runs the command. Every command's output comes through here: output read from a page with a refused address is
/// withheld, nothing acts in such a page, and a model gets page content in an envelope.
///
/// # Errors
///
/// Fails if the command fails, or the policy of the context does not allow it on the tab's page. The fault contains the
/// command's usage if it was called in a wrong way.
pub async fn run(context: &Context, call: &Call) -> Result<Output, Fault> {
    let context = &Context { effects: Effects::of_act(call.spec.changes()), ..context.clone() };
    let place = look::before(context, call).await;
    let outcome = run_where_allowed(context, call).await.map_err(|fault| with_usage(call.spec, fault));
    let outcome = outcome.inspect(|output| check_shape(call.spec, output));
    let outcome = effects::add(context, call.spec, call.arguments.has(QUIET.name), outcome);
    let outcome = match outcome {
        Ok(output) if call.arguments.has(LOOK.name) => {
            let run: look::Run = |context, call| Box::pin(run_where_allowed(context, call));
            Ok(look::after(context, call, place, output, run).await)
        }
        outcome => outcome,
    };
    let outcome = crate::privacy::filled::without_secrets(outcome);
    if context.for_model { outcome.map_err(envelope::fault_for_model) } else { outcome }
}

/// Ends a debug build in which a command's data have another shape than its spec says.
fn check_shape(spec: &Spec, output: &Output) {
    let shape = spec.data;
    debug_assert!(
        shape::fits(shape, output.data.as_ref()) == Ok(true),
        "the data of {} are not {shape:?}: {:?}",
        spec.name,
        output.data
    );
}

async fn run_where_allowed(context: &Context, call: &Call) -> Result<Output, Fault> {
    let (spec, arguments) = (call.spec, call.arguments.clone());
    // These commands are about tabs, not their content. The commands inside a chain pass through here themselves.
    if spec.category == Category::Tabs {
        return (spec.run)(context, arguments).await;
    }
    // Without a tab, the command reports the error itself.
    let Ok(tab) = context.tab().await else { return (spec.run)(context, arguments).await };
    let since = tab.refusal_mark();
    // A navigation may leave such a page; then only its destination is checked.
    let leaves = spec.category == Category::Navigation;
    if !leaves {
        tab.check_addresses(since)?;
    }
    let output = (spec.run)(context, arguments).await;
    let since = if leaves { tab.refusal_mark() } else { since };
    let Err(refused) = tab.check_addresses(since) else { return output };
    let saved = context.effects.saved_files(&context.browser);
    for file in output.map(|output| output.files).unwrap_or_default().into_iter().chain(saved) {
        if let Err(error) = tokio::fs::remove_file(&file).await {
            tracing::warn!(%error, "a file with refused content could not be removed");
        }
    }
    Err(refused.into())
}

fn cut_off(spec: &Spec) -> Fault {
    if spec.changes() {
        Fault::new(
            FaultCode::OutcomeUnknown,
            format!("{} was interrupted; it is unknown whether it took effect", spec.name),
        )
        .hint("Look at the page (snapshot) before you repeat the command.")
    } else {
        Fault::new(FaultCode::Cancelled, format!("{} was cancelled", spec.name))
    }
}

#[cfg(test)]
mod tests {
    use super::{all, find, unknown, unknown_among};
    use crate::spec::{Category, Kind};
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
            // A parameter that takes all remaining words comes last; optional parameters follow required ones.
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
        for (word, instead) in super::WORDS_OF_OTHERS {
            assert_eq!((unknown(word).hint.unwrap().as_str(), find(word).is_none()), (instead, true), "{word}");
        }
        assert!(unknown("xyzzyx").hint.unwrap().contains("gstack help"));
        assert!(find("nothing").is_none());
    }
}
