//! The output of `gstack upgrade`. The `upgrade` module decides which release is installed, and how.

use super::terminal::{show, tell};
use crate::upgrade::{self, Outcome};
use gstack_base::home::Home;
use gstack_protocol::fault::Fault;

pub(super) async fn run(home: &Home, check: bool, json: bool) -> Result<(), Fault> {
    let outcome = match check {
        true => upgrade::check().await?,
        false => upgrade::upgrade(home, tell).await?,
    };
    show(json, &outcome, || words(&outcome, check))
}

fn words(outcome: &Outcome, check: bool) -> String {
    let Outcome { installed, newest, .. } = outcome;
    let day = outcome.published.as_ref().map(|day| format!(" of {day}")).unwrap_or_default();
    match (installed == newest, check) {
        (true, _) => format!("gstack {installed} is the newest release."),
        (false, true) => format!(
            "gstack {newest}{day} is available; you have {installed}. To install it: gstack \
            upgrade"
        ),
        (false, false) if outcome.handing_over => {
            format!("Upgraded from {installed} to {newest}. The older daemon hands over when its turns have finished.")
        }
        (false, false) => format!("Upgraded from {installed} to {newest}."),
    }
}
