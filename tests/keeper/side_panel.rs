//! The extension's own side panel, opened without a person's click.

use crate::stage::Stage;
use gstack_browser::launch::side_panel;
use std::fs;

#[tokio::test]
async fn the_side_panel_opens_once_and_is_no_tab() {
    let stage = Stage::new();
    let folder = stage.path("extension");
    fs::create_dir(&folder).unwrap();
    let manifest = r#"{"manifest_version": 3, "name": "panel", "version": "1", "permissions": ["sidePanel"], "action": {},
        "side_panel": {"default_path": "sidepanel.html"}, "background": {"service_worker": "background.js"}}"#;
    fs::write(folder.join("manifest.json"), manifest).unwrap();
    fs::write(folder.join("sidepanel.html"), "<title>panel</title>").unwrap();
    let worker =
        "chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: true }).then(() => { self.ready = true; });";
    fs::write(folder.join("background.js"), worker).unwrap();

    let browser = stage.browser().await;
    let extension = side_panel::load_extension(&browser, &folder).await.unwrap();
    assert!(extension.enabled);
    let tab = browser.current().await.unwrap();
    let tabs = browser.tabs().len();
    assert!(!side_panel::is_open(&browser, &extension.id).await.unwrap());
    // Two requests at once: the button is clicked only once, because a second click would close the panel.
    let open = || side_panel::open(&browser, &extension.id, &tab);
    let (one, other) = tokio::join!(open(), open());
    assert_eq!((one.unwrap(), other.unwrap()), (true, false));
    // A second request leaves it open.
    assert!(!side_panel::open(&browser, &extension.id, &tab).await.unwrap());
    assert!(side_panel::is_open(&browser, &extension.id).await.unwrap());
    assert_eq!(browser.tabs().len(), tabs);
    // Loaded again, as after an upgrade.
    assert_eq!(side_panel::load_extension(&browser, &folder).await.unwrap().id, extension.id);
    stage.end().await;
}
