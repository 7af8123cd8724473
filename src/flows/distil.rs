//! A flow from the record of what was done: the acts of an agent's turn or of a terminal that took effect.
//!
//! Owns the choice. Looks and failed tries are left out. The record has no typed text, so no secret can come into a file:
//! each typed value becomes a parameter that a run sets.

use super::error::FlowError;
use super::file::{Flow, Parameter, Step, VERSION, Wait};
use super::fill::{Values, placeholder};
use super::words;
use gstack_base::plain_name::LONGEST;
use gstack_command::spec::ValueType;
use gstack_command::{Call, Class};
use gstack_protocol::activity::{ActivityEntry, ActivityOutcome, ActivitySource};
use url::Url;

/// Stands for a secret in a record.
const REDACTED: &str = "[redacted]";
/// What precedes the new address in the result of an act.
const NOW_AT: &str = " → now at ";
/// The fewest digits in a row that make a part of a path the number of one thing.
const NUMBER: usize = 3;
/// The parameter for the name of a saved sign-in.
const SIGN_IN: &str = "sign-in";
/// The act that fills in a saved sign-in.
pub(crate) const SIGN_IN_ACT: &str = "sign-in";

/// The part of the record that becomes a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// The turn with this id, or with an id that begins so.
    Turn(String),
    /// The newest turn.
    LastTurn,
    /// The commands of a terminal.
    Terminal {
        /// Its name; `None` for terminals without one.
        driver: Option<String>,
        /// In milliseconds since 1970.
        since: u64,
    },
}

/// A flow, and what is not in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Made {
    /// The flow.
    pub flow: Flow,
    /// One line for each act that could not become a step.
    pub left_out: Vec<String>,
}

/// Makes a flow of a record. `set` are defaults of its parameters.
///
/// # Errors
///
/// Fails if nothing in the record is a step, or `set` names what is not a parameter.
pub fn distil(entries: &[ActivityEntry], record: &Record, set: &Values) -> Result<Made, FlowError> {
    let chosen = chosen(entries, record)?;
    let mut made = Made { flow: Flow { flow: VERSION, ..Flow::default() }, left_out: Vec::new() };
    // Acts of one tab follow from each other; those of another one do not.
    let tab = chosen.iter().rev().find(|entry| acts(entry)).and_then(|entry| entry.tab_id);
    for entry in chosen.into_iter().filter(|entry| acts(entry)) {
        let line = || format!("{} {}", entry.command, entry.args.join(" "));
        if entry.tab_id != tab {
            made.left_out.push(format!("{}: it was in another tab", line()));
            continue;
        }
        match made.step(entry) {
            Ok(step) => made.flow.steps.push(step),
            Err(why) => made.left_out.push(format!("{}: {why}", line())),
        }
    }
    if made.flow.steps.is_empty() {
        let why = "nothing that took effect there can be a step of a flow".to_owned();
        return Err(FlowError::NothingToSave([vec![why], made.left_out].concat().join("\n")));
    }
    made.set_defaults(set)?;
    Ok(made)
}

fn chosen<'a>(entries: &'a [ActivityEntry], record: &Record) -> Result<Vec<&'a ActivityEntry>, FlowError> {
    let nothing = |what: String| FlowError::NothingToSave(what);
    let of_turn = |beginning: &str| {
        let mut turns: Vec<&str> = entries.iter().filter_map(|entry| Some(entry.turn.as_ref()?.as_str())).collect();
        turns.retain(|turn| turn.starts_with(beginning));
        turns.dedup();
        turns.sort_unstable();
        turns.dedup();
        match turns.as_slice() {
            [turn] => {
                Ok(entries.iter().filter(|entry| entry.turn.as_ref().is_some_and(|of| of.as_str() == *turn)).collect())
            }
            [] => Err(nothing(format!("the record has no turn {beginning}"))),
            several => Err(nothing(format!("{} turns begin with {beginning}", several.len()))),
        }
    };
    match record {
        Record::Turn(id) => of_turn(id),
        Record::LastTurn => {
            let last = entries.iter().rev().find_map(|entry| entry.turn.as_ref());
            of_turn(last.ok_or_else(|| nothing("the record has no turn of an agent".to_owned()))?.as_str())
        }
        Record::Terminal { driver, since } => {
            // The record has both its kind and its name: `terminal (shop)`.
            let name = driver.as_ref().map(|name| format!(" ({name})"));
            let is_named = |shown: Option<&String>| match (shown, &name) {
                (Some(shown), Some(name)) => shown.ends_with(name),
                (shown, name) => shown.is_none() && name.is_none(),
            };
            let is_of = |entry: &&ActivityEntry| {
                entry.source == ActivitySource::Terminal && is_named(entry.driver.as_ref()) && entry.at >= *since
            };
            Ok(entries.iter().filter(is_of).collect())
        }
    }
}

/// Whether an entry took effect in a page.
fn acts(entry: &ActivityEntry) -> bool {
    entry.outcome == ActivityOutcome::Ok && words::spec(&entry.command).is_ok()
}

impl Made {
    /// Returns the step of an act. The error is the reason why there is none.
    fn step(&mut self, entry: &ActivityEntry) -> Result<Step, String> {
        let spec = words::spec(&entry.command)?;
        let call = Call::parse(&entry.command, &entry.args).map_err(|_| "its words were not recorded".to_owned())?;
        let mut step = Step { act: Some(spec.name.to_owned()), ..Step::default() };
        let mut elements = call.elements().into_iter().map(|target| target.to_string());
        if let Some(target) = elements.next() {
            let element = described(entry, &target)?;
            (step.role, step.name, step.selector) = (element.role, element.name, element.selector);
        }
        step.to = elements.next().map(|target| described(entry, &target)).transpose()?;
        self.drop_replaced(&step);
        for parameter in spec.parameters.iter().filter(|parameter| !parameter.holds.is_element()) {
            let Some(text) = call.arguments.text(parameter.name) else { continue };
            let is_hidden = parameter.holds.is_hidden();
            if !is_hidden && parameter.holds == ValueType::Key && text.starts_with('[') {
                return Err("the key types a letter, and letters are not recorded".to_owned());
            }
            if is_hidden && step.name.as_deref().is_some_and(is_password_name) {
                return Ok(self.sign_in());
            }
            let value = match is_hidden || text.contains(REDACTED) {
                true => self.parameter(step.name.as_deref().unwrap_or(parameter.name), None),
                false => text,
            };
            words::set_argument(&mut step, parameter.name, value);
        }
        step.submit = spec.class == Class::SignIn && call.arguments.has("--submit");
        step.wait = entry.result.split_once(NOW_AT).and_then(|(_, url)| arrives_at(url));
        Ok(step)
    }

    /// Removes the last step if this one, which has no values yet, makes it useless: another value for the same field, or
    /// another address.
    pub(crate) fn drop_replaced(&mut self, step: &Step) {
        let bare = |step: &Step| Step { url: None, value: None, ..step.clone() };
        let is_replaced =
            |last: &Step| (last.url.is_some() || last.value.is_some()) && last.wait.is_none() && bare(last) == *step;
        if self.flow.steps.last().is_some_and(is_replaced) {
            self.flow.steps.pop();
            self.forget_unused();
        }
    }

    fn forget_unused(&mut self) {
        let used: Vec<_> = self.flow.steps.iter().filter_map(|step| super::fill::used(step).ok()).flatten().collect();
        self.flow.parameters.retain(|name, _| used.contains(name));
    }

    /// Adds a parameter with a name like this one, and returns its placeholder.
    pub(crate) fn parameter(&mut self, like: &str, default: Option<String>) -> String {
        let name = slug(like);
        let taken = |name: &str| self.flow.parameters.contains_key(name);
        let free = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}-{number}")));
        let name = free.into_iter().find(|name| !taken(name)).unwrap_or(name);
        let placeholder = placeholder(&name);
        self.flow.parameters.insert(name, Parameter { default, about: String::new() });
        placeholder
    }

    /// Returns the step that stands for a typed password.
    pub(crate) fn sign_in(&mut self) -> Step {
        let about = "the saved sign-in to fill in: gstack auth save".to_owned();
        self.flow.parameters.entry(SIGN_IN.to_owned()).or_insert(Parameter { default: None, about });
        Step { act: Some(SIGN_IN_ACT.to_owned()), name: Some(placeholder(SIGN_IN)), ..Step::default() }
    }

    /// Gives parameters their defaults, and forgets those that no step uses any more.
    pub(crate) fn set_defaults(&mut self, set: &Values) -> Result<(), FlowError> {
        self.forget_unused();
        for (name, value) in set {
            let known: Vec<&str> = self.flow.parameters.keys().map(String::as_str).collect();
            let unknown = || FlowError::Values(format!("{name} is not one of the parameters: {}", known.join(", ")));
            if !known.contains(&name.as_str()) {
                return Err(unknown());
            }
            self.flow.parameters.entry(name.clone()).and_modify(|parameter| parameter.default = Some(value.clone()));
        }
        Ok(())
    }
}

/// Describes an element of an entry: by what the page called it, or by the selector that found it.
fn described(entry: &ActivityEntry, target: &str) -> Result<super::file::Element, String> {
    let element = |role: &str, name: &str| super::file::Element {
        role: Some(role.to_owned()),
        name: Some(name.to_owned()),
        ..super::file::Element::default()
    };
    if let Some(known) = entry.elements.iter().find(|known| known.reference == target) {
        let is_whole = !known.name.contains(REDACTED) && !known.name.ends_with('…');
        return is_whole
            .then(|| element(&known.role, &known.name))
            .ok_or_else(|| "its name is not recorded".to_owned());
    }
    if target.starts_with('@') {
        return Err("its element was not recorded".to_owned());
    }
    let by_role = target.strip_prefix("role=").and_then(|rest| rest.strip_suffix("\"]")?.split_once("[name=\""));
    if let Some((role, name)) = by_role.filter(|(role, name)| !role.contains(['[', ' ']) && !name.contains(['"', '\\']))
    {
        return Ok(element(role, name));
    }
    Ok(super::file::Element { selector: Some(target.to_owned()), ..super::file::Element::default() })
}

/// Returns the condition that an act led to an address: without its query, and without the numbers of single things.
pub(crate) fn arrives_at(url: &str) -> Option<Wait> {
    let url = Url::parse(url.trim()).ok().filter(Url::has_host)?;
    let is_number = |part: &str| {
        let digits = part.chars().filter(char::is_ascii_digit).count();
        digits >= NUMBER || part == REDACTED
    };
    let parts = url.path().split('/').map(|part| if is_number(part) { "*" } else { part });
    let path = parts.collect::<Vec<_>>().join("/");
    let pattern = format!("{}{path}", url.origin().ascii_serialization());
    // A pattern with an asterisk must match the whole address, and others a part of it.
    let pattern = if pattern.contains('*') { format!("{}**", pattern.trim_end_matches('*')) } else { pattern };
    Some(Wait { url: Some(pattern), ..Wait::default() })
}

/// Whether a field's name says that it takes a password.
pub(crate) fn is_password_name(name: &str) -> bool {
    const WORDS: [&str; 8] =
        ["password", "passwort", "kennwort", "passphrase", "passcode", "mot de passe", "contraseña", "senha"];
    let name = name.to_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

/// Returns a parameter's name like this text: `E-mail address` becomes `e-mail-address`.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for character in text.to_lowercase().chars() {
        if character.is_ascii_alphanumeric() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    // Room for a number.
    slug.truncate(LONGEST - 4);
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "value".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use gstack_protocol::activity::ActivityElement;
    use gstack_protocol::ids::{TabId, TurnId};

    fn entry(command: &str, args: &[&str], elements: &[(&str, &str, &str)]) -> ActivityEntry {
        let element = |(reference, role, name): &(&str, &str, &str)| ActivityElement {
            reference: (*reference).to_owned(),
            role: (*role).to_owned(),
            name: (*name).to_owned(),
        };
        ActivityEntry {
            id: 1,
            at: 10,
            source: ActivitySource::Agent,
            driver: None,
            turn: Some(TurnId::new("turn-a")),
            tab_id: Some(TabId(3)),
            command: command.to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            elements: elements.iter().map(element).collect(),
            outcome: ActivityOutcome::Ok,
            duration_ms: Some(1),
            result: String::new(),
        }
    }

    fn turn() -> Vec<ActivityEntry> {
        let mut bought = entry("click", &["@e5"], &[("@e5", "button", "Buy")]);
        bought.result = "Clicked @e5 → now at http://127.0.0.1:8000/orders/12345?token=x".to_owned();
        let mut failed = entry("click", &["@e4"], &[("@e4", "link", "Elsewhere")]);
        failed.outcome = ActivityOutcome::Failed;
        let other = ActivityEntry { tab_id: Some(TabId(9)), ..entry("goto", &["http://127.0.0.1:8000/x"], &[]) };
        vec![
            entry("goto", &["http://127.0.0.1:8000/wrong"], &[]),
            entry("goto", &["http://127.0.0.1:8000/"], &[]),
            entry("snapshot", &[], &[]),
            failed,
            other,
            entry("fill", &["@e3", "[5 characters]"], &[("@e3", "textbox", "E-mail address")]),
            entry("fill", &["@e3", "[9 characters]"], &[("@e3", "textbox", "E-mail address")]),
            entry("fill", &["@e8", "[9 characters]"], &[("@e8", "textbox", "Password")]),
            entry("click", &["role=checkbox[name=\"Gift\"]"], &[]),
            entry("click", &["@e9"], &[]),
            entry("js", &["document.title"], &[]),
            bought,
        ]
    }

    #[test]
    fn a_turn_becomes_the_steps_that_took_effect() {
        let set = Values::from([("e-mail-address".to_owned(), "a@b.example".to_owned())]);
        let Made { flow, left_out } = distil(&turn(), &Record::LastTurn, &set).unwrap();
        let expected = "flow = 1\n\
            parameters.e-mail-address = \"a@b.example\"\n\
            parameters.sign-in = { about = \"the saved sign-in to fill in: gstack auth save\" }\n\
            steps = [\n  \
            { act = \"goto\", url = \"http://127.0.0.1:8000/\" },\n  \
            { act = \"fill\", role = \"textbox\", name = \"E-mail address\", value = \"{{e-mail-address}}\" },\n  \
            { act = \"sign-in\", name = \"{{sign-in}}\" },\n  \
            { act = \"click\", role = \"checkbox\", name = \"Gift\" },\n  \
            { act = \"click\", role = \"button\", name = \"Buy\", wait = { url = \"http://127.0.0.1:8000/orders/**\" } },\n\
            ]\n";
        assert_eq!(flow.to_text(), expected);
        assert_eq!(check::problems(&Flow::read(expected).unwrap()), []);
        assert_eq!(left_out.len(), 2, "{left_out:?}");
        assert!(left_out[0].contains("another tab") && left_out[1].contains("its element was not recorded"));
    }

    #[test]
    fn the_record_is_chosen_by_turn_or_terminal() {
        let mut entries = turn();
        let mut typed = entry("press", &["Enter"], &[]);
        (typed.source, typed.turn, typed.at) = (ActivitySource::Terminal, None, 20);
        let named = ActivityEntry { driver: Some("terminal (ci)".to_owned()), ..typed.clone() };
        entries.extend([typed, named]);
        let steps = |record: Record| distil(&entries, &record, &Values::new()).map(|made| made.flow.steps.len());
        assert_eq!(steps(Record::Turn("turn".to_owned())).unwrap(), 5);
        assert_eq!(steps(Record::Terminal { driver: None, since: 15 }).unwrap(), 1);
        assert_eq!(steps(Record::Terminal { driver: Some("ci".to_owned()), since: 0 }).unwrap(), 1);
        assert!(matches!(steps(Record::Terminal { driver: None, since: 30 }), Err(FlowError::NothingToSave(_))));
        assert!(steps(Record::Turn("other".to_owned())).unwrap_err().to_string().contains("no turn other"));
        let unknown = Values::from([("x".to_owned(), String::new())]);
        assert!(distil(&entries, &Record::LastTurn, &unknown).is_err());
    }
}
