//! A flow from what a person did in a recorded tab.
//!
//! Owns which acts become one step, and what each step waits for. Typed texts become parameters with the text as their
//! default; a password becomes a `sign-in`, and any other secret a parameter without a default.

use super::distil::{Made, SIGN_IN_ACT, arrives_at};
use super::error::FlowError;
use super::file::{Element, Flow, Step, VERSION, Wait};
use super::fill::Values;
use super::sites::OWN_FRAME;
use gstack_base::site;
use gstack_protocol::ids::TabId;
use gstack_protocol::recorded::{Arrival, RecordedAct, RecordedElement, RecordedKind, RecordedLine};

/// A shown text with a shorter typed text in it still waits for the same text in another run.
const SHORT: usize = 3;

/// Makes a flow of the lines of a recording.
#[derive(Debug)]
pub struct Recorder {
    made: Made,
    /// The default of a typed value, for each step that has one. In the order of the steps.
    drafts: Vec<Draft>,
    /// In the order in which they opened: a step has the number of its tab.
    tabs: Vec<RecordedTab>,
}

/// A tab that is recorded.
#[derive(Debug)]
struct RecordedTab {
    id: TabId,
    /// The origin of its page.
    site: String,
    /// The condition that it shows its present address.
    place: Option<Wait>,
}

/// A step before its value has a parameter.
#[derive(Clone, Debug, Default)]
struct Draft {
    step: Step,
    /// What was typed, and the name of its parameter. The value is absent for a secret.
    typed: Option<(String, Option<String>)>,
    /// The act was a press on a field, which typing into it does as well.
    only_focuses: bool,
    /// The text may appear after the act, without another address.
    may_show: bool,
}

impl Default for Recorder {
    fn default() -> Self {
        let made = Made { flow: Flow { flow: VERSION, ..Flow::default() }, left_out: Vec::new() };
        Self { made, drafts: Vec::new(), tabs: Vec::new() }
    }
}

impl Recorder {
    /// Adds a line. Returns, for people, the new step or the condition that the last step waits for.
    pub fn add(&mut self, line: RecordedLine) -> Option<String> {
        match line {
            RecordedLine::Begun { tab, url } => {
                self.tabs = vec![RecordedTab { id: tab, site: String::new(), place: None }];
                self.goto(0, &url)
            }
            RecordedLine::Acted { tab, act } => match self.index(tab) {
                Some(at) => self.act(at, *act),
                None => {
                    let element = act.element.map(|element| element.label).unwrap_or_default();
                    self.leave_out("an act", &element, "its tab has no address");
                    None
                }
            },
            RecordedLine::Arrived { tab, url, by } => match self.index(tab) {
                Some(at) => self.arrived(at, &url, by),
                None => self.opened(tab, &url),
            },
            RecordedLine::Shown { tab, text } => self.shown(self.index(tab)?, text),
            RecordedLine::Answered { tab, accepted, text } => self.answered(self.index(tab)?, accepted, text),
            RecordedLine::Failed(_) => None,
        }
    }

    fn index(&self, tab: TabId) -> Option<usize> {
        self.tabs.iter().position(|known| known.id == tab)
    }

    /// Returns the flow.
    ///
    /// # Errors
    ///
    /// Fails if nothing was recorded that can be a step.
    pub fn made(self) -> Result<Made, FlowError> {
        let Self { mut made, drafts, .. } = self;
        if !drafts.iter().any(|draft| draft.step.act.as_deref() != Some("goto")) {
            let why = "nothing was recorded that can be a step of a flow".to_owned();
            return Err(FlowError::NothingToSave([vec![why], made.left_out].concat().join("\n")));
        }
        for Draft { mut step, typed, .. } in drafts {
            if step.act.as_deref() == Some(SIGN_IN_ACT) {
                step = made.sign_in();
            }
            if let Some((like, value)) = typed {
                let value = made.parameter(&like, value);
                match step.act.as_deref() {
                    Some("upload") => step.file = Some(value),
                    Some("dialog-accept") => step.text = Some(value),
                    _ => step.value = Some(value),
                }
            }
            made.flow.steps.push(step);
        }
        made.set_defaults(&Values::new())?;
        Ok(made)
    }

    fn push(&mut self, draft: Draft) -> Option<String> {
        let told = draft.step.told();
        self.drafts.push(draft);
        Some(told)
    }

    fn leave_out(&mut self, what: &str, element: &str, why: &str) {
        self.made.left_out.push(format!("{what} on {element}: {why}"));
    }

    fn goto(&mut self, at: usize, url: &str) -> Option<String> {
        self.note_place(at, url);
        // A page that the browser shows by itself, and the address that the person opens instead.
        if !url.starts_with("http") && !url.starts_with("file:") {
            return None;
        }
        let step = of("goto", at);
        let is_goto = |draft: &Draft| draft.step.act == step.act && draft.step.tab == step.tab;
        if self.drafts.last().is_some_and(is_goto) {
            self.drafts.pop();
        }
        self.push(Draft { step: Step { url: Some(literal(url)), ..step }, ..Draft::default() })
    }

    /// Notes the address that a tab shows. Returns the condition for it, if the address is another one.
    fn note_place(&mut self, at: usize, url: &str) -> Option<Wait> {
        let tab = self.tabs.get_mut(at)?;
        let place = arrives_at(url);
        let is_other = place != tab.place;
        tab.site = site::origin(url);
        tab.place.clone_from(&place);
        place.filter(|_| is_other)
    }

    /// A tab that the last act opened.
    fn opened(&mut self, tab: TabId, url: &str) -> Option<String> {
        let wait = arrives_at(url)?;
        self.tabs.push(RecordedTab { id: tab, site: site::origin(url), place: Some(wait.clone()) });
        let last = self.drafts.last_mut()?;
        let before = last.step.wait.take().unwrap_or_default();
        waits(last, Wait { tab: wait.url, ..before })
    }

    fn act(&mut self, at: usize, act: RecordedAct) -> Option<String> {
        let RecordedAct { act: kind, element, to, value, key, several, field, frame } = act;
        let site = &self.tabs.get(at)?.site;
        let frame = frame.map(|frame| if frame == *site { OWN_FRAME.to_owned() } else { frame });
        let name = match kind {
            RecordedKind::Click => "click",
            RecordedKind::Dblclick => "dblclick",
            RecordedKind::Rightclick => "rightclick",
            RecordedKind::Fill => "fill",
            RecordedKind::Password => SIGN_IN_ACT,
            RecordedKind::Select => "select",
            RecordedKind::Check => "check",
            RecordedKind::Uncheck => "uncheck",
            RecordedKind::Press => "press",
            RecordedKind::Upload => "upload",
            RecordedKind::Drag => "drag",
        };
        if kind == RecordedKind::Press {
            let step = Step { key: Some(literal(&key?)), frame, ..of(name, at) };
            return self.push(Draft { step, may_show: true, ..Draft::default() });
        }
        let element = element?;
        if kind == RecordedKind::Password {
            self.drop_focus(&element);
            let is_sign_in = |draft: &Draft| draft.step.act.as_deref() == Some(SIGN_IN_ACT);
            return match self.drafts.last().is_some_and(is_sign_in) {
                true => None,
                false => self.push(Draft { step: of(name, at), ..Draft::default() }),
            };
        }
        if several {
            self.leave_out(name, &element.label, "a step chooses one, and several were chosen");
            return None;
        }
        let described = [Some(&element), to.as_ref()].into_iter().flatten().map(described).collect::<Option<Vec<_>>>();
        let Some(mut described) = described.map(Vec::into_iter) else {
            self.leave_out(name, &element.label, "it has no name to find it by");
            return None;
        };
        let Element { role, name: element_name, near, nth, selector } = described.next()?;
        let to = described.next();
        let step = Step { role, name: element_name, near, nth, selector, frame, to, ..of(name, at) };
        let types = matches!(kind, RecordedKind::Fill | RecordedKind::Select | RecordedKind::Upload);
        let like = if kind == RecordedKind::Upload { "file" } else { element.name.as_str() };
        let typed = types.then(|| (like.to_owned(), value));
        match kind {
            RecordedKind::Fill => self.drop_focus(&element),
            // Its two clicks are part of it.
            RecordedKind::Dblclick => {
                let click = Step { act: Some("click".to_owned()), ..step.clone() };
                while self.drafts.last().is_some_and(|draft| same_act(&draft.step, &click)) {
                    self.drafts.pop();
                }
            }
            _ => {}
        }
        let is_state = |act: &str| matches!(act, "fill" | "select" | "upload" | "check" | "uncheck");
        let replaces = self.drafts.last().is_some_and(|last| {
            let acts = [&last.step, &step].map(|step| step.act.as_deref().unwrap_or_default());
            acts.into_iter().all(is_state) && same_element(&last.step, &step)
        });
        if replaces {
            self.drafts.pop();
        }
        let told =
            self.push(Draft { step, typed, only_focuses: field && kind == RecordedKind::Click, may_show: !types });
        if replaces { None } else { told }
    }

    /// Removes the press on a field that is typed into next.
    fn drop_focus(&mut self, element: &RecordedElement) {
        let Some(wanted) = described(element) else { return };
        let is_it = |draft: &Draft| draft.only_focuses && draft.step.element().as_ref() == Some(&wanted);
        if self.drafts.last().is_some_and(is_it) {
            self.drafts.pop();
        }
    }

    fn arrived(&mut self, at: usize, url: &str, by: Arrival) -> Option<String> {
        let act = match by {
            Arrival::Address => return self.goto(at, url),
            Arrival::Back => "back",
            Arrival::Forward => "forward",
            Arrival::Reload => "reload",
            Arrival::Page => {
                let is_here = self.tabs.get(at).is_some_and(|tab| tab.site == site::origin(url));
                let place = self.note_place(at, url)?;
                let last = self.drafts.last_mut()?;
                if last.step.tab != number(at) {
                    let opens = last.step.wait.as_mut().filter(|wait| wait.tab.is_some())?;
                    opens.tab = place.url;
                    return None;
                }
                // A server or a page may lead on from an address; only another site must be named.
                if last.step.act.as_deref() == Some("goto") && is_here {
                    return None;
                }
                return waits(last, place);
            }
        };
        let wait = self.note_place(at, url);
        self.push(Draft { step: Step { wait, ..of(act, at) }, ..Draft::default() })
    }

    fn shown(&mut self, at: usize, text: String) -> Option<String> {
        let lower = text.to_lowercase();
        let is_typed = |draft: &Draft| {
            let value = draft.typed.as_ref().and_then(|(_, value)| value.as_deref()).unwrap_or_default();
            value.chars().count() >= SHORT && lower.contains(&value.to_lowercase())
        };
        if text.contains("{{") || self.drafts.iter().any(is_typed) {
            return None;
        }
        let is_next = |last: &&mut Draft| last.may_show && last.step.wait.is_none() && last.step.tab == number(at);
        let last = self.drafts.last_mut().filter(is_next)?;
        waits(last, Wait { text: Some(text), ..Wait::default() })
    }

    /// A dialog is answered while the act runs that opens it, so its answer is chosen before that act.
    fn answered(&mut self, at: usize, accepted: bool, text: String) -> Option<String> {
        let step = of(if accepted { "dialog-accept" } else { "dialog-dismiss" }, at);
        let typed = (accepted && !text.is_empty()).then(|| ("answer".to_owned(), Some(text)));
        let told = step.told();
        let place = self.drafts.len().saturating_sub(1);
        self.drafts.insert(place, Draft { step, typed, ..Draft::default() });
        Some(told)
    }
}

/// Lets a step wait for this condition, and returns the condition for people.
fn waits(draft: &mut Draft, wait: Wait) -> Option<String> {
    let tab = draft.step.wait.take().and_then(|before| before.tab);
    let wait = Wait { tab: wait.tab.or(tab), ..wait };
    draft.step.wait = Some(wait.clone());
    Some(format!("  {}", Step { wait: Some(wait), ..Step::default() }.told()))
}

/// Returns the step of an act in the tab with this index.
fn of(act: &str, tab: usize) -> Step {
    Step { act: Some(act.to_owned()), tab: number(tab), ..Step::default() }
}

/// Returns the number of a tab as a step has it.
fn number(tab: usize) -> Option<u32> {
    if tab == 0 { None } else { u32::try_from(tab + 1).ok() }
}

/// Returns the description of an element; `None` if nothing describes it, or its texts would be placeholders.
fn described(element: &RecordedElement) -> Option<Element> {
    let RecordedElement { label: _, role, name, near, nth, selector } = element.clone();
    let text = |text: String| (!text.is_empty()).then_some(text);
    let described = match selector {
        Some(selector) => Element { selector: Some(selector), ..Element::default() },
        None => Element { role: text(role), name: Some(text(name)?), near, nth, selector: None },
    };
    let texts = [&described.role, &described.name, &described.near, &described.selector];
    let is_plain = !texts.into_iter().flatten().any(|text| text.contains("{{"));
    is_plain.then_some(described)
}

fn same_element(one: &Step, other: &Step) -> bool {
    (one.element(), &one.frame, one.tab) == (other.element(), &other.frame, other.tab)
}

fn same_act(one: &Step, other: &Step) -> bool {
    one.act == other.act && same_element(one, other) && one.wait.is_none()
}

/// Returns a text without the braces of placeholders: an address may have them only percent-encoded.
fn literal(text: &str) -> String {
    text.replace('{', "%7B").replace('}', "%7D")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;

    const TAB: TabId = TabId(3);

    fn element(role: &str, name: &str) -> RecordedElement {
        let label = format!("<{role}>");
        RecordedElement { label, role: role.to_owned(), name: name.to_owned(), ..RecordedElement::default() }
    }

    fn acted(act: RecordedKind, role: &str, name: &str, value: Option<&str>) -> RecordedLine {
        let value = value.map(str::to_owned);
        let field = role == "textbox";
        let element = Some(element(role, name));
        RecordedLine::Acted {
            tab: TAB,
            act: Box::new(RecordedAct { act, element, value, field, ..RecordedAct::default() }),
        }
    }

    fn pressed(key: &str) -> RecordedLine {
        let key = Some(key.to_owned());
        RecordedLine::Acted {
            tab: TAB,
            act: Box::new(RecordedAct { act: RecordedKind::Press, key, ..RecordedAct::default() }),
        }
    }

    fn arrived(path: &str, by: Arrival) -> RecordedLine {
        RecordedLine::Arrived { tab: TAB, url: format!("http://127.0.0.1:8000{path}"), by }
    }

    fn steps(lines: Vec<RecordedLine>) -> (Vec<String>, Made) {
        let mut recorder = Recorder::default();
        recorder.add(RecordedLine::Begun { tab: TAB, url: "http://127.0.0.1:8000/".to_owned() });
        for line in lines {
            recorder.add(line);
        }
        let made = recorder.made().unwrap();
        let text = made.flow.to_text();
        assert_eq!(check::problems(&Flow::read(&text).unwrap()), [], "{text}");
        let steps = text.lines().filter_map(|line| line.strip_prefix("  ")).map(|line| line.trim_end_matches(','));
        (steps.map(str::to_owned).collect(), made)
    }

    #[test]
    fn typing_is_one_step_with_a_parameter_and_a_password_is_never_in_it() {
        use RecordedKind::{Check, Click, Fill, Password, Select, Uncheck};
        let (steps, made) = steps(vec![
            acted(Click, "textbox", "E-mail", None),
            acted(Fill, "textbox", "E-mail", Some("a")),
            acted(Fill, "textbox", "E-mail", Some("ada@shop.example")),
            acted(Click, "textbox", "Password", None),
            acted(Password, "textbox", "Password", None),
            acted(Password, "textbox", "Password", None),
            acted(Fill, "textbox", "Code", None),
            acted(Select, "combobox", "Size", Some("Large")),
            acted(Check, "checkbox", "Gift", None),
            acted(Uncheck, "checkbox", "Gift", None),
            pressed("Enter"),
            arrived("/orders/12345?token=x", Arrival::Page),
        ]);
        assert_eq!(
            steps,
            [
                "{ act = \"goto\", url = \"http://127.0.0.1:8000/\" }",
                "{ act = \"fill\", role = \"textbox\", name = \"E-mail\", value = \"{{e-mail}}\" }",
                "{ act = \"sign-in\", name = \"{{sign-in}}\" }",
                "{ act = \"fill\", role = \"textbox\", name = \"Code\", value = \"{{code}}\" }",
                "{ act = \"select\", role = \"combobox\", name = \"Size\", value = \"{{size}}\" }",
                "{ act = \"uncheck\", role = \"checkbox\", name = \"Gift\" }",
                "{ act = \"press\", key = \"Enter\", wait = { url = \"http://127.0.0.1:8000/orders/**\" } }",
            ]
        );
        let default = |name: &str| made.flow.parameters[name].default.clone();
        assert_eq!(default("e-mail").as_deref(), Some("ada@shop.example"));
        assert_eq!((default("code"), default("sign-in")), (None, None));
    }

    #[test]
    fn a_step_waits_for_what_the_page_did_and_a_person_opens_an_address() {
        use RecordedKind::{Click, Dblclick};
        let answered = RecordedLine::Answered { tab: TAB, accepted: true, text: "Ada".to_owned() };
        let shown = |text: &str| RecordedLine::Shown { tab: TAB, text: text.to_owned() };
        let (steps, made) = steps(vec![
            acted(Click, "button", "Add", None),
            shown("In your cart"),
            shown("Something else"),
            arrived("/?page=2", Arrival::Page),
            acted(Click, "button", "Name", None),
            answered,
            shown("Hello Ada"),
            acted(Click, "link", "Item", None),
            acted(Click, "link", "Item", None),
            acted(Dblclick, "link", "Item", None),
            arrived("/help", Arrival::Address),
            arrived("/", Arrival::Back),
            RecordedLine::Acted { tab: TabId(9), act: Box::default() },
            acted(Click, "", "", None),
            acted(Click, "button", "{{sign-in}}", None),
        ]);
        assert_eq!(
            steps,
            [
                "{ act = \"goto\", url = \"http://127.0.0.1:8000/\" }",
                "{ act = \"click\", role = \"button\", name = \"Add\", wait = { text = \"In your cart\" } }",
                "{ act = \"dialog-accept\", text = \"{{answer}}\" }",
                "{ act = \"click\", role = \"button\", name = \"Name\" }",
                "{ act = \"dblclick\", role = \"link\", name = \"Item\" }",
                "{ act = \"goto\", url = \"http://127.0.0.1:8000/help\" }",
                "{ act = \"back\", wait = { url = \"http://127.0.0.1:8000/\" } }",
            ]
        );
        assert_eq!(made.left_out.len(), 3, "{:?}", made.left_out);
    }

    #[test]
    fn a_step_names_its_tab_and_the_site_of_its_frame() {
        use RecordedKind::{Click, Fill};
        let within = |line: RecordedLine, frame: Option<&str>, tab: u32| match line {
            RecordedLine::Acted { act, .. } => RecordedLine::Acted {
                tab: TabId(tab),
                act: Box::new(RecordedAct { frame: frame.map(str::to_owned), ..*act }),
            },
            other => other,
        };
        let popup = |url: &str| RecordedLine::Arrived { tab: TabId(4), url: url.to_owned(), by: Arrival::Page };
        let (steps, _) = steps(vec![
            within(acted(Fill, "textbox", "Card", Some("1")), Some("https://pay.example"), 3),
            within(acted(Click, "button", "Terms", None), Some("http://127.0.0.1:8000"), 3),
            popup("https://bank.example/begin"),
            popup("https://bank.example/login?x=1"),
            within(acted(Click, "button", "Confirm", None), None, 4),
            popup("https://bank.example/done"),
            acted(Click, "link", "Finish", None),
            RecordedLine::Arrived { tab: TAB, url: "https://shop.example/thanks".to_owned(), by: Arrival::Page },
        ]);
        assert_eq!(
            steps[1..],
            [
                "{ act = \"fill\", role = \"textbox\", name = \"Card\", frame = \"https://pay.example\", value = \"{{card}}\" }",
                "{ act = \"click\", role = \"button\", name = \"Terms\", frame = \"own\", wait = { tab = \"https://bank.example/login\" } }",
                "{ act = \"click\", role = \"button\", name = \"Confirm\", tab = 2, wait = { url = \"https://bank.example/done\" } }",
                "{ act = \"click\", role = \"link\", name = \"Finish\", wait = { url = \"https://shop.example/thanks\" } }",
            ]
        );
    }

    #[test]
    fn nothing_recorded_is_no_flow() {
        let nothing = Recorder::default().made().unwrap_err();
        assert!(nothing.to_string().starts_with("nothing was recorded"));
    }
}
