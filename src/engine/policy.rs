//! What an agent may do without asking, and what a person has allowed so far.
//!
//! Owns the rule by a command's class and the grants that persons gave. Pure: it asks nobody and opens nothing.
//! Everything that is not plainly allowed asks, and everything that can't be asked is denied.

use crate::command::Class;
use crate::protocol::chat::Decision;
use crate::protocol::ids::ConversationId;
use std::collections::HashSet;

/// What an agent wants to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    pub conversation_id: ConversationId,
    pub class: Class,
    /// The host of the page it acts on; none on pages without one.
    pub site: Option<String>,
    /// The command takes the tab to another site.
    pub leaves_site: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may run now.
    Run,
    /// A person is asked, and may answer with these.
    Ask(&'static [Decision]),
    /// Not offered to agents at all.
    Refuse,
}

const FULL: &[Decision] = &[Decision::AllowOnce, Decision::AllowSite, Decision::AllowConversation, Decision::Deny];
/// Where no site is named there is none to allow.
const WITHOUT_SITE: &[Decision] = &[Decision::AllowOnce, Decision::AllowConversation, Decision::Deny];
/// Running scripts and the like is asked for each time and each site.
const CONTROL: &[Decision] = &[Decision::AllowOnce, Decision::Deny];

/// What persons have allowed since the daemon started. It is not written down: after a restart they are asked again.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    sites: HashSet<String>,
    conversations: HashSet<ConversationId>,
}

impl Grants {
    pub fn verdict(&self, wish: &Wish) -> Verdict {
        match wish.class {
            Class::Read => Verdict::Run,
            Class::Act if self.covers(wish) => Verdict::Run,
            Class::Act if wish.site.is_none() => Verdict::Ask(WITHOUT_SITE),
            Class::Act => Verdict::Ask(FULL),
            Class::Control => Verdict::Ask(CONTROL),
            Class::Secret => Verdict::Refuse,
        }
    }

    fn covers(&self, wish: &Wish) -> bool {
        let by_site = wish.site.as_ref().is_some_and(|site| self.sites.contains(site)) && !wish.leaves_site;
        by_site || self.conversations.contains(&wish.conversation_id)
    }

    /// Remembers an answer, where it holds for more than once.
    pub fn remember(&mut self, wish: &Wish, decision: Decision) {
        match decision {
            Decision::AllowSite => {
                self.sites.extend(wish.site.clone());
            }
            Decision::AllowConversation => {
                self.conversations.insert(wish.conversation_id.clone());
            }
            Decision::AllowOnce | Decision::AllowAlways | Decision::Deny => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(class: Class, site: Option<&str>) -> Wish {
        Wish { conversation_id: ConversationId::new("c1"), class, site: site.map(str::to_owned), leaves_site: false }
    }

    #[test]
    fn reading_runs_acting_asks_and_secrets_are_not_offered() {
        let grants = Grants::default();
        assert_eq!(grants.verdict(&wish(Class::Read, Some("a.example"))), Verdict::Run);
        assert_eq!(grants.verdict(&wish(Class::Act, Some("a.example"))), Verdict::Ask(FULL));
        assert_eq!(grants.verdict(&wish(Class::Act, None)), Verdict::Ask(WITHOUT_SITE));
        assert_eq!(grants.verdict(&wish(Class::Control, Some("a.example"))), Verdict::Ask(CONTROL));
        assert_eq!(grants.verdict(&wish(Class::Secret, Some("a.example"))), Verdict::Refuse);
    }

    #[test]
    fn once_and_deny_leave_nothing_behind() {
        let mut grants = Grants::default();
        let act = wish(Class::Act, Some("a.example"));
        grants.remember(&act, Decision::AllowOnce);
        grants.remember(&act, Decision::Deny);
        assert_eq!(grants.verdict(&act), Verdict::Ask(FULL));
    }

    #[test]
    fn a_site_is_allowed_for_itself_alone() {
        let mut grants = Grants::default();
        grants.remember(&wish(Class::Act, Some("a.example")), Decision::AllowSite);
        assert_eq!(grants.verdict(&wish(Class::Act, Some("a.example"))), Verdict::Run);
        assert_eq!(grants.verdict(&wish(Class::Act, Some("b.example"))), Verdict::Ask(FULL));
        let leaving = Wish { leaves_site: true, ..wish(Class::Act, Some("a.example")) };
        assert_eq!(grants.verdict(&leaving), Verdict::Ask(FULL), "going to another site is an action of its own");
    }

    #[test]
    fn a_conversation_is_allowed_everywhere_but_not_to_run_scripts() {
        let mut grants = Grants::default();
        grants.remember(&wish(Class::Act, None), Decision::AllowConversation);
        assert_eq!(grants.verdict(&wish(Class::Act, Some("b.example"))), Verdict::Run);
        assert_eq!(grants.verdict(&wish(Class::Control, Some("b.example"))), Verdict::Ask(CONTROL));
        let other = Wish { conversation_id: ConversationId::new("c2"), ..wish(Class::Act, Some("b.example")) };
        assert_eq!(grants.verdict(&other), Verdict::Ask(FULL));
    }
}
