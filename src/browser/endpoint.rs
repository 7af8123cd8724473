//! The DevTools address of a browser that gstack did not start: the argument of `connect --attach`.
//!
//! Owns the parsing of both forms, a websocket address and the port's web address, and the request to the port. Accepts
//! only loopback addresses: anyone who reaches a DevTools port controls the browser.

use super::names::resolve;
use super::websocket::{AttachError, is_local};
use gstack_base::host::without_brackets;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use url::Url;

const LIMIT: Duration = Duration::from_secs(10);
/// The answer has a few hundred bytes.
const LARGEST_ANSWER: usize = 64 * 1024;

/// An address to connect to, and what is known about the browser behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// `ws://127.0.0.1:PORT/devtools/browser/ID`
    pub address: String,
    /// The browser has no window. If only the websocket answers, a window is assumed: then its dialogs are left alone.
    pub headless: bool,
}

#[derive(Deserialize)]
struct Version {
    #[serde(rename = "webSocketDebuggerUrl")]
    websocket: String,
    #[serde(rename = "User-Agent", default)]
    user_agent: String,
}

/// Finds the browser behind `ws://127.0.0.1:PORT/…`, `http://127.0.0.1:PORT` or `127.0.0.1:PORT`. Fails if the address
/// is not on loopback or nothing answers there.
pub async fn find(typed: &str) -> Result<Endpoint, AttachError> {
    let not_local = || AttachError::NotLocal(typed.to_owned());
    let typed = typed.trim();
    let text = if typed.contains("://") { typed.to_owned() } else { format!("http://{typed}") };
    let url = Url::parse(&text).map_err(|_| not_local())?;
    if !is_local(&url) || !matches!(url.scheme(), "ws" | "http") {
        return Err(not_local());
    }
    let asked = timeout(LIMIT, version(&url)).await.unwrap_or_else(|_| Err(format!("no answer within {LIMIT:?}")));
    match asked {
        // The typed address names one browser; the port may belong to another one by now.
        Ok(version) if url.scheme() == "ws" => {
            Ok(Endpoint { address: url.into(), headless: version.user_agent.contains("Headless") })
        }
        Ok(version) => {
            let found = Url::parse(&version.websocket).ok().filter(|url| url.scheme() == "ws" && is_local(url));
            let address = found.ok_or(AttachError::NotLocal(version.websocket))?.into();
            Ok(Endpoint { address, headless: version.user_agent.contains("Headless") })
        }
        // Some browsers serve only the websocket.
        Err(_) if url.scheme() == "ws" => Ok(Endpoint { address: url.into(), headless: false }),
        Err(reason) => Err(AttachError::Unreachable { url: text, reason }),
    }
}

/// Requests `GET /json/version`.
async fn version(url: &Url) -> Result<Version, String> {
    let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or(80));
    let host = without_brackets(host);
    let addresses = resolve(host, port).await.map_err(|error| error.to_string())?;
    let stream = TcpStream::connect(addresses.as_slice()).await.map_err(|error| error.to_string())?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
    let request = Request::get("/json/version").header("host", format!("127.0.0.1:{port}")).body(Empty::<Bytes>::new());
    let answered = async {
        let request = request.map_err(|error| error.to_string())?;
        let response = sender.send_request(request).await.map_err(|error| error.to_string())?;
        if !response.status().is_success() {
            return Err(format!("it answered {} to /json/version", response.status()));
        }
        let body = Limited::new(response.into_body(), LARGEST_ANSWER);
        let bytes = body.collect().await.map_err(|error| error.to_string())?.to_bytes();
        serde_json::from_slice(&bytes)
            .map_err(|error| format!("the program that answers there is not a browser: {error}"))
    };
    // The connection is polled while the request runs, and ends with it.
    tokio::pin!(connection);
    tokio::pin!(answered);
    tokio::select! {
        answer = &mut answered => answer,
        ended = &mut connection => match ended {
            Ok(()) => answered.await,
            Err(error) => Err(error.to_string()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{AttachError, find};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    async fn port_that_says(body: String) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 1024];
            let read = stream.read(&mut request).await.unwrap();
            assert!(request[..read].starts_with(b"GET /json/version HTTP/1.1\r\n"));
            let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            stream.write_all(answer.as_bytes()).await.unwrap();
        });
        port
    }

    #[tokio::test]
    async fn a_port_tells_its_browsers_websocket() {
        let address = "ws://127.0.0.1:9/devtools/browser/x";
        let body = format!(r#"{{"webSocketDebuggerUrl":"{address}","User-Agent":"HeadlessChrome/1"}}"#);
        let port = port_that_says(body).await;
        let found = find(&format!("http://127.0.0.1:{port}")).await.unwrap();
        assert_eq!((found.address.as_str(), found.headless), (address, true));
    }

    #[tokio::test]
    async fn nothing_leads_away_from_this_machine() {
        for typed in ["http://10.0.0.1:9222", "ws://example.test/", "https://127.0.0.1:9222", "file:///x", ""] {
            assert!(matches!(find(typed).await, Err(AttachError::NotLocal(_))), "{typed}");
        }
        let port = port_that_says(r#"{"webSocketDebuggerUrl":"ws://192.0.2.1/devtools/browser/x"}"#.to_owned()).await;
        assert!(matches!(find(&format!("localhost:{port}")).await, Err(AttachError::NotLocal(_))));
        let port = port_that_says("hello".to_owned()).await;
        assert!(matches!(find(&format!("127.0.0.1:{port}")).await, Err(AttachError::Unreachable { .. })));
    }
}
