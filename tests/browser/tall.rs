//! Pictures of pages that are taller than a picture can be: what lies beyond is said, and never black.

use crate::world::with_world;

/// Bands of 1,000 px, each of its own colour.
const BANDS: &str = "document.body.style.margin = 0;
document.body.innerHTML = Array.from({length: 40}, (_, i) =>
  `<div id=b${i} style='height:1000px;background:rgb(${(i * 37) % 200 + 55},${(i * 91) % 200 + 55},${(i * 53) % 200 + 55})'></div>`).join('')";

/// The colour in the middle of a PNG that lies in the page's reach, read by the browser itself.
const MIDDLE: &str = "await (async () => {
  const image = await createImageBitmap(await (await fetch('DATA')).blob());
  const canvas = new OffscreenCanvas(1, 1).getContext('2d');
  canvas.drawImage(image, -Math.floor(image.width / 2), -Math.floor(image.height / 2));
  return [image.height, ...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)].join(' ');
})()";

#[test]
fn a_page_that_is_too_tall_is_cut_in_words_and_its_depths_are_pictured_one_by_one() {
    with_world(|world| async move {
        use base64::Engine as _;
        world.open_hidden("next.html").await;
        world.run("js", &[BANDS]).await;
        let whole = world.run("screenshot", &["tall.png"]).await;
        assert!(
            whole.ends_with("(its first 16384 of 40000 px: a picture can't be taller; take the rest with --clip)"),
            "{whole}"
        );
        let cwd = world.context.cwd.clone().unwrap();
        let height = |name: &str| {
            let png = std::fs::read(cwd.join(name)).unwrap();
            u32::from_be_bytes(png[20..24].try_into().unwrap())
        };
        assert_eq!(height("tall.png"), 16384);
        // What a page of this height has far below is drawn where it is asked for.
        for (args, band) in [
            (vec!["--clip", "0,30000,100,900", "clip.png"], 30),
            (vec!["#b20", "element.png"], 20),
            (vec!["#b39", "last.png"], 39),
        ] {
            world.run("screenshot", &args).await;
            let png = std::fs::read(cwd.join(args[args.len() - 1])).unwrap();
            let data = format!("data:image/png;base64,{}", base64::engine::general_purpose::STANDARD.encode(png));
            let seen = world.run("js", &[&MIDDLE.replace("DATA", &data)]).await;
            let colour = [37, 91, 53].map(|step| ((band * step) % 200 + 55).to_string()).join(" ");
            assert!(seen.ends_with(&colour), "{args:?}: {seen} instead of {colour}");
        }
        world
    });
}
