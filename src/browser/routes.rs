//! The routes of a tab: requests to answer, block, delay or change, and the credentials for HTTP sign-ins.
//!
//! Owns a tab's list and the decision about one request; `paused` carries it out, `tab_routes` changes the list. A
//! popup starts with its opener's list. Never decides who may add to it.

use super::devtools::fetch::{HeaderEntry, RequestPattern, pattern};
use gstack_base::counted::counted;
use gstack_base::glob::Glob;
use gstack_base::site::{self, SiteOrPage};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The action on a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RouteAct {
    Abort,
    Answer(RouteAnswer),
    /// Answers what was recorded; other requests continue.
    Replay(Replayed),
    /// Continues the request with these headers set.
    Continue(Vec<(String, String)>),
}

/// Recorded answers, by method and address without its fragment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed(Arc<HashMap<(String, String), RouteAnswer>>);

impl Replayed {
    /// The first answer to a request counts.
    pub fn new(recorded: impl IntoIterator<Item = (String, String, RouteAnswer)>) -> Self {
        let mut answers = HashMap::new();
        for (method, url, answer) in recorded {
            answers.entry((method, without_fragment(&url).to_owned())).or_insert(answer);
        }
        Self(Arc::new(answers))
    }
    pub fn len(&self) -> usize {
        self.0.len()
    }
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    pub(super) fn answer(&self, method: &str, url: &str) -> Option<&RouteAnswer> {
        self.0.get(&(method.to_owned(), without_fragment(url).to_owned()))
    }
}

fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or(url)
}

/// The answer that replaces the server's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteAnswer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Answers CORS preflight requests too. Otherwise those go to the server.
    pub answers_preflights: bool,
}

/// An action on requests to matching addresses.
#[derive(Debug)]
pub struct Route {
    pub address: Glob,
    pub act: RouteAct,
    pub delay: Duration,
    /// Only requests of documents of this place; `None`: of all.
    pub only_on: Option<SiteOrPage>,
    used: AtomicU64,
    /// Cancelled when the route is removed: a request in its delay continues.
    pub(super) ended: CancellationToken,
}

impl Route {
    pub fn new(address: Glob, act: RouteAct, delay: Duration, only_on: Option<SiteOrPage>) -> Self {
        Self { address, act, delay, only_on, used: AtomicU64::new(0), ended: CancellationToken::new() }
    }
    /// Copies the route for another tab.
    fn handed_on(&self) -> Arc<Self> {
        Arc::new(Self::new(self.address.clone(), self.act.clone(), self.delay, self.only_on.clone()))
    }
    /// Returns the number of requests it was applied to.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }
    pub(super) fn is_used(&self) {
        self.used.fetch_add(1, Ordering::Relaxed);
    }
}

/// The headers added to requests to one site.
#[derive(Clone, Debug)]
pub(super) struct SiteHeaders {
    pub(super) site: String,
    pub(super) headers: Vec<(String, String)>,
}

/// The HTTP credentials for one site.
#[derive(Clone)]
pub(super) struct Credentials {
    pub(super) site: String,
    pub(super) user: String,
    pub(super) password: String,
}

/// Omits the password.
impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("site", &self.site).finish_non_exhaustive()
    }
}

/// The routes, headers and credentials of one tab.
#[derive(Debug, Default)]
pub(super) struct Routes {
    /// The newest last: it takes precedence.
    pub(super) routes: Vec<Arc<Route>>,
    pub(super) headers: Vec<SiteHeaders>,
    pub(super) credentials: Vec<Credentials>,
    pub(super) documents: super::paused_request::Documents,
}

/// The decision about one request.
#[derive(Clone, Debug)]
pub(super) enum Verdict {
    /// Continues it, with these headers added.
    Pass(Vec<(String, String)>),
    Route(Arc<Route>),
    /// The requesting document must be known first, because a route applies only to some documents.
    AskDocument,
}

impl Routes {
    /// Copies the list for a popup.
    pub(super) fn handed_on(&self) -> Self {
        Self {
            routes: self.routes.iter().map(|route| route.handed_on()).collect(),
            headers: self.headers.clone(),
            credentials: self.credentials.clone(),
            documents: super::paused_request::Documents::default(),
        }
    }

    /// Returns true if some route depends on the requesting document.
    pub(super) fn asks_documents(&self) -> bool {
        self.routes.iter().any(|route| route.only_on.is_some())
    }

    /// Decides on one request. `document`: the place of the requesting document, if known.
    pub(super) fn decide(&self, url: &str, document: Option<&SiteOrPage>) -> Verdict {
        for route in self.routes.iter().rev().filter(|route| route.address.matches(url)) {
            match (&route.only_on, document) {
                (None, _) => return Verdict::Route(route.clone()),
                (Some(only), Some(document)) if only == document => return Verdict::Route(route.clone()),
                (Some(_), Some(_)) => {}
                (Some(_), None) => return Verdict::AskDocument,
            }
        }
        Verdict::Pass(self.headers_for(url))
    }

    fn headers_for(&self, url: &str) -> Vec<(String, String)> {
        let Some(to) = site::of(url) else { return Vec::new() };
        let known = self.headers.iter().find(|known| known.site == to);
        known.map(|known| known.headers.clone()).unwrap_or_default()
    }

    /// Returns the user name and the password for a site.
    pub(super) fn credentials_for(&self, origin: &str) -> Option<(String, String)> {
        let asking = site::of(origin)?;
        let known = self.credentials.iter().find(|known| known.site == asking)?;
        Some((known.user.clone(), known.password.clone()))
    }

    pub(super) fn patterns(&self) -> impl Iterator<Item = RequestPattern> {
        let sites =
            self.headers.iter().map(|known| &known.site).chain(self.credentials.iter().map(|known| &known.site));
        let sites = sites.map(|site| site::without_http_port(site));
        let sites = sites.flat_map(|site| [format!("*://{site}/*"), format!("*://*@{site}/*")]);
        let all = self.routes.iter().map(|route| coarse(&route.address)).chain(sites);
        all.map(pattern)
    }

    /// Describes the list: `2 routes (5 requests), headers for a.example`.
    pub(super) fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if !self.routes.is_empty() {
            let used: u64 = self.routes.iter().map(|route| route.used()).sum();
            words.push(format!("{} ({})", counted(self.routes.len(), "route"), counted(used, "request")));
        }
        words.extend(self.headers.iter().map(|known| format!("headers for {}", known.site)));
        words.extend(self.credentials.iter().map(|known| format!("a sign-in for {}", known.site)));
        words
    }
}

/// Converts a glob to a DevTools URL pattern, which has one kind of asterisk, matching slashes too, and a question
/// mark. It is wider than the glob, so each paused request is matched again.
fn coarse(glob: &Glob) -> String {
    let mut pattern = String::from(if glob.pattern().contains('*') { "" } else { "*" });
    for letter in glob.pattern().chars() {
        match letter {
            '*' if pattern.ends_with('*') => {}
            '?' | '\\' => pattern.extend(['\\', letter]),
            letter => pattern.push(letter),
        }
    }
    if !pattern.ends_with('*') {
        pattern.push('*');
    }
    pattern
}

/// Returns a request's headers with others set.
pub(super) fn with_headers(own: Vec<HeaderEntry>, set: &[(String, String)]) -> Vec<HeaderEntry> {
    let is_set = |name: &str| set.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
    let kept = own.into_iter().filter(|header| !is_set(&header.name));
    let set = set.iter().map(|(name, value)| HeaderEntry::new(name, value));
    kept.chain(set).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(address: &str, only_on: Option<&str>) -> Route {
        Route::new(Glob::new(address), RouteAct::Abort, Duration::ZERO, only_on.map(SiteOrPage::of))
    }

    fn routed(verdict: &Verdict) -> Option<&str> {
        if let Verdict::Route(route) = verdict { Some(route.address.pattern()) } else { None }
    }

    #[test]
    fn the_newest_route_that_fits_decides_and_one_of_a_place_only_for_its_documents() {
        let both = vec![Arc::new(route("**/api/**", None)), Arc::new(route("**/api/x", Some("http://a.example/")))];
        let routes = Routes { routes: both, ..Routes::default() };
        let (a, b) = (SiteOrPage::of("http://a.example/1"), SiteOrPage::of("http://b.example/"));
        assert_eq!(routed(&routes.decide("http://c.example/api/y", None)), Some("**/api/**"));
        assert_eq!(routed(&routes.decide("http://c.example/api/x", Some(&a))), Some("**/api/x"));
        assert_eq!(routed(&routes.decide("http://c.example/api/x", Some(&b))), Some("**/api/**"));
        assert!(matches!(routes.decide("http://c.example/api/x", None), Verdict::AskDocument));
        assert!(matches!(routes.decide("http://c.example/", None), Verdict::Pass(headers) if headers.is_empty()));
    }

    #[test]
    fn headers_and_sign_ins_are_for_their_site_alone() {
        let mut routes = Routes::default();
        let headers = vec![("X-Key".to_owned(), "k".to_owned())];
        routes.headers.push(SiteHeaders { site: "a.example".to_owned(), headers });
        let (user, password) = ("ada".to_owned(), "hunter2".to_owned());
        routes.credentials.push(Credentials { site: "a.example:8080".to_owned(), user, password });
        let passes = |url: &str| matches!(routes.decide(url, None), Verdict::Pass(headers) if !headers.is_empty());
        assert!(passes("https://a.example/x") && passes("https://u@a.example/"));
        for other in ["https://b.example/?a.example", "https://a.example:8080/", "https://a.example.b.example/"] {
            assert!(!passes(other), "{other}");
        }
        assert!(routes.credentials_for("http://a.example:8080").is_some());
        assert!(routes.credentials_for("http://a.example").is_none());
        assert!(!format!("{routes:?}").contains("hunter2"));
    }

    #[test]
    fn what_the_browser_stops_is_wider_than_the_glob() {
        for (glob, pattern) in [
            ("**/api/*.js", "*/api/*.js*"),
            ("cart", "*cart*"),
            ("http://a.example/?q=*", "http://a.example/\\?q=*"),
            ("", "*"),
        ] {
            assert_eq!(coarse(&Glob::new(glob)), pattern, "{glob}");
        }
    }
}
