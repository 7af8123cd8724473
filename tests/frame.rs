//! The native messaging frame in a stream: cut anywhere, ended anywhere, with wrong lengths.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where its world breaks")]

use bytes::{Bytes, BytesMut};
use gstack_protocol::frame::{FrameCodec, FrameError, HEADER, MAX_FROM_CHROME, MAX_TO_CHROME};
use gstack_protocol::rpc::Envelope;
use proptest::prelude::*;
use tokio_util::codec::{Decoder, Encoder};

/// Returns all messages of a stream that arrives in the given pieces and then ends.
fn read(mut codec: FrameCodec, pieces: impl IntoIterator<Item = Bytes>) -> Result<Vec<Bytes>, FrameError> {
    let mut buffer = BytesMut::new();
    let mut messages = Vec::new();
    for piece in pieces {
        buffer.extend_from_slice(&piece);
        while let Some(message) = codec.decode(&mut buffer)? {
            messages.push(message);
        }
    }
    while let Some(message) = codec.decode_eof(&mut buffer)? {
        messages.push(message);
    }
    Ok(messages)
}

fn write(mut codec: FrameCodec, messages: &[Vec<u8>]) -> Bytes {
    let mut buffer = BytesMut::new();
    for message in messages {
        codec.encode(message, &mut buffer).unwrap();
    }
    buffer.freeze()
}

/// Cuts the stream at the given places (modulo its length).
fn cut(stream: &Bytes, places: &[usize]) -> Vec<Bytes> {
    let mut places: Vec<_> = places.iter().map(|place| place % (stream.len() + 1)).collect();
    places.sort_unstable();
    let mut pieces = Vec::new();
    let mut from = 0;
    for place in places {
        pieces.push(stream.slice(from..place));
        from = place;
    }
    pieces.push(stream.slice(from..));
    pieces
}

fn messages() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(any::<u8>(), 1..300), 0..12)
}

proptest! {
    #[test]
    fn messages_come_out_as_they_went_in_however_the_stream_is_cut(
        messages in messages(),
        places in prop::collection::vec(any::<usize>(), 0..20),
    ) {
        let stream = write(FrameCodec::browser_side(), &messages);
        let found = read(FrameCodec::host_side(), cut(&stream, &places)).unwrap();
        prop_assert_eq!(found, messages);
    }

    #[test]
    fn an_end_on_a_boundary_is_clean_and_one_inside_a_frame_is_an_error(
        messages in messages(),
        place in any::<usize>(),
    ) {
        let stream = write(FrameCodec::browser_side(), &messages);
        let place = place % (stream.len() + 1);
        let mut boundaries = vec![0];
        for message in &messages {
            boundaries.push(boundaries[boundaries.len() - 1] + HEADER + message.len());
        }
        let outcome = read(FrameCodec::host_side(), [stream.slice(..place)]);
        match boundaries.iter().position(|boundary| *boundary == place) {
            Some(whole) => prop_assert_eq!(outcome.unwrap(), &messages[..whole]),
            None => {
                let truncated = matches!(outcome, Err(FrameError::Truncated { got, expected }) if got < expected);
                prop_assert!(truncated);
            }
        }
    }

    #[test]
    fn noise_never_panics_and_never_makes_the_buffer_grow(noise in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut buffer = BytesMut::from(&noise[..]);
        let before = buffer.capacity();
        // Whatever length the noise claims, nothing is reserved for it.
        let outcome = FrameCodec::host_side().decode(&mut buffer);
        prop_assert!(buffer.capacity() <= before);
        if let Ok(Some(message)) = outcome {
            prop_assert!(message.len() + HEADER <= noise.len());
        }
    }
}

#[test]
fn a_length_over_the_cap_is_refused_before_its_bytes_come() {
    for (codec, limit) in [(FrameCodec::host_side(), MAX_FROM_CHROME), (FrameCodec::browser_side(), MAX_TO_CHROME)] {
        for length in [limit + 1, u32::MAX as usize] {
            let header = Bytes::copy_from_slice(&(length as u32).to_ne_bytes());
            let error = read(codec, [header]).unwrap_err();
            assert!(
                matches!(error, FrameError::TooLarge { length: told, limit: cap } if told == length && cap == limit)
            );
        }
        let header = Bytes::copy_from_slice(&(limit as u32).to_ne_bytes());
        assert!(
            matches!(read(codec, [header]).unwrap_err(), FrameError::Truncated { .. }),
            "the cap itself is allowed"
        );
    }
}

#[test]
fn chrome_is_never_sent_a_message_that_would_cut_the_port() {
    let mut buffer = BytesMut::new();
    let mut codec = FrameCodec::host_side();
    codec.encode(vec![b' '; MAX_TO_CHROME], &mut buffer).unwrap();
    let before = buffer.len();
    let error = codec.encode(vec![b' '; MAX_TO_CHROME + 1], &mut buffer).unwrap_err();
    assert!(matches!(error, FrameError::TooLarge { .. }));
    assert_eq!(buffer.len(), before, "nothing of a refused message is written");
}

#[test]
fn a_frame_of_zero_bytes_is_refused_both_ways() {
    assert!(matches!(read(FrameCodec::host_side(), [Bytes::from_static(&[0; 4])]), Err(FrameError::Empty)));
    assert!(matches!(FrameCodec::host_side().encode([], &mut BytesMut::new()), Err(FrameError::Empty)));
}

/// The codec passes on bytes; the envelope decides what they mean. After bytes that are not a message, the stream
/// continues at the next frame.
#[test]
fn a_frame_that_is_no_json_spoils_only_itself() {
    let bad: [&[u8]; 4] = [b"\xff\xfe", b"{\"id\":", b"[]", b"{\"id\":-1}"];
    let mut sent: Vec<Vec<u8>> = bad.iter().map(|bytes| bytes.to_vec()).collect();
    sent.push(br#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{}}"#.to_vec());
    let found = read(FrameCodec::host_side(), [write(FrameCodec::browser_side(), &sent)]).unwrap();
    let (last, spoiled) = found.split_last().unwrap();
    for bytes in spoiled {
        let outcome = serde_json::from_slice::<Envelope>(bytes);
        let empty = outcome.as_ref().is_ok_and(|envelope| envelope.method.is_none() && envelope.id.is_none());
        assert!(outcome.is_err() || empty, "{bytes:?} was taken for a message");
    }
    let good: Envelope = serde_json::from_slice(last).unwrap();
    assert_eq!((good.id, good.method.as_deref()), (Some(7), Some("ping")));
}
