//! react-tree, react-component.
//!
//! Owns the words, and what of props and state is hidden: values of secret names and in the form of keys.

use crate::core::{Arguments, Context, Output};
use crate::privacy::{redaction, secrets};
use crate::spec::{
    Capability, Category, Class, Everyday, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, Writes, flag,
    phrase, selector,
};
use gstack_browser::page::{Component, ComponentDetails};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::{Value, json};

/// Components that are listed unless another number is given.
const LISTED: usize = 200;
const MOST_LISTED: usize = 2_000;

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "react-tree",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Read,
        parameters: &[],
        flags: &[flag("--limit", "N", ValueType::Choice, "Maximum number of components (default: 200)")],
        summary: "List the page's React components as a tree, with the refs of their elements",
        details: "Also written `react tree`. Of the main frame, or the one that `frame` chose. A production build shortens the names.",
        untrusted: true,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Devtools),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Read, "the page's components")],
        output: "NAME key=KEY @ref x,y WxH, one line per component, indented by depth; the box is that of its first \
            element",
        data: "{components: [{name: string, key: unknown, depth: number, ref: unknown, box: unknown}], total: number}",
        run: |context, arguments| Box::pin(tree(context, arguments)),
    },
    Spec {
        name: "react-component",
        aliases: &["react-inspect"],
        category: Category::Inspection,
        class: Class::Read,
        parameters: &[selector(true, ValueType::Element, "An element of the component")],
        flags: &[],
        summary: "Show the React component of an element: its name, props and state",
        details: "Also written `react component`. The nearest component around the element. Redacts values that have \
            secret names, look like keys or come from password fields; does not run getters.",
        untrusted: true,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Devtools),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Read, "the component of {sel}")],
        output: "NAME, props: JSON, state: JSON a state hook, in: the components around it",
        data: "{name: string, key: unknown, props: unknown, state: unknown, within: string[]}",
        run: |context, arguments| Box::pin(component(context, arguments)),
    },
];

async fn tree(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let most = arguments.value("--limit").map_or(Ok(LISTED), |text| arguments.number("--limit", text))?;
    let page = context.page().await?;
    let found = page.react_tree(most.clamp(1, MOST_LISTED)).await?.ok_or_else(no_react)?;
    let lines: Vec<String> = found.components.iter().map(line).collect();
    let left_out = found.total.saturating_sub(lines.len());
    let mut output = match lines.is_empty() {
        true => Output::text("(no components)"),
        false => Output::from_page(lines.join("\n"), page.url()?),
    };
    output.say((left_out > 0).then(|| format!("… {left_out} more; --limit lists more of them")));
    let fields: Vec<Value> = found.components.iter().map(fields).collect();
    Ok(output.data(json!({ "components": fields, "total": found.total })))
}

fn line(component: &Component) -> String {
    let Component { name, key, depth, element, place } = component;
    let key = key.as_ref().map(|key| format!(" key={}", redaction::text(key))).unwrap_or_default();
    let element = element.as_ref().map(|element| format!(" {element}")).unwrap_or_default();
    let place =
        place.map(|at| format!(" {:.0},{:.0} {:.0}x{:.0}", at.x, at.y, at.width, at.height)).unwrap_or_default();
    format!("{}{name}{key}{element}{place}", "  ".repeat((*depth).min(60)))
}

fn fields(component: &Component) -> Value {
    let Component { name, key, depth, element, place } = component;
    json!({ "name": name, "key": key.as_deref().map(redaction::text), "depth": depth, "ref": element, "box": place })
}

async fn component(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let target = arguments.required_target("sel")?;
    let page = context.page().await?;
    let Some(found) = page.react_component(&target).await? else {
        return Err(match page.react_tree(1).await? {
            None => no_react(),
            Some(_) => Fault::new(FaultCode::NotFound, format!("{target} is in no React component"))
                .hint("`react tree` lists the components with refs."),
        });
    };
    let ComponentDetails { name, key, props, state, within } = found;
    let (props, state) = (secrets::redact_json(&props), secrets::redact_json(&Value::from(state)));
    let mut lines = vec![name.clone(), format!("props: {props}")];
    lines.extend(state.as_array().into_iter().flatten().map(|state| format!("state: {state}")));
    if !within.is_empty() {
        lines.push(format!("in: {}", within.join(" < ")));
    }
    let output = Output::from_page(lines.join("\n"), page.url()?);
    Ok(output.data(json!({ "name": name, "key": key, "props": props, "state": state, "within": within })))
}

fn no_react() -> Fault {
    Fault::new(FaultCode::NotFound, "no React was found on this page")
        .hint("It may not be loaded yet, or be in a frame: choose one with `frame`.")
}
