//! `connect --profile`: logins that are kept apart, who may use a profile, and its end.

use super::stage::{Site, Stage, page};

fn shop(_: &str, _: u16) -> String {
    page("<title>shop</title><h1>Shop</h1>")
}

/// A cookie that outlives the browser.
const SIGN_IN: &str = "document.cookie = 'who=me; max-age=86400'";

fn listed(stage: &Stage, name: &str) -> serde_json::Value {
    let all: serde_json::Value = serde_json::from_str(&stage.run(&["profiles", "--json"])).unwrap();
    all.as_array().unwrap().iter().find(|profile| profile["name"] == name).cloned().unwrap_or_default()
}

#[test]
fn each_profile_keeps_its_own_logins_and_the_default_one_stays_as_it_was() {
    let stage = Stage::new();
    let site = Site::start(shop);
    let cookies = || {
        stage.run(&["goto", &site.url("/")]);
        stage.run(&["js", "document.cookie"])
    };
    stage.run(&["connect", "--headless", "--profile", "work"]);
    cookies();
    stage.run(&["js", SIGN_IN]);
    assert_eq!(stage.status()["profile"], "work");
    // The open browser is used whatever its profile is, unless another one is named.
    stage.run(&["connect"]);
    let other = stage.fails(&["connect", "--profile", "other"]);
    assert!(other.contains("uses the profile work, not other") && other.contains("gstack disconnect"), "{other}");
    assert!(!stage.folder.path().join("g/profiles/other").exists(), "a refused profile was made");
    // A new daemon knows the profile of the browser that it finds.
    stage.run(&["stop"]);
    stage.run(&["url"]);
    assert_eq!(stage.status()["profile"], "work");
    stage.run(&["restart"]);
    assert_eq!(stage.status()["profile"], "work", "it came back with the same logins");
    stage.run(&["disconnect"]);

    stage.run(&["connect", "--headless"]);
    assert_eq!((cookies().as_str(), &stage.status()["profile"]), ("", &"default".into()));
    assert!(stage.folder.path().join("g/chromium-profile/Default").exists());
    stage.run(&["disconnect"]);

    // From the environment, also for a command that opens the browser by itself.
    let with_variable = |args: &[&str]| {
        let output = stage.command(args).env("GSTACK_PROFILE", "work").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    with_variable(&["goto", &site.url("/")]);
    assert_eq!(
        (stage.run(&["js", "document.cookie"]).as_str(), &stage.status()["profile"]),
        ("who=me", &"work".into())
    );
    stage.run(&["disconnect"]);

    std::fs::write(stage.folder.path().join("g/config.toml"), "[browser]\nprofile = \"work\"\n").unwrap();
    assert_eq!(cookies(), "who=me");
    stage.run(&["disconnect"]);
    std::fs::write(stage.folder.path().join("g/config.toml"), "[browser]\nprofile = \"../work\"\n").unwrap();
    let wrong = stage.fails(&["connect", "--headless"]);
    assert!(wrong.contains("browser.profile") && wrong.contains("letters, digits"), "{wrong}");
}

#[test]
fn a_profile_is_used_by_one_browser_and_deleted_only_when_it_is_free() {
    let stage = Stage::new();
    for name in ["../up", "a/b", "/etc", ".", "a b", ""] {
        let refused = stage.said(&["connect", "--headless", &format!("--profile={name}")]);
        assert!(refused.code == Some(2) && refused.err.contains("profile name"), "{name}: {refused:?}");
    }
    assert_eq!(stage.status()["mode"], "none");
    let missing = stage.fails(&["profiles", "delete", "nobody", "--yes"]);
    assert!(missing.contains("there is no profile nobody"), "{missing}");
    stage.run(&["--session", "shop", "connect", "--headless", "--profile", "work"]);
    let elsewhere = stage.fails(&["connect", "--headless", "--profile", "work"]);
    assert!(elsewhere.contains("the profile work is in use by the session shop"), "{elsewhere}");
    assert!(elsewhere.contains("gstack --session shop disconnect"), "{elsewhere}");
    assert_eq!(stage.status()["mode"], "none");
    let work = listed(&stage, "work");
    assert_eq!((&work["inUse"], &work["usedBy"]), (&true.into(), &"shop".into()), "{work}");
    assert!(work["size"].as_u64().unwrap() > 0 && work["lastUsed"].as_u64().unwrap() > 0, "{work}");
    let used = stage.fails(&["profiles", "delete", "work", "--yes"]);
    assert!(used.contains("in use by the session shop"), "{used}");

    // A keeper that is killed frees the profile at once, however its browser ends.
    let browser = stage.status_of("shop")["browserPid"].as_i64().unwrap();
    let keeper = super::stage::parent(browser);
    super::stage::kill(keeper);
    stage.run(&["connect", "--headless", "--profile", "work"]);
    assert_eq!(listed(&stage, "work")["usedBy"], "default");
    stage.run(&["disconnect"]);

    let asks = stage.fails(&["profiles", "delete", "work"]);
    assert!(asks.contains("gstack profiles delete work --yes"), "{asks}");
    let line = format!("{} profiles delete work", env!("CARGO_BIN_EXE_gstack"));
    let (shown, asked) = stage.at_terminal(&stage.work(), &line, "");
    assert!(asked && shown.contains("nothing was deleted"), "{shown}");
    assert!(!listed(&stage, "work").is_null());
    let (shown, asked) = stage.at_terminal(&stage.work(), &line, "y");
    assert!(asked && shown.contains("Deleted the profile work."), "{shown}");
    assert!(listed(&stage, "work").is_null());
    assert!(!stage.folder.path().join("g/profiles/work").exists());
    assert!(stage.run(&["profiles"]).starts_with("default  "));
}
