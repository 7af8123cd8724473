//! The `accessibility`, `media`, `data` and `perf` commands.

use super::text::pretty;
use crate::core::{Context, Output};
use crate::spec::{
    Capability, Category, Class, Everyday, Navigates, Needs, Offered, Spec, TabUse, Verb, Writes, phrase,
};
use gstack_base::counted::counted;
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::{Map, Value};

pub(crate) const READING: &[Spec] = &[
    Spec {
        name: "accessibility",
        aliases: &["ax"],
        category: Category::Reading,
        class: Class::Read,
        parameters: &[],
        flags: &[],
        summary: "Print the browser's full accessibility tree",
        details: "To act on elements, use snapshot: it gives refs.\nThe browser leaves out what is off-screen under \
            `content-visibility: auto`: the output says how many parts.",
        untrusted: true,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Reading),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Read, "the accessibility tree")],
        output: "role \"name\" [properties]: value, one line per node, indented",
        data: "",
        run: |context, _| Box::pin(accessibility(context)),
    },
    Spec {
        name: "media",
        aliases: &[],
        category: Category::Reading,
        class: Class::Read,
        parameters: &[],
        flags: &[],
        summary: "List the page's images, videos and sounds with their URLs and sizes",
        details: "",
        untrusted: true,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Reading),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Read, "the media")],
        output: "JSON",
        data: "{images: [{src?: string, alt?: string, width: number, height: number, naturalWidth: number, naturalHeight: number, visible: boolean}], videos: [{src?: string, …}], audios: [{src?: string, …}]}",
        run: |context, _| Box::pin(media(context)),
    },
    Spec {
        name: "data",
        aliases: &[],
        category: Category::Reading,
        class: Class::Read,
        parameters: &[],
        flags: &[],
        summary: "Print the page's structured data: JSON-LD, Open Graph, Twitter, meta",
        details: "",
        untrusted: true,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Reading),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Read, "the structured data")],
        output: "JSON",
        data: "{title: string, language?: string, canonical?: string, jsonLd: unknown[], openGraph: unknown, twitter: unknown, meta: unknown}",
        run: |context, _| Box::pin(data(context)),
    },
];

pub(crate) const INSPECTION: &[Spec] = &[Spec {
    name: "perf",
    aliases: &[],
    category: Category::Inspection,
    class: Class::Read,
    parameters: &[],
    flags: &[],
    summary: "Print how long each phase of the page load took",
    details: "",
    untrusted: false,
    writes: Writes::Nothing,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Reading),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[phrase(Verb::Measure, "how fast the page loads")],
    output: "name         Nms, one line per phase",
    data: "{[phase]: number}",
    run: |context, _| Box::pin(perf(context)),
}];

async fn accessibility(context: &Context) -> Result<Output, Fault> {
    let page = context.page().await?;
    let mut output = Output::from_page(page.accessibility().await?, page.url()?);
    let skipped = page.skipped_parts().await?;
    output.say((skipped > 0).then(|| {
        format!(
            "… not in it: {} off-screen (content-visibility: auto); `snapshot` and `text` have them",
            counted(skipped, "part")
        )
    }));
    Ok(output)
}

async fn media(context: &Context) -> Result<Output, Fault> {
    let page = context.page().await?;
    let media = page.media().await?;
    Ok(Output::from_page(pretty(&media)?, page.url()?).data(media))
}

async fn data(context: &Context) -> Result<Output, Fault> {
    let page = context.page().await?;
    let data = page.structured_data().await?;
    Ok(Output::from_page(pretty(&data)?, page.url()?).data(data))
}

async fn perf(context: &Context) -> Result<Output, Fault> {
    let phases = context.page().await?.timing().await?;
    if phases.is_empty() {
        return Err(Fault::new(FaultCode::Conflict, "this document was not loaded by a navigation")
            .hint("Open an address first: gstack goto <url>"));
    }
    let lines: Vec<String> = phases.iter().map(|(name, millis)| format!("{name:<12} {millis}ms")).collect();
    let data: Map<String, Value> = phases.into_iter().map(|(name, millis)| (name, Value::from(millis))).collect();
    Ok(Output::text(lines.join("\n")).data(data))
}
