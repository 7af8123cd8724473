//! The script that runs in every frame of an engaged tab, in an isolated world.
//!
//! Owns its source and the name of its world. The parts share one function body, so that the page sees nothing of it,
//! and the world contains only `__gstack` and the bindings of the daemon.

use crate::browser::EarlyScript;

/// The isolated world. The browser creates it for each document under this name. It must differ from the names of
/// extensions, above all ours: the world of an extension's content scripts is reported under the extension's name.
pub(crate) const WORLD: &str = "gstack commands";

/// Defines `globalThis.__gstack` once per document.
pub(super) const SOURCE: &str = concat!(
    "(() => {\n'use strict';\nif (globalThis.__gstack) return;\n",
    include_str!("../../injected/members.js"),
    include_str!("../../injected/dom.js"),
    include_str!("../../injected/areas.js"),
    include_str!("../../injected/closed.js"),
    include_str!("../../injected/owned.js"),
    include_str!("../../injected/internals.js"),
    include_str!("../../injected/generated.js"),
    include_str!("../../injected/rare_styles.js"),
    include_str!("../../injected/met_trees.js"),
    include_str!("../../injected/roles.js"),
    include_str!("../../injected/names.js"),
    include_str!("../../injected/states.js"),
    include_str!("../../injected/refs.js"),
    include_str!("../../injected/selectors.js"),
    include_str!("../../injected/finding.js"),
    include_str!("../../injected/css.js"),
    include_str!("../../injected/text.js"),
    include_str!("../../injected/role_selectors.js"),
    include_str!("../../injected/actionability.js"),
    include_str!("../../injected/person.js"),
    include_str!("../../injected/guard.js"),
    include_str!("../../injected/held_keys.js"),
    include_str!("../../injected/drag.js"),
    include_str!("../../injected/secrets.js"),
    include_str!("../../injected/click_destination.js"),
    include_str!("../../injected/sight.js"),
    include_str!("../../injected/readers.js"),
    include_str!("../../injected/shown.js"),
    include_str!("../../injected/embeds.js"),
    include_str!("../../injected/tables.js"),
    include_str!("../../injected/waiting.js"),
    include_str!("../../injected/same_text.js"),
    include_str!("../../injected/engine_text.js"),
    include_str!("../../injected/filling.js"),
    include_str!("../../injected/code_editors.js"),
    include_str!("../../injected/custom_lists.js"),
    include_str!("../../injected/editing.js"),
    include_str!("../../injected/typed.js"),
    include_str!("../../injected/sign_in.js"),
    include_str!("../../injected/acting.js"),
    include_str!("../../injected/scrolling.js"),
    include_str!("../../injected/clipboard.js"),
    include_str!("../../injected/pointer_targets.js"),
    include_str!("../../injected/in_reach.js"),
    include_str!("../../injected/snapshot.js"),
    include_str!("../../injected/printed.js"),
    include_str!("../../injected/counted.js"),
    include_str!("../../injected/contents.js"),
    include_str!("../../injected/vitals.js"),
    include_str!("../../injected/web_mcp.js"),
    include_str!("../../injected/react.js"),
    include_str!("../../injected/audit.js"),
    include_str!("../../injected/files.js"),
    include_str!("../../injected/boxes.js"),
    include_str!("../../injected/stitching.js"),
    include_str!("../../injected/recording.js"),
    include_str!("../../injected/own.js"),
    include_str!("../../injected/overlay.js"),
    include_str!("../../injected/picking.js"),
    include_str!("../../injected/frames.js"),
    include_str!("../../injected/frame_view.js"),
    include_str!("../../injected/tidy.js"),
    include_str!("../../injected/watch.js"),
    include_str!("../../injected/main.js"),
    "})();\n"
);

/// Returns the script for `AttachOptions::early_scripts`, so that it is present before the first command. Without it,
/// the first command injects the script.
pub fn early_script() -> EarlyScript {
    EarlyScript { world: Some(WORLD.to_owned()), source: SOURCE.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::SOURCE;
    use std::collections::HashSet;

    /// The parts share one function body, in which a second function of the same name would silently replace the first.
    #[test]
    fn no_two_parts_declare_the_same_name() {
        let mut names = HashSet::new();
        for line in SOURCE.lines() {
            let declared = ["function ", "async function ", "function* ", "const ", "let ", "class "]
                .iter()
                .find_map(|keyword| line.strip_prefix(keyword));
            let Some(rest) = declared else { continue };
            let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').next().unwrap_or_default();
            assert!(name.is_empty() || names.insert(name), "{name} is declared twice");
        }
        assert!(names.len() > 100, "the declarations were not found");
    }
}
