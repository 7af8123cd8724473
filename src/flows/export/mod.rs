//! A flow as a program of another tool.
//!
//! Owns the choice of the tool. Each file writes one form.

mod bash;
mod chain;
mod playwright;

use super::error::FlowError;
use super::file::Flow;
use super::fill::{Values, values};

/// The tool to write for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A test of Playwright Test.
    Playwright,
    /// The commands of `gstack chain`.
    Chain,
    /// A shell script with a command on each line.
    Bash,
}

impl Form {
    /// Every form, with the name by which it is chosen.
    pub const ALL: [(&'static str, Self); 3] =
        [("playwright", Self::Playwright), ("chain", Self::Chain), ("bash", Self::Bash)];
}

/// Writes a flow for another tool. `set` are values for the parameters; only `chain` needs one for each.
///
/// # Errors
///
/// Fails if a step has no counterpart there, or a value is missing.
pub fn export(name: &str, flow: &Flow, form: Form, set: &Values) -> Result<String, FlowError> {
    let outcome = match form {
        Form::Playwright => playwright::test(name, flow, set),
        Form::Bash => bash::script(name, flow, set),
        Form::Chain => {
            let values = values(flow, set).map_err(FlowError::Values)?;
            chain::commands(flow, &values)
        }
    };
    outcome.map_err(FlowError::Values)
}

/// Returns the name of a parameter's variable: `e-mail` becomes `e_mail`.
fn variable(name: &str) -> String {
    let name = name.replace('-', "_");
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

/// Splits a text into pieces: plain text, and the names of parameters.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, after)) = after.split_once("}}") else { break };
        pieces.extend((!before.is_empty()).then_some(Piece::Text(before)));
        pieces.push(Piece::Parameter(name.trim()));
        rest = after;
    }
    pieces.extend((!rest.is_empty()).then_some(Piece::Text(rest)));
    pieces
}

enum Piece<'a> {
    Text(&'a str),
    Parameter(&'a str),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow() -> Flow {
        Flow::read(
            r#"flow = 1
parameters.e-mail = "it's \"$HOME\" `x`"
parameters.size = {}
steps = [
  { act = "goto", url = "http://127.0.0.1:8000/?a='b'" },
  { act = "fill", role = "textbox", name = "E-mail", value = "<{{e-mail}}>" },
  { act = "select", name = "Size", value = "{{size}}" },
  { act = "click", role = "button", name = "Buy", near = "Desk \"lamp\"", wait = { request = "**/add?x", url = "**/cart", text = "Thanks", seconds = 3 } },
  { act = "press", key = "Enter", wait = { gone = "Loading", url = "/done.html" } },
  { act = "click", selector = "label=Gift", nth = 1 },
]
"#,
        )
        .unwrap()
    }

    #[test]
    fn a_test_of_playwright_says_the_same_in_its_words() {
        let text = export("buy", &flow(), Form::Playwright, &Values::new()).unwrap();
        let body: Vec<&str> = text.lines().filter(|line| line.starts_with("  ")).map(str::trim).collect();
        assert_eq!(
            body,
            [
                r"await page.goto('http://127.0.0.1:8000/?a=\'b\'');",
                "await page.getByRole('textbox', { name: 'E-mail', exact: true }).fill('<' + $e_mail + '>');",
                "await page.getByText('Size', { exact: true }).selectOption($size);",
                r"const response4 = page.waitForResponse((response) => /^.*\/add\?x$/.test(response.url()), { timeout: 3000 });",
                "await page.locator('*').filter({ hasText: 'Desk \"lamp\"' }).filter({ has: page.getByRole('button', { name: 'Buy', exact: true }) }).last().getByRole('button', { name: 'Buy', exact: true }).click();",
                "await response4;",
                r"await page.waitForURL((url) => /^.*\/cart$/.test(url.href), { timeout: 3000 });",
                "await page.getByText('Thanks').first().waitFor({ timeout: 3000 });",
                "await page.keyboard.press('Enter');",
                r"await page.waitForURL((url) => /\/done\.html/.test(url.href), { timeout: 15000 });",
                "await page.getByText('Loading').first().waitFor({ state: 'hidden', timeout: 15000 });",
                "await page.getByLabel('Gift').nth(0).click();",
            ]
        );
        assert!(text.contains("const $e_mail = process.env.E_MAIL ?? 'it\\'s \"$HOME\" `x`';"), "{text}");
        assert!(text.contains("throw new Error('set SIZE')"), "{text}");
    }

    #[test]
    fn a_value_is_one_word_in_a_script_and_in_a_chain() {
        let set = Values::from([("size".to_owned(), "a \"b\" | js 1".to_owned())]);
        let script = export("buy", &flow(), Form::Bash, &set).unwrap();
        assert!(script.contains("e_mail=${E_MAIL-\"it's \\\"\\$HOME\\\" \\`x\\`\"}"), "{script}");
        assert!(script.contains("gstack fill -- 'role=textbox[name=\"E-mail\"]' '<'\"${e_mail}\"'>'"), "{script}");
        let chain = export("buy", &flow(), Form::Chain, &set).unwrap();
        assert!(chain.contains("select -- \"text=\\\"Size\\\"\" \"a \\\"b\\\" | js 1\"\n"), "{chain}");
        assert!(matches!(export("buy", &flow(), Form::Chain, &Values::new()), Err(FlowError::Values(_))));
    }

    #[test]
    fn frames_and_opened_tabs_keep_their_place() {
        let flow = Flow::read(
            r#"flow = 1
steps = [
  { act = "fill", role = "textbox", name = "Card", frame = "https://pay.example", value = "4242" },
  { act = "click", name = "Terms", frame = "own", wait = { tab = "https://bank.example/*" } },
  { act = "click", role = "button", name = "Confirm", tab = 2, wait = { text = "Done" } },
  { act = "press", key = "Enter" },
]
"#,
        )
        .unwrap();
        let text = export("pay", &flow, Form::Playwright, &Values::new()).unwrap();
        let steps: Vec<&str> = text.split("test('pay'").nth(1).unwrap().lines().map(str::trim).collect();
        assert_eq!(
            steps[1..steps.len() - 1],
            [
                "await (await inFrame(page, 'https://pay.example', (frame) => frame.getByRole('textbox', { name: 'Card', exact: true }))).fill('4242');",
                "const opened2 = page.waitForEvent('popup', { timeout: 15000 });",
                "await (await inFrame(page, undefined, (frame) => frame.getByText('Terms', { exact: true }))).click();",
                "const page2 = await opened2;",
                r"await page2.waitForURL((url) => /^https:\/\/bank\.example\/[^/]*$/.test(url.href), { timeout: 15000 });",
                "await page2.getByRole('button', { name: 'Confirm', exact: true }).click();",
                "await page2.getByText('Done').first().waitFor({ timeout: 15000 });",
                "await page.keyboard.press('Enter');",
            ]
        );
        for form in [Form::Chain, Form::Bash] {
            let refused = export("pay", &flow, form, &Values::new()).unwrap_err();
            assert!(refused.to_string().contains("a tab that a step opens has no name there"), "{refused}");
            let first = Flow { steps: flow.steps[..1].to_vec(), ..flow.clone() };
            let text = export("pay", &first, form, &Values::new()).unwrap();
            assert!(text.contains("frame --url ") && text.trim_end().ends_with("frame main"), "{text}");
        }
    }

    #[test]
    fn a_step_without_a_counterpart_is_named() {
        let flow = Flow::read("flow = 1\nsteps = [\n{ act = \"sign-in\", name = \"shop\" },\n]\n").unwrap();
        let error = export("x", &flow, Form::Playwright, &Values::new()).unwrap_err();
        assert!(error.to_string().starts_with("step 1: Playwright has no saved sign-ins"), "{error}");
    }
}
