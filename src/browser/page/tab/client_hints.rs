//! The platform and the client hints for a user agent string.
//!
//! Owns the parsing of the string. Sends nothing to a browser.

use serde_json::{Value, json};

/// A meaningless brand that sites must ignore, as Chromium sends one. Source:
/// <https://wicg.github.io/ua-client-hints/#grease>
const GREASE: (&str, &str) = ("Not;A=Brand", "8");

/// Returns `navigator.platform` for a user agent; `None` if it names no platform.
pub(super) fn platform(user_agent: &str) -> Option<&'static str> {
    let known = [
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Android", "Linux armv81"),
        ("Windows", "Win32"),
        ("Macintosh", "MacIntel"),
        ("CrOS", "Linux x86_64"),
        ("Linux", "Linux x86_64"),
    ];
    known.iter().find(|(word, _)| user_agent.contains(word)).map(|(_, platform)| *platform)
}

/// Returns the client hints of a Chromium browser; `None` for others, which send none.
pub(super) fn client_hints(user_agent: &str) -> Option<Value> {
    let version = after(user_agent, "Chrome/")?;
    let (brand, brand_version) = match (after(user_agent, "Edg/"), after(user_agent, "OPR/")) {
        (Some(edge), _) => ("Microsoft Edge", edge),
        (_, Some(opera)) => ("Opera", opera),
        _ => ("Google Chrome", version),
    };
    let major = |version: &str| version.split('.').next().unwrap_or_default().to_owned();
    let brands = [(GREASE.0, GREASE.1), ("Chromium", version), (brand, brand_version)];
    let short: Vec<Value> =
        brands.iter().map(|(brand, version)| json!({ "brand": brand, "version": major(version) })).collect();
    let full: Vec<Value> =
        brands.iter().map(|(brand, version)| json!({ "brand": brand, "version": version })).collect();
    let (platform, platform_version) = system(user_agent);
    let mobile = user_agent.contains("Mobile");
    let architecture = if platform == "Android" { "" } else { "x86" };
    Some(json!({ "brands": short, "fullVersionList": full, "platform": platform,
        "platformVersion": platform_version, "architecture": architecture,
        "bitness": if architecture.is_empty() { "" } else { "64" }, "model": model(user_agent), "mobile": mobile }))
}

/// Returns the version after a name: `Chrome/141.0.7390.37`.
fn after<'a>(user_agent: &'a str, name: &str) -> Option<&'a str> {
    let rest = user_agent.split_once(name)?.1;
    let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
    Some(&rest[..end]).filter(|version| !version.is_empty())
}

/// Returns the platform's name and version as spelled in client hints.
fn system(user_agent: &str) -> (&'static str, String) {
    let dotted = |version: &str| version.replace('_', ".");
    if let Some(version) = after(user_agent, "Android ") {
        return ("Android", dotted(version));
    }
    if let Some((_, rest)) = user_agent.split_once("Mac OS X ") {
        let end = rest.find([';', ')']).unwrap_or(rest.len());
        return ("macOS", dotted(&rest[..end]));
    }
    if let Some(version) = after(user_agent, "Windows NT ") {
        return ("Windows", version.to_owned());
    }
    if user_agent.contains("CrOS") {
        return ("Chrome OS", String::new());
    }
    ("Linux", String::new())
}

/// Returns `Pixel 7` from `(Linux; Android 14; Pixel 7)`; empty if there is no model.
fn model(user_agent: &str) -> &str {
    let system = user_agent.split_once("Android ").and_then(|(_, rest)| rest.split_once(')')).map(|(system, _)| system);
    let model = system.and_then(|system| system.split_once("; ")).map(|(_, model)| model).unwrap_or_default();
    model.split_once(" Build/").map_or(model, |(model, _)| model)
}

#[cfg(test)]
mod tests {
    use super::{client_hints, platform};

    #[test]
    fn a_chromium_s_string_gives_its_hints_and_another_browser_s_none() {
        let pixel = "Mozilla/5.0 (Linux; Android 14; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.7390.37 Mobile Safari/537.36";
        let hints = client_hints(pixel).unwrap();
        assert_eq!((&hints["platform"], &hints["platformVersion"]), (&"Android".into(), &"14".into()));
        assert_eq!((&hints["model"], &hints["mobile"]), (&"Pixel 7".into(), &true.into()));
        assert_eq!(hints["brands"][1]["version"], "141");
        assert_eq!(hints["fullVersionList"][2]["version"], "141.0.7390.37");
        let edge = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/140.1";
        let hints = client_hints(edge).unwrap();
        assert_eq!((&hints["brands"][2]["brand"], &hints["mobile"]), (&"Microsoft Edge".into(), &false.into()));
        let iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1";
        assert!(client_hints(iphone).is_none() && client_hints("curl/8").is_none());
        assert_eq!(
            (platform(iphone), platform(pixel), platform("curl/8")),
            (Some("iPhone"), Some("Linux armv81"), None)
        );
    }
}
