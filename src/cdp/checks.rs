//! Checks of parameters that could lead beyond a client's tabs: addresses, files, cookies, and scripts for later documents.
//!
//! Owns the checks. Each may narrow the parameters; what it returns is what is sent.

use super::allowed::Check;
use super::message::Refusal;
use gstack_base::site_limits::SiteLimits;
use gstack_command::path_guard;
use gstack_command::upload_copies::UploadCopies;
use gstack_command::url_guard;
use gstack_protocol::cdp_endpoint::CdpGrant;
use serde_json::{Value, json};
use std::path::PathBuf;
use url::Url;

/// Put before a script that a client leaves for later documents: in a page of the browser, of an extension or in a local file it
/// ends there. The names are unforgeable, so no declaration of the script can replace them, and no part of it runs before.
const ONLY_IN_WEB_PAGES: &str = "switch(window.location.protocol){case'http:':case'https:':case'about:':case'data:':case'chrome-error:':break;\
    case'blob:':if(window.location.href.startsWith('blob:http')||window.location.href.startsWith('blob:null'))break;\
    default:throw'gstack runs scripts of CDP clients in web pages only'};";

/// The client's grants.
pub(super) struct Given {
    pub(super) allow: Vec<CdpGrant>,
    /// The folder of the person who created the endpoint.
    pub(super) folder: Option<PathBuf>,
    /// gstack's own home, whose files are nobody's.
    pub(super) home: PathBuf,
    /// A private folder for copies of what the client uploads.
    pub(super) copies: PathBuf,
    /// The only sites that the browser may reach.
    pub(super) limits: SiteLimits,
}

impl Given {
    pub(super) fn has(&self, grant: CdpGrant) -> bool {
        self.allow.contains(&grant)
    }

    /// Fails if a tab may not be opened at this address.
    pub(super) fn address(&self, typed: &str) -> Result<(), Refusal> {
        let refused = || Refusal::denied(format!("gstack opens no such address for a CDP client: {}", start_of(typed)));
        let url = Url::parse(typed.trim()).map_err(|_| refused())?;
        let web = match url.scheme() {
            "http" | "https" => url.clone(),
            "about" if matches!(url.path(), "blank" | "srcdoc") => return Ok(()),
            "data" => return Ok(()),
            "blob" => Url::parse(url.path()).ok().filter(|inner| inner.has_host()).ok_or_else(refused)?,
            _ => return Err(refused()),
        };
        url_guard::check(web.as_str()).map_err(|fault| Refusal::denied(fault.message))?;
        if let Some(sites) = self.limits.refusing(&web) {
            return Err(Refusal::denied(format!("the policy lets this browser reach only {sites}")));
        }
        Ok(())
    }

    /// Replaces the checked files of a command by copies, which the client cannot exchange before the browser reads them.
    /// Returns what removes the copies.
    pub(super) async fn copy(&self, check: Check, params: &mut Value) -> Result<Option<UploadCopies>, Refusal> {
        let files = match check {
            Check::Upload => params.pointer_mut("/files"),
            // The page gets the files with the last event of a drag.
            Check::Drop if params["type"] == "drop" => params.pointer_mut("/data/files"),
            _ => None,
        };
        let Some(files) = files.filter(|files| files.is_array() && !self.has(CdpGrant::Files)) else { return Ok(None) };
        let paths = files.as_array().into_iter().flatten().filter_map(Value::as_str).map(PathBuf::from).collect();
        let copied = UploadCopies::of_files(paths, &self.copies).await;
        let (paths, copies) = copied.map_err(|fault| Refusal::denied(fault.message))?;
        *files = json!(paths);
        Ok(Some(copies))
    }

    /// Returns the file to upload with its symlinks resolved. Fails if it is outside the open folders.
    fn file(&self, path: &Value) -> Result<Value, Refusal> {
        let typed = path.as_str().ok_or_else(|| Refusal::invalid("a file is not a path"))?;
        if self.has(CdpGrant::Files) {
            return Ok(json!(typed));
        }
        let found = path_guard::client_input(self.folder.as_deref(), &self.home, typed);
        let path = found.map_err(|fault| Refusal::denied(fault.message))?;
        Ok(json!(path.to_string_lossy()))
    }

    /// Returns the folder for downloads. Fails if it is outside the open folders.
    pub(super) fn download_folder(&self, typed: &str) -> Result<PathBuf, Refusal> {
        if self.has(CdpGrant::Files) {
            return Ok(PathBuf::from(typed));
        }
        let found = path_guard::client_output_folder(self.folder.as_deref(), &self.home, typed);
        found.map_err(|fault| Refusal::denied(fault.message))
    }

    /// Returns the parameters that may be sent. `page` is the address of the tab's page.
    pub(super) fn check(&self, check: Check, mut params: Value, page: &str) -> Result<Value, Refusal> {
        match check {
            Check::Navigate => {
                let url = params["url"].as_str().ok_or_else(|| Refusal::invalid("url is missing"))?;
                self.address(url)?;
            }
            Check::Request => {
                if let Some(url) = params.get("url") {
                    self.address(url.as_str().ok_or_else(|| Refusal::invalid("url is not a text"))?)?;
                }
            }
            Check::Upload => {
                let files = params["files"].as_array().ok_or_else(|| Refusal::invalid("files is missing"))?;
                params["files"] = files.iter().map(|file| self.file(file)).collect::<Result<Value, _>>()?;
            }
            Check::Drop => {
                if let Some(files) = params["data"]["files"].as_array() {
                    params["data"]["files"] = files.iter().map(|file| self.file(file)).collect::<Result<Value, _>>()?;
                }
            }
            Check::ReadCookies if !self.has(CdpGrant::Cookies) => match params["urls"].as_array() {
                // A page without a host has no cookies.
                None => params["urls"] = host_of(page).map_or(json!([]), |_| json!([page])),
                Some(urls) => {
                    if let Some(other) = urls.iter().find(|url| !url.as_str().is_some_and(|url| same_host(url, page))) {
                        return Err(cookies_of(other));
                    }
                }
            },
            Check::WriteCookie if !self.has(CdpGrant::Cookies) => own_cookie(&mut params, page)?,
            Check::WriteCookies if !self.has(CdpGrant::Cookies) => {
                for cookie in params["cookies"].as_array_mut().into_iter().flatten() {
                    own_cookie(cookie, page)?;
                }
            }
            Check::Plant => {
                let source = params["source"].as_str().ok_or_else(|| Refusal::invalid("source is missing"))?;
                params["source"] = json!(format!("{ONLY_IN_WEB_PAGES}{source}"));
            }
            Check::Reload => {
                if let Some(script) = params.get("scriptToEvaluateOnLoad") {
                    let script = script.as_str().ok_or_else(|| Refusal::invalid("the script is not a text"))?;
                    params["scriptToEvaluateOnLoad"] = json!(format!("{ONLY_IN_WEB_PAGES}{script}"));
                }
            }
            // They need more than the parameters.
            Check::HistoryEntry | Check::Stream | Check::Unplant | Check::Bind | Check::Unbind => {}
            Check::ReadCookies | Check::WriteCookie | Check::WriteCookies => {}
        }
        Ok(params)
    }
}

/// Fails if a cookie is of another host than the page, or of its parent domain.
fn own_cookie(cookie: &mut Value, page: &str) -> Result<(), Refusal> {
    if !cookie.is_object() {
        return Err(Refusal::invalid("a cookie is not an object"));
    }
    if cookie.get("url").is_none() && cookie.get("domain").is_none() {
        cookie["url"] = json!(page);
    }
    if let Some(url) = cookie.get("url")
        && !url.as_str().is_some_and(|url| same_host(url, page))
    {
        return Err(cookies_of(url));
    }
    if let Some(domain) = cookie.get("domain") {
        let host = host_of(page);
        let own = domain.as_str().zip(host.as_deref());
        if !own.is_some_and(|(domain, host)| domain.trim_start_matches('.').eq_ignore_ascii_case(host)) {
            return Err(cookies_of(domain));
        }
    }
    Ok(())
}

fn cookies_of(other: &Value) -> Refusal {
    let other = start_of(other.as_str().unwrap_or_default());
    Refusal::denied(format!("cookies of another site ({other}) need `gstack cdp --allow cookies`"))
}

fn host_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    url.host_str().map(str::to_owned)
}

fn same_host(url: &str, page: &str) -> bool {
    host_of(url).is_some_and(|host| host_of(page) == Some(host))
}

/// Returns what an error may quote of an address.
fn start_of(url: &str) -> String {
    url.chars().take(100).filter(|character| !character.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_base::site_list::SiteList;

    fn given(allow: &[CdpGrant]) -> Given {
        let (home, copies) = (PathBuf::from("/nowhere"), PathBuf::from("/nowhere/run"));
        Given { allow: allow.to_vec(), folder: None, home, copies, limits: SiteLimits::default() }
    }

    #[test]
    fn only_web_addresses_are_opened() {
        let given = given(&CdpGrant::ALL);
        for url in
            ["http://a.example/", "https://a/", "about:blank", "data:text/html,x", "blob:http://a/1", " http://a/"]
        {
            assert!(given.address(url).is_ok(), "{url}");
        }
        for url in [
            "file:///etc/passwd",
            "FILE:///etc/passwd",
            " file:///etc/passwd",
            "fi\tle:///etc/passwd",
            "view-source:file:///etc/passwd",
            "view-source:http://a/",
            "blob:file:///x",
            "blob:null/1",
            "filesystem:http://a/temporary/x",
            "chrome://settings",
            "chrome-extension://abc/page.html",
            "devtools://devtools/bundled/inspector.html",
            "javascript:alert(1)",
            "about:settings",
            "http://169.254.169.254/",
            "http://metadata.google.internal/",
            "blob:http://169.254.169.254/1",
            "http://",
            "",
            "/etc/passwd",
        ] {
            assert!(given.address(url).is_err(), "{url}");
        }
        let limits = SiteLimits { open: SiteList::parse("a.example").unwrap(), ..SiteLimits::default() };
        let only = Given { limits, ..given };
        assert!(only.address("http://a.example/").is_ok() && only.address("http://b.example/").is_err());
    }

    #[test]
    fn cookies_are_those_of_the_tabs_own_host() {
        let (none, all) = (given(&[]), given(&[CdpGrant::Cookies]));
        let page = "https://shop.example/cart";
        let read = |given: &Given, params| given.check(Check::ReadCookies, params, page);
        assert_eq!(read(&none, json!({})).unwrap(), json!({ "urls": [page] }));
        assert!(read(&none, json!({ "urls": ["https://shop.example/x"] })).is_ok());
        for other in ["https://bank.example/", "https://shop.example.evil/", "https://example/", "x", ""] {
            assert!(read(&none, json!({ "urls": [page, other] })).is_err(), "{other}");
            assert!(read(&all, json!({ "urls": [other] })).is_ok());
        }
        let write = |cookie| none.check(Check::WriteCookie, cookie, page);
        assert_eq!(write(json!({ "name": "a" })).unwrap()["url"], page);
        assert!(write(json!({ "name": "a", "domain": ".shop.example" })).is_ok());
        assert!(write(json!({ "name": "a", "domain": "example" })).is_err());
        assert!(write(json!({ "name": "a", "url": page, "domain": "bank.example" })).is_err());
        assert!(
            none.check(Check::WriteCookies, json!({ "cookies": [{ "url": "https://bank.example/" }] }), page).is_err()
        );
        for odd in [json!("x"), json!(1), json!([1]), json!(null), json!([{}])] {
            assert!(none.check(Check::WriteCookies, json!({ "cookies": [odd] }), page).is_err(), "{odd}");
        }
    }

    #[test]
    fn scripts_for_later_documents_begin_with_the_check_of_the_document() {
        let given = given(&CdpGrant::ALL);
        let planted = given.check(Check::Plant, json!({ "source": "function location() {}" }), "").unwrap();
        assert_eq!(planted["source"], format!("{ONLY_IN_WEB_PAGES}function location() {{}}"));
        assert!(!ONLY_IN_WEB_PAGES.contains('\n'), "the lines of the script keep their numbers");
        assert!(given.check(Check::Plant, json!({ "source": ["x"] }), "").is_err());
        assert_eq!(given.check(Check::Reload, json!({}), "").unwrap(), json!({}));
        let reload = given.check(Check::Reload, json!({ "scriptToEvaluateOnLoad": "x" }), "").unwrap();
        assert_eq!(reload["scriptToEvaluateOnLoad"], format!("{ONLY_IN_WEB_PAGES}x"));
        assert!(given.check(Check::Reload, json!({ "scriptToEvaluateOnLoad": 1 }), "").is_err());
    }

    #[test]
    fn files_outside_the_callers_folder_are_not_uploaded_or_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own.txt");
        std::fs::write(&own, "x").unwrap();
        std::os::unix::fs::symlink("/etc/hosts", folder.path().join("link")).unwrap();
        let given = Given { folder: Some(folder.path().to_owned()), ..given(&[]) };
        let upload = |path: &str| given.check(Check::Upload, json!({ "files": [path] }), "");
        assert!(upload(own.to_str().unwrap()).is_ok() && upload("own.txt").is_ok());
        // Another program's file in the temporary folder, by its path and by a way up.
        let theirs = tempfile::NamedTempFile::new().unwrap();
        let up = format!("../{}", theirs.path().file_name().unwrap().to_str().unwrap());
        let theirs = theirs.path().to_str().unwrap();
        for outside in ["/etc/passwd", "../../etc/passwd", "link", "", "/", theirs, &up] {
            assert!(upload(outside).is_err(), "{outside}");
            assert!(given.check(Check::Drop, json!({ "data": { "files": [outside] } }), "").is_err(), "{outside}");
        }
        assert!(given.download_folder("/etc").is_err() && given.download_folder(".").is_ok());
    }
}
