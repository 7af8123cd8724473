//! A hundred panels on one conversation, some of which stop reading.

use crate::cases::{cases, end_of, finish, send};
use crate::extension::Extension;
use crate::host::{Gone, Host};
use crate::journal::Replay;
use crate::panel_key::{PanelKey, code};
use crate::patience::Patience;
use crate::world::{LIMIT, World, gstack, wait, weight};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub const ALL: &[(&str, fn())] = cases![a_hundred_panels_get_everything_while_others_stop_reading];

const PORTS: usize = 10;
const PANELS: usize = 10;
/// One acknowledgement for this many events, as panels send once per frame.
const AT_ONCE: usize = 64;

/// The panels of one browser, all on one conversation.
struct Port {
    host: Host,
    conversation: String,
    panels: Vec<Panel>,
    next: u64,
}

#[derive(Default)]
struct Panel {
    replay: Replay,
    /// It applies what it receives and never acknowledges it.
    mute: bool,
    unsaid: usize,
    gaps: usize,
}

impl Port {
    fn join(world: &World, name: &str, conversation: &str, stuck: Arc<AtomicBool>) -> Self {
        let host = Host::start(world, &gstack(), stuck);
        let panels = (0..PANELS).map(|_| Panel::default()).collect();
        let mut port = Self { host, conversation: conversation.to_owned(), panels, next: 0 };
        let welcome = port.answer("hello", json!({ "protocol": 2, "version": "0.0.0", "instanceId": name }));
        let proved = port.answer("panel.prove", PanelKey::of("crowd").proof(&welcome));
        if let Some(code) = code(&proved) {
            let (well, said) = world.run(&["panels", "confirm", code]);
            assert!(well, "not confirmed: {said}");
        }
        port.request(0, "tabs.changed", json!({ "full": true, "tabs": [], "removed": [] }));
        for n in 0..PANELS {
            port.subscribe(n);
        }
        port
    }

    /// Returns the result of a request, before any subscription.
    fn answer(&mut self, method: &str, params: Value) -> Value {
        self.request(0, method, params);
        let patience = Patience::of(LIMIT);
        loop {
            assert!(patience.left().is_some(), "{method} is not answered");
            let frame = self.host.take(Duration::from_millis(100)).unwrap().unwrap_or_default();
            if frame["id"] == self.next {
                return frame["result"].clone();
            }
        }
    }

    fn request(&mut self, panel: usize, method: &str, params: Value) {
        self.next += 1;
        let id = if method == "tabs.changed" || method == "chat.ack" { Value::Null } else { json!(self.next) };
        let mut message =
            json!({ "jsonrpc": "2.0", "client": format!("p{panel}"), "method": method, "params": params });
        if !id.is_null() {
            message["id"] = id;
        }
        self.host.write(&message).unwrap();
    }

    fn subscribe(&mut self, panel: usize) {
        let after = self.panels[panel].replay.head();
        self.request(panel, "chat.subscribe", json!({ "conversationId": self.conversation, "after": after }));
    }

    /// Takes the next frame; false if none arrives.
    fn step(&mut self, limit: Duration) -> Result<bool, Gone> {
        let Some(frame) = self.host.take(limit)? else { return Ok(false) };
        let Some(n) = frame["client"].as_str().and_then(|client| client.strip_prefix('p')?.parse::<usize>().ok())
        else {
            return Ok(true);
        };
        let panel = &mut self.panels[n];
        match frame["method"].as_str() {
            Some("chat.event") => panel.replay.pushed(&frame["params"]["event"]),
            Some("chat.delta") => panel.replay.delta(&frame["params"]),
            Some("chat.gap") => {
                panel.gaps += 1;
                self.subscribe(n);
                return Ok(true);
            }
            Some(_) => return Ok(true),
            None => {
                for event in frame["result"]["events"].as_array().into_iter().flatten() {
                    panel.replay.read(event);
                }
                return Ok(true);
            }
        }
        panel.unsaid += 1;
        let is_event = frame["method"] == "chat.event";
        if !panel.mute && (is_event || panel.unsaid >= AT_ONCE) {
            panel.unsaid = 0;
            let (seq, offset) = panel.replay.place();
            let place = json!({ "conversationId": self.conversation, "seq": seq, "offset": offset });
            self.request(n, "chat.ack", place);
        }
        Ok(true)
    }

    /// Reads until all of its acknowledging panels have the end of this many turns.
    fn follow(&mut self, turns: usize) {
        let patience = Patience::of(LIMIT);
        let ended = |panel: &Panel| panel.mute || panel.replay.turns_done() >= turns;
        while !self.panels.iter().all(ended) {
            assert!(patience.left().is_some(), "a panel waits in vain for the end of turn {turns}");
            self.step(Duration::from_millis(100)).unwrap();
        }
    }
}

fn a_hundred_panels_get_everything_while_others_stop_reading() {
    let world = World::new("");
    let mut owner = Extension::new("one", 1);
    owner.connect(&world);
    let id = owner.conversations[0].clone();
    send(&mut owner, 0, "first", "say 3");
    end_of(&mut owner, 0);
    let read = || Arc::new(AtomicBool::new(false));
    let mut ports: Vec<Port> = (0..PORTS).map(|n| Port::join(&world, &format!("port-{n}"), &id, read())).collect();
    // One more panel in a port that reads, and a whole port that does not.
    ports[0].panels.push(Panel { mute: true, ..Panel::default() });
    ports[0].subscribe(PANELS);
    let stop = read();
    let stuck = Port::join(&world, "stuck", &id, stop.clone());
    for port in &mut ports {
        port.follow(1);
    }
    stop.store(true, Ordering::Relaxed);
    let daemon = world.daemon().unwrap();
    let before = weight(daemon);
    const TURNS: usize = 4;
    std::thread::scope(|threads| {
        for port in &mut ports {
            threads.spawn(|| port.follow(TURNS + 1));
        }
        for turn in 0..TURNS {
            send(&mut owner, 0, &format!("t{turn}"), "tell 60");
            assert_eq!(end_of(&mut owner, 0)["outcome"], "done");
        }
    });
    let written = Replay::of_file(&world.home().join("sessions").join(&id).join("chat.jsonl"));
    for (n, port) in ports.iter().enumerate() {
        for panel in port.panels.iter().filter(|panel| !panel.mute) {
            assert_eq!(panel.replay.events, written.events, "a panel of port {n} shows what is in the journal");
        }
    }
    let after = weight(daemon);
    assert!(after.memory < before.memory + 64 * 1024, "memory: {before:?}, with panels that stop reading {after:?}");
    // Those that stopped can return and read what they missed.
    stop.store(false, Ordering::Relaxed);
    let mut stuck = stuck;
    stuck.follow(TURNS + 1);
    // The last end may be pushed before what was missed is read.
    wait("the panels that had stopped to hold everything", || {
        stuck.step(Duration::from_millis(100)).unwrap();
        stuck.panels.iter().all(|panel| panel.replay.events == written.events)
    });
    wait("the panel that acknowledges nothing to be told of its gap", || {
        ports[0].step(Duration::from_millis(100)).unwrap();
        let mute = &ports[0].panels[PANELS];
        mute.gaps > 0
    });
    println!("{} panels: {before:?}, then {after:?}", PORTS * PANELS + 1 + PANELS);
    drop((ports, stuck));
    finish(&world, owner);
}
