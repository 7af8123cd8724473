//! The `offline` and `throttle` commands.

use crate::core::{Arguments, Context, Output, wrong};
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, Writes,
    parameter, phrase,
};
use gstack_protocol::fault::Fault;
use serde_json::json;

/// A slower page looks as if it hangs.
const SLOWEST_CPU: f64 = 20.0;

/// One network speed, as defined by Chrome DevTools.
struct Speed {
    name: &'static str,
    /// In milliseconds.
    latency: f64,
    /// In bytes per second.
    down: f64,
    up: f64,
}

const SPEEDS: [Speed; 3] = [
    Speed { name: "slow-3g", latency: 2000.0, down: 50_000.0, up: 50_000.0 },
    Speed { name: "3g", latency: 562.5, down: 180_000.0, up: 84_375.0 },
    Speed { name: "4g", latency: 165.0, down: 1_012_500.0, up: 168_750.0 },
];

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "offline",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Act,
        parameters: &[parameter("state", true, Kind::Text, ValueType::Choice, "on or off")],
        flags: &[],
        summary: "Take the tab offline, or back online",
        details: "Applies in this tab until it is turned off, even after navigation. `throttle` speeds stay as they \
            are.",
        untrusted: false,
        writes: Writes::Browser,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Network),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Set, "offline mode to {state}")],
        output: "Offline on, Offline off",
        data: "{offline: boolean}",
        run: |context, arguments| Box::pin(offline(context, arguments)),
    },
    Spec {
        name: "throttle",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Act,
        parameters: &[
            parameter("what", true, Kind::Text, ValueType::Choice, "slow-3g, 3g, 4g, off, or cpu"),
            parameter("times", false, Kind::Text, ValueType::Choice, "cpu: how many times slower, up to 20; 1 is off"),
        ],
        flags: &[],
        summary: "Slow down the tab's network, or its CPU",
        details: "Applies in this tab until `throttle off`, which ends both, even after navigation. Speeds are those \
            of Chrome's DevTools.",
        untrusted: false,
        writes: Writes::Browser,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Network),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Slow, "the page to {what}")],
        output: "Network: 3g, CPU: 4 times slower, Throttling off",
        data: "{network?: string | null, cpu?: number, latency?: number, down?: number, up?: number}",
        run: |context, arguments| Box::pin(throttle(context, arguments)),
    },
];

async fn offline(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let state = arguments.required("state")?;
    let is_offline = match state.as_str() {
        "on" => true,
        "off" => false,
        other => return Err(wrong(format!("{other:?} is not a state")).hint("Give on or off.")),
    };
    context.page().await?.set_offline(is_offline).await?;
    Ok(Output::text(format!("Offline {state}")).data(json!({ "offline": is_offline })))
}

async fn throttle(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let what = arguments.required("what")?;
    let times = arguments.text("times");
    let page = context.page().await?;
    if what == "cpu" {
        let given = times.ok_or_else(|| wrong("throttle cpu needs a number").hint("For example: throttle cpu 4"))?;
        let rate: f64 = arguments.number("times", given.trim_end_matches(['x', '×']))?;
        if !(1.0..=SLOWEST_CPU).contains(&rate) {
            return Err(wrong(format!("the CPU can't be {given} times slower")).hint("Give a number from 1 to 20."));
        }
        page.slow_cpu(rate).await?;
        return Ok(Output::text(format!("CPU: {rate} times slower")).data(json!({ "cpu": rate })));
    }
    if let Some(extra) = times {
        return Err(
            wrong(format!("throttle {what} does not take {extra:?}")).hint("Only cpu takes a number: throttle cpu 4")
        );
    }
    if what == "off" {
        page.set_speed(None).await?;
        page.slow_cpu(1.0).await?;
        return Ok(Output::text("Throttling off").data(json!({ "network": null, "cpu": 1 })));
    }
    let speed = SPEEDS.iter().find(|speed| speed.name == what);
    let speed =
        speed.ok_or_else(|| wrong(format!("{what:?} is not a speed")).hint("Give slow-3g, 3g, 4g, off, or cpu N."))?;
    page.set_speed(Some((speed.latency, speed.down, speed.up))).await?;
    let data = json!({ "network": what, "latency": speed.latency, "down": speed.down, "up": speed.up });
    Ok(Output::text(format!("Network: {what}")).data(data))
}
