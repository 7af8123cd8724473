//! The `inspect` command.

use crate::core::{Arguments, Context, Output};
use crate::spec::{
    Capability, Category, Class, Everyday, Flag, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, Writes,
    phrase, selector,
};
use gstack_browser::page::{BoxModel, Inspection, Origin, Rule, StyleChange, Target};
use gstack_protocol::catalogue;
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;
use std::fmt::Write as _;

/// The computed properties that say most about an element's appearance.
const COMPUTED: [&str; 26] = [
    "display",
    "position",
    "top",
    "right",
    "bottom",
    "left",
    "width",
    "height",
    "margin",
    "padding",
    "border",
    "color",
    "background-color",
    "font-family",
    "font-size",
    "font-weight",
    "line-height",
    "text-align",
    "opacity",
    "visibility",
    "z-index",
    "overflow",
    "transform",
    "flex-direction",
    "justify-content",
    "grid-template-columns",
];

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "inspect",
    aliases: &[],
    category: Category::Inspection,
    class: Class::Read,
    parameters: &[selector(false, ValueType::Element, "The element; without it the one picked in the side panel")],
    flags: &[
        Flag {
            name: "--all",
            alias: "",
            value: None,
            holds: ValueType::Choice,
            help: "Include the browser's own rules",
        },
        Flag {
            name: "--history",
            alias: "",
            value: None,
            holds: ValueType::Choice,
            help: "List the changes that `style` made",
        },
    ],
    summary: "Show an element's CSS rules, what overrides what, its box and its computed style",
    details: "The most specific rule comes first; a declaration that loses is marked overridden.",
    untrusted: false,
    writes: Writes::Nothing,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Reading),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[phrase(Verb::LookAt, "{sel}"), phrase(Verb::LookAt, "the style")],
    output: "text",
    data: "{element: string, rules: [{selector: string, specificity: unknown, origin: string, conditions: unknown, source: unknown, declarations: [{name: string, value: string, important: boolean, overridden: boolean}]}], computed: unknown, box: {x: number, y: number, width: number, height: number, padding: number[], border: number[], margin: number[]} | null}",
    run: |context, arguments| Box::pin(inspect(context, arguments)),
}];

async fn inspect(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let with_history = arguments.has("--history");
    let page = context.page().await?;
    let named = arguments.target("sel");
    let Some(target) = named.clone().or_else(|| page.picked().map(Target::Ref)) else {
        if with_history {
            return Ok(context.told_by_page(&page, Output::text(history(&page.style_changes()))));
        }
        return Err(
            Fault::new(FaultCode::NotFound, "no element is picked in this tab").hint(catalogue::NOTHING_PICKED_YET)
        );
    };
    let found = page.inspect(&target).await.map_err(|error| match named {
        Some(_) => Fault::from(error),
        None => Fault::from(error).hint(catalogue::PICK_IT_AGAIN),
    })?;
    let mut text = written(&found, arguments.has("--all"));
    if with_history {
        text.push_str(&format!("\n\n{}", history(&page.style_changes())));
    }
    let rules: Vec<_> = found.rules.iter().map(rule_data).collect();
    let data = json!({ "element": found.element, "rules": rules, "computed": found.computed,
        "box": found.box_model.as_ref().map(box_data) });
    Ok(context.told_by_page(&page, Output::text(text).data(data)))
}

fn written(found: &Inspection, with_browsers: bool) -> String {
    let mut text = format!("Element: {}\n\nRules:", found.element);
    let rules: Vec<&Rule> =
        found.rules.iter().filter(|rule| with_browsers || rule.origin != Origin::UserAgent).collect();
    if rules.is_empty() {
        text.push_str("\n  (no rules of the page match)");
    }
    // Writing to a String cannot fail.
    for rule in rules {
        let specificity = rule.specificity.map(|(a, b, c)| format!(" ({a},{b},{c})")).unwrap_or_default();
        let origin = if rule.origin == Origin::UserAgent { " [user-agent]" } else { "" };
        for condition in &rule.conditions {
            write!(text, "\n  {condition}").ok();
        }
        write!(text, "\n  {}{specificity}{origin}", rule.selector).ok();
        for declaration in &rule.declarations {
            let important = if declaration.important { " !important" } else { "" };
            let lost = if declaration.overridden { "  [overridden]" } else { "" };
            write!(text, "\n    {}: {}{important};{lost}", declaration.name, declaration.value).ok();
        }
    }
    text.push_str("\n\nBox model:");
    match &found.box_model {
        Some(model) => text.push_str(&box_lines(model)),
        None => text.push_str("\n  (not rendered)"),
    }
    text.push_str("\n\nComputed:");
    for name in COMPUTED {
        if let Some(value) = found.computed.get(name).filter(|value| !value.is_empty()) {
            write!(text, "\n  {name}: {value}").ok();
        }
    }
    text
}

fn box_lines(model: &BoxModel) -> String {
    let sides = |[top, right, bottom, left]: [f64; 4]| {
        format!("{} {} {} {}", number(top), number(right), number(bottom), number(left))
    };
    format!(
        "\n  content: {}x{}\n  padding: {}\n  border:  {}\n  margin:  {}\n  at:      {}, {}",
        number(model.width),
        number(model.height),
        sides(model.padding),
        sides(model.border),
        sides(model.margin),
        number(model.x),
        number(model.y)
    )
}

/// Formats pixels as `12` or `12.5`.
fn number(pixels: f64) -> String {
    let hundredths = (pixels * 100.0).round() / 100.0;
    // Avoids `-0`.
    format!("{}", hundredths + 0.0)
}

fn history(changes: &[StyleChange]) -> String {
    if changes.is_empty() {
        return "(no modifications)".to_owned();
    }
    let lines = changes.iter().enumerate().map(|(at, change)| {
        let StyleChange { target, property, old, new, reverted, .. } = change;
        let reverted = if *reverted { " [reverted]" } else { "" };
        format!("#{} {target} {{ {property}: {old} → {new} }}{reverted}", at + 1)
    });
    format!("Modifications:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

fn rule_data(rule: &Rule) -> serde_json::Value {
    let origin = match rule.origin {
        Origin::UserAgent => "user-agent",
        Origin::Page => "page",
        Origin::Inline => "inline",
    };
    let declarations: Vec<_> = rule
        .declarations
        .iter()
        .map(|declaration| {
            json!({ "name": declaration.name, "value": declaration.value, "important": declaration.important,
                "overridden": declaration.overridden })
        })
        .collect();
    let specificity = rule.specificity.map(|(a, b, c)| [a, b, c]);
    json!({ "selector": rule.selector, "specificity": specificity, "origin": origin, "conditions": rule.conditions,
        "source": rule.source, "declarations": declarations })
}

fn box_data(model: &BoxModel) -> serde_json::Value {
    json!({ "x": model.x, "y": model.y, "width": model.width, "height": model.height, "padding": model.padding,
        "border": model.border, "margin": model.margin })
}
