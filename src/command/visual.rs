//! screenshot.

use super::arguments::{Arguments, usage};
use super::context::{Context, Output};
use super::spec::{Category, Class, Flag, Kind, Parameter, Spec};
use super::{path_guard, registry};
use crate::browser::page::{Area, ImageFormat, Region, Target};
use crate::protocol::fault::{Fault, FaultCode};
use serde_json::json;

pub(super) const COMMANDS: &[Spec] = &[Spec {
    name: "screenshot",
    aliases: &[],
    category: Category::Visual,
    class: Class::Read,
    parameters: &[
        Parameter { name: "sel", required: false, kind: Kind::Selector, help: "Only this element" },
        Parameter {
            name: "path",
            required: false,
            kind: Kind::Path,
            help: "Where to write it (.png, .jpg or .webp), under the working or the temp directory",
        },
    ],
    flags: &[
        Flag { name: "--viewport", alias: "", value: None, help: "Only what the window shows" },
        Flag { name: "--clip", alias: "", value: Some("x,y,w,h"), help: "Only this part of the page" },
    ],
    summary: "Take a picture of the page",
    details: "The full page by default. Works on tabs that nobody looks at, too.",
    untrusted: false,
    writes: true,
    output: "Screenshot saved: path",
    run: |context, arguments| Box::pin(screenshot(context, arguments)),
}];

async fn screenshot(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let (selector, typed) = split_words(arguments.text("sel"), arguments.text("path"));
    let clip = arguments.value("--clip").map(parse_clip).transpose()?;
    let spec = registry::get("screenshot")?;
    let refuse = |words: &str| Err(usage(spec, format!("Cannot use --clip with {words}")));
    let (area, note) = match (selector, arguments.has("--viewport"), clip) {
        (Some(_), _, Some(_)) => return refuse("a selector"),
        (_, true, Some(_)) => return refuse("--viewport"),
        (Some(_), true, _) => return Err(usage(spec, "Cannot use --viewport with a selector".to_owned())),
        (Some(selector), false, None) => (Area::Element(Target::parse(&selector)), " (element)".to_owned()),
        (None, true, None) => (Area::Viewport, " (viewport)".to_owned()),
        (None, false, Some(region)) => {
            let Region { x, y, width, height } = region;
            (Area::Clip(region), format!(" (clip {x},{y},{width},{height})"))
        }
        (None, false, None) => (Area::FullPage, String::new()),
    };
    let (format, path) = match &typed {
        Some(typed) => (format_of(typed).unwrap_or(ImageFormat::Png), path_guard::output_path(context, typed)?),
        None => {
            let name = format!("gstack-screenshot-{}.png", uuid::Uuid::new_v4().simple());
            (ImageFormat::Png, context.temp_folder.join(name))
        }
    };
    let page = context.page().await?;
    let capture = page.capture(&area, format).await?;
    let bytes = capture.bytes.len();
    let path = path_guard::write(path, capture.bytes).await?;
    let cut = if capture.cut { " (the page is taller than a picture can be: its end is missing)" } else { "" };
    let mut output = Output::text(format!("Screenshot saved{note}: {}{cut}", path.display()))
        .data(json!({ "path": path.display().to_string(), "bytes": bytes }));
    output.files.push(path);
    Ok(output)
}

/// One word alone is a path where it looks like one: `screenshot page.png`, but `screenshot "#chart"`.
fn split_words(first: Option<String>, second: Option<String>) -> (Option<String>, Option<String>) {
    match (first, second) {
        (Some(only), None) if looks_like_a_path(&only) => (None, Some(only)),
        other => other,
    }
}

fn looks_like_a_path(word: &str) -> bool {
    format_of(word).is_some()
        || (word.starts_with('/') && !word.starts_with("//"))
        || word.starts_with("./")
        || word.starts_with("../")
}

fn format_of(path: &str) -> Option<ImageFormat> {
    let (name, extension) = path.rsplit_once('.')?;
    // `.png` alone is a class.
    if name.is_empty() {
        return None;
    }
    match extension.to_ascii_lowercase().as_str() {
        "png" => Some(ImageFormat::Png),
        "jpg" | "jpeg" => Some(ImageFormat::Jpeg),
        "webp" => Some(ImageFormat::Webp),
        _ => None,
    }
}

fn parse_clip(text: &str) -> Result<Region, Fault> {
    let numbers: Vec<f64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    match numbers[..] {
        [x, y, width, height]
            if text.split(',').count() == 4 && x >= 0.0 && y >= 0.0 && width > 0.0 && height > 0.0 =>
        {
            Ok(Region { x, y, width, height })
        }
        _ => Err(Fault::new(FaultCode::BadRequest, format!("--clip needs four numbers, not {text:?}"))
            .hint("For instance: --clip 0,0,800,600")),
    }
}

#[cfg(test)]
mod tests {
    use super::{parse_clip, split_words};

    #[test]
    fn one_word_is_a_path_or_a_selector_by_its_look() {
        let split = |first: &str| split_words(Some(first.to_owned()), None);
        for path in ["a.png", "/tmp/x", "./x.jpeg", "out/pic.webp"] {
            assert_eq!(split(path).1.as_deref(), Some(path));
        }
        for selector in ["#chart", "@e3", ".png", "div > p", "text=a", "//h1"] {
            assert_eq!(split(selector).0.as_deref(), Some(selector));
        }
    }

    #[test]
    fn a_clip_is_four_numbers() {
        assert!(parse_clip("0, 0,10,20").is_ok());
        for text in ["1,2,3", "1,2,3,4,5", "a,b,c,d", "0,0,0,10", "-1,0,5,5"] {
            assert!(parse_clip(text).is_err(), "{text}");
        }
    }
}
