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

const DRAWN_BY_SCRIPT: &str = "
document.body.innerHTML = '<div id=text tabindex=0>old words</div><canvas id=drawn tabindex=0></canvas>' +
  '<div id=upper tabindex=0></div><div id=fixed tabindex=0>fixed</div><div id=away tabindex=0></div><input id=other>';
for (const [element, change] of [[text], [drawn], [upper, (words) => words.toUpperCase()], [fixed, () => 'fixed'], [away]]) {
  let words = element.textContent;
  element.editContext = new EditContext({ text: words });
  element.editContext.addEventListener('textupdate', ({ updateRangeStart, updateRangeEnd, text: typed }) => {
    words = (change ?? String)(words.slice(0, updateRangeStart) + typed + words.slice(updateRangeEnd));
    if (element !== drawn) element.textContent = words;
  });
}
away.onfocus = () => other.focus(); 0";

#[test]
fn an_element_with_an_edit_context_is_filled() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        world.run("js", &[DRAWN_BY_SCRIPT]).await;
        for words in ["first words", "second", ""] {
            assert_eq!(world.run("fill", &["#text", words]).await, "Filled #text");
            assert_eq!(world.run("js", &["text.textContent"]).await, words);
            world.run("fill", &["#drawn", words]).await;
            assert_eq!(world.run("js", &["drawn.editContext.text"]).await, words);
        }
        let changed = world.run("fill", &["#upper", "words"]).await;
        assert_eq!(changed, "Filled #upper; the page changed the text to \"WORDS\"");
        let fault = world.fault("fill", &["#fixed", "words"]).await;
        assert!(fault.message.ends_with("the page put its old text back: it holds “fixed”"), "{fault:?}");
        let fault = world.fault("fill", &["#away", "words"]).await;
        assert!(fault.message.contains("the page took the focus away"), "{fault:?}");
        assert_eq!(world.run("js", &["other.value"]).await, "");
        world
    });
}
