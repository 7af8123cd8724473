//! sign-in, sign-ins.
//!
//! Owns the order: the origin first, then the fields, then the secrets, each only if there is a field for it. A secret
//! is never in a text of this file's.

use crate::core::{Arguments, Context, Output};
use crate::spec::{
    Category, Class, Everyday, Kind, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, Writes, parameter,
    phrase, switch,
};
use gstack_base::filled_secrets;
use gstack_browser::page::{SignInField, SignInRefusal, SignInSelectors, SignInValues};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::sign_in::SavedSignIn;
use serde_json::json;
use std::time::Duration;
use url::Url;

/// A code is worthless long before.
const CODE_LASTS: Duration = Duration::from_secs(600);

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "sign-in",
        aliases: &[],
        category: Category::Interaction,
        class: Class::SignIn,
        parameters: &[parameter("name", true, Kind::Text, ValueType::Choice, "One of `sign-ins`")],
        flags: &[switch("--submit", ValueType::Choice, "Submit the form afterwards")],
        summary: "Fill in a sign-in that the person saved, without showing its secrets",
        details: "Fills the fields that the page has: the user name, the password, the one-time code. On a page that asks \
            for them one after the other, call it on each. Works only on the origin that the sign-in is saved for.",
        untrusted: false,
        writes: Writes::Page,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::SignIn, "as {name}")],
        output: "Filled in the user name and the password of NAME",
        data: "{filled: string[], submitted: boolean}",
        run: |context, arguments| Box::pin(sign_in(context, arguments)),
    },
    Spec {
        name: "sign-ins",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Read,
        parameters: &[],
        flags: &[],
        summary: "List the sign-ins that the person saved, without secrets",
        details: "A model sees the user name only of sign-ins for the page's own origin.",
        untrusted: false,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Read, "the saved sign-ins")],
        output: "NAME at ORIGIN, with the user for the page's own origin; or: (no sign-in is saved)",
        data: "{signIns: [{name: string, origin: string, user?: string}]}",
        run: |context, _| Box::pin(list(context)),
    },
];

async fn list(context: &Context) -> Result<Output, Fault> {
    let here = context.page().await.ok().and_then(|page| page.url().ok()).and_then(|url| origin_of(&url));
    let known = context.sign_ins.list().await?;
    let told = |saved: &SavedSignIn| !context.for_model || here.as_ref() == Some(&saved.origin);
    if known.is_empty() {
        return Ok(Output::text("(no sign-in is saved)").data(json!({ "signIns": [] })));
    }
    let line = |saved: &SavedSignIn| match told(saved) {
        true => format!("{}  {} at {}", saved.name, saved.user, saved.origin),
        false => format!("{}  at {}", saved.name, saved.origin),
    };
    let fields = |saved: &SavedSignIn| match told(saved) {
        true => json!({ "name": saved.name, "origin": saved.origin, "user": saved.user }),
        false => json!({ "name": saved.name, "origin": saved.origin }),
    };
    let text = known.iter().map(line).collect::<Vec<_>>().join("\n");
    Ok(Output::text(text).data(json!({ "signIns": known.iter().map(fields).collect::<Vec<_>>() })))
}

async fn sign_in(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let name = arguments.required("name")?;
    let submit = arguments.has("--submit");
    let chosen = context.sign_ins.find(&name).await?;
    let about = chosen.described();
    let page = context.page().await?;
    check_origin(&about, &page.url()?)?;
    let fields = chosen.fields();
    let given = SignInSelectors { user: fields.user, password: fields.password, code: fields.code };
    let form = page.sign_in_form(&about.origin, &given).await?;
    if !form.is_here() {
        return Err(refused(&about, SignInRefusal::Origin, None));
    }
    if form.several().is_some() {
        return Err(refused(&about, SignInRefusal::Several, None));
    }
    let code = if form.has(SignInField::Code) { chosen.code().await? } else { None };
    if !form.has(SignInField::User) && !form.has(SignInField::Password) && code.is_none() {
        return Err(Fault::new(FaultCode::Element, "the page has no sign-in field")
            .hint("Open its sign-in form first. If it has one, the person can name the fields: gstack help auth"));
    }
    let password = if form.has(SignInField::Password) { Some(chosen.password().await?) } else { None };
    // Before they are sent: whatever comes back from here on must not show them.
    if let Some(password) = &password {
        filled_secrets::remember(password.reveal(), None);
    }
    if let Some(code) = &code {
        filled_secrets::remember(code.reveal(), Some(CODE_LASTS));
    }
    let values = SignInValues {
        user: &about.user,
        password: password.as_ref().map(|secret| secret.reveal()),
        code: code.as_ref().map(|secret| secret.reveal()),
    };
    let done = page.fill_sign_in(&form, &about.origin, &given, &values, submit).await?;
    if let Some(why) = done.refused {
        return Err(refused(&about, why, done.elsewhere.as_deref()));
    }
    let filled: Vec<&str> = done.filled.iter().map(|field| words(*field)).collect();
    let mut text = format!("Filled in {} of {name}", joined(&filled));
    match (submit, done.submitted) {
        (true, true) => text.push_str(" and submitted the form"),
        (true, false) => {
            text.push_str(". Nothing was submitted: the fields are in no form, or the form does not accept a value")
        }
        (false, _) => {}
    }
    let kinds: Vec<&str> = done.filled.iter().map(|field| kind(*field)).collect();
    Ok(Output::text(text).data(json!({ "filled": kinds, "submitted": done.submitted })))
}

/// Fails unless the tab shows the origin of the sign-in. `url`: the tab's address.
pub fn check_origin(about: &SavedSignIn, url: &str) -> Result<(), Fault> {
    let shown = origin_of(url).unwrap_or_else(|| "a page without an origin".to_owned());
    if shown == about.origin {
        return Ok(());
    }
    let message =
        format!("the tab shows {shown}, and {} is for {} only: nothing was filled in", about.name, about.origin);
    Err(Fault::new(FaultCode::Forbidden, message).hint(format!("Open {} first.", about.origin)))
}

fn origin_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    // `blob:https://…` has the origin of its creator, but it is not a page of it.
    matches!(url.scheme(), "http" | "https").then(|| url.origin().ascii_serialization())
}

fn refused(about: &SavedSignIn, why: SignInRefusal, elsewhere: Option<&str>) -> Fault {
    let SavedSignIn { name, origin, .. } = about;
    match why {
        SignInRefusal::Origin => {
            let message = format!("the document is not one of {origin}, or a page of another origin is around it");
            Fault::new(FaultCode::Forbidden, message).hint(format!("{name} is filled in on {origin} only."))
        }
        SignInRefusal::Several => {
            Fault::new(FaultCode::Element, "the page has several fields that could be the sign-in's")
                .hint("The person can name the fields when saving: gstack help auth save")
        }
        SignInRefusal::Destination => {
            let to = elsewhere.unwrap_or("another origin");
            Fault::new(FaultCode::Forbidden, format!("the form sends what is filled in to {to}, not to {origin}"))
                .hint("The person can sign in themselves: gstack handoff")
        }
        SignInRefusal::Changed => Fault::new(
            FaultCode::Element,
            "the page changed its form while gstack was filling it in, so not every field is filled in",
        )
        .hint("Look at the page, then call it again."),
    }
}

fn words(field: SignInField) -> &'static str {
    match field {
        SignInField::User => "the user name",
        SignInField::Password => "the password",
        SignInField::Code => "the one-time code",
    }
}

fn kind(field: SignInField) -> &'static str {
    match field {
        SignInField::User => "user",
        SignInField::Password => "password",
        SignInField::Code => "code",
    }
}

fn joined(words: &[&str]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [only] => (*only).to_owned(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{check_origin, joined};
    use gstack_protocol::sign_in::SavedSignIn;

    #[test]
    fn only_the_very_origin_will_do() {
        let about = SavedSignIn {
            name: "ada@shop".to_owned(),
            origin: "https://shop.example".to_owned(),
            user: "ada".to_owned(),
            provider: None,
            totp: false,
        };
        for url in ["https://shop.example/", "https://shop.example:443/login?x#y"] {
            assert!(check_origin(&about, url).is_ok(), "{url}");
        }
        for url in [
            "http://shop.example/",
            "https://shop.example:8443/",
            "https://www.shop.example/",
            "https://shop.example.evil.example/",
            "https://shop.example@evil.example/",
            "https://xn--shp-tna.example/",
            "blob:https://shop.example/1",
            "data:text/html,https://shop.example",
            "about:blank",
            "view-source:https://shop.example/",
            "",
        ] {
            assert!(check_origin(&about, url).is_err(), "{url}");
        }
        assert_eq!(joined(&["a", "b", "c"]), "a, b and c");
    }
}
