//! The services under which clouds hand out a machine's credentials: their names and addresses, in every spelling.
//!
//! Owns the one list of them. Sends nothing and resolves nothing.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// Names under which clouds serve metadata. Sources: the clouds' own documentation of their instance metadata services.
pub const NAMES: [&str; 9] = [
    "metadata.google.internal",
    "metadata.goog",
    "metadata",
    "instance-data",
    "instance-data.ec2.internal",
    "metadata.azure.internal",
    "metadata.azure.com",
    "metadata.tencentyun.com",
    "metadata.oraclecloud.com",
];

/// Inside of the link-local block, all of which is refused: most clouds, Amazon's for containers and for pods.
const LINK_LOCAL_V4: [Ipv4Addr; 3] =
    [Ipv4Addr::new(169, 254, 169, 254), Ipv4Addr::new(169, 254, 170, 2), Ipv4Addr::new(169, 254, 170, 23)];

/// Outside of it: Alibaba, Azure's wire server, Oracle's classic service.
const OTHER_V4: [Ipv4Addr; 3] =
    [Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(168, 63, 129, 16), Ipv4Addr::new(192, 0, 0, 192)];

/// Amazon's `fd00:ec2::254` (and `::23` for containers), Google's `fd20:ce::254`, and the mapped link-local one.
const V6: [Ipv6Addr; 4] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe),
];

/// Whether a URL's host is such a service. What can't be parsed has no host.
pub fn is_metadata_url(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| url.host().is_some_and(|host| is_metadata(&host)))
}

pub fn is_metadata(host: &Host<&str>) -> bool {
    match host {
        Host::Ipv4(address) => is_metadata_v4(*address),
        Host::Ipv6(address) => is_metadata_v6(*address),
        Host::Domain(name) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            NAMES.contains(&name.as_str())
                // `169.254.169.254.` with a dot too many is still that address to a resolver.
                || name.parse::<Ipv4Addr>().is_ok_and(is_metadata_v4)
        }
    }
}

pub fn is_metadata_address(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_metadata_v4(address),
        IpAddr::V6(address) => is_metadata_v6(address),
    }
}

/// Hosts as a browser writes them after reading a URL (decimal, hexadecimal and octal spellings have become dotted ones),
/// IPv6 ones without brackets. Not whole: of the link-local block the known ones only.
pub fn hosts() -> impl Iterator<Item = String> {
    let v4 = || LINK_LOCAL_V4.into_iter().chain(OTHER_V4);
    let names = NAMES.iter().flat_map(|name| [(*name).to_owned(), format!("{name}.")]);
    let mapped = v4().flat_map(|address| {
        let [a, b, c, d] = address.octets().map(u16::from);
        let (high, low) = (a << 8 | b, c << 8 | d);
        [
            address.to_string(),
            format!("::ffff:{high:x}:{low:x}"),
            format!("::{high:x}:{low:x}"),
            format!("64:ff9b::{high:x}:{low:x}"),
            format!("2002:{high:x}:{low:x}::"),
        ]
    });
    names.chain(mapped).chain(V6.iter().map(ToString::to_string))
}

/// The whole link-local block: every cloud's service lies there, and no web page does.
fn is_metadata_v4(address: Ipv4Addr) -> bool {
    address.is_link_local() || OTHER_V4.contains(&address)
}

fn is_metadata_v6(address: Ipv6Addr) -> bool {
    V6.contains(&address) || embedded_v4(address).into_iter().any(is_metadata_v4)
}

/// The IPv4 addresses that an IPv6 one stands for: mapped, compatible, NAT64, 6to4.
fn embedded_v4(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let from = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    let mut found = Vec::new();
    let zeros = [a, b, c, d].iter().all(|segment| *segment == 0);
    // ::ffff:a.b.c.d, ::a.b.c.d, ::ffff:0:a.b.c.d
    if zeros && ((e == 0 && (f == 0 || f == 0xffff)) || (e == 0xffff && f == 0)) {
        found.push(from(g, h));
    }
    // 64:ff9b::/96 and 64:ff9b:1::/48
    if a == 0x64 && b == 0xff9b {
        found.push(from(g, h));
    }
    if a == 0x2002 {
        found.push(from(b, c));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{hosts, is_metadata_url};
    use std::net::Ipv6Addr;

    #[test]
    fn every_host_of_the_list_is_one_that_is_refused() {
        for host in hosts() {
            let written = if host.parse::<Ipv6Addr>().is_ok() { format!("[{host}]") } else { host };
            assert!(is_metadata_url(&format!("http://{written}/latest/")), "{written}");
        }
        for url in ["http://example.com/?u=http://169.254.169.254/", "http://169.254.example/", "about:blank", ""] {
            assert!(!is_metadata_url(url), "{url}");
        }
    }
}
