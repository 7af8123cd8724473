//! Transports of DevTools messages to and from a browser, one whole message at a time.
//!
//! Owns the two traits and the stream transport (NUL-terminated messages, the framing of the DevTools pipe). Never
//! looks into a message.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use gstack_protocol::keeper::NulFrames;
use std::io;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

/// The sending half. One call is one write if the medium allows it.
pub trait MessageSink: Send {
    fn send<'a>(&'a mut self, messages: &'a [Vec<u8>]) -> BoxFuture<'a, io::Result<()>>;
}

/// The receiving half: returns the next whole message, `None` once the other side has closed.
pub trait MessageSource: Send {
    fn next(&mut self) -> BoxFuture<'_, io::Result<Option<Bytes>>>;
}

/// Both halves of a connection to one browser.
pub struct Transport {
    pub sink: Box<dyn MessageSink>,
    pub source: Box<dyn MessageSource>,
}

impl Transport {
    /// Sends NUL-terminated messages over a pair of byte streams.
    pub fn over(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self::from_frames(NulFrames::new(reader), writer)
    }

    /// Like `over`, with a reader that has already read a greeting.
    pub fn from_frames<R: AsyncRead + Send + Unpin + 'static>(
        frames: NulFrames<R>,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self { sink: Box::new(NulSink { writer, buffer: Vec::new() }), source: Box::new(NulSource { frames }) }
    }
}

struct NulSink<W> {
    writer: W,
    /// Reused between writes, so that a batch needs no allocation.
    buffer: Vec<u8>,
}

impl<W: AsyncWrite + Send + Unpin> MessageSink for NulSink<W> {
    fn send<'a>(&'a mut self, messages: &'a [Vec<u8>]) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            self.buffer.clear();
            for message in messages {
                self.buffer.extend_from_slice(message);
                self.buffer.push(0);
            }
            self.writer.write_all(&self.buffer).await
        })
    }
}

struct NulSource<R> {
    frames: NulFrames<R>,
}

impl<R: AsyncRead + Send + Unpin> MessageSource for NulSource<R> {
    fn next(&mut self) -> BoxFuture<'_, io::Result<Option<Bytes>>> {
        Box::pin(self.frames.next())
    }
}
