//! Snapshots: refs and their elements, the cap, frames, roles and names.

use crate::world::with_world;
use gstack_protocol::fault::FaultCode;
use std::path::PathBuf;
use std::time::Duration;

#[test]
fn refs_stay_with_their_element_and_are_never_given_again() {
    with_world(|world| async move {
        world.open_hidden("actions.html").await;
        let plain = world.find("[button] \"Plain\"").await;
        world
            .run(
                "js",
                &["document.body.prepend(Object.assign(document.createElement('button'), {textContent: 'New'}))"],
            )
            .await;
        assert_eq!(world.find("[button] \"Plain\"").await, plain);
        let interactive = world.run("snapshot", &["-i"]).await;
        assert!(interactive.contains(&format!("{plain} [button] \"Plain\"")) && !interactive.contains("[heading]"));
        let scoped = world.output("snapshot", &["-s", "#form", "-d", "0"]).await.unwrap().text;
        assert!(!scoped.contains("Plain"), "{scoped}");
        assert_eq!(world.fault("snapshot", &["-s", "#none"]).await.message, "Selector not found: #none");
        let first = world.output("snapshot", &["-D"]).await.unwrap().text;
        assert!(first.starts_with("── changes since the snapshot before"), "{first}");

        world.run("goto", &[&world.page("next.html")]).await;
        let fault = world.fault("click", &[&plain]).await;
        assert_eq!(
            fault.message,
            format!(
                "Ref {plain} (button \"Plain\") is stale: its element left the page. Run 'snapshot' to get fresh refs."
            )
        );
        let number = |name: &str| name[2..].parse::<u32>().unwrap();
        assert!(number(&world.find("[link]").await) > number(&plain));
        assert_eq!(world.fault("click", &["@e99999"]).await.code, FaultCode::Element);
        world
    });
}

#[test]
fn html_disables_each_element_by_itself_and_aria_all_inside() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        let page = "document.body.innerHTML = `
            <fieldset disabled><legend><input aria-label=legend></legend><legend><input aria-label=second></legend>
                <input aria-label=inside><a href=x>Link</a></fieldset>
            <div aria-disabled=true><button>aria</button></div>
            <fieldset aria-disabled=true><button>group</button></fieldset>
            <select aria-label=pick disabled><option>one</option></select>`";
        world.run("js", &[page]).await;
        let is_off = |lines: &str, name: &str| {
            let line = lines
                .lines()
                .find(|line| line.contains(&format!("\"{name}\"")))
                .unwrap_or_else(|| panic!("{name}: {lines}"));
            line.contains("disabled")
        };
        let all = world.run("snapshot", &[]).await;
        for (name, expected) in [
            ("legend", false),
            ("second", true),
            ("inside", true),
            ("Link", false),
            ("aria", true),
            ("group", true),
            ("pick", true),
        ] {
            assert_eq!(is_off(&all, name), expected, "{name}: {all}");
            assert_eq!(is_off(&world.run("find", &[name]).await, name), expected, "{name}");
        }
        let part = world.run("snapshot", &["-s", "fieldset:disabled"]).await;
        assert!(!is_off(&part, "legend") && is_off(&part, "inside"), "{part}");
        let filled = world.run("fill", &["role=textbox[name=\"legend\"]", "x"]).await;
        assert!(filled.starts_with("Filled"), "{filled}");
        world
    });
}

#[test]
fn a_huge_page_is_cut_and_says_so() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        let many = "document.body.innerHTML = Array.from({length: 8000}, (_, i) => `<p>Words ${i} <button>Press ${i}</button></p>`).join('')";
        world.run("js", &[many]).await;
        for flags in [&[][..], &["-i"][..]] {
            let output = world.output("snapshot", flags).await.unwrap();
            assert!(output.text.len() < 64_000, "{}", output.text.len());
            let last = output.text.lines().last().unwrap();
            assert!(last.starts_with("… ") && last.contains(" more, narrow with -s or -d ("), "{last}");
            assert!(output.data.unwrap()["more"].as_u64().unwrap() > 4_000);
        }
        world.run("click", &["role=button[name=\"Press 7999\"]"]).await;
        world.run("click", &["text=/^Press 1234$/"]).await;
        world.run("snapshot", &["-s", "p:nth-of-type(3)", "-o", "three.txt"]).await;
        let written = std::fs::read_to_string(world.context.cwd.clone().unwrap().join("three.txt")).unwrap();
        assert!(written.contains("[button] \"Press 2\"") && written.lines().count() == 3, "{written}");
        world
    });
}

#[test]
fn frames_of_this_and_other_processes_are_part_of_the_page() {
    with_world(|world| async move {
        world.open_hidden("frames.html").await;
        world.run("wait", &["--load"]).await;
        let snapshot = world.output("snapshot", &[]).await.unwrap().text;
        assert_eq!(snapshot.matches("[button] \"Inner button\"").count(), 2, "{snapshot}");
        assert_eq!(snapshot.matches("[paragraph]: Inner words").count(), 2);
        let flat = world.output("snapshot", &["-i"]).await.unwrap().text;
        assert!(flat.lines().all(|line| !line.contains("[iframe]")), "{flat}");
        let buttons: Vec<&str> = flat
            .lines()
            .filter(|line| line.contains("Inner button"))
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        let fields: Vec<&str> = flat
            .lines()
            .filter(|line| line.contains("Inner field"))
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        for (button, field) in buttons.iter().zip(&fields) {
            world.run("click", &[button]).await;
            world.run("fill", &[field, "typed"]).await;
        }
        let after = world.output("snapshot", &[]).await.unwrap().text;
        assert_eq!(after.matches("clicked true").count(), 2, "{after}");
        assert_eq!(
            after.matches("\"Inner field\" [focused]: typed").count() + after.matches("\"Inner field\": typed").count(),
            2,
            "{after}"
        );
        world
    });
}

#[test]
fn roles_and_names_are_as_agreed() {
    with_world(|world| async move {
        world.open_hidden("roles.html").await;
        let snapshot = world.output("snapshot", &["-C"]).await.unwrap().text;
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pages/roles.snapshot");
        if std::env::var_os("GSTACK_UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, &snapshot).unwrap();
        }
        assert_eq!(snapshot, std::fs::read_to_string(path).unwrap());
        world
    });
}

/// Returns our role for a control that Chrome names differently.
fn our_role(chrome: &str) -> &str {
    match chrome {
        "DisclosureTriangle" => "button",
        "ColorWell" | "Date" => "textbox",
        other => other,
    }
}

/// Chrome's own accessibility tree is the oracle: the same controls with the same names in the same order.
#[test]
fn controls_and_their_names_are_those_of_chromes_accessibility_tree() {
    const CONTROLS: [&str; 15] = [
        "button",
        "link",
        "textbox",
        "checkbox",
        "radio",
        "combobox",
        "listbox",
        "menuitem",
        "menuitemcheckbox",
        "searchbox",
        "slider",
        "spinbutton",
        "switch",
        "tab",
        "treeitem",
    ];
    with_world(|world| async move {
        for page in ["roles.html", "edges.html"] {
            world.open_hidden(page).await;
            let snapshot = world.output("snapshot", &["-i"]).await.unwrap().text;
            let ours: Vec<String> = snapshot
                .lines()
                // Chrome treats an editable region without a role as generic, and ours is a textbox; areas of an image
                // map appear with their image.
                .filter(|line| {
                    !line.contains("\"Editor\"") && !line.contains("\"area\"") && !line.contains("Inner button")
                })
                .filter_map(|line| line.trim_start().split_once(' ').map(|(_, rest)| rest))
                .filter(|rest| CONTROLS.iter().any(|role| rest.starts_with(&format!("[{role}]"))))
                .map(|rest| match rest.split('"').nth(1).filter(|_| rest.contains("] \"")) {
                    Some(name) => format!("{} {name}", rest.split(']').next().unwrap().trim_start_matches('[')),
                    None => rest.split(']').next().unwrap().trim_start_matches('[').to_owned(),
                })
                .collect();
            let session = world.context.tab().await.unwrap().page().unwrap();
            let empty = serde_json::json!({});
            let tree = session.call_json("Accessibility.getFullAXTree", &empty, Duration::from_secs(10)).await.unwrap();
            let nodes = tree["nodes"].as_array().unwrap();
            let by_id: std::collections::HashMap<&str, &serde_json::Value> =
                nodes.iter().map(|node| (node["nodeId"].as_str().unwrap(), node)).collect();
            let mut theirs = Vec::new();
            let mut stack = vec![nodes[0]["nodeId"].as_str().unwrap()];
            while let Some(id) = stack.pop() {
                let Some(node) = by_id.get(id) else { continue };
                let role = our_role(node["role"]["value"].as_str().unwrap_or_default());
                if node["ignored"] != true && CONTROLS.contains(&role) {
                    let name = node["name"]["value"].as_str().unwrap_or_default();
                    let words: Vec<&str> = name.split_whitespace().collect();
                    theirs.push(format!("{role} {}", words.join(" ")).trim_end().to_owned());
                }
                // The parts of a player or a date field belong to the browser, not to the page.
                if matches!(node["role"]["value"].as_str(), Some("Video" | "Date")) {
                    continue;
                }
                let children = node["childIds"].as_array().map(Vec::as_slice).unwrap_or_default();
                stack.extend(children.iter().rev().filter_map(|child| child.as_str()));
            }
            assert_eq!(ours, theirs, "{page}");
        }
        world
    });
}

#[test]
fn what_opens_over_a_huge_page_is_first_and_new_for_a_model() {
    const ROWS: &str = "document.body.innerHTML = Array.from({ length: 1800 }, (_, number) => `<article><a href=\"#${number}\">Read ${number}</a> \
        <button>Like ${number}</button> <button>Share ${number}</button></article>`).join(''); 1";
    const OPEN: &str = "const box = document.createElement('div'); box.innerHTML = '<h2>Create</h2><label>Your words <textarea></textarea></label>\
        <button>Next step</button>'; box.style = 'position: fixed; inset: 100px; background: white'; document.body.append(box); 1";
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        world.run("js", &[ROWS]).await;
        let agent = world.for_model();
        let first = agent.output("snapshot", &["-i"]).await.unwrap();
        assert!(first.text.contains("more, narrow with") && !first.text.contains("\"Like 1799\""), "it is cut");
        // What is beyond the limit is compared too.
        world.run("js", &["document.querySelector('article:last-child button').textContent = 'Liked'; 1"]).await;
        let beyond = agent.output("snapshot", &["-i"]).await.unwrap();
        assert!(beyond.text.contains("\"Liked\"") && beyond.text.lines().count() < 10, "{}", beyond.text);
        world.run("js", &[OPEN]).await;
        let opened = agent.output("snapshot", &["-i"]).await.unwrap();
        for new in ["\"Your words\"", "\"Next step\""] {
            let line = opened.text.lines().find(|line| line.contains(new));
            assert!(line.is_some_and(|line| line.starts_with('+')), "{new} in {}", opened.text);
        }
        assert!(opened.text.len() < first.text.len() / 10, "{}", opened.text);
        let whole = agent.output("snapshot", &["-i", "--full"]).await.unwrap().text;
        let place = |words: &str| whole.lines().position(|line| line.contains(words)).unwrap();
        assert!(place("\"Next step\"") < place("\"Like 0\""), "what is on top comes first");
        world.run("js", &["document.body.lastChild.remove(); 1"]).await;
        let closed = agent.output("snapshot", &["-i"]).await.unwrap().text;
        assert!(closed.lines().any(|line| line.starts_with('-') && line.contains("\"Next step\"")), "{closed}");
        world
    });
}

#[test]
fn what_content_visibility_skips_is_read_or_said_to_be_missing() {
    const PARTS: &str = "document.body.innerHTML = '<style>section { content-visibility: auto; contain-intrinsic-size: 1px 2000px }</style>' +
        Array.from({ length: 100 }, (_, number) => `<section><h2>Head ${number}</h2><p>Words ${number} <a href=\"#\">Link ${number}</a></p>Alone ${number}</section>`).join(''); 1";
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        world.run("js", &[PARTS]).await;
        let text = world.run("text", &[]).await;
        let expected: Vec<String> =
            (0..100).map(|number| format!("Head {number}\nWords {number} Link {number}\nAlone {number}")).collect();
        assert!(text.contains(&expected.join("\n")), "{text}");
        assert!(world.run("snapshot", &["-i"]).await.contains("\"Link 99\""));
        let tree = world.output("accessibility", &[]).await.unwrap();
        assert!(!tree.text.contains("Link 99"));
        assert!(tree.note.unwrap_or_default().contains("off-screen (content-visibility: auto)"));
        world
    });
}

#[test]
fn a_model_that_reads_a_long_page_again_gets_what_changed() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        world.run("js", &["document.body.innerHTML = Array.from({ length: 200 }, (_, number) => `<button>Button ${number}</button>`).join(''); 1"]).await;
        let agent = world.for_model();
        let first = agent.output("snapshot", &[]).await.unwrap();
        let number = first.data.as_ref().unwrap()["snapshot"].as_u64().unwrap();
        assert!(first.text.contains("\"Button 199\""));
        let same = agent.output("snapshot", &[]).await.unwrap();
        assert_eq!(same.text, format!("(nothing changed since snapshot {number})\n"));
        world.run("js", &["document.querySelectorAll('button')[150].textContent = 'Other'; 1"]).await;
        let other = agent.output("snapshot", &[]).await.unwrap();
        assert!(
            other.text.contains("+") && other.text.contains("\"Other\"") && !other.text.contains("Button 199"),
            "{}",
            other.text
        );
        assert!(other.text.len() < first.text.len() / 10, "{}", other.text);
        assert!(other.note.as_deref().unwrap().contains("`full`"));
        assert!(agent.output("snapshot", &["--full"]).await.unwrap().text.contains("\"Button 199\""));
        // With other options and on another page it is whole, and so it is for others.
        assert!(agent.output("snapshot", &["-i"]).await.unwrap().text.contains("\"Button 199\""));
        assert!(world.run("snapshot", &[]).await.contains("\"Button 199\""));
        assert!(world.run("snapshot", &[]).await.contains("\"Button 199\""), "a person gets what they ask for");
        // By number, for anyone who has read that one.
        let since = world.output("snapshot", &["--since", &number.to_string()]).await.unwrap();
        assert!(since.text.contains("\"Other\"") && !since.text.contains("Button 199"), "{}", since.text);
        assert_eq!(world.fault("snapshot", &["--since", "9999"]).await.code, FaultCode::NotFound);
        assert_eq!(world.fault("snapshot", &["--since", "x"]).await.code, FaultCode::BadRequest);
        let person = world.output("snapshot", &[]).await.unwrap().data.unwrap()["snapshot"].to_string();
        assert_eq!(agent.fault("snapshot", &["--since", &person]).await.code, FaultCode::NotFound, "not its own");
        world
    });
}

const SWITCH: &str = "customElements.define('x-switch', class extends HTMLElement {
  constructor() {
    super();
    const internals = this.attachInternals();
    Object.assign(internals, { role: 'switch', ariaLabel: 'Power', ariaChecked: 'false' });
    this.onclick = () => { internals.ariaChecked = 'true'; };
  }
});
document.body.innerHTML = '<x-switch tabindex=0>on</x-switch><dialog id=box><button onclick=\"box.close()\">Shut</button></dialog>'; 0";

#[test]
fn a_role_by_internals_outlives_a_modal_dialog() {
    with_world(|world| async move {
        for is_known in [true, false] {
            world.run("goto", &[&world.page("next.html")]).await;
            world.run("js", &[SWITCH]).await;
            if is_known {
                assert!(world.run("snapshot", &["-i"]).await.contains("[switch] \"Power\""));
            }
            world.run("js", &["box.showModal(); 0"]).await;
            assert!(world.run("snapshot", &["-i"]).await.contains("\"Shut\""));
            world.run("click", &["text=Shut"]).await;
            world.run("click", &["role=switch[name=Power]"]).await;
            assert!(world.run("snapshot", &["-i"]).await.contains("[switch] \"Power\" [checked"));
        }
        world
    });
}
