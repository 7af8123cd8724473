//! A native messaging host as Chrome starts it: frames in and out, and its end together with its port.

use crate::world::World;
use serde_json::Value;
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

const ORIGIN: &str = "chrome-extension://hmjooioflnjmgaipmokechimoabfkeji/";

/// The connection ended before the answer.
#[derive(Debug)]
pub struct Gone;

pub struct Host {
    child: Child,
    input: Option<ChildStdin>,
    frames: Receiver<Value>,
    answers: VecDeque<Value>,
}

impl Host {
    /// While `stuck` is set, its output is not read.
    pub fn start(world: &World, program: &Path, stuck: Arc<AtomicBool>) -> Self {
        let mut command = world.command_of(program, &[ORIGIN]);
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (input, mut output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (sender, frames) = channel();
        std::thread::spawn(move || {
            let mut length = [0; 4];
            while output.read_exact(&mut length).is_ok() {
                while stuck.load(Ordering::Relaxed) {
                    std::thread::park_timeout(Duration::from_millis(100));
                }
                let mut body = vec![0; u32::from_ne_bytes(length) as usize];
                assert!(body.len() <= 900 * 1024, "a frame of {} bytes", body.len());
                if output.read_exact(&mut body).is_err() || sender.send(serde_json::from_slice(&body).unwrap()).is_err()
                {
                    break;
                }
            }
        });
        Self { child, input, frames, answers: VecDeque::new() }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn write(&mut self, message: &Value) -> Result<(), Gone> {
        self.write_text(&message.to_string())
    }

    /// Writes raw JSON, which may contain what no Rust string can.
    pub fn write_text(&mut self, message: &str) -> Result<(), Gone> {
        let body = message.as_bytes();
        let length = u32::try_from(body.len()).unwrap().to_ne_bytes();
        let input = self.input.as_mut().ok_or(Gone)?;
        input.write_all(&[&length[..], body].concat()).map_err(|_| Gone)
    }

    /// Returns the next frame; `None` if none arrives within the limit.
    pub fn take(&mut self, limit: Duration) -> Result<Option<Value>, Gone> {
        match self.frames.recv_timeout(limit) {
            Ok(frame) => Ok(Some(frame)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Gone),
        }
    }

    /// Keeps an answer for the requester.
    pub fn keep(&mut self, answer: Value) {
        self.answers.push_back(answer);
    }

    pub fn answer(&mut self, id: u64) -> Option<Value> {
        let at = self.answers.iter().position(|answer| answer["id"] == id)?;
        self.answers.remove(at)
    }
}

impl Drop for Host {
    /// As Chrome does: its end of the pipe closes.
    fn drop(&mut self) {
        drop(self.input.take());
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
