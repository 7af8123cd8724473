//! Cookie files: our format, Playwright's, and exports of browser extensions.
//!
//! Owns the parsing. Sets nothing.

use gstack_browser::page::{Cookie, PartitionKey};
use gstack_protocol::fault::{Fault, FaultCode};
use serde::Deserialize;

/// One cookie as written in a file; field names vary.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    name: String,
    value: String,
    #[serde(default)]
    domain: Option<String>,
    #[serde(default)]
    path: Option<String>,
    #[serde(default, alias = "expirationDate")]
    expires: Option<f64>,
    #[serde(default)]
    http_only: bool,
    #[serde(default)]
    secure: bool,
    #[serde(default)]
    host_only: bool,
    #[serde(default)]
    same_site: Option<String>,
    #[serde(default)]
    partition_key: Option<Partition>,
    #[serde(default, rename = "_crHasCrossSiteAncestor")]
    cross_site_ancestor: Option<bool>,
}

/// Playwright writes only the site here, and the ancestor flag as a separate field.
#[derive(Deserialize)]
#[serde(untagged)]
enum Partition {
    Site(String),
    Key(PartitionKey),
}

/// Parses an array of cookies. `host` replaces a missing domain.
pub(super) fn parse(text: &str, host: Option<&str>) -> Result<Vec<Cookie>, Fault> {
    let refuse = |message: String| {
        Fault::new(FaultCode::BadRequest, message).hint(
            "The file must contain a JSON array: [{\"name\": \"n\", \"value\": \"v\", \"domain\": \"example.com\"}]",
        )
    };
    let written: Vec<Written> = serde_json::from_str(text).map_err(|error| refuse(format!("Invalid JSON: {error}")))?;
    let mut cookies = Vec::with_capacity(written.len());
    for cookie in written {
        let Some(domain) =
            cookie.domain.clone().filter(|domain| !domain.is_empty()).or_else(|| host.map(str::to_owned))
        else {
            return Err(refuse(format!("the cookie {:?} has no domain, and the page has none either", cookie.name))
                .hint("Open its site first: gstack goto <url>"));
        };
        cookies.push(cookie.cookie(domain));
    }
    Ok(cookies)
}

impl Written {
    fn cookie(self, domain: String) -> Cookie {
        let same_site = match self.same_site.as_deref().map(str::to_ascii_lowercase).as_deref() {
            Some("strict") => Some("Strict"),
            Some("lax") => Some("Lax"),
            // Chrome extensions write `no_restriction`.
            Some("none" | "no_restriction") => Some("None"),
            _ => None,
        };
        let partition_key = self.partition_key.map(|partition| match partition {
            Partition::Key(key) => key,
            Partition::Site(top_level_site) => {
                PartitionKey { top_level_site, has_cross_site_ancestor: self.cross_site_ancestor.unwrap_or(true) }
            }
        });
        Cookie {
            name: self.name,
            value: self.value,
            domain: if self.host_only { domain.trim_start_matches('.').to_owned() } else { domain },
            path: self.path.filter(|path| path.starts_with('/')).unwrap_or_else(|| "/".to_owned()),
            expires: self.expires.filter(|expires| *expires > 0.0),
            http_only: self.http_only,
            secure: self.secure,
            same_site: same_site.map(str::to_owned),
            partition_key: partition_key.filter(|key| !key.top_level_site.is_empty()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PartitionKey, parse};

    #[test]
    fn what_is_missing_is_filled_from_the_page() {
        let text = r#"[{"name": "a", "value": "1"},
            {"name": "b", "value": "2", "domain": ".x.example", "path": "/p", "sameSite": "no_restriction",
             "expirationDate": 4000000000.5, "hostOnly": false}]"#;
        let cookies = parse(text, Some("here.example")).unwrap();
        assert_eq!((cookies[0].domain.as_str(), cookies[0].path.as_str()), ("here.example", "/"));
        assert_eq!((cookies[1].domain.as_str(), cookies[1].path.as_str()), (".x.example", "/p"));
        assert_eq!(cookies[1].same_site.as_deref(), Some("None"));
        assert_eq!(cookies[1].expires, Some(4_000_000_000.5));
        let partitioned = r#"[{"name": "a", "value": "1", "partitionKey": "https://top.example", "_crHasCrossSiteAncestor": false},
            {"name": "b", "value": "2", "partitionKey": {"topLevelSite": "https://top.example", "hasCrossSiteAncestor": true}},
            {"name": "c", "value": "3", "partitionKey": {"topLevelSite": ""}}]"#;
        let keys: Vec<_> =
            parse(partitioned, Some("x.example")).unwrap().into_iter().map(|one| one.partition_key).collect();
        let key = |has_cross_site_ancestor| {
            Some(PartitionKey { top_level_site: "https://top.example".to_owned(), has_cross_site_ancestor })
        };
        assert_eq!(keys, [key(false), key(true), None]);
        assert!(parse(text, None).is_err());
        assert!(parse("{}", Some("x")).unwrap_err().hint.is_some());
    }
}
