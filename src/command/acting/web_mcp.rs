//! webmcp-list, webmcp-call.
//!
//! Owns the words. What a tool is, and that it may be called, its page and the policy say: nothing here believes an annotation.

use super::tool_input::input_of;
use crate::core::{Arguments, Context, Output};
use crate::spec::{
    Category, Class, Everyday, Kind, Navigates, Needs, Offered, Spec, TIMEOUT, TabUse, ValueType, Verb, Writes, flag,
    parameter, phrase,
};
use gstack_base::counted::counted;
use gstack_browser::page::{PageTool, PageTools, ToolChoice, ToolOutcome, choose};
use gstack_protocol::fault::{Fault, FaultCode, PageWords};
use serde_json::{Value, json};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(30);
/// More are only counted.
const MOST_TOOLS: usize = 50;

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "webmcp-list",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Read,
        parameters: &[],
        flags: &[],
        summary: "List the tools that the page offers to agents (WebMCP)",
        details: "Also written `webmcp list`. What a tool says about itself is the page's claim.",
        untrusted: true,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Read, "the page's tools")],
        output: "NAME  what the page says about it, the JSON schema of its input, its claims; or: (the page offers no tools)",
        data: "{tools: [{name: string, description: string, inputSchema: unknown, …}], leftOut?: number}",
        run: |context, _| Box::pin(list(context)),
    },
    Spec {
        name: "webmcp-call",
        aliases: &["webmcp-invoke"],
        category: Category::Interaction,
        class: Class::PageTool,
        parameters: &[
            parameter("tool", true, Kind::Text, ValueType::Choice, "One of `webmcp list`"),
            parameter("input", false, Kind::Text, ValueType::Secret, "Its input, a JSON object: '{\"a\":1}'"),
        ],
        flags: &[
            flag("--site", "HOST", ValueType::Choice, "The site, if frames of several sites offer a tool of this name"),
            TIMEOUT,
        ],
        summary: "Call a tool that the page offers",
        details: "Also written `webmcp call`. The page's script runs and may do anything that the page can. A form is \
            filled in; if the page leaves submitting to a person, the output says so. Without an answer within 30 s \
            the call is cancelled.",
        untrusted: true,
        writes: Writes::Page,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Use, "the page's tool {tool}")],
        output: "What the tool answers: its text, or JSON",
        data: "{tool: string, submitted: boolean} | {tool: string, output: unknown}",
        run: |context, arguments| Box::pin(call(context, arguments)),
    },
];

async fn list(context: &Context) -> Result<Output, Fault> {
    let page = context.page().await?;
    let tools = match page.page_tools().await? {
        PageTools::Offered(tools) => tools,
        PageTools::Insecure => {
            let mut none = Output::text("(the page offers no tools)");
            none.say(Some("Only pages from https and from this machine can offer tools.".to_owned()));
            return Ok(none.data(json!({ "tools": [] })));
        }
        PageTools::Off => return Err(off(context)),
    };
    if tools.is_empty() {
        return Ok(Output::text("(the page offers no tools)").data(json!({ "tools": [] })));
    }
    let url = page.url()?;
    let shown = tools.get(..MOST_TOOLS).unwrap_or(&tools);
    let lines: Vec<String> = shown.iter().map(|tool| lines(tool, &url)).collect();
    let mut output = Output::from_page(lines.join("\n"), url);
    let left_out = tools.len() - shown.len();
    output.say((left_out > 0).then(|| format!("… {} more", counted(left_out, "tool"))));
    Ok(output.data(json!({ "tools": shown.iter().map(fields).collect::<Vec<_>>(), "leftOut": left_out })))
}

fn lines(tool: &PageTool, page: &str) -> String {
    let PageTool { name, description, schema, .. } = tool;
    let mut lines = vec![format!("{name}  {}", description.split_whitespace().collect::<Vec<_>>().join(" "))];
    lines.push(format!("  input: {schema}"));
    let claims = claims(tool);
    if !claims.is_empty() {
        lines.push(format!("  the page claims: {}", claims.join(", ")));
    }
    if tool.url != page {
        lines.push(format!("  of the frame {}", tool.url));
    }
    lines.join("\n")
}

/// Describes the page's claims about its tool.
pub fn claims(tool: &PageTool) -> Vec<&'static str> {
    let said = tool.annotations;
    let claims = [
        (said.read_only, "it only reads"),
        (said.consequential, "it has consequences"),
        (said.untrusted_content, "it answers with content of others"),
        (said.debugging, "it is for debugging"),
        (tool.is_form && said.autosubmit, "it is a form, which the call submits"),
        (tool.is_form && !said.autosubmit, "it is a form, which a person submits"),
    ];
    claims.into_iter().filter_map(|(holds, words)| holds.then_some(words)).collect()
}

fn fields(tool: &PageTool) -> Value {
    json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.schema, "annotations": tool.annotations,
        "form": tool.is_form, "site": tool.site(), "url": tool.url })
}

fn off(context: &Context) -> Fault {
    let hint = match context.browser.is_relayed() {
        true => {
            "Turn on chrome://flags/#enable-webmcp-testing and start that browser again, or use the browser of `gstack connect`."
        }
        false => "Start it with --enable-features=WebMCPTesting, or use the browser of `gstack connect`.",
    };
    Fault::new(FaultCode::Conflict, "this browser does not let pages offer tools: WebMCP is off").hint(hint)
}

async fn call(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let name = arguments.text("tool").unwrap_or_default();
    let page = context.page().await?;
    let tools = match page.page_tools().await? {
        PageTools::Offered(tools) => tools,
        PageTools::Insecure => Vec::new(),
        PageTools::Off => return Err(off(context)),
    };
    let tool = chosen(&tools, &name, arguments.value("--site"))?;
    let input = input_of(tool, arguments.text("input").as_deref())?;
    let outcome = page.call_tool(tool, input, arguments.timeout(LIMIT)?).await?;
    let answer = match outcome {
        ToolOutcome::Answered(answer) => answer,
        ToolOutcome::FilledIn => {
            let said =
                format!("Filled in the form of {name}. Its page leaves submitting it to a person: it is not sent.");
            return Ok(Output::text(said).data(json!({ "tool": name, "submitted": false })));
        }
        ToolOutcome::Submitted => {
            let said =
                format!("Submitted the form of {name}, which led to another page. Read that page for the outcome.");
            return Ok(Output::text(said).data(json!({ "tool": name, "submitted": true })));
        }
        ToolOutcome::Failed(words) => {
            let ours = format!("The page's tool {name} failed:");
            return Err(Fault::new(FaultCode::Script, format!("{ours} {words}"))
                .page_words(Some(PageWords { ours, theirs: words })));
        }
        ToolOutcome::Cancelled => {
            return Err(Fault::new(FaultCode::Script, format!("the page cancelled the call of its tool {name}")));
        }
    };
    let url = tool.url.clone();
    Ok(Output::from_page(text(&answer), url).data(json!({ "tool": name, "output": answer })))
}

/// Finds the tool, or says which there are.
pub fn chosen<'a>(tools: &'a [PageTool], name: &str, on: Option<&str>) -> Result<&'a PageTool, Fault> {
    match choose(tools, name, on) {
        ToolChoice::One(tool) => Ok(tool),
        ToolChoice::Missing => Err(Fault::new(FaultCode::NotFound, format!("the page offers no tool {name:?}"))
            .hint("`webmcp list` lists its tools.")),
        ToolChoice::Several(found) => {
            let sites: Vec<String> = found.iter().map(|tool| tool.site().unwrap_or_else(|| tool.url.clone())).collect();
            let message = format!("{} of this page offer a tool {name:?}", counted(found.len(), "document"));
            Err(Fault::new(FaultCode::Conflict, message)
                .hint(format!("Name one with --site, if their sites differ: {}", sites.join(", "))))
        }
    }
}

/// Returns the text parts of an answer in MCP's form, a text as it is, and JSON otherwise.
fn text(answer: &Value) -> String {
    let parts = answer["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
    if !texts.is_empty() && texts.len() == parts.len() {
        return texts.join("\n");
    }
    answer.as_str().map_or_else(|| answer.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::text;
    use serde_json::json;

    #[test]
    fn an_answer_is_told_as_text_where_it_is_text_alone() {
        let of = |kind: &str, text: &str| json!({ "type": kind, "text": text });
        assert_eq!(text(&json!({ "content": [of("text", "3"), of("text", "4")] })), "3\n4");
        assert_eq!(text(&json!("three")), "three");
        let picture = json!({ "content": [of("text", "3"), { "type": "image", "data": "x" }] });
        assert_eq!(text(&picture), picture.to_string());
        assert_eq!(text(&json!({ "sum": 3 })), "{\"sum\":3}");
    }
}
