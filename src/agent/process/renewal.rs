//! Passes on what a confined program renews: a file that it may replace only as a copy of its own, such as its sign-in.
//!
//! Owns the comparison in both directions, and the checks of the copy: the program may have put anything in its place. The
//! minder runs this outside the sandbox. Never creates the person's file, and never follows a link of the program's.

use gstack_base::atomic;
use gstack_base::mutex::lock;
use gstack_base::say;
use serde::de::IgnoredAny;
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The minder's option, followed by the copy and the person's file.
pub const OPTION: &str = "--renews";

/// In bytes. A sign-in has a few thousand.
const LONGEST: u64 = 1024 * 1024;

/// One file and its copy.
struct Pair {
    own: PathBuf,
    of: PathBuf,
    /// What both were last.
    known: Option<Vec<u8>>,
}

/// The files that a minder passes on.
#[derive(Clone, Default)]
pub(super) struct Renewals(Arc<Mutex<Vec<Pair>>>);

impl Renewals {
    pub(super) fn add(&mut self, own: Option<OsString>, of: Option<OsString>) {
        let (Some(own), Some(of)) = (own.map(PathBuf::from), of.map(PathBuf::from)) else { return };
        let known = read(&of).ok();
        lock(&self.0).push(Pair { own, of, known });
    }

    /// Passes on each change from now on, in a thread that ends with the process.
    pub(super) fn watch(&self) {
        let folders: Vec<PathBuf> = lock(&self.0)
            .iter()
            .flat_map(|pair| [&pair.own, &pair.of])
            .filter_map(|file| Some(file.parent()?.to_owned()))
            .collect();
        if folders.is_empty() {
            return;
        }
        let renewals = self.clone();
        let watched = os::watch(&folders, move || renewals.pass_on());
        if let Err(error) = watched {
            say::line(format_args!("a renewed sign-in is passed on only when the agent ends: {error}"));
        }
    }

    /// Passes on what has changed since the last time.
    pub(super) fn pass_on(&self) {
        for pair in lock(&self.0).iter_mut() {
            if let Err(error) = pair.pass_on() {
                say::line(format_args!("{} could not be renewed: {error}", pair.of.display()));
            }
        }
    }
}

impl Pair {
    fn pass_on(&mut self) -> io::Result<()> {
        // The person signed out: what the agent has is not theirs any more.
        let Ok(theirs) = read(&self.of) else { return Ok(()) };
        let own = read(&self.own).ok().filter(|own| serde_json::from_slice::<IgnoredAny>(own).is_ok());
        let known = self.known.as_deref();
        let (to, content) = match own {
            Some(own) if own == theirs => {
                self.known = Some(theirs);
                return Ok(());
            }
            Some(own) if Some(&own[..]) != known && Some(&theirs[..]) == known => (&self.of, own),
            _ if Some(&theirs[..]) != known => (&self.own, theirs),
            _ => return Ok(()),
        };
        atomic::write_judged_synced(to, &content)?;
        self.known = Some(content);
        Ok(())
    }
}

/// Reads a whole file whose path has no link, and that is no other name of a file elsewhere.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = os::open(path)?;
    let about = file.metadata()?;
    if !about.is_file() || about.nlink() > 1 || about.len() > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut content = Vec::new();
    file.take(LONGEST).read_to_end(&mut content)?;
    Ok(content)
}

#[cfg(target_os = "linux")]
mod os {
    use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    use std::fs::File;
    use std::io;
    use std::mem::MaybeUninit;
    use std::path::{Path, PathBuf};

    pub(super) fn open(path: &Path) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(File::from(openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?))
    }

    /// Calls `changed` after each change of a file in these folders.
    pub(super) fn watch(folders: &[PathBuf], changed: impl Fn() + Send + 'static) -> io::Result<()> {
        let watch = inotify::init(CreateFlags::CLOEXEC)?;
        for folder in folders {
            inotify::add_watch(&watch, folder, WatchFlags::MOVED_TO | WatchFlags::CLOSE_WRITE)?;
        }
        let waits = move || {
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut events = Reader::new(watch, &mut buffer);
            while events.next().is_ok() {
                changed();
            }
        };
        std::thread::Builder::new().name("renewals".to_owned()).spawn(waits).map(drop)
    }
}

#[cfg(not(target_os = "linux"))]
mod os {
    use std::fs::File;
    use std::io;
    use std::path::{Path, PathBuf};

    pub(super) fn open(_path: &Path) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Other systems have no minder.
    pub(super) fn watch(_folders: &[PathBuf], _changed: impl Fn() + Send + 'static) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_renewed_file_reaches_the_person_and_nothing_else_does() {
        let root = tempfile::tempdir().unwrap();
        let [own, of, secret] = ["own", "of", "secret"].map(|name| root.path().canonicalize().unwrap().join(name));
        let put = |path: &Path, text: &str| fs::write(path, text).unwrap();
        let got = |path: &Path| fs::read_to_string(path).unwrap();
        put(&secret, "\"the person's\"");
        put(&own, "1");
        put(&of, "1");
        let mut renewals = Renewals::default();
        renewals.add(Some(own.clone().into()), Some(of.clone().into()));
        put(&own, "2");
        renewals.pass_on();
        assert_eq!(got(&of), "2");
        put(&of, "3");
        renewals.pass_on();
        assert_eq!(got(&own), "3");
        // Both at once: the person's counts.
        put(&own, "4");
        put(&of, "5");
        renewals.pass_on();
        assert_eq!((got(&own), got(&of)), ("5".into(), "5".into()));
        for broken in ["", "{\"half\": "] {
            put(&own, broken);
            renewals.pass_on();
            assert_eq!(got(&of), "5");
        }
        let plants: [fn(&Path, &Path) -> io::Result<()>; 2] =
            [|of, at| symlink(of, at), |of, at| fs::hard_link(of, at)];
        for plant in plants {
            fs::remove_file(&own).unwrap();
            plant(&secret, &own).unwrap();
            renewals.pass_on();
            assert_eq!((got(&of), got(&secret)), ("5".into(), "\"the person's\"".into()));
        }
        fs::remove_file(&own).unwrap();
        put(&own, "6");
        fs::remove_file(&of).unwrap();
        renewals.pass_on();
        assert!(!of.exists(), "nobody is signed in again");
    }
}
