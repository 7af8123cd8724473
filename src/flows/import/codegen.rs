//! Tests of Playwright codegen: the lines `await page.….click();`.
//!
//! Owns reading chains of calls with literal arguments. It is not JavaScript: a line that does anything else is left out
//! and said.

use crate::distil::{Made, is_password_name};
use crate::file::{Element, Flow, Step, VERSION, Wait};
use crate::sites::OWN_FRAME;
use gstack_base::site;

/// A call: its name, and its arguments as they are written.
struct CallOf<'a> {
    name: &'a str,
    arguments: &'a str,
}

pub(super) fn read(text: &str) -> Result<Made, String> {
    if !text.contains("page.") {
        return Err("it has neither steps of a recording nor a test with `page.`".to_owned());
    }
    let mut made = Made { flow: Flow { flow: VERSION, ..Flow::default() }, left_out: Vec::new() };
    for (number, line) in text.lines().enumerate() {
        let line = line.trim().trim_end_matches(';');
        if let Some(name) = line.strip_prefix("test(").and_then(first_string) {
            made.flow.about = name;
            continue;
        }
        let Some(code) = line.strip_prefix("await ") else {
            // What prepares for an effect that the next line causes.
            if line.contains("page.once(") || line.contains("waitForEvent(") {
                made.left_out.push(format!("line {}: {line}: it has no counterpart", number + 1));
            }
            continue;
        };
        match step(&mut made, code) {
            Ok(step) => made.flow.steps.push(step),
            Err(why) => made.left_out.push(format!("line {}: {why}: {line}", number + 1)),
        }
    }
    Ok(made)
}

fn step(made: &mut Made, code: &str) -> Result<Step, String> {
    if let Some(inside) = code.strip_prefix("expect(") {
        return expectation(inside);
    }
    let mut calls = chain(code)?;
    let last = calls.pop().ok_or("it calls nothing")?;
    let text = || first_string(last.arguments).ok_or_else(|| "its argument is not a text".to_owned());
    let (element, frame) = element(&calls)?;
    let act = match (last.name, &element) {
        ("goto", None) => "goto",
        ("goBack", None) => "back",
        ("goForward", None) => "forward",
        ("reload", None) => "reload",
        ("waitForURL", None) => {
            return Ok(Step { wait: Some(Wait { url: Some(text()?), ..Wait::default() }), ..Step::default() });
        }
        ("click", Some(_)) if last.arguments.contains("'right'") => "rightclick",
        ("click", Some(_)) => "click",
        ("dblclick", Some(_)) => "dblclick",
        ("hover", Some(_)) => "hover",
        ("check", Some(_)) => "check",
        ("uncheck", Some(_)) => "uncheck",
        ("fill", Some(_)) => "fill",
        ("selectOption", Some(_)) => "select",
        ("setInputFiles", Some(_)) => "upload",
        // Codegen presses a key in the element that has the focus.
        ("press", _) => "press",
        (other, _) => return Err(format!("{other} has no counterpart")),
    };
    let mut step = Step { act: Some(act.to_owned()), ..Step::default() };
    match act {
        "goto" => step.url = Some(text()?),
        "press" => step.key = Some(text()?),
        _ => {
            step.frame = frame;
            if let Some(Element { role, name, near, nth, selector }) = element {
                (step.role, step.name, step.near, step.nth, step.selector) = (role, name, near, nth, selector);
            }
        }
    }
    match act {
        "fill" if step.name.iter().chain(&step.selector).any(|name| is_password_name(name)) => {
            return Ok(made.sign_in());
        }
        "fill" | "select" => {
            made.drop_replaced(&step);
            let like = step.name.clone().unwrap_or_else(|| "value".to_owned());
            step.value = Some(made.parameter(&like, Some(text()?)));
        }
        "upload" => step.file = Some(made.parameter("file", Some(text()?))),
        _ => {}
    }
    Ok(step)
}

/// `expect(page.getByText('x')).toBeVisible()` waits for a text.
fn expectation(inside: &str) -> Result<Step, String> {
    let calls = chain(inside)?;
    let wait = |wait: Wait| Step { wait: Some(wait), ..Step::default() };
    match calls.as_slice() {
        [CallOf { name: "getByText", arguments }] if inside.ends_with(".toBeVisible()") => {
            let text = first_string(arguments).ok_or("its text is not a literal")?;
            Ok(wait(Wait { text: Some(text), ..Wait::default() }))
        }
        _ => Err("the expectation has no counterpart".to_owned()),
    }
}

/// Returns the calls of `page.a('x').b()`, up to what is not a call of this chain.
fn chain(code: &str) -> Result<Vec<CallOf<'_>>, String> {
    let mut rest = code.strip_prefix("page.").ok_or("it is not about the page of the test")?;
    let mut calls = Vec::new();
    loop {
        let open = rest.find('(').ok_or("a call has no arguments")?;
        let name = &rest[..open];
        // `page.keyboard.press('x')`
        let name = name.rsplit('.').next().unwrap_or(name);
        if name.is_empty() || !name.chars().all(char::is_alphanumeric) {
            return Err("it is not a chain of calls".to_owned());
        }
        let close = closing(&rest[open + 1..]).ok_or("a parenthesis is not closed")?;
        calls.push(CallOf { name, arguments: &rest[open + 1..open + 1 + close] });
        match rest[open + close + 2..].strip_prefix('.') {
            Some(more) => rest = more,
            None => return Ok(calls),
        }
    }
}

/// Returns where the parenthesis closes that was opened before this text.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0_usize, None);
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match (character, quote) {
            ('\\', Some(_)) => {
                characters.next();
            }
            (_, Some(open)) if character == open => quote = None,
            (_, Some(_)) => {}
            ('\'' | '"' | '`', None) => quote = Some(character),
            ('(', None) => depth += 1,
            (')', None) if depth == 0 => return Some(at),
            (')', None) => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the first literal text.
fn first_string(text: &str) -> Option<String> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|quote| matches!(quote, '\'' | '"' | '`'))?;
    let mut found = String::new();
    let mut characters = text[1..].chars();
    loop {
        match characters.next()? {
            '\\' => match characters.next()? {
                'n' => found.push('\n'),
                't' => found.push('\t'),
                'u' => {
                    let digits: String = characters.by_ref().take(4).collect();
                    found.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
                }
                other => found.push(other),
            },
            character if character == quote => return Some(found),
            character => found.push(character),
        }
    }
}

/// Returns the text of an option: `{ name: 'Buy' }`.
fn option(arguments: &str, key: &str) -> Option<String> {
    let (_, after) = arguments.split_once(&format!("{key}: "))?;
    first_string(after)
}

/// Returns the site of the frame in an element: that of its address, if the selector has a whole one. Codegen rarely says
/// more than the frame's name: a run stops if the frame is of another site, and names the site.
fn site_of_frame(selector: Option<&str>) -> String {
    let address = selector.and_then(|selector| selector.split_once("src=")).map(|(_, after)| after);
    let address = address.and_then(|after| first_string(after.trim_start_matches(['^', '*'])));
    address
        .filter(|address| address.contains("://"))
        .map_or_else(|| OWN_FRAME.to_owned(), |address| site::origin(&address))
}

/// Returns the element that the calls before the last one describe, and the site of its frame.
fn element(calls: &[CallOf<'_>]) -> Result<(Option<Element>, Option<String>), String> {
    let mut found: Option<Element> = None;
    let mut frame = None;
    for CallOf { name, arguments } in calls {
        let text = || first_string(arguments).ok_or_else(|| format!("the argument of {name} is not a text"));
        let by = |prefix: &str| {
            Ok::<_, String>(Element { selector: Some(format!("{prefix}{}", text()?)), ..Element::default() })
        };
        let named = |role: Option<String>, name: String| Element { role, name: Some(name), ..Element::default() };
        let (near, nth) = found.as_ref().map(|before| (before.near.clone(), before.nth)).unwrap_or_default();
        let next = match *name {
            "frameLocator" | "contentFrame" => {
                let given = first_string(arguments);
                let before = found.take().and_then(|element| element.selector);
                frame = Some(site_of_frame(given.or(before).as_deref()));
                continue;
            }
            "getByRole" => match option(arguments, "name") {
                Some(name) => named(Some(text()?), name),
                None => by("role=")?,
            },
            "getByLabel" => named(None, text()?),
            "getByText" => by("text=")?,
            "getByPlaceholder" => by("placeholder=")?,
            "getByAltText" => by("alt=")?,
            "getByTitle" => by("title=")?,
            "getByTestId" => by("testid=")?,
            "locator" => by("")?,
            "filter" => {
                let words = option(arguments, "hasText").ok_or("the filter has no text")?;
                found = Some(Element { near: Some(words), ..found.unwrap_or_default() });
                continue;
            }
            "first" => {
                found = Some(Element { nth: Some(1), ..found.unwrap_or_default() });
                continue;
            }
            "nth" => {
                let number: u32 = arguments.trim().parse().map_err(|_| "nth has no number".to_owned())?;
                found = Some(Element { nth: Some(number + 1), ..found.unwrap_or_default() });
                continue;
            }
            other => return Err(format!("{other} has no counterpart")),
        };
        // `getByRole('listitem').filter({ hasText: 'Lamp' }).getByRole('button')`: the words are beside the button.
        found = Some(match &next.selector {
            Some(_) if near.is_some() => return Err("a selector cannot have words beside it".to_owned()),
            Some(_) => next,
            None => Element { near, ..next },
        });
        if nth.is_some() {
            return Err("an element inside of a numbered one has no counterpart".to_owned());
        }
    }
    if found.as_ref().is_some_and(|of| of.selector.is_some() && (of.near.is_some() || of.nth.is_some())) {
        // A selector takes the number itself.
        found = found.map(|of| match (of.selector, of.nth) {
            (Some(selector), Some(nth)) => {
                Element { selector: Some(format!("{selector} >> nth={}", nth - 1)), nth: None, ..Element::default() }
            }
            (selector, nth) => Element { selector, nth, near: None, ..Element::default() },
        });
    }
    Ok((found, frame))
}
