//! Whose the other end of a connection on 127.0.0.1 is, as Linux tells it.
//!
//! Owns the look at the sockets of agents' processes. Elsewhere nothing is found.

use super::{Marked, marked};
use std::net::SocketAddr;
use std::path::Path;

/// Whether a process that carries the mark of an agent of this home holds the end `peer` of a connection.
/// Reads the process table: some milliseconds.
pub fn is_of_agent(home: &Path, peer: SocketAddr) -> bool {
    let agents = marked(home);
    if agents.is_empty() {
        return false;
    }
    let Some(inode) = inode_of(peer) else { return false };
    let link = format!("socket:[{inode}]");
    agents.iter().any(|Marked { pid, .. }| holds(*pid, &link))
}

fn holds(pid: i32, link: &str) -> bool {
    let Ok(open) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    open.flatten().any(|file| std::fs::read_link(file.path()).is_ok_and(|target| target.as_os_str() == link))
}

/// The inode of the socket whose own address this is.
fn inode_of(address: SocketAddr) -> Option<u64> {
    let SocketAddr::V4(address) = address else { return None };
    // The kernel prints the address as one number in the machine's byte order.
    let own = format!("{:08X}:{:04X}", u32::from_ne_bytes(address.ip().octets()), address.port());
    let table = std::fs::read_to_string("/proc/net/tcp").ok()?;
    table.lines().skip(1).find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        (*fields.get(1)? == own).then(|| fields.get(9)?.parse().ok()).flatten()
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn a_connection_is_found_with_the_process_that_holds_it() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let inode = inode_of(stream.local_addr().unwrap()).unwrap();
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(holds(own, &format!("socket:[{inode}]")));
        assert!(!holds(own, "socket:[0]"));
        assert!(!is_of_agent(Path::new("/no/home/of/agents"), stream.local_addr().unwrap()));
    }
}
