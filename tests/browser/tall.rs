//! Screenshots of pages that are taller than the browser can draw at once: complete, up to the maximum size, and never
//! black.

use crate::long::usual_or_long;
use crate::world::{World, with_world};
use png::Decoder;
use std::collections::BTreeMap;
use std::io::Cursor;

/// Bands of 1,000 px, each in its own colour; a bar that sticks to the window's top, and one at its end.
const BANDS: &str = "document.body.style.margin = 0;
document.body.innerHTML = Array.from({length: 40}, (_, i) =>
  `<div id=b${i} style='height:1000px;background:rgb(${(i * 37) % 200 + 55},${(i * 91) % 200 + 55},${(i * 53) % 200 + 55})'></div>`).join('') +
  `<div style='position:fixed;top:0;left:0;width:100%;height:20px;background:rgb(1,2,3)'></div>`; 1";
const FIXED: [u8; 3] = [1, 2, 3];

fn band(number: u32) -> [u8; 3] {
    [37, 91, 53].map(|step| u8::try_from((number * step) % 200 + 55).unwrap())
}

/// Returns the colour in the middle of these rows, and the size of the screenshot.
fn colours(png: &[u8], rows: impl IntoIterator<Item = u32>) -> (u32, u32, BTreeMap<u32, [u8; 3]>) {
    let mut reader = Decoder::new(Cursor::new(png)).read_info().unwrap();
    let (width, height) = (reader.info().width, reader.info().height);
    let samples = reader.output_color_type().0.samples();
    let wanted: Vec<u32> = rows.into_iter().collect();
    let mut found = BTreeMap::new();
    for at in 0..height {
        let row = reader.next_row().unwrap().unwrap();
        if wanted.contains(&at) {
            let middle = width as usize / 2 * samples;
            found.insert(at, row.data()[middle..middle + 3].try_into().unwrap());
        }
    }
    (width, height, found)
}

async fn taken(world: &World, args: &[&str]) -> Vec<u8> {
    world.run("screenshot", args).await;
    std::fs::read(world.context.cwd.clone().unwrap().join(args[args.len() - 1])).unwrap()
}

#[test]
fn a_page_of_40000_px_is_whole_in_one_png() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        world.run("viewport", &["400x600"]).await;
        world.run("js", &[BANDS]).await;
        let said = world.run("screenshot", &["tall.png"]).await;
        assert!(said.ends_with("/tall.png"), "nothing is missing: {said}");
        let png = std::fs::read(world.context.cwd.clone().unwrap().join("tall.png")).unwrap();
        // Each band's first, middle and last row, including those where two parts meet, and the bar, once.
        let rows = (0..40)
            .flat_map(|at| [at * 1000, at * 1000 + 500, at * 1000 + 999])
            .chain([16_383, 16_384, 32_767, 32_768, 19]);
        let (width, height, found) = colours(&png, rows);
        assert_eq!((width, height), (400, 40_000));
        for (row, colour) in found {
            let wanted = if row < 20 { FIXED } else { band(row / 1000) };
            assert_eq!(colour, wanted, "row {row}");
        }
        world
    });
}

#[test]
fn what_a_picture_can_not_hold_is_said() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        world.run("viewport", &["100x600"]).await;
        world.run("js", &[BANDS]).await;
        for &name in usual_or_long(&["tall.webp"][..], &["tall.jpg", "tall.webp"][..]) {
            let said = world.run("screenshot", &[name]).await;
            assert!(said.ends_with("(its first 16384 of 40000 px: as .png it can be taller)"), "{said}");
        }
        world
    });
}

#[test]
#[ignore = "every night"]
fn a_picture_that_no_file_can_hold_is_cut_and_says_so() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        world.run("viewport", &["100x600"]).await;
        world.run("js", &["document.body.style.height = '300000px'; 1"]).await;
        let said = world.run("screenshot", &["taller.png"]).await;
        assert!(said.ends_with("(its first 262144 of 300000 px: take the rest with --clip)"), "{said}");
        world
    });
}

#[test]
fn what_lies_far_below_is_pictured_where_it_is_asked_for() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        world.run("js", &[BANDS]).await;
        for (args, number) in [
            (vec!["--clip", "0,30000,100,900", "clip.png"], 30),
            (vec!["#b20", "element.png"], 20),
            (vec!["#b39", "last.png"], 39),
        ] {
            let (_, _, found) = colours(&taken(&world, &args).await, [450]);
            assert_eq!(found[&450], band(number), "{args:?}");
        }
        world
    });
}
