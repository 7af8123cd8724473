//! The list of all commands. There is no other.

use super::spec::Spec;
use super::{inspection, interaction, navigation, reading, snapshot, tabs, visual};
use crate::protocol::fault::{Fault, FaultCode};

const CATEGORIES: [&[Spec]; 7] = [
    navigation::COMMANDS,
    reading::COMMANDS,
    snapshot::COMMANDS,
    interaction::COMMANDS,
    inspection::COMMANDS,
    visual::COMMANDS,
    tabs::COMMANDS,
];

/// Every command, by category.
pub fn all() -> Vec<&'static Spec> {
    CATEGORIES.into_iter().flatten().collect()
}

/// A command by its name or an alias.
pub fn find(name: &str) -> Option<&'static Spec> {
    CATEGORIES.into_iter().flatten().find(|spec| spec.name == name || spec.aliases.contains(&name))
}

/// The fault for a name that is none, with the nearest one.
pub fn unknown(name: &str) -> Fault {
    let fault = Fault::new(FaultCode::Unknown, format!("there is no command {name:?}"));
    match nearest(name) {
        Some(near) => fault.hint(format!("Did you mean `{near}`? `gstack help` lists all.")),
        None => fault.hint("`gstack help` lists all commands."),
    }
}

fn nearest(name: &str) -> Option<&'static str> {
    let names = all().into_iter().flat_map(|spec| spec.aliases.iter().copied().chain([spec.name]));
    let (near, distance) = names.map(|known| (known, distance(known, name))).min_by_key(|(_, distance)| *distance)?;
    (distance <= 1 + name.chars().count() / 4).then_some(near)
}

/// Edits (insert, remove, replace, swap neighbours) between two words: the restricted Damerau–Levenshtein distance.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut rows = vec![vec![0; to.len() + 1]; from.len() + 1];
    for (at, row) in rows.iter_mut().enumerate() {
        row[0] = at;
    }
    rows[0] = (0..=to.len()).collect();
    for i in 1..=from.len() {
        for j in 1..=to.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    rows[from.len()][to.len()]
}
