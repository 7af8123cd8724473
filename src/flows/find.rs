//! The element that a step means, and the words of its command.
//!
//! Owns the looks at the page: waits until the element is there, and stops if it is not clear which one is meant.

use super::choose::{Candidate, Choice, choose};
use super::file::{Element, Step};
use super::heal::Lost;
use super::report::Outcome;
use super::run::{At, Commands};
use super::step_run::{StepRun, Stop};
use super::tabs;
use super::tree::Tree;
use super::words::{self, Places};
use gstack_base::site;
use gstack_command::{Spec, envelope};
use gstack_protocol::fault::FaultCode;
use serde::Deserialize;
use std::collections::BTreeMap;

/// How long it waits if the page has one that is much like it, in milliseconds.
const SHORT_WAIT: u64 = 2000;
/// The commands that a run reads the page with.
const LOOK: &str = "snapshot";
const LOOK_AT: &str = "attrs";
/// The command that tells an element's tag.
const SHAPE: &str = "inspect";

impl<C: Commands> StepRun<'_, '_, C> {
    /// Finds the elements of a step and returns its command with the words.
    pub(crate) async fn words(
        &mut self,
        spec: &'static Spec,
        step: &Step,
    ) -> Result<(&'static Spec, Vec<String>), Stop> {
        let element = match step.element().filter(|_| words::takes_element(spec)) {
            Some(element) => Some(self.find(&element).await?),
            None => None,
        };
        let to = match &step.to {
            Some(to) => Some(self.find(to).await.inspect_err(|_| {
                self.lost = self.lost.map(|_| Lost::To);
            })?),
            None => None,
        };
        let (mut spec, mut step) = (spec, std::borrow::Cow::Borrowed(step));
        if let Some(element) = &element {
            if words::types(spec) {
                self.refuse_password(element).await?;
            }
            if step.act.as_deref() == Some(words::SET) {
                let role = self.element.as_ref().map(|found| found.role.clone()).unwrap_or_default();
                let value = step.value.clone().unwrap_or_default();
                spec = words::spec(self.setting(element, &role, &value).await?).map_err(Stop::failed)?;
                if !spec.parameters.iter().any(|parameter| parameter.name == "value") {
                    step.to_mut().value = None;
                }
            }
        }
        let places = Places { element: element.as_deref(), to: to.as_deref() };
        words::words(spec, &step, places).map(|words| (spec, words)).map_err(Stop::failed)
    }

    /// Returns the command that sets an element to a value: what it is, only the page tells.
    async fn setting(&self, element: &str, role: &str, value: &str) -> Result<&'static str, Stop> {
        let attributes = self.attributes(element).await?;
        let is = |name: &str, values: &[&str]| {
            attributes.get(name).is_some_and(|found| values.iter().any(|value| found.eq_ignore_ascii_case(value)))
        };
        let ticks = ["checkbox", "switch", "menuitemcheckbox", "radio", "menuitemradio"];
        let shown = self.read(SHAPE, vec!["--".to_owned(), element.to_owned()]).await?;
        let tag = shown.data.as_ref().and_then(|data| data.get("element")?.as_str()).unwrap_or_default();
        Ok(if ticks.contains(&role) || is("role", &ticks) || tag.starts_with("<input") && is("type", &ticks) {
            if value == "false" { "uncheck" } else { "check" }
        } else if tag.starts_with("<select") {
            "select"
        } else {
            "fill"
        })
    }

    async fn attributes(&self, element: &str) -> Result<BTreeMap<String, String>, Stop> {
        let attributes = self.read(LOOK_AT, vec!["--".to_owned(), element.to_owned()]).await?;
        let texts = attributes.data.and_then(|data| serde_json::from_value(data).ok());
        texts.ok_or_else(|| Stop::failed("the element's attributes cannot be read".to_owned()))
    }

    /// A password in a flow would be in a file, in the process list and in the shell's history.
    async fn refuse_password(&self, element: &str) -> Result<(), Stop> {
        let attributes = self.attributes(element).await?;
        let kind = attributes.get("type");
        if !kind.is_some_and(|kind| kind.eq_ignore_ascii_case("password")) {
            return Ok(());
        }
        Err(Stop {
            outcome: Outcome::Failed,
            message: "a flow does not type into a password field".to_owned(),
            hint: Some(
                "Save the sign-in with `gstack auth save NAME`, and use a step { act = \"sign-in\", name = \"NAME\" }."
                    .to_owned(),
            ),
        })
    }

    /// Returns the ref or the selector of the described element.
    async fn find(&mut self, element: &Element) -> Result<String, Stop> {
        if let Some(selector) = &element.selector {
            // It is read before it is acted on, and reading does not wait.
            self.wait_for(element, self.limit).await?;
            return Ok(selector.clone());
        }
        let mut seen = self.look(element).await?;
        if !matches!(seen.choice, Choice::One(_, true)) {
            // The page may still be loading: what is only much like the element may be replaced by the element itself.
            let limit = if matches!(seen.choice, Choice::None(_)) { self.limit } else { self.limit.min(SHORT_WAIT) };
            // Whether it came or not, the page is looked at again.
            if self.wait_for(element, limit).await? {
                seen = self.look(element).await?;
            }
        }
        let sites = self.at.acts_on.clone().unwrap_or_default().page;
        if !sites.contains(&seen.site) {
            return Err(tabs::elsewhere(&seen.site, &sites));
        }
        let (candidates, message) = match seen.choice {
            Choice::One(found, _) => {
                let reference = found.reference.clone();
                self.element.get_or_insert(found);
                return Ok(reference);
            }
            Choice::Several(several) => (several, format!("several elements could be {}", element.told())),
            Choice::None(best) => (best, format!("there is no {}", element.told())),
        };
        self.candidates = candidates;
        self.lost = Some(Lost::Element);
        let next = format!("go on with --from {}", self.number);
        let hint = match (seen.other_frame, self.candidates.is_empty()) {
            (Some(site), true) => {
                format!("A frame of {site} has one. If it is meant, add frame = \"{site}\" to the step, and {next}")
            }
            (_, true) => format!("Look at the page. Then correct the step, and {next}"),
            (_, false) => format!("Correct the step's name, near or nth in the file, and {next}"),
        };
        Err(Stop::failed(message).hint(&hint))
    }

    /// Returns the page's text with its elements, as an agent reads it.
    pub(crate) async fn page(&self) -> Result<String, Stop> {
        Ok(self.read(LOOK, vec!["-C".to_owned()]).await?.output)
    }

    /// Returns the element that has exactly this description now; `None` if none or several have.
    pub(crate) async fn only(&self, element: &Element) -> Result<Option<Candidate>, Stop> {
        let seen = self.look(element).await?;
        let sites = self.at.acts_on.clone().unwrap_or_default().page;
        if !sites.contains(&seen.site) {
            return Err(tabs::elsewhere(&seen.site, &sites));
        }
        Ok(match seen.choice {
            Choice::One(found, true) => Some(found),
            _ => None,
        })
    }

    /// Waits until an element with exactly this description is there, or the time is over. Returns false if the description
    /// cannot be waited for.
    async fn wait_for(&self, element: &Element, limit: u64) -> Result<bool, Stop> {
        let Some((command, words)) = words::wait_for(element, limit) else { return Ok(false) };
        match self.commands.run(command, words, &At { acts_on: None, ..self.at.clone() }).await {
            Err(fault) if fault.code != FaultCode::Timeout && fault.code != FaultCode::Element => Err(Stop::of(fault)),
            _ => Ok(true),
        }
    }

    async fn look(&self, element: &Element) -> Result<Seen, Stop> {
        let look = |words: Vec<String>| async {
            let seen = self.read(LOOK, words).await?;
            let looked: Looked = seen.data.and_then(|data| serde_json::from_value(data).ok()).unwrap_or_default();
            let sites = looked.nodes.into_iter().filter_map(|node| Some((node.reference, node.site?))).collect();
            let tree = Tree::read(&envelope::unwrapped(&seen.output)).with_sites(&sites);
            Ok::<_, Stop>((tree, looked.more, site::origin(&looked.url)))
        };
        let frame = self.at.acts_on.as_ref().and_then(|sites| sites.frame.clone());
        let choose = |tree: &Tree, site: &str| choose(tree, element, frame.as_deref().filter(|frame| *frame != site));
        let (tree, more, site) = look(vec!["-C".to_owned()]).await?;
        if more == 0 {
            return Ok(Seen { choice: choose(&tree, &site), other_frame: tree.site_with(element), site });
        }
        // The page is too long for one look: the lines with the element's own name, and what is around them.
        let name = element.name.clone().unwrap_or_default();
        let (tree, more, site) = look(vec!["--search".to_owned(), name]).await?;
        let choice = match choose(&tree, &site) {
            // Another one may be among those that are missing.
            Choice::One(found, _) if more > 0 => Choice::Several(vec![found]),
            choice => choice,
        };
        Ok(Seen { choice, other_frame: tree.site_with(element), site })
    }
}

/// A look at the page for an element.
struct Seen {
    choice: Choice,
    /// The origin of the page.
    site: String,
    /// The site of a frame with an element of this name.
    other_frame: Option<String>,
}

/// The data of a snapshot.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Looked {
    url: String,
    more: u64,
    nodes: Vec<LookedNode>,
}

#[derive(Deserialize)]
struct LookedNode {
    #[serde(rename = "ref")]
    reference: String,
    #[serde(default)]
    site: Option<String>,
}
