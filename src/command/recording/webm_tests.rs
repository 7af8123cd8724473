//! The form of a WebM file, read by a small reader of EBML.

use super::{Block, LONGEST_CLUSTER, Movie, id, shortest, size};

/// One element: its id, its place in the file, its content.
#[derive(Clone, Debug)]
struct Found {
    id: u32,
    start: usize,
    content: Vec<u8>,
    content_start: usize,
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}

/// The elements in these bytes, which lie at `start` in the file. Every byte belongs to one.
fn elements(bytes: &[u8], start: usize) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let id_length = bytes[at].leading_zeros() as usize + 1;
        let id = u32::try_from(number(&bytes[at..at + id_length])).unwrap();
        let after = at + id_length;
        let length = bytes[after].leading_zeros() as usize + 1;
        let content = number(&bytes[after..after + length]) & ((1 << (7 * length)) - 1);
        let from = after + length;
        let end = from + usize::try_from(content).unwrap();
        found.push(Found { id, start: start + at, content: bytes[from..end].to_vec(), content_start: start + from });
        at = end;
    }
    found
}

fn inside(found: &Found) -> Vec<Found> {
    elements(&found.content, found.content_start)
}

fn child(found: &Found, id: u32) -> Found {
    inside(found).into_iter().find(|inner| inner.id == id).unwrap_or_else(|| panic!("no {id:x} in {:x}", found.id))
}

fn written(movie: &Movie) -> Vec<u8> {
    let mut file = movie.head();
    for (number, block) in movie.blocks.iter().enumerate() {
        file.extend(movie.before(number));
        file.extend(vec![number as u8; block.bytes]);
    }
    file
}

fn block(at: u64, is_key: bool, bytes: usize) -> Block {
    Block { at, is_key, bytes }
}

#[test]
fn sizes_and_numbers_are_as_short_as_they_can_be() {
    for (value, written) in [
        (0, &[0x80][..]),
        (126, &[0xFE]),
        (127, &[0x40, 0x7F]),
        (16_382, &[0x7F, 0xFE]),
        (16_383, &[0x20, 0x3F, 0xFF]),
        (1 << 40, &[0x05, 0, 0, 0, 0, 0]),
        (1 << 49, &[0x01, 2, 0, 0, 0, 0, 0, 0]),
    ] {
        assert_eq!(size(value), written, "{value}");
    }
    assert_eq!([0, 255, 256].map(shortest), [vec![0], vec![255], vec![1, 0]]);
}

#[test]
fn the_head_says_what_the_video_is() {
    let movie = Movie::new((640, 360), 12_345, vec![block(0, true, 10)]);
    let all = elements(&written(&movie), 0);
    assert_eq!(all.iter().map(|found| found.id).collect::<Vec<_>>(), [id::EBML, id::SEGMENT]);
    assert_eq!(child(&all[0], id::DOC_TYPE).content, b"webm");
    let info = child(&all[1], id::INFO);
    let duration: [u8; 8] = child(&info, id::DURATION).content.try_into().unwrap();
    assert_eq!(
        (f64::from_be_bytes(duration), number(&child(&info, id::TIMESTAMP_SCALE).content)),
        (12_345.0, 1_000_000)
    );
    let track = child(&child(&all[1], id::TRACKS), id::TRACK_ENTRY);
    assert_eq!(child(&track, id::CODEC_ID).content, b"V_VP8");
    let video = child(&track, id::VIDEO);
    assert_eq!([id::PIXEL_WIDTH, id::PIXEL_HEIGHT].map(|side| number(&child(&video, side).content)), [640, 360]);
}

#[test]
fn every_block_has_its_time_and_its_bytes_and_every_cue_leads_to_a_key_frame() {
    let blocks = vec![
        block(0, true, 300),
        block(40, false, 1),
        block(9_000, true, 20_000),
        block(9_000 + LONGEST_CLUSTER, false, 5),
        block(9_001 + LONGEST_CLUSTER, false, 70),
        block(90_000, true, 0),
    ];
    let movie = Movie::new((2, 2), 91_000, blocks.clone());
    let segment = elements(&written(&movie), 0).remove(1);
    let mut read = Vec::new();
    let mut key_clusters = Vec::new();
    for cluster in inside(&segment).into_iter().filter(|found| found.id == id::CLUSTER) {
        let at = number(&child(&cluster, id::TIMESTAMP).content);
        let simple: Vec<Found> = inside(&cluster).into_iter().filter(|found| found.id == id::SIMPLE_BLOCK).collect();
        if simple[0].content[3] == 0x80 {
            key_clusters.push((at, cluster.start - segment.content_start));
        }
        for found in simple {
            assert_eq!(found.content[0], 0x81, "the track");
            let after = i16::from_be_bytes([found.content[1], found.content[2]]);
            assert!(found.content[4..].iter().all(|byte| usize::from(*byte) == read.len()), "its own bytes");
            let at = at + u64::try_from(after).unwrap();
            read.push(block(at, found.content[3] == 0x80, found.content.len() - 4));
        }
    }
    assert_eq!(read, blocks);
    let cues: Vec<(u64, usize)> = inside(&child(&segment, id::CUES))
        .iter()
        .map(|point| {
            let place = child(&child(point, id::CUE_TRACK_POSITIONS), id::CUE_CLUSTER_POSITION);
            (number(&child(point, id::CUE_TIME).content), number(&place.content) as usize)
        })
        .collect();
    assert_eq!(cues, key_clusters);
    assert_eq!(cues.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 9_000, 90_000]);
}
