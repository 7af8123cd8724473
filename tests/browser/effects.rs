//! The effects that commands report: dialogs, downloads, tabs, navigations, errors.

use crate::world::{World, with_headed_world, with_world};
use gstack_browser::dialogs::DialogPolicy;
use gstack_protocol::effects::{DialogAnswer, DownloadState, Effect};
use gstack_protocol::ids::TabId;
use std::path::Path;

async fn open(world: &World) {
    world.open_hidden("effects.html").await;
}

/// Returns the effects of a command and its text.
async fn caused(world: &World, name: &str, args: &[&str]) -> (Vec<Effect>, String) {
    let output = world.output(name, args).await.unwrap();
    let effects = output.effects.clone();
    (effects, output.into_result().output)
}

fn saved(effects: &[Effect]) -> (&str, u64) {
    match effects {
        [Effect::Download(download)] if download.state == DownloadState::Saved => {
            (download.path.as_deref().unwrap(), download.bytes)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_click_that_confirms_says_so_in_text_and_data() {
    with_world(|world| async move {
        open(&world).await;
        let (effects, text) = caused(&world, "click", &["#empty"]).await;
        assert!(text.ends_with("\nconfirm \"Empty the cart?\" → accepted"), "{text}");
        let dialog = Effect::Dialog {
            dialog: "confirm".to_owned(),
            message: "Empty the cart?".to_owned(),
            answer: DialogAnswer::Accepted,
            text: None,
        };
        assert_eq!(effects, [dialog]);
        world.run("dialog-dismiss", &[]).await;
        assert!(world.run("click", &["#empty"]).await.ends_with("confirm \"Empty the cart?\" → dismissed"));
        assert_eq!(world.run("js", &["document.querySelector('#empty').textContent"]).await, "kept");
        world.run("dialog-accept", &["Ann"]).await;
        let asked = world.run("click", &["#ask"]).await;
        assert!(asked.ends_with("prompt \"Your name?\" → accepted with \"Ann\""), "{asked}");
        // A dialog that opens after the click has ended.
        let later = world.run("click", &["#later"]).await;
        assert!(later.ends_with("confirm \"Later?\" → accepted"), "{later}");
        // Also while the command itself reads.
        let read = world.run("js", &["confirm('read?')"]).await;
        assert_eq!(read, "true\nconfirm \"read?\" → accepted");
        world
    });
}

#[test]
fn a_model_reads_what_a_page_asked_inside_of_the_envelope() {
    with_world(|mut world| async move {
        open(&world).await;
        world.context.for_model = true;
        let output = world.output("click", &["#empty"]).await.unwrap().into_result_for_model().output;
        let (ours, theirs) = output.split_once("\n[UNTRUSTED TEXT").unwrap();
        assert!(ours.starts_with("Clicked #empty") && theirs.contains("Empty the cart?"), "{output}");
        world
    });
}

#[test]
fn a_dialog_that_is_left_open_is_waited_for_and_then_told() {
    with_world(|mut world| async move {
        open(&world).await;
        world.context.dialogs = DialogPolicy::Ask;
        let tab = world.context.tab().await.unwrap();
        // The tab's standing answer does not apply when the dialog policy is to ask.
        world.run("dialog-accept", &[]).await;
        let mut events = world.context.browser.events();
        let answering = async {
            while tab.open_dialog().is_none() {
                events.recv().await.unwrap();
            }
            tab.answer_dialog(false, None).await.unwrap();
        };
        let (said, ()) = tokio::join!(world.run("click", &["#empty"]), answering);
        assert!(said.ends_with("confirm \"Empty the cart?\" → dismissed"), "{said}");
        world
    });
}

async fn downloads(world: World) -> World {
    open(&world).await;
    let (effects, text) = caused(&world, "click", &["#invoice"]).await;
    let (path, bytes) = saved(&effects);
    assert!(text.ends_with(&format!("\nDownloaded: {path} ({bytes} B)")), "{text}");
    // The server asked for "../../.evil report.txt".
    assert_eq!(Path::new(path), world.context.temp_folder.join("_.._.evil report.txt"));
    assert_eq!((bytes, std::fs::read_to_string(path).unwrap()), (5000, "hello".repeat(1000)));
    // Existing files are not overwritten.
    let (effects, _) = caused(&world, "click", &["#invoice-in-tab"]).await;
    assert_eq!(Path::new(saved(&effects).0), world.context.temp_folder.join("_.._.evil report-2.txt"));
    let (effects, _) = caused(&world, "click", &["#export", "--download-dir", "."]).await;
    let cwd = world.context.cwd.clone().unwrap().canonicalize().unwrap();
    assert_eq!(Path::new(saved(&effects).0), cwd.join("export.csv"));
    let (effects, text) = caused(&world, "click", &["#nothing"]).await;
    assert_eq!((effects, text.lines().count()), (Vec::new(), 1), "an answer without a body");
    let list = world.run("downloads", &[]).await;
    assert!(list.lines().count() == 3 && list.contains("export.csv (3 B)"), "{list}");
    world
}

#[test]
fn a_download_that_a_click_starts_is_saved_and_named() {
    with_world(downloads);
}

#[test]
fn a_download_that_a_click_starts_is_saved_and_named_in_a_window() {
    with_headed_world(downloads);
}

/// The page fires no event for such a link, so a click that did not wait would end before its file arrives.
#[test]
fn every_file_that_a_link_saves_is_told_by_the_click_on_it() {
    with_world(|world| async move {
        open(&world).await;
        for round in 1..=10 {
            for link in ["#saving", "#framed"] {
                let (effects, text) = caused(&world, "click", &[link]).await;
                assert!(
                    matches!(&effects[..], [Effect::Download(one)] if one.bytes == 5000),
                    "{link}, {round}: {text}"
                );
            }
        }
        // The page prevented the default action: the command does not wait.
        world.run("js", &["document.querySelector('#saving').onclick = () => false"]).await;
        let (effects, text) = caused(&world, "click", &["#saving"]).await;
        assert_eq!((effects, text.lines().count()), (Vec::new(), 1));
        world
    });
}

#[test]
fn a_download_is_waited_for_and_its_folder_is_judged() {
    with_world(|world| async move {
        open(&world).await;
        let (effects, text) = caused(&world, "click", &["#held"]).await;
        assert!(matches!(&effects[..], [Effect::Download(one)] if one.state == DownloadState::InProgress), "{text}");
        assert!(text.contains("Downloading: _.._.evil report.txt") && text.ends_with("wait --download"), "{text}");
        let release = async {
            world.in_tab(TabId(1)).run("goto", &[&world.page("release")]).await;
        };
        let (waited, ()) = tokio::join!(world.run("wait", &["--download"]), release);
        assert!(waited.starts_with("Downloaded: ") && waited.ends_with("(131072 B)"), "{waited}");
        // A download that starts only after the click has ended.
        world.run("click", &["#late-export"]).await;
        let late = world.run("wait", &["--download"]).await;
        assert!(late.starts_with("Downloaded: ") && late.contains("late.txt"), "{late}");
        let none = world.fault("wait", &["--download", "--timeout", "200"]).await;
        assert!(none.message.contains("no download") && none.hint.is_some(), "{none:?}");
        for folder in ["/etc", "missing"] {
            let fault = world.fault("click", &["#invoice", "--download-dir", folder]).await;
            assert!(fault.hint.is_some(), "{folder}: {fault:?}");
        }
        world
    });
}

#[test]
fn a_page_that_downloads_in_a_loop_is_held_at_twenty() {
    with_world(|world| async move {
        open(&world).await;
        world.run("click", &["#many"]).await;
        let list = world.context.browser.downloads(None);
        assert!(list.iter().filter(|one| one.state == DownloadState::InProgress).count() <= 20);
        world
    });
}

#[test]
fn new_tabs_addresses_and_errors_are_told_with_what_caused_them() {
    with_world(|world| async move {
        open(&world).await;
        let next = world.page("next.html");
        for link in ["#popup", "#blank"] {
            let (effects, text) = caused(&world, "click", &[link]).await;
            let [Effect::TabOpened { tab_id, url }] = &effects[..] else { panic!("{link}: {effects:?}") };
            assert_eq!(*url, next);
            assert!(text.ends_with(&format!("\nOpened tab {tab_id} → {next}")), "{text}");
        }
        let fleeting = world.run("click", &["#fleeting"]).await;
        assert!(fleeting.contains("\nOpened tab ") || fleeting.contains(" was closed"), "{fleeting}");
        let failed = world.run("click", &["#error"]).await;
        assert!(failed.contains("\nConsole error: no stock left\nConsole error: Uncaught"), "{failed}");
        let gone = world.run("select", &["#goes", "Next"]).await;
        assert!(gone.ends_with(&format!("\nNow at {next}")), "{gone}");
        world.run("back", &[]).await;
        world.run("fill", &["#field", "shoes"]).await;
        let sent = world.run("press", &["Enter"]).await;
        assert!(sent.ends_with(&format!("\nNow at {}", world.page("echo?q=shoes"))), "{sent}");
        world
    });
}

#[test]
fn a_chain_tells_what_each_of_its_steps_caused() {
    with_world(|world| async move {
        open(&world).await;
        let output = world.output("chain", &["click #empty | click #invoice"]).await.unwrap();
        assert!(matches!(&output.effects[..], [Effect::Dialog { .. }, Effect::Download(_)]), "{:?}", output.effects);
        assert!(output.text.contains("→ accepted\n\n[click]") && output.text.contains("\nDownloaded: "));
        world
    });
}
