//! The `mouse` command.
//!
//! Owns its output text. The element under the mouse is not checked, so each use by an agent needs approval.

use super::act::ACT;
use crate::core::{Arguments, Context, Output, wrong};
use crate::spec::{Class, Kind, Spec, TIMEOUT, ValueType, Verb, parameter, phrase};
use gstack_browser::page::{ClickButton, MouseAct};
use gstack_protocol::fault::{Fault, FaultCode};

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "mouse",
    class: Class::Control,
    parameters: &[
        parameter("act", true, Kind::Text, ValueType::Choice, "move X Y, down [BUTTON], up [BUTTON] or wheel DY [DX]"),
        parameter(
            "value",
            false,
            Kind::List,
            ValueType::Choice,
            "Pixels of the viewport, or a button: left, right, middle",
        ),
    ],
    flags: &[TIMEOUT],
    summary: "Move the mouse, press or release its button, turn its wheel",
    details: "For canvases, maps and drawings. The event goes to whatever is at that point. For elements, use click, \
        hover or drag: they check the target.",
    phrases: &[phrase(Verb::Use, "the mouse")],
    output: "Mouse at X,Y, Mouse button down, Mouse button up or Wheel turned by DX,DY",
    data: "",
    run: |context, arguments| Box::pin(mouse(context, arguments)),
    ..ACT
}];

async fn mouse(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let values = arguments.list("value");
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let number = |text: &str| arguments.number::<f64>("X or Y", text);
    let (act, said) = match (arguments.required("act")?.as_str(), values.as_slice()) {
        ("move", [x, y]) => (MouseAct::Move { x: number(x)?, y: number(y)? }, format!("Mouse at {x},{y}")),
        ("down", rest @ ([] | [_])) => (MouseAct::Down(button(rest.first())?), "Mouse button down".to_owned()),
        ("up", rest @ ([] | [_])) => (MouseAct::Up(button(rest.first())?), "Mouse button up".to_owned()),
        ("wheel", [y, rest @ ..]) if rest.len() < 2 => {
            let x = rest.first().copied().unwrap_or("0");
            (MouseAct::Wheel { x: number(x)?, y: number(y)? }, format!("Wheel turned by {x},{y}"))
        }
        _ => return Err(wrong("mouse takes move X Y, down, up or wheel DY [DX]")),
    };
    context.page().await?.mouse(act).await?;
    Ok(Output::text(said))
}

/// Returns the named button, or the left button if no name is given.
pub(crate) fn button(name: Option<&&str>) -> Result<ClickButton, Fault> {
    match name.copied() {
        None | Some("left") => Ok(ClickButton::Left),
        Some("right") => Ok(ClickButton::Right),
        Some("middle") => Ok(ClickButton::Middle),
        Some(other) => Err(Fault::new(FaultCode::BadRequest, format!("{other:?} is not a mouse button"))
            .hint("One of: left, right, middle.")),
    }
}
