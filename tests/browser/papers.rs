//! Pages on paper: its size, its margins, which pages, headers and footers.

use crate::world::{World, with_world};
use gstack_protocol::fault::FaultCode;

/// The size of the first page in points, the number of pages, and the file.
async fn printed(world: &World, flags: &[&str]) -> ((f64, f64), usize, String) {
    let mut words = vec!["page.pdf"];
    words.extend(flags);
    let file = world.output("pdf", &words).await.unwrap().files.remove(0);
    let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
    let size = text.split("/MediaBox [").nth(1).unwrap().split(']').next().unwrap();
    let numbers: Vec<f64> = size.split_whitespace().map(|number| number.parse().unwrap()).collect();
    ((numbers[2], numbers[3]), text.matches("/Type /Page\n").count(), text)
}

#[test]
fn paper_and_pages_are_as_asked_for() {
    with_world(|world| async move {
        world.run("goto", &[&world.page("next.html")]).await;
        world.run("js", &["document.body.innerHTML = '<h1>One</h1><div style=\"height:3000px;background:red\">x</div><h1>Two</h1>'; 1"]).await;
        let near =
            |size: (f64, f64), width: f64, height: f64| (size.0 - width).abs() < 2.0 && (size.1 - height).abs() < 2.0;
        let (size, pages, plain) = printed(&world, &[]).await;
        assert!(near(size, 595.0, 842.0) && pages > 1, "{size:?} {pages}");
        assert!(plain.contains("/StructTreeRoot"), "tagged");
        assert!(near(printed(&world, &["--landscape"]).await.0, 842.0, 595.0));
        assert!(near(printed(&world, &["--format", "Letter"]).await.0, 612.0, 792.0));
        assert!(near(printed(&world, &["--format", "4x6in", "--margins", "0"]).await.0, 288.0, 432.0));
        assert_eq!(printed(&world, &["--pages", "1"]).await.1, 1);
        assert!(printed(&world, &["--scale", "0.5"]).await.1 < pages);
        assert!(printed(&world, &["--margins", "4cm,1cm,4cm,1cm"]).await.1 > pages);
        assert!(printed(&world, &["--outline"]).await.2.contains("/Outlines") && !plain.contains("/Outlines"));
        let bare = printed(&world, &["--no-background"]).await.2;
        let numbered = printed(&world, &["--no-background", "--page-numbers"]).await.2;
        assert!(bare.len() < numbered.len(), "the numbers are in it");
        world
            .run(
                "js",
                &["document.head.insertAdjacentHTML('beforeend', '<style>@page { size: 300px 400px }</style>'); 1"],
            )
            .await;
        assert!(near(printed(&world, &["--prefer-css-page-size"]).await.0, 225.0, 300.0));
        for wrong in [
            &["--format", "a9"][..],
            &["--margins", "1,2"],
            &["--scale", "3"],
            &["--pages", "x"],
            &["--page-numbers", "--margins", "0"],
        ] {
            let code = world.fault("pdf", wrong).await.code;
            assert_eq!(code, FaultCode::BadRequest, "{wrong:?}");
        }
        world
    });
}
