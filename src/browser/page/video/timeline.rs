//! The frames of a video in order, with captions and with repeated frames so that players can seek to any time.
//!
//! Owns the arrangement. Pure.

use std::collections::BTreeSet;
use std::sync::Arc;

/// How long a caption is shown at least, in milliseconds: most commands are too fast to read.
const READ_FOR: u64 = 1500;
/// The longest time without a frame, in milliseconds: players seek badly in gaps.
const MOST_APART: u64 = 500;

/// A caption, with times in milliseconds since the first frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Caption {
    pub(super) from: u64,
    /// `None` while the command runs.
    pub(super) until: Option<u64>,
    pub(super) words: Arc<str>,
}

impl Caption {
    fn ends(&self, length: u64) -> u64 {
        self.until.map_or(length, |until| until.max(self.from + READ_FOR))
    }
}

/// One frame of the video.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shot {
    /// In milliseconds.
    pub at: u64,
    /// The number of the recorded frame.
    pub frame: usize,
    /// The caption; empty for none.
    pub words: Arc<str>,
}

/// Arranges the frames of a video of `length` milliseconds. The first is at 0.
pub(super) fn arranged(times: &[u64], captions: &[Caption], length: u64) -> Vec<Shot> {
    if times.is_empty() {
        return Vec::new();
    }
    let changes = captions.iter().flat_map(|caption| [caption.from, caption.ends(length)]);
    let known: BTreeSet<u64> =
        times.iter().copied().chain(changes).chain([0]).filter(|at| *at < length.max(1)).collect();
    let mut moments = Vec::with_capacity(known.len());
    let mut after = known.iter().copied().skip(1).chain([length]);
    for at in &known {
        let next = after.next().unwrap_or(length);
        moments.extend((*at..next.max(at + 1)).step_by(MOST_APART as usize));
    }
    moments
        .into_iter()
        .map(|at| Shot { at, frame: frame_at(times, at), words: words_at(captions, at, length) })
        .collect()
}

fn frame_at(times: &[u64], at: u64) -> usize {
    times.partition_point(|time| *time <= at).saturating_sub(1)
}

/// Returns the newest caption at this time.
fn words_at(captions: &[Caption], at: u64, length: u64) -> Arc<str> {
    let shown = captions.iter().rev().find(|caption| caption.from <= at && at < caption.ends(length));
    shown.map_or_else(|| Arc::from(""), |caption| caption.words.clone())
}

#[cfg(test)]
mod tests {
    use super::{Caption, Shot, arranged};

    fn caption(from: u64, until: Option<u64>, words: &str) -> Caption {
        Caption { from, until, words: words.into() }
    }

    #[test]
    fn pictures_come_in_their_time_and_again_where_nothing_changes() {
        let shots = arranged(&[0, 100, 1300], &[], 1500);
        let seen: Vec<(u64, usize)> = shots.iter().map(|Shot { at, frame, .. }| (*at, *frame)).collect();
        assert_eq!(seen, [(0, 0), (100, 1), (600, 1), (1100, 1), (1300, 2)]);
        assert_eq!(arranged(&[0], &[], 1).len(), 1);
        assert!(arranged(&[], &[caption(0, None, "x")], 1000).is_empty());
    }

    #[test]
    fn words_stay_long_enough_to_be_read_and_newer_ones_take_their_place() {
        let captions = [
            caption(200, Some(210), "Clicking Save"),
            caption(1000, None, "Waiting"),
            caption(1100, Some(1200), "In it"),
        ];
        let shots = arranged(&[0], &captions, 4000);
        let words = |at: u64| shots.iter().rfind(|shot| shot.at <= at).unwrap().words.to_string();
        assert_eq!([0, 200, 999, 1000].map(words), ["", "Clicking Save", "Clicking Save", "Waiting"]);
        assert_eq!([1100, 2500, 2600, 3999].map(words), ["In it", "In it", "Waiting", "Waiting"]);
        assert!(shots.iter().all(|shot| shot.frame == 0) && shots.is_sorted_by_key(|shot| shot.at));
        assert!(shots.windows(2).all(|two| two[0].at < two[1].at), "never two at once");
    }
}
