//! workers, workers-stop, workers-bypass.
//!
//! Owns the words and the bound of the list. The browser reports the service workers of all sites: only those of the page's own
//! origin are listed and stopped, so that a page's agent learns nothing of other sites.

use crate::core::{Arguments, Context, Output, wrong};
use crate::privacy::redaction;
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, NotEveryday, Offered, Spec, TabUse, ValueType, Verb,
    Writes, parameter, phrase,
};
use gstack_base::counted::counted;
use gstack_browser::page::{ServiceWorker, Stopped};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::{Value, json};

/// More are only counted.
const MOST_LINES: usize = 40;

const CLOSED: Everyday = Everyday::Refused(NotEveryday {
    why: "Chrome closes its ServiceWorker domain to extensions",
    instead: "`workers bypass on` works there. To see and stop them, open DevTools, Application, Service workers, or use the browser of \
        `gstack connect`.",
});

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "workers",
        aliases: &["workers-list", "service-workers"],
        category: Category::Inspection,
        class: Class::Read,
        parameters: &[],
        flags: &[],
        summary: "List the service workers of the page's origin",
        details: "Also written `workers list`. The browser reports them within a moment of being asked: the list is complete once it has \
            reported nothing new for 250 ms, after 3 s at most. The number is the one that `workers stop` takes.",
        untrusted: true,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Network),
        everyday: CLOSED,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Read, "the service workers")],
        output: "NUMBER  SCRIPT  STATUS, running or stopped, N clients, scope SCOPE, one line per version",
        data: "{workers: [{number: string, script: string, scope: string, status: string, running: string, clients: number}], leftOut?: number}",
        run: |context, _| Box::pin(list(context)),
    },
    Spec {
        name: "workers-stop",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Act,
        parameters: &[parameter(
            "number",
            false,
            Kind::Text,
            ValueType::Choice,
            "One of `workers`; without it, all of the page's origin that run",
        )],
        flags: &[],
        summary: "Stop a service worker, or all of the page's origin",
        details: "Also written `workers stop`. Waits until they have stopped. What they keep in memory is lost; they stay registered, and \
            the browser starts them again when a page needs them.",
        untrusted: false,
        writes: Writes::Browser,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Network),
        everyday: CLOSED,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Stop, "service worker {number}"), phrase(Verb::Stop, "the service workers")],
        output: "Stopped N service workers",
        data: "{stopped: string[]}",
        run: |context, arguments| Box::pin(stop(context, arguments)),
    },
    Spec {
        name: "workers-bypass",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Act,
        parameters: &[parameter("state", true, Kind::Text, ValueType::Choice, "on or off")],
        flags: &[],
        summary: "Send the tab's requests past service workers to the network",
        details: "Also written `workers bypass on`. Applies to this tab and the tabs it opens until it is turned off, \
            even after navigation. Service workers stay registered and keep running.",
        untrusted: false,
        writes: Writes::Browser,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Network),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Set, "service worker bypass to {state}")],
        output: "Bypassing service workers on, Bypassing service workers off",
        data: "{bypass: boolean}",
        run: |context, arguments| Box::pin(bypass(context, arguments)),
    },
];

async fn list(context: &Context) -> Result<Output, Fault> {
    let page = context.page().await?;
    let Some(workers) = page.service_workers().await? else {
        return Ok(Output::text("(the browser reported no service workers within 3 s)").data(json!({ "workers": [] })));
    };
    if workers.is_empty() {
        return Ok(Output::text("(no service workers)").data(json!({ "workers": [] })));
    }
    let lines: Vec<String> = workers.iter().take(MOST_LINES).map(line).collect();
    let shown: Vec<Value> = workers.iter().take(MOST_LINES).map(fields).collect();
    let left_out = workers.len() - lines.len();
    let mut output = Output::from_page(lines.join("\n"), page.url()?);
    output.say((left_out > 0).then(|| format!("… {left_out} more")));
    Ok(output.data(json!({ "workers": shown, "leftOut": left_out })))
}

fn line(worker: &ServiceWorker) -> String {
    let ServiceWorker { id, script, scope, status, running, clients } = worker;
    let (script, scope) = (redaction::text(script), redaction::text(scope));
    format!("{id}  {script}  {status}, {running}, {}, scope {scope}", counted(*clients, "client"))
}

fn fields(worker: &ServiceWorker) -> Value {
    let ServiceWorker { id, script, scope, status, running, clients } = worker;
    json!({ "number": id, "script": redaction::text(script), "scope": redaction::text(scope), "status": status,
        "running": running, "clients": clients })
}

async fn stop(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let number = arguments.text("number");
    if let Some(typed) = number.as_deref().filter(|typed| typed.parse::<u64>().is_err()) {
        return Err(wrong(format!("{typed:?} is not the number of a service worker")).hint("See them: gstack workers"));
    }
    match context.page().await?.stop_service_workers(number.as_deref()).await? {
        Stopped::NoSuch => Err(Fault::new(
            FaultCode::NotFound,
            format!("the page's origin has no service worker {}", number.unwrap_or_default()),
        )
        .hint("See them: gstack workers")),
        Stopped::These(workers) => {
            let numbers: Vec<&str> = workers.iter().map(|worker| worker.id.as_str()).collect();
            let text = match numbers.len() {
                0 => "No service worker was running".to_owned(),
                count => format!("Stopped {}", counted(count, "service worker")),
            };
            Ok(Output::text(text).data(json!({ "stopped": numbers })))
        }
    }
}

async fn bypass(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let state = arguments.required("state")?;
    let is_on = match state.as_str() {
        "on" => true,
        "off" => false,
        other => return Err(wrong(format!("{other:?} is not a state")).hint("Give on or off.")),
    };
    context.page().await?.bypass_service_workers(is_on).await?;
    Ok(Output::text(format!("Bypassing service workers {state}")).data(json!({ "bypass": is_on })))
}

#[cfg(test)]
mod tests {
    use super::{ServiceWorker, line};
    use crate::core::{Call, everyday};

    #[test]
    fn a_line_has_no_secrets() {
        let worker = ServiceWorker {
            id: "7".to_owned(),
            script: "https://a/sw.js?token=abc".to_owned(),
            scope: "https://a/".to_owned(),
            status: "activated".to_owned(),
            running: "running".to_owned(),
            clients: 1,
        };
        assert_eq!(
            line(&worker),
            "7  https://a/sw.js?token=[redacted]  activated, running, 1 client, scope https://a/"
        );
    }

    #[test]
    fn an_everyday_browser_goes_past_them_and_says_that_it_does_not_list_them() {
        let check = |name: &str, words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            everyday::check(&Call::parse(name, &words).unwrap())
        };
        assert!(check("workers", &["bypass", "on"]).is_ok());
        for (name, words) in
            [("workers", &[][..]), ("workers", &["list"]), ("workers", &["stop"]), ("workers-stop", &["3"])]
        {
            let fault = check(name, words).unwrap_err();
            assert!(fault.message.contains("ServiceWorker"), "{}", fault.message);
            assert!(fault.hint.unwrap().contains("workers bypass on"));
        }
    }
}
