//! The cookies of a tab's browser context, and its cache.
//!
//! Owns the calls and the type. Never decides who may see cookies.

use crate::page::error::PageError;
use crate::page::page::Page;
use crate::page::script::{call, tell};
use gstack_base::clock::now_millis;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// In seconds. A cookie that expires so soon may be gone when it is looked for.
const EXPIRES_SOON: f64 = 10.0;

/// A cookie with all fields needed to set it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cookie {
    pub name: String,
    pub value: String,
    /// `example.com` for that host only, `.example.com` for its subdomains too.
    pub domain: String,
    pub path: String,
    /// Seconds since 1970; absent for a session cookie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<f64>,
    #[serde(default)]
    pub http_only: bool,
    #[serde(default)]
    pub secure: bool,
    /// `Strict`, `Lax` or `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_site: Option<String>,
    /// The top-level site that it is limited to (CHIPS); absent for an unpartitioned cookie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition_key: Option<PartitionKey>,
}

/// The partition of a cookie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartitionKey {
    /// The scheme and registrable domain of the top-level page: `https://example.com`.
    pub top_level_site: String,
    /// A frame of another site is between the top-level page and the frame that set it.
    #[serde(default)]
    pub has_cross_site_ancestor: bool,
}

impl Cookie {
    /// Returns true if setting this cookie replaces the other.
    fn is_same(&self, other: &Self) -> bool {
        let host = |cookie: &Self| cookie.domain.trim_start_matches('.').to_ascii_lowercase();
        self.name == other.name && self.path == other.path && host(self) == host(other)
    }
}

#[derive(Deserialize)]
struct Cookies {
    cookies: Vec<Reported>,
}

/// A cookie as the browser reports it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reported {
    #[serde(flatten)]
    cookie: Cookie,
    /// Present for a cookie in a partition. Chromium 156 reports `false` for an `<iframe credentialless>`.
    #[serde(default)]
    partition_key_opaque: Option<bool>,
}

impl Reported {
    /// Returns true if its partition has no name: that of an `<iframe credentialless>`, which ends with its page.
    fn is_unnamed(&self) -> bool {
        self.partition_key_opaque.is_some() && self.cookie.partition_key.is_none()
    }
}

impl Page {
    /// Returns all cookies of the tab's browser context, of every site. Leaves out those of an `<iframe credentialless>`:
    /// set again, they would be cookies of the whole site.
    pub async fn cookies(&self) -> Result<Vec<Cookie>, PageError> {
        // On a page's session, `Storage.getCookies` returns the cookies of the default context.
        let all: Cookies = call(self.session(), "Network.getAllCookies", &json!({})).await?;
        let named = all.cookies.into_iter().filter(|reported| !reported.is_unnamed()).map(|reported| reported.cookie);
        // The browser reports -1 for a session cookie.
        let with_expiry =
            |cookie: Cookie| Cookie { expires: cookie.expires.filter(|expires| *expires >= 0.0), ..cookie };
        Ok(named.map(with_expiry).collect())
    }

    /// Sets cookies. Returns those that the browser took without an error and did not keep: Chromium 156 answers as if it had
    /// set a cookie with `SameSite=None` that is not secure. Fails with `Usage` if the browser rejects one.
    pub async fn set_cookies<'a>(&self, cookies: &'a [Cookie]) -> Result<Vec<&'a Cookie>, PageError> {
        let written: Vec<Value> = cookies.iter().map(parameters).collect();
        match tell(self.session(), "Network.setCookies", &json!({ "cookies": written })).await {
            Err(PageError::Browser(error)) if is_refusal(&error) => {
                return Err(PageError::Usage(format!("the browser did not accept these cookies: {error}")));
            }
            other => other?,
        }
        let held = self.cookies().await?;
        // One that has expired deletes the cookie.
        let soon = now_millis() as f64 / 1000.0 + EXPIRES_SOON;
        let lasting = cookies.iter().filter(|cookie| cookie.expires.is_none_or(|expires| expires > soon));
        Ok(lasting.filter(|cookie| !held.iter().any(|held| cookie.is_same(held))).collect())
    }

    /// Deletes these cookies.
    pub async fn delete_cookies(&self, cookies: &[Cookie]) -> Result<(), PageError> {
        for cookie in cookies {
            let mut named = json!({ "name": cookie.name, "domain": cookie.domain, "path": cookie.path });
            if let Some(partition) = &cookie.partition_key {
                named["partitionKey"] = json!(partition);
            }
            tell(self.session(), "Network.deleteCookies", &named).await?;
        }
        Ok(())
    }

    /// Clears the cache of the whole browser.
    pub async fn clear_cache(&self) -> Result<(), PageError> {
        tell(self.session(), "Network.clearBrowserCache", &json!({})).await
    }
}

/// Returns the command's parameters. A domain without a leading dot means a single host, which only a URL can express.
fn parameters(cookie: &Cookie) -> Value {
    let mut written = json!({
        "name": cookie.name, "value": cookie.value, "path": cookie.path,
        "httpOnly": cookie.http_only, "secure": cookie.secure,
    });
    if cookie.domain.starts_with('.') {
        written["domain"] = json!(cookie.domain);
    } else {
        let scheme = if cookie.secure { "https" } else { "http" };
        written["url"] = json!(format!("{scheme}://{}{}", cookie.domain, cookie.path));
    }
    if let Some(expires) = cookie.expires {
        written["expires"] = json!(expires);
    }
    if let Some(same_site) = &cookie.same_site {
        written["sameSite"] = json!(same_site);
    }
    if let Some(partition) = &cookie.partition_key {
        written["partitionKey"] = json!(partition);
    }
    written
}

fn is_refusal(error: &crate::error::BrowserError) -> bool {
    use crate::cdp::CdpError;
    matches!(error, crate::error::BrowserError::Cdp(CdpError::Protocol { .. }))
}
