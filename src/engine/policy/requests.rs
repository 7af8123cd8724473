//! People's requests about the policy and the audit: list, add, remove, follow.
//!
//! Owns the validation of a rule. The handlers of the requests decide who may make them.

use super::error::PolicyError;
use super::permission::rule_id;
use super::service::PolicyService;
use gstack_base::clock::now_millis;
use gstack_base::mutex::lock;
use gstack_base::site;
use gstack_protocol::audit::{AuditBy, AuditEntry, AuditProof, AuditRequest, AuditVerify};
use gstack_protocol::fault::Fault;
use gstack_protocol::policy::{Policy, PolicyAdd, PolicyBrowser, PolicyEffect, PolicyRemove, PolicyRule, PolicyScope};
use tokio::sync::mpsc;

/// The largest number of audit lines in one answer.
const MOST_LINES: usize = 10_000;

/// The longest duration of a temporary rule, in milliseconds: a year. A temporary rule must not last forever.
const LONGEST_RULE: u64 = 366 * 24 * 60 * 60 * 1000;

impl PolicyService {
    /// Returns every rule in force.
    pub fn in_force(&self) -> Result<Policy, Fault> {
        let rules = lock(&self.0.rules).in_force(now_millis())?;
        Ok(Policy { rules })
    }

    /// Adds a rule. Returns every rule in force, the new one first. `by` is the person's client; `of`: the kind of browser
    /// that a rule which allows is for, if it does not say.
    pub(crate) fn add(&self, add: PolicyAdd, by: AuditBy, of: PolicyBrowser) -> Result<Policy, Fault> {
        let now = now_millis();
        if add.until.is_some_and(|until| until <= now) {
            return Err(PolicyError::RuleEnded.into());
        }
        if add.until.is_some_and(|until| until - now > LONGEST_RULE) {
            return Err(PolicyError::RuleTooLong.into());
        }
        if add.effect == PolicyEffect::Allow && add.scope == PolicyScope::Everything && add.until.is_none() {
            return Err(PolicyError::RuleNeedsEnd.into());
        }
        if add.effect == PolicyEffect::Allow && matches!(add.scope, PolicyScope::PageTool | PolicyScope::SignIn) {
            return Err(PolicyError::ToolNeedsCard.into());
        }
        if let Some(id) = &add.conversation_id {
            self.0.store.get(id).map_err(|error| error.fault())?;
        }
        let site = add.site.as_deref().map(site_name).transpose()?;
        let browser = match (add.effect, add.scope) {
            // They happen outside of browsers.
            (_, PolicyScope::Shell | PolicyScope::Write) => None,
            (PolicyEffect::Deny, _) => add.browser,
            (PolicyEffect::Allow, _) => Some(add.browser.unwrap_or(of)),
        };
        let rule = PolicyRule {
            id: rule_id(),
            effect: add.effect,
            scope: add.scope,
            site,
            tool: None,
            browser,
            conversation_id: add.conversation_id,
            until: add.until,
            made_at: now,
        };
        let entry = changed("policy add", &rule, by, now);
        lock(&self.0.rules).add(rule, now)?;
        self.record(&entry).ok();
        self.in_force()
    }

    /// Removes a rule. Returns the remaining ones.
    pub fn remove(&self, remove: &PolicyRemove, by: AuditBy) -> Result<Policy, Fault> {
        let now = now_millis();
        let removed = lock(&self.0.rules).remove(&remove.id, now)?;
        self.record(&changed("policy remove", &removed, by, now)).ok();
        self.in_force()
    }

    /// Verifies that the audit's lines are those that were written. Blocks while reading them.
    pub fn prove_audit(&self, verify: &AuditVerify) -> Result<AuditProof, Fault> {
        Ok(lock(&self.0.audit).prove(verify.head.as_deref()).map_err(PolicyError::AuditNotRead)?)
    }

    /// Returns all lines that the audit has, oldest first. Blocks while reading them.
    pub(crate) fn audit_lines(&self) -> Result<Vec<AuditEntry>, Fault> {
        Ok(lock(&self.0.audit).newest(usize::MAX).map_err(PolicyError::AuditNotRead)?)
    }

    /// Sends the audit's newest lines and, if requested, later ones until the reader disconnects.
    pub fn read_audit(&self, request: AuditRequest, lines: mpsc::Sender<AuditEntry>) -> Result<(), Fault> {
        // The audit stays locked between the two steps, so no line is missed.
        let (newest, follower) = {
            let audit = lock(&self.0.audit);
            let newest = audit.newest(request.lines.min(MOST_LINES)).map_err(PolicyError::AuditNotRead)?;
            (newest, if request.follow { Some(audit.follow().map_err(PolicyError::AuditNotRead)?) } else { None })
        };
        let shutdown = self.0.tasks.shutdown();
        self.0.tasks.spawn(async move {
            for entry in newest {
                if lines.send(entry).await.is_err() {
                    return;
                }
            }
            let Some(mut follower) = follower else { return };
            loop {
                let more = tokio::select! {
                    more = follower.next() => more,
                    () = lines.closed() => None,
                    () = shutdown.cancelled() => None,
                };
                let Some(Ok(entries)) = more else { return };
                for entry in entries {
                    if lines.send(entry).await.is_err() {
                        return;
                    }
                }
            }
        });
        Ok(())
    }
}

/// Returns the host, with its port if not the default, of the host or address that a person typed.
pub(super) fn site_name(typed: &str) -> Result<String, PolicyError> {
    site::typed(typed).ok_or_else(|| PolicyError::NotASite(typed.trim().to_owned()))
}

fn changed(action: &str, rule: &PolicyRule, by: AuditBy, at: u64) -> AuditEntry {
    AuditEntry {
        at,
        conversation_id: rule.conversation_id.clone(),
        agent: None,
        action: action.to_owned(),
        record: None,
        scope: rule.scope.name().to_owned(),
        site: rule.site.clone(),
        allowed: rule.effect == PolicyEffect::Allow,
        by,
        answer: None,
        rule: Some(rule.id.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::site_name;

    #[test]
    fn a_site_is_a_host_however_it_is_typed() {
        for (typed, site) in [
            ("example.com", "example.com"),
            (" EXAMPLE.com ", "example.com"),
            ("https://example.com/path?q", "example.com"),
            ("localhost:3000", "localhost:3000"),
            ("http://localhost:3000/", "localhost:3000"),
            ("bücher.example", "xn--bcher-kva.example"),
        ] {
            assert_eq!(site_name(typed).unwrap(), site, "{typed}");
        }
        for wrong in ["", "a b", "https://"] {
            assert!(site_name(wrong).is_err(), "{wrong:?}");
        }
    }
}
