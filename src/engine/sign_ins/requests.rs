//! The person's requests about saved sign-ins, each recorded in the audit without its secrets.
//!
//! Owns the audit's lines. `service` owns the store.

use super::service::SignIns;
use gstack_base::clock::now_millis;
use gstack_base::site;
use gstack_protocol::audit::{AuditBy, AuditEntry};
use gstack_protocol::fault::Fault;
use gstack_protocol::policy::PolicyScope;
use gstack_protocol::sign_in::{SavedSignIn, SavedSignIns, SignInRemove, SignInSave, SignInUnlock};

impl SignIns {
    pub async fn shown_to_person(&self) -> Result<SavedSignIns, Fault> {
        Ok(self.listed().await?)
    }

    pub async fn save_for_person(&self, save: SignInSave) -> Result<SavedSignIn, Fault> {
        let saved = self.save(save).await?;
        let SavedSignIn { name, origin, user, .. } = &saved;
        let action = format!("save the sign-in {name}: {user} at {origin}");
        self.policy().record(&by_person(action, site::of(origin)))?;
        Ok(saved)
    }

    pub async fn remove_for_person(&self, remove: SignInRemove) -> Result<SavedSignIns, Fault> {
        self.remove(remove.name.clone()).await?;
        self.policy().record(&by_person(format!("remove the sign-in {}", remove.name), None))?;
        self.shown_to_person().await
    }

    pub async fn unlock_for_person(&self, unlock: SignInUnlock) -> Result<SavedSignIns, Fault> {
        let unlocks = unlock.passphrase.is_some();
        let listed = self.unlock(unlock).await?;
        if unlocks {
            self.policy().record(&by_person("unlock the saved sign-ins".to_owned(), None))?;
        }
        Ok(listed)
    }

    pub async fn lock_for_person(&self) -> Result<SavedSignIns, Fault> {
        self.lock();
        self.policy().record(&by_person("lock the saved sign-ins".to_owned(), None))?;
        self.shown_to_person().await
    }
}

fn by_person(action: String, site: Option<String>) -> AuditEntry {
    AuditEntry {
        at: now_millis(),
        conversation_id: None,
        agent: None,
        action,
        record: None,
        scope: PolicyScope::SignIn.name().to_owned(),
        site,
        allowed: true,
        by: AuditBy::Terminal,
        answer: None,
        rule: None,
    }
}
