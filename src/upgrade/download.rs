//! Downloads a release's files with curl or wget.
//!
//! Owns the choice of addresses. gstack itself has no TLS: these programs already know this machine's
//! certificates and proxies. Downloaded files are trusted only because of their signature.

use super::error::UpgradeError;
use super::published::Published;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::time::timeout;

/// The environment variable that changes where releases are downloaded.
const URL_VARIABLE: &str = "GSTACK_RELEASE_URL";
/// A manifest and its signature have a few hundred bytes.
const MOST_TEXT: u64 = 1 << 20;
/// A server may send one byte after the other for ever: curl and wget notice only silence.
const TEXT_LIMIT: Duration = Duration::from_secs(2 * 60);
const ARCHIVE_LIMIT: Duration = Duration::from_secs(60 * 60);
/// No address: `wget --https-only` follows a redirect to http, unless it must ask a proxy that is not there (wget 1.21).
const NO_PROXY: &str = "http_proxy=http://127.0.0.1:0/";
/// How much of what curl or wget says is read, in bytes.
const MOST_SAID: u64 = 64 * 1024;

pub(super) struct Source {
    url: String,
    is_loopback: bool,
}

impl Source {
    pub(super) fn from_environment(published: &Published) -> Result<Self, UpgradeError> {
        let named = std::env::var(URL_VARIABLE).ok().filter(|url| !url.is_empty());
        Self::at(&named.unwrap_or_else(|| published.newest()))
    }

    /// Accepts only https, and http on this machine for tests. Downloads are signed, but the requested file names are
    /// nobody else's business.
    fn at(url: &str) -> Result<Self, UpgradeError> {
        let refused = || UpgradeError::Address(url.to_owned());
        let parsed = url::Url::parse(url).map_err(|_| refused())?;
        let is_loopback = parsed.scheme() == "http" && parsed.host_str() == Some("127.0.0.1");
        if !(is_loopback || parsed.scheme() == "https") || !parsed.username().is_empty() || parsed.query().is_some() {
            return Err(refused());
        }
        Ok(Self { url: url.trim_end_matches('/').to_owned(), is_loopback })
    }

    /// Downloads a short file as text. `folder` stores it temporarily.
    pub(super) async fn text(&self, name: &str, folder: &Path) -> Result<String, UpgradeError> {
        let file = self.fetch(name, MOST_TEXT, TEXT_LIMIT, folder).await?;
        std::fs::read_to_string(&file)
            .map_err(|e| UpgradeError::Download { name: name.to_owned(), reason: e.to_string() })
    }

    /// Downloads a file of at most `most` bytes into a folder.
    pub(super) async fn file(&self, name: &str, most: u64, folder: &Path) -> Result<PathBuf, UpgradeError> {
        self.fetch(name, most, ARCHIVE_LIMIT, folder).await
    }

    async fn fetch(&self, name: &str, most: u64, limit: Duration, folder: &Path) -> Result<PathBuf, UpgradeError> {
        let failed = |reason: String| UpgradeError::Download { name: name.to_owned(), reason };
        let to = folder.join(name);
        for (program, arguments) in [("curl", self.of_curl(name, most)), ("wget", self.of_wget(name))] {
            let mut command = Command::new(program);
            command.args(arguments);
            let received = timeout(limit, received(&mut command, &to, most)).await;
            // Dropping what was started has ended the program.
            let Ok(received) = received else {
                return Err(failed(format!("it took longer than {} s", limit.as_secs())));
            };
            match received {
                Ok(Received { size, .. }) if size > most => {
                    return Err(failed(format!("it is larger than {most} bytes")));
                }
                Ok(Received { status, .. }) if status.success() => return Ok(to),
                Ok(Received { status, said, .. }) => {
                    let said = said.lines().last().unwrap_or_default().trim();
                    return Err(failed(format!("{said} ({program}, {status})")));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(failed(format!("{program}: {error}"))),
            }
        }
        Err(failed("curl or wget is needed".to_owned()))
    }

    fn of_curl(&self, name: &str, most: u64) -> Vec<String> {
        let (scheme, redirects) = if self.is_loopback { ("=http", "0") } else { ("=https", "10") };
        let words = ["-fsSL", "--proto", scheme, "--proto-redir", scheme, "--max-redirs", redirects];
        let limits = ["--connect-timeout", "20", "--speed-limit", "1", "--speed-time", "60", "--max-filesize"];
        let mut all: Vec<String> = words.iter().chain(&limits).map(|&word| word.to_owned()).collect();
        all.extend([most.to_string(), format!("{}/{name}", self.url)]);
        all
    }

    fn of_wget(&self, name: &str) -> Vec<String> {
        let mut all: Vec<String> = ["-q", "--timeout=60", "--tries=2"].map(str::to_owned).to_vec();
        let loopback: &[&str] = &["--max-redirect=0"];
        let only = ["--https-only", "-e", "use_proxy=on", "-e", NO_PROXY, "-e", "no_proxy="];
        all.extend(if self.is_loopback { loopback } else { &only }.iter().map(|&word| word.to_owned()));
        all.extend(["-O".to_owned(), "-".to_owned(), format!("{}/{name}", self.url)]);
        all
    }
}

/// What a program downloaded.
struct Received {
    size: u64,
    status: ExitStatus,
    said: String,
}

/// Writes what a program prints to a file, and ends the program once that is more than `most` bytes: wget knows no limit,
/// and some versions of curl only one for sizes that the server announces.
async fn received(command: &mut Command, to: &Path, most: u64) -> io::Result<Received> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn()?;
    let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let said = tokio::spawn(async move {
        let mut said = Vec::new();
        errors.take(MOST_SAID).read_to_end(&mut said).await.map(|_| said)
    });
    let mut file = tokio::fs::File::create(to).await?;
    let size = tokio::io::copy(&mut output.take(most + 1), &mut file).await?;
    file.flush().await?;
    if size > most {
        child.kill().await?;
    }
    let status = child.wait().await?;
    let said = said.await.map_err(io::Error::other)??;
    Ok(Received { size, status, said: String::from_utf8_lossy(&said).into_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_program_that_never_ends_is_ended_at_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("mark");
        let script = format!("while :; do echo $$ > {}; echo x; sleep 0.02; done", mark.display());
        let mut command = Command::new("sh");
        command.args(["-c", &script]);
        let to = folder.path().join("to");
        assert!(timeout(Duration::from_secs(1), received(&mut command, &to, MOST_TEXT)).await.is_err());
        let pid: i32 = std::fs::read_to_string(mark).unwrap().trim().parse().unwrap();
        let lives = || std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
        while lives() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    #[test]
    fn only_https_and_this_machine_are_asked() {
        for good in [
            "https://releases.example/gstack/releases/latest/download",
            "https://mirror.example/gstack/",
            "http://127.0.0.1:8080",
        ] {
            assert!(Source::at(good).is_ok(), "{good}");
        }
        for bad in [
            "http://mirror.example",
            "http://127.0.0.1.evil.example",
            "http://localhost:80",
            "http://127.0.0.1@evil.example",
            "https://user@mirror.example",
            "https://mirror.example/?to=",
            "ftp://127.0.0.1",
            "file:///tmp",
            "-o/etc/passwd",
        ] {
            assert!(matches!(Source::at(bad), Err(UpgradeError::Address(_))), "{bad}");
        }
    }
}
