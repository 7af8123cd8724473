//! What `gstack flow` prints for people.
//!
//! Owns the lines. The caller removes what a terminal would interpret.

use crate::cli::terminal::visible_line;
use gstack_base::counted::counted;
use gstack_flows::{Candidate, Change, Flow, Found, Listed, Outcome, Problem, Report, StepReport};

pub(super) fn lines(listed: &[Listed]) -> String {
    if listed.is_empty() {
        return "No flows yet. To make one of what you just did: gstack flow save NAME --terminal".to_owned();
    }
    let width = listed.iter().map(|one| one.name.len()).max().unwrap_or_default();
    let line = |one: &Listed| {
        let state = match (one.problems.is_empty(), one.allowed) {
            (false, _) => format!("  cannot run: gstack flow check {}", one.name),
            (true, false) => format!("  not allowed yet: gstack flow trust {}", one.name),
            (true, true) => String::new(),
        };
        let set: String = one.parameters.iter().map(|name| format!(" {name}=…")).collect();
        let about = if one.about.is_empty() { String::new() } else { format!("  {}", visible_line(&one.about)) };
        let steps = counted(one.steps, "step");
        format!(
            "{:width$}  {steps}{}{about}{state}",
            one.name,
            if set.is_empty() { set } else { format!(", --set{set}") }
        )
    };
    listed.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns a flow with numbered steps, as `--from` takes them.
pub(super) fn told(found: &Found, flow: &Flow) -> String {
    let mut text = format!("{}\n", found.file.display());
    if !flow.about.is_empty() {
        text.push_str(&format!("{}\n", flow.about));
    }
    for (name, parameter) in &flow.parameters {
        let default = parameter.default.as_ref().map_or("must be set".to_owned(), |value| format!("{value:?}"));
        let about = if parameter.about.is_empty() { String::new() } else { format!("  {}", parameter.about) };
        text.push_str(&format!("--set {name}: {default}{about}\n"));
    }
    for (at, step) in flow.steps.iter().enumerate() {
        text.push_str(&format!("{:>3}  {}\n", at + 1, step.told()));
    }
    text
}

/// Returns a file that is not a flow, with each problem under its line.
pub(super) fn broken(found: &Found, problems: &[Problem]) -> String {
    let mut text = format!("{}\n", visible_line(&found.file.display().to_string()));
    for (at, line) in found.text.lines().enumerate() {
        text.push_str(&format!("{:>3}  {}\n", at + 1, visible_line(line)));
        let here = problems.iter().filter(|problem| problem.line == at + 1);
        text.extend(here.map(|problem| visible_line(&format!("     ^ {}. {}", problem.message, problem.hint)) + "\n"));
    }
    // A problem of the whole file, or after its last line.
    let count = found.text.lines().count();
    let after = problems.iter().filter(|problem| problem.line == 0 || problem.line > count);
    text.extend(after.map(|problem| visible_line(&problem.to_string()) + "\n"));
    text
}

/// Returns a step that ended, with what kept it from ending as the flow says.
pub(super) fn step_line(step: &StepReport) -> String {
    let mark = match step.outcome {
        Outcome::Done => "✓",
        Outcome::Failed => "✗",
        Outcome::Unmet => "…",
        Outcome::Unknown => "?",
    };
    let mut text = format!("{mark} {:>2}  {}  {} ms", step.step, step.told, step.millis);
    text.extend(step.message.as_ref().map(|message| format!("\n      {message}")));
    text.extend(step.candidates.iter().map(|candidate| format!("\n      {}", candidate_line(candidate))));
    text.extend(step.hint.as_ref().map(|hint| format!("\n      {hint}")));
    text
}

/// Returns a healed line as a diff. What the page and the agent wrote stays on its line.
pub(super) fn healed_lines(agent: &str, found: &Found, change: &Change) -> String {
    let Change { step, line, old, new, element, .. } = change;
    let (old, new) = (visible_line(old), visible_line(new));
    let file = visible_line(&found.file.display().to_string());
    let element = visible_line(&candidate_line(element));
    format!("{agent} found another element for step {step}:\n{file}:{line}\n- {old}\n+ {new}\nOn the page: {element}")
}

fn candidate_line(candidate: &Candidate) -> String {
    let Candidate { reference, role, name, beside, score } = candidate;
    let beside = if beside.is_empty() { String::new() } else { format!(", beside “{beside}”") };
    format!("{reference} [{role}] “{name}”{beside} (fits {score:.2})")
}

pub(super) fn summary(report: &Report) -> String {
    let done = report.steps.iter().filter(|step| step.outcome == Outcome::Done).count();
    format!("{done} of {} in {} ms, without a model", counted(report.of, "step"), report.millis)
}
