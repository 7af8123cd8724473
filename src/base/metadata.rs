//! The metadata services from which cloud machines get their credentials: their names and addresses, in every spelling.
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

/// Addresses in the link-local block, all of which is blocked: most clouds, Amazon's for containers and for pods.
const LINK_LOCAL_V4: [Ipv4Addr; 3] =
    [Ipv4Addr::new(169, 254, 169, 254), Ipv4Addr::new(169, 254, 170, 2), Ipv4Addr::new(169, 254, 170, 23)];

/// Addresses outside the link-local block: Alibaba, Azure's wire server, Oracle's classic service.
const OTHER_V4: [Ipv4Addr; 3] =
    [Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(168, 63, 129, 16), Ipv4Addr::new(192, 0, 0, 192)];

/// Amazon's `fd00:ec2::254` (and `::23` for containers), Google's `fd20:ce::254`, and the mapped link-local address.
const V6: [Ipv6Addr; 4] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe),
];

/// The prefix lengths of translated addresses, in bits (RFC 6052, section 2.2).
const NAT64_LENGTHS: [usize; 6] = [32, 40, 48, 56, 64, 96];
/// The octet (bits 64 to 71) that is zero in all but the longest prefix (RFC 6052, section 2.2).
const NAT64_RESERVED: usize = 8;

/// Returns whether a URL's host is a metadata service. False if the URL cannot be parsed.
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
                // Resolvers accept `169.254.169.254.` with a trailing dot as the same address.
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

/// Returns the hosts as a browser writes them after parsing a URL: decimal, hexadecimal and octal IPv4 spellings become
/// dotted, and IPv6 addresses have no brackets. Incomplete: has only the known addresses of the link-local block.
pub fn hosts() -> impl Iterator<Item = String> {
    let v4 = || LINK_LOCAL_V4.into_iter().chain(OTHER_V4);
    let names = NAMES.iter().flat_map(|name| [(*name).to_owned(), format!("{name}.")]);
    let embedded = v4().flat_map(|address| {
        let [a, b, c, d] = address.octets().map(u16::from);
        let (high, low) = (a << 8 | b, c << 8 | d);
        let local = NAT64_LENGTHS.into_iter().filter(|length| *length >= 48).map(move |length| {
            let prefix = Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0);
            nat64(prefix, length, address).to_string()
        });
        [
            address.to_string(),
            format!("::ffff:{high:x}:{low:x}"),
            format!("::ffff:0:{high:x}:{low:x}"),
            format!("::{high:x}:{low:x}"),
            format!("64:ff9b::{high:x}:{low:x}"),
            format!("2002:{high:x}:{low:x}::"),
        ]
        .into_iter()
        .chain(local)
    });
    names.chain(embedded).chain(V6.iter().map(ToString::to_string))
}

/// Matches the whole link-local block: most clouds' services are in it, and no web page is.
fn is_metadata_v4(address: Ipv4Addr) -> bool {
    address.is_link_local() || OTHER_V4.contains(&address)
}

fn is_metadata_v6(address: Ipv6Addr) -> bool {
    V6.contains(&address)
        || embedded_v4(address).into_iter().any(is_metadata_v4)
        // An operator may translate under any prefix, so this matches only the known addresses.
        || NAT64_LENGTHS.into_iter().filter_map(|length| from_nat64(address, length)).any(is_known_v4)
}

fn is_known_v4(address: Ipv4Addr) -> bool {
    LINK_LOCAL_V4.contains(&address) || OTHER_V4.contains(&address)
}

/// Returns the IPv4 addresses that an IPv6 address embeds by a prefix with no other meaning.
fn embedded_v4(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let from = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    let mut found = Vec::new();
    let zeros = [a, b, c, d].iter().all(|segment| *segment == 0);
    // ::ffff:a.b.c.d (RFC 4291), ::a.b.c.d (RFC 4291), ::ffff:0:a.b.c.d (RFC 2765)
    if zeros && ((e == 0 && (f == 0 || f == 0xffff)) || (e == 0xffff && f == 0)) {
        found.push(from(g, h));
    }
    // 64:ff9b::/96 (RFC 6052), and 64:ff9b:1::/48 with a length of the network's choice (RFC 8215)
    if a == 0x64 && b == 0xff9b {
        let shortest = if c == 1 { 48 } else { 96 };
        let lengths = NAT64_LENGTHS.into_iter().filter(|length| *length >= shortest);
        found.extend(lengths.filter_map(|length| from_nat64(address, length)));
    }
    // 6to4 (RFC 3056)
    if a == 0x2002 {
        found.push(from(b, c));
    }
    // Teredo (RFC 4380): the server, and the client with every bit inverted
    if a == 0x2001 && b == 0 {
        found.push(from(c, d));
        found.push(from(!g, !h));
    }
    // ISATAP (RFC 5214): an interface identifier under any prefix
    if matches!(e, 0 | 0x200) && f == 0x5efe {
        found.push(from(g, h));
    }
    found
}

/// Puts an IPv4 address after a translation prefix of this length (RFC 6052, section 2.2).
fn nat64(prefix: Ipv6Addr, length: usize, address: Ipv4Addr) -> Ipv6Addr {
    let mut octets = prefix.octets();
    for (at, octet) in nat64_octets(length).zip(address.octets()) {
        octets[at] = octet;
    }
    Ipv6Addr::from(octets)
}

/// Returns the IPv4 address after a translation prefix of this length, or `None` if the reserved octet is not zero.
fn from_nat64(address: Ipv6Addr, length: usize) -> Option<Ipv4Addr> {
    let octets = address.octets();
    if length < 96 && octets[NAT64_RESERVED] != 0 {
        return None;
    }
    let mut embedded = [0; 4];
    for (octet, at) in embedded.iter_mut().zip(nat64_octets(length)) {
        *octet = octets[at];
    }
    Some(Ipv4Addr::from(embedded))
}

/// Returns the positions of the four octets: after the prefix, without the reserved octet.
fn nat64_octets(length: usize) -> impl Iterator<Item = usize> {
    (length / 8..16).filter(move |at| length == 96 || *at != NAT64_RESERVED).take(4)
}

#[cfg(test)]
mod tests {
    use super::{NAT64_LENGTHS, from_nat64, hosts, is_metadata_url, nat64};
    use std::net::{Ipv4Addr, Ipv6Addr};

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

    /// The table of RFC 6052, section 2.4.
    #[test]
    fn an_address_is_found_behind_a_prefix_of_each_length() {
        let address = Ipv4Addr::new(192, 0, 2, 33);
        for (prefix, length, written) in [
            ("2001:db8::", 32, "2001:db8:c000:221::"),
            ("2001:db8:100::", 40, "2001:db8:1c0:2:21::"),
            ("2001:db8:122::", 48, "2001:db8:122:c000:2:2100::"),
            ("2001:db8:122:300::", 56, "2001:db8:122:3c0:0:221::"),
            ("2001:db8:122:344::", 64, "2001:db8:122:344:c0:2:2100::"),
            ("2001:db8:122:344::", 96, "2001:db8:122:344::192.0.2.33"),
        ] {
            let embedded = nat64(prefix.parse().unwrap(), length, address);
            assert_eq!(embedded, written.parse::<Ipv6Addr>().unwrap(), "/{length}");
            assert_eq!(from_nat64(embedded, length), Some(address), "/{length}");
        }
    }

    #[test]
    fn a_metadata_address_is_refused_behind_every_translation_prefix() {
        let refused = |address: Ipv6Addr| is_metadata_url(&format!("http://[{address}]/latest/"));
        for service in [Ipv4Addr::new(169, 254, 169, 254), Ipv4Addr::new(100, 100, 100, 200)] {
            for prefix in
                ["64:ff9b:1::", "64:ff9b:1:fffe::", "2001:db8::", "fd12:3456:789a:1::", "2a00:1450:4001:82b::"]
            {
                for length in NAT64_LENGTHS {
                    let address = nat64(prefix.parse().unwrap(), length, service);
                    assert!(refused(address), "{address} /{length}");
                }
            }
        }
        // Any address of the link-local block, if the prefix is unambiguous.
        for written in [
            "64:ff9b::a9fe:1",
            "64:ff9b:1:a9fe:0:100::",
            "64:ff9b:1:5:a9:fe00:100:0",
            "64:ff9b:1:ffff::a9fe:1",
            "2002:a9fe:101::1",
            "2001:0:a9fe:101::",
            "2001::5601:fefe",
            "::ffff:0:a9fe:101",
            "fe80::5efe:a9fe:101",
            "2001:db8::200:5efe:a9fe:101",
            "::a9fe:101",
        ] {
            assert!(refused(written.parse().unwrap()), "{written}");
        }
        for written in ["2001:db8::1", "64:ff9b::808:808", "2002:808:808::", "2001::1", "2606:4700::6810:84e5", "::1"] {
            assert!(!refused(written.parse().unwrap()), "{written}");
        }
    }
}
