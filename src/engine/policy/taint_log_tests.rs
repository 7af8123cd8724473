//! Tests of what the taint log lets out and what it does not.

use super::*;
use base64::Engine as _;

const SECRET: &str =
    "Your recovery phrase is correct horse battery staple velvet moon. Key: ghpA1B2C3D4E5F6G7H8. Code 483920.";
const PHRASE: &str = "correct horse battery staple velvet moon";
const MAIL: &str = "mail.example";
const SHOP: &str = "shop.example";

fn after_reading() -> TaintLog {
    let mut log = TaintLog::new(false);
    log.person_said(
        "Look at https://mail.example/inbox and compare with shop.example.",
        Some("http://localhost:3000/x"),
    );
    log.read(MAIL, SECRET);
    log
}

/// Returns the encodings in which a page may ask for words that were read elsewhere.
fn spellings() -> Vec<String> {
    let base64 = base64::engine::general_purpose::STANDARD.encode(PHRASE);
    let url_safe = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(PHRASE);
    let hex: String = PHRASE.bytes().map(|byte| format!("{byte:02X}")).collect();
    let twice: String = PHRASE.bytes().map(|byte| format!("%25{byte:02x}")).collect();
    let rot13 = "pbeerpg ubefr onggrel fgncyr iryirg zbba".to_owned();
    let zero_width = PHRASE.replace('r', "r\u{200b}");
    let cyrillic = PHRASE.replace('o', "о").replace('e', "е");
    let reversed: String = PHRASE.chars().rev().collect();
    let joined = PHRASE.replace(' ', "");
    let mut all = vec![base64.clone(), url_safe, hex, twice, rot13, zero_width, cyrillic, reversed, joined];
    all.extend([PHRASE.to_uppercase(), PHRASE.replace(' ', "%20"), format!("ref={base64}"), "code=483920".to_owned()]);
    all
}

#[test]
fn before_anything_was_read_nothing_reaches_far() {
    let log = TaintLog::new(false);
    assert_eq!(log.risk_of_going(None, "https://new.example/?q=1"), Risk::Plain);
    assert_eq!(log.risk_of_typing(Some("a.example"), &"x ".repeat(500)), Risk::Plain);
    assert_eq!(log.risk_of_control(), Risk::Plain);
    assert_eq!(TaintLog::new(true).risk_of_going(None, "new.example"), Risk::NewSite);
    assert_eq!(TaintLog::new(true).risk_of_control(), Risk::Carrying);
    assert_eq!(TaintLog::new(true).risk_of_typing(Some("a.example"), &"x ".repeat(500)), Risk::Carrying);
}

#[test]
fn going_where_the_person_said_is_plain_and_anywhere_else_is_not() {
    let log = after_reading();
    for (address, risk) in [
        ("https://mail.example/any?what=ever&it=is&long=or&not=00000000000000000000000000000000000", Risk::Plain),
        ("https://shop.example/cart", Risk::Plain),
        ("www.shop.example", Risk::Plain),
        ("localhost:3000", Risk::Plain),
        ("https://evil.example/", Risk::NewSite),
        ("https://shop.example.evil.example/", Risk::NewSite),
        ("https://mail.example:8443/", Risk::NewSite),
        ("nonsense address", Risk::NewSite),
    ] {
        assert_eq!(log.risk_of_going(Some(MAIL), address), risk, "{address}");
    }
}

#[test]
fn words_of_another_site_go_nowhere_unasked_not_even_to_the_site_that_the_tab_is_on() {
    let log = after_reading();
    for text in spellings() {
        for from in [None, Some(MAIL), Some(SHOP), Some("other.example")] {
            for address in [format!("https://shop.example/?q={text}"), format!("https://shop.example/a/{text}#x")] {
                assert_eq!(log.risk_of_going(from, &address), Risk::Carrying, "{from:?} {address}");
            }
        }
        assert_eq!(log.risk_of_typing(Some(SHOP), &text), Risk::Carrying, "{text}");
        let link = format!("https://shop.example/?q={text}");
        assert_eq!(log.risk_of_destination(Some(SHOP), &link, false), Risk::Carrying, "{link}");
    }
    assert_eq!(log.risk_of_going(Some(MAIL), "https://me:it@shop.example/"), Risk::Carrying);
    assert_eq!(log.risk_of_going(Some(MAIL), "https://correct-horse-battery-staple-velvet.a.example/"), Risk::Carrying);
    assert_eq!(log.risk_of_typing(Some(MAIL), SECRET), Risk::Plain, "it stays where it was read");
    assert_eq!(log.risk_of_going(Some(MAIL), &format!("https://mail.example/?q={PHRASE}")), Risk::Plain);
}

#[test]
fn words_that_are_split_over_fields_addresses_and_letters_are_put_together() {
    let mut log = after_reading();
    assert_eq!(log.risk_of_typing(Some(SHOP), "correct horse battery"), Risk::Plain);
    log.typed(SHOP, "correct horse battery");
    assert_eq!(log.risk_of_typing(Some(SHOP), "staple velvet moon"), Risk::Carrying, "with what was typed before");
    assert_eq!(log.risk_of_going(Some(SHOP), "https://shop.example/?b=staple+velvet"), Risk::Carrying);
    assert_eq!(log.risk_of_typing(Some("other.example"), "staple velvet moon"), Risk::Plain);

    let mut log = after_reading();
    let pieces = ["ghpA1", "B2C3D", "4E5F6", "G7H8"];
    for (at, piece) in pieces.iter().enumerate() {
        let address = format!("https://shop.example/page{at}?part={piece}");
        let risk = log.risk_of_going(Some(SHOP), &address);
        let values = format!("https://shop.example/?part={piece}");
        if at == pieces.len() - 1 {
            assert_eq!(log.risk_of_going(Some(SHOP), &values), Risk::Carrying, "the last piece of it");
        } else {
            assert_eq!(risk, Risk::Plain, "{address}");
            log.went(&values);
        }
    }
    let mut log = after_reading();
    log.went("https://shop.example/form?a=correct+horse");
    log.went("https://shop.example/form?a=battery");
    assert_eq!(log.risk_of_going(Some(SHOP), "https://shop.example/form?a=staple+velvet"), Risk::Carrying);
    let mut log = after_reading();
    log.went("https://shop.example/a/correcthorse");
    log.went("https://shop.example/a/battery");
    assert_eq!(log.risk_of_going(Some(SHOP), "https://shop.example/a/staplevelvet"), Risk::Carrying);

    let mut log = after_reading();
    let letters: Vec<char> = PHRASE.chars().filter(|letter| letter.is_alphabetic()).collect();
    let asked = letters.iter().position(|letter| {
        let risk = log.risk_of_typing(Some(SHOP), &letter.to_string());
        log.typed(SHOP, &letter.to_string());
        risk == Risk::Carrying
    });
    assert!(asked.is_some_and(|at| at < 25), "letter by letter: {asked:?}");
}

#[test]
fn long_texts_and_addresses_that_nobody_gave_are_asked_about() {
    let mut log = after_reading();
    let long = format!("https://shop.example/?d={}", "a b".repeat(40));
    let label = format!("https://{}.evil.example/", "a".repeat(60));
    assert_eq!(log.risk_of_going(Some(MAIL), &long), Risk::Carrying);
    assert_eq!(log.risk_of_going(Some(MAIL), &label), Risk::Carrying);
    assert_eq!(log.risk_of_typing(Some(SHOP), &"lorem ".repeat(60)), Risk::Carrying);
    assert_eq!(log.risk_of_typing(Some(SHOP), "blue shoes, size 9"), Risk::Plain);
    let given = format!("https://shop.example/?d={}", "a".repeat(300));
    assert_eq!(log.risk_of_going(Some(SHOP), &given), Risk::Carrying);
    assert_eq!(log.risk_of_destination(Some(SHOP), &given, false), Risk::Plain, "the page gave it");
    log.read(SHOP, &format!("[link] Next {given} more"));
    assert_eq!(log.risk_of_going(Some(SHOP), &given), Risk::Plain, "a page of that site gave it");
    log.person_said(&format!("open {label}."), None);
    assert_eq!(log.risk_of_going(Some(MAIL), &label), Risk::Plain, "the person gave it");
}

#[test]
fn the_persons_own_words_and_those_of_the_site_itself_are_free() {
    let mut log = after_reading();
    log.read(SHOP, "Terms: we ship to the whole of the European Union within five days");
    log.read(MAIL, "Terms: we ship to the whole of the European Union within five days");
    assert_eq!(log.risk_of_typing(Some(SHOP), "ship to the whole of the European Union"), Risk::Plain);
    assert_eq!(log.risk_of_typing(Some("other.example"), "ship to the whole of the European Union"), Risk::Carrying);
    log.person_said("Type 'correct horse battery staple velvet moon' into the box", None);
    assert_eq!(log.risk_of_typing(Some(SHOP), PHRASE), Risk::Plain);
    log.read(NO_SITE, "contents of a private file in the folder");
    assert_eq!(log.risk_of_typing(Some(MAIL), "contents of a private file in"), Risk::Carrying);
}

#[test]
fn a_picture_is_the_unknown_words_of_its_site() {
    let mut log = TaintLog::new(false);
    log.person_said("buy it on shop.example for 42 EUR", None);
    log.read_unseen(MAIL);
    assert_eq!(
        log.risk_of_typing(Some(MAIL), "anything that the picture of this very site may have shown"),
        Risk::Plain
    );
    assert_eq!(log.risk_of_typing(Some(SHOP), "blue shoes"), Risk::Plain);
    assert_eq!(log.risk_of_typing(Some(SHOP), "the moon is made of green cheese"), Risk::Carrying);
    assert_eq!(log.risk_of_typing(Some(SHOP), "4711"), Risk::Carrying, "a code of a picture");
    assert_eq!(
        log.risk_of_going(Some(SHOP), "https://shop.example/search?q=the+moon+is+made+of+cheese"),
        Risk::Carrying
    );
    assert_eq!(log.risk_of_going(Some(SHOP), "https://shop.example/cart"), Risk::Plain);
    log.read(SHOP, "Deliver to: the moon is made of green cheese street");
    assert_eq!(log.risk_of_typing(Some(SHOP), "the moon is made of green cheese"), Risk::Plain, "words of the site");
}

#[test]
fn what_the_agents_own_tools_read_counts_from_their_begin() {
    let mut log = TaintLog::new(false);
    log.step_begun("s1");
    assert_eq!(log.risk_of_typing(Some(SHOP), "the moon is made of green cheese"), Risk::Carrying);
    log.step_done("s1", SECRET, true);
    assert_eq!(log.risk_of_typing(Some(SHOP), "the moon is made of green cheese"), Risk::Plain);
    assert_eq!(log.risk_of_typing(Some(SHOP), PHRASE), Risk::Carrying);
    log.step_begun("s2");
    log.steps_over();
    assert_eq!(log.risk_of_typing(Some(SHOP), "the moon is made of green cheese"), Risk::Carrying, "it was never told");
}

#[test]
fn a_form_that_sends_to_another_site_carries() {
    let log = after_reading();
    let here = Some(MAIL);
    assert_eq!(log.risk_of_destination(here, "https://mail.example/next", true), Risk::Plain);
    assert_eq!(log.risk_of_destination(here, "https://evil.example/", false), Risk::NewSite);
    assert_eq!(log.risk_of_destination(here, "https://evil.example/", true), Risk::Carrying);
    assert_eq!(log.risk_of_destination(here, "https://shop.example/", true), Risk::Plain, "the person named it");
}

#[test]
fn a_message_names_hosts_and_nothing_else() {
    let named = |text: &str| {
        let mut log = TaintLog::new(false);
        log.person_said(text, None);
        let mut named: Vec<String> = log.named.into_iter().collect();
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
fn what_has_no_room_counts_as_unseen() {
    let mut log = TaintLog::new(false);
    for part in 0..8 {
        let text: String = (0..60_000).map(|number| format!("word{} ", number * 8 + part)).collect();
        log.read("a.example", &text);
    }
    assert!(log.remembered <= MOST_REMEMBERED);
    assert_eq!(log.risk_of_typing(Some(SHOP), "the moon is made of green cheese"), Risk::Carrying);
}
