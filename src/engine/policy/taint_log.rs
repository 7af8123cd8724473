//! The taint log of a conversation: what its agent has read, by site, and which sites the person has named. Determines
//! the risk of an action.
//!
//! One rule for every way out: text that was read on one site, or outside any site, must not go to another site without
//! approval. Recognizes text by its fingerprints, so it misses words that were changed, as docs/SECURITY.md says. Does
//! no IO.

use super::action_request::Risk;
use super::{decodings, fingerprint};
use gstack_base::site;
use gstack_protocol::chat::PageContext;
use std::collections::{HashMap, HashSet};
use url::Url;

/// Sources that are not a site: files, shells, other tools, earlier turns.
pub(crate) const NO_SITE: &str = "";
/// The number of fingerprints kept for one conversation. Text beyond that counts as unrecognizable.
const MOST_REMEMBERED: usize = 2_000_000;
/// A text of this length that the person did not write is more than an answer to a form, in characters.
const LONG_TEXT: usize = 200;
/// The same limit once unrecognizable content (an image) was read, in letters and digits.
const SHORT_TEXT: usize = 24;
/// An address of another site with a longer query or path may carry information, in characters.
const LONG_QUERY: usize = 64;
const LONG_PATH: usize = 160;
/// The limit for the text kept of what was sent to one site, in characters.
const MOST_SENT: usize = 1000;
/// The number of sites for which sent text is kept.
const MOST_SITES: usize = 100;
/// A longer part of a host name may carry words, in characters.
const LONG_LABEL: usize = 40;

/// The taint log of one conversation.
#[derive(Debug, Default)]
pub(crate) struct TaintLog {
    /// True if text by others was read. An agent that resumes an earlier session counts as having read.
    read: bool,
    resumed: bool,
    /// Fingerprints of what was read, by site.
    marks: HashMap<String, HashSet<u64>>,
    remembered: usize,
    /// Sites of which unrecognizable content was read: images, texts beyond the limit.
    unseen: HashSet<String>,
    /// Running steps of the agent's own tools: what they read is not known yet.
    open_steps: HashSet<String>,
    named: HashSet<String>,
    said: HashSet<u64>,
    /// The latest text that the agent sent, by site, because words can be split over fields, addresses and calls.
    sent: HashMap<String, Sent>,
}

#[derive(Debug, Default)]
struct Sent {
    /// Calls are separated by a space.
    words: String,
    /// The concatenated values of queries, and the concatenated last segments of paths.
    values: String,
    paths: String,
}

/// Data that leaves for a site.
struct Outgoing {
    text: String,
    values: String,
    path: String,
}

impl Outgoing {
    fn typed(text: &str) -> Self {
        Self { text: text.to_owned(), values: text.to_owned(), path: String::new() }
    }

    fn address(url: &Url) -> Self {
        let query = url.query_pairs().map(|(_, value)| value.into_owned()).collect::<String>();
        let path = url.path().rsplit('/').next().unwrap_or_default().to_owned();
        Self { text: spoken(url), values: format!("{query}{}", url.fragment().unwrap_or_default()), path }
    }
}

impl TaintLog {
    /// Creates a log. `resumed` is true if the agent remembers turns that the log does not know.
    pub(crate) fn new(resumed: bool) -> Self {
        Self { read: resumed, resumed, ..Self::default() }
    }

    /// Records the person's message, written while looking at `page`. The sites in it count as named by the person.
    pub(crate) fn person_said(&mut self, message: &str, page: Option<&str>) {
        self.named.extend(page.and_then(site::of));
        self.named.extend(message.split(is_around_address).filter_map(named_site));
        self.said.extend(fingerprint::in_outgoing(message));
        self.said.extend(message.split(is_around_address).map(|word| fingerprint::of_word(trimmed(word))));
    }

    /// Records that the agent read this text of a site, or of [`NO_SITE`].
    pub(crate) fn read(&mut self, site: &str, text: &str) {
        self.read = true;
        let mut marks = fingerprint::of(text);
        // Whole addresses are recorded, so that going to an address that the site gave is recognized.
        let addresses = text.split(is_around_address).filter(|word| word.contains(['/', '?']));
        marks.extend(addresses.map(|word| fingerprint::of_word(trimmed(word))));
        let known = self.marks.entry(site.to_owned()).or_default();
        marks.retain(|mark| !known.contains(mark));
        if self.remembered + marks.len() > MOST_REMEMBERED {
            self.unseen.insert(site.to_owned());
            return;
        }
        let before = known.len();
        known.extend(marks);
        self.remembered += known.len() - before;
    }

    /// Records a page that the agent was given: its address, its title, and what the person selected or attached of it.
    pub(crate) fn saw_page(&mut self, page: &PageContext) {
        let site = site::of(&page.url).unwrap_or_default();
        let selection = page.selection.as_deref().unwrap_or_default();
        self.read(&site, &format!("{}\n{}\n{selection}", page.url, page.title));
    }

    /// Records unrecognizable content of a site: an image, a file of another tool.
    pub(crate) fn read_unseen(&mut self, site: &str) {
        self.read = true;
        self.unseen.insert(site.to_owned());
    }

    /// Records the start of a step of the agent's own tools.
    pub(crate) fn step_begun(&mut self, step: &str) {
        self.open_steps.insert(step.to_owned());
    }

    /// Records the end of a step. `result` is what it read, as far as the agent reported it.
    pub(crate) fn step_done(&mut self, step: &str, result: &str, is_whole: bool) {
        if !self.open_steps.remove(step) {
            return;
        }
        self.read(NO_SITE, result);
        if !is_whole {
            self.read_unseen(NO_SITE);
        }
    }

    /// Ends the turn: what its open steps read will never be known.
    pub(crate) fn steps_over(&mut self) {
        if !self.open_steps.is_empty() {
            self.open_steps.clear();
            self.read_unseen(NO_SITE);
        }
    }

    /// Records text that the agent typed on a site.
    pub(crate) fn typed(&mut self, site: &str, text: &str) {
        self.remember_sent(site, &Outgoing::typed(text));
    }

    /// Records that the agent went to this address.
    pub(crate) fn went(&mut self, address: &str) {
        let Some(url) = parsed(address) else { return };
        let Some(to) = site::of(url.as_str()) else { return };
        self.remember_sent(&to, &Outgoing::address(&url));
    }

    /// Returns the risk of a click that leads from `from` to an address, by a link or, including its data, by a form.
    pub(crate) fn risk_of_destination(&self, from: Option<&str>, address: &str, is_form: bool) -> Risk {
        let risk = self.risk_of_going(from, address);
        let stays = parsed(address).and_then(|url| site::of(url.as_str())).as_deref() == from;
        match risk {
            // The page wrote this address, so its length means nothing. Text that the agent typed was judged when it
            // was typed.
            Risk::Carrying if stays && !self.address_carries(address) => Risk::Plain,
            Risk::Plain => Risk::Plain,
            // Form data other than what the agent typed is not checked.
            _ if is_form => Risk::Carrying,
            risk => risk,
        }
    }

    /// Returns the risk of going from `from` to an address.
    pub(crate) fn risk_of_going(&self, from: Option<&str>, address: &str) -> Risk {
        if !self.read {
            return Risk::Plain;
        }
        let url = parsed(address);
        let to = url.as_ref().and_then(|url| site::of(url.as_str()));
        let (Some(url), Some(to)) = (url, to) else { return Risk::NewSite };
        let stays = Some(to.as_str()) == from;
        if stays && !self.knows_of_others(&to) {
            return Risk::Plain;
        }
        let is_given = self.is_known_address(&to, address, &url);
        let out = Outgoing::address(&url);
        let says_much = if stays { extra(&url).len() > LONG_TEXT } else { is_long(&url) };
        let may_hide = self.knows_unseen(&to) && fingerprint::may_say_much(&extra(&url), SHORT_TEXT);
        if self.carries(&to, &out) || (!is_given && (says_much || may_hide)) {
            return Risk::Carrying;
        }
        if stays || self.is_named(&to) { Risk::Plain } else { Risk::NewSite }
    }

    /// Returns the risk of typing into a page of this site.
    pub(crate) fn risk_of_typing(&self, site: Option<&str>, text: &str) -> Risk {
        let site = site.unwrap_or_default();
        if !self.knows_of_others(site) || self.is_said(text) {
            return Risk::Plain;
        }
        let out = Outgoing::typed(text);
        let says_much = text.chars().count() > LONG_TEXT;
        let may_hide =
            self.knows_unseen(site) && fingerprint::may_say_much(text, SHORT_TEXT) && !self.is_of_site(site, text);
        if says_much || may_hide || self.carries(site, &out) { Risk::Carrying } else { Risk::Plain }
    }

    /// Returns the risk of running a script or sending a file, which can carry everything.
    pub(crate) fn risk_of_control(&self) -> Risk {
        if self.read { Risk::Carrying } else { Risk::Plain }
    }

    /// Returns true if anything was read outside this site.
    fn knows_of_others(&self, site: &str) -> bool {
        self.resumed
            || !self.open_steps.is_empty()
            || self.marks.iter().any(|(of, marks)| of != site && !marks.is_empty())
            || self.unseen.iter().any(|of| of != site)
    }

    fn knows_unseen(&self, site: &str) -> bool {
        !self.open_steps.is_empty() || self.unseen.iter().any(|of| of != site)
    }

    fn address_carries(&self, address: &str) -> bool {
        let Some((url, to)) = parsed(address).and_then(|url| site::of(url.as_str()).map(|to| (url, to))) else {
            return true;
        };
        self.carries(&to, &Outgoing::address(&url))
    }

    /// Returns true if the text contains words that were read on another site, by itself or together with what was sent
    /// before.
    fn carries(&self, site: &str, out: &Outgoing) -> bool {
        let here = self.marks.get(site);
        let elsewhere: Vec<&HashSet<u64>> =
            self.marks.iter().filter(|(of, _)| of.as_str() != site).map(|(_, marks)| marks).collect();
        if elsewhere.is_empty() {
            return false;
        }
        let is_carried = |mark: &u64| {
            elsewhere.iter().any(|marks| marks.contains(mark))
                && !self.said.contains(mark)
                && !here.is_some_and(|marks| marks.contains(mark))
        };
        let empty = Sent::default();
        let sent = self.sent.get(site).unwrap_or(&empty);
        let texts = [
            out.text.clone(),
            format!("{} {}", sent.words, out.text),
            format!("{}{}", sent.values, out.values),
            format!("{}{}", sent.paths, out.path),
        ];
        texts.iter().any(|text| {
            decodings::of(text).iter().any(|decoded| fingerprint::in_outgoing(decoded).iter().any(is_carried))
        })
    }

    /// Returns true if the person wrote every part of the text.
    fn is_said(&self, text: &str) -> bool {
        let own = fingerprint::in_outgoing(text);
        match own.is_empty() {
            true => self.said.contains(&fingerprint::of_word(trimmed(text))),
            false => own.iter().all(|mark| self.said.contains(mark)),
        }
    }

    /// Returns true if every part of the text was read on that site.
    fn is_of_site(&self, site: &str, text: &str) -> bool {
        let marks = fingerprint::of(text);
        !marks.is_empty() && self.marks.get(site).is_some_and(|known| marks.iter().all(|mark| known.contains(mark)))
    }

    /// Returns true if the person gave this address, or a page of that same site did.
    fn is_known_address(&self, to: &str, address: &str, url: &Url) -> bool {
        let marks = [address, url.as_str()].map(|word| fingerprint::of_word(trimmed(word)));
        let there = self.marks.get(to);
        marks.iter().any(|mark| self.said.contains(mark) || there.is_some_and(|known| known.contains(mark)))
    }

    fn is_named(&self, to: &str) -> bool {
        self.named.contains(to) || to.strip_prefix("www.").is_some_and(|bare| self.named.contains(bare))
    }

    fn remember_sent(&mut self, site: &str, out: &Outgoing) {
        if self.sent.len() >= MOST_SITES && !self.sent.contains_key(site) {
            self.sent.clear();
        }
        let sent = self.sent.entry(site.to_owned()).or_default();
        sent.words.push(' ');
        sent.words.push_str(&out.text);
        sent.values.push_str(&out.values);
        sent.paths.push_str(&out.path);
        [&mut sent.words, &mut sent.values, &mut sent.paths].into_iter().for_each(keep_newest);
    }
}

fn keep_newest(text: &mut String) {
    if let Some((start, _)) = text.char_indices().rev().nth(MOST_SENT) {
        text.drain(..start);
    }
}

/// Parses an address as typed. Adds a scheme if it has none.
fn parsed(address: &str) -> Option<Url> {
    Url::parse(address).ok().filter(Url::has_host).or_else(|| Url::parse(&format!("https://{address}")).ok())
}

/// Returns the words of an address, including the parts of its host, since a DNS lookup sends them too.
fn spoken(url: &Url) -> String {
    format!(
        "{} {} {} {}",
        url.username(),
        url.password().unwrap_or_default(),
        url.host_str().unwrap_or_default(),
        extra(url)
    )
}

/// Returns the part of an address beyond its site.
fn extra(url: &Url) -> String {
    format!("{} {} {}", url.path(), url.query().unwrap_or_default(), url.fragment().unwrap_or_default())
}

fn is_long(url: &Url) -> bool {
    let query = url.query().map_or(0, str::len) + url.fragment().map_or(0, str::len);
    let label = url.host_str().unwrap_or_default().split('.').map(str::len).max().unwrap_or_default();
    let credentials = !url.username().is_empty() || url.password().is_some();
    query > LONG_QUERY || url.path().len() > LONG_PATH || label > LONG_LABEL || credentials
}

fn is_around_address(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '<' | '>' | '"' | '\'' | '(' | ')' | ',' | ';' | '`' | '“' | '”')
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(is_around_address).trim_end_matches(['.', '!', '?', ':'])
}

/// Returns the site that a word of a message names: `example.com`, `http://localhost:3000/x`.
fn named_site(word: &str) -> Option<String> {
    let word = trimmed(word);
    if word.contains("://") {
        return site::of(word);
    }
    let name = word.split(['/', '?', '#']).next().unwrap_or_default();
    let host = name.split(':').next().unwrap_or_default();
    let is_host = host == "localhost" || (host.contains('.') && !host.contains('@'));
    is_host.then(|| site::of(&format!("https://{word}"))).flatten()
}

#[cfg(test)]
#[path = "taint_log_tests.rs"]
mod tests;
