//! A CDP client's view of the targets: its tabs, each as a *tab* and a *page* target as Chromium has them.
//!
//! Owns target filters and the form of a target's description. Pure.

use gstack_browser::tabs::TabInfo;
use gstack_protocol::ids::TabId;
use serde::Deserialize;
use serde_json::{Value, json};

/// The browser context of all tabs but those in the client's own contexts.
pub(super) const CONTEXT: &str = "gstack";

/// The kind of a target that is attached to directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Tab,
    Page,
}

impl Kind {
    pub(super) const BOTH: [Self; 2] = [Self::Tab, Self::Page];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Tab => "tab",
            Self::Page => "page",
        }
    }
}

/// The kinds of targets that a client wants: the first entry that matches decides.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(super) struct TargetFilter(Vec<Entry>);

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Entry {
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    exclude: bool,
}

impl Default for TargetFilter {
    /// Chromium's own default.
    fn default() -> Self {
        let never = |kind: &str| Entry { kind: Some(kind.to_owned()), exclude: true };
        Self(vec![never("browser"), never("tab"), Entry { kind: None, exclude: false }])
    }
}

impl TargetFilter {
    /// Reads `filter` of a command. An unreadable one is the default.
    pub(super) fn of(params: &Value) -> Self {
        params.get("filter").and_then(|filter| Self::deserialize(filter).ok()).unwrap_or_default()
    }

    pub(super) fn includes(&self, kind: Kind) -> bool {
        let decides = |entry: &&Entry| entry.kind.as_deref().is_none_or(|of| of == kind.word());
        self.0.iter().find(decides).is_some_and(|entry| !entry.exclude)
    }
}

/// A tab as the client was told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) tab: TabId,
    pub(super) tab_target: String,
    pub(super) page: String,
    title: String,
    url: String,
    /// The page that opened it, if the client has that too.
    opener: Option<String>,
    context: String,
}

impl Shown {
    /// Returns `None` while the page of the tab is not known.
    pub(super) fn of(info: &TabInfo, opener: Option<String>, context: String) -> Option<Self> {
        Some(Self {
            tab: info.id,
            tab_target: info.target.as_str().to_owned(),
            page: info.page.as_ref()?.as_str().to_owned(),
            title: info.title.clone(),
            url: info.url.clone(),
            opener,
            context,
        })
    }

    pub(super) fn target(&self, kind: Kind) -> &str {
        match kind {
            Kind::Tab => &self.tab_target,
            Kind::Page => &self.page,
        }
    }

    pub(super) fn kind_of(&self, target: &str) -> Option<Kind> {
        Kind::BOTH.into_iter().find(|kind| self.target(*kind) == target)
    }

    /// Returns the description of a target as `Target.TargetInfo`.
    pub(super) fn info(&self, kind: Kind, attached: bool) -> Value {
        let mut info = json!({
            "targetId": self.target(kind),
            "type": kind.word(),
            "title": self.title,
            "url": self.url,
            "attached": attached,
            "canAccessOpener": false,
            "browserContextId": self.context,
        });
        if let Some(opener) = self.opener.as_ref().filter(|_| kind == Kind::Page) {
            info["openerId"] = json!(opener);
        }
        info
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_entry_of_a_filter_decides() {
        let filter = |filter: Value| TargetFilter::of(&json!({ "filter": filter }));
        let kinds = |filter: &TargetFilter| Kind::BOTH.map(|kind| filter.includes(kind));
        assert_eq!(kinds(&TargetFilter::of(&json!({}))), [false, true], "as Playwright attaches");
        assert_eq!(
            kinds(&filter(json!([{ "type": "page", "exclude": true }, {}]))),
            [true, false],
            "as Puppeteer does"
        );
        assert_eq!(kinds(&filter(json!([{}]))), [true, true]);
        assert_eq!(kinds(&filter(json!([]))), [false, false]);
        assert_eq!(kinds(&filter(json!("x"))), [false, true]);
    }
}
