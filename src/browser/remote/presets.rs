//! The hosted services that `connect --provider` knows, in one table.
//!
//! Owns each one's documented wire: where a session is made, how it is paid for and released, and where its DevTools
//! connection may lead. `hosted` does what the table says.

/// The place of a secret key in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyIn {
    /// A header of this name, after this prefix.
    Header(&'static str, &'static str),
    /// A query parameter of the DevTools address.
    Query(&'static str),
}

/// How a browser is reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserve {
    /// The connection reserves it, and its end releases it.
    ByConnecting,
    /// `POST` to this path; the answer's fields of these names hold the session's id and its websocket.
    Post { path: &'static str, id: &'static str, socket: &'static str },
}

/// How a reserved session is released: the method, the path with `{id}`, and the body.
pub(super) type Release = (&'static str, &'static str, &'static str);

/// One hosted service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The name that `--provider` takes.
    pub name: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// The base of its addresses. `{account}` in a path is the account.
    pub url: &'static str,
    /// DevTools connections may lead to this domain and the ones below it.
    pub domain: &'static str,
    /// The environment variable that usually holds the key.
    pub key_variable: &'static str,
    /// The field of a new session, or the part of a path, that holds the account or project, and its variable.
    pub account: Option<(Account, &'static str)>,
    /// The place of the key in requests.
    pub key: KeyIn,
    /// The place of the key in the DevTools connection, unless the address has its own secret.
    pub socket_key: Option<KeyIn>,
    /// How a browser is reserved.
    pub reserve: Reserve,
    /// How it is released, if it must be.
    pub release: Option<Release>,
    /// The field of a new session's answer that says where it runs.
    pub place: Option<&'static str>,
}

/// The way a service identifies an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Account {
    /// A part of each path; needed.
    InPath,
    /// A field of the body of a new session; may be left out.
    InBody(&'static str),
}

/// All of them. Tested against doubles of their documented wire, never against the services themselves; Browserless also
/// against its real server.
pub const PRESETS: [Preset; 5] = [
    Preset {
        name: "browserless",
        label: "Browserless",
        url: "wss://production-sfo.browserless.io",
        domain: "browserless.io",
        key_variable: "BROWSERLESS_TOKEN",
        account: None,
        key: KeyIn::Query("token"),
        socket_key: Some(KeyIn::Query("token")),
        reserve: Reserve::ByConnecting,
        release: None,
        place: None,
    },
    Preset {
        name: "browserbase",
        label: "Browserbase",
        url: "https://api.browserbase.com",
        domain: "browserbase.com",
        key_variable: "BROWSERBASE_API_KEY",
        account: Some((Account::InBody("projectId"), "BROWSERBASE_PROJECT_ID")),
        key: KeyIn::Header("x-bb-api-key", ""),
        socket_key: None,
        reserve: Reserve::Post { path: "/v1/sessions", id: "id", socket: "connectUrl" },
        release: Some(("POST", "/v1/sessions/{id}", r#"{"status":"REQUEST_RELEASE"}"#)),
        place: Some("region"),
    },
    Preset {
        name: "steel",
        label: "Steel",
        url: "https://api.steel.dev",
        domain: "steel.dev",
        key_variable: "STEEL_API_KEY",
        account: None,
        key: KeyIn::Header("steel-api-key", ""),
        socket_key: Some(KeyIn::Query("apiKey")),
        reserve: Reserve::Post { path: "/v1/sessions", id: "id", socket: "websocketUrl" },
        release: Some(("POST", "/v1/sessions/{id}/release", "{}")),
        place: Some("region"),
    },
    Preset {
        name: "hyperbrowser",
        label: "Hyperbrowser",
        url: "https://api.hyperbrowser.ai",
        domain: "hyperbrowser.ai",
        key_variable: "HYPERBROWSER_API_KEY",
        account: None,
        key: KeyIn::Header("x-api-key", ""),
        socket_key: None,
        reserve: Reserve::Post { path: "/api/session", id: "id", socket: "wsEndpoint" },
        release: Some(("PUT", "/api/session/{id}/stop", "")),
        place: None,
    },
    Preset {
        name: "cloudflare",
        label: "Cloudflare Browser Rendering",
        url: "https://api.cloudflare.com",
        domain: "api.cloudflare.com",
        key_variable: "CLOUDFLARE_API_TOKEN",
        account: Some((Account::InPath, "CLOUDFLARE_ACCOUNT_ID")),
        key: KeyIn::Header("authorization", "Bearer "),
        socket_key: Some(KeyIn::Header("authorization", "Bearer ")),
        reserve: Reserve::Post {
            path: "/client/v4/accounts/{account}/browser-rendering/devtools/browser?keep_alive=600000",
            id: "sessionId",
            socket: "webSocketDebuggerUrl",
        },
        release: Some(("DELETE", "/client/v4/accounts/{account}/browser-rendering/devtools/browser/{id}", "")),
        place: None,
    },
];

/// Returns the preset of this name.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}
