//! Writes console messages, requests and dialogs to a file if the user wants one.
//!
//! Owns the file: mode 0600, one JSON object per line, rotated once at a size limit. Never holds bodies or headers. A
//! blocking task writes the lines; lines that the disk is too slow for are counted and dropped, never waited for.

use super::journal::{ConsoleMessage, RequestRecord};
use gstack_base::clock::now_millis;
use gstack_base::{append, filled_secrets};
use gstack_protocol::ids::TabId;
use serde::Serialize;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;

/// The most lines that wait for the disk.
const WAITING: usize = 4096;
/// At this size the file is moved to `NAME.1` and started again.
const LARGEST: u64 = 64 * 1024 * 1024;

/// A completed entry of the journal, as the file records it.
pub(in crate::page) enum Captured {
    Console(ConsoleMessage),
    /// Received completely, or failed.
    Request(RequestRecord),
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Line<'a> {
    Console {
        at: u64,
        tab: TabId,
        level: &'a str,
        text: &'a str,
    },
    Request {
        at: u64,
        tab: TabId,
        method: &'a str,
        url: &'a str,
        status: Option<u16>,
        /// In milliseconds.
        took: Option<u64>,
        /// In bytes over the wire.
        size: Option<u64>,
        failed: Option<&'a str>,
    },
    Dialog {
        at: u64,
        tab: TabId,
        #[serde(rename = "type")]
        dialog: &'a str,
        message: &'a str,
    },
}

/// The sender to the file. Cheap to clone; the file is closed when the last clone is dropped.
#[derive(Clone, Debug)]
pub struct CaptureFile(mpsc::Sender<Vec<u8>>);

impl CaptureFile {
    /// Opens the file at `path` for appending; creates it if it does not exist.
    pub fn open(path: PathBuf) -> io::Result<Self> {
        let mut file = append::open(&path)?;
        let (sender, mut lines) = mpsc::channel::<Vec<u8>>(WAITING);
        tokio::task::spawn_blocking(move || {
            while let Some(line) = lines.blocking_recv() {
                if let Err(error) = write(&mut file, &path, &line) {
                    tracing::warn!(%error, "what pages say is no longer written to disk");
                    return;
                }
            }
        });
        Ok(Self(sender))
    }

    pub(super) fn take(&self, tab: TabId, captured: &Captured) {
        self.put(&match captured {
            Captured::Console(said) => Line::Console { at: said.at, tab, level: &said.level, text: &said.text },
            Captured::Request(ended) => Line::Request {
                at: now_millis(),
                tab,
                method: &ended.method,
                url: &ended.url,
                status: ended.status,
                took: ended.took,
                size: ended.size,
                failed: ended.failed.as_deref(),
            },
        });
    }

    pub(super) fn dialog(&self, tab: TabId, dialog: &str, message: &str) {
        self.put(&Line::Dialog { at: now_millis(), tab, dialog, message });
    }

    fn put(&self, line: &Line<'_>) {
        let Ok(text) = serde_json::to_string(line) else { return };
        let mut bytes = filled_secrets::without_in_json(&text).into_owned().into_bytes();
        bytes.push(b'\n');
        if self.0.try_send(bytes).is_err() {
            tracing::debug!("a line of a page was left out of the file: the disk can't follow");
        }
    }
}

fn write(file: &mut File, path: &Path, line: &[u8]) -> io::Result<()> {
    if file.metadata()?.len() + line.len() as u64 > LARGEST {
        std::fs::rename(path, path.with_extension("jsonl.1"))?;
        *file = append::open(path)?;
    }
    file.write_all(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_base::atomic::FILE_MODE;

    #[tokio::test]
    async fn lines_are_json_in_a_file_of_the_person_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("capture.jsonl");
        let file = CaptureFile::open(path.clone()).unwrap();
        let said = ConsoleMessage { at: 5, level: "log".to_owned(), text: "a \"word\"".to_owned() };
        file.take(TabId(3), &Captured::Console(said));
        file.dialog(TabId(3), "alert", "Stop\nnow");
        drop(file);
        let text = loop {
            let text = std::fs::read_to_string(&path).unwrap();
            if text.lines().count() == 2 {
                break text;
            }
            tokio::task::yield_now().await;
        };
        let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((&lines[0]["kind"], &lines[0]["text"]), (&"console".into(), &"a \"word\"".into()));
        assert_eq!((&lines[1]["type"], &lines[1]["tab"]), (&"alert".into(), &3.into()));
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, FILE_MODE);
    }
}
