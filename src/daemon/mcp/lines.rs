//! MCP on standard input and output: one message per line.
//!
//! Owns the lines. A malformed message is answered here and never reaches the SDK. A single task writes, so that
//! messages do not interleave and none is cut off.

use super::batches::{Batches, Sending};
use super::malformed::{self, Answer};
use futures_util::StreamExt;
use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::value::RawValue;
use std::collections::VecDeque;
use std::io;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, FramedRead};

/// In bytes. A client that never ends its line must not exhaust the memory.
const LONGEST_LINE: usize = 16 * 1024 * 1024;
/// The number of messages that wait to be written. A client that reads slowly slows the sender down.
const WAITING: usize = 16;
/// In bytes. While more of answers wait for a client that does not read, none of its requests is read.
const MOST_UNREAD: usize = 4 * 1024 * 1024;

pub(super) struct Lines<R> {
    input: FramedRead<R, AnyDelimiterCodec>,
    output: Option<mpsc::Sender<(Vec<u8>, Counted)>>,
    /// The bytes of messages that wait to be written or to be queued for that.
    unread: watch::Sender<usize>,
    /// An answer that has not been queued yet, because `receive` may be dropped while it waits.
    owed: Option<Vec<u8>>,
    /// The messages of a batch that have not been returned yet.
    queued: VecDeque<RxJsonRpcMessage<RoleServer>>,
    batches: Batches,
    /// The reader stops once after a line that was too long, and continues with the next one.
    skipped: bool,
}

/// Returns the transport, and the task that ends when everything is written.
pub(super) fn lines<R, W>(input: R, output: W) -> (Lines<R>, JoinHandle<io::Result<()>>)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (sender, messages) = mpsc::channel(WAITING);
    let codec = AnyDelimiterCodec::new_with_max_length(b"\n".to_vec(), b"\n".to_vec(), LONGEST_LINE);
    let input = FramedRead::new(input, codec);
    let unread = watch::Sender::new(0);
    let (queued, batches) = (VecDeque::new(), Batches::default());
    let lines = Lines { input, output: Some(sender), unread, owed: None, queued, batches, skipped: false };
    (lines, tokio::spawn(write(output, messages)))
}

/// Messages that wait are counted as long as this lives.
struct Counted {
    unread: watch::Sender<usize>,
    bytes: usize,
}

impl Counted {
    fn new(unread: &watch::Sender<usize>, bytes: usize) -> Self {
        unread.send_modify(|all| *all += bytes);
        Self { unread: unread.clone(), bytes }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.unread.send_modify(|all| *all -= self.bytes);
    }
}

async fn write(
    mut output: impl AsyncWrite + Unpin,
    mut messages: mpsc::Receiver<(Vec<u8>, Counted)>,
) -> io::Result<()> {
    while let Some((mut message, _counted)) = messages.recv().await {
        message.push(b'\n');
        output.write_all(&message).await?;
        output.flush().await?;
    }
    Ok(())
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::NotConnected, "the MCP client reads no longer")
}

impl<R> Lines<R> {
    fn take_batch(&mut self, messages: &[&RawValue]) {
        let (mut requests, mut answers) = (Vec::new(), Vec::new());
        for message in messages {
            match read(message.get().as_bytes()) {
                Read::Message(read) => {
                    requests.push(*message);
                    self.queued.push_back(*read);
                }
                Read::Answer(answer) => answers.push(answer.to_json()),
                Read::Nothing => {}
            }
        }
        self.owed = self.batches.open(&requests, answers);
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(&mut self, item: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (output, unread, batches) = (self.output.clone(), self.unread.clone(), self.batches.clone());
        async move {
            let Sending::Now(message) = batches.outgoing(serde_json::to_vec(&item)?) else { return Ok(()) };
            let counted = Counted::new(&unread, message.len());
            output.ok_or_else(closed)?.send((message, counted)).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(owed) = &self.owed {
                let counted = Counted::new(&self.unread, owed.len());
                self.output.as_ref()?.send((owed.clone(), counted)).await.ok()?;
                self.owed = None;
            }
            if let Some(message) = self.queued.pop_front() {
                return Some(message);
            }
            // `self` holds the sending half, so this only ends when less waits.
            self.unread.subscribe().wait_for(|bytes| *bytes <= MOST_UNREAD).await.ok()?;
            match self.input.next().await {
                Some(Ok(line)) => match self.batches.messages(line.trim_ascii()) {
                    Some(messages) => self.take_batch(&messages),
                    None => match read(&line) {
                        Read::Message(message) => {
                            self.batches.note(&line);
                            return Some(*message);
                        }
                        Read::Answer(answer) => self.owed = Some(answer.to_json()),
                        Read::Nothing => {}
                    },
                },
                Some(Err(AnyDelimiterCodecError::MaxChunkLengthExceeded)) => {
                    self.skipped = true;
                    self.owed = Some(Answer::too_long().to_json());
                }
                Some(Err(AnyDelimiterCodecError::Io(error))) => {
                    tracing::warn!(%error, "standard input can't be read");
                    return None;
                }
                None if std::mem::take(&mut self.skipped) => {}
                None => return None,
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output = None;
        Ok(())
    }
}

enum Read {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    Answer(Answer),
    Nothing,
}

fn read(line: &[u8]) -> Read {
    const MARK: &[u8] = b"\xEF\xBB\xBF";
    let line = line.strip_prefix(MARK).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Read::Nothing;
    }
    if let Some(answer) = malformed::answer_to(line) {
        return Read::Answer(answer);
    }
    match serde_json::from_slice(line) {
        Ok(message) => Read::Message(Box::new(message)),
        Err(error) => {
            tracing::debug!(%error, "a notification or an answer of the MCP client was skipped");
            Read::Nothing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_LINE, MOST_UNREAD, lines};
    use futures_util::FutureExt;
    use rmcp::RoleServer;
    use rmcp::service::TxJsonRpcMessage;
    use rmcp::transport::Transport;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

    #[tokio::test]
    async fn a_client_that_does_not_read_its_answers_is_not_read_either() {
        let (mut client, input) = tokio::io::duplex(1024);
        let (output, mut answers) = tokio::io::duplex(1024);
        let (mut lines, _written) = lines(input, output);
        client.write_all(format!("{PING}\n{PING}\n").as_bytes()).await.unwrap();
        assert!(lines.receive().await.is_some());
        let words = "x".repeat(MOST_UNREAD / 2);
        let answer = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": 1, "message": words } });
        let answer: TxJsonRpcMessage<RoleServer> = serde_json::from_value(answer).unwrap();
        for _ in 0..3 {
            tokio::spawn(lines.send(answer.clone()));
        }
        let mut waiting = lines.unread.subscribe();
        waiting.wait_for(|bytes| *bytes > MOST_UNREAD).await.unwrap();
        assert!(lines.receive().now_or_never().is_none(), "its next request waits");
        tokio::spawn(async move { tokio::io::copy(&mut answers, &mut tokio::io::sink()).await });
        assert!(lines.receive().await.is_some(), "it reads again");
    }

    #[tokio::test]
    async fn what_can_not_be_read_is_answered_and_what_follows_is_heard() {
        let (mut client, input) = tokio::io::duplex(1024);
        let (output, mut answers) = tokio::io::duplex(1024);
        let (mut lines, written) = lines(input, output);
        let speak = tokio::spawn(async move {
            client.write_all(b"nonsense\n\n  \r\n\xEF\xBB\xBF").await.unwrap();
            client.write_all(format!("{PING}\r\n").as_bytes()).await.unwrap();
            let long = vec![b'x'; 64 * 1024];
            for _ in 0..=LONGEST_LINE / long.len() {
                client.write_all(&long).await.unwrap();
            }
            client.write_all(format!("\n{PING}\n{{\"half").as_bytes()).await.unwrap();
        });
        let heard = tokio::spawn(async move {
            let mut heard = 0;
            while lines.receive().await.is_some() {
                heard += 1;
            }
            lines.close().await.unwrap();
            heard
        });
        let mut text = String::new();
        answers.read_to_string(&mut text).await.unwrap();
        speak.await.unwrap();
        assert_eq!(heard.await.unwrap(), 2);
        written.await.unwrap().unwrap();
        let codes: Vec<bool> = text.lines().map(|line| line.contains("-32700") || line.contains("too long")).collect();
        assert_eq!(codes, [true; 3], "{text}");
    }
}
