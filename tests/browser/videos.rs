//! Videos of tabs, as Chromium's own player shows them.

use crate::world::{World, with_headed_world, with_world};
use axum::Router;
use axum::http::header;
use axum::routing::get;
use gstack_browser::browser::Browser;
use gstack_browser::page::video::{Encoder, SentShot};
use gstack_command::{Call, Output, captions};
use gstack_protocol::fault::FaultCode;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

const RED: [i64; 3] = [255, 0, 0];
const BLUE: [i64; 3] = [0, 0, 255];
const GREEN: [i64; 3] = [0, 200, 0];

/// Plays a file: its size, its duration, and the colour at some places (`[seconds, x, y]`).
const PLAY: &str = "(async () => {
  const video = document.createElement('video');
  video.muted = true;
  const file = await fetch(ADDRESS);
  video.src = URL.createObjectURL(await file.blob());
  await new Promise((done, failed) => {
    video.onloadeddata = done;
    video.onerror = () => failed(new Error(video.error.message));
  });
  const brush = new OffscreenCanvas(video.videoWidth, video.videoHeight).getContext('2d', { willReadFrequently: true });
  const colours = [];
  for (const [time, x, y] of PLACES) {
    const sought = new Promise((done) => (video.onseeked = done));
    video.currentTime = Math.min(Math.max(time, 0.001), video.duration - 0.001);
    await sought;
    // A busy machine may have found the place and not decoded its picture yet. No picture of these tests is black.
    const drawn = () => (brush.drawImage(video, 0, 0), [...brush.getImageData(x, y, 1, 1).data].slice(0, 3));
    let colour = drawn();
    for (let tries = 0; tries < 200 && colour.every((part) => part === 0); tries += 1) {
      await new Promise((done) => setTimeout(done, 50));
      colour = drawn();
    }
    colours.push(colour);
  }
  return JSON.stringify({ width: video.videoWidth, height: video.videoHeight, duration: video.duration, colours });
})()";

/// What a player makes of a file, in a tab that is in view.
async fn played(world: &World, file: &Path, places: &[(f64, u32, u32)]) -> Value {
    let bytes = std::fs::read(file).unwrap();
    assert!(bytes.starts_with(&[0x1A, 0x45, 0xDF, 0xA3]), "EBML");
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let router = Router::new()
        .route(
            "/",
            get(|| async {
                ([(header::CONTENT_TYPE, "text/html")], "<title>Player</title><link rel=icon href=data:,>")
            }),
        )
        .route("/video.webm", get(|| async move { ([(header::CONTENT_TYPE, "video/webm")], bytes) }));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let player = world.in_tab(world.context.browser.tabs()[0].id);
    player.run("goto", &[&format!("http://127.0.0.1:{port}/")]).await;
    let script = PLAY
        .replace("ADDRESS", &format!("'http://127.0.0.1:{port}/video.webm'"))
        .replace("PLACES", &json!(places).to_string());
    serde_json::from_str(&player.run("js", &[&script, "--timeout", "60000"]).await).unwrap()
}

fn is(colour: &Value, wanted: [i64; 3]) -> bool {
    let near = |(at, wanted): (usize, &i64)| colour[at].as_i64().is_some_and(|value| (value - wanted).abs() < 60);
    wanted.iter().enumerate().all(near)
}

/// When the page shows it, in milliseconds since 1970.
async fn paint(world: &World, colour: &str) -> f64 {
    let at = world.run("js", &[&format!("paint('{colour}')")]).await;
    at.parse().unwrap()
}

async fn show(world: &World, millis: u32) {
    assert_eq!(world.run("js", &[&format!("show({millis})")]).await, "shown");
}

fn number(output: &Output, name: &str) -> f64 {
    output.data.as_ref().unwrap()[name].as_f64().unwrap_or_else(|| panic!("{name} in {:?}", output.data))
}

async fn a_page_with_changing_colours(world: &World) {
    world.open_hidden("colours.html").await;
    world.run("viewport", &["640x360"]).await;
    paint(world, "red").await;
    let path = world.context.cwd.clone().unwrap().canonicalize().unwrap().join("colours.webm");
    let started = world.run("video", &["start", "colours.webm", "--size", "640x360"]).await;
    assert_eq!(started, format!("Recording a video: {}", path.display()));
    show(world, 1200).await;
    let blue = paint(world, "blue").await;
    show(world, 1200).await;
    let green = paint(world, "rgb(0, 200, 0)").await;
    // Pictures of commands are those of the whole page, and take nothing from the video.
    let taken = world.output("screenshot", &["--viewport", "shot.png"]).await.unwrap();
    assert!(std::fs::read(&taken.files[0]).unwrap().starts_with(b"\x89PNG"));
    show(world, 1000).await;
    let saved = world.output("video", &["stop"]).await.unwrap();
    assert!(saved.text.starts_with(&format!("Video saved: {} (", path.display())), "{}", saved.text);
    assert_eq!((saved.note.as_deref(), &saved.files), (None, &vec![path.clone()]));
    let (from, to) = (number(&saved, "from"), number(&saved, "to"));
    let at = |moment: f64| (moment - from) / 1000.0;
    let places = [(0.3, 320, 100), (at(blue) - 0.4, 320, 100), (at(blue) + 0.6, 20, 300), (at(green) + 0.6, 320, 180)];
    let video = played(world, &path, &places).await;
    assert_eq!((&video["width"], &video["height"]), (&json!(640), &json!(360)));
    let duration = video["duration"].as_f64().unwrap();
    assert!((duration - (to - from) / 1000.0).abs() < 0.5, "{duration} of {from} to {to}");
    assert!(duration > 3.0 && at(green) < duration, "{video} {}", at(green));
    let wanted = [RED, RED, BLUE, GREEN];
    let all = video["colours"].as_array().unwrap();
    assert!(all.iter().zip(wanted).all(|(colour, wanted)| is(colour, wanted)), "{video}");
    let gone = world.fault("video", &["stop"]).await;
    assert_eq!((gone.code, gone.message.as_str()), (FaultCode::NotFound, "this tab is not being recorded"));
}

#[test]
fn a_video_shows_what_the_tab_showed_when_it_did() {
    with_world(|world| async move {
        a_page_with_changing_colours(&world).await;
        world
    });
}

#[test]
fn a_video_of_a_tab_behind_another_one_of_a_window() {
    with_headed_world(|world| async move {
        a_page_with_changing_colours(&world).await;
        world
    });
}

#[test]
fn what_a_command_does_stands_beneath_the_picture() {
    with_world(|world| async move {
        world.open_hidden("colours.html").await;
        world.run("viewport", &["640x360"]).await;
        paint(&world, "red").await;
        world.run("video", &["start"]).await;
        show(&world, 800).await;
        let said = |words: &[&str]| {
            let words: Vec<String> = words[1..].iter().map(|word| (*word).to_owned()).collect();
            Call::parse("click", &words).unwrap()
        };
        let shown = captions::show(&world.context, &said(&["click", "text=Save"]));
        assert!(shown.is_some());
        let begun = paint(&world, "blue").await;
        show(&world, 300).await;
        drop(shown);
        show(&world, 2500).await;
        let file = Call::parse("screenshot", &[]).unwrap();
        assert!(captions::show(&world.context, &file).is_none(), "a file is nothing that could be seen in the page");
        let saved = world.output("video", &["stop"]).await.unwrap();
        let at = (begun - number(&saved, "from")) / 1000.0;
        // A busy browser draws the page's colour late.
        let mut places = vec![(0.3, 4, 355), (at + 2.4, 4, 355)];
        places.extend((1..20).flat_map(|tenth| [4, 355].map(|y| (at + f64::from(tenth) / 10.0, 4, y))));
        let video = played(&world, &saved.files[0], &places).await;
        let colours = video["colours"].as_array().unwrap();
        assert!(is(&colours[0], RED), "before it: {video}");
        let has_bar = |pair: &[Value]| is(&pair[0], BLUE) && !is(&pair[1], BLUE) && !is(&pair[1], RED);
        assert!(colours[2..].chunks(2).any(has_bar), "a bar beneath the picture: {video}");
        assert!(is(&colours[1], BLUE), "and not for ever: {video}");
        let call = said(&["click", "text=Save"]);
        assert!(captions::show(&world.context, &call).is_none(), "nothing is recorded");
        world
    });
}

#[test]
fn two_tabs_are_recorded_at_once_and_each_video_is_of_its_own() {
    with_world(|world| async move {
        assert_eq!(world.fault("video", &["stop"]).await.code, FaultCode::NotFound);
        world.open_hidden("colours.html").await;
        let one = world.in_tab(world.context.browser.current_known().unwrap());
        world.open_hidden("colours.html").await;
        let two = world.in_tab(world.context.browser.current_known().unwrap());
        paint(&one, "red").await;
        paint(&two, "blue").await;
        one.run("video", &["start", "one.webm"]).await;
        assert_eq!(one.fault("video", &["start", "again.webm"]).await.code, FaultCode::Conflict);
        assert_eq!(two.fault("video", &["start", "one.webm"]).await.code, FaultCode::Conflict, "the same file");
        two.run("video", &["start", "two.webm", "--fps", "5"]).await;
        show(&one, 700).await;
        show(&two, 700).await;
        let (of_one, of_two) = tokio::join!(one.output("video", &["stop"]), two.output("video", &["stop"]));
        for (saved, colour) in [(of_one.unwrap(), RED), (of_two.unwrap(), BLUE)] {
            let video = played(&world, &saved.files[0], &[(0.5, 50, 50)]).await;
            assert!(is(&video["colours"][0], colour), "{video}");
            assert_eq!((number(&saved, "width"), number(&saved, "height")), {
                (video["width"].as_f64().unwrap(), video["height"].as_f64().unwrap())
            });
            assert!((video["duration"].as_f64().unwrap() - number(&saved, "seconds")).abs() < 0.1, "{video}");
        }
        for wrong in [
            &["begin"][..],
            &["stop", "x.webm"],
            &["stop", "--fps", "5"],
            &["start", "x.mp4"],
            &["start", "x.webm", "--size", "9x9"],
            &["start", "x.webm", "--fps", "0"],
            &["start", "x.webm", "--fps", "31"],
        ] {
            assert_eq!(one.fault("video", wrong).await.code, FaultCode::BadRequest, "{wrong:?}");
        }
        world
    });
}

#[test]
fn a_recording_whose_tab_or_browser_goes_is_saved_with_what_there_was() {
    with_world(|world| async move {
        world.open_hidden("colours.html").await;
        let tab = world.context.browser.current_known().unwrap();
        paint(&world, "red").await;
        world.run("video", &["start", "closed.webm"]).await;
        show(&world, 600).await;
        world.run("closetab", &[&tab.0.to_string()]).await;
        let saved = world.output("video", &["stop"]).await.unwrap();
        assert_eq!(saved.note.as_deref(), Some("… it ended before it was stopped: its tab was closed"));
        let video = played(&world, &saved.files[0], &[(0.2, 50, 50)]).await;
        assert!(is(&video["colours"][0], RED), "{video}");

        let mut other = World::start(None).await;
        other.context.recordings = world.context.recordings.clone();
        other.run("goto", &[&other.page("colours.html")]).await;
        paint(&other, "blue").await;
        other.run("video", &["start", "gone.webm"]).await;
        show(&other, 600).await;
        let folder = other.folder.clone();
        other.close_browser().await;
        let saved = world.output("video", &["stop"]).await.unwrap();
        assert_eq!(saved.note.as_deref(), Some("… it ended before it was stopped: its browser went away"));
        let video = played(&world, &saved.files[0], &[(0.2, 50, 50)]).await;
        assert!(is(&video["colours"][0], BLUE), "{video}");
        drop(folder);
        world
    });
}

#[test]
fn a_models_video_has_its_own_site_only_and_goes_nowhere_that_is_closed_to_it() {
    with_world(|world| async move {
        world.open_hidden("colours.html").await;
        let model = world.for_model();
        for closed in ["/etc/x.webm", ".x.webm"] {
            assert_eq!(model.fault("video", &["start", closed]).await.code, FaultCode::PathRefused, "{closed}");
        }
        let taken = world.context.cwd.clone().unwrap().join("taken.webm");
        std::fs::write(&taken, "the person's").unwrap();
        assert_eq!(model.fault("video", &["start", "taken.webm"]).await.code, FaultCode::PathRefused);
        world.run("video", &["start", "person.webm"]).await;
        assert_eq!(model.fault("video", &["stop"]).await.code, FaultCode::Forbidden);
        assert_eq!(model.fault("video", &["start", "model.webm"]).await.code, FaultCode::Conflict);
        world.run("video", &["stop"]).await;

        paint(&world, "red").await;
        model.run("video", &["start", "model.webm"]).await;
        show(&world, 600).await;
        let bank = world.page("colours.html").replace("127.0.0.1", "localhost");
        world.run("goto", &[&bank]).await;
        paint(&world, "blue").await;
        show(&world, 1000).await;
        world.run("goto", &[&world.page("colours.html")]).await;
        paint(&world, "rgb(0, 200, 0)").await;
        show(&world, 2500).await;
        // A file that has come into its place meanwhile stays as it is, and the recording waits.
        let place = world.context.cwd.clone().unwrap().join("model.webm");
        std::fs::write(&place, "the person's too").unwrap();
        assert_eq!(model.fault("video", &["stop"]).await.code, FaultCode::PathRefused);
        assert_eq!(std::fs::read_to_string(&place).unwrap(), "the person's too");
        std::fs::remove_file(&place).unwrap();
        let saved = model.output("video", &["stop"]).await.unwrap();
        assert_eq!(
            saved.note.as_deref(),
            Some("… not in it: what the tab showed of other sites or while a person used it")
        );
        let seconds = number(&saved, "seconds");
        let places: Vec<(f64, u32, u32)> =
            (0..).map(|step| f64::from(step) * 0.2).take_while(|at| *at < seconds).map(|at| (at, 50, 50)).collect();
        let video = played(&world, &saved.files[0], &places).await;
        let colours = video["colours"].as_array().unwrap();
        assert!(colours.iter().all(|colour| !is(colour, BLUE)), "the other site: {video}");
        assert!(is(&colours[0], RED) && is(&colours[colours.len() - 1], GREEN), "{video}");
        assert_eq!(std::fs::read_to_string(&taken).unwrap(), "the person's");
        world
    });
}

/// A code that a person enters is gone from the page once it was sent, and no command reads it later.
#[test]
fn a_models_video_leaves_out_what_a_person_does_in_the_tab() {
    with_world(|world| async move {
        world.open_hidden("colours.html").await;
        let browser = world.context.browser.clone();
        let page = browser.tab(browser.current_known().unwrap()).unwrap().info().unwrap().page.unwrap();
        let limit = Duration::from_secs(60);
        // A session that gstack does not know: its keys are not gstack's, and what it runs is no command.
        let attach = json!({"targetId": page, "flatten": true});
        let attached = browser.root().call_json("Target.attachToTarget", &attach, limit).await.unwrap();
        let person = browser.cdp().session(attached["sessionId"].as_str().unwrap().to_owned().into());
        person.call_json("Page.bringToFront", &json!({}), limit).await.unwrap();
        paint(&world, "red").await;
        let types = "globalThis.typed = new Promise((done) => {
            document.onpointerdown = () => {
              document.body.style.background = 'blue';
              setTimeout(() => { document.body.style.background = 'red'; setTimeout(done, 500); }, 1000);
            };
          }), 0";
        for for_model in [true, false] {
            let recorder = if for_model {
                world.for_model()
            } else {
                world.in_tab(world.context.browser.current_known().unwrap())
            };
            recorder.run("video", &["start"]).await;
            show(&world, 600).await;
            person.call_json("Runtime.evaluate", &json!({"expression": types}), limit).await.unwrap();
            for kind in ["mousePressed", "mouseReleased"] {
                let press = json!({"type": kind, "x": 300, "y": 200, "button": "left", "clickCount": 1});
                person.call_json("Input.dispatchMouseEvent", &press, limit).await.unwrap();
            }
            let wait = json!({"expression": "typed", "awaitPromise": true});
            person.call_json("Runtime.evaluate", &wait, limit).await.unwrap();
            paint(&world, "rgb(0, 200, 0)").await;
            show(&world, 2500).await;
            let saved = recorder.output("video", &["stop"]).await.unwrap();
            let left_out = "… not in it: what the tab showed of other sites or while a person used it";
            assert_eq!(saved.note.as_deref(), for_model.then_some(left_out));
            let seconds = number(&saved, "seconds");
            let places: Vec<(f64, u32, u32)> =
                (0..).map(|step| f64::from(step) * 0.2).take_while(|at| *at < seconds).map(|at| (at, 50, 50)).collect();
            let video = played(&world, &saved.files[0], &places).await;
            let colours = video["colours"].as_array().unwrap();
            assert_eq!(colours.iter().any(|colour| is(colour, BLUE)), !for_model, "{video}");
            assert!(is(&colours[0], RED) && is(&colours[colours.len() - 1], GREEN), "{video}");
            paint(&world, "red").await;
        }
        world
    });
}

#[test]
fn the_encoder_has_a_secure_document_and_leaves_no_tab_behind() {
    with_world(|world| async move {
        world.open_hidden("colours.html").await;
        paint(&world, "red").await;
        let jpeg = world.output("screenshot", &["--viewport", "first.jpg"]).await.unwrap().files.remove(0);
        let first = std::fs::read(jpeg).unwrap();
        let browser: &Browser = &world.context.browser;
        let tabs = browser.tabs().len();
        let encoder = Encoder::open(browser, &first, Some((321, 201)), 10).await.unwrap();
        assert_eq!((encoder.as_files, encoder.size), (false, (320, 200)), "WebCodecs, with even sides");
        let shot = |at, is_key| SentShot { at, is_key, words: "".into(), picture: None };
        let came = encoder.add(&[shot(0, true), shot(100, false), shot(4000, true)]).await.unwrap();
        let seen: Vec<(u64, bool)> = came.iter().map(|one| (one.at, one.is_key)).collect();
        assert_eq!(seen, [(0, true), (100, false), (4000, true)]);
        let broken = SentShot { at: 5000, is_key: false, words: "".into(), picture: Some("AAAA".to_owned()) };
        assert!(encoder.add(&[broken]).await.is_err());
        drop(encoder);
        tokio::time::timeout(Duration::from_secs(20), world.closed_down_to(tabs)).await.unwrap();
        world
    });
}
