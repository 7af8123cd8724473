//! What a page opens outside of itself: pickers, prompts and other programs. Each act tells of it, and one that the page did
//! not receive, because a prompt was in front of it, fails.

use crate::world::{World, with_headed_world, with_world};
use gstack_protocol::fault::FaultCode;

const PICKED: &str = "Asked for a file or folder by a picker; nothing was chosen (upload cannot give it one)";

async fn each_is_told(world: &World) {
    for (id, words) in [
        ("open", PICKED),
        ("save", PICKED),
        ("folder", PICKED),
        ("mail", "Asked to open another program (mailto:)"),
        ("passkey", ""),
        ("known", ""),
        ("federated", ""),
        ("pay", ""),
        ("place", ""),
        ("notify", ""),
        ("camera", ""),
        ("screen", ""),
        ("usb", ""),
        ("serial", ""),
        ("dropper", ""),
    ] {
        // Such a prompt is in front of its tab alone.
        world.run("newtab", &[&world.page("prompts.html")]).await;
        // The window of the last prompt closes a moment later.
        while world.output("hover", &["#on"]).await.is_err() {}
        let said = world.run("click", &[&format!("#{id}")]).await;
        assert_eq!(said, format!("Clicked #{id}\n{words}").trim_end());
        assert_eq!(world.run("js", &["told.textContent"]).await, format!("{id} asked"));
        assert!(world.run("snapshot", &["-i"]).await.contains("[button] \"Go on\""), "{id}");
        world.run("goto", &["about:blank"]).await;
        world.run("goto", &[&world.page("prompts.html")]).await;
        // The window of the prompt closes a moment later.
        while world.output("click", &["#on"]).await.is_err() {}
        assert_eq!(world.run("js", &["document.title"]).await, "after", "{id}: leaving the site ends the prompt");
        world.run("closetab", &[]).await;
    }
}

/// A prompt takes all input of its tab, also that of the next page of the site.
async fn input_that_a_prompt_takes_is_told(world: &World) {
    world.run("newtab", &[&world.page("prompts.html")]).await;
    world.run("click", &["#field"]).await;
    let said = world.run("click", &["#program"]).await;
    assert_eq!(said, "Clicked #program\nAsked to open another program (gstack-test:)");
    // It comes a moment later.
    let mut pressed = world.output("press", &["ArrowLeft"]).await;
    while pressed.is_ok() {
        pressed = world.output("press", &["ArrowLeft"]).await;
    }
    for (command, args) in [
        ("press", &["a"][..]),
        ("type", &["words"]),
        ("type", &["words", "--into", "#field"]),
        ("hover", &["#on"]),
        ("click", &["#on"]),
        ("mouse", &["down"]),
        ("mouse", &["up"]),
        ("mouse", &["move", "40", "40"]),
        ("mouse", &["wheel", "0", "10"]),
        ("drag", &["#field", "#on"]),
        ("swipe", &["down"]),
    ] {
        let fault = world.fault(command, args).await;
        assert_eq!(fault.code, FaultCode::OutcomeUnknown, "{command}: {fault:?}");
        assert!(fault.message.ends_with("a prompt of the browser may be in front of it"), "{command}: {fault:?}");
        assert!(fault.hint.unwrap_or_default().contains("`goto about:blank`, then `back`"), "{command}");
    }
    assert_eq!(world.run("js", &["field.value + document.title"]).await, "Prompts");
    // What needs no input works.
    world.run("fill", &["#field", "by script"]).await;
    world.run("goto", &["about:blank"]).await;
    world.run("back", &[]).await;
    // The window of the prompt closes a moment later.
    while world.output("press", &["ArrowLeft"]).await.is_err() {}
    for (command, args) in [
        ("hover", &["#on"][..]),
        ("hover", &["#on"]),
        ("type", &["words", "--into", "#field"]),
        ("mouse", &["move", "5", "5"]),
        ("mouse", &["move", "5", "5"]),
        ("mouse", &["wheel", "0", "10"]),
        ("mouse", &["wheel", "0", "10"]),
        ("mouse", &["move", "-5", "5"]),
        ("mouse", &["wheel", "0", "10"]),
        ("click", &["#on"]),
    ] {
        world.run(command, args).await;
    }
    assert_eq!(world.run("js", &["document.title"]).await, "after");
}

#[test]
fn what_a_page_opens_outside_of_itself_is_told() {
    with_world(|world| async move {
        each_is_told(&world).await;
        input_that_a_prompt_takes_is_told(&world).await;
        world
    });
}

#[test]
fn what_a_page_opens_outside_of_itself_is_told_in_a_window() {
    with_headed_world(|world| async move {
        each_is_told(&world).await;
        input_that_a_prompt_takes_is_told(&world).await;
        world
    });
}
