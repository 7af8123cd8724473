//! Markdown to HTML that is safe to show: nothing of the source becomes a tag, a script or a request by itself.
//!
//! Raw HTML is shown as text, links lead to `http`, `https` and `mailto` only, images are links. Pure.

use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};
use url::Url;

/// Deeper nesting is flattened: browsers cut it off at a few hundred, and no answer needs it.
const DEEPEST: usize = 64;
/// The longest link target that is shown beside its text when it can't be a link.
const LONGEST_SHOWN: usize = 200;

/// One block of Markdown as HTML.
pub fn render(markdown: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut safe = Safe::default();
    let mut events = Vec::new();
    for event in Parser::new_ext(markdown, options) {
        safe.take(event, &mut events);
    }
    let mut output = String::with_capacity(markdown.len() * 3 / 2);
    html::push_html(&mut output, events.into_iter());
    output
}

/// What an opened tag of the source became, to close it alike.
enum Opened {
    /// It was passed on, or its end is this.
    Closes(TagEnd),
    /// It was left out; this text stands at its end.
    Text(String),
}

#[derive(Default)]
struct Safe {
    open: Vec<Opened>,
    /// Inside a link: there are no links in links.
    in_link: bool,
}

impl Safe {
    fn take<'a>(&mut self, event: Event<'a>, out: &mut Vec<Event<'a>>) {
        match event {
            Event::Start(tag) => {
                let opened = self.start(tag, out);
                self.open.push(opened);
            }
            Event::End(_) => match self.open.pop() {
                Some(Opened::Closes(end)) => {
                    self.in_link &= end != TagEnd::Link;
                    out.push(Event::End(end));
                }
                Some(Opened::Text(text)) if !text.is_empty() => out.push(Event::Text(text.into())),
                Some(Opened::Text(_)) | None => {}
            },
            Event::Html(text) | Event::InlineHtml(text) => out.push(Event::Text(text)),
            other => out.push(other),
        }
    }

    fn start<'a>(&mut self, tag: Tag<'a>, out: &mut Vec<Event<'a>>) -> Opened {
        if self.open.len() >= DEEPEST {
            return Opened::Text(String::new());
        }
        match tag {
            Tag::HtmlBlock => {
                out.push(Event::Start(Tag::Paragraph));
                Opened::Closes(TagEnd::Paragraph)
            }
            Tag::Link { link_type, dest_url, title, .. } => self.link(link_type, &dest_url, title, out),
            Tag::Image { link_type, dest_url, title, .. } => self.link(link_type, &dest_url, title, out),
            tag => {
                let end = tag.to_end();
                out.push(Event::Start(tag));
                Opened::Closes(end)
            }
        }
    }

    fn link<'a>(&mut self, kind: LinkType, target: &str, title: CowStr<'a>, out: &mut Vec<Event<'a>>) -> Opened {
        if self.in_link {
            return Opened::Text(String::new());
        }
        let allowed = if kind == LinkType::Email { allowed(&format!("mailto:{target}")) } else { allowed(target) };
        let Some(dest_url) = allowed else {
            let shown = !target.is_empty() && target.len() <= LONGEST_SHOWN && kind == LinkType::Inline;
            return Opened::Text(if shown { format!(" ({target})") } else { String::new() });
        };
        self.in_link = true;
        let (dest_url, id) = (dest_url.into(), CowStr::Borrowed(""));
        out.push(Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url, title, id }));
        Opened::Closes(TagEnd::Link)
    }
}

/// The address as a browser will understand it, where it is one that a link may lead to.
fn allowed(target: &str) -> Option<String> {
    let url = Url::parse(target).ok()?;
    matches!(url.scheme(), "http" | "https" | "mailto").then(|| url.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_an_answer_is_made_of() {
        let table = render("| a | b |\n|---|:-:|\n| 1 | ~~2~~ |");
        assert!(table.contains("<table>") && table.contains("<del>2</del>"), "{table}");
        assert!(render("- [x] done\n- [ ] open").contains("checkbox"));
        assert_eq!(render("# T\n\n`a<b`"), "<h1>T</h1>\n<p><code>a&lt;b</code></p>\n");
        assert!(render("```rust\nlet a = \"<\";\n```").contains("<code class=\"language-rust\">let a = \"&lt;\";"));
        assert_eq!(
            render("[s](https://example.com/a?b=c&d)"),
            "<p><a href=\"https://example.com/a?b=c&amp;d\">s</a></p>\n"
        );
        assert_eq!(render("<me@example.com>"), "<p><a href=\"mailto:me@example.com\">me@example.com</a></p>\n");
    }

    #[test]
    fn an_image_is_a_link_and_loads_nothing() {
        assert_eq!(render("![alt](https://e.com/a.png)"), "<p><a href=\"https://e.com/a.png\">alt</a></p>\n");
        let nested = render("[![alt](https://e.com/a.png)](https://e.com/)");
        assert_eq!(nested, "<p><a href=\"https://e.com/\">alt</a></p>\n");
    }

    #[test]
    fn a_link_elsewhere_is_text_with_its_target() {
        assert_eq!(render("[main](src/main.rs) ok"), "<p>main (src/main.rs) ok</p>\n");
        assert_eq!(render("[**b**](javascript:alert(1)) c"), "<p><strong>b</strong> (javascript:alert(1)) c</p>\n");
    }

    #[test]
    fn hostile_input_is_text() {
        let hostile = [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "a <b onmouseover=alert(1)>b</b>",
            "<svg/onload=alert(1)>",
            "<!-- --><iframe srcdoc='<script>'>",
            "[a](javascript:alert(1))",
            "[a](JaVaScRiPt:alert(1))",
            "[a](java&#10;script:alert(1))",
            "[a](&#x6A;avascript:alert(1))",
            "[a](<java\tscript:alert(1)>)",
            "[a]( javascript:alert(1))",
            "[a](data:text/html,<script>alert(1)</script>)",
            "[a](vbscript:x) [b](file:///etc/passwd) [c](chrome://settings) [d](blob:https://a/b)",
            "<javascript:alert(1)>",
            "![a](javascript:alert(1))",
            "[a][r]\n\n[r]: javascript:alert(1)",
            "[a](https://e.com/\"onclick=\"alert(1))",
            "[a](https://e.com '\"><script>alert(1)</script>')",
            "```\"><script>alert(1)</script>\nx\n```",
            "# a {onclick=alert(1)}",
            "| <script> |\n|---|\n| <img src=x> |",
            "<?php ?> <![CDATA[ <script> ]]> <!DOCTYPE x>",
        ];
        for source in hostile {
            check(source);
        }
    }

    /// Walks the tags of the output: only known ones, only known attributes, only allowed targets.
    fn check(source: &str) {
        let html = render(source);
        let known =
            "p h1 h2 h3 h4 h5 h6 em strong del a code pre ul ol li table thead tbody tr th td blockquote br hr input";
        let mut rest = html.as_str();
        while let Some(start) = rest.find('<') {
            let end = start + rest[start..].find('>').unwrap();
            let tag = rest[start + 1..end].trim_start_matches('/').trim_end_matches('/').trim();
            let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
            assert!(known.split(' ').any(|tag| tag == name), "{source:?} made <{tag}> in {html:?}");
            for attribute in attributes.split("\" ").filter(|a| !a.is_empty()) {
                let (key, value) = attribute.split_once('=').unwrap_or((attribute, ""));
                let value = value.trim_matches('"');
                let fine = match key.trim() {
                    "href" => ["http://", "https://", "mailto:"].iter().any(|scheme| value.starts_with(scheme)),
                    "class" => value.starts_with("language-"),
                    "title" | "start" | "style" | "align" => true,
                    _ => name == "input",
                };
                assert!(fine, "{source:?} made {attribute:?} in {html:?}");
            }
            rest = &rest[end + 1..];
        }
    }

    #[test]
    fn deep_nesting_is_flattened_and_keeps_its_text() {
        let html = render(&format!("{} deep", ">".repeat(20_000)));
        assert!(html.matches("<blockquote>").count() <= DEEPEST && html.contains("deep"), "{}", html.len());
        assert!(render(&"[".repeat(20_000)).contains("[["));
        assert!(render(&format!("{}x{}", "*".repeat(5000), "*".repeat(5000))).contains('x'));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn no_input_makes_a_tag_of_its_own(source in "[<>\"'&a-z!\\[\\]()#*`|:/ \n=-]{0,200}") {
            check(&source);
        }
    }
}
