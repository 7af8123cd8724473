//! The `init-script` command.
//!
//! Owns the argument parsing, and the limit for a model's scripts: they run only in documents of the site where they
//! were allowed.

use crate::core::{Arguments, Context, Output, wrong};
use crate::privacy::path_guard;
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, When,
    Writes, flag, parameter, phrase, phrase_when,
};
use gstack_base::counted::counted;
use gstack_base::site::SiteOrPage;
use gstack_browser::init_scripts::InitScript;
use gstack_browser::page::Page;
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::{Value, json};

/// For each tab.
const MOST_SCRIPTS: usize = 50;
/// The number of characters of a script shown in the list.
const SHOWN: usize = 80;

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "init-script",
    aliases: &[],
    category: Category::Inspection,
    class: Class::Control,
    parameters: &[
        parameter("action", true, Kind::Text, ValueType::Choice, "add, list or remove"),
        parameter("script", false, Kind::Rest, ValueType::Script, "add: JavaScript; remove: its number (default: all)"),
    ],
    flags: &[flag("--file", "PATH", ValueType::InputPath, "add: the script is in this file")],
    summary: "Run a script in each page of the tab before the page's own scripts",
    details: "Takes effect from the next page on, including in frames and in tabs that the page opens. An agent's \
        script runs only in pages of this site.",
    untrusted: false,
    writes: Writes::Browser,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Scripting),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[
        phrase_when(When::Is("action", "list"), Verb::Read, "the scripts of every page"),
        phrase_when(When::Is("action", "remove"), Verb::Clear, "the scripts of every page"),
        phrase(Verb::Run, "a script before the scripts of every page"),
    ],
    output: "Added script N, Removed N scripts; list: N: SCRIPT, one line each",
    data: "{id: number, only: string | null} | [{id: number, source: string, only: string | null}] | {count: number}",
    run: |context, arguments| Box::pin(init_script(context, arguments)),
}];

async fn init_script(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let action = arguments.required("action")?;
    let given = arguments.text("script");
    if action != "add" && arguments.has("--file") {
        return Err(wrong("--file is only for init-script add"));
    }
    match (action.as_str(), given) {
        ("add", given) => add(context, &arguments, given).await,
        ("list", None) => list(context, &context.page().await?),
        ("remove", number) => {
            let number = number.map(|text| arguments.number::<u64>("The script", &text)).transpose()?;
            remove(context, &context.page().await?, number)
        }
        (other, _) => Err(wrong(format!("init-script {other} does not take these arguments"))
            .hint("init-script add JAVASCRIPT, init-script list, or init-script remove [N]")),
    }
}

/// Like `Context::bound_to`, but for scripts. Fails for a page without a site, because no other document could run the
/// script.
fn bound_to(context: &Context, page: &Page) -> Result<Option<SiteOrPage>, Fault> {
    match context.bound_to(page)? {
        Some(SiteOrPage::Page(_)) => {
            Err(Fault::new(FaultCode::Forbidden, "this page has no site to limit the script to")
                .hint("Go to the site first."))
        }
        place => Ok(place),
    }
}

async fn add(context: &Context, arguments: &Arguments, given: Option<String>) -> Result<Output, Fault> {
    let source = match (given, arguments.value("--file")) {
        (Some(source), None) => source,
        (None, Some(file)) => path_guard::read_text(&path_guard::input_path(context, file)?).await?,
        _ => return Err(wrong("init-script add needs a script or --file PATH, and not both")),
    };
    let page = context.page().await?;
    if page.init_scripts()?.len() >= MOST_SCRIPTS {
        return Err(Fault::new(FaultCode::Conflict, format!("this tab has {MOST_SCRIPTS} scripts already"))
            .hint("Remove some first: gstack init-script remove N"));
    }
    let only_on = bound_to(context, &page)?;
    let only = only_on.as_ref().map(|place| format!(", for pages of {place}")).unwrap_or_default();
    let data = json!({ "only": only_on.as_ref().map(SiteOrPage::to_string) });
    let number = page.add_init_script(&source, only_on).await?;
    let mut output = Output::text(format!("Added script {number}{only}")).data(data);
    if let Some(data) = output.data.as_mut() {
        data["id"] = json!(number);
    }
    Ok(output)
}

/// Lists the scripts. A model sees only those bound to this site: the content of a person's scripts is private.
fn list(context: &Context, page: &Page) -> Result<Output, Fault> {
    let bound = bound_to(context, page)?;
    let all = page.init_scripts()?;
    let shown: Vec<_> = all.iter().filter(|script| !context.for_model || script.only_on == bound).collect();
    let lines: Vec<String> = shown.iter().map(|script| line(script)).collect();
    let data: Vec<Value> = shown
        .iter()
        .map(|script| {
            json!({ "id": script.number, "source": script.source, "only": script.only_on.as_ref().map(SiteOrPage::to_string) })
        })
        .collect();
    let text = if lines.is_empty() { "(no scripts)".to_owned() } else { lines.join("\n") };
    Ok(Output::text(text).data(data))
}

fn line(script: &InitScript) -> String {
    let words: Vec<&str> = script.source.split_whitespace().collect();
    let source = words.join(" ");
    let cut: String = source.chars().take(SHOWN).collect();
    let more = if cut.len() < source.len() { "…" } else { "" };
    let only = script.only_on.as_ref().map(|place| format!(" (pages of {place})")).unwrap_or_default();
    format!("{}: {cut}{more}{only}", script.number)
}

fn remove(context: &Context, page: &Page, number: Option<u64>) -> Result<Output, Fault> {
    let count = page.remove_init_scripts(number, bound_to(context, page)?.as_ref())?;
    if let (0, Some(number)) = (count, number) {
        return Err(Fault::new(FaultCode::NotFound, format!("there is no script {number}"))
            .hint("See them: gstack init-script list"));
    }
    Ok(Output::text(format!("Removed {}", counted(count, "script"))).data(json!({ "count": count })))
}
