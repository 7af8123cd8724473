//! Cookie databases in the browsers' format, for tests.

use rusqlite::Connection;
use std::fs;
use std::path::Path;

/// Writes a database in a browser's format. `rows`: host, name, unencrypted value, encrypted value.
pub(super) fn write(file: &Path, version: u32, rows: &[(&str, &str, &str, Vec<u8>)]) -> Connection {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let connection = Connection::open(file).unwrap();
    connection
        .execute_batch(&format!(
            "PRAGMA journal_mode = WAL;
             CREATE TABLE meta (key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
             INSERT INTO meta VALUES ('version', '{version}');
             CREATE TABLE cookies (creation_utc INTEGER NOT NULL, host_key TEXT NOT NULL,
               top_frame_site_key TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
               encrypted_value BLOB NOT NULL, path TEXT NOT NULL, expires_utc INTEGER NOT NULL,
               is_secure INTEGER NOT NULL, is_httponly INTEGER NOT NULL, last_access_utc INTEGER NOT NULL,
               has_expires INTEGER NOT NULL, samesite INTEGER NOT NULL);"
        ))
        .unwrap();
    for (host, name, plain, encrypted) in rows {
        let insert = "INSERT INTO cookies VALUES (0, ?1, '', ?2, ?3, ?4, '/', 15000000000000000, 0, 1, 0, 1, 1)";
        connection.execute(insert, rusqlite::params![host, name, plain, encrypted]).unwrap();
    }
    connection
}
