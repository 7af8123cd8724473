//! One random order of actions and faults, named by its seed, and the checks after it.

use crate::extension::Extension;
use crate::journal::Replay;
use crate::world::{Weight, World, wait, weight};
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;

const TABS: usize = 3;
const DEEDS: usize = 30;
const DISK_KB: u32 = 2048;

/// SplitMix64: the same numbers for the same seed everywhere.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % sides as u64).unwrap()
    }
}

const ORDERS: [&str; 9] = ["say 3", "say 40", "slow 20", "hang", "crash", "exit", "garbage 3", "say 1", "deaf"];

/// A journal for each tab, and the pipes of two agents.
const MOST_FILES: usize = 16;
/// In kB: several times the memory that an order's conversations take.
const MOST_MEMORY: u64 = 8 * 1024;

struct Schedule {
    dice: Dice,
    world: World,
    extension: Extension,
    has_disk: bool,
    /// The daemon's resources before any action.
    fresh: Weight,
    sent: usize,
    /// By client id: the number in its answer.
    acknowledged: HashMap<String, (usize, u64)>,
    deeds: Vec<String>,
}

pub fn run(seed: u64) {
    let mut dice = Dice(seed);
    let mut world = World::new("at-once = 2\nsleep-minutes = 0.02\n");
    let has_disk = dice.below(3) == 0 && world.mount_small_disk(DISK_KB);
    let mut extension = Extension::new("one", TABS);
    extension.connect(&world);
    let fresh = weight(world.daemon().unwrap());
    let (acknowledged, deeds) = (HashMap::new(), Vec::new());
    let mut schedule = Schedule { fresh, dice, world, extension, has_disk, sent: 0, acknowledged, deeds };
    for _ in 0..DEEDS {
        schedule.deed();
    }
    schedule.settle();
    schedule.check();
    schedule.deeds.clear();
}

impl Drop for Schedule {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("what was done: {:#?}", self.deeds);
        }
    }
}

impl Schedule {
    fn deed(&mut self) {
        let n = self.dice.below(TABS);
        let deed = self.dice.below(26);
        match deed {
            0..=8 => self.send(n),
            9 => self.send_again(),
            10..=12 => self.ask(n, "chat.stop"),
            13 | 14 => self.ask(n, "chat.continue"),
            15 => {
                self.note("the host is killed");
                if let Some(pid) = self.extension.host_pid() {
                    self.world.kill_child(pid);
                }
                self.extension.connect(&self.world);
            }
            16 => {
                self.note("the port closes");
                self.extension.connect(&self.world);
            }
            17 => {
                let agents = self.world.agents();
                if !agents.is_empty() {
                    let agent = agents[self.dice.below(agents.len())];
                    self.note("an agent is killed");
                    self.world.kill(agent);
                }
            }
            18 => {
                if let Some(daemon) = self.world.daemon() {
                    self.note("the daemon is killed");
                    self.world.kill(daemon);
                    self.extension.connect(&self.world);
                }
            }
            19 if self.has_disk => {
                self.note("the disk is full");
                self.world.fill_disk();
            }
            20 | 21 if self.has_disk => {
                self.note("the disk is free");
                self.world.free_disk();
            }
            _ => {
                let millis = self.dice.below(120) as u64;
                self.note(&format!("{millis} ms"));
                // A random order has random times.
                if self.extension.read(Duration::from_millis(millis)).is_err() {
                    self.extension.connect(&self.world);
                }
            }
        }
    }

    fn note(&mut self, what: &str) {
        self.deeds.push(what.to_owned());
    }

    fn send(&mut self, n: usize) {
        self.sent += 1;
        let client_id = format!("m{}", self.sent);
        let order = ORDERS[self.dice.below(ORDERS.len())];
        self.deeds.push(format!("{client_id} to {n}: {order}"));
        self.send_as(n, &client_id, &format!("please [[{order}]]"));
    }

    fn send_as(&mut self, n: usize, client_id: &str, text: &str) {
        let id = self.extension.conversations[n].clone();
        let params = json!({ "conversationId": id, "clientId": client_id, "text": text });
        match self.extension.ask("chat.send", params) {
            Ok(Ok(sent)) => {
                let seq = sent["seq"].as_u64().unwrap();
                let first = self.acknowledged.entry(client_id.to_owned()).or_insert((n, seq));
                assert_eq!(*first, (n, seq), "a message that is sent again is answered as the first time");
            }
            // The queue or the disk is full, and the person was told so.
            Ok(Err(fault)) => assert!(matches!(fault["code"].as_str(), Some("conflict" | "storage")), "{fault}"),
            Err(_) => self.extension.connect(&self.world),
        }
    }

    fn send_again(&mut self) {
        let mut known: Vec<(String, usize)> = self.acknowledged.iter().map(|(id, (n, _))| (id.clone(), *n)).collect();
        known.sort();
        if !known.is_empty() {
            let (client_id, n) = known[self.dice.below(known.len())].clone();
            self.deeds.push(format!("{client_id} again"));
            self.send_as(n, &client_id, "please [[say 1]]");
        }
    }

    fn ask(&mut self, n: usize, method: &str) {
        self.deeds.push(format!("{method} {n}"));
        let id = self.extension.conversations[n].clone();
        match self.extension.ask(method, json!({ "conversationId": id })) {
            Ok(Ok(_)) => {}
            Ok(Err(fault)) => assert_eq!(fault["code"], "storage", "{fault}"),
            Err(_) => self.extension.connect(&self.world),
        }
    }

    /// Stops everything, and reads until the panels are complete.
    fn settle(&mut self) {
        self.world.free_disk();
        for n in 0..TABS {
            self.rest(n);
        }
        let heads: Vec<(String, u64)> =
            self.extension.conversations.iter().map(|id| (id.clone(), self.of_file(id).head())).collect();
        for (id, head) in heads {
            wait("a panel to hold what was written", || {
                self.extension.read(Duration::from_millis(5)).ok();
                self.extension.panels.get(&id).map_or(0, Replay::head) >= head
            });
        }
        while self.extension.read_one() {}
    }

    fn rest(&mut self, n: usize) {
        wait("a conversation to come to rest", || {
            let id = self.extension.conversations[n].clone();
            let asked = self.extension.ask("chat.stop", json!({ "conversationId": id }));
            match asked.and_then(|_| self.extension.state(n)) {
                Ok(state) => state == "idle",
                Err(_) => {
                    self.extension.connect(&self.world);
                    false
                }
            }
        });
    }

    fn of_file(&self, id: &str) -> Replay {
        Replay::of_file(&self.world.home().join("sessions").join(id).join("chat.jsonl"))
    }

    fn check(&mut self) {
        let (daemon, fresh) = (self.world.daemon().unwrap(), self.fresh);
        wait("all files but those of journals and resting agents to be closed", || {
            weight(daemon).files <= fresh.files + MOST_FILES
        });
        let memory = weight(daemon).memory;
        assert!(memory < fresh.memory + MOST_MEMORY, "{} kB when it began, {memory} kB now", fresh.memory);
        for n in 0..TABS {
            let id = self.extension.conversations[n].clone();
            let written = self.of_file(&id);
            let messages = written.messages();
            for (client_id, (_, seq)) in self.acknowledged.iter().filter(|(_, (of, _))| *of == n) {
                assert_eq!(messages.get(client_id.as_str()), Some(&1), "{client_id} is there, once");
                assert_eq!(written.events[seq]["clientId"], client_id.as_str(), "where its answer said");
            }
            assert!(messages.values().all(|count| *count == 1), "no message is there twice: {messages:?}");
            // The next daemon writes an end that could not be written on the full disk.
            if !self.has_disk {
                written.check_settled();
            }
            let shown = self.extension.panels.get(&id).map(|panel| &panel.events);
            if written.head() > 0 {
                assert_eq!(shown, Some(&written.events), "the panel shows what is in the journal");
            }
        }
        self.extension.disconnect();
        self.world.end();
        // And the next daemon finds everything in order: waiting messages are there, and run on request.
        self.extension.connect(&self.world);
        for n in 0..TABS {
            let id = self.extension.conversations[n].clone();
            self.of_file(&id).check_settled();
            let waiting = self.of_file(&id).waiting();
            assert_eq!(self.extension.info(n).unwrap()["queued"], waiting.len(), "{waiting:?} wait");
            for client_id in waiting {
                self.ask(n, "chat.continue");
                wait("a message that waited to have its turn", || !self.of_file(&id).waiting().contains(&client_id));
                self.rest(n);
            }
            assert_eq!(self.of_file(&id).waiting(), Vec::<String>::new());
        }
        self.extension.disconnect();
        self.world.end();
    }
}
