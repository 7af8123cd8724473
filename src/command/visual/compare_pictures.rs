//! The `diff-image` command.
//!
//! Owns the spec, the sources of the two pictures and the output text. `picture_diff` compares.

use super::picture_diff::{self, CompareError, Comparison};
use crate::core::{Arguments, Context, Folders, Output, wrong};
use crate::privacy::path_guard;
use crate::spec::{
    Capability, Category, Class, Everyday, Flag, Kind, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb,
    Writes, parameter, phrase, switch,
};
use gstack_browser::page::{Area, ImageFormat};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;

/// pixelmatch's default.
const THRESHOLD: f64 = 0.1;

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "diff-image",
    aliases: &[],
    category: Category::Visual,
    class: Class::Read,
    parameters: &[
        parameter("before", true, Kind::Text, ValueType::InputPath, "A PNG file"),
        parameter(
            "after",
            false,
            Kind::Text,
            ValueType::InputPath,
            "The PNG file to compare it with (the page as it is)",
        ),
    ],
    flags: &[
        Flag {
            name: "--threshold",
            alias: "-t",
            value: Some("N"),
            holds: ValueType::Choice,
            help: "How much two colours may differ, from 0 to 1 (default: 0.1)",
        },
        Flag {
            name: "--output",
            alias: "-o",
            value: Some("PATH"),
            holds: ValueType::OutputPath,
            help: "Where to write a PNG with what differs in red, under the working or the temp directory",
        },
        switch("--viewport", ValueType::Choice, "Compare with the visible part of the page only"),
    ],
    summary: "Compare two PNG pictures, or one with the page, pixel by pixel",
    details: "Also written `diff image`. Compares colours as the eye sees them. Areas that only one of the pictures \
        covers count as different. \
        Take the first picture with `screenshot`. Two files need no browser.",
    untrusted: false,
    writes: Writes::File,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Visual),
    everyday: Everyday::Works,
    needs: Needs::BrowserUnless {
        unless: names_two,
        run: |folders, arguments| Box::pin(async move { diff_image(&folders, None, arguments).await }),
    },
    phrases: &[phrase(Verb::Compare, "{before} with {after}"), phrase(Verb::Compare, "{before} with the page")],
    output: "N% of pixels differ (COUNT of ALL), or The pictures are the same; with --output also its path",
    data: "{width: number, height: number, pixels: number, different: number, share: number, threshold: number, before: {width: number, height: number}, after: {width: number, height: number}, output?: string}",
    run: |context, arguments| {
        Box::pin(async move { diff_image(&Folders::from(context), Some(context), arguments).await })
    },
}];

fn names_two(arguments: &Arguments) -> bool {
    arguments.text("after").is_some()
}

/// `context` is `None` without a browser, for two files.
async fn diff_image(folders: &Folders, context: Option<&Context>, arguments: Arguments) -> Result<Output, Fault> {
    let threshold = match arguments.value("--threshold") {
        Some(text) => arguments.number("--threshold", text)?,
        None => THRESHOLD,
    };
    if !(0.0..=1.0).contains(&threshold) {
        return Err(wrong(format!("--threshold {threshold} is not a threshold")).hint("Give a number from 0 to 1."));
    }
    let (first, second) = (arguments.required("before")?, arguments.text("after"));
    if second.is_some() && arguments.has("--viewport") {
        return Err(wrong("--viewport applies to the page, but a second file was given").hint("Leave one of them out."));
    }
    let output = arguments.value("--output").map(|typed| path_guard::output_path(folders, typed)).transpose()?;
    let before = picture_in(folders, &first).await?;
    let after = match &second {
        Some(typed) => picture_in(folders, typed).await?,
        None => {
            let area = if arguments.has("--viewport") { Area::Viewport } else { Area::FullPage };
            let context = context.ok_or_else(|| wrong("diff-image needs a second file"))?;
            context.page().await?.capture(&area, ImageFormat::Png).await?.bytes
        }
    };
    let with_picture = output.is_some();
    let compared =
        tokio::task::spawn_blocking(move || picture_diff::compare(&before, &after, threshold, with_picture)).await;
    let compared =
        compared.map_err(|error| Fault::new(FaultCode::Internal, format!("comparing was interrupted: {error}")))?;
    let mut found = compared.map_err(|error| unreadable(&first, second.as_deref(), &error))?;
    let mut told = Output::text(words(&found));
    let (width, height) = found.size();
    let mut data = json!({ "width": width, "height": height, "pixels": found.pixels(), "different": found.different,
        "share": found.share(), "threshold": threshold,
        "before": { "width": found.before.0, "height": found.before.1 },
        "after": { "width": found.after.0, "height": found.after.1 } });
    if let (Some(path), Some(bytes)) = (output, found.picture.take()) {
        let path = path_guard::write(path, bytes).await?;
        let shown = path.display().to_string();
        told.text.push_str(&format!("\nWhat differs: {shown}"));
        data["output"] = json!(shown);
        told.files.push(path);
    }
    Ok(told.data(data))
}

async fn picture_in(folders: &Folders, typed: &str) -> Result<Vec<u8>, Fault> {
    path_guard::read_bytes(&path_guard::input_path(folders, typed)?).await
}

fn unreadable(first: &str, second: Option<&str>, error: &CompareError) -> Fault {
    let named = second.map_or_else(|| first.to_owned(), |second| format!("{first} and {second}"));
    Fault::new(FaultCode::BadRequest, format!("{named} can't be compared: {error}"))
        .hint("Give PNG files, as `screenshot NAME.png` writes them.")
}

fn words(found: &Comparison) -> String {
    let ((width, height), (wide, high)) = (found.before, found.after);
    let sizes = match found.before == found.after {
        true => String::new(),
        false => format!("\nThe sizes differ: {width}x{height} and {wide}x{high}"),
    };
    if found.different == 0 {
        return "The pictures are the same".to_owned();
    }
    format!("{}% of pixels differ ({} of {}){sizes}", percent(found.share()), found.different, found.pixels())
}

/// Formats a percentage with enough digits to distinguish it from 0 % and 100 %.
fn percent(share: f64) -> String {
    match share * 100.0 {
        few if few < 0.01 => "<0.01".to_owned(),
        all if all > 99.99 && share < 1.0 => ">99.99".to_owned(),
        other => format!("{other:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Comparison, percent, words};

    #[test]
    fn a_single_pixel_is_not_rounded_away() {
        assert_eq!(
            (percent(0.125), percent(0.000_001), percent(0.999_999), percent(1.0)),
            ("12.50".into(), "<0.01".into(), ">99.99".into(), "100.00".into())
        );
        let found = Comparison { before: (2, 2), after: (4, 2), different: 4, picture: None };
        assert_eq!(words(&found), "50.00% of pixels differ (4 of 8)\nThe sizes differ: 2x2 and 4x2");
    }
}
