//! Finds the processes at the other end of a connection on 127.0.0.1.
//!
//! Owns the search: first the socket tables (IPv4, and IPv6 for mapped addresses) for the socket, then the open files
//! of this user's processes for its holders. If no holder is found (the socket is in a message queue, or belongs to
//! another user or to a process that hides its files), the connection has no authority.

use super::process::Process;
use std::net::SocketAddr;
use std::path::PathBuf;

/// A process that has the socket open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    pub process: Process,
    /// The file descriptor's link in `/proc` and its target (`socket:[INODE]`). Linux only.
    link: Option<(PathBuf, PathBuf)>,
}

impl Holder {
    /// Returns whether the process still runs and still holds the socket. Much cheaper than another search.
    pub fn still_holds(&self) -> bool {
        let same = |(link, socket): &(PathBuf, PathBuf)| std::fs::read_link(link).is_ok_and(|target| target == *socket);
        self.link.as_ref().is_none_or(same) && self.process.is_alive()
    }
}

/// Returns all processes of this user that hold the socket whose local address is `near` and whose peer is `far`.
/// Blocks for some milliseconds, because it reads every open file of this user's processes.
#[cfg(target_os = "linux")]
pub fn holders(near: SocketAddr, far: SocketAddr) -> Vec<Holder> {
    let Some(inode) = tables::inode_of(near, far) else { return Vec::new() };
    let socket = PathBuf::from(format!("socket:[{inode}]"));
    let Ok(listed) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter_map(|pid| holder(pid, &socket)).collect()
}

#[cfg(target_os = "linux")]
fn holder(pid: i32, socket: &std::path::Path) -> Option<Holder> {
    // The files of another user's process can't be listed.
    let open = std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
    let link = open
        .flatten()
        .map(|file| file.path())
        .find(|link| std::fs::read_link(link).is_ok_and(|target| target == socket))?;
    Some(Holder { process: Process::find(pid)?, link: Some((link, socket.to_owned())) })
}

/// Searches with `lsof`, which is part of macOS. Returns nothing if it is not installed.
#[cfg(not(target_os = "linux"))]
pub fn holders(near: SocketAddr, far: SocketAddr) -> Vec<Holder> {
    let uid = rustix::process::geteuid().as_raw().to_string();
    let selected = format!("-iTCP:{}", near.port());
    let output =
        std::process::Command::new("/usr/sbin/lsof").args(["-nP", "-a", "-u", &uid, &selected, "-F", "pn"]).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let pids = listed_by_lsof(&text, near, far).into_iter();
    pids.filter_map(|pid| Some(Holder { process: Process::find(pid)?, link: None })).collect()
}

/// Parses `lsof -F pn`: `pPID`, then for each file `fFD` and `nNEAR->FAR`.
#[cfg(any(not(target_os = "linux"), test))]
fn listed_by_lsof(text: &str, near: SocketAddr, far: SocketAddr) -> Vec<i32> {
    let (plain, mapped) = (format!("{near}->{far}"), format!("[::ffff:{}]:{}->", near.ip(), near.port()));
    let mut pids = Vec::new();
    let mut current: Option<i32> = None;
    for line in text.lines() {
        if let Some(pid) = line.strip_prefix('p') {
            current = pid.parse().ok();
        } else if let Some(name) = line.strip_prefix('n')
            && (name == plain || name.starts_with(&mapped))
        {
            pids.extend(current.take());
        }
    }
    pids
}

#[cfg(target_os = "linux")]
mod tables {
    //! `/proc/net/tcp` and `tcp6`, whose addresses are hexadecimal numbers in the machine's byte order.

    use std::io::{BufRead, BufReader};
    use std::net::{IpAddr, Ipv4Addr, SocketAddr};

    /// Returns the inode of this user's socket with these two addresses. Ignores inode 0, which means that the socket
    /// has been closed.
    pub(super) fn inode_of(near: SocketAddr, far: SocketAddr) -> Option<u64> {
        let (IpAddr::V4(near_ip), IpAddr::V4(far_ip)) = (near.ip().to_canonical(), far.ip().to_canonical()) else {
            return None;
        };
        let [near4, far4] = [(near_ip, near), (far_ip, far)].map(|(ip, of)| format!("{}:{:04X}", word(ip), of.port()));
        let mapped = format!("0000000000000000{:08X}", u32::from_ne_bytes([0, 0, 0xff, 0xff]));
        look("/proc/net/tcp", &near4, &far4)
            .or_else(|| look("/proc/net/tcp6", &format!("{mapped}{near4}"), &format!("{mapped}{far4}")))
    }

    fn word(ip: Ipv4Addr) -> String {
        format!("{:08X}", u32::from_ne_bytes(ip.octets()))
    }

    fn look(table: &str, near: &str, far: &str) -> Option<u64> {
        let own = rustix::process::geteuid().as_raw().to_string();
        let lines = BufReader::new(std::fs::File::open(table).ok()?).lines();
        for line in lines.skip(1).map_while(Result::ok) {
            // sl, near, far, state, queues, timer, retransmits, uid, timeout, inode
            let mut fields = line.split_ascii_whitespace().skip(1);
            if fields.next() == Some(near) && fields.next() == Some(far) {
                let mut rest = fields.skip(4);
                let is_own = rest.next() == Some(&own);
                return rest.nth(1).filter(|_| is_own)?.parse().ok().filter(|inode| *inode != 0);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lsof_names_the_holders_of_one_end_only() {
        let text = "p10\nf5\nn127.0.0.1:4000->127.0.0.1:34567\np11\nf6\nn127.0.0.1:34567->127.0.0.1:4000\np12\nf7\nn127.0.0.1:4001->127.0.0.1:34567\nf8\nn[::ffff:127.0.0.1]:4000->[::ffff:127.0.0.1]:34567\n";
        let found = listed_by_lsof(text, "127.0.0.1:4000".parse().unwrap(), "127.0.0.1:34567".parse().unwrap());
        assert_eq!(found, [10, 12]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_connection_is_found_with_the_processes_that_hold_it() {
        use std::net::{TcpListener, TcpStream};
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let own = Process::find(i32::try_from(std::process::id()).unwrap()).unwrap();
        for address in [format!("127.0.0.1:{port}"), format!("[::ffff:127.0.0.1]:{port}")] {
            let stream = TcpStream::connect(&address).unwrap();
            let (accepted, near) = listener.accept().unwrap();
            let found = holders(near, accepted.local_addr().unwrap());
            assert_eq!(found.len(), 1, "{address}");
            assert!(found[0].process == own && found[0].still_holds(), "{address}");
            drop(stream);
            assert!(!found[0].still_holds(), "{address}");
            assert!(holders(near, accepted.local_addr().unwrap()).is_empty(), "{address}");
        }
    }
}
