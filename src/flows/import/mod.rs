//! Flows from the recordings of other tools.
//!
//! Owns the choice of the reader: a recording of Chrome's DevTools Recorder is JSON, a test of Playwright codegen is not.

mod codegen;
mod recorder;

use super::distil::Made;
use super::error::FlowError;
use super::file::MOST_BYTES;

/// Makes a flow of a recording.
///
/// # Errors
///
/// Fails if it is neither a recording of Chrome nor a test of Playwright, or has no step.
pub fn import(text: &str) -> Result<Made, FlowError> {
    if text.len() as u64 > MOST_BYTES {
        return Err(FlowError::Foreign("it is longer than 256 KiB".to_owned()));
    }
    let made = match text.trim_start().starts_with('{') {
        true => recorder::read(text),
        false => codegen::read(text),
    };
    let mut made = made.map_err(FlowError::Foreign)?;
    if made.flow.steps.is_empty() {
        return Err(FlowError::Foreign(
            [vec!["nothing in it can be a step".to_owned()], made.left_out].concat().join("\n"),
        ));
    }
    made.set_defaults(&super::fill::Values::new())?;
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::file::Flow;

    const RECORDING: &str = r##"{ "title": "Buy a lamp", "steps": [
        { "type": "setViewport", "width": 900, "height": 700, "deviceScaleFactor": 1, "isMobile": false, "hasTouch": false, "isLandscape": false },
        { "type": "navigate", "url": "http://127.0.0.1:8000/", "assertedEvents": [{ "type": "navigation", "url": "http://127.0.0.1:8000/", "title": "Shop" }] },
        { "type": "change", "value": "a", "selectors": [["aria/Email"], ["#email"]], "target": "main" },
        { "type": "change", "value": "a@b.example", "selectors": [["aria/Email"], ["#email"]], "target": "main" },
        { "type": "change", "value": "hunter2", "selectors": [["aria/Password"], ["#pw"]], "target": "main" },
        { "type": "keyDown", "key": "Enter", "target": "main" },
        { "type": "keyUp", "key": "Enter", "target": "main" },
        { "type": "click", "selectors": [["aria/Buy", "aria/[role=\"generic\"]"], ["#buy"], ["xpath///*[@id=\"buy\"]"]], "offsetX": 1, "offsetY": 2 },
        { "type": "click", "selectors": ["aria/Pay[role=\"button\"]"], "offsetX": 1, "offsetY": 2,
          "assertedEvents": [{ "type": "navigation", "url": "http://127.0.0.1:8000/done?id=7", "title": "" }] },
        { "type": "change", "value": "true", "selectors": [["#gift"], ["text/Gift"]] },
        { "type": "customStep", "name": "x", "parameters": {} },
        { "type": "change", "value": "4242", "selectors": [["aria/Card"]], "target": "https://pay.example/card?id=1" },
        { "type": "click", "selectors": [["aria/Terms"]], "offsetX": 1, "offsetY": 2, "frame": [0, 1], "target": "main" },
        { "type": "click", "selectors": [["aria/Print"]], "offsetX": 1, "offsetY": 2, "target": "http://127.0.0.1:8000/receipt?id=7" }
    ] }"##;

    #[test]
    fn a_recording_of_chrome_becomes_a_flow_without_its_password() {
        let Made { flow, left_out } = import(RECORDING).unwrap();
        let text = flow.to_text();
        let expected = "flow = 1\nabout = \"Buy a lamp\"\n\
            parameters.card = \"4242\"\n\
            parameters.email = \"a@b.example\"\n\
            parameters.sign-in = { about = \"the saved sign-in to fill in: gstack auth save\" }\n\
            parameters.value = \"true\"\n\
            steps = [\n  \
            { act = \"goto\", url = \"http://127.0.0.1:8000/\" },\n  \
            { act = \"set\", name = \"Email\", value = \"{{email}}\" },\n  \
            { act = \"sign-in\", name = \"{{sign-in}}\" },\n  \
            { act = \"press\", key = \"Enter\" },\n  \
            { act = \"click\", selector = \"#buy\" },\n  \
            { act = \"click\", role = \"button\", name = \"Pay\", wait = { url = \"http://127.0.0.1:8000/done\" } },\n  \
            { act = \"set\", selector = \"#gift\", value = \"{{value}}\" },\n  \
            { act = \"set\", name = \"Card\", frame = \"https://pay.example\", value = \"{{card}}\" },\n  \
            { act = \"click\", name = \"Terms\", frame = \"own\", wait = { tab = \"http://127.0.0.1:8000/receipt\" } },\n  \
            { act = \"click\", name = \"Print\", tab = 2 },\n\
            ]\n";
        assert_eq!(text, expected);
        assert!(!text.contains("hunter2"));
        assert_eq!(check::problems(&Flow::read(&text).unwrap()), []);
        assert_eq!(left_out, ["step 11 (customStep): it has no counterpart"]);
    }

    const CODEGEN: &str = r"
import { test, expect } from '@playwright/test';

test('test', async ({ page }) => {
  await page.goto('http://127.0.0.1:8000/');
  await page.getByRole('textbox', { name: 'E-mail' }).click();
  await page.getByRole('textbox', { name: 'E-mail' }).fill('it\'s; a@b.example');
  await page.getByRole('textbox', { name: 'Password' }).fill('hunter2');
  await page.getByRole('textbox', { name: 'Password' }).press('Enter');
  await page.getByRole('listitem').filter({ hasText: 'Desk (lamp)' }).getByRole('button', { name: 'Buy' }).click();
  await page.locator('iframe[title=\x22x\x22]').contentFrame().getByRole('button', { name: 'In' }).click({ button: 'right' });
  await page.getByLabel('Size').selectOption('b');
  await page.getByText('Gift').nth(1).click();
  await page.getByRole('button', { name: 'Photo' }).setInputFiles('a.pdf');
  const page1Promise = page.waitForEvent('popup');
  await page.waitForURL('**/done');
  await expect(page.getByText('Thanks')).toBeVisible();
  await expect(page.locator('#a')).toHaveText('x');
  await page.evaluate(() => document.title);
});
";

    #[test]
    fn a_test_of_codegen_becomes_a_flow_without_its_password() {
        let Made { flow, left_out } = import(&CODEGEN.replace("\\x22", "\"")).unwrap();
        let text = flow.to_text();
        let steps: Vec<&str> = text.lines().filter(|line| line.starts_with("  ")).map(str::trim).collect();
        assert_eq!(
            steps,
            [
                "{ act = \"goto\", url = \"http://127.0.0.1:8000/\" },",
                "{ act = \"click\", role = \"textbox\", name = \"E-mail\" },",
                "{ act = \"fill\", role = \"textbox\", name = \"E-mail\", value = \"{{e-mail}}\" },",
                "{ act = \"sign-in\", name = \"{{sign-in}}\" },",
                "{ act = \"press\", key = \"Enter\" },",
                "{ act = \"click\", role = \"button\", name = \"Buy\", near = \"Desk (lamp)\" },",
                "{ act = \"rightclick\", role = \"button\", name = \"In\", frame = \"own\" },",
                "{ act = \"select\", name = \"Size\", value = \"{{size}}\" },",
                "{ act = \"click\", selector = \"text=Gift >> nth=1\" },",
                "{ act = \"upload\", role = \"button\", name = \"Photo\", file = \"{{file}}\" },",
                "{ wait = { url = \"**/done\" } },",
                "{ wait = { text = \"Thanks\" } },",
            ]
        );
        assert!(!text.contains("hunter2") && text.contains("parameters.e-mail = \"it's; a@b.example\""), "{text}");
        assert_eq!(check::problems(&Flow::read(&text).unwrap()), []);
        assert_eq!(left_out.len(), 3, "{left_out:?}");
    }

    #[test]
    fn what_is_neither_is_refused() {
        for text in [
            "",
            "{}",
            "{ \"steps\": [] }",
            "await page.evaluate(x",
            "page.",
            "{ \"steps\": 1 }",
            "await page.goto(`\\u00",
        ] {
            assert!(matches!(import(text), Err(FlowError::Foreign(_))), "{text}");
        }
    }
}
