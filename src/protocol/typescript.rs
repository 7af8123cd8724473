//! Generates `extension/protocol.d.ts` from the wire's types and `extension/shared/constants.js` from the constants
//! shared by both sides, and checks that the files are up to date. Only in test builds.
//!
//! Owns the content of these files and the types in the protocol documentation. After a change of the wire, run
//! `GSTACK_BLESS=1 cargo test -p gstack-protocol typescript` and commit the file.

mod reference;

use super::answers::AnswerVisitor;
use super::chat::{ChatBody, QUEUE_LIMIT};
use super::fault::Fault;
use super::hello::HostPreamble;
use super::ids::PanelId;
use super::links::LINK_SCHEMES;
use super::methods::{self, ToDaemon, ToPanel};
use super::{PROTOCOL, PROTOCOL_OLDEST};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use ts_rs::{Config, TS, TypeVisitor};

const FILE: &str = "extension/protocol.d.ts";
const CONSTANTS: &str = "extension/shared/constants.js";

/// JSON-RPC's outer structure, written by hand because `rpc.rs` keeps parameters raw.
const ENVELOPE: &str = "\
/** Any message in either direction. `method` with `id` is a request, `method` alone a notification, `id` alone a response. */
export interface Envelope {
  jsonrpc: \"2.0\";
  /** Which panel of the port is meant; absent: the background itself. */
  client?: PanelId;
  /** A number that the sender of requests counts up. */
  id?: number;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: Fault;
}

/** The names of what the extension asks or tells. */
export type Method = ToDaemon[\"method\"];
/** The parameters of one method. */
export type Params<M extends Method> = Extract<ToDaemon, { method: M }>[\"params\"];
/** The names of what the daemon tells. */
export type EventName = ToPanel[\"method\"];
/** The parameters of one of the daemon's events. */
export type EventParams<E extends EventName> = Extract<ToPanel, { method: E }>[\"params\"];
";

/// Every collected type by name, in a stable order.
pub(super) struct Collector {
    config: Config,
    pub(super) declarations: BTreeMap<String, String>,
    pub(super) answers: Vec<(&'static str, String)>,
}

impl Collector {
    pub(super) fn of_the_wire() -> Self {
        let mut collector = Self {
            // Every number on the wire stays far below 2^53.
            config: Config::new().with_large_int("number"),
            declarations: BTreeMap::new(),
            answers: Vec::new(),
        };
        collector.take::<HostPreamble>();
        collector.take::<ToDaemon>();
        collector.take::<ToPanel>();
        // Types that the extension uses although no message has them as a field.
        collector.take::<ChatBody>();
        collector.take::<Fault>();
        collector.take::<PanelId>();
        methods::walk(&mut collector);
        collector.name_repeats();
        collector
    }

    /// Writes a type's name where ts-rs writes all of it once more: in a type that flattens a union.
    fn name_repeats(&mut self) {
        let of = |(name, text): (&String, &String)| {
            let (_, body) = text.split_once(&format!("export type {name} = "))?;
            Some((name.clone(), format!("({})", body.strip_suffix(";\n").filter(|body| body.contains('\n'))?)))
        };
        let bodies: Vec<(String, String)> = self.declarations.iter().filter_map(of).collect();
        for text in self.declarations.values_mut() {
            for (name, body) in &bodies {
                *text = text.replace(body, name);
            }
        }
    }

    fn take<T: TS + 'static + ?Sized>(&mut self) {
        // Only our own types are written; a number or a list has no file of its own.
        if T::output_path().is_none() {
            T::visit_dependencies(self);
            return;
        }
        let name = T::ident(&self.config);
        if self.declarations.contains_key(&name) {
            return;
        }
        let docs = T::docs().unwrap_or_default();
        self.declarations.insert(name, format!("{docs}export {}\n", T::decl(&self.config)));
        T::visit_dependencies(self);
    }
}

impl TypeVisitor for Collector {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        self.take::<T>();
    }
}

impl AnswerVisitor for Collector {
    fn answer<T: TS + Serialize + DeserializeOwned + 'static>(&mut self, method: &'static str) {
        self.take::<T>();
        self.answers.push((method, T::name(&self.config)));
    }
}

fn declarations() -> String {
    let collector = Collector::of_the_wire();
    let mut text = String::from(
        "/*\n * The wire between the extension and the daemon, as types. Generated from src/protocol: never edit it.\n \
         * After a change there: GSTACK_BLESS=1 cargo test -p gstack-protocol typescript\n */\n\n",
    );
    writeln!(
        text,
        "/** Sent in `hello`: this extension speaks {PROTOCOL}, the daemon serves {PROTOCOL_OLDEST} to {PROTOCOL}. */"
    )
    .unwrap();
    writeln!(text, "export type Protocol = {PROTOCOL};\n").unwrap();
    writeln!(text, "{ENVELOPE}\n/** What answers each request. */\nexport interface Answers {{").unwrap();
    for (method, name) in &collector.answers {
        writeln!(text, "  {method:?}: {name};").unwrap();
    }
    text.push_str("}\n");
    for declaration in collector.declarations.values() {
        text.push('\n');
        text.push_str(declaration);
    }
    text
}

fn constants() -> String {
    format!(
        "/**\n * Numbers that the extension and the daemon both count by. Generated from src/protocol: never edit it.\n \
         * After a change there: GSTACK_BLESS=1 cargo test -p gstack-protocol typescript\n */\n\n\
         /** The number of the wire; the daemon compares it. */\nexport const PROTOCOL = {PROTOCOL};\n\
         /** How many messages may wait behind a running turn. */\nexport const QUEUE_LIMIT = {QUEUE_LIMIT};\n\
         /** The schemes of addresses that a link in an answer may lead to. */\nexport const LINK_SCHEMES = {};\n",
        serde_json::to_string(&LINK_SCHEMES).unwrap().replace(',', ", ")
    )
}

/// Checks that a file has the expected content, or writes it if `GSTACK_BLESS` is set.
fn is_in_step(file: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    if std::env::var_os("GSTACK_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "{file} is behind src/protocol. Run: GSTACK_BLESS=1 cargo test -p gstack-protocol typescript"
    );
}

#[test]
fn the_extension_has_the_types_of_this_wire() {
    is_in_step(FILE, &declarations());
}

#[test]
fn the_extension_counts_by_the_same_numbers() {
    is_in_step(CONSTANTS, &constants());
}
