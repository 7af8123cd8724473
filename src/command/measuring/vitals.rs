//! The `vitals` command.
//!
//! Owns the spec and the rating by the published thresholds. The browser measures.

use crate::core::{Context, Output};
use crate::spec::{
    Capability, Category, Class, Everyday, Navigates, Needs, Offered, Spec, TabUse, Verb, Writes, phrase,
};
use gstack_browser::page::Vitals;
use gstack_protocol::fault::Fault;
use serde_json::{Map, Value, json};

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "vitals",
    aliases: &[],
    category: Category::Inspection,
    class: Class::Read,
    parameters: &[],
    flags: &[],
    summary: "Measure the page's Web Vitals: LCP, INP, CLS, TTFB and FCP",
    details: "Covers the current document so far; rates each value as good, needs improvement or poor by the limits \
        of web.dev/vitals. Chrome \
        measures no paint in a tab that was in the background while it loaded, and INP only after input. It ignores \
        interactions shorter than 104 ms, except the first.",
    untrusted: false,
    writes: Writes::Nothing,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Devtools),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[phrase(Verb::Measure, "the page's Web Vitals")],
    output: "NAME  VALUE  good, needs improvement, poor, or not measured, one line each",
    data: "{lcp: unknown, inp: unknown, cls: unknown, ttfb: unknown, fcp: unknown, interactions: number}",
    run: |context, _| Box::pin(vitals(context)),
}];

/// One metric.
struct Vital {
    name: &'static str,
    value: fn(&Vitals) -> Option<f64>,
    /// The upper limit for a good rating.
    good: f64,
    /// Values above this are poor.
    poor: f64,
    /// `None` if it has no unit.
    unit: Option<&'static str>,
}

/// Source: <https://web.dev/articles/defining-core-web-vitals-thresholds>; for TTFB and FCP:
/// <https://web.dev/articles/ttfb> and <https://web.dev/articles/fcp>.
const VITALS: [Vital; 5] = [
    Vital { name: "LCP", value: |vitals| vitals.lcp, good: 2500.0, poor: 4000.0, unit: Some("ms") },
    Vital { name: "INP", value: |vitals| vitals.inp, good: 200.0, poor: 500.0, unit: Some("ms") },
    Vital { name: "CLS", value: |vitals| vitals.cls, good: 0.1, poor: 0.25, unit: None },
    Vital { name: "TTFB", value: |vitals| vitals.ttfb, good: 800.0, poor: 1800.0, unit: Some("ms") },
    Vital { name: "FCP", value: |vitals| vitals.fcp, good: 1800.0, poor: 3000.0, unit: Some("ms") },
];

impl Vital {
    fn rating(&self, value: f64) -> &'static str {
        match value {
            value if value <= self.good => "good",
            value if value <= self.poor => "needs improvement",
            _ => "poor",
        }
    }

    fn line(&self, measured: &Vitals) -> String {
        let Some(value) = (self.value)(measured) else {
            let why = match (self.name, measured.interactions) {
                ("INP", 0) => " (no input yet)",
                ("INP", _) => " (every input was answered within 104 ms)",
                _ => "",
            };
            return format!("{:<4} not measured{why}", self.name);
        };
        let shown = self.unit.map_or_else(|| format!("{value:.3}"), |unit| format!("{value:.0}{unit}"));
        format!("{:<4} {shown:<8} {}", self.name, self.rating(value))
    }

    fn data(&self, measured: &Vitals) -> Value {
        let value = (self.value)(measured);
        json!({ "value": value, "unit": self.unit, "rating": value.map(|value| self.rating(value)) })
    }
}

async fn vitals(context: &Context) -> Result<Output, Fault> {
    let measured = context.page().await?.vitals().await?;
    let lines: Vec<String> = VITALS.iter().map(|vital| vital.line(&measured)).collect();
    let mut data: Map<String, Value> =
        VITALS.iter().map(|vital| (vital.name.to_ascii_lowercase(), vital.data(&measured))).collect();
    data.insert("interactions".to_owned(), json!(measured.interactions));
    Ok(Output::text(lines.join("\n")).data(data))
}

#[cfg(test)]
mod tests {
    use super::{VITALS, Vitals};

    #[test]
    fn each_is_judged_by_its_own_limits_and_what_is_missing_is_said() {
        let measured = Vitals { lcp: Some(2500.0), cls: Some(0.2), ttfb: Some(1800.5), ..Vitals::default() };
        let lines: Vec<String> = VITALS.iter().map(|vital| vital.line(&measured)).collect();
        assert_eq!(
            lines,
            [
                "LCP  2500ms   good",
                "INP  not measured (no input yet)",
                "CLS  0.200    needs improvement",
                "TTFB 1800ms   poor",
                "FCP  not measured"
            ]
        );
        let fast = Vitals { interactions: 3, ..measured };
        assert_eq!(VITALS[1].line(&fast), "INP  not measured (every input was answered within 104 ms)");
        assert_eq!(VITALS[1].data(&fast)["rating"], serde_json::Value::Null);
    }
}
