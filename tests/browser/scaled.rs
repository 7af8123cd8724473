//! Frames that are scaled, turned, zoomed, drawn in perspective or clipped by a box that scrolls: input arrives where the
//! element is drawn, and pictures and boxes show it there.

use crate::pictures::colour;
use crate::world::{World, with_world};

/// Returns the numbers of a line such as `x: 1, y: 2`.
async fn box_of(world: &World, selector: &str) -> Vec<f64> {
    let data = world.output("box", &[selector]).await.unwrap().data.unwrap();
    ["x", "y", "width", "height"].map(|side| data[side].as_f64().unwrap()).to_vec()
}

#[test]
fn input_arrives_in_a_frame_however_it_is_drawn() {
    with_world(|world| async move {
        world.run("viewport", &["900x600", "--scale", "1"]).await;
        for case in [
            "t=scale(.6)",
            "z=.7&o=other",
            "t=rotate(5deg)&o=other",
            "b=1.25&p=600px&t=rotateY(20deg)",
            "n&t=scale(.7)",
            "n&z=.7&o=other",
            "s=500&t=scale(.6)&o=other",
            "h=420&t=scale(.7)&o=other",
        ] {
            world.run("goto", &[&world.page(&format!("scaled.html?{case}"))]).await;
            world.run("wait", &["text=Inner press"]).await;
            world.run("click", &["#press"]).await;
            let said = world.run("text", &["#said"]).await;
            let words: Vec<f64> = said.split([' ', ',', ';']).filter_map(|word| word.parse().ok()).collect();
            let [x, y] = *words else { panic!("{case}: {said}") };
            assert!((x - 60.0).abs() <= 2.0 && (y - 20.0).abs() <= 2.0, "the middle of the button: {case}: {said}");
            world.run("hover", &["#over"]).await;
            world.run("click", &["#low"]).await;
            let said = world.run("text", &["#said"]).await;
            assert!(said.contains("over;") && said.contains("low "), "{case}: {said}");
        }
        let pictured = ["inner.png", "--element", "#press"];
        let picture = world.output("screenshot", &pictured).await.unwrap().files.remove(0);
        let [_, _, width, height] = *box_of(&world, "#press").await else { panic!() };
        let middle = colour(&picture, (width / 2.0) as usize, (height / 4.0) as usize);
        assert!(middle[1] > 200 && middle[0] < 90, "{middle:?}");
        world.run("goto", &[&world.page("scaled.html?t=scale(.5)&o=other")]).await;
        world.run("wait", &["text=Inner press"]).await;
        let [_, _, width, height] = *box_of(&world, "#press").await else { panic!() };
        assert_eq!((width.round(), height.round()), (60.0, 20.0));
        // Nothing covers a frame that lets input through.
        world.run("goto", &[&world.page("scaled.html?pe&o=other")]).await;
        let fault = world.fault("click", &["#press", "--timeout", "300"]).await;
        assert!(fault.message.contains("its frame: it takes no pointer events"), "{fault:?}");
        world.run("goto", &[&world.page("scaled.html?t=scale(.5)&o=other")]).await;
        world.run("wait", &["text=Inner press"]).await;
        // Something over the frame still blocks the press.
        let cover =
            "document.body.insertAdjacentHTML('beforeend', '<div id=veil style=\"position:fixed;inset:0\"></div>'); 0";
        world.run("js", &[cover]).await;
        let fault = world.fault("click", &["#press", "--timeout", "300"]).await;
        assert!(fault.message.contains("its frame: it is covered by <div id=\"veil\""), "{fault:?}");
        world
    });
}

#[test]
fn input_arrives_in_a_frame_whatever_is_around_it() {
    with_world(|world| async move {
        world.run("viewport", &["1000x700", "--scale", "1"]).await;
        for kind in [
            "scale in zoom",
            "zoom in scale",
            "scroll in rotate",
            "two scrollers",
            "mirrored",
            "skewed",
            "vertical",
            "right to left",
            "dialog",
            "popover",
            "snapping",
            "closed root",
        ] {
            for site in ["", "&o=other"] {
                let case = format!("framed.html?k={}{site}", kind.replace(' ', "%20"));
                world.run("goto", &[&world.page(&case)]).await;
                world.run("wait", &["text=Inner press"]).await;
                world.run("click", &["#press"]).await;
                world.run("hover", &["#over"]).await;
                world.run("click", &["#low"]).await;
                let said = world.run("text", &["#said"]).await;
                let places: Vec<f64> = said.split([' ', ',', ';']).filter_map(|word| word.parse().ok()).collect();
                let [x, y, low_x, low_y] = *places else { panic!("{case}: {said}") };
                for (at, middle) in [(x, 60.0), (y, 20.0), (low_x, 60.0), (low_y, 20.0)] {
                    assert!(f64::abs(at - middle) <= 2.0, "the middle of the button: {case}: {said}");
                }
                assert!(said.contains("over;"), "{case}: {said}");
            }
        }
        world
    });
}

#[test]
fn a_text_in_slots_means_the_element_that_shows_it() {
    with_world(|world| async move {
        world.open_hidden("slots.html").await;
        for (text, title) in [
            ("Save one", "plain"),
            ("Save two", "span"),
            ("Save three", "host"),
            ("Save four", "named"),
            ("Fallback words", "fallback"),
            ("Save five", "nest"),
            ("Save six", "block"),
            ("Save seven", "contents"),
        ] {
            let selector = format!("text=\"{text}\"");
            world.run("click", &[&selector]).await;
            assert_eq!(world.run("js", &["document.title"]).await, title);
            let found = box_of(&world, &selector).await;
            assert!(found[2] > 0.0 && found[3] > 0.0, "{text}: {found:?}");
        }
        world
    });
}

const MOVING: &str =
    "document.body.innerHTML = '<iframe style=\"position: absolute; left: 500px; top: 0; border: 0\"></iframe>';
const inner = document.querySelector('iframe').contentDocument;
let isOuter = false;
const move = () => {
  document.querySelector('#moving')?.remove();
  inner.querySelector('#moving')?.remove();
  isOuter = !isOuter;
  const box = '<div id=moving style=\"position: absolute; width: 10px; height: 10px; top: 0; left: LEFTpx\"></div>';
  (isOuter ? document : inner).body.insertAdjacentHTML('beforeend', box.replace('LEFT', isOuter ? 100 : 20));
};
move();
setInterval(move, 3);
0";

#[test]
fn an_element_is_measured_in_the_frame_in_which_it_was_found() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        world.run("js", &[MOVING]).await;
        let (mut measured, mut tries) = (0, 0);
        while measured < 30 && tries < 300 {
            tries += 1;
            // It may be gone between the search and the reading.
            let Ok(output) = world.output("box", &["#moving"]).await else { continue };
            let x = output.text.split(',').next().and_then(|x| x.parse::<f64>().ok()).unwrap();
            assert!(x == 100.0 || x == 520.0, "{x}");
            measured += 1;
        }
        assert_eq!(measured, 30);
        world
    });
}
