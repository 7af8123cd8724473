//! `--look`: the page's controls after an act, or what changed in them since the reader's last look.
//!
//! Owns the answer's form. Never fails an act that is done.

use super::snapshot::{self, LOOKS};
use crate::core::{Call, Context, Output};
use crate::spec::LOOK;
use futures_util::future::BoxFuture;
use gstack_base::site::SiteOrPage;
use gstack_protocol::fault::Fault;

const NEXT: &str = "`snapshot -i` shows the page.";

/// The only way in which commands run.
pub(crate) type Run = for<'a> fn(&'a Context, &'a Call) -> BoxFuture<'a, Result<Output, Fault>>;

/// Returns the place that the tab shows before an act that ends with a look.
pub(crate) async fn before(context: &Context, call: &Call) -> Option<SiteOrPage> {
    if !call.arguments.has(LOOK.name) {
        return None;
    }
    Some(SiteOrPage::of(&context.tab().await.ok()?.info().ok()?.url))
}

/// Adds the look to what the act said.
pub(crate) async fn after(
    context: &Context,
    call: &Call,
    place: Option<SiteOrPage>,
    mut output: Output,
    run: Run,
) -> Output {
    let seen = match may_look(context, call, place).await {
        true => look(context, run).await.ok(),
        false => None,
    };
    let Some(seen) = seen else {
        output.say(Some(NEXT.to_owned()));
        return output;
    };
    let said = std::mem::take(&mut output.text);
    // What the page itself said goes with the page's words.
    let of_page = output.source_url.is_some();
    output.text = if of_page { format!("{said}\n{}", seen.text) } else { seen.text };
    if !of_page && !said.is_empty() {
        output.head = Some(output.head.take().map_or_else(|| said.clone(), |head| format!("{head}\n{said}")));
    }
    output.source_url = seen.source_url.or(output.source_url);
    output.say(seen.note);
    output
}

/// An agent may act in one place, or go to an address: it has not asked to read another site that this led to.
async fn may_look(context: &Context, call: &Call, place: Option<SiteOrPage>) -> bool {
    if !context.for_model {
        return true;
    }
    let shown = async { Ok::<_, Fault>(context.tab().await?.info()?.url) }.await;
    let Ok(here) = shown.map(|url| SiteOrPage::of(&url)) else { return false };
    let destinations = call.destinations();
    let mut asked = destinations.iter().filter_map(|typed| context.address(typed).ok());
    place.is_some_and(|place| place == here) || asked.any(|url| SiteOrPage::of(url.as_str()) == here)
}

async fn look(context: &Context, run: Run) -> Result<Output, Fault> {
    let mut context = context.clone();
    if !context.for_model {
        context.reader = Some(LOOKS.to_owned());
    }
    let [spec] = snapshot::COMMANDS;
    run(&context, &Call::of(spec, vec!["-i".to_owned()])?).await
}
