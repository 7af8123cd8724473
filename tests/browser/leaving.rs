//! Actions that make a page navigate away or close: each succeeds, even if the page cannot confirm it any more.

use crate::long::usual_or_long;
use crate::world::{World, with_world};

/// Every action that can make a page leave, on a control of `leaving.html` that does so.
const ACTS: [&[&str]; 19] = [
    &["click", "#button"],
    &["dblclick", "#button"],
    &["tap", "#button"],
    &["select", "#select", "Next"],
    &["click", "#option"],
    &["fill", "#changed", "shoes"],
    &["fill", "#typed", "shoes"],
    &["fill", "#date", "2026-01-02"],
    &["clear", "#changed"],
    &["check", "#box"],
    &["type", "--into", "#typed", "shoes"],
    &["focus", "#focused"],
    &["hover", "#over"],
    &["scroll", "#scrolled", "--to", "bottom"],
    &["swipe", "up", "#pad"],
    &["drag", "#from", "#zone"],
    &["upload", "#file", "file.txt"],
    &["drop", "#zone", "file.txt"],
    &["press", "Enter"],
];

/// Performs one of `every` so many actions on a fresh `leaving.html`. `arrived`: where the page navigates; `None`: it closes its tab.
async fn do_each(world: &World, every: usize, query: &str, arrived: Option<&str>) {
    world.run("goto", &[&world.page("next.html")]).await;
    std::fs::write(world.context.cwd.clone().unwrap().join("file.txt"), "shoes").unwrap();
    let opener = world.in_tab(world.context.browser.tabs()[0].id);
    let mut own = opened(&opener, query).await;
    for act in ACTS.into_iter().step_by(every) {
        if act[0] == "press" {
            own.run("click", &["#field"]).await;
        }
        let said = own.run(act[0], &act[1..]).await;
        match arrived {
            Some(arrived) => {
                own.run("wait", &["--url", arrived]).await;
                own.run("goto", &[&world.page(&format!("leaving.html?{query}"))]).await;
            }
            None => {
                assert!(said.contains("closed"), "{act:?}: {said}");
                world.closed_down_to(1).await;
                own = opened(&opener, query).await;
            }
        }
    }
}

/// Opens `leaving.html` from another page: such a tab may close itself.
async fn opened(opener: &World, query: &str) -> World {
    opener.run("js", &[&format!("window.open('/leaving.html?{query}'); 1")]).await;
    opener.opened_up_to(2).await;
    let own = opener.in_tab(opener.context.browser.tabs().last().unwrap().id);
    own.run("wait", &["--load"]).await;
    own
}

#[test]
fn an_act_that_leaves_its_page_is_done() {
    with_world(|world| async move {
        let next = world.page("next.html").replace("127.0.0.1", "localhost");
        do_each(&world, 1, &format!("to={next}"), Some("**/next.html")).await;
        world
    });
}

/// The page cannot answer until the next one is ready to replace it.
#[test]
fn an_act_whose_page_is_gone_before_it_answers_is_done() {
    with_world(|world| async move {
        let query = format!("to={}&after=/asked&after=/slow", world.page("arrives"));
        do_each(&world, usual_or_long(3, 1), &query, Some("**/arrives")).await;
        world
    });
}

#[test]
fn an_act_that_closes_its_tab_is_done() {
    with_world(|world| async move {
        do_each(&world, usual_or_long(2, 1), "to=nowhere", None).await;
        world
    });
}
