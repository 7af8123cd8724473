//! Where a flow says that it is before each step: the tab, and the sites that the tab may show.
//!
//! Owns that rule: a step acts only on the site where the run began or that an earlier step named, by the address that it
//! opens or waits for. Asks no browser.

use super::file::{Step, Wait};
use std::collections::BTreeMap;
use url::Url;

/// The tab that a run begins in.
pub(crate) const FIRST_TAB: u32 = 1;
/// A document without an origin, as HTML serializes it.
const NO_ORIGIN: &str = "null";
/// A step's `frame` for a frame of the page's own site.
pub(crate) const OWN_FRAME: &str = "own";

/// The sites that a tab may show before a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sites {
    /// Origins, as HTML serializes them.
    pub(crate) named: Vec<String>,
    /// The site where the run began, too.
    pub(crate) start: bool,
}

/// Returns the sites for each step, in order. `None`: no step before has opened its tab.
pub(crate) fn of_steps(steps: &[Step]) -> Vec<Option<Sites>> {
    let start = Sites { named: Vec::new(), start: true };
    // For each tab: where it is, and everywhere it has been.
    let mut tabs = BTreeMap::from([(FIRST_TAB, (start.clone(), start))]);
    let mut found = Vec::new();
    for step in steps {
        let number = step.tab.unwrap_or(FIRST_TAB);
        found.push(tabs.get(&number).map(|(now, _)| now.clone()));
        if let Some((now, been)) = tabs.get_mut(&number) {
            match step.act.as_deref() {
                Some("back" | "forward") => *now = been.clone(),
                _ => {
                    if let Some(url) = &step.url {
                        *now = Sites { named: opened(url), start: false };
                    }
                }
            }
            let named = step.wait.as_ref().and_then(|wait| wait.url.as_deref()).map(named).unwrap_or_default();
            if !named.is_empty() {
                *now = Sites { named, start: false };
            }
            let new: Vec<String> = now.named.iter().filter(|site| !been.named.contains(site)).cloned().collect();
            been.named.extend(new);
        }
        if let Some(Wait { tab: Some(tab), .. }) = &step.wait {
            let sites = Sites { named: named(tab), start: false };
            let next = tabs.len() + 1;
            tabs.extend(u32::try_from(next).ok().map(|next| (next, (sites.clone(), sites))));
        }
    }
    found
}

/// Returns the origins that a pattern of an address names: none if it leaves the host open.
pub(crate) fn named(pattern: &str) -> Vec<String> {
    let Some((scheme, rest)) = pattern.split_once("://") else { return Vec::new() };
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    if host.contains('*') || scheme.contains('*') { Vec::new() } else { opened(&format!("{scheme}://{host}/")) }
}

/// Returns the origins to which opening an address leads: a server may lead from http to https.
pub(crate) fn opened(address: &str) -> Vec<String> {
    let Ok(url) = Url::parse(address) else { return Vec::new() };
    let mut origins = vec![url.origin().ascii_serialization()];
    if url.scheme() == "http" && url.port().is_none() {
        origins.extend(url.host_str().map(|host| format!("https://{host}")));
    }
    origins
}

/// Whether a text can be the `frame` of a step.
pub(crate) fn is_frame(text: &str) -> bool {
    text == OWN_FRAME
        || text == NO_ORIGIN
        || Url::parse(text).is_ok_and(|url| url.origin().ascii_serialization() == text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::Flow;

    fn sites(steps: &str) -> Vec<String> {
        let flow = Flow::read(&format!("flow = 1\nsteps = [\n{steps}\n]\n")).unwrap();
        let told = |sites: Option<Sites>| match sites {
            None => "unknown".to_owned(),
            Some(Sites { named, start }) => [vec!["start"; usize::from(start)].join(""), named.join(" ")].join(""),
        };
        of_steps(&flow.steps).into_iter().map(told).collect()
    }

    #[test]
    fn a_step_is_where_the_step_before_it_said() {
        let steps = r#"{ act = "click", name = "a" },
            { act = "goto", url = "http://a.example/x" },
            { act = "click", name = "b", wait = { url = "**/cart" } },
            { act = "click", name = "c", wait = { url = "https://b.example:8/pay/*/**", tab = "https://c.example/**" } },
            { act = "click", name = "d", wait = { url = "https://*.example/**" } },
            { act = "back" },
            { act = "click", name = "e" },
            { act = "click", name = "f", tab = 2 },
            { act = "click", name = "g", tab = 3 },"#;
        assert_eq!(
            sites(steps),
            [
                "start",
                "start",
                "http://a.example https://a.example",
                "http://a.example https://a.example",
                "https://b.example:8",
                "https://b.example:8",
                "starthttp://a.example https://a.example https://b.example:8",
                "https://c.example",
                "unknown",
            ]
        );
    }

    #[test]
    fn an_origin_has_no_path() {
        assert!(
            is_frame("https://a.example") && is_frame("http://127.0.0.1:8000") && is_frame("null") && is_frame("own")
        );
        assert!(!is_frame("https://a.example/") && !is_frame("a.example") && !is_frame("https://a.example:443"));
    }
}
