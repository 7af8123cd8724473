//! viewport.

use super::arguments::Arguments;
use super::context::{Context, Output};
use super::spec::{
    Category, Class, Everyday, Holds, Kind, Leads, Needs, Offered, Parameter, Spec, TabUse, Verb, Writes, phrase,
};
use crate::protocol::fault::{Fault, FaultCode};
use serde_json::json;

/// Larger windows are a typing error, and cost memory by the square.
const LARGEST_VIEWPORT: u32 = 10_000;

pub(super) const COMMANDS: &[Spec] = &[Spec {
    name: "viewport",
    aliases: &[],
    category: Category::Interaction,
    class: Class::Act,
    parameters: &[Parameter {
        name: "WxH",
        required: true,
        kind: Kind::Text,
        holds: Holds::Choice,
        help: "Width and height: 1280x720",
    }],
    flags: &[],
    summary: "Set the size of the viewport",
    details: "",
    untrusted: false,
    writes: Writes::Page,
    tab: TabUse::ThisPage,
    leads: Leads::Nowhere,
    offered: Offered::Extended,
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[phrase(Verb::Resize, "the page to {WxH}")],
    output: "Viewport set to WxH",
    run: |context, arguments| Box::pin(viewport(context, arguments)),
}];

async fn viewport(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let given = arguments.required("WxH")?;
    let (width, height) = parse_size(&given).ok_or_else(|| {
        Fault::new(FaultCode::BadRequest, format!("{given:?} is not a size")).hint("Write it as 1280x720.")
    })?;
    context.page().await?.set_viewport(width, height).await?;
    Ok(Output::text(format!("Viewport set to {width}x{height}")).data(json!({ "width": width, "height": height })))
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
