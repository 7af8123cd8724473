//! `gstack cdp provider`: gives agent-browser tabs of a browser that gstack drives, as a plugin of its `browser.provider` capability.
//!
//! Owns the plugin's protocol: one JSON request on standard input, one JSON answer on standard output. The daemon owns the
//! endpoint; it ends as any other does. agent-browser's own description: <https://agent-browser.dev/plugins>

use super::terminal::print_line;
use gstack_client::http::Client;
use gstack_protocol::cdp_endpoint::{CdpEndpoints, CdpOpen, CdpOpened, CdpRevoke};
use gstack_protocol::fault::{Fault, FaultCode};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::Read;

const PROTOCOL: &str = "agent-browser.plugin.v1";
const CAPABILITY: &str = "browser.provider";
/// The client connects right after it has the address.
const TTL_SECONDS: u64 = 60;
/// A request is a few hundred bytes; its launch options hold no page content.
const LARGEST_REQUEST: u64 = 1024 * 1024;

#[derive(Debug, Deserialize)]
struct Request {
    protocol: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    request: Cleanup,
}

/// The answer to `browser.launch`, which `browser.close` passes back.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Cleanup {
    session_id: Option<String>,
}

/// Answers one request. `open` says what agent-browser gets. What fails is said in the answer, as the protocol wants it.
pub(super) async fn run(client: &Client, open: CdpOpen) -> Result<(), Fault> {
    let answered = match read() {
        Ok(request) => answer(client, request, open).await,
        Err(fault) => Err(fault),
    };
    let mut answer = answered.unwrap_or_else(|fault| {
        let hint = fault.hint.map(|hint| format!(". {hint}")).unwrap_or_default();
        json!({ "success": false, "error": format!("{}{hint}", fault.message) })
    });
    answer["protocol"] = json!(PROTOCOL);
    print_line(&answer.to_string());
    Ok(())
}

fn read() -> Result<Request, Fault> {
    let wrong = |error: String| {
        Fault::new(FaultCode::BadRequest, format!("no request of agent-browser on standard input: {error}"))
            .hint("agent-browser runs this command itself. docs/DRIVERS.md says how to add gstack as its plugin.")
    };
    let mut text = String::new();
    std::io::stdin().take(LARGEST_REQUEST).read_to_string(&mut text).map_err(|error| wrong(error.to_string()))?;
    let request: Request = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if request.protocol != PROTOCOL {
        return Err(wrong(format!("its protocol is {:?}, not {PROTOCOL}", request.protocol)));
    }
    Ok(request)
}

async fn answer(client: &Client, request: Request, open: CdpOpen) -> Result<Value, Fault> {
    match request.kind.as_str() {
        "plugin.manifest" => Ok(json!({ "success": true, "manifest": {
            "name": "gstack",
            "capabilities": [CAPABILITY],
            "description": "Drives tabs of a browser that gstack drives.",
        } })),
        "browser.launch" => {
            let open = CdpOpen {
                ttl_seconds: TTL_SECONDS,
                name: open.name.or_else(|| Some("agent-browser".to_owned())),
                ..open
            };
            let CdpOpened { id, url, .. } = client.post("/cdp/open", &open).await?;
            let session = json!({ "sessionId": id });
            Ok(json!({ "success": true, "browser": {
                "cdpUrl": url,
                "directPage": false,
                "metadata": session.clone(),
                "cleanup": session,
            } }))
        }
        "browser.close" => {
            // Without an id it would end the connections of other clients.
            if let Some(id) = request.request.session_id {
                let ended: Result<CdpEndpoints, Fault> = client.post("/cdp/revoke", &CdpRevoke { id: Some(id) }).await;
                // It ends with its connection too.
                if let Err(fault) = ended
                    && fault.code != FaultCode::NotFound
                {
                    return Err(fault);
                }
            }
            Ok(json!({ "success": true, "data": {} }))
        }
        other => Err(Fault::new(FaultCode::BadRequest, format!("gstack does not answer {other:?}"))
            .hint(format!("It supports only {CAPABILITY}."))),
    }
}
