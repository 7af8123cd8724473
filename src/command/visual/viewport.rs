//! The `viewport` command.

use crate::core::{Arguments, Context, Output};
use crate::spec::{
    Capability, Category, Class, Everyday, Flag, Kind, Navigates, Needs, Offered, Parameter, Spec, TabUse, ValueType,
    Verb, Writes, flag, phrase,
};
use gstack_browser::page::Screen;
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;

/// In device pixels per CSS pixel.
const SMALLEST_SCALE: f64 = 0.25;
const LARGEST_SCALE: f64 = 8.0;

pub(crate) const SCALE: Flag =
    flag("--scale", "N", ValueType::Choice, "Device pixels per CSS pixel (default: the screen's own)");

/// Larger sizes are typing errors, and memory use grows with the square.
const LARGEST_VIEWPORT: u32 = 10_000;

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "viewport",
    aliases: &[],
    category: Category::Interaction,
    class: Class::Act,
    parameters: &[Parameter {
        name: "WxH",
        required: false,
        kind: Kind::Text,
        holds: ValueType::Choice,
        help: "Width and height: 1280x720. Without it, --scale keeps the size",
    }],
    flags: &[SCALE],
    summary: "Set the size of the viewport, or only its scale",
    details: "Applies to this tab and the tabs it opens. `emulate reset` undoes it.",
    untrusted: false,
    writes: Writes::Page,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Emulation),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[phrase(Verb::Resize, "the page to {WxH}"), phrase(Verb::Resize, "the page")],
    output: "Viewport set to WxH, Viewport set to WxH at scale N, Viewport set to scale N",
    data: "{width: number | null, height: number | null, scale: number | null}",
    run: |context, arguments| Box::pin(viewport(context, arguments)),
}];

async fn viewport(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let page = context.page().await?;
    let Some(size) = arguments.text("WxH") else {
        if !arguments.has("--scale") {
            return Err(Fault::new(FaultCode::BadRequest, "viewport needs a size or --scale")
                .hint("Usage: viewport 1280x720 [--scale N]"));
        }
        // The size that was set before, or the window's.
        let viewport = page.set_viewport().unwrap_or((0, 0));
        let screen = Screen { viewport, screen: None, scale: read_scale(&arguments)?, mobile: false };
        page.set_screen(Some(screen)).await?;
        let size = page.set_viewport().filter(|size| *size != (0, 0));
        let shown = size.map(|(width, height)| format!("{width}x{height} at ")).unwrap_or_default();
        let (width, height) = size.unzip();
        let data = json!({ "width": width, "height": height, "scale": screen.scale });
        return Ok(Output::text(format!("Viewport set to {shown}scale {}", screen.scale)).data(data));
    };
    let screen = read_screen(&arguments, &size)?;
    page.set_screen(Some(screen)).await?;
    let (width, height) = screen.viewport;
    let data = json!({ "width": width, "height": height, "scale": scale_of(screen) });
    Ok(Output::text(format!("Viewport set to {width}x{height}{}", scale_words(screen))).data(data))
}

/// Parses a size such as `1280x720`, and `--scale`.
pub(crate) fn read_screen(arguments: &Arguments, size: &str) -> Result<Screen, Fault> {
    let viewport = parse_size(size).ok_or_else(|| {
        Fault::new(FaultCode::BadRequest, format!("{size:?} is not a size")).hint("Write it as 1280x720.")
    })?;
    Ok(Screen { viewport, screen: None, scale: read_scale(arguments)?, mobile: false })
}

/// Parses `--scale`; 0 if it is not given.
fn read_scale(arguments: &Arguments) -> Result<f64, Fault> {
    let Some(text) = arguments.value("--scale") else { return Ok(0.0) };
    let scale: f64 = arguments.number("--scale", text)?;
    if !(SMALLEST_SCALE..=LARGEST_SCALE).contains(&scale) {
        return Err(Fault::new(FaultCode::BadRequest, format!("--scale {scale} is not a scale"))
            .hint(format!("Give a number from {SMALLEST_SCALE} to {LARGEST_SCALE}.")));
    }
    Ok(scale)
}

/// Returns the given scale, or `None` for the screen's own.
pub(crate) fn scale_of(screen: Screen) -> Option<f64> {
    Some(screen.scale).filter(|scale| *scale > 0.0)
}

pub(crate) fn scale_words(screen: Screen) -> String {
    scale_of(screen).map(|scale| format!(" at scale {scale}")).unwrap_or_default()
}

fn parse_size(text: &str) -> Option<(u32, u32)> {
    let (width, height) = text.split_once(['x', 'X', '×'])?;
    let side = |text: &str| text.trim().parse::<u32>().ok().filter(|side| (1..=LARGEST_VIEWPORT).contains(side));
    Some((side(width)?, side(height)?))
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes_are_two_numbers() {
        assert_eq!(parse_size("1280x720"), Some((1280, 720)));
        for text in ["1280", "0x5", "ax5", "1280x720x3", "99999x1"] {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }
}
