//! The `chain` and `tab-each` commands.

use crate::core::{
    Arguments, CHAIN, COMMANDS as PARAMETER, Call, Context, Output, TAB_EACH, TabSwitch, calls, captions,
};
use crate::privacy::redaction;
use crate::reading::pretty;
use crate::registry;
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, Writes,
    parameter, phrase,
};
use futures_util::future::join_all;
use gstack_browser::tabs::TabInfo;
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::{Value, json};

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: CHAIN,
        aliases: &[],
        category: Category::Tabs,
        // A call has the highest class of the commands inside it (`Call::class`).
        class: Class::Secret,
        parameters: &[parameter(
            PARAMETER,
            true,
            Kind::Rest,
            ValueType::Commands,
            "goto url | click @e5, or JSON: [[\"goto\", \"url\"], [\"text\"]]",
        )],
        flags: &[],
        summary: "Run several commands in order",
        details: "A command that fails does not end the chain: look at each block. If one failed, the exit code is 1. \
            One that was interrupted ends the chain, and the message says which one and what was done before it. All \
            commands are checked before the first runs.\nAfter a command that opens a tab, the chain continues in \
            that tab.\nWithout arguments the commands come from standard input: one on each line (a line that begins \
            with # is a comment), separated by |, or as JSON.",
        untrusted: false,
        writes: Writes::Tab,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Scripting),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Run, "several commands")],
        output: "[name] output, one block per command; [name] ERROR: …",
        data: "[{command: string, ok: boolean, output?: string, error?: string, hint?: string | null}]",
        run: |context, arguments| Box::pin(chain(context, arguments)),
    },
    Spec {
        name: TAB_EACH,
        aliases: &[],
        category: Category::Tabs,
        class: Class::Secret,
        parameters: &[parameter(PARAMETER, true, Kind::Rest, ValueType::Commands, "The command with its arguments")],
        flags: &[],
        summary: "Run a command in every tab at the same time",
        details: "Exits with 1 if the command failed in any tab.",
        untrusted: false,
        writes: Writes::Tab,
        tab: TabUse::Every,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Scripting),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Run, "{commands} in every tab")],
        output: "JSON, one result per tab",
        data: "[{tab: number, url: string, ok: boolean, output?: string, error?: string, hint?: string | null}]",
        run: |context, arguments| Box::pin(tab_each(context, arguments)),
    },
];

async fn chain(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let calls = calls(registry::get(CHAIN)?, &arguments)?;
    let mut context = context.clone();
    context.steps.plan(calls.iter().map(|call| (redaction::line(call), call.spec.changes())));
    let mut output = Output::default();
    let mut blocks = Vec::with_capacity(calls.len());
    let mut data = Vec::with_capacity(calls.len());
    for (at, call) in calls.iter().enumerate() {
        match step(&context, at, call).await {
            Ok(done) => {
                // A pinned tab stays the tab for other commands, but the chain continues in a tab that it opens.
                if let Some(id) = done.moved_to.filter(|_| context.tab.is_some() && call.spec.tab == TabUse::Opens) {
                    context.tab = Some(id);
                }
                output.moved_to = done.moved_to.or(output.moved_to);
                output.files.extend(done.files.iter().cloned());
                output.effects.extend(done.effects.iter().cloned());
                let text = context.travelling(done).output;
                blocks.push(format!("[{}] {text}", call.spec.name));
                data.push(json!({ "command": call.spec.name, "ok": true, "output": text }));
            }
            // The state of the page is unknown, or there is no page, so the following commands must not run.
            Err(fault) if ends_all(&fault) => return Err(whole(&context, CHAIN, fault)),
            Err(fault) => {
                output.failed_steps += 1;
                let hint = fault.hint.as_deref().map(|hint| format!("\n{hint}")).unwrap_or_default();
                blocks.push(format!("[{}] ERROR: {}{hint}", call.spec.name, fault.message));
                data.push(
                    json!({ "command": call.spec.name, "ok": false, "error": fault.message, "hint": fault.hint }),
                );
            }
        }
    }
    output.text = blocks.join("\n\n");
    Ok(output.data(data))
}

async fn tab_each(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let calls = calls(registry::get(TAB_EACH)?, &arguments)?;
    let mut tabs = context.browser.tabs();
    tabs.retain(|tab| context.sees(tab.id));
    let in_tabs: Vec<(&TabInfo, &Call)> =
        tabs.iter().flat_map(|tab| calls.iter().map(move |call| (tab, call))).collect();
    let line = |tab: &TabInfo, call: &Call| format!("{} in tab {}", redaction::line(call), tab.id);
    context.steps.plan(in_tabs.iter().map(|(tab, call)| (line(tab, call), call.spec.changes())));
    let all = in_tabs.iter().enumerate().map(|(at, (tab, call))| in_tab(context, at, tab, call));
    let mut output = Output::default();
    let mut data = Vec::with_capacity(tabs.len());
    for result in join_all(all).await {
        let done = result.map_err(|fault| whole(context, TAB_EACH, fault))?;
        output.failed_steps += usize::from(!done.ok);
        data.push(done.shown);
        output.files.extend(done.files);
    }
    output.text = pretty(&Value::Array(data.clone()))?;
    Ok(output.data(data))
}

/// A command's result in one tab.
struct InTab {
    ok: bool,
    shown: Value,
    files: Vec<std::path::PathBuf>,
}

/// Runs a command in one tab. Fails only if all commands must stop; any other fault is part of the output.
async fn in_tab(context: &Context, at: usize, tab: &TabInfo, call: &Call) -> Result<InTab, Fault> {
    let context = Context { tab: Some(tab.id), on_tab_switch: TabSwitch::Ignored, ..context.clone() };
    match step(&context, at, call).await {
        Ok(output) => {
            let files = output.files.clone();
            let text = context.travelling(output).output;
            Ok(InTab { ok: true, shown: json!({ "tab": tab.id, "url": tab.url, "ok": true, "output": text }), files })
        }
        Err(fault) if ends_all(&fault) => Err(fault),
        Err(fault) => {
            let shown =
                json!({ "tab": tab.id, "url": tab.url, "ok": false, "error": fault.message, "hint": fault.hint });
            Ok(InTab { ok: false, shown, files: Vec::new() })
        }
    }
}

fn ends_all(fault: &Fault) -> bool {
    matches!(fault.code, FaultCode::OutcomeUnknown | FaultCode::BrowserDown)
}

/// Returns the fault for the whole command, in place of one step's fault.
fn whole(context: &Context, name: &str, fault: Fault) -> Fault {
    let next = fault.hint.as_deref();
    context.steps.cut_off(name, fault.code, &fault.message, next).unwrap_or(fault)
}

/// Runs one of several commands. If the browser is lost while the command writes, the outcome is unknown.
async fn step(context: &Context, at: usize, call: &Call) -> Result<Output, Fault> {
    context.steps.begin(at);
    let shown = captions::show(context, call);
    let outcome = registry::run_cancellable(context, call).await;
    drop(shown);
    // Closing the last tab ends the browser; that is expected.
    let writes = call.spec.changes() && call.spec.category != Category::Tabs;
    let outcome = match outcome {
        // The command ended early because the browser is gone.
        Ok(_) if writes && context.browser.gone().is_cancelled() => {
            Err(Fault::new(FaultCode::OutcomeUnknown, "the browser went away")
                .hint("Open the browser again with `gstack connect` before you repeat the command."))
        }
        Err(fault) if writes && fault.code == FaultCode::BrowserDown => {
            Err(Fault { code: FaultCode::OutcomeUnknown, ..fault })
        }
        outcome => outcome,
    };
    context.steps.end(at, &outcome);
    outcome
}
