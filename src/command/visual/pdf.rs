//! The `pdf` command.
//!
//! Owns the paper sizes and units. Never prints.

use crate::core::output_files::named_or_unnamed;
use crate::core::{Arguments, Context, Output, wrong};
use crate::privacy::path_guard;
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, Writes,
    flag, parameter, phrase, switch,
};
use gstack_browser::page::PdfOptions;
use gstack_protocol::fault::Fault;
use serde_json::json;

/// Width and height in inches (ISO 216, ANSI Y14.1).
const FORMATS: [(&str, f64, f64); 11] = [
    ("letter", 8.5, 11.0),
    ("legal", 8.5, 14.0),
    ("tabloid", 11.0, 17.0),
    ("ledger", 17.0, 11.0),
    ("a0", 33.1, 46.8),
    ("a1", 23.4, 33.1),
    ("a2", 16.54, 23.4),
    ("a3", 11.7, 16.54),
    ("a4", 8.27, 11.69),
    ("a5", 5.83, 8.27),
    ("a6", 4.13, 5.83),
];
/// Inches per unit (CSS Values 4).
const UNITS: [(&str, f64); 5] =
    [("in", 1.0), ("cm", 1.0 / 2.54), ("mm", 1.0 / 25.4), ("pt", 1.0 / 72.0), ("px", 1.0 / 96.0)];
/// Chromium's own limits of the scale.
const SCALES: std::ops::RangeInclusive<f64> = 0.1..=2.0;
/// Headers and footers are printed in the margins, which must have room for them. In inches.
const ROOM: f64 = 0.6;
const PAGE_NUMBERS: &str = "<div style='font-size:9px;width:100%;text-align:center'>\
    <span class='pageNumber'></span> / <span class='totalPages'></span></div>";
/// An empty template; Chromium prints title, date and address if there is none.
const NOTHING: &str = "<span></span>";

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "pdf",
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
    flags: &[
        flag(
            "--format",
            "NAME",
            ValueType::Choice,
            "letter, legal, tabloid, ledger, a0 to a6 (default: a4), or WIDTHxHEIGHT: 10x15cm",
        ),
        switch("--landscape", ValueType::Choice, "Turn the paper sideways"),
        flag("--margins", "LENGTHS", ValueType::Choice, "One for all sides, or top,right,bottom,left: 1cm,2cm,1cm,2cm"),
        flag("--scale", "FACTOR", ValueType::Choice, "Size of the content, 0.1 to 2 (default: 1)"),
        flag("--pages", "RANGES", ValueType::Choice, "Only these pages: 1-3,5"),
        switch("--no-background", ValueType::Choice, "Leave out background colours and pictures"),
        switch("--prefer-css-page-size", ValueType::Choice, "Use the paper size of the page's @page rule"),
        switch("--page-numbers", ValueType::Choice, "Print page numbers at the bottom"),
        flag(
            "--header-template",
            "HTML",
            ValueType::Choice,
            "Print this at the top; class=title, url, date, pageNumber or totalPages is filled in",
        ),
        flag("--footer-template", "HTML", ValueType::Choice, "The same at the bottom"),
        switch("--outline", ValueType::Choice, "Add the headings as bookmarks"),
    ],
    summary: "Save the page as a PDF",
    details: "On A4 with backgrounds, tagged for screen readers. Replaces an existing file.",
    untrusted: false,
    writes: Writes::File,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Visual),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[phrase(Verb::Save, "the page as a PDF")],
    output: "PDF saved: path",
    data: "{path: string, bytes: number}",
    run: |context, arguments| Box::pin(pdf(context, arguments)),
}];

async fn pdf(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let options = options(&arguments)?;
    let path = named_or_unnamed(context, arguments.text("path").as_deref(), "page", "pdf")?;
    let bytes = context.page().await?.pdf(&options).await?;
    let size = bytes.len();
    let path = path_guard::write(path, bytes).await?;
    let mut output = Output::text(format!("PDF saved: {}", path.display()))
        .data(json!({ "path": path.display().to_string(), "bytes": size }));
    output.files.push(path);
    Ok(output)
}

fn options(arguments: &Arguments) -> Result<PdfOptions, Fault> {
    let (width, height) = paper(arguments.value("--format").unwrap_or("a4"))?;
    let header = arguments.value("--header-template").map(str::to_owned);
    let numbers = arguments.has("--page-numbers").then(|| PAGE_NUMBERS.to_owned());
    let footer = arguments.value("--footer-template").map(str::to_owned).or(numbers);
    let margins = arguments.value("--margins").map(margins).transpose()?;
    let has_room = |side: usize| margins.is_none_or(|margins| margins[side] > 0.0);
    if (header.is_some() && !has_room(0)) || (footer.is_some() && !has_room(2)) {
        return Err(wrong("a header or a footer needs a margin to be printed in").hint("For instance: --margins 2cm"));
    }
    let room = |text: &Option<String>| if text.is_some() { ROOM } else { 0.4 };
    let margins = margins.unwrap_or_else(|| [room(&header), 0.4, room(&footer), 0.4]);
    let scale = arguments.value("--scale").map_or(Ok(1.0), |text| arguments.number("--scale", text))?;
    if !SCALES.contains(&scale) {
        return Err(wrong(format!("--scale {scale} is not a scale")).hint("Give a number from 0.1 to 2."));
    }
    let templates = (header.is_some() || footer.is_some())
        .then(|| [header.unwrap_or_else(|| NOTHING.to_owned()), footer.unwrap_or_else(|| NOTHING.to_owned())]);
    Ok(PdfOptions {
        paper: (width, height),
        landscape: arguments.has("--landscape"),
        margins,
        scale,
        pages: arguments.value("--pages").map(pages).transpose()?,
        background: !arguments.has("--no-background"),
        css_size: arguments.has("--prefer-css-page-size"),
        templates,
        outline: arguments.has("--outline"),
    })
}

fn paper(typed: &str) -> Result<(f64, f64), Fault> {
    let name = typed.trim().to_lowercase();
    if let Some((_, width, height)) = FORMATS.iter().find(|(known, ..)| *known == name) {
        return Ok((*width, *height));
    }
    let size = name.split_once('x').and_then(|(width, height)| {
        // `10x15cm`: both in the unit at the end.
        let unit = height.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        let width = if width.ends_with(|letter: char| letter.is_alphabetic()) {
            width.to_owned()
        } else {
            format!("{width}{unit}")
        };
        Some((inches(&width)?, inches(height)?))
    });
    size.filter(|(width, height)| *width > 0.0 && *height > 0.0)
        .ok_or_else(|| wrong(format!("--format {typed:?} is not a paper size")).hint("letter, legal, a4 …, or 10x15cm"))
}

fn margins(typed: &str) -> Result<[f64; 4], Fault> {
    let sides: Option<Vec<f64>> = typed.split(',').map(|side| inches(side.trim())).collect();
    let sides = match sides.as_deref() {
        Some([all]) => Some([*all; 4]),
        Some([top, right, bottom, left]) => Some([*top, *right, *bottom, *left]),
        _ => None,
    };
    sides.ok_or_else(|| wrong(format!("--margins {typed:?} are not margins")).hint("1cm, or 1cm,2cm,1cm,2cm"))
}

/// `1-3,5`; an open end reaches to the last page.
fn pages(typed: &str) -> Result<String, Fault> {
    let is_number = |text: &str| text.is_empty() || text.parse::<u32>().is_ok_and(|number| number > 0);
    let is_range = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        !range.trim().is_empty() && is_number(first.trim()) && is_number(last.trim())
    };
    match typed.split(',').all(is_range) {
        true => Ok(typed.to_owned()),
        false => Err(wrong(format!("--pages {typed:?} is not a page range")).hint("For instance: 1-3,5")),
    }
}

/// Returns a length in inches; a number without a unit is in pixels.
fn inches(typed: &str) -> Option<f64> {
    let split = typed.find(|letter: char| letter.is_alphabetic()).unwrap_or(typed.len());
    let (number, unit) = typed.split_at(split);
    let unit = if unit.is_empty() { "px" } else { unit };
    let (_, factor) = UNITS.iter().find(|(known, _)| *known == unit)?;
    number
        .trim()
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite() && *number >= 0.0)
        .map(|number| number * factor)
}

#[cfg(test)]
mod tests {
    use super::{inches, margins, pages, paper};

    #[test]
    fn lengths_have_units_and_papers_have_names() {
        for inch in ["1in", "2.54cm", "25.4mm", "72pt", "96"] {
            assert!((inches(inch).unwrap() - 1.0).abs() < 1e-9, "{inch}");
        }
        assert_eq!((inches("-1cm"), inches("1em"), inches("cm"), inches("infin")), (None, None, None, None));
        assert_eq!((paper("A4").unwrap(), paper("4x6in").unwrap()), ((8.27, 11.69), (4.0, 6.0)));
        for wrong in ["a9", "4x", "x4", "0x5in", "4"] {
            assert!(paper(wrong).is_err(), "{wrong}");
        }
        assert_eq!(margins("1in").unwrap(), [1.0; 4]);
        assert_eq!(margins("1in, 2in,0,4in").unwrap(), [1.0, 2.0, 0.0, 4.0]);
        assert!(margins("1in,2in").is_err());
        assert!(["1", "1-3,5", "2-", "-3"].into_iter().all(|good| pages(good).is_ok()));
        assert!(["", "x", "0", "1,,2", "1-2-3", "1;2"].into_iter().all(|wrong| pages(wrong).is_err()));
    }
}
