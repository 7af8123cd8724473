//! The DevTools commands that reach beyond a tab, which never leave the program for an everyday browser, no matter who asks.
//!
//! Owns the list.

/// Commands that reach beyond the tab: the cookies and storage of the whole profile, and other targets.
const BARRED: [&str; 9] = [
    "Storage.getCookies",
    "Storage.setCookies",
    "Storage.clearCookies",
    "Storage.clearDataForOrigin",
    "Storage.clearDataForStorageKey",
    "Network.getAllCookies",
    "Network.clearBrowserCookies",
    "Network.clearBrowserCache",
    "Target.exposeDevToolsProtocol",
];

/// Returns true for the browser's own domains and for commands that reach beyond the tab.
pub(super) fn is_barred(method: &str) -> bool {
    let (domain, name) = method.split_once('.').unwrap_or_default();
    let other_targets = domain == "Target" && name != "setAutoAttach";
    other_targets || matches!(domain, "Browser" | "SystemInfo" | "Extensions") || BARRED.contains(&method)
}
