//! One request with its response, in HAR form.
//!
//! Owns the format, and redacts every place that can hold a secret: addresses and their query parameters, headers,
//! cookies, request and response bodies, WebSocket messages.

use super::archive::PAGE;
use super::cookies;
use crate::network::record::header_of;
use crate::network::redact;
use crate::privacy::redaction;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gstack_base::clock::iso;
use gstack_base::host::without_brackets;
use gstack_browser::page::{Body, Exchange, Header, SocketMessage};
use serde_json::{Value, json};
use url::form_urlencoded;

/// The status of a request without a response, as Playwright writes it.
const NOT_ANSWERED: i32 = -1;

/// The sign of a request body that is not in the file.
const LEFT_OUT: &str = "The body is left out: it is not text, or the browser no longer has it.";

/// Whether secrets are redacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Redacts(pub(super) bool);

impl Redacts {
    pub(super) fn address(self, url: &str) -> String {
        if self.0 { redaction::text(url) } else { url.to_owned() }
    }

    fn header(self, header: &Header) -> String {
        if self.0 { redact::header(header) } else { header.1.clone() }
    }

    fn body(self, mime: &str, text: &str) -> String {
        if self.0 { redact::body(mime, text) } else { text.to_owned() }
    }
}

pub(super) struct Entry {
    pub(super) exchange: Exchange,
    pub(super) posted: Body,
    /// The response body; `None` if it is not in the recording.
    pub(super) body: Option<Body>,
    pub(super) redacts: Redacts,
}

impl Entry {
    pub(super) fn has_body(&self) -> bool {
        matches!(&self.body, Some(Body::Text(_) | Body::Binary(_)))
    }

    pub(super) fn data(&self) -> Value {
        let Exchange { record, timing, answer, .. } = &self.exchange;
        let timing = timing.unwrap_or_default();
        let part = |part: Option<f64>| part.unwrap_or(-1.0);
        let parts =
            [timing.blocked, timing.dns, timing.connect, Some(timing.send), Some(timing.wait), Some(timing.receive)];
        let time: f64 = parts.into_iter().flatten().sum();
        let mut entry = json!({
            "pageref": PAGE,
            "startedDateTime": iso(record.at),
            "time": time,
            "request": self.request(),
            "response": self.response(),
            "cache": {},
            "timings": { "blocked": part(timing.blocked), "dns": part(timing.dns), "connect": part(timing.connect),
                "ssl": part(timing.ssl), "send": timing.send, "wait": timing.wait, "receive": timing.receive },
            "_resourceType": record.kind,
        });
        if let Some(address) = answer.as_ref().and_then(|answer| answer.address.as_ref()) {
            entry["serverIPAddress"] = json!(without_brackets(address));
        }
        if record.kind == "websocket" {
            let messages = self.exchange.messages.iter().map(|message| self.message(message));
            entry["_webSocketMessages"] = messages.collect();
        }
        entry
    }

    fn request(&self) -> Value {
        let Exchange { record, request_headers, answer, .. } = &self.exchange;
        let url = self.redacts.address(&record.url);
        let mut request = json!({
            "method": record.method,
            "url": url,
            "httpVersion": version(answer.as_ref().map_or("", |answer| &answer.protocol)),
            "cookies": cookies::sent(request_headers, self.redacts.0),
            "headers": self.headers(request_headers),
            // Parsed from the redacted address, so it contains no more than that.
            "queryString": pairs(query_of(&url)),
            "headersSize": -1,
            "bodySize": self.posted.size(),
        });
        if let Body::Gone | Body::Binary(_) = &self.posted {
            // Without `postData`: Playwright would replay only a request with that very text.
            request["bodySize"] = json!(-1);
            request["comment"] = json!(LEFT_OUT);
        }
        if let Body::Text(text) = &self.posted {
            let mime = header_of(request_headers, "content-type").unwrap_or_default();
            let text = self.redacts.body(mime, text);
            let is_form = mime.starts_with("application/x-www-form-urlencoded");
            let params = if is_form { pairs(&text) } else { Vec::new() };
            request["postData"] = json!({ "mimeType": mime, "params": params, "text": text });
        }
        request
    }

    fn response(&self) -> Value {
        let Exchange { record, answer, .. } = &self.exchange;
        let Some(answer) = answer else {
            return json!({ "status": NOT_ANSWERED, "statusText": "", "httpVersion": version(""), "cookies": [], "headers": [],
                "content": { "size": -1, "mimeType": "x-unknown" }, "redirectURL": "", "headersSize": -1, "bodySize": -1,
                "_failureText": record.failed });
        };
        let location = header_of(&answer.headers, "location").unwrap_or_default();
        json!({
            "status": answer.status,
            "statusText": answer.status_text,
            "httpVersion": version(&answer.protocol),
            "cookies": cookies::set(&answer.headers, self.redacts.0),
            "headers": self.headers(&answer.headers),
            "content": self.content(&answer.mime),
            "redirectURL": self.redacts.address(location),
            "headersSize": -1,
            "bodySize": -1,
            "_transferSize": record.size,
            "_failureText": record.failed,
        })
    }

    fn content(&self, mime: &str) -> Value {
        let mime = if mime.is_empty() { "x-unknown" } else { mime };
        match &self.body {
            Some(Body::Text(text)) => {
                let text = self.redacts.body(mime, text);
                json!({ "size": text.len(), "mimeType": mime, "text": text })
            }
            Some(Body::Binary(bytes)) => {
                json!({ "size": bytes.len(), "mimeType": mime, "text": STANDARD.encode(bytes), "encoding": "base64" })
            }
            _ => json!({ "size": -1, "mimeType": mime }),
        }
    }

    /// Omits HTTP/2 pseudo-headers, whose names start with a colon.
    fn headers(&self, headers: &[Header]) -> Vec<Value> {
        let headers = headers.iter().filter(|(name, _)| !name.starts_with(':'));
        headers.map(|header| json!({ "name": header.0, "value": self.redacts.header(header) })).collect()
    }

    fn message(&self, message: &SocketMessage) -> Value {
        let opcode = if message.kind == "binary" { 2 } else { 1 };
        json!({ "type": if message.sent { "send" } else { "receive" }, "time": message.at as f64 / 1000.0,
            "opcode": opcode, "data": self.redacts.body("", &message.text) })
    }
}

fn version(protocol: &str) -> String {
    match protocol {
        "" => "HTTP/1.1".to_owned(),
        "h2" => "HTTP/2.0".to_owned(),
        "h3" => "HTTP/3.0".to_owned(),
        other => other.to_uppercase(),
    }
}

fn query_of(url: &str) -> &str {
    let address = url.split_once('#').map_or(url, |(address, _)| address);
    address.split_once('?').map_or("", |(_, query)| query)
}

fn pairs(query: &str) -> Vec<Value> {
    form_urlencoded::parse(query.as_bytes()).map(|(name, value)| json!({ "name": name, "value": value })).collect()
}

#[cfg(test)]
mod tests {
    use super::{pairs, query_of, version};

    #[test]
    fn a_query_and_a_version_are_read_as_har_has_them() {
        assert_eq!(query_of("http://a/?b=c&d=%20e#f?g"), "b=c&d=%20e");
        assert_eq!(pairs("b=c&d=%20e")[1]["value"], " e");
        assert_eq!(query_of("http://a/#?b"), "");
        assert_eq!((version("http/1.1").as_str(), version("h2").as_str()), ("HTTP/1.1", "HTTP/2.0"));
    }
}
