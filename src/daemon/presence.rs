//! The daemon's presence, by which clients find it: its lock and its sockets must be the files that it created.
//!
//! Owns watching them (with inotify on Linux, once a minute elsewhere). Missing sockets are created again. A missing
//! lock cannot be restored, because another daemon may hold a new one, so this daemon ends.

use gstack_base::peer;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tokio::net::UnixListener;
use tokio_util::sync::CancellationToken;

/// The identity of a file that this daemon created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Own {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl Own {
    pub(super) fn at(path: PathBuf) -> io::Result<Self> {
        let found = fs::symlink_metadata(&path)?;
        Ok(Self { path, device: found.dev(), inode: found.ino() })
    }

    pub(super) fn is_there(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok_and(|found| (found.dev(), found.ino()) == (self.device, self.inode))
    }

    /// Removes the file unless another one has replaced it.
    pub(super) fn remove(&self) {
        if self.is_there() {
            // If this fails, the next daemon replaces it.
            fs::remove_file(&self.path).ok();
        }
    }
}

/// The files through which clients find the daemon.
pub(super) struct Presence {
    pub(super) lock: Own,
    pub(super) panel: Own,
    pub(super) http: Own,
}

/// A new listener for a socket that was removed.
pub(super) enum Rebound {
    Panel(UnixListener),
    Http(UnixListener),
}

impl Presence {
    /// Watches until `shutdown`. Triggers `shutdown` if the lock is gone.
    pub(super) async fn keep(&mut self, shutdown: &CancellationToken, mut serve: impl FnMut(Rebound)) {
        let folders = [&self.lock, &self.panel].map(|own| own.path.parent().unwrap_or(Path::new("/")).to_owned());
        let mut watch = Watch::on(&folders);
        loop {
            if !self.lock.is_there() {
                tracing::error!(lock = %self.lock.path.display(), "the daemon's lock is gone, and with it its home: it ends");
                return shutdown.cancel();
            }
            if let Some(listener) = rebind(&mut self.panel) {
                serve(Rebound::Panel(listener));
            }
            if let Some(listener) = rebind(&mut self.http) {
                serve(Rebound::Http(listener));
            }
            tokio::select! {
                () = watch.changed() => {}
                () = shutdown.cancelled() => return,
            }
        }
    }
}

fn rebind(own: &mut Own) -> Option<UnixListener> {
    if own.is_there() {
        return None;
    }
    let made = peer::listen(&own.path).and_then(|listener| Ok((listener, Own::at(own.path.clone())?)));
    match made {
        Ok((listener, made)) => {
            tracing::warn!(socket = %own.path.display(), "a socket was gone and is made again");
            *own = made;
            Some(listener)
        }
        Err(error) => {
            tracing::error!(socket = %own.path.display(), %error, "a socket is gone and can't be made again");
            None
        }
    }
}

#[cfg(target_os = "linux")]
mod os {
    use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
    use std::io;
    use std::path::{Path, PathBuf};
    use std::time::Duration;
    use tokio::fs::File;
    use tokio::io::AsyncReadExt;

    /// The interval if files cannot be watched.
    const LOOK_AGAIN: Duration = Duration::from_secs(60);

    /// Watches for removed files. Reads block in a runtime thread that the runtime does not wait for at its end.
    pub(super) struct Watch(Option<File>);

    impl Watch {
        pub(super) fn on(folders: &[PathBuf]) -> Self {
            match open(folders) {
                Ok(queue) => Self(Some(queue)),
                Err(error) => {
                    tracing::warn!(%error, "the daemon's files can't be watched and are looked at once a minute");
                    Self(None)
                }
            }
        }

        /// Returns when one of the files, or their folder, was removed or moved.
        pub(super) async fn changed(&mut self) {
            // The caller checks the disk: the events only say that something changed.
            let mut events = [0; 4096];
            if let Some(queue) = &mut self.0
                && queue.read(&mut events).await.is_ok()
            {
                return;
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    fn open(folders: &[PathBuf]) -> io::Result<File> {
        let queue = init(CreateFlags::CLOEXEC)?;
        let of_interest = WatchFlags::DELETE | WatchFlags::MOVED_FROM | WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
        for folder in folders {
            add_watch(&queue, Path::new(folder), of_interest)?;
        }
        Ok(File::from_std(std::fs::File::from(queue)))
    }
}

#[cfg(not(target_os = "linux"))]
mod os {
    use std::path::PathBuf;
    use std::time::Duration;

    /// Watching files here would need unsafe code.
    const LOOK_AGAIN: Duration = Duration::from_secs(60);

    pub(super) struct Watch;

    impl Watch {
        pub(super) fn on(_folders: &[PathBuf]) -> Self {
            Self
        }

        pub(super) async fn changed(&mut self) {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }
}

use os::Watch;
