//! What is said about a field or a list is what it holds after the page had its turn.

use crate::world::with_world;
use gstack_protocol::fault::FaultCode;

#[test]
fn filled_means_that_the_field_holds_it() {
    with_world(|world| async move {
        world.open_hidden("fields.html").await;
        for (field, value) in
            [("#kept", "2026-01-02"), ("#redrawn", "2026-03-04"), ("#late", "#00ff00"), ("#range", "7")]
        {
            assert_eq!(world.run("fill", &[field, value]).await, format!("Filled {field}"));
            assert_eq!(world.run("js", &[&format!("document.querySelector('{field}').value")]).await, value);
        }
        assert_eq!(world.run("js", &["state.day + state.colour"]).await, "2026-03-04#00ff00", "the page knows it too");
        for (field, why) in [
            ("#refuses", "the page refused the text: it is empty"),
            ("#locked", "the page refused the text: it is empty"),
            ("#clears", "the page cleared it: it is empty"),
            ("#clears-late", "the page cleared it: it is empty"),
            ("#back", "the page put its old text back: it holds “old”"),
        ] {
            let fault = world.fault("fill", &[field, "hello"]).await;
            assert!(fault.code == FaultCode::Element && fault.message.contains(why), "{field}: {fault:?}");
        }
        let fault = world.fault("fill", &["#pick", "b"]).await;
        assert!(fault.message.ends_with("aria-label=\"Pick\">: it is a <select>: use select"), "at once: {fault:?}");
        let fault = world.fault("clear", &["#back"]).await;
        assert!(fault.message.contains("it holds “old”"), "{fault:?}");
        for (field, value, shows) in [
            ("#upper", "hello", "HELLO"),
            ("#short", "abcdef", "abc"),
            ("#card", "4242424242424242", "4242 4242 4242 4242"),
        ] {
            let said = world.run("fill", &[field, value]).await;
            assert_eq!(said, format!("Filled {field}; the page changed the text to \"{shows}\""));
        }
        assert_eq!(
            world.run("fill", &["#upper", "hello"]).await,
            "Filled #upper; the page changed the text to \"HELLO\""
        );
        let shown = world.for_model().run("fill", &["#upper", "two"]).await;
        assert!(shown.contains("[UNTRUSTED TEXT") && shown.contains("\nTWO\n"), "{shown}");
        let secret = world.run("fill", &["#pin", "98765"]).await;
        assert_eq!(secret, "Filled #pin; the page changed the text", "a password is never told");
        // A change that the page makes later is told once, with the next act.
        assert_eq!(world.run("fill", &["#phone", "123456"]).await, "Filled #phone");
        world.run("wait", &["--fn", "phone.value.includes('-')"]).await;
        let next = world.run("fill", &["#short", "abc"]).await;
        let late =
            "Since it was filled, the page changed <input id=\"phone\" aria-label=\"Phone\">: it shows “123-456”";
        assert_eq!(next, format!("Filled #short\n{late}"));
        assert_eq!(world.run("fill", &["#short", "abd"]).await, "Filled #short");
        assert_eq!(world.run("check", &["#terms"]).await, "Checked #terms");
        world.run("wait", &["--fn", "!terms.checked"]).await;
        let next = world.run("select", &["#size", "Large"]).await;
        let late = "Since it was set, the page changed <input id=\"terms\" type=\"checkbox\" aria-label=\"Terms\">: it is not checked";
        assert_eq!(next, format!("Selected \"Large\" in #size\n{late}"));
        world.run("wait", &["--fn", "size.value === 'Small'"]).await;
        let next = world.run("fill", &["#unfocused", "words"]).await;
        let late = "Since it was set, the page changed <select id=\"size\" aria-label=\"Size\">: it shows “Small”";
        assert_eq!(next, format!("Filled #unfocused\n{late}"));
        assert_eq!(world.run("js", &["unfocused.value"]).await, "words", "what has no focus can hold a text");
        let removed = world.run("fill", &["#removed", "x"]).await;
        assert_eq!(removed, "Filled #removed; the page then removed the field");
        let fault = world.fault("select", &["#pick", "Beta"]).await;
        assert!(fault.message.contains("the page refused the choice: “Alpha” is selected"), "{fault:?}");
        let wrong = world.fault("fill", &["#kept", "soon"]).await;
        assert!(wrong.message.contains("does not take “soon”"), "{wrong:?}");
        assert_eq!(world.run("js", &["kept.value"]).await, "2026-01-02");
        world
    });
}
