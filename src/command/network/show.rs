//! One request in full, for a person or an agent.
//!
//! Owns the text, what is cut, and what agents are not shown: bodies of other sites' responses, which the page itself
//! may not be allowed to read.

use super::record::{header_of, is_of, line, numbered};
use super::redact;
use crate::core::{Arguments, Context, Output};
use crate::privacy::redaction;
use gstack_base::clock::iso;
use gstack_base::metadata::is_metadata_url;
use gstack_base::site::SiteOrPage;
use gstack_browser::page::{Answer, Body, Exchange, Header, Page, SocketMessage, Timing};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::{Value, json};

/// The default number of body characters to show.
const SHOWN: usize = 4000;
/// In bytes. A larger body is not searched for secrets, and so is not shown.
const LARGEST: usize = 16 * 1024 * 1024;

pub(super) async fn show(context: &Context, page: &Page, arguments: &Arguments, id: &str) -> Result<Output, Fault> {
    let number: u64 = arguments.number("id", id)?;
    let limit = match arguments.value("--limit") {
        Some(text) => arguments.number("--limit", text)?,
        None => SHOWN,
    };
    let here = SiteOrPage::of(&page.url()?);
    let exchange = page.exchange(number).ok_or_else(|| no_such(number))?;
    if context.for_model && !is_of(&exchange.record, &here) {
        return Err(Fault::new(FaultCode::Forbidden, format!("request {number} was made by another site's document"))
            .hint("Go to that site first: its requests are shown only there."));
    }
    if is_metadata_url(&exchange.record.url) || page.refuses_answer(&exchange) {
        return Err(Fault::new(FaultCode::UrlRefused, format!("request {number} was answered from a refused address"))
            .hint("gstack reads nothing from such addresses."));
    }
    let shows_answer = !context.for_model || SiteOrPage::of(&exchange.record.url) == here;
    let posted = page.request_body(&exchange).await?;
    let answered = if shows_answer { Some(page.response_body(&exchange).await?) } else { None };
    let mime = header_of(&exchange.request_headers, "content-type").unwrap_or_default();
    let sent = Shown::of(&posted, mime, limit);
    let came = answered.map(|body| Shown::of(&body, exchange.answer.as_ref().map_or("", |answer| &answer.mime), limit));
    let text = words(&exchange, &sent, came.as_ref());
    let data = data(&exchange, &sent, came.as_ref());
    Ok(Output::from_page(text, page.url()?).data(data))
}

fn no_such(number: u64) -> Fault {
    Fault::new(FaultCode::NotFound, format!("there is no request {number} in this tab"))
        .hint("See them: gstack network list")
        .command("gstack network list")
}

/// A body in the form to show.
struct Shown {
    /// `None` if nothing can be shown.
    text: Option<String>,
    /// The number of characters of the whole body.
    length: usize,
    /// Why there is no text, or that it is cut.
    note: Option<String>,
}

impl Shown {
    fn of(body: &Body, mime: &str, limit: usize) -> Self {
        let without = |length, note: String| Self { text: None, length, note: Some(note) };
        match body {
            Body::None => Self { text: None, length: 0, note: None },
            Body::Gone => without(0, "the browser no longer has it".to_owned()),
            Body::Binary(bytes) => without(bytes.len(), format!("binary, {} bytes: not shown", bytes.len())),
            Body::Text(text) if text.len() > LARGEST => without(text.len(), format!("{} bytes: too large", text.len())),
            Body::Text(text) => {
                let clean = redact::body(mime, text);
                let length = clean.chars().count();
                let shown: String = clean.chars().take(limit).collect();
                let note = (length > limit).then(|| format!("cut: {limit} of {length} characters (--limit {length})"));
                Self { text: Some(shown), length, note }
            }
        }
    }

    fn words(&self, title: &str, lines: &mut Vec<String>) {
        let note = self.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
        match &self.text {
            Some(text) => lines.extend([String::new(), format!("{title}{note}:"), text.clone()]),
            None if self.note.is_some() => lines.extend([String::new(), format!("{title}{note}")]),
            None => {}
        }
    }

    fn data(&self) -> Value {
        json!({ "text": self.text, "length": self.length, "note": self.note })
    }
}

fn words(exchange: &Exchange, sent: &Shown, came: Option<&Shown>) -> String {
    let record = &exchange.record;
    let mut lines =
        vec![format!("{} [{}] {}", record.number, record.kind, line(record, &redaction::text(&record.url)))];
    lines.push(format!("Sent {}", iso(record.at)));
    if !exchange.initiator.is_empty() {
        lines.push(format!("Requested by {}", redaction::text(&exchange.initiator)));
    }
    lines.extend(exchange.answer.as_ref().map(from));
    lines.extend(exchange.timing.as_ref().map(timing_words));
    if !exchange.is_kept {
        lines.push("Headers and bodies are no longer kept, because too much was sent since.".to_owned());
    }
    headers("Request headers", &exchange.request_headers, &mut lines);
    sent.words("Request body", &mut lines);
    if let Some(answer) = &exchange.answer {
        headers("Response headers", &answer.headers, &mut lines);
    }
    match came {
        Some(came) => came.words("Response body", &mut lines),
        None => lines.extend([String::new(), "Response body (another site's: not shown to agents)".to_owned()]),
    }
    if !exchange.messages.is_empty() {
        let left_out = match exchange.messages_left_out {
            0 => String::new(),
            some => format!(", {some} before them are no longer kept"),
        };
        lines.extend([String::new(), format!("Messages ({}{left_out}):", exchange.messages.len())]);
        lines.extend(exchange.messages.iter().map(message_words));
    }
    lines.join("\n")
}

fn headers(title: &str, headers: &[Header], lines: &mut Vec<String>) {
    if headers.is_empty() {
        return;
    }
    lines.extend([String::new(), format!("{title}:")]);
    lines.extend(headers.iter().map(|header| format!("  {}: {}", header.0, redact::header(header))));
}

/// Formats `200 OK over h2 from 127.0.0.1:8080`.
fn from(answer: &Answer) -> String {
    let mut words = format!("{} {}", answer.status, answer.status_text).trim_end().to_owned();
    if !answer.protocol.is_empty() {
        words.push_str(&format!(" over {}", answer.protocol));
    }
    match (answer.from, &answer.address) {
        ("", Some(address)) => {
            let port = answer.port.map(|port| format!(":{port}")).unwrap_or_default();
            words.push_str(&format!(" from {address}{port}"));
        }
        ("", None) => {}
        (other, _) => words.push_str(&format!(" from the {other}")),
    }
    words
}

fn timing_words(timing: &Timing) -> String {
    let parts = [("blocked", timing.blocked), ("dns", timing.dns), ("connect", timing.connect), ("tls", timing.ssl)];
    let always = [("send", timing.send), ("wait", timing.wait), ("receive", timing.receive)];
    let happened = parts.into_iter().filter_map(|(name, took)| took.map(|took| (name, took))).chain(always);
    let words: Vec<String> = happened.map(|(name, took)| format!("{name} {took:.1} ms")).collect();
    format!("Timing: {}", words.join(", "))
}

fn message_words(message: &SocketMessage) -> String {
    let arrow = if message.sent { "→" } else { "←" };
    format!("  {} {arrow} {} {}", iso(message.at), message.kind, redact::body("", &message.text))
}

fn data(exchange: &Exchange, sent: &Shown, came: Option<&Shown>) -> Value {
    let named = |headers: &[Header]| -> Vec<Value> {
        headers.iter().map(|header| json!({ "name": header.0, "value": redact::header(header) })).collect()
    };
    let mut data = numbered(&exchange.record);
    data["kept"] = json!(exchange.is_kept);
    data["initiator"] = json!(redaction::text(&exchange.initiator));
    data["request"] = json!({ "headers": named(&exchange.request_headers), "body": sent.data() });
    data["response"] = exchange.answer.as_ref().map_or(Value::Null, |answer| {
        json!({ "status": answer.status, "statusText": answer.status_text, "protocol": answer.protocol,
            "mimeType": answer.mime, "address": answer.address, "port": answer.port, "from": answer.from,
            "headers": named(&answer.headers), "body": came.map(Shown::data) })
    });
    data["timing"] = exchange.timing.map_or(Value::Null, |timing| {
        json!({ "blocked": timing.blocked, "dns": timing.dns, "connect": timing.connect, "ssl": timing.ssl,
            "send": timing.send, "wait": timing.wait, "receive": timing.receive })
    });
    let messages: Vec<Value> = exchange
        .messages
        .iter()
        .map(|message| {
            json!({ "at": iso(message.at), "sent": message.sent, "kind": message.kind,
                "text": redact::body("", &message.text), "length": message.length })
        })
        .collect();
    data["messages"] = json!(messages);
    data["messagesLeftOut"] = json!(exchange.messages_left_out);
    data
}
