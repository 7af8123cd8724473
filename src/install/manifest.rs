//! The native messaging host manifest, which tells a browser the program to start for our extension.
//!
//! Owns its content, and the check whether a manifest is ours. Never decides where it is stored. Source:
//! <https://developer.chrome.com/docs/extensions/develop/concepts/native-messaging#native-messaging-host>

use super::InstallError;
use gstack_protocol::EXTENSION_ID;
use serde_json::Value;
use std::path::Path;

/// The host name that the extension connects to.
pub(crate) const HOST_NAME: &str = "io.gstack.host";

const TEMPLATE: &str = include_str!("../../manifests/io.gstack.host.json");

/// Returns the manifest's file name, the same in every `NativeMessagingHosts` folder.
pub(crate) fn file_name() -> String {
    format!("{HOST_NAME}.json")
}

/// Returns the manifest that makes a browser start `binary`, an absolute path. Chrome starts it directly, without a
/// shell, with the extension's origin as its first argument.
pub(crate) fn host_manifest(binary: &Path) -> Result<String, InstallError> {
    let path = binary.to_str().ok_or_else(|| InstallError::OddPath { path: binary.to_owned() })?;
    // The template is embedded, and a test parses it.
    let mut manifest: Value = serde_json::from_str(TEMPLATE).unwrap_or_default();
    manifest["path"] = Value::from(path);
    Ok(format!("{manifest:#}\n"))
}

/// The kind of manifest found at our location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// It starts this program for our extension.
    Ours { path: String },
    /// It cannot be read as a manifest of our host.
    Foreign,
}

/// A manifest is ours if it has our name and allows our extension, whichever program it starts.
pub(crate) fn identify(text: &str) -> Found {
    let Ok(manifest) = serde_json::from_str::<Value>(text) else { return Found::Foreign };
    let origin = format!("chrome-extension://{EXTENSION_ID}/");
    let lets_us_in = manifest["allowed_origins"].as_array().is_some_and(|all| all.iter().any(|one| *one == *origin));
    match manifest["path"].as_str() {
        Some(path) if manifest["name"] == HOST_NAME && lets_us_in => Found::Ours { path: path.to_owned() },
        _ => Found::Foreign,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::extension_ids;

    #[test]
    fn the_template_names_our_host_and_lets_only_our_extension_in() {
        for id in extension_ids() {
            assert!(
                id.len() == 32 && id.bytes().all(|letter| (b'a'..=b'p').contains(&letter)),
                "{id} is no id of Chrome's"
            );
        }
        let origins: Vec<String> = extension_ids().map(|id| format!("chrome-extension://{id}/")).collect();
        let template: Value = serde_json::from_str(TEMPLATE).unwrap();
        assert_eq!(template["name"], HOST_NAME);
        assert_eq!(template["type"], "stdio");
        assert_eq!(template["allowed_origins"], serde_json::json!(origins));
    }

    #[test]
    fn a_manifest_made_is_recognised_with_its_path() {
        let odd = "/opt/a \"quoted\" \\ place/gstack";
        let text = host_manifest(Path::new(odd)).unwrap();
        assert_eq!(identify(&text), Found::Ours { path: odd.to_owned() });
    }

    #[test]
    fn what_is_not_ours_is_foreign() {
        for text in ["", "{", "[]", "{}", r#"{"name":"io.gstack.host","path":"/x","allowed_origins":[]}"#] {
            assert_eq!(identify(text), Found::Foreign, "{text}");
        }
    }
}
