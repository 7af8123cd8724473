//! Chrome's native messaging frame: a u32 length in native byte order, then that many bytes of UTF-8 JSON.
//!
//! Owns the codec and its limits, which it checks before it allocates. `panel.sock` uses the same frames. Never parses
//! a message: messages are bytes here. Source:
//! <https://developer.chrome.com/docs/extensions/develop/concepts/native-messaging>

use byteorder::{ByteOrder, NativeEndian};
use bytes::{Buf, BufMut, Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

/// The size of the length prefix, in bytes.
pub const HEADER: usize = 4;
/// The largest message that Chrome sends to a host.
pub const MAX_FROM_CHROME: usize = 64 * 1024 * 1024;
/// The largest message that Chrome accepts from a host. If it is exceeded, Chrome disconnects the port.
pub const MAX_TO_CHROME: usize = 1_048_576;
/// The limit for a payload, so that the message stays below Chrome's limit including its envelope.
pub const COMFORTABLE: usize = 900 * 1024;

/// A frame that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// A message is larger than its receiver accepts.
    #[error("a frame of {length} bytes is larger than the limit of {limit}")]
    TooLarge {
        /// The size of the message, in bytes.
        length: usize,
        /// The largest size, in bytes.
        limit: usize,
    },
    /// A frame with no bytes, which can't be JSON.
    #[error("a frame of zero bytes holds no message")]
    Empty,
    /// The stream ended before the whole frame had arrived.
    #[error("the stream ended inside a frame: {got} of {expected} bytes")]
    Truncated {
        /// The number of bytes that arrived, including the length prefix.
        got: usize,
        /// The number of bytes that the frame needs, including the length prefix; 4 while its length is not known.
        expected: usize,
    },
    /// Reading or writing the stream failed.
    #[error("frame stream: {0}")]
    Io(#[from] std::io::Error),
}

/// Splits a byte stream into messages, and puts messages into frames.
#[derive(Clone, Copy, Debug)]
pub struct FrameCodec {
    max_in: usize,
    max_out: usize,
}

impl FrameCodec {
    /// The limits for the sender towards Chrome: the native messaging host, and the daemon that feeds it.
    pub fn host_side() -> Self {
        Self { max_in: MAX_FROM_CHROME, max_out: MAX_TO_CHROME }
    }
    /// The limits for the other end: the host reading from the daemon, and tests in Chrome's role.
    pub fn browser_side() -> Self {
        Self { max_in: MAX_TO_CHROME, max_out: MAX_FROM_CHROME }
    }
}

impl Decoder for FrameCodec {
    type Item = Bytes;
    type Error = FrameError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, FrameError> {
        if buffer.len() < HEADER {
            return Ok(None);
        }
        let length = NativeEndian::read_u32(&buffer[..HEADER]) as usize;
        if length == 0 {
            return Err(FrameError::Empty);
        }
        if length > self.max_in {
            return Err(FrameError::TooLarge { length, limit: self.max_in });
        }
        if buffer.len() < HEADER + length {
            // Allocate as bytes arrive, not by the announced length: a false length costs nothing.
            return Ok(None);
        }
        buffer.advance(HEADER);
        Ok(Some(buffer.split_to(length).freeze()))
    }

    /// The stream may end between frames; an end inside a frame is an error.
    fn decode_eof(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, FrameError> {
        if let Some(frame) = self.decode(buffer)? {
            return Ok(Some(frame));
        }
        if buffer.is_empty() {
            return Ok(None);
        }
        let expected =
            if buffer.len() < HEADER { HEADER } else { HEADER + NativeEndian::read_u32(&buffer[..HEADER]) as usize };
        Err(FrameError::Truncated { got: buffer.len(), expected })
    }
}

impl<M: AsRef<[u8]>> Encoder<M> for FrameCodec {
    type Error = FrameError;

    fn encode(&mut self, message: M, buffer: &mut BytesMut) -> Result<(), FrameError> {
        let bytes = message.as_ref();
        if bytes.is_empty() {
            return Err(FrameError::Empty);
        }
        if bytes.len() > self.max_out {
            return Err(FrameError::TooLarge { length: bytes.len(), limit: self.max_out });
        }
        let mut header = [0; HEADER];
        // The cap is far below u32::MAX, so the cast is lossless.
        NativeEndian::write_u32(&mut header, bytes.len() as u32);
        buffer.reserve(HEADER + bytes.len());
        buffer.put_slice(&header);
        buffer.put_slice(bytes);
        Ok(())
    }
}
