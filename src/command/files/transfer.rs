//! The `upload`, `drop` and `download` commands.

use super::partial_file::PartialFile;
use crate::core::{Arguments, Context, Output, wrong};
use crate::privacy::path_guard;
use crate::privacy::upload_copies::UploadCopies;
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, Offered, Spec, TIMEOUT, TabUse, ValueType, Verb,
    Writes, parameter, phrase, selector,
};
use gstack_base::counted::counted;
use gstack_base::file_name::safe_name;
use gstack_browser::page::{Fetched, Given, Page, Target};
use gstack_protocol::fault::{Fault, FaultCode};
use percent_encoding::percent_decode_str;
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

const ACTION_LIMIT: Duration = Duration::from_secs(5);
/// In bytes. An endless stream must not fill the disk.
const LARGEST_DOWNLOAD: u64 = 4 * 1024 * 1024 * 1024;

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "upload",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Upload,
        parameters: &[
            selector(
                true,
                ValueType::Element,
                "The <input type=\"file\">, its label, or the button that asks for files",
            ),
            parameter(
                "file",
                true,
                Kind::List,
                ValueType::InputPath,
                "Files (for webkitdirectory a folder) in the working or temp directory",
            ),
        ],
        flags: &[TIMEOUT],
        summary: "Choose files in a file input, or in the file chooser that a button opens",
        details: "A file input may be hidden. Any other element is clicked; no file dialog opens.",
        untrusted: false,
        writes: Writes::Page,
        tab: TabUse::ThisPage,
        navigates: Navigates::ElementsTarget,
        offered: Offered::Extended(Capability::Files),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Choose, "{file} in {sel}")],
        output: "Uploaded: name (NB), …",
        data: "",
        run: |context, arguments| Box::pin(upload(context, arguments)),
    },
    Spec {
        name: "drop",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Upload,
        parameters: &[
            selector(true, ValueType::Element, "The element to drop them on"),
            parameter("file", true, Kind::List, ValueType::InputPath, "Files under the working or the temp directory"),
        ],
        flags: &[TIMEOUT],
        summary: "Drop files on an element",
        details: "Works as if they were dragged there from the desktop. Fails if the page does not accept them there.",
        untrusted: false,
        writes: Writes::Page,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Files),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Drop, "{file} on {sel}")],
        output: "Dropped on sel: name (NB), …",
        data: "",
        run: |context, arguments| Box::pin(drop_files(context, arguments)),
    },
    Spec {
        name: "download",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Download,
        parameters: &[
            parameter(
                "url",
                true,
                Kind::Text,
                ValueType::Destination,
                "An address, or the ref of a picture, video or link (@e3)",
            ),
            parameter(
                "path",
                false,
                Kind::Text,
                ValueType::OutputPath,
                "Where to write it, under the working or the temp directory",
            ),
        ],
        flags: &[],
        summary: "Download a file with the browser's cookies",
        details: "Replaces an existing file. Reads blob: and data: URLs in the page.\nChecks each redirect like the URL itself. Shows the progress in a terminal.",
        untrusted: false,
        writes: Writes::File,
        tab: TabUse::ThisPage,
        navigates: Navigates::RequestToAddress,
        offered: Offered::Extended(Capability::Files),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Download, "{url}")],
        output: "Downloaded: path (NB)",
        data: "{path: string, bytes: number}",
        run: |context, arguments| Box::pin(download(context, arguments)),
    },
];

async fn upload(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let target = arguments.required_target("sel")?;
    let limit = arguments.timeout(ACTION_LIMIT)?;
    let (given, named, copies) = match only_folder(context, &arguments)? {
        Some(typed) => {
            let (folder, files) = path_guard::input_folder(context, &typed).await?;
            let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let count = files.len();
            let (folder, copies) = match context.for_model {
                true => UploadCopies::of_folder(folder, files, &context.copies_folder).await.map(kept)?,
                false => (folder, None),
            };
            (Given::Folder { folder, files: count }, format!("{name} ({})", counted(count, "file")), copies)
        }
        None => {
            let InputFiles { paths, named, copies } = input_files(context, &arguments).await?;
            (Given::Files(paths), named, copies)
        }
    };
    let page = context.page().await?;
    page.upload(&target, &given, limit).await?;
    keep(&page, copies);
    Ok(Output::text(format!("Uploaded: {named}")))
}

async fn drop_files(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let target = arguments.required_target("sel")?;
    let limit = arguments.timeout(ACTION_LIMIT)?;
    let InputFiles { paths, named, copies } = input_files(context, &arguments).await?;
    let page = context.page().await?;
    page.drop_files(&target, &paths, limit).await?;
    keep(&page, copies);
    Ok(Output::text(format!("Dropped on {target}: {named}")))
}

/// Files for a page.
struct InputFiles {
    paths: Vec<PathBuf>,
    /// For people: `a.png (3B), b.png (4B)`.
    named: String,
    /// Set if the files are copies.
    copies: Option<UploadCopies>,
}

/// Returns the files that the browser reads: copies, if a model chose them.
async fn input_files(context: &Context, arguments: &Arguments) -> Result<InputFiles, Fault> {
    let typed = arguments.list("file");
    let paths = typed.iter().map(|typed| path_guard::input_path(context, typed)).collect::<Result<Vec<_>, _>>()?;
    let (paths, copies) = match context.for_model {
        true => UploadCopies::of_files(paths, &context.copies_folder).await.map(kept)?,
        false => (paths, None),
    };
    let named = paths.iter().map(|path| {
        let size = path.metadata().map(|found| found.len()).unwrap_or_default();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        format!("{name} ({size}B)")
    });
    let named = named.collect::<Vec<_>>().join(", ");
    Ok(InputFiles { paths, named, copies })
}

/// Keeps the copies as long as the tab is open: a page may read its files at any time.
fn keep(page: &Page, copies: Option<UploadCopies>) {
    if let Some(copies) = copies {
        page.work().keep(copies);
    }
}

fn kept<T>((paths, copies): (T, UploadCopies)) -> (T, Option<UploadCopies>) {
    (paths, Some(copies))
}

/// Returns the only path that was typed, if it is an existing folder. Fails if several paths include one.
fn only_folder(context: &Context, arguments: &Arguments) -> Result<Option<String>, Fault> {
    let typed = arguments.list("file");
    let base = context.cwd.as_deref().unwrap_or(&context.temp_folder);
    let folder = typed.iter().find(|typed| !typed.is_empty() && base.join(typed).is_dir()).cloned();
    match folder {
        Some(folder) if typed.len() > 1 => Err(wrong(format!("{folder} is a folder: upload a folder alone"))),
        folder => Ok(folder),
    }
}

async fn download(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let typed = arguments.required("url")?;
    let place = arguments.text("path").map(|typed| path_guard::output_path(context, &typed)).transpose()?;
    let page = context.page().await?;
    let url = address(context, &page, &typed).await?;
    let mut fetched = page.fetch(&url, |hop| context.address(hop).is_ok()).await?;
    let path = place.unwrap_or_else(|| {
        let number = uuid::Uuid::new_v4().simple().to_string();
        context.temp_folder.join(format!("gstack-{}-{}", &number[..8], file_name(&fetched)))
    });
    let mut file = PartialFile::create(&path)?;
    let total = fetched.size;
    while let Some(part) = fetched.next().await? {
        file.write(&part).await?;
        context.progress.tell(file.size(), total);
        if file.size() > LARGEST_DOWNLOAD {
            return Err(Fault::new(FaultCode::TooLarge, format!("the file is larger than {LARGEST_DOWNLOAD} bytes")));
        }
    }
    let size = file.size();
    file.finish().await?;
    let mut output = Output::text(format!("Downloaded: {} ({size}B)", path.display()))
        .data(json!({ "path": path.display().to_string(), "bytes": size }));
    output.files.push(path);
    Ok(output)
}

/// Returns the address to download. Fails if gstack does not open it.
async fn address(context: &Context, page: &Page, typed: &str) -> Result<String, Fault> {
    let found = match Target::parse(typed) {
        target @ Target::Ref(_) => page.address_of(&target).await?,
        Target::Selector(typed) => typed,
    };
    if found.starts_with("blob:") || found.starts_with("data:") {
        return Ok(found);
    }
    Ok(context.address(&found)?.to_string())
}

/// Returns the name given by the server, or one taken from the address; never a path.
fn file_name(fetched: &Fetched) -> String {
    let said = fetched.disposition.as_deref().and_then(name_in_disposition);
    let in_address = || {
        let url = Url::parse(&fetched.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let last = url.path_segments()?.next_back()?.to_owned();
        Some(percent_decode_str(&last).decode_utf8_lossy().into_owned())
    };
    let name = said.or_else(in_address).map(|name| safe_name(&name)).filter(|name| !name.is_empty());
    name.unwrap_or_else(|| {
        let kind = fetched.kind.as_deref().unwrap_or_default();
        let subtype = kind.split(';').next().and_then(|kind| kind.split('/').nth(1)).map(safe_name).unwrap_or_default();
        if subtype.is_empty() { "download".to_owned() } else { format!("download.{subtype}") }
    })
}

/// Returns the `filename` of a Content-Disposition header (RFC 6266).
fn name_in_disposition(header: &str) -> Option<String> {
    let mut plain = None;
    for part in header.split(';').map(str::trim) {
        if let Some(extended) = part.strip_prefix("filename*=") {
            let encoded = extended.rsplit('\'').next()?;
            return Some(percent_decode_str(encoded).decode_utf8_lossy().into_owned());
        }
        if let Some(name) = part.strip_prefix("filename=") {
            plain = Some(name.trim_matches('"').to_owned());
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::name_in_disposition;

    #[test]
    fn the_name_in_a_header_is_read_in_both_forms() {
        assert_eq!(name_in_disposition("attachment; filename=\"a b.pdf\"").as_deref(), Some("a b.pdf"));
        assert_eq!(
            name_in_disposition("attachment; filename=x; filename*=UTF-8''%C3%A9.txt").as_deref(),
            Some("é.txt")
        );
        assert_eq!(name_in_disposition("inline"), None);
    }
}
