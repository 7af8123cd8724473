//! The `mhtml` command.
//!
//! Owns the spec and the file.

use crate::core::output_files::named_or_unnamed;
use crate::core::{Arguments, Context, Output};
use crate::privacy::filled::is_in_quoted_printable;
use crate::privacy::path_guard;
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, Writes,
    parameter, phrase,
};
use gstack_base::counted::counted;
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "mhtml",
    aliases: &[],
    category: Category::Visual,
    class: Class::Read,
    parameters: &[parameter(
        "path",
        false,
        Kind::Text,
        ValueType::OutputPath,
        "Where to write it, under the working or the temp directory",
    )],
    flags: &[],
    summary: "Save the page with its frames, styles and pictures as one MHTML file",
    details: "Chrome opens it without the network. It contains everything the page shows, including content behind a \
        sign-in, but not the style sheets that scripts made: it says how many. Replaces an existing file.",
    untrusted: false,
    writes: Writes::File,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Visual),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[phrase(Verb::Save, "the page as one file")],
    output: "MHTML saved: path",
    data: "{path: string, bytes: number}",
    run: |context, arguments| Box::pin(mhtml(context, arguments)),
}];

async fn mhtml(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let path = named_or_unnamed(context, arguments.text("path").as_deref(), "page", "mhtml")?;
    let page = context.page().await?;
    let missing = page.adopted_sheets().await?;
    let text = page.mhtml().await?;
    if is_in_quoted_printable(&text) {
        return Err(Fault::new(
            FaultCode::Forbidden,
            "the page shows a secret of a saved sign-in, which would be in the file",
        )
        .hint("`html` and `text` leave it out. Or save the page when it no longer shows the secret."));
    }
    let size = text.len();
    let path = path_guard::write(path, text.into_bytes()).await?;
    let mut output = Output::text(format!("MHTML saved: {}", path.display()))
        .data(json!({ "path": path.display().to_string(), "bytes": size }));
    output.say(
        (missing > 0).then(|| {
            format!("… not in it: {} that scripts made (adoptedStyleSheets)", counted(missing, "style sheet"))
        }),
    );
    output.files.push(path);
    Ok(output)
}
