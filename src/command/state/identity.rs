//! The `header` and `useragent` commands.

use crate::core::{Arguments, Context, Output, wrong};
use crate::privacy::secrets;
use crate::spec::{
    Capability, Category, Class, Everyday, Kind, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, Writes,
    parameter, phrase,
};
use gstack_protocol::fault::Fault;

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "header",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Secret,
        parameters: &[parameter("name:value", true, Kind::Rest, ValueType::Secret, "The header: X-Debug: 1")],
        flags: &[],
        summary: "Send a header with every request from the tab",
        details: "Adds to the headers that are already set; a header of the same name is replaced.",
        untrusted: false,
        writes: Writes::Browser,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Emulation),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Set, "a request header")],
        output: "Header set: name: value, **** for sensitive names",
        data: "",
        run: |context, arguments| Box::pin(header(context, arguments)),
    },
    Spec {
        name: "useragent",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[parameter("string", true, Kind::Rest, ValueType::Secret, "The new user agent")],
        flags: &[],
        summary: "Set the tab's user agent",
        details: "Applies from the next request, with the client hints that belong to it. `emulate reset` undoes it.",
        untrusted: false,
        writes: Writes::Browser,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Emulation),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Set, "the user agent")],
        output: "User agent set: …",
        data: "",
        run: |context, arguments| Box::pin(useragent(context, arguments)),
    },
];

async fn header(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let given = arguments.required("name:value")?;
    let parts = given.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
    let Some((name, value)) = parts.filter(|(name, value)| is_name(name) && is_value(value)) else {
        return Err(wrong("write the header as name: value, on one line"));
    };
    context.page().await?.set_header(name, value).await?;
    let shown = if is_sensitive(name) || secrets::is_secret_value(value) { "****" } else { value };
    Ok(Output::text(format!("Header set: {name}: {shown}")))
}

/// Whether this is a token (RFC 9110, 5.6.2).
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

pub(crate) fn is_value(value: &str) -> bool {
    !value.chars().any(char::is_control)
}

pub(crate) fn is_sensitive(name: &str) -> bool {
    name.to_ascii_lowercase().contains("cookie") || secrets::is_secret_name(name)
}

async fn useragent(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let user_agent = arguments.required("string")?;
    if !is_value(&user_agent) || user_agent.trim().is_empty() {
        return Err(wrong("a user agent is one line of text"));
    }
    context.page().await?.set_user_agent(Some(&user_agent)).await?;
    Ok(Output::text(format!("User agent set: {user_agent}")))
}

#[cfg(test)]
mod tests {
    use super::{is_name, is_sensitive, is_value};

    #[test]
    fn headers_are_whole_and_their_secrets_known() {
        assert!(is_name("X-Debug") && !is_name("X Debug") && !is_name(""));
        assert!(is_value("a b") && !is_value("a\r\nX: y"));
        for name in ["Authorization", "Cookie", "X-Api-Key", "x-auth-token", "Proxy-Authorization", "Set-Cookie"] {
            assert!(is_sensitive(name), "{name}");
        }
        assert!(!is_sensitive("Accept-Language"));
    }
}
