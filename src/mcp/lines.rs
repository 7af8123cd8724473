//! MCP on standard input and output: one message per line.
//!
//! Owns the lines. A malformed message is answered here and never reaches the SDK. A single task writes, so that
//! messages do not interleave and none is cut off.

use super::malformed::{self, Answer};
use bytes::Bytes;
use futures_util::StreamExt;
use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::io;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, FramedRead};

/// In bytes. A client that never ends its line must not exhaust the memory.
const LONGEST_LINE: usize = 16 * 1024 * 1024;
/// The number of messages that wait to be written. A client that reads slowly slows the sender down.
const WAITING: usize = 16;

pub(super) struct Lines<R> {
    input: FramedRead<R, AnyDelimiterCodec>,
    output: Option<mpsc::Sender<Vec<u8>>>,
    /// An answer that has not been queued yet, because `receive` may be dropped while it waits.
    owed: Option<Vec<u8>>,
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
    let lines = Lines { input, output: Some(sender), owed: None, skipped: false };
    (lines, tokio::spawn(write(output, messages)))
}

async fn write(mut output: impl AsyncWrite + Unpin, mut messages: mpsc::Receiver<Vec<u8>>) -> io::Result<()> {
    while let Some(mut message) = messages.recv().await {
        message.push(b'\n');
        output.write_all(&message).await?;
        output.flush().await?;
    }
    Ok(())
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::NotConnected, "the MCP client reads no longer")
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(&mut self, item: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = self.output.clone();
        async move {
            let message = serde_json::to_vec(&item)?;
            output.ok_or_else(closed)?.send(message).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(owed) = &self.owed {
                self.output.as_ref()?.send(owed.clone()).await.ok()?;
                self.owed = None;
            }
            match self.input.next().await {
                Some(Ok(line)) => match read(&line) {
                    Read::Message(message) => return Some(*message),
                    Read::Answer(answer) => self.owed = Some(answer.to_json()),
                    Read::Nothing => {}
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

fn read(line: &Bytes) -> Read {
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
    use super::{LONGEST_LINE, lines};
    use rmcp::transport::Transport;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

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
