//! A page's styling: styles that are changed and undone, clutter, the cascade, screenshots for presentation.

use crate::world::with_world;
use gstack_protocol::fault::FaultCode;

#[test]
fn a_style_is_changed_and_undone() {
    with_world(|world| async move {
        world.open_hidden("contents.html").await;
        let colour = "getComputedStyle(document.getElementById('one')).color";
        assert_eq!(
            world.run("style", &["#one", "color", "rgb(9, 9, 9)"]).await,
            "Style modified: #one { color: rgb(4, 5, 6) → rgb(9, 9, 9) } (inline)"
        );
        assert_eq!(world.run("js", &[colour]).await, "rgb(9, 9, 9)");
        world.run("style", &["#one", "--", "--accent", "red"]).await;
        world.run("style", &["#one", "color: rgb(8, 8, 8)"]).await;
        assert!(world.run("inspect", &["--history"]).await.contains("#2 #one { --accent:  → red }"));
        assert_eq!(world.run("style", &["--undo"]).await, "Reverted last modification");
        assert_eq!(world.run("js", &[colour]).await, "rgb(9, 9, 9)");
        assert_eq!(world.run("style", &["--undo", "1"]).await, "Reverted modification #1");
        assert_eq!(world.run("js", &[colour]).await, "rgb(4, 5, 6)");
        assert_eq!(world.run("style", &["--undo"]).await, "Reverted last modification");
        assert_eq!(world.run("js", &["document.getElementById('one').hasAttribute('style')"]).await, "false");
        assert_eq!(world.fault("style", &["--undo"]).await.code, FaultCode::NotFound);
        assert_eq!(world.fault("style", &["#one", "color", "nonsense"]).await.code, FaultCode::Element);
        assert_eq!(world.fault("style", &["#one"]).await.code, FaultCode::BadRequest);
        world
    });
}

#[test]
fn the_cascade_says_which_rule_wins() {
    with_world(|world| async move {
        world.open_hidden("contents.html").await;
        world.run("js", &["document.getElementById('one').style.padding = '3px 0 0 1px'"]).await;
        let text = world.run("inspect", &["#one"]).await;
        let rules: Vec<&str> = text.lines().take_while(|line| *line != "Box model:").map(str::trim).collect();
        let wanted = [
            "Element: <p id=\"one\" class=\"target\">",
            "",
            "Rules:",
            "element.style",
            "padding: 3px 0px 0px 1px;",
            "#one.target (1,1,0)",
            "color: rgb(4, 5, 6);",
            ".target (0,1,0)",
            "color: rgb(1, 2, 3);  [overridden]",
            "margin: 4px;",
            "p (0,0,1)",
            "color: red;  [overridden]",
            "",
        ];
        assert_eq!(rules, wanted);
        assert!(text.contains("padding: 3 0 0 1\n") && text.contains("margin:  4 4 4 4"), "{text}");
        assert!(text.contains("\n  color: rgb(4, 5, 6)") && !text.contains("user-agent"));
        assert!(world.run("inspect", &["#one", "--all"]).await.contains("p (0,0,1) [user-agent]"));
        assert_eq!(world.fault("inspect", &["#none"]).await.code, FaultCode::Element);
        let none = world.fault("inspect", &[]).await;
        assert!(none.code == FaultCode::NotFound && none.hint.clone().unwrap().contains("side panel"), "{none:?}");
        world
    });
}

#[test]
fn clutter_goes_and_what_belongs_to_the_site_stays() {
    with_world(|world| async move {
        world.open_hidden("clutter.html").await;
        assert_eq!(world.run("cleanup", &["--ads"]).await, "Cleaned up: 2 ads, scrolling unlocked");
        let rest = world.run("cleanup", &[]).await;
        assert_eq!(rest, "Cleaned up: 1 cookie banner, 1 sticky element, 1 overlay");
        assert_eq!(world.run("cleanup", &["--all"]).await, "No clutter elements found to remove.");
        assert_eq!(world.output("text", &[]).await.unwrap().text, "Home\nClutter\nWords to keep\nDeep words");
        world
    });
}

#[test]
fn a_pretty_picture_leaves_the_page_as_it_was() {
    with_world(|world| async move {
        world.open_hidden("clutter.html").await;
        let cwd = world.context.cwd.clone().unwrap().canonicalize().unwrap();
        let before = world.run("html", &[]).await;
        let args = ["--cleanup", "--scroll-to", "Deep words", "--width", "600", "--hide", "#title", "#words", "a.png"];
        let wanted = format!("Screenshot saved (cleaned) (scrolled to: Deep words) : {}", cwd.join("a.png").display());
        assert_eq!(world.run("prettyscreenshot", &args).await, wanted);
        let png = std::fs::read(cwd.join("a.png")).unwrap();
        assert_eq!(u32::from_be_bytes(png[16..20].try_into().unwrap()), 600);
        assert_eq!(world.run("html", &[]).await, before);
        let plain = world.run("prettyscreenshot", &["b.png"]).await;
        assert_eq!(plain, format!("Screenshot saved: {}", cwd.join("b.png").display()));
        assert_eq!(world.fault("prettyscreenshot", &["--scroll-to", "no such words"]).await.code, FaultCode::Element);
        assert_eq!(world.fault("prettyscreenshot", &["--width", "1"]).await.code, FaultCode::BadRequest);
        world
    });
}

#[test]
fn pictures_of_devices_are_as_wide_as_their_screens() {
    with_world(|world| async move {
        world.open_hidden("clutter.html").await;
        world.run("js", &["document.body.style.cssText = 'overflow: auto; min-height: 3000px'; 1"]).await;
        let said = world.run("responsive", &["shot"]).await;
        let cwd = world.context.cwd.clone().unwrap().canonicalize().unwrap();
        for (line, (name, width, height)) in
            said.lines().zip([("mobile", 375, 812), ("tablet", 768, 1024), ("desktop", 1280, 720)])
        {
            let path = cwd.join(format!("shot-{name}.png"));
            assert_eq!(line, format!("{name} ({width}x{height}): {}", path.display()));
            let png = std::fs::read(path).unwrap();
            assert_eq!(u32::from_be_bytes(png[16..20].try_into().unwrap()), width, "{name}");
        }
        let wide = world.run("js", &["document.documentElement.clientWidth"]).await;
        world.run("screenshot", &[]).await;
        assert_eq!(world.run("js", &["document.documentElement.clientWidth"]).await, wide, "a picture moves nothing");
        world
    });
}
