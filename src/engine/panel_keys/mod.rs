//! Which connections on `panel.sock` are a side panel that the person has confirmed: by its key, or because gstack
//! started its browser.
//!
//! Owns the path from a proof to that decision, and the person's requests about it. Never reads a socket. The checks
//! are pure and have their own files: `proof` for the signed text, `list` for the confirmed keys, `waiting` for the
//! codes, `file` for the disk.

mod admission;
mod error;
mod file;
mod keys;
mod list;
mod proof;
#[cfg(test)]
mod test_keys;
mod waiting;

pub use file::confirmed_in;
pub use proof::{check, signed_text};

use crate::browsers::Browsers;
use crate::drivers::Drivers;
use crate::policy::PolicyService;
use crate::ports::{PortId, PortState, Ports, Proving};
use crate::tabs::Tabs;
use error::PanelKeyError;
use gstack_base::clock::now_millis;
use gstack_base::fingerprint::Fingerprint;
use gstack_base::mutex::lock;
use gstack_base::visible;
use gstack_protocol::audit::{AuditBy, AuditEntry};
use gstack_protocol::fault::Fault;
use gstack_protocol::hello::Hello;
use gstack_protocol::methods::ToPanel;
use gstack_protocol::panel_key::{ConfirmedBy, KnownPanel, KnownPanels, PanelConfirmation, PanelProve, WaitingPanel};
use keys::KnownKeys;
use list::{LONGEST_NAME, Record};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use waiting::Wrong;

/// The first protocol version whose extensions prove a key.
const FIRST_WITH_KEYS: u32 = 2;

/// A handle to the panels' keys. Cheap to clone.
#[derive(Clone)]
pub struct PanelKeys(Arc<Shared>);

struct Shared {
    keys: Mutex<KnownKeys>,
    browsers: Browsers,
    drivers: Drivers,
    policy: PolicyService,
    ports: Ports,
    tabs: Tabs,
}

impl PanelKeys {
    /// Opens the keys of the file at `path`.
    pub(crate) fn open(
        path: PathBuf,
        browsers: Browsers,
        drivers: Drivers,
        policy: PolicyService,
        ports: Ports,
        tabs: Tabs,
    ) -> Self {
        let keys = Mutex::new(KnownKeys::open(path));
        Self(Arc::new(Shared { keys, browsers, drivers, policy, ports, tabs }))
    }

    /// Returns the challenge for a new connection.
    pub(crate) fn new_challenge() -> String {
        gstack_base::proof::nonce()
    }

    /// Returns the id of this home in what extensions sign.
    pub(crate) fn home_id(&self) -> String {
        lock(&self.0.keys).file.home().to_owned()
    }

    pub fn port_state(&self, port: PortId) -> PortState {
        self.0.ports.port_state(port)
    }

    /// Returns the fault for an unconfirmed port.
    pub fn unconfirmed(&self, port: PortId) -> Fault {
        let protocol = self.0.ports.protocol_of(port);
        let is_older = protocol.is_some_and(|protocol| protocol < FIRST_WITH_KEYS);
        PanelKeyError::Unconfirmed { is_older }.into()
    }

    /// Returns true if the host of this port descends from a browser that gstack started, and names that browser.
    pub(crate) fn is_of_started_browser(&self, port: PortId) -> bool {
        let Some((peer, claimed)) = self.0.ports.claim_of(port) else { return false };
        self.0.browsers.process_of(&claimed).is_some_and(|process| peer.descends_from_process(&process))
    }

    /// Confirms the ports that connected before gstack took their browser into use.
    pub(crate) fn confirm_started_ports(&self) {
        for port in self.0.ports.unconfirmed() {
            if self.is_of_started_browser(port) {
                self.0.ports.set_started(port);
                self.admit_waiting_port(port);
            }
        }
    }

    /// Checks the extension's proof of its key. Each connection has one attempt, whether it succeeds or fails.
    pub fn prove(&self, port: PortId, prove: &PanelProve) -> Result<PanelConfirmation, Fault> {
        let home = self.home_id();
        let now = now_millis();
        let Proving { challenge, hello, is_started } =
            self.0.ports.take_challenge(port).ok_or(PanelKeyError::ProvedAlready)?;
        let browser = browser_name(hello.as_ref());
        let key =
            proof::check(prove, &challenge, &home).map_err(|error| PanelKeyError::ProofWrong(error.to_string()))?;
        // Set before the list is read: a confirmation from now on finds this port by its key.
        self.0.ports.set_key(port, &key);
        let seen = lock(&self.0.keys).file.change_later(|list| list.seen(&key, &browser, now));
        match seen {
            Some(worth_writing) => {
                if worth_writing && let Err(fault) = lock(&self.0.keys).file.write_now() {
                    tracing::warn!(%fault, "when a browser was used is not written down");
                }
            }
            None if is_started => {
                if let Err(fault) = self.confirm_started(&key, &browser) {
                    tracing::warn!(%fault, "a browser that gstack started is not written down");
                }
            }
            None => return self.wait_for_person(port, &key, &browser),
        }
        self.admit_port(port);
        Ok(PanelConfirmation { confirmed: true, code: None })
    }

    /// Confirms the key of the browser that gstack started. Without an audit line its key is not kept: its connection
    /// is served by its descent, until it ends.
    fn confirm_started(&self, key: &Fingerprint, browser: &str) -> Result<(), Fault> {
        self.0.policy.record(&decided("panels confirm", key, true, AuditBy::Connect))?;
        let now = now_millis();
        let mut keys = lock(&self.0.keys);
        keys.file.change(|list| list.confirm(key.clone(), browser, now, ConfirmedBy::Connect, now))
    }

    fn wait_for_person(&self, port: PortId, key: &Fingerprint, browser: &str) -> Result<PanelConfirmation, Fault> {
        let connected = self.0.ports.keys();
        let mut keys = lock(&self.0.keys);
        // The person may have just confirmed it through another connection.
        if keys.file.confirmed().has(key) {
            drop(keys);
            self.admit_port(port);
            return Ok(PanelConfirmation { confirmed: true, code: None });
        }
        let code = keys
            .waiting
            .code_of(key, browser, now_millis(), |key| connected.contains(key))
            .ok_or(PanelKeyError::TooManyWait)?;
        tracing::info!(key = key.id(), browser, "a browser waits to be confirmed");
        Ok(PanelConfirmation { confirmed: false, code: Some(code) })
    }

    /// Returns the confirmed browsers and those that wait.
    pub fn known(&self) -> KnownPanels {
        let connected = self.0.ports.keys();
        let keys = lock(&self.0.keys);
        let known = keys.file.confirmed().records().iter().map(|record| shown(record, connected.contains(&record.key)));
        let waiting = keys.waiting.entries().iter().map(|entry| WaitingPanel {
            id: entry.key.id().to_owned(),
            browser: entry.browser.clone(),
            since: entry.since,
            connected: connected.contains(&entry.key),
        });
        KnownPanels { panels: known.collect(), waiting: waiting.collect() }
    }

    /// Returns the names that the connected browsers waiting for confirmation give themselves.
    pub(crate) fn waiting_browsers(&self) -> Vec<String> {
        let waiting = self.known().waiting.into_iter().filter(|panel| panel.connected);
        waiting.map(|panel| visible::visible(&panel.browser)).collect()
    }

    /// Confirms the browser whose side panel shows the code that the person typed.
    pub fn confirm(&self, code: &str) -> Result<KnownPanel, Fault> {
        let now = now_millis();
        let mut keys = lock(&self.0.keys);
        let entry = match keys.waiting.find(code) {
            Ok(entry) => entry,
            Err(wrong) => {
                drop(keys);
                return Err(self.wrong_code(wrong));
            }
        };
        drop(keys);
        // A confirmation that cannot be written down is not made.
        self.0.policy.record(&decided("panels confirm", &entry.key, true, AuditBy::Terminal))?;
        let mut keys = lock(&self.0.keys);
        keys.file.change(|list| {
            list.confirm(entry.key.clone(), &entry.browser, entry.since, ConfirmedBy::Terminal, now);
        })?;
        keys.waiting.remove(&entry.key);
        let record = keys.file.confirmed().records().iter().find(|record| record.key == entry.key).cloned();
        drop(keys);
        let ports = self.0.ports.with_key(&entry.key);
        for port in &ports {
            self.admit_waiting_port(*port);
        }
        let record = record.ok_or_else(|| Fault::internal("the confirmed browser is not in the list"))?;
        Ok(shown(&record, !ports.is_empty()))
    }

    fn wrong_code(&self, wrong: Wrong) -> Fault {
        if wrong == Wrong::Replaced {
            tracing::warn!("several wrong codes were typed: each waiting browser has a new one");
            self.tell_codes();
        }
        PanelKeyError::CodeWrong.into()
    }

    /// Sends each waiting panel its current code.
    fn tell_codes(&self) {
        let waiting = lock(&self.0.keys).waiting.entries().to_vec();
        for (key, sender) in self.0.ports.waiting() {
            if let Some(entry) = waiting.iter().find(|entry| entry.key == key) {
                let told = PanelConfirmation { confirmed: false, code: Some(entry.code.clone()) };
                sender.send(&ToPanel::PanelConfirmation(told).envelope(None));
            }
        }
    }

    /// Revokes a confirmation. Connections that rely on it are closed and reconnect unconfirmed.
    pub fn forget(&self, id: &str) -> Result<KnownPanels, Fault> {
        let mut keys = lock(&self.0.keys);
        let waiting = keys.waiting.entries().iter().find(|entry| entry.key.id() == id).map(|entry| entry.key.clone());
        let forgotten = keys.file.change(|list| list.forget(id))?.map(|record| record.key);
        let Some(key) = forgotten.or(waiting) else {
            return Err(PanelKeyError::NoBrowser(id.to_owned()).into());
        };
        keys.waiting.remove(&key);
        drop(keys);
        self.0.policy.record(&decided("panels forget", &key, false, AuditBy::Terminal)).ok();
        self.0.ports.end_of_key(&key);
        Ok(self.known())
    }

    /// Returns what the person should know about the keys, for `gstack doctor`.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = lock(&self.0.keys).file.trouble().into_iter().collect();
        let waiting = self.waiting_browsers().len();
        if waiting > 0 {
            let browsers = if waiting == 1 { "a browser waits".to_owned() } else { format!("{waiting} browsers wait") };
            notes.push(format!("{browsers} to be confirmed: open its side panel and run the command that it shows"));
        }
        notes
    }
}

fn shown(record: &Record, connected: bool) -> KnownPanel {
    KnownPanel {
        id: record.key.id().to_owned(),
        browser: record.browser.clone(),
        first_seen: record.first_seen,
        last_seen: record.last_seen,
        confirmed_by: record.confirmed_by,
        confirmed_at: record.confirmed_at,
        connected,
    }
}

/// Returns the browser's name from the extension, limited in length and without terminal control characters.
fn browser_name(hello: Option<&Hello>) -> String {
    let said = hello.and_then(|hello| hello.browser.as_deref()).unwrap_or("browser");
    let mut name: String = said.chars().filter(|letter| !letter.is_control()).collect();
    while name.len() > LONGEST_NAME {
        name.pop();
    }
    name
}

fn decided(action: &str, key: &Fingerprint, allowed: bool, by: AuditBy) -> AuditEntry {
    AuditEntry {
        at: now_millis(),
        conversation_id: None,
        agent: None,
        action: format!("{action} {}", key.id()),
        record: None,
        scope: "panels".to_owned(),
        site: None,
        allowed,
        by,
        answer: None,
        rule: None,
    }
}
