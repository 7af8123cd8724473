//! The style rules of an element: the matching rules, their specificity, and the declarations that win.
//!
//! Owns the requests to the browser and the cascade of their results. Prints nothing.

use crate::devtools_session::Session;
use crate::page::error::PageError;
use crate::page::locate::Target;
use crate::page::page::Page;
use crate::page::script::{call, tell};
use serde::Deserialize;
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(5);

/// The origin of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    UserAgent,
    Page,
    Inline,
}

/// One declaration as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    pub name: String,
    pub value: String,
    pub important: bool,
    /// Another declaration wins, or the browser does not support this one.
    pub overridden: bool,
}

/// A rule that matches the element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub origin: Origin,
    /// The selector that matched; `element.style` for the inline style.
    pub selector: String,
    /// Ids, classes, types; `None` for the inline style.
    pub specificity: Option<(u32, u32, u32)>,
    /// The enclosing rules, outermost first: `@layer base`, `@media (min-width: 600px)`.
    pub conditions: Vec<String>,
    /// The location of the rule: `cart.css:88`; empty if unknown.
    pub source: String,
    pub declarations: Vec<Declaration>,
}

/// Lengths in CSS pixels, in the order top, right, bottom, left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoxModel {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    pub padding: [f64; 4],
    pub border: [f64; 4],
    pub margin: [f64; 4],
}

/// The styles of an element.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// `<p id="one">`
    pub element: String,
    /// Strongest first.
    pub rules: Vec<Rule>,
    /// `None` for an element that is not rendered.
    pub box_model: Option<BoxModel>,
    pub computed: HashMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Requested {
    node_id: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Matched {
    #[serde(default)]
    inline_style: Option<Style>,
    #[serde(rename = "matchedCSSRules", default)]
    rules: Vec<MatchedRule>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MatchedRule {
    rule: WrittenRule,
    #[serde(default)]
    matching_selectors: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenRule {
    selector_list: SelectorList,
    origin: String,
    style: Style,
    #[serde(default)]
    style_sheet_id: Option<String>,
    #[serde(default)]
    media: Vec<Condition>,
    #[serde(default)]
    layers: Vec<Condition>,
    #[serde(default)]
    supports: Vec<Condition>,
    #[serde(default)]
    container_queries: Vec<Condition>,
    #[serde(default)]
    scopes: Vec<Condition>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Condition {
    #[serde(default)]
    text: String,
    /// Set for a container query.
    #[serde(default)]
    name: Option<String>,
}

/// A style sheet as the browser reports it when `CSS` is enabled.
#[derive(Deserialize)]
struct SheetAdded {
    header: Sheet,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sheet {
    style_sheet_id: String,
    #[serde(rename = "sourceURL", default)]
    source_url: String,
    #[serde(default)]
    is_inline: bool,
    #[serde(default)]
    start_line: f64,
}

type Sheets = HashMap<String, Sheet>;

impl WrittenRule {
    fn conditions(&self) -> Vec<String> {
        let kinds: [(&str, &[Condition]); 5] = [
            ("layer", &self.layers),
            ("media", &self.media),
            ("supports", &self.supports),
            ("container", &self.container_queries),
            ("scope", &self.scopes),
        ];
        // Each kind is listed innermost first; the browser does not report how kinds are nested.
        let written = kinds.iter().flat_map(|(kind, conditions)| {
            conditions.iter().rev().map(move |Condition { text, name }| {
                let name = name.as_deref().map(|name| format!("{name} ")).unwrap_or_default();
                format!("@{kind} {name}{text}")
            })
        });
        written.collect()
    }

    fn source(&self, sheets: &Sheets) -> String {
        let Some(sheet) = self.style_sheet_id.as_ref().and_then(|id| sheets.get(id)) else { return String::new() };
        let path = sheet.source_url.split(['?', '#']).next().unwrap_or_default();
        let file = path.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default();
        let name = if sheet.is_inline { "<style>" } else { file };
        let first = if sheet.is_inline { sheet.start_line } else { 0.0 };
        match &self.style.range {
            Some(range) => format!("{name}:{}", range.start_line + first + 1.0),
            None => name.to_owned(),
        }
    }
}

#[derive(Deserialize)]
struct SelectorList {
    selectors: Vec<Selector>,
}

#[derive(Deserialize)]
struct Selector {
    text: String,
    #[serde(default)]
    specificity: Option<Specificity>,
}

#[derive(Clone, Copy, Deserialize)]
struct Specificity {
    a: u32,
    b: u32,
    c: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Style {
    #[serde(default)]
    css_properties: Vec<Property>,
    #[serde(default)]
    range: Option<Range>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Range {
    start_line: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Property {
    name: String,
    value: String,
    #[serde(default)]
    important: bool,
    /// Absent for a longhand that only follows from a shorthand.
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    parsed_ok: Option<bool>,
    #[serde(default)]
    disabled: bool,
    #[serde(default)]
    longhand_properties: Vec<Longhand>,
}

#[derive(Deserialize)]
struct Longhand {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Computed {
    computed_style: Vec<NameValue>,
}

#[derive(Deserialize)]
struct NameValue {
    name: String,
    value: String,
}

#[derive(Deserialize)]
struct BoxReply {
    model: Quads,
}

/// Four corners each, clockwise from the top left: x, y, x, y …
#[derive(Deserialize)]
struct Quads {
    content: Vec<f64>,
    padding: Vec<f64>,
    border: Vec<f64>,
    margin: Vec<f64>,
}

impl Page {
    /// Returns the rules that match an element, its box and its computed style. Fails with `Usage` while style coverage
    /// is recorded.
    pub async fn inspect(&self, target: &Target) -> Result<Inspection, PageError> {
        if self.tracks_styles() {
            return Err(PageError::Usage(
                "The used css is recorded in this tab: end it with `coverage css stop`".to_owned(),
            ));
        }
        let ready = self.ready(target, &[], "inspecting", LIMIT).await?;
        let session = self.session_of(&ready.frame)?;
        let number = ready.number()?;
        let object = self.element_handle(&ready.frame, number).await?;
        let element = self.describe(target).await?;
        // The browser reports nodes and style sheets only while these domains are enabled.
        tell(&session, "DOM.enable", &json!({})).await?;
        let result = self.inspect_object(&session, &object, element).await;
        tell(&session, "CSS.disable", &json!({})).await?;
        tell(&session, "DOM.disable", &json!({})).await?;
        result
    }

    async fn inspect_object(&self, session: &Session, object: &str, element: String) -> Result<Inspection, PageError> {
        // All style sheets are reported before this reply.
        let mut added = session.subscribe(&["CSS.styleSheetAdded"]);
        tell(session, "CSS.enable", &json!({})).await?;
        let mut sheets = Sheets::new();
        while let Some(event) = added.try_next() {
            if let Some(SheetAdded { header }) = event.read() {
                sheets.insert(header.style_sheet_id.clone(), header);
            }
        }
        tell(session, "DOM.getDocument", &json!({ "depth": 0 })).await?;
        let node: Requested = call(session, "DOM.requestNode", &json!({ "objectId": object })).await?;
        let node = json!({ "nodeId": node.node_id });
        let matched: Matched = call(session, "CSS.getMatchedStylesForNode", &node).await?;
        let computed: Computed = call(session, "CSS.getComputedStyleForNode", &node).await?;
        let box_model = match call::<BoxReply>(session, "DOM.getBoxModel", &node).await {
            Ok(reply) => Some(reply.model.read()),
            // The browser's answer for an element that is not rendered.
            Err(PageError::Browser(error)) => {
                tracing::debug!(%error, "the element has no box");
                None
            }
            Err(error) => return Err(error),
        };
        let computed = computed.computed_style.into_iter().map(|entry| (entry.name, entry.value)).collect();
        Ok(Inspection { element, rules: cascade(matched, &sheets), box_model, computed })
    }
}

impl Quads {
    fn read(&self) -> BoxModel {
        let corner = |quad: &[f64], at: usize| quad.get(at).copied().unwrap_or_default();
        let between = |outer: &[f64], inner: &[f64]| {
            [
                corner(inner, 1) - corner(outer, 1),
                corner(outer, 2) - corner(inner, 2),
                corner(outer, 5) - corner(inner, 5),
                corner(inner, 0) - corner(outer, 0),
            ]
        };
        BoxModel {
            x: corner(&self.border, 0),
            y: corner(&self.border, 1),
            width: corner(&self.content, 2) - corner(&self.content, 0),
            height: corner(&self.content, 5) - corner(&self.content, 1),
            padding: between(&self.padding, &self.content),
            border: between(&self.border, &self.padding),
            margin: between(&self.margin, &self.border),
        }
    }
}

/// Sorts the rules, strongest first, and marks the declarations that lose.
fn cascade(matched: Matched, sheets: &Sheets) -> Vec<Rule> {
    let mut rules: Vec<(Rule, Vec<Vec<String>>)> = Vec::new();
    // The browser lists the weakest first.
    for MatchedRule { rule, matching_selectors } in matched.rules {
        let selectors = &rule.selector_list.selectors;
        let best = matching_selectors.iter().filter_map(|at| selectors.get(*at)).max_by_key(|selector| {
            selector.specificity.map(|specificity| (specificity.a, specificity.b, specificity.c))
        });
        let Some(best) = best else { continue };
        let origin = if rule.origin == "user-agent" { Origin::UserAgent } else { Origin::Page };
        let specificity = best.specificity.map(|specificity| (specificity.a, specificity.b, specificity.c));
        let selector = best.text.clone();
        let (conditions, source) = (rule.conditions(), rule.source(sheets));
        let (declarations, names) = declarations(rule.style);
        rules.push((Rule { origin, selector, specificity, conditions, source, declarations }, names));
    }
    if let Some(style) = matched.inline_style {
        let (declarations, names) = declarations(style);
        if !declarations.is_empty() {
            let selector = "element.style".to_owned();
            let (conditions, source) = (Vec::new(), String::new());
            let origin = Origin::Inline;
            rules.push((Rule { origin, selector, specificity: None, conditions, source, declarations }, names));
        }
    }
    let mut winners: HashMap<String, (bool, usize, usize)> = HashMap::new();
    for (at, (rule, names)) in rules.iter().enumerate() {
        for (index, declaration) in rule.declarations.iter().enumerate().filter(|(_, d)| !d.overridden) {
            for name in &names[index] {
                let place = (declaration.important, at, index);
                let winner = winners.entry(name.clone()).or_insert(place);
                *winner = place.max(*winner);
            }
        }
    }
    for (at, (rule, names)) in rules.iter_mut().enumerate() {
        for (index, declaration) in rule.declarations.iter_mut().enumerate() {
            let place = (declaration.important, at, index);
            declaration.overridden |= !names[index].iter().any(|name| winners.get(name) == Some(&place));
        }
    }
    rules.into_iter().rev().map(|(rule, _)| rule).filter(|rule| !rule.declarations.is_empty()).collect()
}

/// Returns the written declarations, and the longhands that each sets. A declaration that the browser does not support
/// is marked as overridden.
fn declarations(style: Style) -> (Vec<Declaration>, Vec<Vec<String>>) {
    let is_written = |property: &Property| property.text.is_some() && !property.disabled;
    // The user agent's own rules have no text.
    let has_text = style.css_properties.iter().any(|property| property.text.is_some());
    let written = style.css_properties.into_iter().filter(|property| !has_text || is_written(property));
    written
        .map(|property| {
            let longhands: Vec<String> =
                property.longhand_properties.into_iter().map(|longhand| longhand.name).collect();
            let names = if longhands.is_empty() { vec![property.name.clone()] } else { longhands };
            let value = property.value.trim_end_matches("!important").trim_end().to_owned();
            let overridden = property.parsed_ok == Some(false);
            (Declaration { name: property.name, value, important: property.important, overridden }, names)
        })
        .unzip()
}
