//! Finds the element that a client names and waits until it is actionable.
//!
//! Owns the path from `@e3` or a selector to an element in one frame, across navigations, within the time limit. The
//! injected script checks the conditions.

use super::refs::{ElementPlace, RefName};
use super::target::Target;
use crate::frames::FrameId;
use crate::page::error::PageError;
use crate::page::page::Page;
use crate::page::script::{Argument, FaultKind, Injected};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::time::Instant;

/// The extra time beyond the page's own wait: a script that has not answered by then will not.
const GRACE: Duration = Duration::from_secs(2);

/// A read is repeated in the next document if the page navigates; a page that navigates over and over is given up.
pub(in crate::page) const TRIES_TO_READ: u32 = 3;

/// A `Target` in the form of the injected script.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(in crate::page) enum ScriptTarget {
    Element { number: u32, document: String },
    Selector { selector: String },
}

/// A condition for an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub(in crate::page) enum Need {
    Visible,
    Enabled,
    Editable,
    Stable,
    /// Scrolled into view, with a point that receives pointer events.
    Hit,
    /// With `Hit`: from then on pointer events that miss the element are blocked, until `releaseGuard`.
    Guard,
    /// With `Guard`: also blocks events that another control inside the element, or another document, would receive.
    Itself,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub(in crate::page) struct Point {
    pub x: f64,
    pub y: f64,
}

/// An option of a list, and that list.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::page) struct OptionPlace {
    pub option: ScriptTarget,
    pub select: ScriptTarget,
    pub text: String,
}

/// A function that runs as soon as the element is ready, and its arguments after the element.
pub(super) type Then<'a> = (Injected, &'a [&'a dyn Argument]);

/// An element that met the conditions.
#[derive(Clone, Debug)]
pub(in crate::page) struct Ready {
    pub frame: FrameId,
    /// The element, in the document in which it was ready.
    pub place: ScriptTarget,
    pub document: String,
    pub tag: String,
    /// In the viewport of its frame.
    pub point: Option<Point>,
    /// Set if the option is to be chosen instead of clicked.
    pub option: Option<OptionPlace>,
    /// The result of the `Then` function.
    pub then: Option<serde_json::Value>,
}

impl Ready {
    /// Returns the script's number of the element.
    pub(in crate::page) fn number(&self) -> Result<u32, PageError> {
        match &self.place {
            ScriptTarget::Element { number, .. } => Ok(*number),
            ScriptTarget::Selector { .. } => Err(PageError::DocumentGone),
        }
    }

    /// Returns true for an element whose content is another document.
    pub(in crate::page) fn is_frame(&self) -> bool {
        matches!(self.tag.as_str(), "iframe" | "frame" | "embed" | "object")
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
    /// Fields that the page changed after their value was reported, a sentence for each.
    #[serde(default)]
    late: Vec<String>,
    /// Nothing matched, and closed roots must be asked for.
    #[serde(default)]
    suspects: bool,
    /// Waiting would not help.
    #[serde(default, rename = "final")]
    is_final: bool,
    #[serde(flatten)]
    fault: FaultReply,
}

/// The error part of our script's replies.
#[derive(Clone, Debug, Default, Deserialize)]
pub(in crate::page) struct FaultReply {
    #[serde(default)]
    pub fault: Option<FaultKind>,
    #[serde(default)]
    pub message: String,
    /// The element's description: `<button class="x">`.
    #[serde(default)]
    pub description: Option<String>,
}

impl FaultReply {
    /// Returns the error for a target. `None` if there is no fault, or one that waiting may fix.
    pub(in crate::page) fn error(&self, target: &Target) -> Option<PageError> {
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
    /// Returns the error for a stale ref, with the element's description if a snapshot has shown it.
    fn lost_ref(&self, name: RefName) -> PageError {
        match self.memory.refs().described(name) {
            Some(was) => PageError::RefStale { name: name.to_string(), was: Some(was) },
            None => PageError::RefNotFound(name.to_string()),
        }
    }

    /// Returns the frame and the script form of a target. Fails for a ref whose frame is gone.
    pub(in crate::page) async fn locate(&self, target: &Target) -> Result<(FrameId, ScriptTarget), PageError> {
        self.locate_within(target, Duration::ZERO).await
    }

    /// Like `locate`. If a selector matches nowhere yet, waits up to `wait` for a match in any frame.
    pub(in crate::page) async fn locate_within(
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
                // The frames must be known before one can be reported as gone.
                self.main_frame().await?;
                if self.frame(&frame).is_err() {
                    return Err(gone());
                }
                Ok((frame, ScriptTarget::Element { number, document }))
            }
        }
    }

    /// Calls `function(target, …arguments)`, which only reads, in the target's frame; `T` may contain a flattened
    /// `FaultReply`.
    pub(in crate::page) async fn ask<T: DeserializeOwned>(
        &self,
        target: &Target,
        function: Injected,
        arguments: &[&dyn Argument],
        limit: Duration,
    ) -> Result<T, PageError> {
        Ok(self.ask_where(target, function, arguments, limit).await?.1)
    }

    /// Like `ask`, and returns the frame of the answer. A second look for the target could end in another frame: one that
    /// was loading matches a moment later.
    pub(in crate::page) async fn ask_where<T: DeserializeOwned>(
        &self,
        target: &Target,
        function: Injected,
        arguments: &[&dyn Argument],
        limit: Duration,
    ) -> Result<(FrameId, T), PageError> {
        let mut tries = 0;
        loop {
            let (frame, script_target) = self.locate(target).await?;
            let mut all: Vec<&dyn Argument> = vec![&script_target];
            all.extend_from_slice(arguments);
            match (self.script(&frame, function, &all, limit).await, target) {
                (Err(PageError::DocumentGone), Target::Ref(name)) => {
                    return Err(self.lost_ref(*name));
                }
                // A selector applies to the next document too.
                (Err(PageError::DocumentGone), Target::Selector(_)) if tries < TRIES_TO_READ => tries += 1,
                (result, _) => return Ok((frame, result?)),
            }
        }
    }

    /// Waits until the target meets the conditions, even across a navigation.
    pub(in crate::page) async fn ready(
        &self,
        target: &Target,
        needs: &[Need],
        action: &'static str,
        limit: Duration,
    ) -> Result<Ready, PageError> {
        self.ready_then(target, needs, action, limit, None).await
    }

    /// Like `ready`, and calls a function on the element in the same moment. Only for a page with unrestricted input
    /// (`is_free`): otherwise the element must be compared first.
    pub(in crate::page) async fn ready_then(
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
                    // A ref is not valid in the next document.
                    Target::Ref(name) => return Err(self.lost_ref(*name)),
                    Target::Selector(_) => continue,
                },
                Err(error) => return Err(error),
            };
            if let Some(effects) = self.effects().filter(|_| !looked.late.is_empty()) {
                effects.changed_late(&looked.late);
            }
            if looked.suspects {
                self.open_closed_roots(&frame).await?;
                continue;
            }
            if looked.ok {
                let Looked { number, document, tag, point, option, then, .. } = looked;
                let place = ScriptTarget::Element { number, document: document.clone() };
                self.check_site().await?;
                self.check_frame(&frame, &target.to_string()).await?;
                self.check_expected(Some(target)).await?;
                return Ok(Ready { frame, place, document, tag, point, option, then });
            }
            return Err(match looked.fault.fault {
                Some(FaultKind::Missing) => PageError::NeverAppeared { what: target.to_string(), waited: limit },
                Some(FaultKind::Blocked) if looked.is_final => {
                    PageError::Refused { what: looked.fault.named(target), reason: looked.fault.message.clone() }
                }
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
