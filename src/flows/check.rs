//! Whether a flow can run: what only the commands and the parameters can tell.
//!
//! Owns the checks, which need no browser. Reports every problem, with its line and what to do.

use super::file::{Element, Flow, MOST_STEPS, Problem, Step};
use super::fill;
use super::sites;
use super::words::{self, Places};
use gstack_base::plain_name;
use gstack_command::Category;
use std::collections::BTreeSet;

/// Returns everything that keeps a flow from running.
pub fn problems(flow: &Flow) -> Vec<Problem> {
    let mut found = Vec::new();
    if flow.steps.is_empty() {
        found.push(Problem::new(1, "the flow has no steps", "Add at least one to `steps`."));
    }
    if flow.steps.len() > MOST_STEPS {
        found.push(Problem::new(
            1,
            format!("the flow has more than {MOST_STEPS} steps"),
            "Split it into several flows.",
        ));
    }
    for name in flow.parameters.keys().filter(|name| !plain_name::is_name(name)) {
        let message = format!("{name:?} cannot be a parameter's name");
        found.push(Problem::new(1, message, "Use at most 32 letters, digits, - and _."));
    }
    let mut used = BTreeSet::new();
    for step in &flow.steps {
        match fill::used(step) {
            Ok(names) => {
                for name in names.iter().filter(|name| !flow.parameters.contains_key(*name)) {
                    let hint = format!("Add parameters.{name} = \"…\", or correct the name.");
                    found.push(Problem::new(step.line, format!("{name:?} is not a parameter"), hint));
                }
                used.extend(names);
            }
            Err(why) => found.push(Problem::new(step.line, why, "Close it, or write the value without braces.")),
        }
        found.extend(of_step(step));
    }
    let unopened = flow.steps.iter().zip(sites::of_steps(&flow.steps)).filter(|(_, sites)| sites.is_none());
    found.extend(unopened.map(|(step, _)| {
        let message = format!("no step before it opens tab {}", step.tab.unwrap_or_default());
        Problem::new(step.line, message, "Let the step that opens it wait = { tab = \"https://…/**\" }.")
    }));
    for name in flow.parameters.keys().filter(|name| !used.contains(*name)) {
        let message = format!("no step uses the parameter {name}");
        found.push(Problem::new(1, message, format!("Remove it, or use it as {}.", fill::placeholder(name))));
    }
    found.sort_by_key(|problem| problem.line);
    found
}

fn of_step(step: &Step) -> Option<Problem> {
    let problem = |message: String, hint: &str| Some(Problem::new(step.line, message, hint));
    let waits = step.wait.as_ref().is_some_and(|wait| wait.tab.is_some() || words::wait(wait).is_some());
    if step.wait.is_some() && !waits {
        return problem("`wait` has no condition".to_owned(), "Give it url, text, gone, request or tab.");
    }
    let literal = |text: &&String| !text.contains("{{");
    let opens = step.wait.as_ref().and_then(|wait| wait.tab.as_ref());
    if opens.is_some_and(|tab| literal(&tab) && sites::named(tab).is_empty()) {
        return problem("the address of the opened tab names no site".to_owned(), "Write tab = \"https://HOST/**\".");
    }
    if opens.is_some() && step.act.is_none() {
        return problem("only an act opens a tab".to_owned(), "Let the step that opens it wait for it.");
    }
    if let Some(frame) = step.frame.as_ref().filter(literal).filter(|frame| !sites::is_frame(frame)) {
        let hint = "Write its origin, without a path: https://HOST. A frame of the page's own site is own, one without a site null.";
        return problem(format!("{frame:?} is not the site of a frame"), hint);
    }
    let Some(act) = &step.act else {
        let bare = Step { wait: None, line: 0, ..step.clone() } == Step::default();
        return match (bare, waits) {
            (true, true) => None,
            (true, false) => problem("the step does nothing".to_owned(), "Give it an `act`, a `wait`, or both."),
            (false, _) => problem("the step has no `act`".to_owned(), "Say what to do, for instance act = \"click\"."),
        };
    };
    let spec = match words::spec(act) {
        Ok(spec) => spec,
        Err(why) => return problem(why, "docs/FLOWS.md lists the acts."),
    };
    let element = step.element().filter(|_| words::takes_element(spec));
    if step.frame.is_some() && step.to.is_none() && !words::takes_element(spec) && spec.category == Category::Navigation
    {
        return problem(format!("{act} acts on no frame"), "Leave out frame.");
    }
    let described = step.role.is_some() || step.near.is_some() || step.nth.is_some() || step.selector.is_some();
    if described && !words::takes_element(spec) {
        return problem(format!("{act} acts on no element"), "Leave out role, near, nth and selector.");
    }
    let is_mixed =
        |of: &Element| of.selector.is_some() && *of != Element { selector: of.selector.clone(), ..Element::default() };
    if element.iter().chain(&step.to).any(is_mixed) {
        return problem("a selector stands alone".to_owned(), "Leave out role, name, near and nth, or the selector.");
    }
    if let Some(element) = &element
        && element.selector.is_none()
        && element.name.is_none()
    {
        let hint = "Give it a name, and best a role too, as `gstack snapshot` prints them, or a selector.";
        return problem("the element is not described well enough to find it again".to_owned(), hint);
    }
    if element.as_ref().is_some_and(|element| element.nth == Some(0)) {
        return problem("nth counts from 1".to_owned(), "The first one is nth = 1.");
    }
    if step.to.as_ref().is_some_and(|to| to.selector.is_none() && to.name.is_none()) {
        return problem("`to` is not described well enough".to_owned(), "Give it a name, or a selector.");
    }
    // Any ref stands for the element: which one it is, only a page tells.
    let places = Places { element: element.as_ref().map(|_| "@e1"), to: step.to.as_ref().map(|_| "@e1") };
    match words::words(spec, step, places) {
        Ok(_) => None,
        Err(why) => problem(why, &format!("See: gstack help {}", spec.name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(steps: &str) -> Vec<String> {
        let text = format!("flow = 1\nparameters.email = \"a@b.example\"\nsteps = [\n{steps}\n]\n");
        problems(&Flow::read(&text).unwrap()).iter().map(ToString::to_string).collect()
    }

    const USES: &str = "{ act = \"fill\", role = \"textbox\", name = \"Email\", value = \"{{email}}\" },\n";

    #[test]
    fn a_flow_of_all_kinds_of_steps_has_no_problem() {
        let steps = [
            "{ act = \"goto\", url = \"https://shop.example/\", wait = { text = \"Lamps\" } },",
            USES,
            "{ act = \"click\", role = \"button\", name = \"Buy\", near = \"Desk lamp\", wait = { url = \"**/cart\", request = \"**/add\" } },",
            "{ act = \"select\", role = \"combobox\", name = \"Size\", value = \"Large\" },",
            "{ act = \"check\", role = \"checkbox\", name = \"Gift\" },",
            "{ act = \"press\", key = \"Enter\" },",
            "{ act = \"type\", role = \"textbox\", name = \"Note\", text = \"-5 lamps\" },",
            "{ act = \"upload\", role = \"button\", name = \"Photo\", file = \"a.png\" },",
            "{ act = \"drag\", role = \"listitem\", name = \"A\", to = { role = \"listitem\", name = \"B\" } },",
            "{ act = \"sign-in\", name = \"shop\", submit = true },",
            "{ act = \"click\", selector = \"#buy\" },",
            "{ wait = { gone = \"Loading\" } },",
        ];
        assert_eq!(told(&steps.join("\n")), Vec::<String>::new());
    }

    #[test]
    fn each_problem_names_its_line_and_what_to_do() {
        for (step, expected) in [
            ("{ act = \"clcik\", role = \"a\", name = \"b\" }", "line 5: \"clcik\" is not a command, but click is"),
            ("{ act = \"js\", text = \"1\" }", "line 5: js cannot be a step"),
            ("{ act = \"cookies\" }", "line 5: cookies cannot be a step"),
            ("{ act = \"click\" }", "line 5: click needs an element"),
            ("{ act = \"click\", role = \"button\" }", "line 5: the element is not described well enough"),
            ("{ act = \"fill\", role = \"textbox\", name = \"A\" }", "line 5: fill needs value"),
            ("{ act = \"goto\", url = \"https://a.example\", key = \"Enter\" }", "line 5: goto takes no key"),
            ("{ act = \"click\", selector = \"#a\", submit = true }", "line 5: click takes no submit"),
            ("{ wait = {} }", "line 5: `wait` has no condition"),
            ("{ role = \"button\", name = \"A\" }", "line 5: the step has no `act`"),
            ("{ act = \"press\", key = \"{{nobody}}\" }", "line 5: \"nobody\" is not a parameter"),
            ("{ act = \"press\", key = \"{{email\" }", "line 5: \"{{email\" has {{ without }}"),
            ("{ act = \"click\", name = \"a\", nth = 0 }", "line 5: nth counts from 1"),
            ("{ act = \"press\", role = \"textbox\", key = \"Enter\" }", "line 5: press acts on no element"),
            (
                "{ act = \"click\", name = \"a\", frame = \"pay.example\" }",
                "line 5: \"pay.example\" is not the site of a frame",
            ),
            ("{ act = \"goto\", url = \"https://a.example\", frame = \"null\" }", "line 5: goto acts on no frame"),
            ("{ act = \"click\", name = \"a\", tab = 2 }", "line 5: no step before it opens tab 2"),
            (
                "{ act = \"click\", name = \"a\", wait = { tab = \"**/x\" } }",
                "line 5: the address of the opened tab names no site",
            ),
            ("{ wait = { tab = \"https://a.example/**\" } }", "line 5: only an act opens a tab"),
            ("{ act = \"click\", selector = \"#a\", name = \"b\" }", "line 5: a selector stands alone"),
        ] {
            let found = told(&format!("{USES}{step}"));
            assert!(found.len() == 1 && found[0].starts_with(expected), "{step}: {found:?}");
        }
        let unused = told("{ act = \"press\", key = \"Enter\" }");
        assert_eq!(unused, ["line 1: no step uses the parameter email. Remove it, or use it as {{email}}."]);
    }

    #[test]
    fn what_is_not_a_flow_is_refused_by_its_line() {
        for (text, line, expected) in [
            ("flow = 2\nsteps = []\n", 1, "version 2 of the format is not known"),
            ("flow = 1\nsteps = [\n  { act = \"click\", nmae = \"x\" },\n]\n", 3, "unknown field `nmae`"),
            ("flow = 1\nsteps = [\n  { act = \"click\" }\n  { act = \"x\" }\n]\n", 4, ""),
            ("flow = 1\nparameters.a = 1\nsteps = []\n", 2, "invalid type"),
            ("steps = []\n", 1, "missing field `flow`"),
        ] {
            let problem = Flow::read(text).unwrap_err();
            assert!(problem.line == line && problem.message.contains(expected), "{text}: {problem:?}");
        }
        assert!(Flow::read(&"#".repeat(300_000)).unwrap_err().message.contains("longer"));
    }
}
