//! Finding the element that a client means and waiting until it can be acted on.
//!
//! Owns the way from `@e3` or a selector to an element in one frame, across navigations within the time limit. The
//! conditions themselves are the injected script's.

use super::refs::{ElementPlace, RefName};
use super::target::Target;
use crate::browser::frames::FrameId;
use crate::browser::page::error::PageError;
use crate::browser::page::page::Page;
use crate::browser::page::script::{Argument, FaultKind, Injected};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::time::Instant;

/// What the page's own waiting may run over: a script that has not answered by then will not.
const GRACE: Duration = Duration::from_secs(2);

/// A page that is left while it is read is read again, in its next document; one that is left over and over is not.
pub(in crate::browser::page) const TRIES_TO_READ: u32 = 3;

/// The same in the script's terms.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(in crate::browser::page) enum ScriptTarget {
    Element { number: u32, document: String },
    Selector { selector: String },
}

/// What must hold before an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub(in crate::browser::page) enum Need {
    Visible,
    Enabled,
    Editable,
    Stable,
    /// Brought into view, and a point of it takes pointer events.
    Hit,
    /// With `Hit`: from then on pointer events that miss the element are held back, until `releaseGuard`.
    Guard,
    /// With `Guard`: those that another control in it, or another document, would take are held back too.
    Itself,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub(in crate::browser::page) struct Point {
    pub x: f64,
    pub y: f64,
}

/// An option of a list, and that list.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::browser::page) struct OptionPlace {
    pub option: ScriptTarget,
    pub select: ScriptTarget,
    pub text: String,
}

/// What is called with an element in the moment in which it is ready: a function, and its arguments after the element's place.
pub(super) type Then<'a> = (Injected, &'a [&'a dyn Argument]);

/// An element that met the needs.
#[derive(Clone, Debug)]
pub(in crate::browser::page) struct Ready {
    pub frame: FrameId,
    /// The element, in the document in which it was ready.
    pub place: ScriptTarget,
    pub document: String,
    pub tag: String,
    /// In its frame's viewport.
    pub point: Option<Point>,
    /// What was to be clicked is chosen instead.
    pub option: Option<OptionPlace>,
    /// The value of what was called with it.
    pub then: Option<serde_json::Value>,
}

impl Ready {
    /// The script's number of the element.
    pub(in crate::browser::page) fn number(&self) -> Result<u32, PageError> {
        match &self.place {
            ScriptTarget::Element { number, .. } => Ok(*number),
            ScriptTarget::Selector { .. } => Err(PageError::DocumentGone),
        }
    }
}

#[derive(Debug, Deserialize)]
struct Looked {
    #[serde(default)]
    ok: bool,
    #[serde(default)]
    number: u32,
    #[serde(default)]
    document: String,
    #[serde(default)]
    tag: String,
    #[serde(default)]
    point: Option<Point>,
    #[serde(default)]
    option: Option<OptionPlace>,
    #[serde(default)]
    then: Option<serde_json::Value>,
    #[serde(flatten)]
    fault: FaultReply,
}

/// How our functions say no.
#[derive(Clone, Debug, Default, Deserialize)]
pub(in crate::browser::page) struct FaultReply {
    #[serde(default)]
    pub fault: Option<FaultKind>,
    #[serde(default)]
    pub message: String,
    /// The element: `<button class="x">`.
    #[serde(default)]
    pub description: Option<String>,
}

impl FaultReply {
    /// The error for a target, `None` where it is not a fault or one that waiting may fix.
    pub(in crate::browser::page) fn error(&self, target: &Target) -> Option<PageError> {
        let name = target.to_string();
        Some(match self.fault? {
            FaultKind::Gone => PageError::RefNotFound(name),
            FaultKind::Stale => match target {
                Target::Ref(_) => PageError::RefStale { name, was: None },
                Target::Selector(_) => return None,
            },
            FaultKind::Several => PageError::Several { selector: name, message: self.message.clone() },
            FaultKind::Selector => PageError::BadSelector(self.message.clone()),
            FaultKind::Missing => PageError::NotFound(name),
            FaultKind::Blocked | FaultKind::Value | FaultKind::Kind | FaultKind::Fetch | FaultKind::Size => {
                PageError::Refused { what: self.named(target), reason: self.message.clone() }
            }
        })
    }
    fn named(&self, target: &Target) -> String {
        match &self.description {
            Some(description) => format!("{target} {description}"),
            None => target.to_string(),
        }
    }
}

impl Page {
    /// The error for a ref that means nothing any more: with what it was, if a snapshot has shown it.
    fn lost_ref(&self, name: RefName) -> PageError {
        match self.memory.refs().described(name) {
            Some(was) => PageError::RefStale { name: name.to_string(), was: Some(was) },
            None => PageError::RefNotFound(name.to_string()),
        }
    }

    /// The frame and the script's form of a target. A ref of a frame that is gone is not found.
    pub(in crate::browser::page) async fn locate(&self, target: &Target) -> Result<(FrameId, ScriptTarget), PageError> {
        self.locate_within(target, Duration::ZERO).await
    }

    /// As `locate`; where a selector matches nowhere yet, any frame may be the one until the time is up.
    pub(in crate::browser::page) async fn locate_within(
        &self,
        target: &Target,
        wait: Duration,
    ) -> Result<(FrameId, ScriptTarget), PageError> {
        match target {
            Target::Selector(selector) => {
                Ok((self.frame_with(selector, wait).await?, ScriptTarget::Selector { selector: selector.clone() }))
            }
            Target::Ref(name) => {
                let place = self.memory.refs().place(*name).cloned();
                let gone = || self.lost_ref(*name);
                let ElementPlace { frame, document, number } = place.ok_or_else(gone)?;
                // The frames must be known before it can be said that one is gone.
                self.main_frame().await?;
                if self.frame(&frame).is_err() {
                    return Err(gone());
                }
                Ok((frame, ScriptTarget::Element { number, document }))
            }
        }
    }

    /// Calls `function(target, …arguments)`, which only reads, in the target's frame; `T` may hold a flattened `FaultReply`.
    pub(in crate::browser::page) async fn ask<T: DeserializeOwned>(
        &self,
        target: &Target,
        function: Injected,
        arguments: &[&dyn Argument],
        limit: Duration,
    ) -> Result<T, PageError> {
        let mut tries = 0;
        loop {
            let (frame, script_target) = self.locate(target).await?;
            let mut all: Vec<&dyn Argument> = vec![&script_target];
            all.extend_from_slice(arguments);
            match (self.script(&frame, function, &all, limit).await, target) {
                (Err(PageError::DocumentGone), Target::Ref(name)) => {
                    return Err(self.lost_ref(*name));
                }
                // A selector means the next document as well.
                (Err(PageError::DocumentGone), Target::Selector(_)) if tries < TRIES_TO_READ => tries += 1,
                (result, _) => return result,
            }
        }
    }

    /// Waits until the target meets the needs, also across a navigation that replaces the document meanwhile.
    pub(in crate::browser::page) async fn ready(
        &self,
        target: &Target,
        needs: &[Need],
        action: &'static str,
        limit: Duration,
    ) -> Result<Ready, PageError> {
        self.ready_then(target, needs, action, limit, None).await
    }

    /// As `ready`, and calls something with the element in the same moment. Only for a page that input is not bound in
    /// (`is_free`): otherwise the element is compared first.
    pub(in crate::browser::page) async fn ready_then(
        &self,
        target: &Target,
        needs: &[Need],
        action: &'static str,
        limit: Duration,
        then: Option<Then<'_>>,
    ) -> Result<Ready, PageError> {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let (frame, script_target) = self.locate_within(target, left).await?;
            let left = deadline.saturating_duration_since(Instant::now());
            let millis = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
            let mut given: Vec<&dyn Argument> = vec![&script_target, &needs, &millis];
            let asked = match &then {
                None => self.script::<Looked>(&frame, Injected::Ready, &given, left + GRACE).await,
                Some((function, arguments)) => {
                    given.push(function);
                    given.extend_from_slice(arguments);
                    self.script::<Looked>(&frame, Injected::ReadyThen, &given, left + GRACE).await
                }
            };
            let looked = match asked {
                Ok(looked) => looked,
                Err(PageError::DocumentGone) if Instant::now() < deadline => match target {
                    // The next document has its own elements.
                    Target::Ref(name) => return Err(self.lost_ref(*name)),
                    Target::Selector(_) => continue,
                },
                Err(error) => return Err(error),
            };
            if looked.ok {
                let Looked { number, document, tag, point, option, then, .. } = looked;
                let place = ScriptTarget::Element { number, document: document.clone() };
                self.check_site().await?;
                self.check_expected(Some(target)).await?;
                return Ok(Ready { frame, place, document, tag, point, option, then });
            }
            return Err(match looked.fault.fault {
                Some(FaultKind::Missing) => PageError::NeverAppeared { what: target.to_string(), waited: limit },
                Some(FaultKind::Blocked) => PageError::NotReady {
                    what: looked.fault.named(target),
                    action,
                    reason: looked.fault.message.clone(),
                    waited: limit,
                },
                _ => match (looked.fault.error(target), target) {
                    (Some(PageError::RefStale { .. } | PageError::RefNotFound(_)), Target::Ref(name)) => {
                        self.lost_ref(*name)
                    }
                    (error, _) => error.unwrap_or_else(|| PageError::NotFound(target.to_string())),
                },
            });
        }
    }
}
