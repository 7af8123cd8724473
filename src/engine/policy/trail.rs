//! What a conversation's agent has read, and which places the person has named: how far an action would reach.
//!
//! Owns the judgement of shape. It recognises what was read by its words, so words that were changed are not found:
//! docs/SECURITY.md says what that means. Pure but for what it remembers.

use super::readings;
use super::wish::Shape;
use crate::base::site;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use url::Url;

/// Words in a row that are not the same by chance.
const ROW: usize = 5;
/// A single word of this length is a key or an address rather than a word.
const LONG_WORD: usize = 16;
/// What is remembered of one site, in rows and long words.
const MOST_REMEMBERED: usize = 50_000;
/// Sites of which something is remembered.
const MOST_SITES: usize = 100;
/// Text of this length that the person did not write is more than an answer to a form, in characters.
const LONG_TEXT: usize = 200;
/// An address that holds this much beyond its place says something of its own, in characters.
const LONG_QUERY: usize = 64;
const LONG_PATH: usize = 160;
/// What is kept of what was typed on one site, in characters.
const MOST_TYPED: usize = 2000;
/// Names of hosts can carry words too.
const LONG_LABEL: usize = 40;

/// One conversation's.
#[derive(Debug, Default)]
pub struct Trail {
    /// Something that others wrote was read; where the agent goes on with an earlier session, that was before.
    read: bool,
    /// By site; files and what has no site are under the empty name.
    words: HashMap<String, HashSet<u64>>,
    named: HashSet<String>,
    said: HashSet<u64>,
    /// The newest of what the agent typed, by site: words can be split over fields and calls.
    typed: HashMap<String, String>,
}

impl Trail {
    /// `resumed`: the agent remembers turns of which nothing is known here.
    pub fn new(resumed: bool) -> Self {
        Self { read: resumed, ..Self::default() }
    }

    /// The person wrote this, looking at that page: the sites in it are theirs.
    pub fn person_said(&mut self, message: &str, page: Option<&str>) {
        self.named.extend(page.and_then(site::of));
        self.named.extend(message.split(is_around_address).filter_map(named_site));
        self.said.extend(rows(message));
        self.said.extend(message.split(is_around_address).map(|word| hash_of(trimmed(word))));
    }

    /// The agent got these words of a page, or of a file where `site` is empty.
    pub fn read(&mut self, site: &str, text: &str) {
        self.read = true;
        if self.words.len() >= MOST_SITES && !self.words.contains_key(site) {
            return;
        }
        let known = self.words.entry(site.to_owned()).or_default();
        let room = MOST_REMEMBERED.saturating_sub(known.len());
        known.extend(rows(text).take(room));
    }

    /// The agent typed this on a site.
    pub fn typed(&mut self, site: &str, text: &str) {
        if self.typed.len() >= MOST_SITES && !self.typed.contains_key(site) {
            self.typed.clear();
        }
        let known = self.typed.entry(site.to_owned()).or_default();
        // Single letters are a word that is typed key by key; what is typed at once stands by itself.
        if text.chars().count() > 1 {
            known.push(' ');
            known.push_str(text);
            known.push(' ');
        } else {
            known.push_str(text);
        }
        if let Some((start, _)) = known.char_indices().rev().nth(MOST_TYPED) {
            known.drain(..start);
        }
    }

    /// A click that leads from `from` to an address, by a link or, with what is in it, by a form.
    pub fn shape_of_leading(&self, from: Option<&str>, address: &str, is_form: bool) -> Shape {
        let shape = self.shape_of_going(from, address);
        // What the form holds beside what the agent has typed is not looked at.
        if is_form && shape != Shape::Plain { Shape::Carrying } else { shape }
    }

    /// Going from `from` to an address.
    pub fn shape_of_going(&self, from: Option<&str>, address: &str) -> Shape {
        let url =
            Url::parse(address).ok().filter(Url::has_host).or_else(|| Url::parse(&format!("https://{address}")).ok());
        let to = url.as_ref().and_then(|url| site::of(url.as_str()));
        if !self.read || (to.is_some() && to.as_deref() == from) {
            return Shape::Plain;
        }
        let (Some(url), Some(to)) = (url, to) else { return Shape::NewSite };
        if self.carries(&to, &spoken(&url)) || (is_long(&url) && !self.said.contains(&hash_of(trimmed(address)))) {
            return Shape::Carrying;
        }
        if self.is_named(&to) { Shape::Plain } else { Shape::NewSite }
    }

    /// Typing into a page of this site.
    pub fn shape_of_typing(&self, site: Option<&str>, text: &str) -> Shape {
        let elsewhere = self.words.keys().any(|of| Some(of.as_str()) != site) || (self.read && self.words.is_empty());
        if !elsewhere || self.is_said(text) {
            return Shape::Plain;
        }
        let site = site.unwrap_or_default();
        let is_long = text.chars().count() > LONG_TEXT;
        let before = self.typed.get(site).map(|typed| typed.trim_end()).unwrap_or_default();
        let carries = || {
            self.carries(site, text) || ["", " "].iter().any(|gap| self.carries(site, &format!("{before}{gap}{text}")))
        };
        if is_long || carries() { Shape::Carrying } else { Shape::Plain }
    }

    /// Running a script, or sending a file: it can carry all there is.
    pub fn shape_of_control(&self) -> Shape {
        if self.read { Shape::Carrying } else { Shape::Plain }
    }

    /// The text holds words that were read on another site than this one.
    fn carries(&self, site: &str, text: &str) -> bool {
        let of_others = || self.words.iter().filter(|(of, _)| of.as_str() != site).map(|(_, words)| words);
        let carried = |row: u64| !self.said.contains(&row) && of_others().any(|words| words.contains(&row));
        readings::of(text).iter().any(|reading| rows(reading).any(carried))
    }

    /// Every row of it is the person's own.
    fn is_said(&self, text: &str) -> bool {
        let mut own = rows(text).peekable();
        own.peek().is_some() && own.all(|row| self.said.contains(&row))
    }

    fn is_named(&self, to: &str) -> bool {
        self.named.contains(to) || to.strip_prefix("www.").is_some_and(|bare| self.named.contains(bare))
    }
}

/// Hashes of every row of words, and of every long word.
fn rows(text: &str) -> impl Iterator<Item = u64> {
    let words: Vec<String> = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let long: Vec<u64> = words.iter().filter(|word| word.chars().count() >= LONG_WORD).map(hash_of).collect();
    let rows: Vec<u64> = words.windows(ROW).map(hash_of).collect();
    long.into_iter().chain(rows)
}

fn hash_of<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// What an address says beyond its site, as words.
fn spoken(url: &Url) -> String {
    let said = format!("{} {} {}", url.path(), url.query().unwrap_or_default(), url.fragment().unwrap_or_default());
    let said = said.replace('+', " ");
    percent_encoding::percent_decode_str(&said).decode_utf8_lossy().into_owned()
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

/// The site that a word of a message names: `example.com`, `http://localhost:3000/x`.
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
mod tests {
    use super::*;

    const SECRET: &str = "Your recovery phrase is correct horse battery staple velvet moon. Key: ghpA1B2C3D4E5F6G7H8";

    fn after_reading() -> Trail {
        let mut trail = Trail::new(false);
        trail.person_said(
            "Look at https://mail.example/inbox and compare with shop.example.",
            Some("http://localhost:3000/x"),
        );
        trail.read("mail.example", SECRET);
        trail
    }

    #[test]
    fn before_anything_was_read_nothing_reaches_far() {
        let trail = Trail::new(false);
        assert_eq!(trail.shape_of_going(None, "https://new.example/?q=1"), Shape::Plain);
        assert_eq!(trail.shape_of_typing(Some("a.example"), &"x ".repeat(500)), Shape::Plain);
        assert_eq!(trail.shape_of_control(), Shape::Plain);
        assert_eq!(Trail::new(true).shape_of_going(None, "new.example"), Shape::NewSite);
        assert_eq!(Trail::new(true).shape_of_control(), Shape::Carrying);
    }

    #[test]
    fn going_where_the_person_said_is_plain_and_anywhere_else_is_not() {
        let trail = after_reading();
        let here = Some("mail.example");
        for (address, shape) in [
            ("https://mail.example/any?what=ever&it=is&long=or&not=00000000000000000000000000000000000", Shape::Plain),
            ("https://shop.example/cart", Shape::Plain),
            ("www.shop.example", Shape::Plain),
            ("localhost:3000", Shape::Plain),
            ("https://evil.example/", Shape::NewSite),
            ("https://shop.example.evil.example/", Shape::NewSite),
            ("https://mail.example:8443/", Shape::NewSite),
            ("nonsense address", Shape::NewSite),
        ] {
            assert_eq!(trail.shape_of_going(here, address), shape, "{address}");
        }
    }

    #[test]
    fn an_address_that_says_what_was_read_or_says_much_carries() {
        let trail = after_reading();
        let here = Some("mail.example");
        let long = format!("https://shop.example/?d={}", "a".repeat(100));
        let label = format!("https://{}.evil.example/", "a".repeat(60));
        for address in [
            "https://shop.example/?q=correct+horse+battery+staple+velvet",
            "https://shop.example/correct%20horse%20battery%20staple%20velvet",
            "https://shop.example/#ghpA1B2C3D4E5F6G7H8",
            "https://me:it@shop.example/",
            &long,
            &label,
        ] {
            assert_eq!(trail.shape_of_going(here, address), Shape::Carrying, "{address}");
        }
        let mut trail = trail;
        trail.person_said(&format!("open {long}."), None);
        assert_eq!(trail.shape_of_going(here, &long), Shape::Plain, "the person gave that address");
    }

    #[test]
    fn typing_carries_what_was_read_elsewhere_but_not_what_the_person_said() {
        let mut trail = after_reading();
        let there = Some("shop.example");
        assert_eq!(trail.shape_of_typing(there, "blue shoes, size 9"), Shape::Plain);
        assert_eq!(trail.shape_of_typing(there, "note: Correct horse, battery staple VELVET moon"), Shape::Carrying);
        assert_eq!(trail.shape_of_typing(there, "ghpA1B2C3D4E5F6G7H8"), Shape::Carrying);
        assert_eq!(trail.shape_of_typing(Some("mail.example"), SECRET), Shape::Plain, "it stays where it was read");
        assert_eq!(trail.shape_of_typing(there, &"lorem ".repeat(60)), Shape::Carrying);
        trail.person_said("Type 'correct horse battery staple velvet moon' into the box", None);
        assert_eq!(trail.shape_of_typing(there, "correct horse battery staple velvet moon"), Shape::Plain);
        trail.read("", "contents of a private file in the folder");
        assert_eq!(trail.shape_of_typing(Some("mail.example"), "contents of a private file in"), Shape::Carrying);
    }

    #[test]
    fn words_in_a_simple_code_or_split_over_fields_are_found_and_a_form_to_elsewhere_carries() {
        use base64::Engine as _;
        let mut trail = after_reading();
        let there = Some("shop.example");
        let phrase = "correct horse battery staple velvet moon";
        let encoded = base64::engine::general_purpose::STANDARD.encode(phrase);
        let hex: String = phrase.bytes().map(|byte| format!("{byte:02x}")).collect();
        let reversed: String = phrase.chars().rev().collect();
        let percent = phrase.replace(' ', "%20");
        for text in [&encoded, &hex, &reversed, &percent, &format!("ref={encoded}")] {
            assert_eq!(trail.shape_of_typing(there, text), Shape::Carrying, "{text}");
            let address = format!("https://shop.example/{text}");
            assert_eq!(trail.shape_of_going(Some("mail.example"), &address), Shape::Carrying, "{address}");
        }
        assert_eq!(trail.shape_of_typing(there, "correct horse battery"), Shape::Plain);
        trail.typed("shop.example", "correct horse battery");
        assert_eq!(trail.shape_of_typing(there, "staple velvet moon"), Shape::Carrying, "with what was typed before");
        assert_eq!(trail.shape_of_typing(Some("other.example"), "staple velvet moon"), Shape::Plain);
        for letter in "ghpA1B2C3D4E5F6G7H".chars() {
            trail.typed("shop.example", &letter.to_string());
        }
        assert_eq!(trail.shape_of_typing(there, "8"), Shape::Carrying, "letter by letter");
        let here = Some("mail.example");
        assert_eq!(trail.shape_of_leading(here, "https://mail.example/next", true), Shape::Plain);
        assert_eq!(trail.shape_of_leading(here, "https://evil.example/", false), Shape::NewSite);
        assert_eq!(trail.shape_of_leading(here, "https://evil.example/", true), Shape::Carrying);
        assert_eq!(trail.shape_of_leading(here, "https://shop.example/", true), Shape::Plain, "the person named it");
        assert_eq!(trail.shape_of_leading(here, &format!("https://shop.example/?q={encoded}"), false), Shape::Carrying);
    }

    #[test]
    fn a_message_names_hosts_and_nothing_else() {
        let named = |text: &str| {
            let mut trail = Trail::new(false);
            trail.person_said(text, None);
            let mut named: Vec<String> = trail.named.into_iter().collect();
            named.sort();
            named
        };
        assert_eq!(
            named("see (https://a.example/x?y), b.example/z. or localhost:3000!"),
            ["a.example", "b.example", "localhost:3000"]
        );
        assert_eq!(named("mail bob@evil.example about file..name or e.g. nothing"), ["e.g", "file..name"]);
    }

    #[test]
    fn what_is_remembered_has_an_end() {
        let mut trail = Trail::new(false);
        let text: String = (0..200_000).map(|number| format!("word{number} ")).collect();
        trail.read("a.example", &text);
        assert_eq!(trail.words["a.example"].len(), MOST_REMEMBERED);
        for number in 0..2 * MOST_SITES {
            trail.read(&format!("{number}.example"), "x");
        }
        assert!(trail.words.len() <= MOST_SITES);
    }
}
