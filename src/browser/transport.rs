//! How DevTools messages reach a browser: whole messages out, whole messages in.
//!
//! Owns the two traits and the stream transport (NUL-ended messages, the DevTools pipe's framing).
//! Never looks into a message.

use crate::protocol::keeper::NulFrames;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use std::io;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

/// The way out. One call is one write where the medium allows it.
pub trait MessageSink: Send {
    fn send<'a>(&'a mut self, messages: &'a [Vec<u8>]) -> BoxFuture<'a, io::Result<()>>;
}

/// The way in: the next whole message, `None` once the other side has closed.
pub trait MessageSource: Send {
    fn next(&mut self) -> BoxFuture<'_, io::Result<Option<Bytes>>>;
}

/// Both ways to one browser.
pub struct Transport {
    pub sink: Box<dyn MessageSink>,
    pub source: Box<dyn MessageSource>,
}

impl Transport {
    /// NUL-ended messages over a pair of byte streams.
    pub fn over(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self::from_frames(NulFrames::new(reader), writer)
    }

    /// As `over`, going on with a reader that a greeting was already read from.
    pub fn from_frames<R: AsyncRead + Send + Unpin + 'static>(
        frames: NulFrames<R>,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self { sink: Box::new(NulSink { writer, buffer: Vec::new() }), source: Box::new(NulSource { frames }) }
    }
}

struct NulSink<W> {
    writer: W,
    /// Kept between writes, so that a batch costs no allocation.
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
