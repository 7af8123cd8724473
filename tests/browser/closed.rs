//! Closed shadow roots are part of the page as a person sees it.

use crate::world::with_world;

const PAGE: &str = "
customElements.define('x-inner', class extends HTMLElement {
  constructor() {
    super();
    this.attachShadow({ mode: 'closed' }).innerHTML = '<button>Deep button</button>';
  }
});
customElements.define('x-outer', class extends HTMLElement {
  constructor() {
    super();
    const root = this.attachShadow({ mode: 'closed' });
    root.innerHTML = '<label>Hidden field <input></label><slot></slot><x-inner></x-inner>';
    root.querySelector('input').oninput = (event) => { document.title = event.target.value; };
    root.querySelector('x-inner').onclick = (event) => { document.title = `clicked ${event.isTrusted}`; };
  }
});
document.body.innerHTML = '<x-outer><b>slotted words</b></x-outer><div id=plain style=\"height:20px\"></div>';
plain.attachShadow({ mode: 'closed' }).innerHTML = '<a href=\"/next.html\">Plain host</a>'; 0";

#[test]
fn what_lies_in_closed_shadow_roots_is_listed_and_can_be_used() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        world.run("js", &[PAGE]).await;
        // Without a snapshot.
        world.run("fill", &["label=Hidden field", "by label"]).await;
        assert_eq!(world.run("js", &["document.title"]).await, "by label");
        world.run("js", &[&PAGE.replace("customElements.define", "void ")]).await;
        let snapshot = world.run("snapshot", &[]).await;
        for line in ["[textbox] \"Hidden field\"", "slotted words", "[button] \"Deep button\"", "[link] \"Plain host\""]
        {
            assert!(snapshot.contains(line), "{line} in {snapshot}");
        }
        let field = world.find("Hidden field").await;
        world.run("fill", &[&field, "typed"]).await;
        assert_eq!(world.run("js", &["document.title"]).await, "typed");
        let button = world.find("Deep button").await;
        world.run("click", &[&button]).await;
        assert_eq!(world.run("js", &["document.title"]).await, "clicked true");
        // The page's own scripts still cannot see inside.
        assert_eq!(world.run("js", &["document.querySelector('x-outer').shadowRoot"]).await, "null");
        world
    });
}

const FRAME: &str = r#"document.body.innerHTML = `<iframe srcdoc="<div id=h></div><script>h.attachShadow({ mode: 'closed' })
    .innerHTML = '<label>City <input></label>'<\/script>"></iframe>`; 0"#;

#[test]
fn a_selector_leads_into_a_closed_root_that_no_snapshot_has_shown() {
    with_world(|world| async move {
        world.open_hidden("next.html").await;
        world.run("js", &[PAGE]).await;
        assert_eq!(world.run("count", &["label=Hidden field"]).await, "1");
        world.run("goto", &[&world.page("next.html")]).await;
        world.run("js", &[FRAME]).await;
        world.run("fill", &["label=City", "Rome"]).await;
        assert!(world.run("value", &["label=City"]).await.contains("Rome"));
        let late = "setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<section id=late></section>') ||
            late.attachShadow({ mode: 'closed' }).append(Object.assign(document.createElement('button'), { textContent: 'Late' })), 700); 0";
        world.run("js", &[late]).await;
        world.run("click", &["text=Late"]).await;
        world
    });
}
