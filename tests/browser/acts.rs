//! Input beyond a plain click: other buttons, modifiers, touch, held keys, the wheel, files, the clipboard.

use crate::world::{World, with_world};
use gstack_protocol::fault::FaultCode;

async fn opened(world: &World) {
    world.open_hidden("acts.html").await;
}

/// Returns what the page recorded since the last call.
async fn said(world: &World) -> String {
    world.run("js", &["const said = log.textContent; log.textContent = ''; said"]).await
}

#[test]
fn clicks_have_buttons_modifiers_and_a_position() {
    with_world(|world| async move {
        opened(&world).await;
        assert_eq!(world.run("dblclick", &["#plain"]).await, "Double-clicked #plain");
        assert_eq!(said(&world).await, "click;click;dblclick;");
        world.run("rightclick", &["#plain"]).await;
        assert_eq!(said(&world).await, "contextmenu;auxclick;");
        world.run("click", &["#plain", "--modifiers", "Shift,Control"]).await;
        assert_eq!(said(&world).await, "click+shift+ctrl;");
        world.run("click", &["#pad", "--position", "10,20"]).await;
        let position = said(&world).await;
        assert!(["pad 10,20;", "pad 9,19;"].contains(&position.as_str()), "{position}");
        let inner = world.fault("click", &["#pad", "--position", "190,10", "--timeout", "300"]).await;
        assert!(inner.message.contains("<button id=\"inner\"> “Inner”: name that element"), "{inner:?}");
        let outside = world.fault("click", &["#pad", "--position", "900,10"]).await;
        assert!(outside.message.contains("900,10 lies outside"), "{outside:?}");
        assert_eq!(said(&world).await, "", "nothing was clicked");
        world.run("click", &["#inner"]).await;
        said(&world).await;
        let moved = world.run("click", &["#moves"]).await;
        let why = "it got the press but no click: the page moved or covered it";
        assert_eq!((moved, said(&world).await), (format!("Clicked #moves; {why}"), String::new()));
        for wrong in [["--modifiers", "Foo"], ["--position", "a,b"], ["--modifiers", ""]] {
            let fault = world.fault("click", &["#plain", wrong[0], wrong[1]]).await;
            assert_eq!(fault.code, FaultCode::BadRequest, "{wrong:?}");
            assert!(fault.hint.unwrap().contains("Usage: gstack"), "{wrong:?}");
        }
        world
    });
}

#[test]
fn quiet_acts_print_nothing_and_keep_their_effects() {
    with_world(|world| async move {
        world.open_hidden("effects.html").await;
        let opened = world
            .output(
                "js",
                &["document.body.insertAdjacentHTML('beforeend', '<button id=x onclick=\"alert(1)\">x</button>')"],
            )
            .await;
        assert!(opened.is_ok());
        let quiet = world.output("click", &["#x", "--quiet"]).await.unwrap();
        assert_eq!((quiet.text.as_str(), quiet.effects.len()), ("", 1));
        assert!(world.run("click", &["#x"]).await.contains("alert \"1\""));
        world
    });
}

#[test]
fn checkboxes_are_brought_to_a_state() {
    with_world(|world| async move {
        opened(&world).await;
        for sel in ["#tick", "#styled", "#switch", "#one"] {
            assert_eq!(world.run("check", &[sel]).await, format!("Checked {sel}"));
            assert_eq!(world.run("check", &[sel]).await, format!("{sel} is checked already"));
        }
        assert_eq!(world.run("js", &["[tick.checked, styled.checked, one.checked] + ''"]).await, "true,true,true");
        assert_eq!(world.run("uncheck", &["#styled"]).await, "Unchecked #styled");
        assert_eq!(world.run("uncheck", &["#switch"]).await, "Unchecked #switch");
        for (command, sel, why) in [
            ("check", "#stubborn", "it was clicked and is still unchecked"),
            ("uncheck", "#one", "a radio button is unchecked by checking another one"),
            ("check", "#plain", "it is not a checkbox"),
        ] {
            let fault = world.fault(command, &[sel]).await;
            assert!(fault.code == FaultCode::Element && fault.message.contains(why), "{fault:?}");
        }
        world
    });
}

/// A page may write another text into the field after its keys.
async fn typed_text_is_read_back(world: &World) {
    let fields = "document.body.insertAdjacentHTML('afterbegin', `<input id=late><input id=upper><input id=cut maxlength=3 value=a>
        <input id=secret type=password maxlength=3><input id=number type=number><input id=negative type=number><input id=gone><input id=taken style='opacity: 0'>
        <div id=rich contenteditable>Some text</div><textarea id=lines></textarea>`);
        late.oninput = () => setTimeout(() => (late.value = 'mine'), 20);
        upper.oninput = () => (upper.value = upper.value.toUpperCase());
        gone.oninput = () => gone.value.length === 3 && gone.remove();
        taken.oninput = () => (taken.value = '');
        rich.oninput = () => rich.textContent.endsWith('!') && (rich.textContent = 'Refused'); 1";
    world.run("js", &[fields]).await;
    for (field, text, shown) in [
        ("late", "hello", "; the field shows \"mine\""),
        ("upper", "hello", "; the field shows \"HELLO\""),
        ("cut", "hello", "; the field shows \"ahe\""),
        ("number", "12.5", ""),
        ("negative", "-", "; the field is empty"),
        ("secret", "hello", "; the page changed the text"),
        ("gone", "hello", "; the page then removed the field"),
        // Some pages draw the text elsewhere.
        ("taken", "hello", ""),
        ("rich", " more", ""),
        ("rich", "Stop!", "; the field shows \"Refused\""),
        ("lines", "a\nb", ""),
    ] {
        let into = format!("#{field}");
        let typed = world.run("type", &["--into", &into, text]).await;
        assert_eq!(
            typed,
            format!("Typed {} characters into {into}{shown}", text.len())
                .replace("Typed 1 characters", "Typed 1 character")
        );
    }
    world.run("click", &["#late"]).await;
    assert_eq!(world.run("type", &["you"]).await, "Typed 3 characters; the field shows \"mine\"");
    world.run("click", &["#lines"]).await;
    assert_eq!(world.run("type", &["c"]).await, "Typed 1 character");
}

#[test]
fn fields_are_cleared_left_selected_and_typed_into() {
    with_world(|world| async move {
        opened(&world).await;
        assert_eq!(
            world.run("type", &["--into", "#field", "--delay", "1", " new"]).await,
            "Typed 4 characters into #field"
        );
        assert_eq!(world.run("js", &["field.value"]).await, "old new");
        let field = world.find("[textbox] \"Field\"").await;
        assert_eq!(world.run("type", &[&field, "er", "one"]).await, format!("Typed 6 characters into {field}"));
        assert_eq!(world.run("js", &["field.value"]).await, "old newer one");
        world.run("type", &[&format!("{field} as text")]).await;
        assert_eq!(world.run("js", &["field.value"]).await, format!("old newer one{field} as text"));
        said(&world).await;
        assert_eq!(world.run("blur", &[]).await, "Left <input id=\"field\" aria-label=\"Field\">");
        assert_eq!(said(&world).await, "blur;");
        assert_eq!(world.run("blur", &[]).await, "Nothing had the focus");
        assert_eq!(world.run("clear", &["#field"]).await, "Cleared #field");
        assert_eq!(world.run("js", &["field.value"]).await, "");
        assert_eq!(world.run("select-text", &["#words"]).await, "Selected 10 characters of #words");
        assert_eq!(world.run("js", &["getSelection() + ''"]).await, "Some words");
        world.run("select-text", &["#area"]).await;
        world.run("type", &["other"]).await;
        assert_eq!(world.run("js", &["area.value"]).await, "other");
        assert_eq!(world.run("focus", &["#field", "--background"]).await, "Focused #field");
        assert_eq!(world.run("js", &["document.activeElement.id"]).await, "field");
        let fault = world.fault("focus", &["#words", "--background"]).await;
        assert!(fault.message.contains("it does not take the focus"), "{fault:?}");
        assert_eq!(world.fault("type", &["--delay", "5000", "x"]).await.code, FaultCode::BadRequest);
        typed_text_is_read_back(&world).await;
        assert_eq!(world.fault("focus", &["--background"]).await.code, FaultCode::BadRequest);
        world
    });
}

#[test]
fn keys_are_held_and_repeated() {
    with_world(|world| async move {
        opened(&world).await;
        world.run("focus", &["#field", "--background"]).await;
        assert_eq!(world.run("keydown", &["Shift"]).await, "Holding Shift");
        world.run("click", &["#plain"]).await;
        assert_eq!(world.run("keyup", &["Shift"]).await, "Released Shift");
        assert_eq!(said(&world).await, "keydown Shift;blur;click+shift;");
        world.run("click", &["#plain"]).await;
        assert_eq!(said(&world).await, "click;");
        world.run("clear", &["#area"]).await;
        assert_eq!(world.run("press", &["x", "--repeat", "3"]).await, "Pressed a character 3 times");
        assert_eq!(world.run("js", &["area.value"]).await, "xxx");
        world.run("keydown", &["Shift"]).await;
        for key in ["a", "1"] {
            world.run("press", &[key]).await;
        }
        world.run("keydown", &["b"]).await;
        world.run("keyup", &["b"]).await;
        world.run("keyup", &["Shift"]).await;
        world.run("press", &["c"]).await;
        assert_eq!(world.run("js", &["area.value"]).await, "xxxA!Bc");
        assert_eq!(world.fault("press", &["x", "--repeat", "0"]).await.code, FaultCode::BadRequest);
        assert_eq!(world.fault("keydown", &["Shift+a"]).await.code, FaultCode::BadRequest);
        world
    });
}

#[test]
fn mouse_and_fingers_reach_what_lies_there() {
    with_world(|world| async move {
        opened(&world).await;
        let place = world
            .run("js", &["const b = zone.getBoundingClientRect(); `${Math.round(b.x + 20)} ${Math.round(b.y + 20)}`"])
            .await;
        let (x, y) = place.split_once(' ').unwrap();
        assert_eq!(world.run("mouse", &["move", x, y]).await, format!("Mouse at {x},{y}"));
        assert_eq!(world.run("mouse", &["down"]).await, "Mouse button down");
        world.run("mouse", &["up"]).await;
        assert_eq!(said(&world).await, "mousemove 0;mousedown 1;mouseup 0;");
        world.run("mouse", &["wheel", "40"]).await;
        world.run("wait", &["--fn", "log.textContent.includes('wheel')"]).await;
        assert_eq!(said(&world).await, "mousemove 0;wheel 0;", "the move says whether the page gets input");
        for wrong in [&["fly"][..], &["move", "1"], &["down", "nose"], &["move", "a", "b"]] {
            assert_eq!(world.fault("mouse", wrong).await.code, FaultCode::BadRequest, "{wrong:?}");
        }
        world.run("scroll", &["--to", "top"]).await;
        world.run("tap", &["#pad"]).await;
        let tapped = said(&world).await;
        assert!(tapped.starts_with("touchstart;touchend;") && tapped.contains("pad "), "{tapped}");
        assert_eq!(world.run("swipe", &["left", "#pad", "--by", "50"]).await, "Swiped left over #pad");
        let swiped = said(&world).await;
        assert!(swiped.starts_with("touchstart;touchmove;") && swiped.contains("touchend;"), "{swiped}");
        assert_eq!(world.fault("swipe", &["away"]).await.code, FaultCode::BadRequest);
        world
    });
}

#[test]
fn boxes_scroll_and_lists_are_followed_to_what_is_sought() {
    with_world(|world| async move {
        opened(&world).await;
        assert_eq!(world.run("scroll", &["#list", "--by", "0,50"]).await, "Scrolled by 0,50");
        assert_eq!(world.run("js", &["box.scrollTop + ' ' + scrollY"]).await, "50 0");
        assert_eq!(world.run("scroll", &["#box", "--to", "top"]).await, "Scrolled by 0,-50");
        let until = world.run("scroll", &["#box", "--until", "text=\"Row 77\""]).await;
        assert!(until.starts_with("Scrolled until text=\"Row 77\" was in view ("), "{until}");
        let fault = world.fault("scroll", &["#box", "--until", "text=\"Row 500\""]).await;
        assert!(fault.message.contains("did not come into view: the end was reached"), "{fault:?}");
        let rows: usize = world.run("js", &["rows"]).await.parse().unwrap();
        assert!(rows >= 100, "{rows}");
        assert!(world.run("scroll", &["top"]).await.starts_with("Scrolled by 0,"));
        assert_eq!(world.run("scroll", &["down"]).await, "Scrolled by 0,600");
        assert_eq!(world.run("scroll", &["up"]).await, "Scrolled by 0,-600");
        assert!(world.run("scroll", &["--by", "0,300"]).await.starts_with("Scrolled by 0,300"));
        assert_eq!(world.run("scroll", &["--to", "bottom"]).await.split(", ").nth(1), Some("to the end"));
        for wrong in [&["--by", "x"][..], &["--to", "moon"], &["--by", "0,1", "--to", "top"], &["--until", "div["]] {
            assert_eq!(world.fault("scroll", wrong).await.code, FaultCode::BadRequest, "{wrong:?}");
        }
        world
    });
}

#[test]
fn files_are_dropped_and_given_to_choosers() {
    with_world(|world| async move {
        opened(&world).await;
        let cwd = world.context.cwd.clone().unwrap();
        std::fs::write(cwd.join("a.txt"), "aaa").unwrap();
        std::fs::write(cwd.join("b.txt"), "bb").unwrap();
        assert_eq!(world.run("drop", &["#zone", "a.txt"]).await, "Dropped on #zone: a.txt (3B)");
        assert_eq!(
            world.run("js", &["new Promise((done) => setTimeout(() => done(log.textContent), 200))"]).await,
            "dropped a.txt aaa;"
        );
        let fault = world.fault("drop", &["#closed", "a.txt"]).await;
        assert!(fault.message.contains("does not accept files dropped there"), "{fault:?}");
        assert_eq!(world.run("url", &[]).await, world.page("acts.html"));
        said(&world).await;
        let asked = "Asked for files; nothing was chosen (upload gives it some)";
        world.run("focus", &["#ask"]).await;
        for (command, args) in [("click", "#ask"), ("press", "Enter")] {
            // On a busy machine the browser may report it after the act is over.
            while !world.run(command, &[args]).await.lines().any(|line| line == asked) {}
        }
        assert_eq!(said(&world).await, "");
        assert_eq!(world.run("upload", &["#ask", "a.txt", "b.txt"]).await, "Uploaded: a.txt (3B), b.txt (2B)");
        assert_eq!(said(&world).await, "chosen a.txt,b.txt;");
        let fault = world.fault("upload", &["#plain", "a.txt"]).await;
        assert!(fault.message.contains("does not open a file chooser"), "{fault:?}");
        assert_eq!(world.fault("drop", &["#zone", "/etc/passwd"]).await.code, FaultCode::PathRefused);
        world
    });
}

#[test]
fn the_clipboard_is_read_and_written_unseen() {
    with_world(|world| async move {
        opened(&world).await;
        world.run("js", &["for (const type of ['copy', 'paste']) addEventListener(type, () => say(type), true)"]).await;
        assert_eq!(world.run("clipboard", &["write", "two", "words"]).await, "9 characters on the clipboard");
        assert_eq!(world.run("clipboard", &["read"]).await, "two words");
        assert_eq!(said(&world).await, "");
        world.run("clear", &["#field"]).await;
        world.run("press", &["ControlOrMeta+v"]).await;
        assert_eq!(world.run("js", &["field.value"]).await, "two words");
        assert_eq!(world.fault("clipboard", &["write"]).await.code, FaultCode::BadRequest);
        assert_eq!(world.fault("clipboard", &["clear"]).await.code, FaultCode::BadRequest);
        world
    });
}

#[test]
fn a_wait_lets_other_commands_do_what_it_waits_for() {
    with_world(|world| async move {
        world.open_hidden("effects.html").await;
        let popup = world.run("wait", &["--popup"]);
        // The second command runs while the first one waits: `join` polls them in this order.
        let (waited, clicked) = tokio::join!(popup, world.run("click", &["#popup"]));
        assert!(waited.contains("Popup:") && clicked.starts_with("Clicked #popup"), "{waited}\n{clicked}");
        assert!(clicked.contains("tab"), "the click reports its own effects: {clicked}");
        world
    });
}

#[test]
fn a_list_that_grows_is_scrolled_to_what_comes_late() {
    with_world(|world| async move {
        world.open_hidden("growing.html").await;
        let found = world.run("scroll", &["--until", "text=\"Row 95\""]).await;
        assert!(found.starts_with("Scrolled until text=\"Row 95\" was in view ("), "{found}");
        assert_eq!(world.run("js", &["document.querySelectorAll('li').length"]).await, "100");
        let missing = world.fault("scroll", &["--until", "text=\"Row 500\""]).await;
        assert!(missing.message.contains("end"), "{missing:?}");
        world.run("js", &["observed(); 1"]).await;
        let found = world.run("scroll", &["--until", "text=\"Entry 95\""]).await;
        assert!(found.starts_with("Scrolled until text=\"Entry 95\" was in view ("), "{found}");
        for says in ["mark", "request"] {
            world.run("js", &[&format!("slowly('{says}'); 1")]).await;
            let found = world.run("scroll", &["--until", "text=\"Part 55\""]).await;
            assert!(found.starts_with("Scrolled until text=\"Part 55\" was in view ("), "{says}: {found}");
        }
        // Nothing tells of what comes.
        let missing = world.fault("scroll", &["--until", "text=\"Part 99\""]).await;
        assert!(missing.message.contains("the end was reached, and nothing more came within"), "{missing:?}");
        world.run("js", &["slowly('mark'); 1"]).await;
        let cut = world.fault("scroll", &["--until", "text=\"Part 55\"", "--timeout", "2200"]).await;
        assert!(cut.message.contains("s have passed, and the page is loading more"), "{cut:?}");
        // One that draws only what is in view is passed over step by step.
        world.run("js", &["virtual(); 1"]).await;
        let found = world.run("scroll", &["#window", "--until", "text=\"Item 777\""]).await;
        assert!(found.starts_with("Scrolled until text=\"Item 777\" was in view ("), "{found}");
        world
    });
}
