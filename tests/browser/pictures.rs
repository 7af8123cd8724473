//! Pages as files: one MHTML file, masked screenshots, and screenshots only of changes.

use crate::world::{World, with_world};
use gstack_protocol::fault::FaultCode;
use std::fs::File;
use std::io::BufReader;

const PAGE: &str = "document.body.innerHTML = `<style>body { margin: 0 } div { width: 100px; height: 100px; background: rgb(255, 0, 0); transition: opacity 5s }</style><div id=a></div><div id=b></div>`";

/// Returns the colour of a pixel.
pub fn colour(file: &std::path::Path, x: usize, y: usize) -> [u8; 3] {
    let mut reader = png::Decoder::new(BufReader::new(File::open(file).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let at = y * info.line_size + x * info.color_type.samples();
    [pixels[at], pixels[at + 1], pixels[at + 2]]
}

async fn taken(world: &World, flags: &[&str]) -> std::path::PathBuf {
    world.output("screenshot", flags).await.unwrap().files.remove(0)
}

#[test]
fn masked_elements_are_blank_in_the_picture_and_as_before_in_the_page() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        world.run("viewport", &["400x300", "--scale", "1"]).await;
        world.run("js", &[PAGE]).await;
        let plain = taken(&world, &["plain.png"]).await;
        assert_eq!((colour(&plain, 50, 50), colour(&plain, 50, 150)), ([255, 0, 0], [255, 0, 0]));
        let masked = taken(&world, &["masked.png", "--mask", "#a"]).await;
        assert_eq!((colour(&masked, 50, 50), colour(&masked, 50, 150)), ([255, 255, 255], [255, 0, 0]));
        assert_eq!(world.run("js", &["document.querySelector('#a').outerHTML"]).await, "<div id=\"a\"></div>");
        assert_eq!(world.run("js", &["getComputedStyle(document.querySelector('#a')).opacity"]).await, "1");
        let both = taken(&world, &["both.png", "--mask", "#a", "--mask", "#b"]).await;
        assert_eq!((colour(&both, 50, 50), colour(&both, 50, 150)), ([255, 255, 255], [255, 255, 255]));
        assert_eq!(world.fault("screenshot", &["--mask", "##"]).await.code, FaultCode::BadRequest);
        world
    });
}

#[test]
fn a_picture_is_written_only_if_it_differs_from_the_last_of_its_kind() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        world.run("js", &[PAGE]).await;
        let again = ["shot.png", "--viewport", "--if-changed"];
        assert_eq!(world.output("screenshot", &again).await.unwrap().files.len(), 1, "the first");
        let same = world.output("screenshot", &again).await.unwrap();
        assert_eq!((same.text.as_str(), same.files.len()), ("Unchanged since the last screenshot", 0));
        assert_eq!(same.data.unwrap()["changed"], false);
        world.run("js", &["document.querySelector('#a').style.background = 'blue'"]).await;
        let masked = ["shot.png", "--viewport", "--if-changed", "--mask", "#a"];
        assert_eq!(world.output("screenshot", &masked).await.unwrap().files.len(), 1, "of another kind");
        assert_eq!(world.output("screenshot", &again).await.unwrap().files.len(), 1, "it has changed");
        world.run("js", &["document.querySelector('#a').style.background = 'green'"]).await;
        assert!(world.output("screenshot", &masked).await.unwrap().files.is_empty(), "what changed is masked");
        world
    });
}

#[test]
fn a_page_is_one_file_with_its_frames_and_pictures() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        let page = world.page("drawing.svg");
        let inner = world.page("inner.html").replace("127.0.0.1", "localhost");
        let filled = format!(
            "new Promise((done) => {{ document.body.innerHTML = `<p>kept words</p><img src='{page}'><iframe src='{inner}'></iframe>`; document.querySelector('iframe').onload = () => done('filled'); }})"
        );
        assert_eq!(world.run("js", &[&filled]).await, "filled");
        let saved = world.output("mhtml", &["page.mhtml"]).await.unwrap();
        assert!(saved.text.starts_with("MHTML saved: "), "{}", saved.text);
        let text = std::fs::read_to_string(&saved.files[0]).unwrap();
        for part in ["Content-Type: multipart/related", "kept words", "drawing.svg", "inner.html"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(world.output("mhtml", &[]).await.unwrap().files.len(), 1);
        assert_eq!(world.fault("mhtml", &["/etc/page.mhtml"]).await.code, FaultCode::PathRefused);
        world
    });
}

#[test]
fn a_picture_is_taken_as_a_device_shows_the_page_and_the_tab_stays_as_it_is() {
    with_world(|world| async move {
        world.run("goto", &[&world.page("next.html")]).await;
        world.run("viewport", &["600x400", "--scale", "1"]).await;
        world.run("js", &["document.head.insertAdjacentHTML('beforeend', '<meta name=viewport content=\"width=device-width\">'); 1"]).await;
        let size = |file: std::path::PathBuf| {
            let reader = png::Decoder::new(BufReader::new(File::open(file).unwrap())).read_info().unwrap();
            (reader.info().width, reader.info().height)
        };
        assert_eq!(size(taken(&world, &["a.png", "--viewport"]).await), (600, 400));
        let phone = size(taken(&world, &["b.png", "--viewport", "--device", "pixel 7"]).await);
        assert!((1080..1083).contains(&phone.0), "412 CSS pixels at 2.625: {phone:?}");
        assert_eq!(world.run("js", &["innerWidth + ' ' + devicePixelRatio"]).await, "600 1");
        assert_eq!(world.fault("screenshot", &["--device", "Pixl 7"]).await.code, FaultCode::BadRequest);
        world.run("js", &[PAGE]).await;
        assert_eq!(size(taken(&world, &["c.png", "--element", "#a"]).await), (100, 100));
        assert_eq!(world.fault("screenshot", &["#a", "--element", "#a"]).await.code, FaultCode::BadRequest);
        assert_eq!(world.fault("screenshot", &["--element", "#none"]).await.code, FaultCode::Element);
        world
    });
}

#[test]
fn no_picture_lays_the_page_out_again_or_scrolls_it() {
    with_world(|world| async move {
        world.run("goto", &[&world.page("unmoved.html")]).await;
        world.run("viewport", &["500x400", "--scale", "1"]).await;
        world
            .run("js", &["scrollTo(0, 150); new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"])
            .await;
        // The viewport's own resize has cleared it.
        world.run("js", &["seen.length = 0; typed.value = 'kept'; 1"]).await;
        let full = taken(&world, &["full.png"]).await;
        for flags in [
            vec!["element.png", "--element", "#low"],
            vec!["clip.png", "--clip", "0,700,100,900"],
            vec!["wide.png", "--clip", "400,0,700,100"],
            vec!["view.png", "--viewport"],
            vec!["full.jpg"],
            vec!["full.webp"],
        ] {
            let file = taken(&world, &flags).await;
            assert!(std::fs::metadata(&file).unwrap().len() > 0, "{flags:?}");
        }
        world.run("snapshot", &["-i", "-a", "-o", "boxes.png"]).await;
        // An element is scrolled into view, which the page sees; nothing else is.
        let seen = world.run("js", &["seen.filter((type) => !type.startsWith('scroll')) + ''"]).await;
        assert_eq!(seen, "", "no event");
        world
            .run("js", &["scrollTo(0, 150); new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"])
            .await;
        world.run("js", &["seen.length = 0; 1"]).await;
        taken(&world, &["again.png"]).await;
        assert_eq!(
            world.run("js", &["seen + '' + scrollY"]).await,
            "150",
            "no scroll event, and the position is as before"
        );
        assert_eq!(world.run("js", &["document.querySelector('#typed').value"]).await, "kept");
        let size = png::Decoder::new(BufReader::new(File::open(&full).unwrap())).read_info().unwrap().info().size();
        assert_eq!(size, (500, 2000));
        // The bar is where the page begins, what sticks to the bottom where it ends, and the rest is the page.
        for (y, wanted) in [(10, [0, 0, 255]), (300, [255, 255, 255]), (390, [255, 255, 255]), (790, [255, 255, 255])] {
            assert_eq!(colour(&full, 250, y), wanted, "{y}");
        }
        assert_eq!(colour(&full, 250, 1990), [255, 0, 255], "the bottom bar is at the end");
        assert_eq!((colour(&full, 250, 1190), colour(&full, 250, 1410)), ([0, 255, 0], [255, 255, 255]), "once");
        world
    });
}
