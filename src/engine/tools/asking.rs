//! The question before an action: what the policy says to a call, and what the person answers.
//!
//! Owns the card of a call and its ends. Never runs the call.

use super::ConversationTools;
use super::wishes::{self, Scene};
use crate::agent::adapter::ToolCall;
use crate::chat::turn::ApprovalRequest;
use crate::command::Spec;
use crate::engine::policy::Permitted;
use crate::engine::runner::Runner;
use crate::protocol::chat::{AnsweredBy, Decision};
use crate::protocol::fault::Fault;
use crate::protocol::ids::{ApprovalId, TabId};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// What an approval shows of a call, in characters.
const LONGEST_LINE: usize = 500;

impl ConversationTools {
    /// Asks the policy, and the person where it says so. `tab`: the one that it is done to. An error is the denial, in words for the agent.
    pub(super) async fn permit(
        &self,
        spec: &'static Spec,
        call: &ToolCall,
        tab: TabId,
        cancel: &CancellationToken,
    ) -> Result<(), Fault> {
        let conversation = self.runner.conversation();
        let closes_theirs = spec.name == "closetab" && !self.engine.is_made_by_agent(conversation, tab);
        let into_password = wishes::types(spec) && self.engine.types_into_password(tab, spec, &call.args).await;
        let wish = self.engine.with_trail(conversation.id(), |trail| {
            let site = self.engine.site_of(tab);
            let conversation_id = conversation.id();
            wishes::wish(spec, call, Scene { conversation_id, site, into_password, closes_theirs, trail })
        });
        let leading = match wishes::may_lead(spec, call) {
            true => self.engine.leads_to(tab, spec, &call.args).await,
            false => None,
        };
        let beyond = leading.and_then(|leading| {
            self.engine.with_trail(conversation.id(), |trail| wishes::leading(&wish, &leading, trail))
        });
        let words = self.words(&call.command, &call.args, Some(tab));
        // What it does here and where it leads are two questions; a person is asked the one that reaches further.
        let mut asks = None;
        for wish in [Some(wish), beyond].into_iter().flatten() {
            match self.engine.judge(conversation, &wish, &words.redacted) {
                Permitted::Yes => {}
                Permitted::No(fault) => return Err(fault),
                Permitted::Ask(card) => asks = Some((wish, card)),
            }
        }
        let Some((wish, card)) = asks else { return Ok(()) };
        let approval_id = ApprovalId::random();
        let request = ApprovalRequest {
            approval_id: approval_id.clone(),
            ask: words.request(),
            site: wish.site.clone(),
            why: card.why.map(str::to_owned),
            // The journal keeps what is shown: a password is not.
            does: if into_password { words.redacted.clone() } else { as_typed(call) },
            kind: words.kind,
            choices: card.choices,
        };
        let mut card = Card::open(&self.runner, request);
        let limit = self.engine.approval_limit();
        let withdrawn = (Decision::Deny, AnsweredBy::Withdrawn);
        let answered = tokio::select! {
            answer = card.answer() => answer.unwrap_or(withdrawn),
            // The agent took the call back; where its turn has ended the card is closed already.
            () = cancel.cancelled() => withdrawn,
            () = tokio::time::sleep(limit) => {
                match self.runner.answer(approval_id, Decision::Deny, AnsweredBy::Timeout) {
                    Ok(()) => (Decision::Deny, AnsweredBy::Timeout),
                    // Somebody answered while it ran out: that answer counts.
                    Err(_) => card.answer().await.unwrap_or(withdrawn),
                }
            }
        };
        drop(card);
        self.engine.settle(conversation, &wish, &words.redacted, answered)
    }
}

/// A question that somebody waits for. Dropped, it is withdrawn: no card stands for a call that is gone.
struct Card<'a> {
    runner: &'a Runner,
    approval_id: ApprovalId,
    answer: oneshot::Receiver<(Decision, AnsweredBy)>,
    is_answered: bool,
}

impl<'a> Card<'a> {
    fn open(runner: &'a Runner, request: ApprovalRequest) -> Self {
        let approval_id = request.approval_id.clone();
        Self { runner, approval_id, answer: runner.ask(request), is_answered: false }
    }

    async fn answer(&mut self) -> Option<(Decision, AnsweredBy)> {
        let answer = (&mut self.answer).await.ok();
        self.is_answered = true;
        answer
    }
}

impl Drop for Card<'_> {
    fn drop(&mut self) {
        if self.is_answered {
            return;
        }
        // First this: where the card is not open yet, it never will be.
        self.answer.close();
        let event = crate::chat::Event::ApprovalWithdrawn(self.approval_id.clone());
        if let Some(fault) = self.runner.handle(event) {
            tracing::warn!(%fault, "a withdrawal could not be written");
        }
    }
}

/// The call as a person would type it: they decide by what it says.
fn as_typed(call: &ToolCall) -> String {
    let quoted = |arg: &String| if arg.contains(char::is_whitespace) { format!("\"{arg}\"") } else { arg.clone() };
    let words: Vec<String> = std::iter::once(call.command.clone()).chain(call.args.iter().map(quoted)).collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST_LINE) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_approval_shows_the_call_as_it_would_be_typed() {
        let call = |args: &[&str]| ToolCall {
            command: "fill".to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        };
        assert_eq!(as_typed(&call(&["@e3", "two words"])), "fill @e3 \"two words\"");
        let long = as_typed(&call(&["@e3", &"ä".repeat(LONGEST_LINE)]));
        assert_eq!(long.chars().count(), LONGEST_LINE + 1);
        assert!(long.ends_with('…'));
    }
}
