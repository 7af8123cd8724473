//! Lists and fields that libraries draw: `select` opens, types, scrolls and clicks as a person does, and what is not shown
//! afterwards is not said to be selected.

use crate::world::with_world;

#[test]
fn an_option_is_chosen_however_its_list_is_drawn() {
    with_world(|world| async move {
        world.open_hidden("drawn_lists.html").await;
        for (field, option, shown) in [
            ("#long", "Item 250", "document.getElementById('long-shown').textContent"),
            ("#long", "Item 3", "document.getElementById('long-shown').textContent"),
            ("#late", "Bern", "late.value"),
            ("#through", "Tuna", "document.getElementById('through-shown').textContent"),
            ("#through", "Ham", "document.getElementById('through-shown').textContent"),
            ("#follows", "Blue", "document.getElementById('follows-shown').textContent"),
        ] {
            let said = world.run("select", &[field, option]).await;
            assert_eq!(said, format!("Selected \"{option}\" in {field}"));
            assert_eq!(world.run("js", &[shown]).await, option, "{field}");
        }
        let none = world.fault("select", &["#late", "Paris"]).await.message;
        assert!(none.contains("no option with the name \"Paris\" appeared after it was typed"), "{none}");
        assert_eq!(world.run("js", &["late.value"]).await, "Bern", "what it held before");
        let none = world.fault("select", &["#long", "Item 900"]).await.message;
        assert!(none.contains("no option with the name \"Item 900\" appeared"), "{none}");
        let unseen = world.fault("select", &["#deaf", "Blue"]).await.message;
        assert!(unseen.contains("the list that the page shows in its place does not follow"), "{unseen}");
        let twice = world.fault("select", &["role=combobox[name=\"Twice\"]", "Same"]).await.message;
        assert!(twice.contains("it shows 2 options with the name \"Same\""), "{twice}");
        let suggests = world.fault("select", &["#suggests", "One"]).await.message;
        assert!(suggests.contains("its list only suggests texts: use fill"), "{suggests}");
        world
    });
}

#[test]
fn what_the_page_has_turned_off_is_not_called_clipped_and_a_partly_checked_box_is_checked() {
    with_world(|world| async move {
        world.open_hidden("drawn_lists.html").await;
        let off = world.fault("click", &["#off", "--timeout", "300"]).await.message;
        assert!(off.ends_with("the page has turned it off (inert)"), "{off}");
        assert_eq!(world.run("check", &["#partly"]).await, "Checked #partly");
        assert_eq!(world.run("js", &["partly.ariaChecked"]).await, "true");
        world
    });
}

#[test]
fn a_mask_that_mixes_up_a_text_gets_it_by_keys() {
    with_world(|world| async move {
        world.open_hidden("drawn_lists.html").await;
        assert_eq!(world.run("fill", &["#mask", "12/34"]).await, "Filled #mask");
        assert_eq!(world.run("fill", &["#mask", "56/78"]).await, "Filled #mask");
        assert_eq!(world.run("js", &["mask.value"]).await, "56/78");
        assert_eq!(world.run("fill", &["#cut", "9"]).await, "Filled #cut; the page changed the text to \"5\"");
        world
    });
}

#[test]
fn a_root_that_listens_to_everything_is_no_control() {
    with_world(|world| async move {
        world.open_hidden("drawn_lists.html").await;
        let snapshot = world.run("snapshot", &["-i"]).await;
        assert!(!snapshot.contains("\"Words\""), "{snapshot}");
        world
    });
}
