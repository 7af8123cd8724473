//! Saved sign-ins: filled in on their own origin, into password fields, and in no result afterwards.

use crate::world::{World, with_world};
use axum::Router;
use axum::response::Html;
use axum::routing::get;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use gstack_command::{SignInSecrets, SignInSource};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::secret_text::SecretText;
use gstack_protocol::sign_in::{SavedSignIn, SignInFields};
use serde_json::json;
use tokio::sync::Notify;

const PASSWORD: &str = "zK9!correct\"Horse&battery";
const CODE: &str = "730146";

/// A stand-in for the store: the name is the origin, after `moves:` with a page that moves between look and fill.
pub struct Saved;

/// The page is told to go when the password is asked for, which is after the look at its fields; the password comes when
/// the next page has been served.
static ASKED: Notify = Notify::const_new();
static LANDED: Notify = Notify::const_new();
const MOVES: &str = "moves:";

struct One(String);

impl SignInSource for Saved {
    fn list(&self) -> BoxFuture<'_, Result<Vec<SavedSignIn>, Fault>> {
        async { Ok(vec![One("https://shop.example".to_owned()).described()]) }.boxed()
    }

    fn find<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Box<dyn SignInSecrets>, Fault>> {
        async move { Ok(Box::new(One(name.to_owned())) as Box<dyn SignInSecrets>) }.boxed()
    }
}

impl SignInSecrets for One {
    fn described(&self) -> SavedSignIn {
        let (name, origin) = (self.0.clone(), self.0.trim_start_matches(MOVES).to_owned());
        SavedSignIn { name, origin, user: "ada.lovelace".to_owned(), provider: None, totp: true }
    }

    fn fields(&self) -> SignInFields {
        SignInFields::default()
    }

    fn password(&self) -> BoxFuture<'_, Result<SecretText, Fault>> {
        async {
            if self.0.starts_with(MOVES) {
                ASKED.notify_one();
                LANDED.notified().await;
            }
            Ok(SecretText::new(PASSWORD.to_owned()))
        }
        .boxed()
    }

    fn code(&self) -> BoxFuture<'_, Result<Option<SecretText>, Fault>> {
        async { Ok(Some(SecretText::new(CODE.to_owned()))) }.boxed()
    }
}

const FORM: &str = "<form id=f action=/done><input name=q type=search><input name=user><input name=pw type=password>
    <button>Sign in</button></form>";
/// Keeps the form and shows everything that it knows.
const NOISY: &str = "<script>
    const pw = document.querySelector('[name=pw]');
    pw.addEventListener('change', () => {
      const value = pw.value;
      pw.type = 'text';
      pw.setAttribute('value', value);
      document.title = value;
      localStorage.setItem('kept', value);
      document.body.append(Object.assign(document.createElement('p'), { id: 'told', textContent: 'it is ' + value }));
      console.error('typed ' + value);
      fetch('/echo', { method: 'POST', body: JSON.stringify({ value }) });
    });</script>";

async fn serve() -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let page = |body: String| {
        get(move || async move { Html(format!("<title>Page</title><link rel=icon href=data:,>{body}")) })
    };
    let foreign = format!("<iframe src='http://localhost:{port}/login'></iframe>");
    let twice = format!("{FORM}<form><input name=other type=password></form>");
    let elsewhere = FORM.replace("/done", &format!("http://localhost:{port}/done"));
    let clobbered = elsewhere.replace("name=q", "name=action");
    let stolen = FORM.replace("name=pw", "name=pw onfocus=\"this.type='text'\"");
    let image = FORM
        .replace("<button>", &format!("<input type=image alt=go formaction='http://localhost:{port}/done'><button>"));
    let owner = FORM.replace("name=pw", "name=pw form=g")
        + &format!("<form id=g action='http://localhost:{port}/done'></form>");
    // Each is one that a person does not see.
    let hidden = "<div hidden><input type=password name=h1 autocomplete=current-password></div>
        <input type=password name=h2 style='display:none'><input type=password name=h3 style='visibility:hidden'>
        <input type=password name=h4 disabled><input type=password name=h5 readonly>
        <input type=hidden name=h6 autocomplete=current-password>";
    let landed = format!("{FORM}<script>fetch('/seen')</script>");
    let to = format!("http://localhost:{port}/landed");
    let go = format!("fetch('/go').then(() => {{ location.href = '{to}'; }})");
    let frame_goes = format!("fetch('/go').then(() => {{ inner.src = '{to}'; }})");
    let router = Router::new()
        .route("/login", page(FORM.to_owned()))
        .route("/noisy", page(format!("{FORM}{NOISY}")))
        .route(
            "/first",
            page("<form action=/second><label>Email <input></label><button>Next</button></form>".to_owned()),
        )
        .route(
            "/second",
            page(
                "<form action=/third><input type=password autocomplete=current-password><button>Next</button></form>"
                    .to_owned(),
            ),
        )
        .route(
            "/third",
            page("<form action=/done><input autocomplete=one-time-code><button>Next</button></form>".to_owned()),
        )
        .route("/strict", page("<form action=/done><input type=email></form>".to_owned()))
        .route("/own-frame", page("<iframe src=/login></iframe>".to_owned()))
        .route("/foreign-frame", page(foreign))
        .route("/sandboxed", page("<iframe sandbox='allow-scripts allow-forms' src=/login></iframe>".to_owned()))
        .route("/twice", page(twice))
        .route("/elsewhere", page(elsewhere))
        .route("/clobbered", page(clobbered))
        .route("/stolen", page(stolen))
        .route("/image", page(image))
        .route("/base", page(format!("<base href='http://localhost:{port}/'>{}", FORM.replace("/done", "done"))))
        .route(
            "/foreign-button",
            page(format!("{FORM}<button form=f formaction='http://localhost:{port}/done'>x</button>")),
        )
        .route("/foreign-owner", page(owner))
        .route("/hidden-twice", page(format!("{hidden}{FORM}{hidden}")))
        .route("/moves", page(format!("{FORM}<script>{go}</script>")))
        .route("/frame-moves", page(format!("<iframe id=inner src=/login></iframe><script>{frame_goes}</script>")))
        .route("/go", get(|| ASKED.notified()))
        .route("/landed", get(move || async move { Html(format!("<title>Landed</title>{landed}")) }))
        .route("/seen", get(|| async { LANDED.notify_one() }))
        .route("/echo", axum::routing::post(|body: String| async move { body }))
        .route("/done", page("Done".to_owned()));
    tokio::spawn(async move { axum::serve(listener, router).await });
    port
}

async fn value(world: &World, selector: &str) -> bool {
    let is_it = format!("document.querySelector('{selector}').value.length");
    world.run("js", &[&is_it]).await == PASSWORD.len().to_string()
}

#[test]
fn a_sign_in_is_filled_in_and_submitted_only_if_wanted() {
    with_world(|world| async move {
        let port = serve().await;
        let origin = format!("http://127.0.0.1:{port}");
        world.run("goto", &[&format!("{origin}/login")]).await;
        let output = world.output("sign-in", &[&origin]).await.unwrap();
        assert_eq!(output.data, Some(json!({ "filled": ["user", "password"], "submitted": false })));
        assert_eq!(world.run("js", &["document.querySelector('[name=user]').value"]).await, "ada.lovelace");
        assert_eq!(world.run("js", &["document.querySelector('[name=q]').value"]).await, "");
        assert!(value(&world, "[name=pw]").await);
        assert!(world.run("url", &[]).await.ends_with("/login"), "it does not submit by itself");
        let output = world.output("sign-in", &[&origin, "--submit"]).await.unwrap();
        assert_eq!(output.data, Some(json!({ "filled": ["user", "password"], "submitted": true })));
        world.run("wait", &["--url", "**/done**"]).await;
        assert!(!world.run("url", &[]).await.contains("Horse"), "the address of a form that sends by GET is redacted");
        world.run("goto", &[&format!("{origin}/first")]).await;
        for (filled, next) in [("user", "second"), ("password", "third"), ("code", "done")] {
            let output = world.output("sign-in", &[&origin, "--submit"]).await.unwrap();
            assert_eq!(output.data, Some(json!({ "filled": [filled], "submitted": true })));
            world.run("wait", &["--url", &format!("**/{next}**")]).await;
        }
        world.run("goto", &[&format!("{origin}/strict")]).await;
        let output = world.output("sign-in", &[&origin, "--submit"]).await.unwrap();
        assert_eq!(output.data, Some(json!({ "filled": ["user"], "submitted": false })), "no valid email address");
        world.run("goto", &[&format!("{origin}/done")]).await;
        let fault = world.fault("sign-in", &[&origin]).await;
        assert_eq!(fault.code, FaultCode::Element);
        world.run("goto", &[&format!("{origin}/own-frame")]).await;
        world.run("wait", &["--networkidle"]).await;
        let output = world.output("sign-in", &[&origin]).await.unwrap();
        assert_eq!(output.data, Some(json!({ "filled": ["user", "password"], "submitted": false })));
        world
    });
}

#[test]
fn nothing_is_filled_in_anywhere_else() {
    with_world(|world| async move {
        let (port, other) = (serve().await, serve().await);
        let origin = format!("http://127.0.0.1:{port}");
        let lengths =
            "Array.from(document.querySelectorAll('input'), (input) => input.value.length).reduce((a, b) => a + b, 0)";
        for (page, code) in [
            (format!("http://localhost:{port}/login"), FaultCode::Forbidden),
            (format!("http://127.0.0.1:{other}/login"), FaultCode::Forbidden),
            (format!("{origin}/foreign-frame"), FaultCode::Element),
            (format!("{origin}/sandboxed"), FaultCode::Element),
            (format!("{origin}/twice"), FaultCode::Element),
            (format!("{origin}/elsewhere"), FaultCode::Forbidden),
            (format!("{origin}/clobbered"), FaultCode::Forbidden),
            (format!("{origin}/image"), FaultCode::Forbidden),
            (format!("{origin}/base"), FaultCode::Forbidden),
            (format!("{origin}/foreign-button"), FaultCode::Forbidden),
            (format!("{origin}/foreign-owner"), FaultCode::Forbidden),
            ("about:blank".to_owned(), FaultCode::Forbidden),
        ] {
            world.run("goto", &[&page]).await;
            world.run("wait", &["--networkidle"]).await;
            let fault = world.fault("sign-in", &[&origin]).await;
            assert_eq!(fault.code, code, "{page}: {fault:?}");
            assert_eq!(world.run("js", &[lengths]).await, "0", "{page}");
        }
        // The page makes it a text field when it gets the focus: the type counts at the moment of the value.
        world.run("goto", &[&format!("{origin}/stolen")]).await;
        assert_eq!(world.fault("sign-in", &[&origin]).await.code, FaultCode::Element);
        assert_eq!(world.run("js", &["document.querySelector('[name=pw]').value"]).await, "");
        // The origin is around it, but it is not the page's own.
        world.run("goto", &[&format!("http://localhost:{port}/foreign-frame")]).await;
        assert_eq!(world.fault("sign-in", &[&origin]).await.code, FaultCode::Forbidden);
        world
    });
}

#[test]
fn a_page_or_frame_that_moves_between_the_look_and_the_value_gets_nothing() {
    with_world(|world| async move {
        let port = serve().await;
        let origin = format!("http://127.0.0.1:{port}");
        let name = format!("{MOVES}{origin}");
        let length = "document.querySelector('[name=pw]').value.length";
        world.run("goto", &[&format!("{origin}/moves")]).await;
        let fault = world.fault("sign-in", &[&name]).await;
        assert!(!format!("{fault:?}").contains("Horse"), "{fault:?}");
        world.run("wait", &["--url", "**/landed"]).await;
        assert!(world.run("url", &[]).await.contains("localhost"), "the page did move");
        assert_eq!(world.run("js", &[length]).await, "0");
        world.run("goto", &[&format!("{origin}/frame-moves")]).await;
        world.run("wait", &["--fn", "inner.contentDocument?.querySelector('[name=pw]') != null"]).await;
        let fault = world.fault("sign-in", &[&name]).await;
        assert_eq!(fault.code, FaultCode::Element, "{fault:?}");
        world.run("frame", &["--url", "landed"]).await;
        assert_eq!(world.run("js", &[length]).await, "0", "the frame is of another origin now");
        world
    });
}

#[test]
fn fields_that_a_person_does_not_see_get_nothing() {
    with_world(|world| async move {
        let port = serve().await;
        let origin = format!("http://127.0.0.1:{port}");
        world.run("goto", &[&format!("{origin}/hidden-twice")]).await;
        let output = world.output("sign-in", &[&origin]).await.unwrap();
        assert_eq!(output.data, Some(json!({ "filled": ["user", "password"], "submitted": false })));
        assert!(value(&world, "[name=pw]").await);
        let others = "Array.from(document.querySelectorAll('[name^=h]'), (one) => one.value).join('').length";
        assert_eq!(world.run("js", &[others]).await, "0");
        world
    });
}

#[test]
fn a_picture_of_a_field_that_the_page_makes_a_text_field_shows_dots() {
    with_world(|world| async move {
        let port = serve().await;
        let origin = format!("http://127.0.0.1:{port}");
        world.run("goto", &[&format!("{origin}/noisy")]).await;
        world.run("sign-in", &[&origin]).await;
        world.run("wait", &["#told"]).await;
        let mut pictures = Vec::new();
        for text in ["", &"i".repeat(PASSWORD.len()), &"W".repeat(PASSWORD.len())] {
            if !text.is_empty() {
                world.run("js", &[&format!("document.querySelector('[name=pw]').value = '{text}'")]).await;
            }
            world.run("blur", &[]).await;
            let path = world.folder.path().join(format!("cwd/picture{}.png", pictures.len()));
            world.run("screenshot", &["--element", "[name=pw]", path.to_str().unwrap()]).await;
            pictures.push(std::fs::read(path).unwrap());
        }
        assert!(
            pictures[0] == pictures[1] && pictures[1] == pictures[2],
            "any other text of its length looks the same"
        );
        world.run("js", &["document.querySelector('[name=pw]').value = 'i'"]).await;
        let path = world.folder.path().join("cwd/shorter.png");
        world.run("screenshot", &["--element", "[name=pw]", path.to_str().unwrap()]).await;
        assert!(std::fs::read(path).unwrap() != pictures[0], "the picture is of the field");
        world
    });
}

#[test]
fn no_result_shows_what_was_filled_in() {
    with_world(|world| async move {
        let port = serve().await;
        let origin = format!("http://127.0.0.1:{port}");
        world.run("goto", &[&format!("{origin}/noisy")]).await;
        world.run("har", &["start"]).await;
        let mut told = world.run("sign-in", &[&origin]).await;
        world.run("wait", &["#told"]).await;
        world.run("wait", &["--networkidle"]).await;
        for (name, args) in [
            ("text", &[][..]),
            ("html", &[]),
            ("snapshot", &[]),
            ("fields", &[]),
            ("forms", &[]),
            ("value", &["[name=pw]"]),
            ("attrs", &["[name=pw]"]),
            ("console", &[]),
            ("storage", &[]),
            ("tabs", &[]),
            ("js", &["document.querySelector('[name=pw]').value"]),
            ("js", &["btoa('ada:' + document.querySelector('[name=pw]').value)"]),
            ("js", &["encodeURIComponent(document.querySelector('[name=pw]').value)"]),
            ("js", &["({ [document.title]: [document.title] })"]),
            ("js", &["[...document.title].reverse().join('')"]),
            ("network", &[]),
            ("network", &["show", "1"]),
        ] {
            for world in [&world, &world.for_model()] {
                told.push_str(&match world.output(name, args).await {
                    Ok(output) => format!("\n{name}: {} {:?}", output.text, output.data),
                    Err(fault) => format!("\n{name}: {fault:?}"),
                });
            }
        }
        let file = world.folder.path().join("cwd/all.har");
        world.run("har", &["stop", file.to_str().unwrap()]).await;
        told.push_str(&std::fs::read_to_string(&file).unwrap());
        for part in ["Horse", "esroH", "SG9yc2", "hvcnNl", "b3JzZ"] {
            assert!(!told.contains(part), "{part}: {told}");
        }
        assert!(told.contains("it is [redacted]"), "the page did show it: {told}");
        // Dots, although the page made it a text field.
        let style = "getComputedStyle(document.querySelector('[name=pw]')).webkitTextSecurity";
        assert_eq!(world.run("js", &[style]).await, "disc");
        let model = world.for_model();
        let listed = model.output("sign-ins", &[]).await.unwrap();
        assert!(!listed.text.contains("ada"), "the user of another origin: {}", listed.text);
        world
    });
}
