//! The `downloads` command and `wait --download`: files that a page made the browser save.
//!
//! Owns the output text and the choice of the folder. Never names a file: the browser layer does.

use crate::core::{Arguments, Context, Output, download_line, wrong};
use crate::privacy::path_guard;
use crate::spec::{
    Capability, Category, Class, Everyday, Flag, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, Writes,
    phrase,
};
use gstack_protocol::effects::{Download, DownloadState, Effect};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

/// Servers can be slow.
const DOWNLOAD_LIMIT: Duration = Duration::from_secs(60);

/// `--download-dir PATH`, for commands that may make a page save a file.
pub(crate) const DOWNLOAD_DIR: Flag = Flag {
    name: "--download-dir",
    alias: "",
    value: Some("PATH"),
    holds: ValueType::OutputPath,
    help: "Folder for files that this command downloads, under the working or the temp directory",
};

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "downloads",
    aliases: &[],
    category: Category::Inspection,
    class: Class::Read,
    parameters: &[],
    flags: &[],
    summary: "List the files that pages downloaded",
    details: "Of all tabs, since gstack connected to the browser.",
    untrusted: false,
    writes: Writes::Nothing,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Files),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[phrase(Verb::Read, "the downloads")],
    output: "Downloaded: path (N B), one line per file",
    data: "[{id: string, name: string, url: string, state: string, bytes: number, path?: string, total?: number, reason?: string}]",
    run: |context, _| Box::pin(downloads(context)),
}];

/// Saves the command's downloads in the folder given by `--download-dir`.
pub(crate) fn choose_folder(context: &Context, arguments: &Arguments) -> Result<(), Fault> {
    let Some(typed) = arguments.value("--download-dir") else { return Ok(()) };
    if context.browser.is_relayed() {
        return Err(Fault::new(FaultCode::Conflict, "an everyday browser saves files in its own download folder")
            .hint("Leave out --download-dir; `downloads` says when a file is saved. Or use `gstack download <url>`."));
    }
    context.effects.download_to(path_guard::output_folder(context, typed)?);
    Ok(())
}

async fn downloads(context: &Context) -> Result<Output, Fault> {
    let all: Vec<Download> = match &context.tab_set {
        None => context.browser.downloads(None),
        Some(set) => set.iter().flat_map(|tab| context.browser.downloads(Some(*tab))).collect(),
    };
    if all.is_empty() {
        return Ok(Output::text("(no downloads)").data(json!([])));
    }
    Ok(told(context, &all))
}

/// Runs `wait --download`.
pub(crate) async fn wait(context: &Context, arguments: &Arguments) -> Result<Output, Fault> {
    let others = ["--networkidle", "--load", "--domcontentloaded"];
    if arguments.text("sel").is_some() || others.iter().any(|flag| arguments.has(flag)) {
        return Err(wrong("name one thing to wait for"));
    }
    let limit = arguments.timeout(DOWNLOAD_LIMIT)?;
    choose_folder(context, arguments)?;
    let page = context.page().await?.beside_others();
    let tab = page.id();
    let deadline = Instant::now() + limit;
    context.browser.downloads_until(deadline, |browser| browser.has_ended_downloads(tab)).await;
    let ended = context.browser.take_ended_downloads(tab);
    let Some(ended) = ended else {
        return Err(Fault::new(
            FaultCode::Timeout,
            format!("no download of the tab has ended within {} s", limit.as_secs()),
        )
        .hint("`downloads` lists what is under way; allow more time with --timeout MS."));
    };
    if let [failed] = ended.as_slice()
        && failed.state == DownloadState::Failed
    {
        return Err(Fault::new(FaultCode::Navigation, download_line(failed))
            .hint("Look at the page (snapshot), then start the download again."));
    }
    let mut output = told(context, &ended);
    output.effects = ended.into_iter().map(Effect::Download).collect();
    Ok(output)
}

fn told(context: &Context, all: &[Download]) -> Output {
    let lines: Vec<String> = all.iter().map(download_line).collect();
    let mut output = Output::text(lines.join("\n")).data(json!(all));
    // The page chooses a file's name.
    output.source_url = context.for_model.then(|| "names of downloads".to_owned());
    output
}
