//! One-time links: each one answers one approval, for a short time, while it waits.
//!
//! Owns the secrets, of which only hashes are kept, and their limits. `http::approval_link` serves the page; nothing exists
//! unless the person configured where links lead.

use super::Approvals;
use super::error::LinkError;
use crate::config::LinkBase;
use gstack_base::clock::now_millis;
use gstack_base::filled_secrets;
use gstack_base::hex::hexadecimal;
use gstack_base::mutex::lock;
use gstack_base::visible::visible;
use gstack_protocol::action::{ActionElement, ActionRecord};
use gstack_protocol::approval_link::{ApprovalLink, LinkedApproval, LinkedFact};
use gstack_protocol::chat::{AnsweredBy, Decision};
use gstack_protocol::chat_requests::ApprovalAnswer;
use gstack_protocol::control::WaitingApproval;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::ApprovalId;
use sha2::{Digest, Sha256};
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

/// The path of the page, below the configured address.
pub const LINK_PATH: &str = "/approve";
/// Long enough to read a message and decide.
const LIFETIME: Duration = Duration::from_secs(10 * 60);
/// For one approval: one that the command got, and a few that the person created. The oldest one ends first.
const MOST_OF_ONE: usize = 4;
const MOST: usize = 128;
/// Beyond this many wrong secrets in `WINDOW`, no secret is accepted until the oldest one is that old.
const MOST_WRONG: usize = 30;
const WINDOW: Duration = Duration::from_secs(60);

type Hash = [u8; 32];

/// The links that are open.
#[derive(Default)]
pub(super) struct Links {
    open: Vec<Link>,
    /// When wrong secrets were presented.
    wrong: VecDeque<Instant>,
}

struct Link {
    approval: ApprovalId,
    hash: Hash,
    until: Instant,
}

impl Links {
    /// Adds a link to an approval and returns its secret: 256 random bits in hexadecimal.
    fn add(&mut self, approval: &ApprovalId, now: Instant) -> Result<String, LinkError> {
        self.open.retain(|link| link.until > now);
        let of_it = self.open.iter().filter(|link| link.approval == *approval).count();
        if of_it >= MOST_OF_ONE
            && let Some(oldest) = self.open.iter().position(|link| link.approval == *approval)
        {
            self.open.remove(oldest);
        }
        if self.open.len() >= MOST {
            return Err(LinkError::TooMany);
        }
        let secret = hexadecimal(&rand::random::<[u8; 32]>());
        self.open.push(Link { approval: approval.clone(), hash: hash(&secret), until: now + LIFETIME });
        Ok(secret)
    }

    /// Returns the approval that a secret is for. Looks at every link, so that the time tells nothing.
    fn find(&mut self, secret: &str, now: Instant) -> Result<ApprovalId, LinkError> {
        while self.wrong.front().is_some_and(|at| now.duration_since(*at) >= WINDOW) {
            self.wrong.pop_front();
        }
        if self.wrong.len() >= MOST_WRONG {
            return Err(LinkError::TooOften);
        }
        self.open.retain(|link| link.until > now);
        let presented = hash(secret);
        let mut found = 0_u32;
        let mut number = 0_u32;
        for link in &self.open {
            number += 1;
            let is_it: Choice = link.hash.as_slice().ct_eq(presented.as_slice());
            found = u32::conditional_select(&found, &number, is_it);
        }
        let index = usize::try_from(found).unwrap_or_default();
        match index.checked_sub(1).and_then(|index| self.open.get(index)) {
            Some(link) => Ok(link.approval.clone()),
            None => {
                self.wrong.push_back(now);
                Err(LinkError::Invalid)
            }
        }
    }

    /// Ends all links of an approval.
    fn end(&mut self, approval: &ApprovalId) {
        self.open.retain(|link| link.approval != *approval);
    }
}

fn hash(secret: &str) -> Hash {
    Sha256::digest(secret.as_bytes()).into()
}

impl Approvals {
    /// Returns where links lead, if the person configured it.
    pub fn link_base(&self) -> Option<LinkBase> {
        self.0.config.get().agents.approval_link_base.clone()
    }

    /// Creates a link for the person. Fails if none are configured, or the approval does not wait.
    pub fn create_link(&self, approval: &ApprovalId) -> Result<ApprovalLink, Fault> {
        let base = self.link_base().ok_or(LinkError::Off)?;
        if self.waiting_one(approval).is_none() {
            return Err(LinkError::NotWaiting.into());
        }
        let secret = lock(&self.0.links).add(approval, Instant::now())?;
        // Wherever the person opens it: an agent that reads the address could answer for them.
        filled_secrets::remember(&secret, Some(LIFETIME));
        let lifetime = u64::try_from(LIFETIME.as_millis()).unwrap_or_default();
        Ok(ApprovalLink {
            // Behind `#`, it is in no log of a proxy.
            url: format!("{}{LINK_PATH}#{secret}", base.origin()),
            expires_at: now_millis().saturating_add(lifetime),
        })
    }

    /// Returns what a link's approval would do.
    pub fn show_by_link(&self, secret: &str) -> Result<LinkedApproval, Fault> {
        let approval = self.linked(secret)?;
        Ok(shown(&approval, self.asks(&approval)))
    }

    /// Answers the approval of a link: once, or not at all. Ends all of its links.
    pub fn answer_by_link(&self, secret: &str, decision: Decision) -> Result<(), Fault> {
        let approval = self.linked(secret)?;
        if !may_answer(&approval, decision) {
            return Err(LinkError::NotOffered.into());
        }
        {
            // Of two answers with the same link, only one still finds it.
            let mut links = lock(&self.0.links);
            links.find(secret, Instant::now())?;
            links.end(&approval.approval_id);
        }
        let WaitingApproval { conversation_id, approval_id, .. } = approval;
        self.answer(&ApprovalAnswer { conversation_id, approval_id, decision, text: None }, AnsweredBy::Link)
    }

    /// Returns an approval as a page outside of the panel shows it.
    pub(crate) fn linked_facts(&self, approval: &WaitingApproval) -> LinkedApproval {
        shown(approval, self.asks(approval))
    }

    /// Returns the approval of a link while it waits.
    fn linked(&self, secret: &str) -> Result<WaitingApproval, LinkError> {
        let id = lock(&self.0.links).find(secret, Instant::now())?;
        self.waiting_one(&id).ok_or_else(|| {
            lock(&self.0.links).end(&id);
            LinkError::Invalid
        })
    }

    fn waiting_one(&self, id: &ApprovalId) -> Option<WaitingApproval> {
        self.waiting().approvals.into_iter().find(|one| one.approval_id == *id)
    }
}

/// Returns true for what a link may answer. Lasting permissions need the card or a terminal.
fn may_answer(approval: &WaitingApproval, decision: Decision) -> bool {
    decision == Decision::Deny || decision == Decision::AllowOnce && approval.choices.contains(&decision)
}

/// Returns everything that the card in the panel shows, in its order.
fn shown(approval: &WaitingApproval, from: String) -> LinkedApproval {
    let ActionRecord { command, element, other_elements, destination, submits, content, agent_reason, .. } =
        approval.action.as_ref();
    let words = |element: &ActionElement| format!("{} “{}” {}", element.role, element.name, element.target);
    let mut facts = Vec::new();
    let mut add = |label: &str, text: &str| {
        if !text.is_empty() {
            facts.push(LinkedFact { label: label.to_owned(), text: text.to_owned() });
        }
    };
    add("Site", &visible(approval.site.as_deref().unwrap_or_default()));
    // The texts of the record are visible already, and would be written out twice.
    add("Command", if command.is_empty() { &approval.does } else { command });
    for element in element.iter().chain(other_elements) {
        add("Element", &words(element));
    }
    add("Leads to", destination.as_deref().unwrap_or_default());
    if *submits {
        add("Consequence", "It sends a form, or does something that can't be undone.");
    }
    add("Content", content);
    add("Why gstack asks", &visible(approval.why.as_deref().unwrap_or_default()));
    add("The agent says", agent_reason.as_deref().unwrap_or_default());
    let may_allow = may_answer(approval, Decision::AllowOnce);
    LinkedApproval { from, ask: visible(&approval.ask), facts, may_allow }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_found_by_its_whole_secret_until_its_time_or_its_answer() {
        let (mut links, now) = (Links::default(), Instant::now());
        let (one, two) = (ApprovalId::new("one"), ApprovalId::new("two"));
        let (first, second) = (links.add(&one, now).unwrap(), links.add(&one, now).unwrap());
        let other = links.add(&two, now).unwrap();
        assert_eq!(first.len(), 64);
        assert_ne!(first, second);
        assert!(links.open.iter().all(|link| link.hash != first.as_bytes()[..32]), "only hashes are kept");
        assert_eq!(links.find(&first, now), Ok(one.clone()));
        assert_eq!(links.find(&other, now), Ok(two.clone()));
        for wrong in ["", &first[1..], &format!("{first}0"), &first.to_uppercase().replace(char::is_numeric, "G")] {
            assert_eq!(links.find(wrong, now), Err(LinkError::Invalid), "{wrong}");
        }
        links.end(&one);
        assert_eq!(links.find(&first, now), Err(LinkError::Invalid));
        assert_eq!(links.find(&second, now), Err(LinkError::Invalid), "all of an approval end with its answer");
        assert_eq!(links.find(&other, now + LIFETIME - Duration::from_secs(1)), Ok(two));
        assert_eq!(links.find(&other, now + LIFETIME), Err(LinkError::Invalid));
    }

    #[test]
    fn guesses_are_limited_and_so_are_links() {
        let (mut links, now) = (Links::default(), Instant::now());
        let approval = ApprovalId::new("one");
        let secret = links.add(&approval, now).unwrap();
        for _ in 0..MOST_WRONG {
            assert_eq!(links.find("guess", now), Err(LinkError::Invalid));
        }
        assert_eq!(links.find("guess", now), Err(LinkError::TooOften));
        assert_eq!(links.find(&secret, now), Err(LinkError::TooOften), "not even the right one, so nothing is learned");
        assert_eq!(links.find(&secret, now + WINDOW), Ok(approval.clone()));
        for _ in 0..MOST_OF_ONE {
            links.add(&approval, now + WINDOW).unwrap();
        }
        assert_eq!(links.open.len(), MOST_OF_ONE);
        assert_eq!(links.find(&secret, now + WINDOW), Err(LinkError::Invalid), "the oldest one makes room");
        let many = (0..).map(|at| links.add(&ApprovalId::new(at.to_string()), now)).take(MOST).find_map(Result::err);
        assert_eq!(many, Some(LinkError::TooMany));
    }
}
