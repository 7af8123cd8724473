//! Fuzz targets: one for each reader of untrusted bytes, with the guarantees that no input may break. Compiled only for
//! tests and with the feature `fuzzing`. `fuzz/` runs the targets under `cargo fuzz`; the tests here run them with
//! seeded bytes.
//!
//! A target panics if a guarantee is broken. Set `GSTACK_FUZZ_BYTES` to change the amount of input.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![warn(unreachable_pub)]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::{Bytes, BytesMut};
use futures_util::FutureExt;
use gstack_base::host::without_brackets;
use gstack_base::lookalike::Words;
use gstack_chat::journal::read::Limits;
use gstack_chat::journal::{JOURNAL_FILE, Journal};
use gstack_command::{envelope, url_guard};
use gstack_daemon::lets_in;
use gstack_engine::{check_proof, confirmed_in, policy_rules_of, signed_text};
use gstack_protocol::frame::{FrameCodec, HEADER, MAX_FROM_CHROME, MAX_TO_CHROME};
use gstack_protocol::ids::ConversationId;
use gstack_protocol::keeper::{Control, Greeting, KeeperReport, LaunchPlan, NulFrames};
use gstack_protocol::panel_key::PanelProve;
use gstack_protocol::rpc::Envelope;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use std::collections::HashSet;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::OnceLock;
use tokio_util::codec::{Decoder, Encoder};

/// Native messaging frames in pieces: the output matches the length prefixes, and an announced length alone allocates
/// nothing.
pub fn frames(bytes: &[u8]) {
    for (codec, limit) in [(FrameCodec::host_side(), MAX_FROM_CHROME), (FrameCodec::browser_side(), MAX_TO_CHROME)] {
        let mut codec = codec;
        let mut buffer = BytesMut::new();
        let mut taken = 0;
        let mut ended = false;
        // The first byte determines the size of the pieces.
        let piece = usize::from(bytes.first().copied().unwrap_or(1)) * 7 + 1;
        for part in bytes.chunks(piece) {
            buffer.extend_from_slice(part);
            loop {
                match codec.decode(&mut buffer) {
                    Ok(Some(message)) => {
                        assert!(!message.is_empty() && message.len() <= limit);
                        assert_eq!(&bytes[taken + HEADER..taken + HEADER + message.len()], &message[..]);
                        taken += HEADER + message.len();
                        serde_json::from_slice::<Envelope>(&message).ok();
                        written_again(&message);
                    }
                    Ok(None) => break,
                    Err(_) => {
                        ended = true;
                        break;
                    }
                }
            }
            assert!(buffer.capacity() <= 2 * bytes.len() + 64 * 1024, "memory follows the bytes, not their word");
            if ended {
                break;
            }
        }
        if !ended && codec.decode_eof(&mut buffer).is_ok_and(|message| message.is_none()) {
            assert_eq!(taken, bytes.len(), "a clean end lies on a boundary");
        }
    }
}

fn written_again(message: &Bytes) {
    let mut buffer = BytesMut::new();
    let mut codec = FrameCodec::browser_side();
    if codec.encode(message, &mut buffer).is_ok() {
        assert_eq!(FrameCodec::host_side().decode(&mut buffer).ok().flatten().as_ref(), Some(message));
    }
}

/// The keeper's socket, plan and report: any bytes are split at NUL, then parsed or refused.
pub fn keeper(bytes: &[u8]) {
    let mut frames = NulFrames::new(bytes);
    let mut taken = 0;
    // An in-memory stream never blocks.
    while let Some(Ok(Some(message))) = frames.next().now_or_never() {
        assert_eq!(&bytes[taken..taken + message.len()], &message[..]);
        assert!(!message.contains(&0));
        taken += message.len() + 1;
        if let Ok(control) = serde_json::from_slice::<Control>(&message) {
            let text = serde_json::to_string(&control).unwrap_or_default();
            assert!(serde_json::from_str::<Control>(&text).is_ok_and(|again| again == control));
        }
        serde_json::from_slice::<Greeting>(&message).ok();
    }
    serde_json::from_slice::<LaunchPlan>(bytes).ok();
    serde_json::from_slice::<KeeperReport>(bytes).ok();
}

/// The guard of the loopback port, with one header on each line: refuses every page and foreign host.
pub fn http_guard(bytes: &[u8]) {
    let mut headers = HeaderMap::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let Some(at) = line.iter().position(|byte| *byte == b':') else { continue };
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(&line[..at]), HeaderValue::from_bytes(&line[at + 1..])) {
            headers.append(name, value);
        }
    }
    if !lets_in(&headers) {
        return;
    }
    assert!(!headers.contains_key("origin"), "a page's request came in");
    for name in ["host", "sec-fetch-site"] {
        assert!(headers.get_all(name).iter().count() <= 1, "{name} came twice");
    }
    let host = headers.get("host").and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.split(':').next().unwrap_or_default();
    assert!(name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost"), "{host:?} came in");
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    assert!(matches!(site, None | Some(b"none" | b"same-origin")), "{site:?} came in");
}

/// The envelope: content cannot forge a marker.
pub fn envelope(bytes: &[u8]) {
    let wrapped = envelope::wrap_for_model(&String::from_utf8_lossy(bytes));
    let marker = Words::new("UNTRUSTED TEXT");
    let (first, rest) = wrapped.split_once('\n').unwrap_or_default();
    let (body, last) = rest.rsplit_once('\n').unwrap_or_default();
    assert_eq!(marker.find(first).len(), 1, "{first}");
    assert_eq!(marker.find(last).len(), 1, "{last}");
    assert!(marker.find(body).is_empty(), "{body}");
    let nonce = |line: &str, before: &str| line.strip_prefix(before).and_then(|rest| rest.get(..8)).map(str::to_owned);
    let first = nonce(first, "[UNTRUSTED TEXT ");
    assert!(first.is_some() && first == nonce(last, "[END UNTRUSTED TEXT "));
}

/// The URL guard: every address it accepts is a web page on a host that is not a metadata service.
pub fn url_guard(bytes: &[u8]) {
    let typed = String::from_utf8_lossy(bytes);
    let Ok(url) = url_guard::check(&typed) else { return };
    if url.as_str() == "about:blank" {
        return;
    }
    assert!(matches!(url.scheme(), "http" | "https"), "{url}");
    assert!(url_guard::check(url.as_str()).is_ok_and(|again| again == url), "{url} is read as another address");
    let host = without_brackets(url.host_str().unwrap_or_default());
    assert!(!host.is_empty(), "{url}");
    // Checked independently of the guard: link-local IPv4 addresses, and the metadata address in the last four octets
    // of an IPv6 address.
    match host.trim_end_matches('.').parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => assert!(!address.is_link_local(), "{url}"),
        Ok(IpAddr::V6(address)) => assert_ne!(&address.octets()[12..], [169, 254, 169, 254], "{url}"),
        Err(_) => assert_ne!(host.trim_end_matches('.'), "metadata.google.internal"),
    }
}

/// `policy.json`: a file that cannot be parsed completely yields no rules.
pub fn policy_file(bytes: &[u8]) {
    let file = scratch("policy.json");
    if std::fs::write(&file, bytes).is_err() {
        return;
    }
    if policy_rules_of(file).is_some() {
        let value: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
        assert_eq!(value["version"], 1, "rules of something that is not a policy");
    }
}

/// The challenge that [`known_proof`] signs, and the home below.
const CHALLENGE: &str = "challenge";
const HOME: &str = "home";

/// Returns an extension's valid answer to [`CHALLENGE`]. Never `None`: the scalar is valid.
fn known_proof() -> Option<&'static PanelProve> {
    static KNOWN: OnceLock<Option<PanelProve>> = OnceLock::new();
    let make = || {
        let key = SigningKey::from_slice(&[7; 32]).ok()?;
        let public_key = STANDARD.encode(key.verifying_key().to_sec1_point(false).as_bytes());
        let signature: Signature = key.sign(signed_text(CHALLENGE, HOME, &public_key).as_bytes());
        Some(PanelProve { public_key, signature: STANDARD.encode(signature.to_bytes()) })
    };
    KNOWN.get_or_init(make).as_ref()
}

/// A panel's proof, as parsed input and as the known proof with flipped bits: only the known proof is valid, and only
/// for its challenge and home.
pub fn panel_proof(bytes: &[u8]) {
    let Some(known) = known_proof() else { return };
    if let Ok(prove) = serde_json::from_slice::<PanelProve>(bytes)
        && check_proof(&prove, CHALLENGE, HOME).is_ok()
    {
        assert_eq!(prove.public_key, known.public_key, "another key's proof");
    }
    let text = String::from_utf8_lossy(bytes);
    assert!(check_proof(known, CHALLENGE, HOME).is_ok());
    assert_eq!(check_proof(known, &text, HOME).is_ok(), text == CHALLENGE, "good for the challenge {text:?}");
    assert_eq!(check_proof(known, CHALLENGE, &text).is_ok(), text == HOME, "good for the home {text:?}");
    let turned = |text: &str, mask: &[u8]| {
        let mut bytes = STANDARD.decode(text).unwrap_or_default();
        bytes.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
        STANDARD.encode(bytes)
    };
    let signature = bytes.get(65..).unwrap_or_default();
    let odd =
        PanelProve { public_key: turned(&known.public_key, bytes), signature: turned(&known.signature, signature) };
    assert_eq!(check_proof(&odd, CHALLENGE, HOME).is_ok(), odd == *known, "a proof that nobody made");
}

/// `panels.json`: a file that cannot be parsed completely confirms no key, and every accepted file has the format that
/// gstack writes.
pub fn panels_file(bytes: &[u8]) {
    let file = scratch("panels.json");
    if std::fs::write(&file, bytes).is_err() {
        return;
    }
    let Some(keys) = confirmed_in(file) else { return };
    let value: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
    assert_eq!(value["version"], 1, "keys of something that is not a list of panels");
    assert_eq!(value["panels"].as_array().map(Vec::len), Some(keys.len()), "keys left out or made up");
    assert!(keys.len() <= 64 && keys.iter().collect::<HashSet<_>>().len() == keys.len(), "too many, or one twice");
}

/// A journal: whatever its bytes, opening it keeps all complete lines, and events written later can be read back.
pub fn journal(bytes: &[u8]) {
    let folder = scratch("journal");
    std::fs::remove_dir_all(&folder).ok();
    if std::fs::create_dir_all(&folder).is_err() || std::fs::write(folder.join(JOURNAL_FILE), bytes).is_err() {
        return;
    }
    let Ok(journal) = Journal::open(&folder, ConversationId::new("c-fuzz")) else { return };
    let limits = Limits { events: 100, bytes: 1 << 20 };
    if let Ok(page) = journal.page(0, u64::MAX, limits) {
        assert!(page.events.len() <= limits.events);
        assert!(page.events.windows(2).all(|pair| pair[0].seq < pair[1].seq), "out of order");
        assert!(page.events.iter().all(|event| event.seq <= journal.head()), "beyond the head");
    }
}

/// Returns a path in the temp directory that belongs to this process.
fn scratch(name: &str) -> PathBuf {
    let thread = std::thread::current().id();
    let folder = std::env::temp_dir().join(format!("gstack-fuzz-{}-{thread:?}", std::process::id()));
    std::fs::create_dir_all(&folder).ok();
    folder.join(name)
}

#[cfg(test)]
mod tests;
