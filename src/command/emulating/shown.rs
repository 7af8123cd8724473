//! Lists a tab's emulation settings, and the devices.
//!
//! Owns the text and the data. Sets nothing.

use super::devices::{self, Device};
use crate::core::Output;
use crate::visual::viewport::scale_of;
use gstack_browser::page::Page;
use gstack_protocol::fault::Fault;
use serde_json::{Value, json};

pub(super) fn list(page: &Page) -> Result<Output, Fault> {
    let lines = page.emulated()?;
    let set = page.surroundings();
    let permissions: Vec<Value> = page
        .permissions()?
        .iter()
        .map(|known| json!({ "site": known.origin, "name": known.name, "granted": known.granted }))
        .collect();
    let feature = |name: &str| set.features.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    let data = json!({
        "set": lines,
        "viewport": set.screen.map(|screen| json!({ "width": screen.viewport.0, "height": screen.viewport.1,
            "scale": scale_of(screen), "mobile": screen.mobile })),
        "touch": set.touch,
        "userAgent": set.user_agent,
        "geolocation": set.place.map(|place| json!({ "latitude": place.latitude, "longitude": place.longitude,
            "accuracy": place.accuracy })),
        "timezone": set.timezone,
        "locale": set.locale,
        "media": set.media,
        "colorScheme": feature("prefers-color-scheme"),
        "reducedMotion": feature("prefers-reduced-motion"),
        "forcedColors": feature("forced-colors"),
        "contrast": feature("prefers-contrast"),
        "permissions": permissions,
    });
    let text = if lines.is_empty() { "(nothing is emulated)".to_owned() } else { lines.join("\n") };
    Ok(Output::text(text).data(data))
}

/// Lists the devices whose names contain these words.
pub(super) fn devices(words: &str) -> Output {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let fits = |device: &&Device| {
        let name = device.name.to_lowercase();
        words.iter().all(|word| name.contains(word))
    };
    let found: Vec<&Device> = devices::all().iter().filter(fits).collect();
    let lines: Vec<&str> = found.iter().map(|device| device.name).collect();
    let text = if lines.is_empty() { "(no such devices)".to_owned() } else { lines.join("\n") };
    Output::text(text).data(found.into_iter().map(device).collect::<Vec<Value>>())
}

pub(super) fn device(device: &Device) -> Value {
    let (width, height) = device.screen.viewport;
    json!({ "name": device.name, "width": width, "height": height, "scale": device.screen.scale,
        "mobile": device.screen.mobile, "touch": device.touch, "userAgent": device.user_agent })
}
