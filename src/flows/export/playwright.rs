//! A flow as a test of Playwright Test.
//!
//! Owns the words of its locators and actions. A text of a flow is only ever a string there.

use super::{Piece, pieces, variable};
use crate::file::{Element, Flow, Step, Wait};
use crate::fill::Values;
use crate::sites::{FIRST_TAB, OWN_FRAME};
use crate::words::{SET, WAIT_SECONDS, spec};

/// Finds an element in the frames of a site, as a run does: Playwright's own locators search one frame.
const FRAME_HELPER: &str = "\
/* The element in a frame of this site, as soon as a frame has it. Without a site: of the page's own. */
async function inFrame(page, site, locate) {
  for (;;) {
    const own = site ?? (await page.evaluate(() => globalThis.origin));
    for (const frame of page.frames().slice(1)) {
      const origin = await frame.evaluate(() => globalThis.origin).catch(() => null);
      if (origin === own && (await locate(frame).count()) > 0) return locate(frame);
    }
    await page.waitForTimeout(50);
  }
}

";
/// Sets an element to a value by what it is.
const SET_HELPER: &str = "\
/* Chooses, ticks or fills in, by what the element is. */
async function set(element, value) {
  const kind = await element.evaluate((node) => (node.localName === 'input' && node.type) || node.getAttribute('role') || node.localName);
  if (kind === 'select') await element.selectOption(value);
  else if (/^(checkbox|radio|switch)$/.test(kind)) await element.setChecked(value !== 'false');
  else await element.fill(value);
}

";

/// The most letters of an address pattern: a regular expression is made of it.
const LONGEST_PATTERN: usize = 2000;

pub(super) fn test(name: &str, flow: &Flow, set: &Values) -> Result<String, String> {
    let mut text = format!(
        "// Made from the flow {name} by `gstack flow export`. Environment variables set other values.\nimport {{ test }} from '@playwright/test';\n\n"
    );
    for (name, parameter) in &flow.parameters {
        let variable = variable(name);
        let from = variable.to_uppercase();
        text.push_str(&match set.get(name).or(parameter.default.as_ref()) {
            Some(default) => format!("const ${variable} = process.env.{from} ?? {};\n", plain(default)),
            None => format!(
                "const ${variable} = process.env.{from};\nif (${variable} === undefined) throw new Error('set {from}');\n"
            ),
        });
    }
    if !flow.parameters.is_empty() {
        text.push('\n');
    }
    if flow.steps.iter().any(|step| step.frame.is_some()) {
        text.push_str(FRAME_HELPER);
    }
    if flow.steps.iter().any(|step| step.act.as_deref() == Some(SET)) {
        text.push_str(SET_HELPER);
    }
    text.push_str(&format!("test({}, async ({{ page }}) => {{\n", plain(name)));
    let mut tabs = FIRST_TAB;
    for (at, step) in flow.steps.iter().enumerate() {
        let opens = step.wait.as_ref().is_some_and(|wait| wait.tab.is_some());
        tabs += u32::from(opens);
        for line in lines(step, at + 1, tabs).map_err(|why| format!("step {}: {why}", at + 1))? {
            text.push_str(&format!("  {line}\n"));
        }
    }
    text.push_str("});\n");
    Ok(text)
}

/// Returns the variable of a tab.
fn page_of(tab: u32) -> String {
    if tab == FIRST_TAB { "page".to_owned() } else { format!("page{tab}") }
}

/// Returns the lines of a step. `opened`: the number of the tab that it opens, if it opens one.
fn lines(step: &Step, number: usize, opened: u32) -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    let page = page_of(step.tab.unwrap_or(FIRST_TAB));
    let wait = step.wait.clone().unwrap_or_default();
    let Wait { url, text, gone, request, tab, seconds } = &wait;
    let timeout = format!("{{ timeout: {} }}", u64::from(seconds.unwrap_or(WAIT_SECONDS)) * 1000);
    // Before the act: the answer may come before Playwright would begin to listen.
    if let Some(request) = request {
        lines.push(format!(
            "const response{number} = {page}.waitForResponse((response) => {}.test(response.url()), {timeout});",
            pattern(request)?
        ));
    }
    if tab.is_some() {
        lines.push(format!("const opened{number} = {page}.waitForEvent('popup', {timeout});"));
    }
    if let Some(act) = &step.act {
        // A command may be called by another name of it.
        let act = if act == SET { SET } else { spec(act)?.name };
        lines.push(format!("await {};", action(act, step, &page)?));
    }
    if request.is_some() {
        lines.push(format!("await response{number};"));
    }
    if let Some(url) = url {
        lines.push(format!("await {page}.waitForURL((url) => {}.test(url.href), {timeout});", pattern(url)?));
    }
    if let Some(tab) = tab {
        let opened = page_of(opened);
        lines.push(format!("const {opened} = await opened{number};"));
        lines.push(format!("await {opened}.waitForURL((url) => {}.test(url.href), {timeout});", pattern(tab)?));
    }
    if let Some(text) = text {
        lines.push(format!("await {page}.getByText({}).first().waitFor({timeout});", string(text)));
    }
    if let Some(gone) = gone {
        let state = timeout.replacen("{ ", "{ state: 'hidden', ", 1);
        lines.push(format!("await {page}.getByText({}).first().waitFor({state});", string(gone)));
    }
    Ok(lines)
}

fn action(act: &str, step: &Step, page: &str) -> Result<String, String> {
    let located = |element: &Element| in_frame(step.frame.as_deref(), page, |scope| locator(element, scope));
    let on = || step.element().ok_or_else(|| format!("{act} has no element")).and_then(|element| located(&element));
    let given = |text: &Option<String>| text.as_deref().map(string).unwrap_or_else(|| "''".to_owned());
    Ok(match act {
        "goto" => format!("{page}.goto({})", given(&step.url)),
        "back" => format!("{page}.goBack()"),
        "forward" => format!("{page}.goForward()"),
        "reload" => format!("{page}.reload()"),
        "click" => format!("{}.click()", on()?),
        "dblclick" => format!("{}.dblclick()", on()?),
        "rightclick" => format!("{}.click({{ button: 'right' }})", on()?),
        "hover" => format!("{}.hover()", on()?),
        "check" => format!("{}.check()", on()?),
        "uncheck" => format!("{}.uncheck()", on()?),
        "clear" => format!("{}.clear()", on()?),
        SET => format!("set({}, {})", on()?, given(&step.value)),
        "fill" => format!("{}.fill({})", on()?, given(&step.value)),
        "select" => format!("{}.selectOption({})", on()?, given(&step.value)),
        "upload" => format!("{}.setInputFiles({})", on()?, given(&step.file)),
        "type" if step.element().is_some() => format!("{}.pressSequentially({})", on()?, given(&step.text)),
        "type" => format!("{page}.keyboard.type({})", given(&step.text)),
        "press" => format!("{page}.keyboard.press({})", given(&step.key)),
        "drag" => {
            let to = step.to.as_ref().ok_or("drag has no `to`")?;
            format!("{}.dragTo({})", on()?, located(to)?)
        }
        "scroll" if step.element().is_some() => format!("{}.scrollIntoViewIfNeeded()", on()?),
        "sign-in" => return Err("Playwright has no saved sign-ins: sign in by its storageState".to_owned()),
        other => return Err(format!("{other} has no counterpart in Playwright")),
    })
}

/// Returns the expression of an element in a frame, or in the main one.
fn in_frame(
    frame: Option<&str>,
    page: &str,
    locate: impl Fn(&str) -> Result<String, String>,
) -> Result<String, String> {
    match frame {
        None => locate(page),
        Some(frame) => {
            let site = if frame == OWN_FRAME { "undefined".to_owned() } else { string(frame) };
            Ok(format!("(await inFrame({page}, {site}, (frame) => {}))", locate("frame")?))
        }
    }
}

/// Returns the locator of an element in a page or frame.
fn locator(element: &Element, scope: &str) -> Result<String, String> {
    let Element { role, name, near, nth, selector } = element;
    let options = name.as_ref().map(|name| format!(", {{ name: {}, exact: true }}", string(name))).unwrap_or_default();
    let found = match (selector, role.as_deref(), name) {
        (Some(selector), ..) => by_selector(selector),
        // It has no role: it is clickable all the same.
        (None, None | Some("cursor:pointer"), Some(name)) => format!("getByText({}, {{ exact: true }})", string(name)),
        (None, Some(role), _) => format!("getByRole({}{options})", plain(role)),
        (None, None, None) => return Err("an element has no description".to_owned()),
    };
    let nth = nth.map(|nth| format!(".nth({})", nth.saturating_sub(1))).unwrap_or_default();
    Ok(match near {
        None => format!("{scope}.{found}{nth}"),
        // The innermost part of the page that has both.
        Some(near) => format!(
            "{scope}.locator('*').filter({{ hasText: {} }}).filter({{ has: {scope}.{found} }}).last().{found}{nth}",
            string(near)
        ),
    })
}

/// Returns the locator of a selector. CSS, `text=`, `role=` and `xpath=` are the same in both.
fn by_selector(selector: &str) -> String {
    let by = [
        ("label=", "getByLabel"),
        ("placeholder=", "getByPlaceholder"),
        ("alt=", "getByAltText"),
        ("title=", "getByTitle"),
        ("testid=", "getByTestId"),
    ];
    for (prefix, method) in by {
        if let Some(text) = selector.strip_prefix(prefix).filter(|text| !text.contains(">>")) {
            let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
            let exact = if quoted.is_some() && method != "getByTestId" { ", { exact: true }" } else { "" };
            return format!("{method}({}{exact})", string(quoted.unwrap_or(text)));
        }
    }
    format!("locator({})", string(selector))
}

/// Returns the regular expression of an address pattern.
fn pattern(glob: &str) -> Result<String, String> {
    if glob.len() > LONGEST_PATTERN || glob.contains("{{") {
        return Err("an address pattern with a parameter has no counterpart in Playwright".to_owned());
    }
    let is_whole = glob.contains('*');
    let mut expression = String::new();
    let mut characters = glob.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '*' if characters.peek() == Some(&'*') => {
                characters.next();
                expression.push_str(".*");
            }
            '*' => expression.push_str("[^/]*"),
            '\\' | '^' | '$' | '.' | '|' | '?' | '+' | '(' | ')' | '[' | ']' | '{' | '}' | '/' => {
                expression.push('\\');
                expression.push(character);
            }
            other if other.is_control() || matches!(other, '\u{2028}' | '\u{2029}') => {
                expression.push_str(&format!("\\u{:04x}", u32::from(other)));
            }
            other => expression.push(other),
        }
    }
    Ok(if is_whole { format!("/^{expression}$/") } else { format!("/{expression}/") })
}

/// Returns a text with parameters as a JavaScript expression.
fn string(text: &str) -> String {
    let pieces = pieces(text);
    match pieces.as_slice() {
        [] => plain(""),
        [Piece::Text(text)] => plain(text),
        [Piece::Parameter(name)] => format!("${}", variable(name)),
        several => {
            let part = |piece: &Piece<'_>| match piece {
                Piece::Text(text) => plain(text),
                Piece::Parameter(name) => format!("${}", variable(name)),
            };
            several.iter().map(part).collect::<Vec<_>>().join(" + ")
        }
    }
}

/// Returns a text as a JavaScript string.
fn plain(text: &str) -> String {
    let mut quoted = String::from("'");
    for character in text.chars() {
        match character {
            '\'' => quoted.push_str("\\'"),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            other if other.is_control() || matches!(other, '\u{2028}' | '\u{2029}') => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(other)));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('\'');
    quoted
}
