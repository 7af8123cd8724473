//! The output of each of the program's own commands with `--json`, as docs/COMMANDS.md shows it.
//!
//! Owns the list. A test in tests/mcp runs the commands and holds their output against it.

/// The commands and the types of their output: a type of docs/openapi.json, or one in TypeScript notation.
pub const JSON_OUTPUT: &[(&str, JsonOutput)] = &[
    ("connect", JsonOutput::Lines("ConnectLine")),
    ("disconnect", JsonOutput::Whole("Disconnected")),
    ("stop", JsonOutput::Nothing),
    ("restart", JsonOutput::Lines("ConnectLine")),
    ("status", JsonOutput::Whole("Status")),
    ("doctor", JsonOutput::Whole("Doctor")),
    ("doctor --report", JsonOutput::Whole(DOCTOR_REPORT)),
    ("chat", JsonOutput::Lines("ChatLine")),
    ("chat --stop", JsonOutput::Whole("Stopped")),
    ("chat --continue", JsonOutput::Whole("Empty")),
    ("sessions", JsonOutput::Whole("Conversations")),
    ("sessions list", JsonOutput::Whole("Conversations")),
    ("sessions show", JsonOutput::Whole(EXPORT)),
    ("sessions open", JsonOutput::Whole("ConversationInfo")),
    ("sessions rename", JsonOutput::Whole("ConversationInfo")),
    ("sessions delete", JsonOutput::Whole("ChatRef")),
    ("sessions restore", JsonOutput::Whole("ConversationInfo")),
    ("sessions compact", JsonOutput::Whole("CompactedConversations")),
    ("sessions export", JsonOutput::Whole(EXPORT)),
    ("evidence", JsonOutput::Whole("EvidenceFile")),
    ("settings", JsonOutput::Whole("Settings")),
    ("settings list", JsonOutput::Whole("Settings")),
    ("settings get", JsonOutput::Whole("Setting")),
    ("settings set", JsonOutput::Whole("Setting")),
    ("settings unset", JsonOutput::Whole("Setting")),
    ("stop-turn", JsonOutput::Whole("Stopped")),
    ("approvals", JsonOutput::Whole("WaitingApprovals")),
    ("approvals --watch", JsonOutput::Lines("WaitingApprovals")),
    ("approvals allow", JsonOutput::Nothing),
    ("approvals deny", JsonOutput::Nothing),
    ("approvals link", JsonOutput::Whole("ApprovalLink")),
    ("approvals answer", JsonOutput::Nothing),
    ("policy", JsonOutput::Whole("Policy")),
    ("policy list", JsonOutput::Whole("Policy")),
    ("policy allow", JsonOutput::Whole("Policy")),
    ("policy deny", JsonOutput::Whole("Policy")),
    ("policy unattended", JsonOutput::Whole("Policy")),
    ("policy remove", JsonOutput::Whole("Policy")),
    ("policy explain", JsonOutput::Whole("PolicyExplained | {action: string, explained: PolicyExplained}[]")),
    ("policy only", JsonOutput::Whole("{sites: string, openBrowser?: string}")),
    ("policy test", JsonOutput::Whole(CHECKED)),
    ("instances", JsonOutput::Whole(INSTANCES)),
    ("instances list", JsonOutput::Whole(INSTANCES)),
    ("instances stop", JsonOutput::Whole("{stopped: string[], failed?: number}")),
    ("instances trust", JsonOutput::Whole("{file: string, trusted: boolean}")),
    ("instances untrust", JsonOutput::Whole("{file: string, trusted: boolean}")),
    ("flow", JsonOutput::Whole(FLOWS)),
    ("flow list", JsonOutput::Whole(FLOWS)),
    (
        "flow show",
        JsonOutput::Whole(
            "{file: string, allowed: boolean, flow?: unknown, problems?: {line: number, message: string, hint: string}[]}",
        ),
    ),
    ("flow check", JsonOutput::Whole("{file: string, problems: {line: number, message: string, hint: string}[]}")),
    ("flow trust", JsonOutput::Whole("{file: string, allowed: boolean, text: string}")),
    ("flow run", JsonOutput::Whole(FLOW_REPORT)),
    (
        "flow schedule",
        JsonOutput::Whole(
            "[{id: string, flow: string, file: string, hash: string, set: {[name]: string}, sites: string[], \
             kinds: string[], until: string, cron: string, utc: boolean, last?: {at: number, done: boolean}}] | \
             {scheduled: unknown, files: string[]} | {removed: unknown[]}",
        ),
    ),
    ("flow save", JsonOutput::Whole("{file: string, flow: unknown, leftOut: string[]}")),
    ("flow record", JsonOutput::Whole("{file: string, flow: unknown, leftOut: string[]}")),
    ("flow import", JsonOutput::Whole("{file: string, flow: unknown, leftOut: string[]}")),
    ("flow export", JsonOutput::Text("the program")),
    ("flow schema", JsonOutput::Text("the JSON Schema")),
    ("run", JsonOutput::Whole(FLEET)),
    ("profiles", JsonOutput::Whole(PROFILES)),
    ("profiles list", JsonOutput::Whole(PROFILES)),
    ("profiles delete", JsonOutput::Whole("{deleted: string}")),
    ("view", JsonOutput::Whole("ViewOpened")),
    ("view end", JsonOutput::Whole("ViewEnded")),
    ("panels", JsonOutput::Whole("KnownPanels")),
    ("panels list", JsonOutput::Whole("KnownPanels")),
    ("panels confirm", JsonOutput::Whole("KnownPanel")),
    ("panels forget", JsonOutput::Whole("KnownPanels")),
    ("audit", JsonOutput::Whole("AuditEntry[]")),
    ("audit --follow", JsonOutput::Lines("AuditEntry")),
    ("audit --verify", JsonOutput::Whole("AuditProof")),
    ("auth", JsonOutput::Whole("SavedSignIns")),
    ("auth list", JsonOutput::Whole("SavedSignIns")),
    ("auth save", JsonOutput::Whole("SavedSignIn")),
    ("auth fill", JsonOutput::Whole("CommandAnswer")),
    ("auth remove", JsonOutput::Whole("SavedSignIns")),
    ("auth unlock", JsonOutput::Whole("SavedSignIns")),
    ("auth lock", JsonOutput::Whole("SavedSignIns")),
    ("mcp", JsonOutput::Text("the messages of the Model Context Protocol")),
    ("mcp install", JsonOutput::Whole(CLIENT_CHANGE)),
    ("mcp uninstall", JsonOutput::Whole(CLIENT_CHANGE)),
    ("cdp", JsonOutput::Whole("CdpOpened")),
    ("cdp list", JsonOutput::Whole("CdpEndpoints")),
    ("cdp revoke", JsonOutput::Whole("CdpEndpoints")),
    ("tunnel", JsonOutput::Whole(TUNNEL)),
    ("tunnel list", JsonOutput::Whole("Tunnels")),
    ("tunnel revoke", JsonOutput::Whole("Tunnels")),
    ("cdp provider", JsonOutput::Text("an answer in agent-browser's plugin protocol")),
    ("agents", JsonOutput::Whole("Agents")),
    ("activity", JsonOutput::Whole("ActivityPage")),
    ("activity --follow", JsonOutput::Lines("ActivityEntry")),
    ("install-host", JsonOutput::Whole(HOSTS)),
    ("uninstall-host", JsonOutput::Whole(HOSTS)),
    ("upgrade", JsonOutput::Whole(UPGRADE)),
    ("skill", JsonOutput::Text("the guide")),
    ("skill more", JsonOutput::Text("the guide")),
    ("skill install", JsonOutput::Whole("{installed: string}")),
    ("skill uninstall", JsonOutput::Whole("{removed: boolean}")),
    ("completions", JsonOutput::Text("the script")),
    ("man", JsonOutput::Text("the page")),
];

/// What a command prints with `--json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonOutput {
    /// One value of this type.
    Whole(&'static str),
    /// A value of this type on each line.
    Lines(&'static str),
    /// No JSON, but this.
    Text(&'static str),
    /// Nothing: the exit code tells the outcome.
    Nothing,
}

const DOCTOR_REPORT: &str = "{gstack: string, target: string, debug: boolean, system: string, kernel: string | null, root: boolean, display: boolean, \
    browsers: string[], sandboxedBrowsers: string[], hosts: {[browser]: string}, \
    hops: [{hop: string, ok: boolean, code?: string, said?: string}], notes: string[], \
    agents: [{name: string, version: string | null, code?: string}], log: {[module]: number}}";
const EXPORT: &str = "{conversation: ConversationInfo, events: ChatEvent[]}";
const INSTANCES: &str = "[{name: string, state: string, current: boolean, chosenBy?: string, home: string, pid: number | null, \
    browserPid: number | null, mode: string | null, profile: string | null, tabs: number | null, \
    browsers: NamedBrowserInfo[], leftOpen?: string[], memory: number | null, since: number | null, fault?: Fault}]";
const FLOWS: &str = "[{name: string, about: string, file: string, own: boolean, allowed: boolean, parameters: string[], \
    steps: number, problems?: {line: number, message: string, hint: string}[]}]";
const FLOW_REPORT: &str = "{flow: string, file: string, run: string, outcome: string, startedAt: number, millis: number, \
    of: number, steps: {step: number, told: string, outcome: string, millis: number, element?: {ref: string, role: string, \
    name: string, beside: string, score: number}, candidates?: {ref: string, role: string, name: string, beside: string, \
    score: number}[], before?: string, after?: string, message?: string, hint?: string, next?: string, healed?: string}[]}";
const FLEET: &str = "{version: number, run: string, flow: string, startedAt: string, endedAt: string, interrupted: boolean, \
    browsers: number, sessions: number, totals: {items: number, ok: number, failed: number, timedOut: number, lost: number, \
    unknown: number, notRun: number}, failure?: string, left?: string[], lost: {index: number, session: string, node?: string, \
    reason: string}[], items: {index: number, item: unknown, outcome: string, started: number, millis: number, exit?: number, \
    reason?: string, lost?: {session: string, node?: string, reason: string}[], session: string, node?: string, \
    output: string, result?: unknown}[]}";
const PROFILES: &str =
    "[{name: string, path: string, size: number, lastUsed: number | null, inUse: boolean, usedBy: string | null}]";
const CHECKED: &str =
    "[{action: string, site?: string, expected: string, found: string, holds: boolean, why: string, rule?: string}]";
const CLIENT_CHANGE: &str = "{client: string, file: string, changed: boolean}";
const TUNNEL: &str =
    "{id: string, name: string, socket: string, expiresAt: number, ssh: string[] | null, remoteSocket: string | null}";
const HOSTS: &str = "{report: {dryRun: boolean, browsers: [{browser: string, manifest?: string, action: string, note?: string, error?: string}], \
    warnings?: string[]}, extension: string | null}";
const UPGRADE: &str =
    "{installed: string, newest: string, published: string | null, upgraded: boolean, handingOver: boolean}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command_line;
    use gstack_command::registry;
    use std::collections::BTreeSet;

    fn own_commands(command: &clap::Command, name: &str, found: &mut BTreeSet<String>) {
        found.insert(name.to_owned());
        for sub in command.get_subcommands() {
            own_commands(sub, &format!("{name} {}", sub.get_name()), found);
        }
    }

    #[test]
    fn every_command_of_the_program_is_listed_once() {
        let line = command_line::command();
        let mut own = BTreeSet::new();
        let is_own = |sub: &&clap::Command| registry::find(sub.get_name()).is_none() || sub.has_subcommands();
        for sub in line.get_subcommands().filter(is_own) {
            own_commands(sub, sub.get_name(), &mut own);
        }
        let listed: Vec<_> =
            JSON_OUTPUT.iter().map(|(command, _)| command.split(" --").next().unwrap().to_owned()).collect();
        let mut names: BTreeSet<_> = listed.into_iter().collect();
        names.remove("status");
        assert_eq!(names, own);
        let lines: BTreeSet<_> = JSON_OUTPUT.iter().map(|(command, _)| command).collect();
        assert_eq!(lines.len(), JSON_OUTPUT.len(), "each is listed once");
    }
}
