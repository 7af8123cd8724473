//! A page that moves another document under the pointer: a press is delivered to the document that was meant, or to none.

use crate::long::usual_or_long;
use crate::world::{World, with_world};

/// What the frame and the button of shifting.html received, each as a list.
async fn received(world: &World) -> (String, String) {
    // Messages of the frame may be on their way.
    let frames =
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))";
    let there = world.run("js", &[&format!("{frames}.then(() => there.join())")]).await;
    (there, world.run("js", &["here.join()"]).await)
}

/// Loads shifting.html again in the tab of the test.
async fn open(world: &World, when: &str, host: &str) {
    let page = world.page(&format!("shifting.html?{when}{host}#{when},{host}"));
    world.run("goto", &[&page]).await;
    if ["insert", "born"].contains(&when) {
        return;
    }
    world.run("frame", &["#bank"]).await;
    world.run("wait", &["#pay"]).await;
    world.run("frame", &["main"]).await;
}

#[test]
fn a_press_does_not_land_in_a_frame_that_was_moved_under_the_pointer() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        let all =
            ["move", "over", "flicker", "after0", "after2", "after5", "after9", "after14", "after20", "insert", "born"];
        // A frame of the same site takes the same path but for its process.
        for (host, ways) in [
            (
                "localhost",
                usual_or_long(&["move", "over", "flicker", "after2", "after9", "insert", "born"][..], &all[..]),
            ),
            ("127.0.0.1", usual_or_long(&["move", "after2", "insert"][..], &all[..])),
        ] {
            for &when in ways {
                open(&world, when, host).await;
                for command in ["click", "tap"] {
                    // Whether the button was free in time is the page's choice.
                    let clicked = world.output(command, &["#go", "--timeout", "700"]).await;
                    let (there, here) = received(&world).await;
                    // A frame that comes and goes may see a finger come down (docs/SECURITY.md), which presses nothing.
                    let pressed: Vec<_> = there.split(',').filter(|seen| !["", "touchstart"].contains(seen)).collect();
                    assert!(pressed.is_empty(), "{when} of {host} received a press: {there} {clicked:?}");
                    assert!(there.is_empty() || (command, when) == ("tap", "flicker"), "{when} of {host}: {there}");
                    // No try is repeated after one that arrived.
                    assert!(here.matches("click").count() <= 2, "{when} of {host}: {here}");
                }
            }
        }
        world
    });
}

#[test]
fn a_drag_does_not_begin_in_a_frame_that_was_moved_under_the_pointer() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        for when in ["move", "flicker", "after2"] {
            open(&world, when, "localhost").await;
            let dragged = world.output("drag", &["#go", "body", "--timeout", "700"]).await;
            assert_eq!(received(&world).await.0, "", "{when} received a press: {dragged:?}");
        }
        world
    });
}

#[test]
fn the_mouse_presses_in_no_frame_that_came_under_it() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        let middle = ["move", "200", "150"];
        for host in ["localhost", "127.0.0.1"] {
            for when in ["move", "over", "after2"] {
                // The page sees where the mouse is as soon as it opens.
                world.run("mouse", &["move", "900", "700"]).await;
                open(&world, when, host).await;
                world.run("mouse", &middle).await;
                // Once the page has had its time.
                world.run("wait", &["--fn", "bank.style.left === '0px'"]).await;
                let refused = world.fault("mouse", &["down"]).await;
                assert!(refused.message.contains("the document under the mouse has changed"), "{when}: {refused:?}");
                world.run("mouse", &["up"]).await;
                assert_eq!(received(&world).await.0, "", "{when} of {host} received a press");
                // Moved there again, the frame is what is meant.
                world.run("mouse", &["move", "201", "151"]).await;
                world.run("mouse", &["down"]).await;
                world.run("mouse", &["up"]).await;
                assert!(received(&world).await.0.starts_with("pointerdown,mousedown"), "{when} of {host}");
            }
            // It comes with a hover, and with the press itself.
            world.run("mouse", &["move", "900", "700"]).await;
            open(&world, "over", host).await;
            world.run("hover", &["#go"]).await;
            world.run("wait", &["--fn", "bank.style.left === '0px'"]).await;
            world.fault("mouse", &["down"]).await;
            assert_eq!(received(&world).await.0, "", "{host}");
            open(&world, "never", host).await;
            world.run("mouse", &middle).await;
            world.run("mouse", &["down"]).await;
            world.run("mouse", &["up"]).await;
            assert_eq!(received(&world).await, (String::new(), "click".to_owned()));
        }
        world
    });
}

#[test]
fn a_click_beside_frames_arrives_and_leaves_them_usable() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        for host in ["localhost", "127.0.0.1"] {
            open(&world, "never", host).await;
            world.run("click", &["#go"]).await;
            assert_eq!(received(&world).await, (String::new(), "click".to_owned()));
            // It is where nothing can be scrolled to.
            world.run("js", &["bank.style.left = '0'; 1"]).await;
            world.run("frame", &["#bank"]).await;
            world.run("click", &["#pay"]).await;
            world.run("frame", &["main"]).await;
            assert_eq!(received(&world).await.0, "pointerdown,mousedown,click");
            // The element is the frame itself: its document is what is meant.
            world.run("js", &["there.length = 0; go.remove(); 1"]).await;
            world.run("click", &["#bank"]).await;
            assert_eq!(received(&world).await.0, "pointerdown,mousedown,click");
        }
        world
    });
}
