//! The built-in agent asks before it acts, as every agent does. A message that is exactly one command is its approval.

use crate::stage::{Site, Stage, page};
use std::process::Stdio;

const VALUES: &str = "[...document.querySelectorAll('input')].map((one) => one.value).join(' ')";

fn form(_: &str, _: u16) -> String {
    page(
        "<title>Form</title><form><label>Name <input name=\"name\"></label><label>Mail <input type=email name=mail></label>\
         <input type=password name=secret></form>",
    )
}

#[test]
fn it_asks_about_several_steps_and_not_about_the_one_command_that_was_typed() {
    let site = Site::start(form);
    let stage = Stage::new();
    stage.run(&["goto", &site.url("/form")]);
    stage.run(&["chat", "fill this form with test data"]);
    assert_eq!(stage.run(&["js", VALUES]), "Ada Lovelace ada@example.com ");
    let several = "fill Name with Grace, then fill Mail with grace@example.com";
    let mut chat = stage.command(&["chat", several]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let waiting = loop {
        let asked: serde_json::Value = serde_json::from_str(&stage.run(&["approvals", "--json"])).unwrap();
        if let Some(id) = asked["approvals"][0]["approvalId"].as_str() {
            break id.to_owned();
        }
        assert!(chat.try_wait().unwrap().is_none(), "it ended without a question");
    };
    stage.run(&["approvals", "deny", &waiting]);
    chat.wait().unwrap();
    assert_eq!(stage.run(&["js", VALUES]), "Ada Lovelace ada@example.com ", "the second step did not run either");
    let audit = stage.run(&["audit"]);
    assert_eq!(audit.matches("allowed: you typed it").count(), 2, "{audit}");
    assert!(audit.contains("denied by you in the terminal"), "{audit}");
}
