//! Which element of a page a description means.
//!
//! Owns the scores. A wrong click is worse than none: an element must be well described by its role and name, it must be
//! beside the words that the description names, and no other may be about as good.

use super::file::Element;
use super::tree::{Node, Tree, contains_words, normal};
use gstack_command::consequence;
use serde::Serialize;
use std::collections::BTreeSet;

/// The least score of an element that is taken.
const ENOUGH: f64 = 0.8;
/// How much worse the second one must be.
const CLEAR: f64 = 0.1;
/// How many candidates are shown.
const MOST_SHOWN: usize = 4;
/// How well a name fits that has the whole other one in it: too little without the words beside the element.
const PART: f64 = 0.7;
/// How well a role fits that people do not tell from the described one.
const ALIKE: f64 = 0.6;

/// Roles that pages exchange for each other when they are rebuilt.
const FAMILIES: [&[&str]; 4] = [
    &["button", "link", "menuitem", "tab", "cursor:pointer"],
    &["textbox", "searchbox", "combobox", "spinbutton"],
    &["checkbox", "switch", "menuitemcheckbox"],
    &["combobox", "listbox"],
];

/// Roles of what a person acts on.
const CONTROLS: [&str; 18] = [
    "button",
    "link",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "tab",
    "cursor:pointer",
    "textbox",
    "searchbox",
    "combobox",
    "spinbutton",
    "slider",
    "checkbox",
    "switch",
    "radio",
    "option",
    "listbox",
    "treeitem",
];
/// Roles of parts of a list: what one of them shows is not about the others.
const ITEMS: [&str; 5] = ["listitem", "row", "article", "option", "treeitem"];
/// Roles of other parts of a page that belong together.
const PARTS: [&str; 6] = ["form", "dialog", "region", "group", "tabpanel", "figure"];

/// An element that may be the described one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its role.
    pub role: String,
    /// Its name.
    pub name: String,
    /// What is beside it: the nearest text before it.
    pub beside: String,
    /// How well it fits, up to 1.
    pub score: f64,
}

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Choice {
    /// This one, and whether its role and name are exactly the described ones.
    One(Candidate, bool),
    /// Several are about as good.
    Several(Vec<Candidate>),
    /// None is good enough; these are the best.
    None(Vec<Candidate>),
}

/// Chooses the described element. `frame`: the origin of its frame; `None` for that of the page. Elements of other sites are
/// not the described ones.
pub(crate) fn choose(tree: &Tree, element: &Element, frame: Option<&str>) -> Choice {
    let (role, name) = (element.role.as_deref().unwrap_or_default(), element.name.as_deref().unwrap_or_default());
    let fits: Vec<(usize, f64, f64)> = tree
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| !node.reference.is_empty() && node.site.as_deref() == frame)
        .map(|(at, node)| (at, name_fit(name, node), role_fit(role, &node.role)))
        .filter(|(_, name, role)| *name > 0.0 && *role > 0.0)
        .collect();
    let near = element.near.as_deref().map(normal).filter(|near| !near.is_empty());
    // Those that only the words beside them can tell apart.
    let alike: Vec<usize> = fits.iter().filter(|(_, name, _)| *name >= PART).map(|(at, ..)| *at).collect();
    let mut scored: Vec<(usize, f64)> = fits
        .iter()
        .map(|(at, name_fit, role_fit)| {
            let score = match &near {
                Some(near) => 0.5 * name_fit + 0.2 * role_fit + 0.3 * near_fit(tree, *at, &alike, near),
                None => 0.7 * name_fit + 0.3 * role_fit,
            };
            // A button that pays or deletes must have the very name.
            let is_loose = *name_fit < 0.9 && [name, &tree.nodes[*at].name].into_iter().any(consequence::is_told_by);
            (*at, if is_loose { score.min(ENOUGH - CLEAR) } else { score })
        })
        .collect();
    // A stable sort: equal ones stay in the order of the page.
    scored.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let candidate = |(at, score): &(usize, f64)| candidate(tree, *at, *score);
    let shown = |scored: &[(usize, f64)]| scored.iter().take(MOST_SHOWN).map(candidate).collect::<Vec<_>>();
    let Some((_, best)) = scored.first().copied().filter(|(_, score)| *score >= ENOUGH) else {
        return Choice::None(shown(&scored));
    };
    let is_exact = |(at, _): &(usize, f64)| {
        let node = &tree.nodes[*at];
        normal(&node.name) == normal(name) && (node.role == role || role.is_empty())
    };
    let close: Vec<(usize, f64)> = scored.iter().copied().filter(|(_, score)| best - score < CLEAR).collect();
    if let Some(nth) = element.nth.and_then(|nth| usize::try_from(nth).ok()) {
        // The number was counted among elements with this description, so it means nothing among others.
        return match close.get(nth.saturating_sub(1)).filter(|_| close.iter().all(is_exact)) {
            Some(found) => Choice::One(candidate(found), true),
            None => Choice::Several(shown(&close)),
        };
    }
    match close.as_slice() {
        [one] => Choice::One(candidate(one), is_exact(one)),
        several => Choice::Several(shown(several)),
    }
}

fn candidate(tree: &Tree, at: usize, score: f64) -> Candidate {
    let Node { reference, role, name, .. } = tree.nodes[at].clone();
    Candidate { reference, role, name, beside: beside(tree, at), score: (score * 100.0).round() / 100.0 }
}

/// Returns the nearest words before an element, or those around it.
fn beside(tree: &Tree, at: usize) -> String {
    let words = |node: &Node| if node.text.is_empty() { node.name.clone() } else { node.text.clone() };
    let before = (0..at).rev().map(|before| words(&tree.nodes[before])).find(|words| !words.is_empty());
    before.unwrap_or_default().chars().take(60).collect()
}

/// Without a described role, any that a person acts on fits.
fn role_fit(wanted: &str, found: &str) -> f64 {
    if wanted.is_empty() {
        return f64::from(u8::from(CONTROLS.contains(&found)));
    }
    let is_family = || FAMILIES.iter().any(|family| family.contains(&wanted) && family.contains(&found));
    match wanted == found {
        true => 1.0,
        false if is_family() => ALIKE,
        false => 0.0,
    }
}

fn name_fit(wanted: &str, node: &Node) -> f64 {
    let (wanted, found) = (normal(wanted), normal(&node.name));
    if wanted == found {
        return 1.0;
    }
    let letters = |text: &str| {
        let kept: String = text.chars().map(|c| if c.is_alphabetic() { c } else { ' ' }).collect();
        normal(&kept)
    };
    let (bare_wanted, bare_found) = (letters(&wanted), letters(&found));
    if !bare_wanted.is_empty() && bare_wanted == bare_found {
        // `Cart (2)` and `Cart (3)`; but not `Page 2` and `Page 3`, where the number is what tells them apart.
        return if wanted.ends_with(')') || found.ends_with(')') || digits(&wanted) == digits(&found) {
            0.9
        } else {
            0.4
        };
    }
    if contains_words(&found, &wanted) || contains_words(&wanted, &found) {
        return PART;
    }
    let (one, other): (BTreeSet<&str>, BTreeSet<&str>) = (wanted.split(' ').collect(), found.split(' ').collect());
    let shared = one.intersection(&other).count();
    // Never enough: it only orders what is shown.
    0.6 * 2.0 * shared as f64 / (one.len() + other.len()) as f64
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Returns whether the words are beside this element and not beside one of the others that are alike: 1, or 0.
fn near_fit(tree: &Tree, at: usize, alike: &[usize], near: &str) -> f64 {
    f64::from(u8::from(is_near(tree, at, alike, near)))
}

fn is_near(tree: &Tree, at: usize, alike: &[usize], near: &str) -> bool {
    if tree.nodes[at].says(near) {
        return true;
    }
    for above in tree.ancestors(at) {
        let (node, inside) = (&tree.nodes[above], tree.inside(above));
        let role = node.role.as_str();
        let is_part = ITEMS.contains(&role) || PARTS.contains(&role);
        if node.says(near) || (is_part && tree.has_words(inside.clone(), near)) {
            return !alike.iter().any(|other| *other != at && inside.contains(other));
        }
        // What is outside of the element's row belongs to another one.
        if ITEMS.contains(&role) {
            return false;
        }
    }
    has_in_its_part(tree, at, alike, near)
}

/// Returns whether the words are in the element's own part of a list without rows: `text, button, text, button`. Only if
/// each of the alike elements has words before it and none follow the last one, or the other way around: in any other
/// order nothing tells to which of two elements the words between them belong. The nearest heading counts, or the nearest
/// words if there is none: those farther away may be of one whose button is gone.
fn has_in_its_part(tree: &Tree, at: usize, alike: &[usize], near: &str) -> bool {
    let parent = tree.parent(at);
    let around = tree.beside(at);
    let siblings: Vec<usize> = alike.iter().copied().filter(|other| tree.parent(*other) == parent).collect();
    let Some(place) = siblings.iter().position(|other| *other == at) else { return false };
    let mut parts = Vec::new();
    let mut from = around.start;
    for sibling in &siblings {
        parts.push(from..*sibling);
        from = tree.inside(*sibling).end;
    }
    parts.push(from..around.end);
    let has_words = |part: &std::ops::Range<usize>| part.clone().any(|at| !words_of(&tree.nodes[at]).is_empty());
    let mut nearest: Vec<&Node> = match (has_words(&parts[0]), parts.last().is_some_and(has_words)) {
        (true, false) => parts[place].clone().rev().map(|at| &tree.nodes[at]).collect(),
        (false, true) => parts[place + 1].clone().map(|at| &tree.nodes[at]).collect(),
        _ => return false,
    };
    nearest.retain(|node| !words_of(node).is_empty());
    let heading = nearest.iter().find(|node| node.role == "heading").or(nearest.first());
    heading.is_some_and(|node| node.says(near))
}

fn words_of(node: &Node) -> &str {
    if node.text.is_empty() { &node.name } else { &node.text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(page: &str, role: &str, name: &str, near: Option<&str>) -> String {
        let element = Element {
            role: Some(role.to_owned()),
            name: Some(name.to_owned()),
            near: near.map(str::to_owned),
            ..Element::default()
        };
        match choose(&Tree::read(page), &element, None) {
            Choice::One(one, _) => one.reference,
            Choice::Several(several) => format!("{} alike", several.len()),
            Choice::None(_) => "none".to_owned(),
        }
    }

    const ROWS: &str = "@e1 [list]\n  @e2 [listitem]: Desk lamp\n    @e3 [button] \"Buy\"\n  @e4 [listitem]: Floor lamp\n    @e5 [button] \"Buy\"\n";
    const FLAT: &str =
        "@e1 [main]\n  [text]: Desk lamp\n  @e2 [button] \"Buy\"\n  [text]: Floor lamp\n  @e3 [button] \"Buy\"\n";
    const AFTER: &str =
        "@e1 [main]\n  @e2 [button] \"Buy\"\n  [text]: Desk lamp\n  @e3 [button] \"Buy\"\n  [text]: Floor lamp\n";

    #[test]
    fn the_words_beside_an_element_tell_it_from_others() {
        for (page, near, expected) in [
            (ROWS, None, "2 alike"),
            (ROWS, Some("desk  Lamp"), "@e3"),
            (ROWS, Some("Floor lamp"), "@e5"),
            (ROWS, Some("Lamp"), "2 alike"),
            (ROWS, Some("Wall lamp"), "none"),
            (FLAT, Some("Desk lamp"), "@e2"),
            (FLAT, Some("Floor lamp"), "@e3"),
            (AFTER, Some("Desk lamp"), "@e2"),
            (AFTER, Some("Floor lamp"), "@e3"),
        ] {
            assert_eq!(found(page, "button", "Buy", near), expected, "{near:?}\n{page}");
        }
        // Words on both sides: nobody can tell whose they are.
        let both = format!("{FLAT}  [text]: Wall lamp\n");
        assert_eq!(found(&both, "button", "Buy", Some("Desk lamp")), "none");
        // The lamp is sold out: the only button left is that of another one.
        for (page, gone) in [
            (ROWS, "    @e3 [button] \"Buy\"\n"),
            (FLAT, "  @e2 [button] \"Buy\"\n"),
            (AFTER, "  @e2 [button] \"Buy\"\n"),
        ] {
            let left = page.replace(gone, "");
            assert_eq!(found(&left, "button", "Buy", Some("Desk lamp")), "none", "{left}");
        }
        let cards = "@e1 [heading] \"Desk lamp\"\n[text]: 20 €\n@e2 [button] \"Buy\"\n@e3 [heading] \"Floor lamp\"\n[text]: 30 €\n@e4 [button] \"Buy\"\n";
        assert_eq!(found(cards, "button", "Buy", Some("Desk lamp")), "@e2");
        assert_eq!(found(cards, "button", "Buy", Some("Floor lamp")), "@e4");
    }

    #[test]
    fn a_changed_name_is_taken_only_if_it_cannot_be_another_element() {
        for (page, role, name, near, expected) in [
            ("@e1 [button] \"Save\"", "button", "save ", None, "@e1"),
            ("@e1 [link] \"Save\"", "button", "Save", None, "@e1"),
            ("@e1 [heading] \"Save\"", "button", "Save", None, "none"),
            ("@e1 [link] \"Cart (3)\"", "link", "Cart (2)", None, "@e1"),
            ("@e1 [link] \"Page 3\"", "link", "Page 2", None, "none"),
            ("@e1 [button] \"Save draft\"", "button", "Save", None, "none"),
            ("@e1 [form] \"Profile\"\n  @e2 [button] \"Save now\"", "button", "Save", Some("Profile"), "@e2"),
            ("@e1 [form] \"Profile\"\n  @e2 [button] \"Delete account\"", "button", "Delete", Some("Profile"), "none"),
            ("@e1 [button] \"Add to basket\"", "button", "Add to cart", None, "none"),
            ("@e1 [button] \"Kaufen\"", "button", "Buy", None, "none"),
            ("@e1 [button] \"Save\"\n@e2 [link] \"Save\"", "button", "Save", None, "@e1"),
            ("@e1 [link] \"Save\"\n@e2 [link] \"Save\"", "button", "Save", None, "2 alike"),
            ("[button] \"Save\"", "button", "Save", None, "none"),
            ("@e1 [heading] \"Save\"\n@e2 [button] \"Save\"", "", "Save", None, "@e2"),
        ] {
            assert_eq!(found(page, role, name, near), expected, "{name:?} in {page}");
        }
    }

    #[test]
    fn a_number_counts_only_among_elements_with_the_same_description() {
        let tree = Tree::read(ROWS);
        let element = |nth| Element {
            role: Some("button".to_owned()),
            name: Some("Buy".to_owned()),
            nth: Some(nth),
            ..Element::default()
        };
        let Choice::One(second, true) = choose(&tree, &element(2), None) else { panic!("not found") };
        assert_eq!((second.reference.as_str(), second.beside.as_str()), ("@e5", "Floor lamp"));
        assert!(matches!(choose(&tree, &element(3), None), Choice::Several(_)));
        let other = Tree::read("@e1 [link] \"Buy\"\n@e2 [link] \"Buy\"\n");
        assert!(matches!(choose(&other, &element(1), None), Choice::Several(_)));
    }

    #[test]
    fn an_element_of_another_site_is_taken_only_if_the_step_names_the_site() {
        let page = "@e1 [textbox] \"Card\"\n@e2 [iframe]\n  @e3 [textbox] \"Card\"\n";
        let sites = [("@e3".to_owned(), "https://pay.example".to_owned())].into();
        let tree = Tree::read(page).with_sites(&sites);
        let element = Element { role: Some("textbox".to_owned()), name: Some("Card".to_owned()), ..Element::default() };
        let found = |frame: Option<&str>| match choose(&tree, &element, frame) {
            Choice::One(one, true) => one.reference,
            other => format!("{other:?}"),
        };
        assert_eq!(found(None), "@e1");
        assert_eq!(found(Some("https://pay.example")), "@e3");
        assert_eq!(found(Some("https://other.example")), "None([])");
    }

    #[test]
    fn a_page_cannot_write_a_line_of_its_own() {
        let page = "@e1 [button] \"x\\\"\\n@e9 [button] \\\"Buy\"\n  [text]: @e8 [button] \"Buy\"\n";
        assert_eq!(found(page, "button", "Buy", None), "none");
    }
}
