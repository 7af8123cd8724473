//! ZIP archives, the form in which a Grid moves files.
//!
//! Owns writing an archive of one file and reading the first file of one. An archive from a Grid is hostile: every
//! length is checked against the data and the content against its limit, and names in it are not used.

use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// The largest content that is read or written: archives are built in memory.
pub(super) const LARGEST: usize = 256 * 1024 * 1024;

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END_LENGTH: usize = 22;
/// Names are UTF-8.
const UTF8: u16 = 1 << 11;

/// Returns an archive with this file, uncompressed. `None` if the file or its name is too large.
pub(super) fn pack(name: &str, content: &[u8]) -> Option<Vec<u8>> {
    let size = u32::try_from(content.len()).ok().filter(|_| content.len() <= LARGEST)?;
    let name_length = u16::try_from(name.len()).ok()?;
    let sum = crc32fast::hash(content);
    // Version, flags, method, time, date, checksum, both sizes, the name's length.
    let mut common = Vec::with_capacity(24);
    for value in [20, UTF8, 0, 0, 0x21] {
        common.extend_from_slice(&u16::to_le_bytes(value));
    }
    for value in [sum, size, size] {
        common.extend_from_slice(&value.to_le_bytes());
    }
    common.extend_from_slice(&name_length.to_le_bytes());
    let mut archive = Vec::with_capacity(content.len() + 2 * name.len() + 128);
    archive.extend_from_slice(&LOCAL.to_le_bytes());
    archive.extend_from_slice(&common);
    archive.extend_from_slice(&[0; 2]);
    archive.extend_from_slice(name.as_bytes());
    archive.extend_from_slice(content);
    let directory = u32::try_from(archive.len()).ok()?;
    archive.extend_from_slice(&CENTRAL.to_le_bytes());
    archive.extend_from_slice(&20_u16.to_le_bytes());
    archive.extend_from_slice(&common);
    // No extra field or comment, the first disk, no attributes, the local header at the start.
    archive.extend_from_slice(&[0; 16]);
    archive.extend_from_slice(name.as_bytes());
    let length = u32::try_from(archive.len()).ok()? - directory;
    archive.extend_from_slice(&END.to_le_bytes());
    archive.extend_from_slice(&[0; 4]);
    for count in [1_u16, 1] {
        archive.extend_from_slice(&count.to_le_bytes());
    }
    archive.extend_from_slice(&length.to_le_bytes());
    archive.extend_from_slice(&directory.to_le_bytes());
    archive.extend_from_slice(&[0; 2]);
    Some(archive)
}

/// Returns the content of the first file in an archive. The error says what is wrong with it.
pub(super) fn unpack(archive: &[u8]) -> Result<Vec<u8>, &'static str> {
    const CUT: &str = "the archive is truncated";
    let last = archive.len().checked_sub(END_LENGTH).ok_or(CUT)?;
    // A comment of up to 64 KiB may follow.
    let end = (last.saturating_sub(usize::from(u16::MAX))..=last)
        .rev()
        .find(|at| u32_at(archive, *at) == Some(END))
        .ok_or("it is not an archive")?;
    let mut entry = u32_at(archive, end + 16).ok_or(CUT)? as usize;
    let count = u16_at(archive, end + 10).ok_or(CUT)?;
    for _ in 0..count {
        if u32_at(archive, entry) != Some(CENTRAL) {
            return Err("its list of files is not valid");
        }
        let field = |offset: usize| u16_at(archive, entry.saturating_add(offset)).ok_or(CUT);
        let long = |offset: usize| u32_at(archive, entry.saturating_add(offset)).ok_or(CUT);
        let lengths = [field(28)?, field(30)?, field(32)?].map(usize::from);
        let name = archive.get(entry + 46..).and_then(|rest| rest.get(..lengths[0])).ok_or(CUT)?;
        if name.ends_with(b"/") {
            // A folder.
            entry = entry + 46 + lengths.iter().sum::<usize>();
            continue;
        }
        let (method, sum, packed, size) = (field(10)?, long(16)?, long(20)? as usize, long(24)? as usize);
        if size > LARGEST {
            return Err("its content is too large");
        }
        let local = long(42)? as usize;
        if u32_at(archive, local) != Some(LOCAL) {
            return Err("its file has no header");
        }
        let after = [26, 28].map(|offset| u16_at(archive, local + offset));
        let [Some(name), Some(extra)] = after else { return Err(CUT) };
        let from = local + 30 + usize::from(name) + usize::from(extra);
        let data = archive.get(from..).and_then(|rest| rest.get(..packed)).ok_or(CUT)?;
        let content = match method {
            0 => data.to_vec(),
            8 => decompress_to_vec_with_limit(data, size).map_err(|_| "its content cannot be unpacked")?,
            _ => return Err("its compression is not supported"),
        };
        return match content.len() == size && crc32fast::hash(&content) == sum {
            true => Ok(content),
            false => Err("its content is damaged"),
        };
    }
    Err("it contains no file")
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let found = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes(found.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let found = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(found.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        for content in [&b""[..], b"hello", &[7; 100_000]] {
            assert_eq!(unpack(&pack("größe.txt", content).unwrap()).unwrap(), content);
        }
    }

    #[test]
    fn python_writes_and_reads_the_same_archives() {
        let folder = tempfile::tempdir().unwrap();
        let (ours, theirs) = (folder.path().join("ours.zip"), folder.path().join("theirs.zip"));
        std::fs::write(&ours, pack("a b.txt", b"from us").unwrap()).unwrap();
        let script = "import sys, zipfile\n\
            z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None\n\
            assert z.read('a b.txt') == b'from us', z.namelist()\n\
            z = zipfile.ZipFile(sys.argv[2], 'w', zipfile.ZIP_DEFLATED)\n\
            z.writestr('folder/', b''); z.writestr('x', b'from them ' * 1000); z.close()";
        let ran = std::process::Command::new("python3").args(["-c", script]).arg(&ours).arg(&theirs).output();
        // A machine without Python has the other test.
        let Ok(ran) = ran else { return };
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        assert_eq!(unpack(&std::fs::read(theirs).unwrap()).unwrap(), b"from them ".repeat(1000));
    }

    #[test]
    fn a_damaged_archive_is_an_error_and_never_a_panic() {
        let whole = pack("name", b"some content that is checked").unwrap();
        for length in 0..whole.len() {
            assert!(unpack(&whole[..length]).is_err(), "{length}");
        }
        for at in 0..whole.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut changed = whole.clone();
                changed[at] ^= change;
                if let Ok(content) = unpack(&changed) {
                    assert_eq!(content, b"some content that is checked", "byte {at}");
                }
            }
        }
    }
}
