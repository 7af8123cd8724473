//! What people call a site: the host of an address, with its port where that is unusual.

use url::Url;

/// The site of an address; none where it has no host (`about:blank`). Its port belongs to it: another port is
/// another site.
pub fn of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let name = url.host_str()?.to_owned();
    Some(match url.port() {
        Some(port) => format!("{name}:{port}"),
        None => name,
    })
}
