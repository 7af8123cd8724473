//! A flow as a test of Playwright Test.
//!
//! Owns the words of its locators and actions. A text of a flow is only ever a string there.

use super::{Piece, pieces, variable};
use crate::file::{Element, Flow, Step, Wait};
use crate::fill::Values;
use crate::words::{WAIT_SECONDS, spec};

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
    text.push_str(&format!("test({}, async ({{ page }}) => {{\n", plain(name)));
    for (at, step) in flow.steps.iter().enumerate() {
        for line in lines(step, at + 1).map_err(|why| format!("step {}: {why}", at + 1))? {
            text.push_str(&format!("  {line}\n"));
        }
    }
    text.push_str("});\n");
    Ok(text)
}

fn lines(step: &Step, number: usize) -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    let wait = step.wait.clone().unwrap_or_default();
    let Wait { url, text, gone, request, seconds } = &wait;
    let timeout = format!("{{ timeout: {} }}", u64::from(seconds.unwrap_or(WAIT_SECONDS)) * 1000);
    // Before the act: the answer may come before Playwright would begin to listen.
    if let Some(request) = request {
        lines.push(format!(
            "const response{number} = page.waitForResponse((response) => {}.test(response.url()), {timeout});",
            pattern(request)?
        ));
    }
    if let Some(act) = &step.act {
        // A command may be called by another name of it.
        lines.push(format!("await {};", action(spec(act)?.name, step)?));
    }
    if request.is_some() {
        lines.push(format!("await response{number};"));
    }
    if let Some(url) = url {
        lines.push(format!("await page.waitForURL((url) => {}.test(url.href), {timeout});", pattern(url)?));
    }
    if let Some(text) = text {
        lines.push(format!("await page.getByText({}).first().waitFor({timeout});", string(text)));
    }
    if let Some(gone) = gone {
        let state = timeout.replacen("{ ", "{ state: 'hidden', ", 1);
        lines.push(format!("await page.getByText({}).first().waitFor({state});", string(gone)));
    }
    Ok(lines)
}

fn action(act: &str, step: &Step) -> Result<String, String> {
    let on = || step.element().ok_or_else(|| format!("{act} has no element")).and_then(|element| locator(&element));
    let given = |text: &Option<String>| text.as_deref().map(string).unwrap_or_else(|| "''".to_owned());
    Ok(match act {
        "goto" => format!("page.goto({})", given(&step.url)),
        "back" => "page.goBack()".to_owned(),
        "forward" => "page.goForward()".to_owned(),
        "reload" => "page.reload()".to_owned(),
        "click" => format!("{}.click()", on()?),
        "dblclick" => format!("{}.dblclick()", on()?),
        "rightclick" => format!("{}.click({{ button: 'right' }})", on()?),
        "hover" => format!("{}.hover()", on()?),
        "check" => format!("{}.check()", on()?),
        "uncheck" => format!("{}.uncheck()", on()?),
        "clear" => format!("{}.clear()", on()?),
        "fill" => format!("{}.fill({})", on()?, given(&step.value)),
        "select" => format!("{}.selectOption({})", on()?, given(&step.value)),
        "upload" => format!("{}.setInputFiles({})", on()?, given(&step.file)),
        "type" if step.element().is_some() => format!("{}.pressSequentially({})", on()?, given(&step.text)),
        "type" => format!("page.keyboard.type({})", given(&step.text)),
        "press" => format!("page.keyboard.press({})", given(&step.key)),
        "drag" => {
            let to = step.to.as_ref().ok_or("drag has no `to`")?;
            format!("{}.dragTo({})", on()?, locator(to)?)
        }
        "scroll" if step.element().is_some() => format!("{}.scrollIntoViewIfNeeded()", on()?),
        "sign-in" => return Err("Playwright has no saved sign-ins: sign in by its storageState".to_owned()),
        other => return Err(format!("{other} has no counterpart in Playwright")),
    })
}

fn locator(element: &Element) -> Result<String, String> {
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
        None => format!("page.{found}{nth}"),
        // The innermost part of the page that has both.
        Some(near) => format!(
            "page.locator('*').filter({{ hasText: {} }}).filter({{ has: page.{found} }}).last().{found}{nth}",
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
