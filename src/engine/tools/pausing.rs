//! What a call does while the person has taken over its tab, and what it says when they have handed it back.
//!
//! Owns the wait, and the answer with the person's note and a fresh snapshot. `engine/pauses` knows who is paused.

use super::call_tabs::CallTabs;
use super::error::{DECIDE_AGAIN, ToolError};
use super::evidence::ActNotes;
use super::{ConversationTools, Manner};
use crate::drivers::CLIENT_WAITS;
use crate::pauses::HandedBack;
use gstack_agent::adapter::ToolResult;
use gstack_command::{Call, Class, Spec};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;
use tokio_util::sync::CancellationToken;

impl ConversationTools {
    /// Runs a call unless the person works in its tab. If they take over, the call is cancelled. Either way it returns
    /// once they have handed the tab back: an action that did not run is not repeated, because the page is another one.
    /// `cancel` ends the call, `outer` ends the wait as well.
    pub(super) async fn unless_paused(
        &self,
        spec: &'static Spec,
        tabs: CallTabs,
        (cancel, outer): (&CancellationToken, &CancellationToken),
        call: impl Future<Output = Result<ToolResult, Fault>>,
    ) -> Result<ToolResult, Fault> {
        let (pauses, worker) = (&self.services.pauses, self.conversation().id());
        let mut said = pauses.take_note(worker);
        let running = loop {
            match pauses.begin(worker, tabs.subject) {
                Some(running) => break running,
                None => said = Some(self.until_handed_back(tabs.subject, outer).await?),
            }
        };
        if let Some(said) = said.as_ref().filter(|_| spec.class != Class::Read) {
            drop(running);
            return Err(self.not_done(spec, tabs, said, outer).await);
        }
        let mut call = std::pin::pin!(call);
        let outcome = tokio::select! {
            // A call that is done is not cancelled any more.
            biased;
            outcome = &mut call => outcome,
            () = running.paused() => {
                cancel.cancel();
                call.await
            }
        };
        if running.is_paused() {
            drop(running);
            let said = self.until_handed_back(tabs.subject, outer).await?;
            let then = self.then(tabs, &said, outer).await;
            return match outcome {
                Ok(result) => Ok(ToolResult { text: format!("{}\n{then}", result.text), ..result }),
                Err(fault) => Err(cut_off(spec, &fault, &then)),
            };
        }
        match said {
            Some(said) => {
                outcome.map(|result| ToolResult { text: format!("{}\n{}", said.words(), result.text), ..result })
            }
            None => outcome,
        }
    }

    /// Waits until the person has handed the tab back. Fails if they do not in time, or the call is cancelled.
    async fn until_handed_back(&self, tab: TabId, outer: &CancellationToken) -> Result<HandedBack, Fault> {
        let limit = match &self.driver {
            Some(_) => self.services.config.approval_limit().min(CLIENT_WAITS),
            None => self.services.config.approval_limit(),
        };
        tokio::select! {
            said = self.services.pauses.handed_back(self.conversation().id()) => Ok(said),
            () = outer.cancelled() => Err(ToolError::TurnOver.into()),
            () = self.ended.cancelled() => Err(ToolError::TurnOver.into()),
            () = tokio::time::sleep(limit) => Err(ToolError::PersonWorks(tab).into()),
        }
    }

    /// Returns the fault of an action that was not started.
    async fn not_done(
        &self,
        spec: &'static Spec,
        tabs: CallTabs,
        said: &HandedBack,
        outer: &CancellationToken,
    ) -> Fault {
        ToolError::NotDone { command: spec.name, then: self.then(tabs, said, outer).await }.into()
    }

    /// Returns what the person said, and the page as it is now, as far as the agent may read it.
    async fn then(&self, tabs: CallTabs, said: &HandedBack, outer: &CancellationToken) -> String {
        let page = match Call::parse("snapshot", &["-i".to_owned()]) {
            Ok(call) => {
                let act = ActNotes::begin(self, &call, None);
                let cancel = outer.child_token();
                let taken = self.run_in_tabs(call, (tabs, Manner::default()), None, cancel.clone(), &act).await;
                act.end(self, taken.as_ref().map(|result| result.text.as_str()), &cancel).await;
                taken
            }
            Err(fault) => Err(fault),
        };
        match page {
            Ok(snapshot) => format!("{}\nThe page now:\n{}", said.words(), snapshot.text),
            Err(fault) => format!("{}\nThe page can't be shown: {}", said.words(), fault.message),
        }
    }
}

/// Returns the fault of a call that the person's input cut off. Its code says whether it may have taken effect.
fn cut_off(spec: &Spec, fault: &Fault, then: &str) -> Fault {
    Fault {
        message: format!("the person took over while `{}` ran: {}\n{then}", spec.name, fault.message),
        hint: Some(DECIDE_AGAIN.to_owned()),
        words: None,
        ..fault.clone()
    }
}
