//! The `screenshot` and `responsive` commands.

use crate::core::output_files::unnamed;
use crate::core::{Arguments, Context, Output, wrong};
use crate::emulating::devices;
use crate::privacy::path_guard;
use crate::spec::{
    Capability, Category, Class, Everyday, Flag, Kind, Navigates, Needs, Offered, Parameter, Spec, TabUse, ValueType,
    Verb, Writes, flag, parameter, phrase, switch,
};
use gstack_browser::page::{Area, Capture, ImageFormat, Page, Region, Target, Truncated};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "screenshot",
        aliases: &[],
        category: Category::Visual,
        class: Class::Read,
        parameters: &[
            Parameter {
                name: "sel",
                required: false,
                kind: Kind::Selector,
                holds: ValueType::ElementOrOutputPath,
                help: "Only this element",
            },
            Parameter {
                name: "path",
                required: false,
                kind: Kind::Text,
                holds: ValueType::OutputPath,
                help: "Where to write it (.png, .jpg or .webp), in the working or temp directory",
            },
        ],
        flags: &[
            Flag {
                name: "--viewport",
                alias: "",
                value: None,
                holds: ValueType::Choice,
                help: "Only the visible part of the page",
            },
            Flag {
                name: "--clip",
                alias: "",
                value: Some("x,y,w,h"),
                holds: ValueType::Choice,
                help: "Only this part of the page",
            },
            flag("--mask", "SEL", ValueType::Choice, "Leave these elements blank; may be given several times"),
            Flag {
                name: "--selector",
                alias: "--element",
                value: Some("SEL"),
                holds: ValueType::Element,
                help: "Only this element",
            },
            flag(
                "--device",
                "NAME",
                ValueType::Choice,
                "As this device shows the page: \"Pixel 7\"; `emulate devices` lists them",
            ),
            switch(
                "--if-changed",
                ValueType::Choice,
                "Write nothing if the page looks the same as in the tab's last screenshot with this flag",
            ),
        ],
        summary: "Take a screenshot",
        details: "Takes the full page by default, even of tabs that are not in view. Replaces an existing file.",
        untrusted: false,
        writes: Writes::File,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Take, "a screenshot")],
        output: "Screenshot saved: path; with --if-changed: Unchanged since the last screenshot",
        data: "{path: string, bytes: number} | {changed: boolean}",
        run: |context, arguments| Box::pin(screenshot(context, arguments)),
    },
    Spec {
        name: "responsive",
        aliases: &[],
        category: Category::Visual,
        class: Class::Read,
        parameters: &[parameter("prefix", false, Kind::Text, ValueType::OutputPath, "The start of the files' names")],
        flags: &[],
        summary: "Take screenshots at the size of a phone, a tablet and a desktop",
        details: "mobile 375x812, tablet 768x1024, desktop 1280x720. Restores the page's size afterwards.",
        untrusted: false,
        writes: Writes::File,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Visual),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Take, "screenshots in three sizes")],
        output: "name (WxH): prefix-name.png, one line per size",
        data: "",
        run: |context, arguments| Box::pin(responsive(context, arguments)),
    },
];

/// Name, width and height, in CSS pixels.
const DEVICES: [(&str, u32, u32); 3] = [("mobile", 375, 812), ("tablet", 768, 1024), ("desktop", 1280, 720)];

async fn screenshot(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let (selector, typed) = split_words(arguments.text("sel"), arguments.text("path"), context.for_model);
    let of_model = |word: &&String| !context.for_model || Some(*word) == typed.as_ref();
    if let Some(extension) =
        [&selector, &typed].into_iter().flatten().filter(of_model).find_map(|word| other_format(word))
    {
        let message = format!("A picture is .png, .jpg or .webp, not .{extension}");
        return Err(wrong(message));
    }
    let selector = match (selector, arguments.value("--selector")) {
        (Some(_), Some(_)) => {
            return Err(wrong("--selector conflicts with positional selector: name the element once"));
        }
        (selector, element) => selector.or_else(|| element.map(str::to_owned)),
    };
    let device = arguments.value("--device").map(devices::find).transpose()?;
    let clip = arguments.value("--clip").map(|text| parse_clip(&arguments, text)).transpose()?;
    let (area, note) = match (selector, arguments.has("--viewport"), clip) {
        (Some(_), _, Some(_)) => return Err(wrong("Cannot use --clip with a selector/ref")),
        (_, true, Some(_)) => return Err(wrong("Cannot use --viewport with --clip")),
        (Some(_), true, _) => return Err(wrong("Cannot use --viewport with a selector")),
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
        None => (ImageFormat::Png, unnamed(context, "screenshot", "png")),
    };
    let masks = arguments.values("--mask");
    let page = context.page().await?;
    let laid_out = match device {
        Some(device) => Some(page.laid_out_as(device.screen).await?),
        None => None,
    };
    let capture = masked(&page, &masks, &area, format).await?;
    drop(laid_out);
    if arguments.has("--if-changed") {
        let name = format!("{area:?} {format:?} {masks:?} {:?}", device.map(|device| device.name));
        if !page.is_new_picture(name, &capture) {
            return Ok(Output::text("Unchanged since the last screenshot").data(json!({ "changed": false })));
        }
    }
    let bytes = capture.bytes.len();
    let path = path_guard::write(path, capture.bytes).await?;
    let cut = missing(capture.cut, format);
    let mut output = Output::text(format!("Screenshot saved{note}: {}{cut}", path.display()))
        .data(json!({ "path": path.display().to_string(), "bytes": bytes }));
    output.files.push(path);
    Ok(output)
}

/// Takes a screenshot with these elements blanked out.
async fn masked(page: &Page, masks: &[String], area: &Area, format: ImageFormat) -> Result<Capture, Fault> {
    if masks.is_empty() {
        return Ok(page.capture(area, format).await?);
    }
    let taken = match page.mask(masks).await {
        Ok(_) => page.capture(area, format).await,
        Err(error) => Err(error),
    };
    page.unhide().await?;
    Ok(taken?)
}

/// Returns the note for a picture that was cut off.
pub(super) fn missing(cut: Option<Truncated>, format: ImageFormat) -> String {
    let Some(Truncated { asked, shown }) = cut else { return String::new() };
    let rest = match format {
        ImageFormat::Png => "take the rest with --clip",
        ImageFormat::Jpeg | ImageFormat::Webp => "as .png it can be taller",
    };
    format!(" (its first {shown} of {asked} px: {rest})")
}

async fn responsive(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let own = format!("gstack-responsive-{}", uuid::Uuid::new_v4().simple());
    let prefix = arguments.text("prefix").unwrap_or_else(|| context.temp_folder.join(own).display().to_string());
    let mut paths = Vec::with_capacity(DEVICES.len());
    for (name, ..) in DEVICES {
        paths.push(path_guard::output_path(context, &format!("{prefix}-{name}.png"))?);
    }
    let page = context.page().await?;
    let mut output = Output::default();
    let mut lines = Vec::with_capacity(DEVICES.len());
    for ((name, width, height), path) in DEVICES.into_iter().zip(paths) {
        let laid_out = page.laid_out(width, height).await?;
        let capture = page.capture(&Area::FullPage, ImageFormat::Png).await?;
        drop(laid_out);
        let path = path_guard::write(path, capture.bytes).await?;
        let cut = missing(capture.cut, ImageFormat::Png);
        lines.push(format!("{name} ({width}x{height}): {}{cut}", path.display()));
        output.files.push(path);
    }
    output.text = lines.join("\n");
    Ok(output)
}

/// Splits selector and path. A person's only word is a path if it looks like one: `screenshot page.png`, but
/// `screenshot "#chart"`. A model's only word is always a selector, so that it chooses a file only explicitly.
fn split_words(first: Option<String>, second: Option<String>, for_model: bool) -> (Option<String>, Option<String>) {
    match (first, second) {
        (Some(only), None) if !for_model && looks_like_a_path(&only) => (None, Some(only)),
        other => other,
    }
}

pub(super) fn looks_like_a_path(word: &str) -> bool {
    format_of(word).is_some()
        || (word.starts_with('/') && !word.starts_with("//"))
        || word.starts_with("./")
        || word.starts_with("../")
}

pub(crate) fn format_of(path: &str) -> Option<ImageFormat> {
    let (name, extension) = path.rsplit_once('.')?;
    // `.png` alone is a class selector.
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

/// Returns the extension of a word that names an unsupported picture format.
fn other_format(word: &str) -> Option<&str> {
    const OTHERS: [&str; 8] = ["gif", "bmp", "svg", "tif", "tiff", "avif", "heic", "pdf"];
    let (name, extension) = word.rsplit_once('.')?;
    let is_name = !name.is_empty() && !name.contains(['#', '[', '>', ' ', '=']);
    (is_name && OTHERS.contains(&extension.to_ascii_lowercase().as_str())).then_some(extension)
}

fn parse_clip(arguments: &Arguments, text: &str) -> Result<Region, Fault> {
    match arguments.numbers(text) {
        Some([x, y, width, height]) if x >= 0.0 && y >= 0.0 && width > 0.0 && height > 0.0 => {
            Ok(Region { x, y, width, height })
        }
        _ => Err(Fault::new(
            FaultCode::BadRequest,
            format!("--clip {text:?} is not x,y,w,h: all must be numbers, of a size above 0"),
        )
        .hint("For instance: --clip 0,0,800,600")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Arguments, other_format, parse_clip, split_words};

    #[test]
    fn one_word_is_a_path_or_a_selector_by_its_look() {
        let split = |first: &str| split_words(Some(first.to_owned()), None, false);
        for path in ["a.png", "/tmp/x", "./x.jpeg", "out/pic.webp"] {
            assert_eq!(split(path).1.as_deref(), Some(path));
        }
        for selector in ["#chart", "@e3", ".png", "div > p", "text=a", "//h1"] {
            assert_eq!(split(selector).0.as_deref(), Some(selector));
        }
        for word in ["./src/main.rs", "a.png", "/tmp/x", "../x.webp"] {
            assert_eq!(split_words(Some(word.to_owned()), None, true).1, None, "{word}");
        }
    }

    #[test]
    fn pictures_of_other_kinds_are_told_apart_from_selectors() {
        for (word, extension) in
            [("full.gif", Some("gif")), ("out/a.PDF", Some("PDF")), ("img.hero", None), ("#a.gif", None)]
        {
            assert_eq!(other_format(word), extension, "{word}");
        }
    }

    #[test]
    fn a_clip_is_four_numbers() {
        let none = Arguments::default();
        assert!(parse_clip(&none, "0, 0,10,20").is_ok());
        for text in ["1,2,3", "1,2,3,4,5", "a,b,c,d", "0,0,0,10", "-1,0,5,5", "0,0,inf,10", "NaN,0,5,5", "0,0,1e999,1"]
        {
            assert!(parse_clip(&none, text).is_err(), "{text}");
        }
    }
}
