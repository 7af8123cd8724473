//! Sends one request over `http.sock` and reads the answer, on the process's only thread, without an async runtime.
//!
//! Owns the bytes of that exchange. Starts no daemon and retries nothing. `None` means that nothing was sent, and the
//! caller uses `http::Client` instead. Like that client, waits for an answer as long as the daemon says that it is
//! healthy.

use super::http::{ANSWER_LIMIT, ASK_AGAIN, PATIENCE, gone, refused, silent, unreadable};
use gstack_base::home::Home;
use gstack_protocol::fault::Fault;
use hyper::StatusCode;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Read at a time, in bytes. Most answers fit in it.
const CHUNK: usize = 64 * 1024;
const END_OF_HEAD: &[u8] = b"\r\n\r\n";
/// The message of hyper, which the other client reports.
const CLOSED_EARLY: &str = "connection closed before message completed";

/// Posts `body` as JSON and reads the answer. `None` if no daemon could be reached; nothing was sent. Fails if the
/// daemon refuses the request or its answer is lost.
pub fn post<T: DeserializeOwned>(home: &Home, path: &str, body: &impl Serialize) -> Option<Result<T, Fault>> {
    let body = serde_json::to_vec(body).ok()?;
    let stream = UnixStream::connect(home.http_socket()).ok()?;
    stream.set_nonblocking(true).ok()?;
    let mut exchange = Exchange { home, stream };
    Some(exchange.run(&request("POST", path, &body)).and_then(|answer| answer.value()))
}

/// Uses HTTP/1.0, so the answer is not chunked: it has a length or ends with the connection.
fn request(method: &str, path: &str, body: &[u8]) -> Vec<u8> {
    let mut request = format!(
        "{method} {path} HTTP/1.0\r\nhost: localhost\r\naccept: application/json\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    request.extend_from_slice(body);
    request
}

struct Exchange<'a> {
    home: &'a Home,
    /// Non-blocking.
    stream: UnixStream,
}

impl Exchange<'_> {
    fn run(&mut self, request: &[u8]) -> Result<Answer, Fault> {
        self.send(request)?;
        let mut received = Vec::new();
        let mut chunk = vec![0; CHUNK];
        loop {
            if let Some(answer) = Answer::whole(&received, false)? {
                return Ok(answer);
            }
            match self.stream.read(&mut chunk) {
                Ok(0) => return Answer::whole(&received, true)?.ok_or_else(|| gone(CLOSED_EARLY.to_owned())),
                Ok(read) => received.extend_from_slice(chunk.get(..read).unwrap_or_default()),
                Err(error) => self.wait(&error, PollFlags::IN)?,
            }
        }
    }

    fn send(&mut self, mut request: &[u8]) -> Result<(), Fault> {
        while !request.is_empty() {
            match self.stream.write(request) {
                Ok(written) => request = request.get(written..).unwrap_or_default(),
                // The daemon has already answered, and reads no further.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
                Err(error) => self.wait(&error, PollFlags::OUT)?,
            }
        }
        Ok(())
    }

    /// Waits until the stream is ready for the operation that failed with `trouble`.
    fn wait(&self, trouble: &io::Error, on: PollFlags) -> Result<(), Fault> {
        match trouble.kind() {
            io::ErrorKind::Interrupted => return Ok(()),
            io::ErrorKind::WouldBlock => {}
            _ => return Err(gone(trouble.to_string())),
        }
        let mut patience = PATIENCE;
        while !ready(&[(&self.stream, on)], patience)? {
            // If the daemon has gone, it is not hung: the stream reports that.
            if let Some(health) = self.ask_health()
                && !ready(&[(&self.stream, on), (&health, PollFlags::IN)], ANSWER_LIMIT)?
            {
                return Err(silent(self.home));
            }
            patience = ASK_AGAIN;
        }
        Ok(())
    }

    fn ask_health(&self) -> Option<UnixStream> {
        let mut stream = UnixStream::connect(self.home.http_socket()).ok()?;
        stream.write_all(&request("GET", "/health", b"")).ok()?;
        Some(stream)
    }
}

/// Returns whether one of the streams becomes ready within the limit.
fn ready(streams: &[(&UnixStream, PollFlags)], limit: Duration) -> Result<bool, Fault> {
    let deadline = Instant::now() + limit;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut watched: Vec<PollFd<'_>> =
            streams.iter().map(|(stream, on)| PollFd::from_borrowed_fd(stream.as_fd(), *on)).collect();
        match poll(&mut watched, Timespec::try_from(left).ok().as_ref()) {
            Ok(count) => return Ok(count > 0),
            Err(Errno::INTR) => {}
            Err(error) => return Err(gone(error.to_string())),
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Answer {
    status: StatusCode,
    body: Vec<u8>,
}

impl Answer {
    /// Parses the answer in these bytes. `None` while it is incomplete. `ended`: no more bytes follow.
    fn whole(received: &[u8], ended: bool) -> Result<Option<Self>, Fault> {
        let Some(end) = received.windows(END_OF_HEAD.len()).position(|bytes| bytes == END_OF_HEAD) else {
            return Ok(None);
        };
        let (head, body) = received.split_at(end);
        let body = body.get(END_OF_HEAD.len()..).unwrap_or_default();
        let head = String::from_utf8_lossy(head);
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|first| first.strip_prefix("HTTP/1.")?.split(' ').nth(1)?.parse().ok());
        let status = status.ok_or_else(|| gone("invalid HTTP version parsed".to_owned()))?;
        let length = lines.filter_map(|line| line.split_once(':')).find_map(|(name, value)| {
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
        });
        let body = match length {
            Some(length) => body.get(..length),
            None => ended.then_some(body),
        };
        Ok(body.map(|body| Self { status, body: body.to_vec() }))
    }

    fn value<T: DeserializeOwned>(self) -> Result<T, Fault> {
        match self.status.is_success() {
            true => serde_json::from_slice(&self.body).map_err(|error| unreadable(&error)),
            false => Err(refused(self.status, &self.body)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::fault::FaultCode;
    use std::os::unix::net::UnixListener;

    /// Answers one request with these pieces, after reading all of it. Returns the bytes that it read.
    fn answered(pieces: &'static [&'static str], body: &str) -> (Option<Result<String, Fault>>, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::named(folder.path().to_owned());
        let listener = UnixListener::bind(home.http_socket()).unwrap();
        let expected = request("POST", "/x", &serde_json::to_vec(body).unwrap()).len();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut read = vec![0; expected];
            stream.read_exact(&mut read).unwrap();
            for piece in pieces {
                // The client stops reading at the end of the answer.
                stream.write_all(piece.as_bytes()).ok();
                std::thread::yield_now();
            }
            read
        });
        let outcome = post::<String>(&home, "/x", &body);
        (outcome, server.join().unwrap())
    }

    #[test]
    fn an_answer_is_read_whole_in_whatever_pieces_it_comes() {
        let pieces = &["HTTP/1.0 20", "0 OK\r\nContent-Length: 7\r\n\r", "\n\"he", "llo\"", "more"];
        let (outcome, sent) = answered(pieces, "a\u{e4}");
        assert_eq!(outcome.unwrap().unwrap(), "hello");
        let sent = String::from_utf8(sent).unwrap();
        assert!(
            sent.starts_with("POST /x HTTP/1.0\r\nhost: localhost\r\n") && sent.ends_with("\r\n\r\n\"aä\""),
            "{sent}"
        );
        let without_length = &["HTTP/1.0 200 OK\r\n\r\n\"to the end\""];
        assert_eq!(answered(without_length, "").0.unwrap().unwrap(), "to the end");
    }

    #[test]
    fn a_large_request_and_a_large_answer_pass_through_full_buffers() {
        let large = "x".repeat(3 << 20);
        assert_eq!(answered(&["HTTP/1.0 200 OK\r\ncontent-length: 4\r\n\r\n\"ok\""], &large).0.unwrap().unwrap(), "ok");
        static ANSWER: std::sync::LazyLock<String> =
            std::sync::LazyLock::new(|| format!("HTTP/1.0 200 OK\r\n\r\n\"{}\"", "y".repeat(3 << 20)));
        static PIECES: std::sync::LazyLock<Vec<&'static str>> = std::sync::LazyLock::new(|| vec![ANSWER.as_str()]);
        assert_eq!(answered(&PIECES, "").0.unwrap().unwrap().len(), 3 << 20);
    }

    #[test]
    fn a_refusal_keeps_its_fault_and_a_lost_answer_is_an_unknown_outcome() {
        let code = |pieces| answered(pieces, "").0.unwrap().unwrap_err().code;
        let refusal = "HTTP/1.1 404 Not Found\r\n\r\n{\"fault\":{\"code\":\"not-found\",\"message\":\"no\"}}";
        static REFUSAL: std::sync::OnceLock<Vec<&'static str>> = std::sync::OnceLock::new();
        assert_eq!(code(REFUSAL.get_or_init(|| vec![refusal])), FaultCode::NotFound);
        assert_eq!(code(&["HTTP/1.1 500 Oh\r\n\r\nwords"]), FaultCode::Internal);
        assert_eq!(code(&["HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n\"cut"]), FaultCode::OutcomeUnknown);
        assert_eq!(code(&[""]), FaultCode::OutcomeUnknown);
        assert_eq!(code(&["nonsense\r\n\r\n"]), FaultCode::OutcomeUnknown);
        assert_eq!(code(&["HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n{"]), FaultCode::ProtocolMismatch);
    }

    #[test]
    fn without_a_daemon_nothing_is_sent() {
        let folder = tempfile::tempdir().unwrap();
        assert!(post::<String>(&Home::named(folder.path().to_owned()), "/x", &"").is_none());
    }
}
