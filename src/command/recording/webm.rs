//! The WebM container: one VP8 track, with cues before the clusters.
//!
//! Owns the format. The sizes of all frames are known in advance, so the file is written in one pass. Never reads a
//! frame. Pure.
//! Source: RFC 8794 (EBML), RFC 9559 (Matroska), <https://www.webmproject.org/docs/container/>

/// Element ids, including their length marker.
mod id {
    pub(super) const EBML: u32 = 0x1A45_DFA3;
    pub(super) const EBML_VERSION: u32 = 0x4286;
    pub(super) const EBML_READ_VERSION: u32 = 0x42F7;
    pub(super) const EBML_MAX_ID_LENGTH: u32 = 0x42F2;
    pub(super) const EBML_MAX_SIZE_LENGTH: u32 = 0x42F3;
    pub(super) const DOC_TYPE: u32 = 0x4282;
    pub(super) const DOC_TYPE_VERSION: u32 = 0x4287;
    pub(super) const DOC_TYPE_READ_VERSION: u32 = 0x4285;
    pub(super) const SEGMENT: u32 = 0x1853_8067;
    pub(super) const INFO: u32 = 0x1549_A966;
    pub(super) const TIMESTAMP_SCALE: u32 = 0x002A_D7B1;
    pub(super) const DURATION: u32 = 0x4489;
    pub(super) const MUXING_APP: u32 = 0x4D80;
    pub(super) const WRITING_APP: u32 = 0x5741;
    pub(super) const TRACKS: u32 = 0x1654_AE6B;
    pub(super) const TRACK_ENTRY: u32 = 0xAE;
    pub(super) const TRACK_NUMBER: u32 = 0xD7;
    pub(super) const TRACK_UID: u32 = 0x73C5;
    pub(super) const TRACK_TYPE: u32 = 0x83;
    pub(super) const FLAG_LACING: u32 = 0x9C;
    pub(super) const CODEC_ID: u32 = 0x86;
    pub(super) const VIDEO: u32 = 0xE0;
    pub(super) const PIXEL_WIDTH: u32 = 0xB0;
    pub(super) const PIXEL_HEIGHT: u32 = 0xBA;
    pub(super) const CUES: u32 = 0x1C53_BB6B;
    pub(super) const CUE_POINT: u32 = 0xBB;
    pub(super) const CUE_TIME: u32 = 0xB3;
    pub(super) const CUE_TRACK_POSITIONS: u32 = 0xB7;
    pub(super) const CUE_TRACK: u32 = 0xF7;
    pub(super) const CUE_CLUSTER_POSITION: u32 = 0xF1;
    pub(super) const CLUSTER: u32 = 0x1F43_B675;
    pub(super) const TIMESTAMP: u32 = 0xE7;
    pub(super) const SIMPLE_BLOCK: u32 = 0xA3;
}

/// Nanoseconds in a unit of time: all times are in milliseconds.
const SCALE: u64 = 1_000_000;
const TRACK: u64 = 1;
const VIDEO_TRACK: u64 = 1;
/// Track number, relative timestamp, flags.
const BLOCK_HEAD: usize = 4;
const KEY_FRAME: u8 = 0x80;
/// In milliseconds: a block's timestamp relative to its cluster is a signed 16-bit number.
const LONGEST_CLUSTER: u64 = 30_000;

/// One frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// In milliseconds, never decreasing.
    pub(super) at: u64,
    pub(super) is_key: bool,
    pub(super) bytes: usize,
}

/// A video, described by the sizes and times of its frames.
#[derive(Debug)]
pub(super) struct Movie {
    size: (u32, u32),
    /// In milliseconds.
    length: u64,
    blocks: Vec<Block>,
    clusters: Vec<Cluster>,
}

/// Blocks with a common base time.
#[derive(Debug)]
struct Cluster {
    /// The index of its first block.
    first: usize,
    at: u64,
    /// The size of its content.
    bytes: usize,
}

impl Movie {
    /// `size` in pixels, `length` in milliseconds.
    pub(super) fn new(size: (u32, u32), length: u64, blocks: Vec<Block>) -> Self {
        let mut clusters: Vec<Cluster> = Vec::new();
        for (number, block) in blocks.iter().enumerate() {
            let is_far = clusters.last().is_none_or(|cluster| block.at - cluster.at > LONGEST_CLUSTER);
            if block.is_key || is_far {
                clusters.push(Cluster { first: number, at: block.at, bytes: unsigned(id::TIMESTAMP, block.at).len() });
            }
            if let Some(cluster) = clusters.last_mut() {
                cluster.bytes += block_head(block, cluster.at).len() + block.bytes;
            }
        }
        Self { size, length, blocks, clusters }
    }

    /// Returns everything before the first cluster.
    pub(super) fn head(&self) -> Vec<u8> {
        let mut before = [self.info(), self.tracks()].concat();
        // All numbers in the cues have eight bytes, so their size does not depend on the positions.
        let first = before.len() + self.cues(0).len();
        before.extend(self.cues(first));
        let clusters: usize = self.clusters.iter().map(|cluster| cluster_head(cluster).len() + cluster.content()).sum();
        [ebml(), opening(id::SEGMENT, before.len() + clusters), before].concat()
    }

    /// Returns what precedes a frame: the head of its block, and of the cluster that it begins.
    pub(super) fn before(&self, number: usize) -> Vec<u8> {
        let after = self.clusters.partition_point(|cluster| cluster.first <= number);
        let (Some(cluster), Some(block)) = (self.clusters[..after].last(), self.blocks.get(number)) else {
            return Vec::new();
        };
        let mut head = if cluster.first == number { cluster_head(cluster) } else { Vec::new() };
        head.extend(block_head(block, cluster.at));
        head
    }

    fn info(&self) -> Vec<u8> {
        let app = text(id::MUXING_APP, "gstack");
        let scale = unsigned(id::TIMESTAMP_SCALE, SCALE);
        let duration = element(id::DURATION, &(self.length as f64).to_be_bytes());
        element(id::INFO, &[scale, duration, app, text(id::WRITING_APP, "gstack")].concat())
    }

    fn tracks(&self) -> Vec<u8> {
        let (width, height) = self.size;
        let video = [unsigned(id::PIXEL_WIDTH, width.into()), unsigned(id::PIXEL_HEIGHT, height.into())].concat();
        let entry = [
            unsigned(id::TRACK_NUMBER, TRACK),
            unsigned(id::TRACK_UID, TRACK),
            unsigned(id::FLAG_LACING, 0),
            unsigned(id::TRACK_TYPE, VIDEO_TRACK),
            text(id::CODEC_ID, "V_VP8"),
            element(id::VIDEO, &video),
        ];
        element(id::TRACKS, &element(id::TRACK_ENTRY, &entry.concat()))
    }

    /// Returns the cues. `first` is the position of the first cluster in the segment.
    fn cues(&self, first: usize) -> Vec<u8> {
        let mut place = first;
        let mut points = Vec::new();
        for cluster in &self.clusters {
            if self.blocks[cluster.first].is_key {
                let track = unsigned(id::CUE_TRACK, TRACK);
                let position = element(id::CUE_CLUSTER_POSITION, &(place as u64).to_be_bytes());
                let time = element(id::CUE_TIME, &cluster.at.to_be_bytes());
                let positions = element(id::CUE_TRACK_POSITIONS, &[track, position].concat());
                points.extend(element(id::CUE_POINT, &[time, positions].concat()));
            }
            place += cluster_head(cluster).len() + cluster.content();
        }
        element(id::CUES, &points)
    }
}

impl Cluster {
    /// The size of its blocks in bytes.
    fn content(&self) -> usize {
        self.bytes - unsigned(id::TIMESTAMP, self.at).len()
    }
}

/// Returns a cluster's id, size and timestamp.
fn cluster_head(cluster: &Cluster) -> Vec<u8> {
    [opening(id::CLUSTER, cluster.bytes), unsigned(id::TIMESTAMP, cluster.at)].concat()
}

fn block_head(block: &Block, cluster_at: u64) -> Vec<u8> {
    let mut head = opening(id::SIMPLE_BLOCK, BLOCK_HEAD + block.bytes);
    head.extend(size(TRACK));
    // Fits, because a cluster is at most LONGEST_CLUSTER long.
    head.extend(u16::try_from(block.at - cluster_at).unwrap_or_default().to_be_bytes());
    head.push(if block.is_key { KEY_FRAME } else { 0 });
    head
}

fn ebml() -> Vec<u8> {
    let fields = [
        unsigned(id::EBML_VERSION, 1),
        unsigned(id::EBML_READ_VERSION, 1),
        unsigned(id::EBML_MAX_ID_LENGTH, 4),
        unsigned(id::EBML_MAX_SIZE_LENGTH, 8),
        text(id::DOC_TYPE, "webm"),
        unsigned(id::DOC_TYPE_VERSION, 4),
        unsigned(id::DOC_TYPE_READ_VERSION, 2),
    ];
    element(id::EBML, &fields.concat())
}

fn element(id: u32, content: &[u8]) -> Vec<u8> {
    [opening(id, content.len()), content.to_vec()].concat()
}

/// Returns an element's id and size.
fn opening(id: u32, bytes: usize) -> Vec<u8> {
    [shortest(id.into()), size(bytes as u64)].concat()
}

fn text(id: u32, text: &str) -> Vec<u8> {
    element(id, text.as_bytes())
}

fn unsigned(id: u32, value: u64) -> Vec<u8> {
    element(id, &shortest(value))
}

/// Writes a number without leading zeros, in one byte at least.
fn shortest(value: u64) -> Vec<u8> {
    let bytes = value.to_be_bytes();
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count().min(bytes.len() - 1);
    bytes[zeros..].to_vec()
}

/// Writes a variable-length size of EBML: the leading zero bits count the following bytes. All ones would mean
/// "unknown".
fn size(value: u64) -> Vec<u8> {
    let length = (1..8).find(|length| value < (1 << (7 * length)) - 1).unwrap_or(8);
    let marked = value | (1 << (7 * length));
    marked.to_be_bytes()[8 - length..].to_vec()
}

#[cfg(test)]
#[path = "webm_tests.rs"]
mod webm_tests;
