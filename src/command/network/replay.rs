//! A HAR file as the answers of a route.
//!
//! Owns reading the file. Leaves out what an agent may not put into an answer.
//!
//! Source: HAR 1.2, <http://www.softwareishard.com/blog/har-12-spec/>

use crate::core::{Context, wrong};
use crate::network::route::is_for_agents;
use crate::privacy::path_guard;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gstack_browser::routes::{Replayed, RouteAct, RouteAnswer};
use gstack_protocol::fault::Fault;
use serde::Deserialize;

/// Headers of the transfer: the browser gets the whole body, decoded.
const OF_TRANSFER: [&str; 4] = ["content-encoding", "content-length", "transfer-encoding", "connection"];

#[derive(Deserialize)]
struct Har {
    log: Log,
}

#[derive(Deserialize)]
struct Log {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    request: Request,
    response: Response,
}

#[derive(Deserialize)]
struct Request {
    method: String,
    url: String,
}

#[derive(Deserialize)]
struct Response {
    status: i32,
    #[serde(default)]
    headers: Vec<Header>,
    #[serde(default)]
    content: Content,
}

#[derive(Deserialize)]
struct Header {
    name: String,
    value: String,
}

#[derive(Default, Deserialize)]
struct Content {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    encoding: Option<String>,
}

/// Reads the file. Fails if it is no HAR file, or has no answer to give.
pub(super) async fn read(context: &Context, file: &str) -> Result<RouteAct, Fault> {
    let path = path_guard::input_path(context, file)?;
    let bytes = path_guard::read_bytes(&path).await?;
    let har: Har = serde_json::from_slice(&bytes).map_err(|error| wrong(format!("{file} is no HAR file: {error}")))?;
    let answered = har.log.entries.into_iter().filter_map(|entry| answer(entry, context.for_model));
    let replayed = Replayed::new(answered);
    if replayed.is_empty() {
        return Err(
            wrong(format!("{file} has no answers with bodies")).hint("Record them with: gstack har start --bodies")
        );
    }
    Ok(RouteAct::Replay(replayed))
}

/// An entry without a body is left to the server, unless its status has none.
fn answer(entry: Entry, for_model: bool) -> Option<(String, String, RouteAnswer)> {
    let Entry { request, response } = entry;
    let status = u16::try_from(response.status).ok().filter(|status| (200..=599).contains(status))?;
    if for_model && (300..400).contains(&status) {
        return None;
    }
    let is_bodyless = matches!(status, 204 | 301 | 302 | 303 | 304 | 307 | 308) || request.method == "HEAD";
    let body = match (response.content.text, response.content.encoding.as_deref()) {
        (Some(text), Some("base64")) => STANDARD.decode(text).ok()?,
        (Some(text), _) => text.into_bytes(),
        (None, _) if is_bodyless => Vec::new(),
        (None, _) => return None,
    };
    let headers = response.headers.into_iter().map(|Header { name, value }| (name.to_ascii_lowercase(), value));
    let headers =
        headers.filter(|(name, _)| !OF_TRANSFER.contains(&name.as_str()) && (!for_model || is_for_agents(name)));
    let answer = RouteAnswer { status, headers: headers.collect(), body, answers_preflights: false };
    Some((request.method, request.url, answer))
}

#[cfg(test)]
mod tests {
    use super::{Har, answer};

    #[test]
    fn an_agents_replay_sets_no_cookie_and_leads_nowhere() {
        let file = r#"{"log":{"entries":[
            {"request":{"method":"GET","url":"http://a/"},"response":{"status":200,"headers":[
                {"name":"Set-Cookie","value":"a=b"},{"name":"Content-Encoding","value":"br"},{"name":"Content-Type","value":"text/html"}],
                "content":{"size":2,"mimeType":"text/html","text":"aGk=","encoding":"base64"}}},
            {"request":{"method":"GET","url":"http://a/old"},"response":{"status":302,"headers":[{"name":"Location","value":"/"}],
                "content":{"size":0,"mimeType":""}}},
            {"request":{"method":"GET","url":"http://a/lost"},"response":{"status":-1,"headers":[],"content":{"size":-1}}}]}}"#;
        let read = |for_model: bool| {
            let har: Har = serde_json::from_str(file).unwrap();
            har.log.entries.into_iter().filter_map(|entry| answer(entry, for_model)).collect::<Vec<_>>()
        };
        let all = read(false);
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].2.body, b"hi");
        assert_eq!(all[0].2.headers.len(), 2);
        let of_agent = read(true);
        assert_eq!(of_agent.len(), 1);
        assert_eq!(of_agent[0].2.headers, [("content-type".to_owned(), "text/html".to_owned())]);
    }
}
