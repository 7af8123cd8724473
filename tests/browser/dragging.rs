//! Drags that a page handles by itself: after a hold, by a timer, and with the mouse held by the client.

use crate::world::{World, with_world};

async fn order(world: &World, list: &str) -> String {
    world
        .run("js", &[&format!("[...document.querySelectorAll('#{list} li')].map((item) => item.textContent) + ''")])
        .await
}

#[test]
fn a_drag_lands_where_it_was_sent_also_after_a_hold_and_by_a_timer() {
    with_world(|world| async move {
        world.open_hidden("dragged.html").await;
        assert_eq!(world.run("drag", &["#s1", "#s3"]).await, "Dragged #s1 onto #s3", "found by itself");
        assert_eq!(order(&world, "sensed").await, "Two,One,Three");
        assert_eq!(world.run("drag", &["#s3", "#s2", "--hold", "300"]).await, "Dragged #s3 onto #s2");
        assert_eq!(order(&world, "sensed").await, "Three,Two,One");
        assert_eq!(world.run("drag", &["#l1", "#l3"]).await, "Dragged #l1 onto #l3");
        assert_eq!(order(&world, "looped").await, "Two,Three,One,Four");
        assert_eq!(world.run("drag", &["#l4", "#l2"]).await, "Dragged #l4 onto #l2");
        assert_eq!(order(&world, "looped").await, "Four,Two,Three,One");
        assert_eq!(world.run("drag", &["#p1", "#p3"]).await, "Dragged #p1 onto #p3");
        assert_eq!(world.run("drag", &["#p3", "#p2"]).await, "Dragged #p3 onto #p2");
        assert_eq!(order(&world, "passing").await, "Three,Two,One");
        let still = world.run("drag", &["#still", "#bin"]).await;
        assert_eq!(still, "Dragged #still onto #bin; nothing in the page moved");
        assert_eq!(world.run("drag", &["#still", "#closed"]).await, "Dragged #still onto #closed");
        assert_eq!(world.log().await.matches("put ").count(), 1, "once");
        assert_eq!(world.run("drag", &["#taken", "#bin"]).await, "Dragged #taken onto #bin");
        assert!(world.log().await.contains("dropped taken "));
        let refused = world.fault("drag", &["#taken", "#closed"]).await;
        assert!(refused.message.contains("the page does not accept the drop there"), "{refused:?}");
        world.run("js", &["log.textContent = ''"]).await;
        assert_eq!(world.run("drag", &["#canvas", "#b"]).await, "Dragged #canvas onto #b", "it may draw");
        assert_eq!(world.log().await.matches("down1canvas").count(), 1, "once");
        assert!(world.fault("drag", &["#a", "#b", "--hold", "60000"]).await.message.contains("at most 5000 ms"));
        world
    });
}

#[test]
fn a_held_button_stays_down_while_hovering_and_presses_where_the_pointer_is() {
    with_world(|world| async move {
        world.open_hidden("dragged.html").await;
        world.run("hover", &["#a"]).await;
        world.run("mouse", &["down"]).await;
        world.run("hover", &["#b"]).await;
        world.run("mouse", &["up"]).await;
        let log = world.log().await;
        let words: Vec<&str> = log.split_whitespace().collect();
        assert_eq!((words[0], words[1]), ("move0a", "down1a"), "{log}");
        assert!(words.contains(&"move1b") && words.last() == Some(&"up0b"), "{log}");
        world
    });
}
