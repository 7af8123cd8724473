//! The queue of messages to be written to the browser.
//!
//! Owns the bound of the queue and the writer task. Never looks into a message.

use super::transport::MessageSink;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The most bytes that may wait behind the current write, not counting the largest waiting message: one message of any
/// size passes, for example a long document. A working browser takes a message at once; one that reads nothing (it
/// hangs or is stopped) must not fill our memory. No message may be dropped (a page might wait for it), so beyond this
/// the connection ends.
const MOST_WAITING: usize = 64 * 1024 * 1024;

/// The waiting messages, in bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    all: usize,
    largest: usize,
}

impl Waiting {
    fn add(&mut self, size: usize) {
        self.all += size;
        self.largest = self.largest.max(size);
    }

    fn take(&mut self, size: usize) {
        self.all -= size;
        self.largest = self.largest.min(self.all);
    }

    fn is_too_much(self) -> bool {
        self.all - self.largest > MOST_WAITING
    }
}

type Shared = Arc<Mutex<Waiting>>;

fn lock(waiting: &Shared) -> MutexGuard<'_, Waiting> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The sending half. Never blocks.
pub(super) struct Outbox {
    queue: mpsc::UnboundedSender<Vec<Vec<u8>>>,
    waiting: Shared,
}

/// The receiving half.
pub(super) struct Queue {
    queue: mpsc::UnboundedReceiver<Vec<Vec<u8>>>,
    waiting: Shared,
}

pub(super) fn open() -> (Outbox, Queue) {
    let (sender, queue) = mpsc::unbounded_channel();
    let waiting = Shared::default();
    (Outbox { queue: sender, waiting: waiting.clone() }, Queue { queue, waiting })
}

impl Outbox {
    /// Queues messages for one write. Returns false if the connection ends instead: no message can be sent any more.
    pub(super) fn send(&self, messages: Vec<Vec<u8>>) -> bool {
        let waiting = {
            let mut waiting = lock(&self.waiting);
            waiting.add(size(&messages));
            *waiting
        };
        if waiting.is_too_much() {
            tracing::warn!(bytes = waiting.all, "the browser takes no messages and is let go");
            return false;
        }
        self.queue.send(messages).is_ok()
    }
}

impl Queue {
    /// Writes until `closing` is cancelled; cancels it if the browser takes no more.
    pub(super) async fn write(mut self, mut sink: Box<dyn MessageSink>, closing: CancellationToken) {
        loop {
            let mut batch = tokio::select! {
                biased;
                () = closing.cancelled() => return,
                next = self.queue.recv() => match next {
                    Some(batch) => batch,
                    None => return,
                },
            };
            while let Ok(more) = self.queue.try_recv() {
                batch.extend(more);
            }
            lock(&self.waiting).take(size(&batch));
            let sent = tokio::select! {
                () = closing.cancelled() => return,
                sent = sink.send(&batch) => sent,
            };
            if let Err(error) = sent {
                tracing::info!(%error, "the browser takes no more messages");
                closing.cancel();
                return;
            }
        }
    }
}

fn size(messages: &[Vec<u8>]) -> usize {
    messages.iter().map(Vec::len).sum()
}

#[cfg(test)]
mod tests {
    use super::super::cdp::{Cdp, CdpError, Observer};
    use super::super::events::Event;
    use super::super::transport::{MessageSource, Transport};
    use super::*;
    use bytes::Bytes;
    use futures_util::future::BoxFuture;
    use std::io;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const MEGABYTE: usize = 1024 * 1024;

    /// A browser that reads every message, or none, and sends nothing.
    struct Silent {
        takes: bool,
    }

    impl MessageSink for Silent {
        fn send<'a>(&'a mut self, _messages: &'a [Vec<u8>]) -> BoxFuture<'a, io::Result<()>> {
            let takes = self.takes;
            Box::pin(async move { if takes { Ok(()) } else { std::future::pending().await } })
        }
    }

    impl MessageSource for Silent {
        fn next(&mut self) -> BoxFuture<'_, io::Result<Option<Bytes>>> {
            Box::pin(std::future::pending())
        }
    }

    struct Nobody;

    impl Observer for Nobody {
        fn event(&self, _event: &Event) {}
        fn gone(&self) {}
    }

    fn connection(takes: bool) -> Cdp {
        let transport = Transport { sink: Box::new(Silent { takes }), source: Box::new(Silent { takes }) };
        Cdp::start(transport, None, 1, |cdp| (Arc::new(Nobody), cdp.clone()))
    }

    /// More than may wait, plus the message being written and the one that is not counted.
    const FLOOD: usize = MOST_WAITING / MEGABYTE + 4;

    /// Sends more than may wait; returns how many commands failed with `Gone`.
    async fn flood(cdp: &Cdp) -> usize {
        let gone = Arc::new(AtomicUsize::new(0));
        let text = "x".repeat(MEGABYTE);
        for _ in 0..FLOOD {
            let gone = gone.clone();
            let told = move |reply: Result<_, CdpError>| {
                if matches!(reply, Err(CdpError::Gone)) {
                    gone.fetch_add(1, Ordering::Relaxed);
                }
            };
            cdp.post(None, "Runtime.evaluate".into(), &text, Box::new(told));
            tokio::task::yield_now().await;
        }
        cdp.close().await;
        gone.load(Ordering::Relaxed)
    }

    #[tokio::test]
    async fn a_browser_that_takes_nothing_is_let_go_and_every_command_is_told() {
        let cdp = connection(false);
        let told = flood(&cdp).await;
        assert!(cdp.gone().is_cancelled());
        assert_eq!(told, FLOOD);
    }

    #[tokio::test]
    async fn a_browser_that_takes_everything_is_kept_however_much_it_is_sent() {
        let (outbox, queue) = open();
        let closing = CancellationToken::new();
        let writing = tokio::spawn(queue.write(Box::new(Silent { takes: true }), closing.clone()));
        for _ in 0..3 * MOST_WAITING / MEGABYTE {
            assert!(outbox.send(vec![vec![b'x'; MEGABYTE]]));
            while lock(&outbox.waiting).all > 0 {
                tokio::task::yield_now().await;
            }
        }
        assert!(!closing.is_cancelled());
        drop(outbox);
        writing.await.unwrap();
    }

    #[tokio::test]
    async fn a_message_that_is_larger_than_all_that_may_wait_does_not_end_the_connection() {
        let cdp = connection(true);
        let text = "x".repeat(MOST_WAITING + 6 * MEGABYTE);
        for text in ["before", &text, "behind"] {
            cdp.post(None, "Page.setDocumentContent".into(), text, Box::new(|_| {}));
        }
        tokio::task::yield_now().await;
        assert!(!cdp.gone().is_cancelled());
        cdp.close().await;
    }

    #[test]
    fn what_waits_behind_a_large_message_is_bounded() {
        let (outbox, _queue) = open();
        assert!(outbox.send(vec![vec![0; 10]]));
        assert!(outbox.send(vec![vec![0; MOST_WAITING + MEGABYTE]]));
        assert!(outbox.send(vec![vec![0; MOST_WAITING - 10]]));
        assert!(!outbox.send(vec![vec![0]]));
    }
}
