//! audit-a11y.
//!
//! Owns the words and the bound of the list. axe-core judges.

use crate::core::{Arguments, Context, Output, wrong};
use crate::privacy::redaction;
use crate::spec::{
    Capability, Category, Class, Everyday, Navigates, Needs, Offered, Spec, TIMEOUT, TabUse, ValueType, Verb, Writes,
    flag, phrase, selector,
};
use gstack_base::counted::counted;
use gstack_browser::page::{Audit, AuditOptions, Audited, AuditedElement, AuditedRule, Impact};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::{Value, json};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(30);
/// Of one rule.
const LISTED: usize = 5;
const MOST_LISTED: usize = 100;
/// Of rules that were not finished.
const MOST_NAMED: usize = 10;

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "audit-a11y",
    aliases: &["a11y"],
    category: Category::Inspection,
    class: Class::Read,
    parameters: &[selector(
        false,
        ValueType::Element,
        "Only this element and its contents; without it, the whole page with its frames",
    )],
    flags: &[
        flag("--rules", "A,B", ValueType::Choice, "Only these rules of axe-core: image-alt,label"),
        flag("--tags", "A,B", ValueType::Choice, "Only rules with one of these tags: wcag2a,wcag2aa,best-practice"),
        flag("--limit", "N", ValueType::Choice, "Maximum number of elements per rule (default: 5)"),
        TIMEOUT,
    ],
    summary: "Check the page's accessibility with axe-core",
    details: "Also written `audit a11y`. Lists each violated rule with its impact, the elements that violate it with \
        their refs, and a link to an explanation. Checks that need a person are counted separately. Frames are \
        audited one by one; rules about the whole page apply to the main frame only. Style sheets and media are not \
        fetched again. Ends after 30 s, and says which rules were not finished by then.",
    untrusted: true,
    writes: Writes::Nothing,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Devtools),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[phrase(Verb::Check, "the page's accessibility")],
    output: "IMPACT  RULE  its requirement (N elements), the first elements with refs and reasons, a link to an explanation; or: (no \
        violations)",
    data: "{engine: string, violations: [{rule: string, impact: string | null, help: string, helpUrl: string, tags: string[], count: number, elements: [{ref: string | null, element: string, reason: string}]}], incomplete: unknown[], passed: string[], unfinished: string[], frames: number, framesNotAudited: number}",
    run: |context, arguments| Box::pin(audit(context, arguments)),
}];

async fn audit(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let (rules, tags) = (names(&arguments, "--rules")?, names(&arguments, "--tags")?);
    if !rules.is_empty() && !tags.is_empty() {
        return Err(wrong("audit-a11y takes --rules or --tags, not both"));
    }
    let most = arguments.value("--limit").map_or(Ok(LISTED), |text| arguments.number("--limit", text))?;
    let options = AuditOptions { rules, tags, most: most.clamp(1, MOST_LISTED), limit: arguments.timeout(LIMIT)? };
    let page = context.page().await?;
    let audit = match page.audit(arguments.target("sel").as_ref(), &options).await? {
        Audited::Done(audit) => audit,
        Audited::Unknown(names) => {
            return Err(wrong(format!("axe-core does not know {}", names.join(", ")))
                .hint("Its rules: https://dequeuniversity.com/rules/axe/. Tags: wcag2a, wcag2aa, wcag21aa, wcag22aa, best-practice."));
        }
        Audited::Shadowed(names) => {
            return Err(Fault::new(
                FaultCode::Element,
                format!("the page can't be audited: elements named {} hide it from scripts", names.join(", ")),
            )
            .hint("Rename these elements (their name or id) and audit again."));
        }
    };
    let mut output = if audit.broken.is_empty() {
        Output::text("(no violations)")
    } else {
        Output::from_page(lines(&audit.broken), page.url()?)
    };
    for words in [Some(summary(&audit)), doubts(&audit), unfinished(&audit), unread(&audit)] {
        output.say(words);
    }
    Ok(output.data(fields(&audit)))
}

/// `a,b`
fn names(arguments: &Arguments, flag: &str) -> Result<Vec<String>, Fault> {
    let Some(typed) = arguments.value(flag) else { return Ok(Vec::new()) };
    let names: Vec<String> =
        typed.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    if names.is_empty() { Err(wrong(format!("{flag} is empty"))) } else { Ok(names) }
}

fn impact(rule: &AuditedRule) -> &'static str {
    match rule.impact {
        Some(Impact::Critical) => "critical",
        Some(Impact::Serious) => "serious",
        Some(Impact::Moderate) => "moderate",
        Some(Impact::Minor) => "minor",
        None => "unrated",
    }
}

fn lines(rules: &[AuditedRule]) -> String {
    let mut lines = Vec::new();
    for rule in rules {
        let count = counted(rule.count, "element");
        lines.push(format!("{}  {}  {} ({count})", impact(rule), rule.rule, rule.help));
        lines.extend(rule.elements.iter().map(element));
        let more = rule.count.saturating_sub(rule.elements.len());
        if more > 0 {
            lines.push(format!("  … {more} more"));
        }
        lines.push(format!("  {}", rule.url));
    }
    lines.join("\n")
}

fn element(AuditedElement { name, description, reason }: &AuditedElement) -> String {
    let reason = if reason.is_empty() { String::new() } else { format!(": {}", redaction::text(reason)) };
    format!("  {name} {}{reason}", redaction::text(description))
}

fn summary(audit: &Audit) -> String {
    let elements: usize = audit.broken.iter().map(|rule| rule.count).sum();
    let found = match audit.broken.len() {
        0 => String::new(),
        rules => {
            format!("{} broken by {}; ", counted(rules, "rule"), counted(elements, "element"))
        }
    };
    format!("{found}{} passed (axe-core {})", counted(audit.passed.len(), "rule"), audit.version)
}

fn doubts(audit: &Audit) -> Option<String> {
    let names: Vec<String> = audit.doubtful.iter().map(|rule| format!("{} ({})", rule.rule, rule.count)).collect();
    (!names.is_empty()).then(|| format!("For a person to judge: {}", names.join(", ")))
}

fn unfinished(audit: &Audit) -> Option<String> {
    let (count, mut names) = (audit.unfinished.len(), audit.unfinished.clone());
    names.truncate(MOST_NAMED);
    let dots = if count > MOST_NAMED { " …" } else { "" };
    let names = format!("{}{dots}", names.join(", "));
    (count > 0).then(|| {
        format!("{} not finished: {names}. Audit a part of the page, or give --timeout.", counted(count, "rule"))
    })
}

fn unread(audit: &Audit) -> Option<String> {
    (audit.unread_frames > 0).then(|| format!("{} not audited", counted(audit.unread_frames, "frame")))
}

fn fields(audit: &Audit) -> Value {
    let rule = |rule: &AuditedRule| {
        let elements = rule.elements.iter().map(|AuditedElement { name, description, reason }| {
            json!({ "ref": name, "element": redaction::text(description), "reason": redaction::text(reason) })
        });
        json!({ "rule": rule.rule, "impact": rule.impact, "help": rule.help, "helpUrl": rule.url, "tags": rule.tags,
            "count": rule.count, "elements": elements.collect::<Vec<_>>() })
    };
    let rules = |rules: &[AuditedRule]| rules.iter().map(rule).collect::<Vec<_>>();
    json!({ "engine": format!("axe-core {}", audit.version), "violations": rules(&audit.broken),
        "incomplete": rules(&audit.doubtful), "passed": audit.passed, "unfinished": audit.unfinished, "frames": audit.frames,
        "framesNotAudited": audit.unread_frames })
}

#[cfg(test)]
mod tests {
    use super::{Audit, AuditedElement, AuditedRule, Impact, doubts, lines, summary, unfinished, unread};

    fn rule(name: &str, count: usize, listed: usize) -> AuditedRule {
        let element = |at: usize| AuditedElement {
            name: format!("@e{at}"),
            description: "<img id=\"logo\">".to_owned(),
            reason: if at == 1 { "It has no alt".to_owned() } else { String::new() },
        };
        AuditedRule {
            rule: name.to_owned(),
            impact: Some(Impact::Critical),
            help: "Images must have alternative text".to_owned(),
            url: "https://dequeuniversity.com/rules/axe/4.14/image-alt".to_owned(),
            tags: vec!["wcag2a".to_owned()],
            count,
            elements: (1..=listed).map(element).collect(),
        }
    }

    #[test]
    fn a_rule_lists_its_first_elements_and_counts_the_rest() {
        assert_eq!(
            lines(&[rule("image-alt", 7, 2)]),
            "critical  image-alt  Images must have alternative text (7 elements)\n  @e1 <img id=\"logo\">: It has no alt\n  \
             @e2 <img id=\"logo\">\n  … 5 more\n  https://dequeuniversity.com/rules/axe/4.14/image-alt"
        );
        let audit = Audit {
            version: "4.14.1".to_owned(),
            broken: vec![rule("image-alt", 7, 2)],
            doubtful: vec![rule("color-contrast", 3, 0)],
            passed: vec!["label".to_owned()],
            unfinished: vec!["region".to_owned()],
            unread_frames: 2,
            frames: 1,
        };
        assert_eq!(summary(&audit), "1 rule broken by 7 elements; 1 rule passed (axe-core 4.14.1)");
        assert_eq!(doubts(&audit).unwrap(), "For a person to judge: color-contrast (3)");
        assert!(unfinished(&audit).unwrap().starts_with("1 rule not finished: region. "));
        assert_eq!(unread(&audit).unwrap(), "2 frames not audited");
        let clean = Audit { version: "4.14.1".to_owned(), ..Audit::default() };
        assert_eq!(summary(&clean), "0 rules passed (axe-core 4.14.1)");
        assert_eq!((doubts(&clean), unfinished(&clean), unread(&clean)), (None, None, None));
    }
}
