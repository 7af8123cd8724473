//! Finding elements by their visible text, reading them as data, and waiting for page changes.

use crate::world::with_world;
use gstack_protocol::fault::FaultCode;
use serde_json::json;

#[test]
fn elements_are_found_by_what_stands_beside_them() {
    with_world(|world| async move {
        world.open_hidden("data.html").await;
        for (selector, id) in [
            ("label=City", "city"),
            ("label=\"City\"", "city"),
            ("label=/^cit/i", "city"),
            ("placeholder=town", "city"),
            ("title=\"Where you live\"", "city"),
            ("testid=town", "city"),
            ("li >> has=button >> nth=1", "c3"),
            ("li >> has-not=button", "c2"),
            ("li >> has-text=wall >> role=button", "b3"),
            ("li >> has=\"text=Sold out\"", "c2"),
        ] {
            let found = world.run("attrs", &[selector]).await;
            assert!(found.contains(&format!("\"id\": \"{id}\"")), "{selector}: {found}");
        }
        assert!(world.run("attrs", &["alt=lamp"]).await.contains("\"alt\": \"A lamp\""));
        assert_eq!(world.run("count", &["li >> has=button"]).await, "2");
        assert_eq!(world.run("count", &["testid=\"tow\""]).await, "0");
        assert_eq!(world.fault("count", &["label="]).await.code, FaultCode::BadRequest);
        let found = world.output("find", &["button", "basket"]).await.unwrap();
        assert_eq!(found.data.unwrap()["found"], 2);
        assert!(
            found.text.lines().all(|line| line.starts_with("@e") && line.ends_with("[button] \"Add to basket\"")),
            "{}",
            found.text
        );
        assert_eq!(world.run("find", &["spaceship"]).await, "(nothing found)");
        let searched = world.output("snapshot", &["--search", "wall lamp"]).await.unwrap();
        assert!(searched.text.contains("Wall lamp") && !searched.text.contains("TabState lamp"), "{}", searched.text);
        world
    });
}

#[test]
fn snapshots_have_nodes_with_boxes_as_data() {
    with_world(|world| async move {
        world.open_hidden("data.html").await;
        let data = world.output("snapshot", &["--boxes"]).await.unwrap().data.unwrap();
        let nodes = data["nodes"].as_array().unwrap();
        let town = nodes.iter().find(|node| node["role"] == "textbox" && node["name"] == "City").unwrap();
        assert!(
            town["ref"].as_str().unwrap().starts_with("@e") && town["box"]["width"].as_f64().unwrap() > 50.0,
            "{town}"
        );
        let plain = world.output("snapshot", &[]).await.unwrap().data.unwrap();
        assert!(plain["nodes"][0].get("box").is_none() && plain["nodes"][0]["role"].is_string());
        assert_eq!(world.run("box", &["#place"]).await, "400,50,120,30");
        assert_eq!(world.fault("box", &["#unseen"]).await.code, FaultCode::Element);
        world
    });
}

#[test]
fn fields_and_tables_are_read_as_data() {
    with_world(|world| async move {
        world.open_hidden("data.html").await;
        for (sel, value) in [("#city", "Bern"), ("#secret", "[redacted]"), ("#size", "Large"), ("#gift", "true")] {
            assert_eq!(world.output("value", &[sel]).await.unwrap().text, value, "{sel}");
        }
        assert!(world.fault("value", &["#head"]).await.message.contains("it has no value"));
        let table = world.output("table", &[]).await.unwrap();
        assert_eq!(
            table.data.unwrap(),
            json!([
                { "City": "Bern", "Left": "3", "Note": "says \"hi\", twice" },
                { "City": "Bern", "Left": "4", "Note": "" },
                { "City": "Basel", "Left": "none", "Note": "none" },
            ])
        );
        let csv = world.output("table", &["#stock", "--csv"]).await.unwrap().text;
        assert_eq!(csv, "City,Left,Note\nBern,3,\"says \"\"hi\"\", twice\"\nBern,4,\nBasel,none,none");
        assert!(world.fault("table", &["#head"]).await.message.contains("it is not a table"));
        world
    });
}

#[test]
fn a_schema_is_filled_from_what_the_page_states() {
    with_world(|world| async move {
        world.open_hidden("data.html").await;
        let cwd = world.context.cwd.clone().unwrap();
        let schema = r#"{"type":"object","properties":{"unitPrice":{"type":"number"},"sku":{"type":"string","title":"Article number"},
            "colour":{"type":"string"},"city":{"type":"string"},"weight":{"type":"number"},
            "stock":{"type":"array","items":{"type":"object","properties":{"city":{"type":"string"},"left":{"type":"integer"}}}}}}"#;
        std::fs::write(cwd.join("lamp.json"), schema).unwrap();
        std::fs::write(cwd.join("bad.json"), "{}").unwrap();
        let output = world.output("extract", &["--schema", "lamp.json"]).await.unwrap();
        assert_eq!(
            output.data.unwrap(),
            json!({ "unitPrice": 1299.5, "sku": "A-7", "colour": "warm white", "city": "Bern", "weight": null,
                "stock": [{ "city": "Bern", "left": 3 }, { "city": "Bern", "left": 4 }, { "city": "Basel", "left": null }] })
        );
        assert_eq!(output.note.as_deref(), Some("Not found: weight"));
        assert_eq!(world.fault("extract", &["--schema", "bad.json"]).await.code, FaultCode::BadRequest);
        assert_eq!(world.fault("extract", &["--schema", "/etc/passwd"]).await.code, FaultCode::PathRefused);
        assert_eq!(world.fault("extract", &[]).await.code, FaultCode::BadRequest);
        world
    });
}

#[test]
fn what_a_page_does_later_is_waited_for() {
    with_world(|world| async move {
        world.open_hidden("data.html").await;
        world.run("click", &["#later"]).await;
        assert_eq!(world.run("wait", &["--text", "Saved"]).await, "Text \"Saved\" appeared");
        assert_eq!(world.run("wait", &["#toast", "--state", "detached"]).await, "Element #toast is detached");
        assert_eq!(world.run("wait", &["--text-gone", "Working"]).await, "Text \"Working\" is gone");
        assert_eq!(world.run("wait", &["#unseen", "--state", "hidden"]).await, "Element #unseen is hidden");
        assert_eq!(world.run("wait", &["#unseen", "--state", "attached"]).await, "Element #unseen is attached");
        let url = world.page("data/saved?x=1");
        assert_eq!(world.run("wait", &["--url", "**/data/saved*"]).await, format!("Now at {url}"));
        assert_eq!(world.run("wait", &["--console", "saved"]).await, "Console: saved it");
        let response = world.run("wait", &["--response", "/echo?late"]).await;
        assert_eq!(response, format!("Response 200: {}", world.page("echo?late")));
        assert_eq!(world.run("wait", &["--fn", "() => document.title === 'Data'"]).await, "The script is true");
        let both = world.run("wait", &["--all", "--text", "Saved", "--load"]).await;
        assert_eq!(both, "Text \"Saved\" appeared\nPage loaded");
        let first = world.run("wait", &["--any", "#never", "--text", "Saved"]).await;
        assert_eq!(first, "Text \"Saved\" appeared");
        world.run("js", &["asks.onclick()"]).await;
        assert_eq!(world.run("wait", &["--dialog"]).await.lines().next().unwrap(), "Dialog alert: Sure about it");
        world.run("js", &["opens.onclick()"]).await;
        let popup = world.run("wait", &["--popup"]).await;
        assert!(popup.starts_with(&format!("Popup: {}", world.page("next.html"))), "{popup}");
        for (wrong, code) in [
            (&["#note", "--text", "x"][..], FaultCode::BadRequest),
            (&["--state", "hidden"], FaultCode::BadRequest),
            (&["#note", "--state", "gone"], FaultCode::BadRequest),
            (&["--url", "**/never", "--timeout", "200"], FaultCode::Timeout),
            (&["--response", "**/never", "--timeout", "200"], FaultCode::Timeout),
            (&["--dialog", "--timeout", "200"], FaultCode::Timeout),
            (&["--fn", "false", "--timeout", "200"], FaultCode::Timeout),
            (&["--text", "never said", "--timeout", "200"], FaultCode::Element),
            (&["#head", "--state", "detached", "--timeout", "200"], FaultCode::Element),
        ] {
            let fault = world.fault("wait", wrong).await;
            assert_eq!(fault.code, code, "{wrong:?}: {fault:?}");
        }
        world
    });
}
