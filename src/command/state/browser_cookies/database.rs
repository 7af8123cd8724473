//! A browser's cookie database, read from a copy.
//!
//! Owns the copying, including changes not merged yet (the write-ahead log), and the reading. SQLite never opens the
//! browser's own files, because the browser may be running.

use gstack_base::home::private_folder;
use gstack_browser::page::{Cookie, PartitionKey};
use gstack_protocol::fault::{Fault, FaultCode};
use rusqlite::{Connection, OpenFlags, Row};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// In bytes, for each file. The largest known databases have a few megabytes.
const LARGEST: u64 = 512 * 1024 * 1024;
/// The seconds between 1601, Chromium's epoch, and 1970.
const EPOCH_SECONDS: i64 = 11_644_473_600;
/// The column with a partitioned cookie's top-level site.
const PARTITION: &str = "top_frame_site_key";
const ANCESTOR: &str = "has_cross_site_ancestor";

/// The content of a database.
pub(super) struct Stored {
    /// The schema version.
    pub(super) version: u32,
    /// The cookies that have not expired.
    pub(super) cookies: Vec<StoredCookie>,
}

pub(super) struct StoredCookie {
    /// `example.com`, or `.example.com` to include its subdomains.
    pub(super) host: String,
    name: String,
    /// The unencrypted value; empty if it is encrypted.
    pub(super) plain: String,
    pub(super) encrypted: Vec<u8>,
    path: String,
    /// Seconds since 1970.
    expires: Option<f64>,
    secure: bool,
    http_only: bool,
    same_site: i64,
    /// The site under which alone the cookie is sent.
    partition: Option<PartitionKey>,
}

impl StoredCookie {
    /// Whether its key comes from a keyring.
    pub(super) fn needs_password(&self) -> bool {
        self.encrypted.starts_with(b"v11") || (cfg!(target_os = "macos") && self.encrypted.starts_with(b"v10"))
    }

    pub(super) fn cookie(&self, value: String) -> Cookie {
        let same_site = match self.same_site {
            0 => Some("None"),
            1 => Some("Lax"),
            2 => Some("Strict"),
            _ => None,
        };
        Cookie {
            name: self.name.clone(),
            value,
            domain: self.host.clone(),
            path: self.path.clone(),
            expires: self.expires,
            http_only: self.http_only,
            secure: self.secure,
            same_site: same_site.map(str::to_owned),
            partition_key: self.partition.clone(),
        }
    }
}

/// Reads a browser's cookies. `folder`: a private folder for the temporary copy.
pub(super) fn read(file: &Path, folder: &Path) -> Result<Stored, Fault> {
    let copy = Copy::of(file, folder).map_err(|error| unreadable(file, &error.to_string()))?;
    stored(&copy.database()).map_err(|error| unreadable(file, &error.to_string()))
}

fn unreadable(file: &Path, reason: &str) -> Fault {
    Fault::new(FaultCode::Storage, format!("the cookies in {} can't be read: {reason}", file.display()))
        .hint("Close that browser and try again.")
}

fn stored(database: &Path) -> rusqlite::Result<Stored> {
    // Merging a log writes to the database; this is a copy.
    let connection = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let version: String = connection.query_row("SELECT value FROM meta WHERE key = 'version'", [], |row| row.get(0))?;
    // Older browsers had no partitions, and the first versions that did had no ancestor column.
    let has = |column: &str| connection.prepare(&format!("SELECT {column} FROM cookies LIMIT 0")).is_ok();
    let partition = if has(PARTITION) { PARTITION } else { "''" };
    // Without that column, assume a cross-site ancestor: partitions exist for that case.
    let ancestor = if has(ANCESTOR) { ANCESTOR } else { "1" };
    let mut statement = connection.prepare(&format!(
        "SELECT host_key, name, value, encrypted_value, path, expires_utc, is_secure, is_httponly, samesite, \
         {partition}, {ancestor} FROM cookies WHERE has_expires = 0 OR expires_utc > ?1 ORDER BY host_key, name"
    ))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let now = (i64::try_from(now).unwrap_or(i64::MAX / 2_000_000) + EPOCH_SECONDS) * 1_000_000;
    let cookies = statement.query_map([now], cookie)?.collect::<rusqlite::Result<_>>()?;
    Ok(Stored { version: version.parse().unwrap_or_default(), cookies })
}

fn cookie(row: &Row<'_>) -> rusqlite::Result<StoredCookie> {
    let expires: i64 = row.get(5)?;
    #[expect(clippy::cast_precision_loss, reason = "a date in seconds has room in a double")]
    let expires = (expires > 0).then(|| (expires / 1_000_000 - EPOCH_SECONDS) as f64);
    let site: String = row.get(9)?;
    Ok(StoredCookie {
        host: row.get(0)?,
        name: row.get(1)?,
        plain: row.get(2)?,
        encrypted: row.get(3)?,
        path: row.get(4)?,
        expires,
        secure: row.get(6)?,
        http_only: row.get(7)?,
        same_site: row.get(8)?,
        partition: (!site.is_empty())
            .then_some(PartitionKey { top_level_site: site, has_cross_site_ancestor: row.get(10)? }),
    })
}

/// The database and its log, copied into one folder and removed on drop.
struct Copy {
    folder: PathBuf,
}

impl Copy {
    fn of(file: &Path, folder: &Path) -> io::Result<Self> {
        let folder = folder.join(format!("cookies-{}", uuid::Uuid::new_v4().simple()));
        private_folder(&folder).map_err(io::Error::other)?;
        let copy = Self { folder };
        // The log first: what the browser merges between the two copies is then in both, not lost.
        for (suffix, required) in [("-wal", false), ("-journal", false), ("", true)] {
            let from = PathBuf::from(format!("{}{suffix}", file.display()));
            match fs::metadata(&from) {
                Ok(found) if found.len() > LARGEST => return Err(io::ErrorKind::FileTooLarge.into()),
                Ok(_) => fs::copy(&from, copy.folder.join(format!("Cookies{suffix}"))).map(drop)?,
                Err(error) if required || error.kind() != io::ErrorKind::NotFound => return Err(error),
                Err(_) => {}
            }
        }
        Ok(copy)
    }
    fn database(&self) -> PathBuf {
        self.folder.join("Cookies")
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            tracing::warn!(%error, "a copy of a cookie database could not be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_database::write;
    use super::*;

    #[test]
    fn a_copy_is_read_with_its_log_and_removed() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("Network/Cookies");
        let open = write(&file, 24, &[("a.example", "one", "1", Vec::new()), (".b.example", "two", "2", Vec::new())]);
        open.execute("UPDATE cookies SET expires_utc = 1 WHERE name = 'two'", []).unwrap();
        assert!(place.path().join("Network/Cookies-wal").metadata().unwrap().len() > 0, "the log is not merged yet");
        let temp = place.path().join("temp");
        let stored = read(&file, &temp).unwrap();
        assert_eq!(stored.version, 24);
        let found: Vec<_> = stored.cookies.iter().map(|one| (one.host.as_str(), one.name.as_str())).collect();
        assert_eq!(found, [("a.example", "one")], "what has run out is not taken");
        let cookie = stored.cookies[0].cookie("1".to_owned());
        assert_eq!((cookie.expires, cookie.same_site.as_deref()), (Some(3_355_526_400.0), Some("Lax")));
        assert_eq!(fs::read_dir(&temp).unwrap().count(), 0);

        fs::write(place.path().join("broken"), "no database").unwrap();
        let fault = read(&place.path().join("broken"), &temp).err().unwrap();
        assert!(fault.message.contains("can't be read") && fault.hint.is_some());
    }
}
