//! Sentences about rules, approvals and the audit.

use super::template::MessageTemplate;

catalogue! {
    // Why a card asks although a rule seems to allow the action.
    WHY_POLICY_NOT_READ = "policy.json can't be read, so every action needs your approval";
    WHY_COULD_SEND = "It could send what the agent read elsewhere to someone else";
    WHY_CARRIES = "It may send text from another page or file to this site";
    WHY_NEW_SITE = "You did not name this site, but a page may have";
    WHY_NOT_ITS_TAB = "The agent did not open this tab";
    WHY_DIALOG = "The page is waiting for this answer";
    WHY_READS_SECRET = "The page holds a password that gstack filled in, and this could read it";
    WHY_PROJECT = "This project (.gstack/policy.toml) asks about it each time";
    WHY_PASSWORD = "It types into a password field";
    // Rules and the audit.
    RULE_ENDED = "the rule would end before it begins";
    RULE_ENDED_NEXT = "Give a time in the future.";
    RULE_TOO_LONG = "a rule with an end may last for a year at most";
    RULE_TOO_LONG_NEXT = "Give an earlier time, or leave it out for a rule that never ends.";
    RULE_NEEDS_END = "a rule that allows everything needs an end";
    RULE_NEEDS_END_NEXT = "Say until when: `gstack policy unattended 2h`.";
    NOT_A_SITE = "$1 is not a site";
    NOT_A_SITE_NEXT = "Give a host such as example.com or localhost:3000.";
    RULES_FULL = "there are already $1 rules, which is the limit";
    RULES_FULL_NEXT = "Remove rules that you no longer need: `gstack policy list` shows them.";
    NO_RULE = "there is no rule $1";
    NO_RULE_NEXT = "`gstack policy list` shows the rules in force.";
    RULE_NOT_WRITTEN_NEXT = "Free space or make gstack's home writable by you; until then, every action needs your approval.";
    AUDIT_NOT_WRITTEN = "the audit can't be written: $1";
    AUDIT_NOT_WRITTEN_NEXT = "Free space or make gstack's home writable by you; until then, agents can only look.";
    AUDIT_NOT_READ = "audit.jsonl can't be read: $1";
    AUDIT_NOT_READ_NEXT = "Make gstack's home readable by you.";
}
