//! The addresses of a machine's name.
//!
//! Owns the lookup. A program without a loader (see `build.rs`) must not load the system's modules for names, so it asks
//! `getent`, which reads the same configuration.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::Stdio;
use std::sync::LazyLock;
use tokio::net::lookup_host;
use tokio::process::Command;

/// The entry of `/proc/self/auxv` with the loader's address; 0 without a loader.
const LOADER: usize = 7;

static HAS_LOADER: LazyLock<bool> =
    LazyLock::new(|| !std::fs::read("/proc/self/auxv").is_ok_and(|entries| is_without_loader(&entries)));

/// Returns the addresses of a host: a name, or an address without brackets.
///
/// # Errors
///
/// Fails if the name is unknown.
pub(crate) async fn resolve(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    let with_port = |addresses: Vec<IpAddr>| addresses.into_iter().map(|ip| SocketAddr::new(ip, port)).collect();
    if let Ok(address) = host.parse() {
        return Ok(with_port(vec![address]));
    }
    if host == "localhost" {
        return Ok(with_port(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]));
    }
    if *HAS_LOADER {
        return Ok(lookup_host((host, port)).await?.collect());
    }
    ask_getent(host).await.map(with_port)
}

async fn ask_getent(host: &str) -> io::Result<Vec<IpAddr>> {
    let mut getent = Command::new("getent");
    getent.args(["ahosts", "--", host]).stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let output = getent.output().await.map_err(|error| io::Error::new(error.kind(), format!("getent: {error}")))?;
    let addresses = listed(&String::from_utf8_lossy(&output.stdout));
    match addresses.is_empty() {
        true => Err(io::Error::new(io::ErrorKind::NotFound, format!("no address is known for {host}"))),
        false => Ok(addresses),
    }
}

/// Returns each address in the answer of `getent ahosts` once: it has a line for each kind of socket.
fn listed(answer: &str) -> Vec<IpAddr> {
    let mut found = Vec::new();
    for address in answer.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()) {
        if !found.contains(&address) {
            found.push(address);
        }
    }
    found
}

/// `entries`: pairs of words, as the kernel hands them to a program.
fn is_without_loader(entries: &[u8]) -> bool {
    let (words, _) = entries.as_chunks::<{ size_of::<usize>() }>();
    words.chunks_exact(2).any(|pair| usize::from_ne_bytes(pair[0]) == LOADER && usize::from_ne_bytes(pair[1]) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_of_getent_has_each_address_once() {
        let answer = "192.0.2.7       STREAM grid.example\n192.0.2.7       DGRAM  \n2001:db8::7     STREAM \nfe80::1%eth0 STREAM\n";
        let expected: Vec<IpAddr> = vec!["192.0.2.7".parse().unwrap(), "2001:db8::7".parse().unwrap()];
        assert_eq!(listed(answer), expected);
    }

    #[test]
    fn a_program_without_a_loader_is_recognized() {
        let entries = |pairs: &[(usize, usize)]| {
            pairs
                .iter()
                .flat_map(|(kind, value)| [kind.to_ne_bytes(), value.to_ne_bytes()])
                .flatten()
                .collect::<Vec<u8>>()
        };
        assert!(is_without_loader(&entries(&[(6, 4096), (LOADER, 0), (0, 0)])));
        assert!(!is_without_loader(&entries(&[(6, 4096), (LOADER, 0x7f00_0000_0000), (0, 0)])));
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn names_of_this_machine_are_known_without_a_server() {
        let asked = ask_getent("localhost").await.expect("getent knows localhost");
        assert!(asked.iter().all(IpAddr::is_loopback), "{asked:?}");
        assert_eq!(resolve("localhost", 80).await.unwrap()[0], SocketAddr::from(([127, 0, 0, 1], 80)));
        assert_eq!(resolve("::1", 81).await.unwrap(), [SocketAddr::from((Ipv6Addr::LOCALHOST, 81))]);
    }
}
