//! chain, tab-each.

use super::arguments::Arguments;
use super::composition::{CHAIN, COMMANDS as PARAMETER, Call, TAB_EACH, calls};
use super::context::{Context, Moves, Output};
use super::reading::pretty;
use super::registry;
use super::spec::{Category, Class, Kind, Spec, parameter};
use crate::protocol::fault::Fault;
use crate::protocol::ids::TabId;
use futures_util::future::join_all;
use serde_json::{Value, json};

pub(super) const COMMANDS: &[Spec] = &[
    Spec {
        name: CHAIN,
        aliases: &[],
        category: Category::Tabs,
        // Of a call: the highest inside (`Spec::class_of`).
        class: Class::Secret,
        parameters: &[parameter(
            PARAMETER,
            true,
            Kind::Rest,
            "goto url | click @e5, or JSON: [[\"goto\", \"url\"], [\"text\"]]",
        )],
        flags: &[],
        summary: "Run several commands one after the other",
        details: "A command that fails does not end the chain: look at each block. All are checked before the first runs.\nA chain goes on in a tab that it opened.\nOn the command line without arguments: the commands come from standard input, in either form.",
        untrusted: false,
        writes: true,
        output: "[name] output, a block a command; [name] ERROR: …",
        run: |context, arguments| Box::pin(chain(context, arguments)),
    },
    Spec {
        name: TAB_EACH,
        aliases: &[],
        category: Category::Tabs,
        class: Class::Secret,
        parameters: &[parameter(PARAMETER, true, Kind::Rest, "The command with its arguments")],
        flags: &[],
        summary: "Run a command in every tab at the same time",
        details: "",
        untrusted: false,
        writes: true,
        output: "JSON, one result a tab",
        run: |context, arguments| Box::pin(tab_each(context, arguments)),
    },
];

async fn chain(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let calls = calls(registry::get(CHAIN)?, &arguments)?;
    let mut context = context.clone();
    let mut output = Output::default();
    let mut blocks = Vec::with_capacity(calls.len());
    let mut data = Vec::with_capacity(calls.len());
    for call in &calls {
        match run(&context, call).await {
            Ok(done) => {
                // A pinned tab stays the one for other commands, but what the chain has opened is what it goes on with.
                if let Some(id) = done.moved_to.filter(|_| context.tab.is_some() && call.name == "newtab") {
                    context.tab = Some(id);
                }
                output.moved_to = done.moved_to.or(output.moved_to);
                output.files.extend(done.files.iter().cloned());
                let text = done.into_result().output;
                blocks.push(format!("[{}] {text}", call.name));
                data.push(json!({ "command": call.name, "ok": true, "output": text }));
            }
            Err(fault) => {
                let hint = fault.hint.as_deref().map(|hint| format!("\n{hint}")).unwrap_or_default();
                blocks.push(format!("[{}] ERROR: {}{hint}", call.name, fault.message));
                data.push(json!({ "command": call.name, "ok": false, "error": fault.message, "hint": fault.hint }));
            }
        }
    }
    output.text = blocks.join("\n\n");
    Ok(output.data(data))
}

async fn tab_each(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let calls = calls(registry::get(TAB_EACH)?, &arguments)?;
    let tabs = context.browser.tabs();
    let all = tabs.iter().flat_map(|tab| calls.iter().map(|call| in_tab(context, tab.id, &tab.url, call)));
    let mut output = Output::default();
    let mut data = Vec::with_capacity(tabs.len());
    for (result, files) in join_all(all).await {
        data.push(result);
        output.files.extend(files);
    }
    output.text = pretty(&Value::Array(data.clone()))?;
    Ok(output.data(data))
}

async fn in_tab(context: &Context, tab: TabId, url: &str, call: &Call) -> (Value, Vec<std::path::PathBuf>) {
    let context = Context { tab: Some(tab), moves: Moves::Nothing, ..context.clone() };
    match run(&context, call).await {
        Ok(output) => {
            let files = output.files.clone();
            (json!({ "tab": tab, "url": url, "ok": true, "output": output.into_result().output }), files)
        }
        Err(fault) => {
            let failed = json!({ "tab": tab, "url": url, "ok": false, "error": fault.message, "hint": fault.hint });
            (failed, Vec::new())
        }
    }
}

async fn run(context: &Context, call: &Call) -> Result<Output, Fault> {
    registry::run(context, &call.name, &call.args).await
}
