//! The `emulate` command.
//!
//! Owns parsing the settings. A model may set only values with a fixed format, so that it cannot send free text to a
//! server, and cannot grant permissions to sites.

use super::{devices, permissions, shown};
use crate::core::{Arguments, Context, Output, wrong};
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, NotEveryday, Offered, Spec, TabUse, ValueType, Verb,
    When, Writes, flag, parameter, phrase, phrase_when,
};
use crate::state::identity;
use crate::visual::viewport::{SCALE, read_screen, scale_of, scale_words};
use gstack_browser::page::{Locality, Page};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;

/// In metres: the accuracy that Chrome DevTools reports for an emulated location.
const ACCURACY: f64 = 150.0;

const WHATS: &str = "device, viewport, user-agent, geolocation, timezone, locale, color-scheme, reduced-motion, forced-colors, contrast, media, \
     permissions; list, devices, reset";

/// The media features that can be emulated: our name, the CSS name, and its values. `colour-scheme` is the older spelling.
const FEATURES: &[(&str, &str, &[&str])] = &[
    ("color-scheme", "prefers-color-scheme", &["dark", "light"]),
    ("colour-scheme", "prefers-color-scheme", &["dark", "light"]),
    ("reduced-motion", "prefers-reduced-motion", &["reduce", "no-preference"]),
    ("forced-colors", "forced-colors", &["active", "none"]),
    ("contrast", "prefers-contrast", &["more", "less", "custom", "no-preference"]),
];

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "emulate",
    aliases: &[],
    category: Category::Inspection,
    class: Class::Act,
    parameters: &[
        parameter("what", true, Kind::Text, ValueType::Choice, WHATS),
        parameter(
            "value",
            false,
            Kind::Rest,
            ValueType::Choice,
            "Pixel 7, 390x844, 52.5,13.4, Asia/Tokyo, de-DE, dark, reduce, print, grant geolocation; off",
        ),
    ],
    flags: &[flag("--accuracy", "M", ValueType::Choice, "geolocation: in metres (default: 150)"), SCALE],
    summary: "Emulate a device, location, language, time zone, colour preferences and permissions",
    details: "Applies to this tab, its frames and the tabs it opens, until `off` or `emulate reset`; `status` shows \
        it. \
        A site gets the location only if it has the geolocation permission. Permissions are those of the site that the tab shows. \
        Chrome keeps one time zone and one locale for all tabs of a site that share a process. Shared and service workers \
        keep the browser's own navigator.language, while their dates and numbers follow (Chromium 156).",
    untrusted: false,
    writes: Writes::Browser,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Emulation),
    everyday: Everyday::Depends(closed_to_extensions),
    needs: Needs::Browser,
    phrases: &[
        phrase_when(When::Is("what", "list"), Verb::Read, "the emulation settings"),
        phrase_when(When::Is("what", "devices"), Verb::Read, "the known devices"),
        phrase_when(When::Is("what", "reset"), Verb::Clear, "the emulation settings"),
        phrase(Verb::Set, "the page's {what} to {value}"),
        phrase(Verb::Set, "the page's {what}"),
    ],
    output: "WHAT: VALUE; list: what is set, one line each; devices: one name per line",
    data: "{what: string, value?: string, …} | {set: string[], …} | [{name: string, width: number, height: number, scale: number, mobile: boolean, touch: boolean, userAgent: string}] | {name: string, …}",
    run: |context, arguments| Box::pin(emulate(context, arguments)),
}];

fn closed_to_extensions(arguments: &Arguments) -> Option<NotEveryday> {
    let is_permission = arguments.text("what").as_deref() == Some("permissions");
    (is_permission && arguments.text("value").is_some()).then_some(NotEveryday {
        why: "Chrome does not let extensions set a site's permissions",
        instead: "Set them in the browser: the icon left of the address, then \"Site settings\".",
    })
}

async fn emulate(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let what = arguments.required("what")?;
    let value = arguments.text("value");
    check_flags(&arguments, &what)?;
    match (what.as_str(), value.as_deref()) {
        ("list", None) => return shown::list(&context.page().await?),
        ("devices", words) => return Ok(shown::devices(words.unwrap_or_default())),
        ("reset", None) => {
            let page = context.page().await?;
            page.reset_surroundings().await?;
            if !context.for_model {
                page.reset_permissions().await?;
            }
            return Ok(Output::text("Emulation is off").data(json!({ "set": [] })));
        }
        ("list" | "reset", Some(extra)) => return Err(wrong(format!("emulate {what} does not take {extra:?}"))),
        _ => {}
    }
    let Some(value) = value else {
        return Err(wrong(format!("emulate {what} needs a value")).hint(example(&what)));
    };
    if context.for_model && matches!(what.as_str(), "user-agent" | "permissions") {
        return Err(Fault::new(FaultCode::Forbidden, format!("an agent may not set {what}"))
            .hint("Use emulate device, which also sets the user agent. Only the person can grant permissions."));
    }
    let page = context.page().await?;
    let is_off = value == "off";
    if let Some((_, name, known)) = FEATURES.iter().find(|(called, ..)| *called == what) {
        feature(&page, name, &value, known).await?;
        return Ok(set(&what, &value));
    }
    match what.as_str() {
        "device" if is_off => {
            page.set_screen(None).await?;
            page.set_touch(false).await?;
            page.set_user_agent(None).await?;
        }
        "device" => return device(&page, &value).await,
        "viewport" if is_off => page.set_screen(None).await?,
        "viewport" => {
            let screen = read_screen(&arguments, &value)?;
            page.set_screen(Some(screen)).await?;
            let (width, height) = screen.viewport;
            let said = format!("{what}: {width}x{height}{}", scale_words(screen));
            let data = json!({ "what": what, "width": width, "height": height, "scale": scale_of(screen) });
            return Ok(Output::text(said).data(data));
        }
        "user-agent" if is_off => page.set_user_agent(None).await?,
        "user-agent" if identity::is_value(&value) && !value.trim().is_empty() => {
            page.set_user_agent(Some(&value)).await?;
        }
        "user-agent" => return Err(wrong("a user agent is one line of text")),
        "geolocation" if is_off => page.set_place(None).await?,
        "geolocation" => return geolocation(&page, &arguments, &value).await,
        "timezone" => page.set_timezone((!is_off).then_some(&value)).await?,
        "locale" if is_off || is_locale(&value) => page.set_locale((!is_off).then_some(&value)).await?,
        "locale" => return Err(wrong(format!("{value:?} is not a locale")).hint(example(&what))),
        "media" if is_off => page.set_media(None).await?,
        "media" if matches!(value.as_str(), "print" | "screen") => page.set_media(Some(&value)).await?,
        "media" => return Err(wrong(format!("{value:?} is not a media type")).hint("Use print, screen or off.")),
        "permissions" => return permissions::set(&page, &value).await,
        other => {
            return Err(wrong(format!("emulate does not know {other:?}")).hint(WHATS));
        }
    }
    Ok(set(&what, &value))
}

fn set(what: &str, value: &str) -> Output {
    Output::text(format!("{what}: {value}")).data(json!({ "what": what, "value": value }))
}

/// Fails for a flag of another setting, which would otherwise be ignored silently.
fn check_flags(arguments: &Arguments, what: &str) -> Result<(), Fault> {
    for (flag, of) in [("--accuracy", "geolocation"), ("--scale", "viewport")] {
        if arguments.has(flag) && what != of {
            return Err(wrong(format!("{flag} is only for emulate {of}")));
        }
    }
    Ok(())
}

fn example(what: &str) -> &'static str {
    match what {
        "device" => "emulate device Pixel 7; emulate devices lists them",
        "viewport" => "emulate viewport 390x844 --scale 3",
        "geolocation" => "emulate geolocation 52.52,13.405 --accuracy 20",
        "timezone" => "emulate timezone Europe/Berlin",
        "locale" => "emulate locale de-DE",
        "color-scheme" | "colour-scheme" => "emulate color-scheme dark",
        "reduced-motion" => "emulate reduced-motion reduce",
        "forced-colors" => "emulate forced-colors active",
        "contrast" => "emulate contrast more",
        "media" => "emulate media print",
        "permissions" => "emulate permissions grant geolocation notifications",
        _ => "See: gstack help emulate",
    }
}

async fn device(page: &Page, name: &str) -> Result<Output, Fault> {
    let device = devices::find(name)?;
    page.set_screen(Some(device.screen)).await?;
    page.set_touch(device.touch).await?;
    page.set_user_agent(Some(device.user_agent)).await?;
    let (width, height) = device.screen.viewport;
    let said = format!("device: {}, {width}x{height} at scale {}", device.name, device.screen.scale);
    Ok(Output::text(said).data(shown::device(device)))
}

async fn geolocation(page: &Page, arguments: &Arguments, value: &str) -> Result<Output, Fault> {
    let accuracy = match arguments.value("--accuracy") {
        Some(text) => arguments.number("--accuracy", text)?,
        None => ACCURACY,
    };
    let place = arguments.numbers::<2>(value).filter(|[latitude, longitude]| {
        (-90.0..=90.0).contains(latitude) && (-180.0..=180.0).contains(longitude) && accuracy >= 0.0
    });
    let Some([latitude, longitude]) = place else {
        return Err(wrong(format!("{value:?} is not a place"))
            .hint("Latitude from -90 to 90, longitude from -180 to 180: emulate geolocation 52.52,13.405"));
    };
    page.set_place(Some(Locality { latitude, longitude, accuracy })).await?;
    let data = json!({ "what": "geolocation", "latitude": latitude, "longitude": longitude, "accuracy": accuracy });
    Ok(Output::text(format!("geolocation: {latitude},{longitude} within {accuracy} m")).data(data))
}

async fn feature(page: &Page, name: &str, value: &str, known: &[&str]) -> Result<(), Fault> {
    if value != "off" && !known.contains(&value) {
        return Err(wrong(format!("{value:?} is not a value of {name}")).hint(format!("{} or off", known.join(", "))));
    }
    Ok(page.set_media_feature(name, (value != "off").then_some(value)).await?)
}

/// Whether this is a locale such as `de`, `de-DE` or `zh-Hant-TW`, which leaves no room for a message to a server.
fn is_locale(text: &str) -> bool {
    let letters = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_region = |part: &str| (part.len() == 2 && letters(part)) || (part.len() == 3 && part.parse::<u16>().is_ok());
    let mut parts = text.split('-');
    let language = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let rest = match rest.as_slice() {
        [script, rest @ ..] if script.len() == 4 && letters(script) => rest,
        rest => rest,
    };
    (2..=3).contains(&language.len())
        && letters(language)
        && matches!(rest, [] | [_])
        && rest.iter().all(|part| is_region(part))
}

#[cfg(test)]
mod tests {
    use super::is_locale;

    #[test]
    fn a_locale_has_a_language_a_script_and_a_region_and_no_more() {
        for locale in ["de", "de-DE", "zh-Hant-TW", "sr-Latn", "es-419"] {
            assert!(is_locale(locale), "{locale}");
        }
        for wrong in ["", "d", "deutsch", "de_DE", "de-DE-x-secret", "en,de", "en-US-US", "zh-Hant-Hans"] {
            assert!(!is_locale(wrong), "{wrong}");
        }
    }
}
