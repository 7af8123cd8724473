//! Emulates a tab's environment: screen, touch, user agent, language, time zone, location, media.
//!
//! Owns the DevTools command for each, and how it is reset. The values are stored in `browser::overrides`: they apply
//! to frames, workers and popups too, and end with the tab. Never decides what may be set.

use super::client_hints::{client_hints, platform};
use crate::cdp::CdpError;
use crate::devtools::runtime::EvaluateParams;
use crate::devtools_session::Session;
use crate::error::BrowserError;
use crate::page::error::PageError;
use crate::page::page::{Page, SCRIPT_LIMIT};
use gstack_protocol::ids::TabId;
use serde_json::{Map, Value, json};

pub(super) const METRICS: &str = "Emulation.setDeviceMetricsOverride";
const TOUCH: &str = "Emulation.setTouchEmulationEnabled";
const IDENTITY: &str = "Emulation.setUserAgentOverride";
const PLACE: &str = "Emulation.setGeolocationOverride";
const TIMEZONE: &str = "Emulation.setTimezoneOverride";
const LOCALE: &str = "Emulation.setLocaleOverride";
const MEDIA: &str = "Emulation.setEmulatedMedia";

/// A setting that all tabs of one renderer process share.
struct OfProcess {
    method: &'static str,
    parameter: &'static str,
    what: &'static str,
    command: &'static str,
    /// An expression for the value in force.
    now: &'static str,
}

impl OfProcess {
    fn held_by(&self, tab: TabId, value: String) -> PageError {
        PageError::HeldByTab { tab, what: self.what, value, command: self.command }
    }
    /// Returns what is in force in a page.
    async fn now(&self, page: &Session) -> Result<Value, PageError> {
        let reply = page.call_within(EvaluateParams::new(self.now), SCRIPT_LIMIT).await?;
        Ok(reply.result.value.and_then(|value| serde_json::from_str(value.get()).ok()).unwrap_or_default())
    }
}

const ZONE_OF_PROCESS: OfProcess = OfProcess {
    method: TIMEZONE,
    parameter: "timezoneId",
    what: "the time zone",
    command: "emulate timezone",
    now: "Intl.DateTimeFormat().resolvedOptions().timeZone",
};
const LOCALE_OF_PROCESS: OfProcess = OfProcess {
    method: LOCALE,
    parameter: "locale",
    what: "the locale",
    command: "emulate locale",
    now: "Intl.DateTimeFormat().resolvedOptions().locale",
};

/// An emulated screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Screen {
    /// In CSS pixels, as the page sees it.
    pub viewport: (u32, u32),
    /// The size of the screen; `None`: the same as the viewport.
    pub screen: Option<(u32, u32)>,
    /// Device pixels per CSS pixel; 0: the real ratio.
    pub scale: f64,
    /// Honors `<meta name=viewport>`, with overlay scrollbars.
    pub mobile: bool,
}

impl Screen {
    /// Returns the parameters of [`METRICS`].
    pub(super) fn metrics(&self) -> Value {
        let (width, height) = self.viewport;
        let mut params =
            json!({ "width": width, "height": height, "deviceScaleFactor": self.scale, "mobile": self.mobile });
        if let Some((width, height)) = self.screen {
            params["screenWidth"] = json!(width);
            params["screenHeight"] = json!(height);
        }
        if self.mobile {
            params["screenOrientation"] = match width > height {
                true => json!({ "type": "landscapePrimary", "angle": 90 }),
                false => json!({ "type": "portraitPrimary", "angle": 0 }),
            };
        }
        params
    }
}

/// A geolocation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Locality {
    pub latitude: f64,
    pub longitude: f64,
    /// In meters.
    pub accuracy: f64,
}

/// The emulation that is set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surroundings {
    pub screen: Option<Screen>,
    pub touch: bool,
    pub user_agent: Option<String>,
    pub place: Option<Locality>,
    pub timezone: Option<String>,
    pub locale: Option<String>,
    /// `print` or `screen`.
    pub media: Option<String>,
    /// Media features such as `prefers-color-scheme`, with their values.
    pub features: Vec<(String, String)>,
}

impl Page {
    /// Emulates a screen; `None`: the real window.
    pub async fn set_screen(&self, screen: Option<Screen>) -> Result<(), PageError> {
        let Some(screen) = screen else {
            return Ok(self.clear_override(METRICS, "Emulation.clearDeviceMetricsOverride", json!({})).await?);
        };
        Ok(self.set_override(METRICS, screen.metrics()).await?)
    }

    /// Turns touch events on or off.
    pub async fn set_touch(&self, touch: bool) -> Result<(), PageError> {
        match touch {
            true => self.set_override(TOUCH, json!({ "enabled": true })).await?,
            false => self.clear_override(TOUCH, TOUCH, json!({ "enabled": false })).await?,
        }
        Ok(())
    }

    /// Sets the user agent from the next request on, with matching client hints and platform; `None`: the browser's
    /// own.
    pub async fn set_user_agent(&self, user_agent: Option<&str>) -> Result<(), PageError> {
        let mut params = self.identity();
        for name in ["userAgent", "platform", "userAgentMetadata"] {
            params.remove(name);
        }
        if let Some(user_agent) = user_agent {
            params.insert("userAgent".to_owned(), json!(user_agent));
            params.extend(platform(user_agent).map(|platform| ("platform".to_owned(), json!(platform))));
            params.extend(client_hints(user_agent).map(|hints| ("userAgentMetadata".to_owned(), hints)));
        }
        self.set_identity(params).await
    }

    fn identity(&self) -> Map<String, Value> {
        self.kept(IDENTITY).and_then(|kept| kept.as_object().cloned()).unwrap_or_default()
    }

    async fn set_identity(&self, mut params: Map<String, Value>) -> Result<(), PageError> {
        let has_agent = params.get("userAgent").is_some_and(|agent| agent != "");
        if !has_agent && !params.contains_key("acceptLanguage") {
            return Ok(self.clear_override(IDENTITY, IDENTITY, json!({ "userAgent": "" })).await?);
        }
        params.entry("userAgent").or_insert(json!(""));
        Ok(self.set_override(IDENTITY, Value::Object(params)).await?)
    }

    /// Sets the locale of dates and numbers, `Accept-Language` and `navigator.language`; `None`: the browser's own.
    pub async fn set_locale(&self, locale: Option<&str>) -> Result<(), PageError> {
        self.set_of_process(&LOCALE_OF_PROCESS, locale).await?;
        let mut params = self.identity();
        match locale {
            Some(locale) => params.insert("acceptLanguage".to_owned(), json!(locale)),
            None => params.remove("acceptLanguage"),
        };
        self.set_identity(params).await
    }

    /// Sets the time zone by name, such as `Europe/Berlin`; `None`: the machine's own.
    pub async fn set_timezone(&self, zone: Option<&str>) -> Result<(), PageError> {
        self.set_of_process(&ZONE_OF_PROCESS, zone).await
    }

    /// Sets what the browser keeps once for each process. Fails if a tab of the same process has set another value.
    async fn set_of_process(&self, kind: &OfProcess, value: Option<&str>) -> Result<(), PageError> {
        let params = json!({ kind.parameter: value.unwrap_or_default() });
        let held = self.held_elsewhere(kind).await?;
        let Some(value) = value else {
            if let Some((tab, held)) = held {
                return Err(kind.held_by(tab, held));
            }
            self.clear_override(kind.method, kind.method, params).await?;
            self.share_override(kind.method, None);
            return Ok(());
        };
        // The browser accepts a time zone that another tab has set, and refuses such a locale.
        let is_same = held.as_ref().is_some_and(|(_, held)| held == value);
        match (self.set_override(kind.method, params.clone()).await, held) {
            (Ok(()) | Err(BrowserError::Cdp(CdpError::Protocol { .. })), _) if is_same => {
                Ok(self.wait_with(kind.method, params)?)
            }
            (Ok(()), _) => {
                self.share_override(kind.method, Some(&params));
                Ok(())
            }
            (Err(BrowserError::Cdp(CdpError::Protocol { .. })), Some((tab, held))) => Err(kind.held_by(tab, held)),
            (Err(error), _) => Err(refused(error, format!("{} {value}", kind.what))),
        }
    }

    /// Returns the tab whose value applies here too, and the value. `None` if this tab's own applies.
    async fn held_elsewhere(&self, kind: &OfProcess) -> Result<Option<(TabId, String)>, PageError> {
        let Some((tab, params)) = self.holder_of(kind.method) else { return Ok(None) };
        let held = params[kind.parameter].as_str().unwrap_or_default().to_owned();
        let is_shared = match self.kept(kind.method) {
            Some(_) => self.waits_with(kind.method),
            None => {
                // The browser may call it by another name.
                let there = match self.browser().tab(tab)?.page() {
                    Ok(page) => kind.now(&page).await?,
                    Err(_) => json!(held),
                };
                kind.now(self.session()).await? == there
            }
        };
        Ok(is_shared.then_some((tab, held)))
    }

    /// Sets the location that a page with the permission gets; `None`: the machine's own.
    pub async fn set_place(&self, place: Option<Locality>) -> Result<(), PageError> {
        match place {
            Some(Locality { latitude, longitude, accuracy }) => {
                let params = json!({ "latitude": latitude, "longitude": longitude, "accuracy": accuracy });
                self.set_override(PLACE, params).await?;
            }
            None => self.clear_override(PLACE, "Emulation.clearGeolocationOverride", json!({})).await?,
        }
        Ok(())
    }

    /// Sets the media type, `print` or `screen`; `None`: the real one.
    pub async fn set_media(&self, media: Option<&str>) -> Result<(), PageError> {
        let features = self.emulated_media()["features"].clone();
        self.set_emulated_media(json!({ "media": media.unwrap_or_default(), "features": features })).await
    }

    /// Sets a media feature, such as `prefers-color-scheme`; `None`: the real one.
    pub async fn set_media_feature(&self, name: &str, value: Option<&str>) -> Result<(), PageError> {
        let mut media = self.emulated_media();
        if let Some(features) = media["features"].as_array_mut() {
            features.retain(|known| known["name"] != name);
            features.extend(value.map(|value| json!({ "name": name, "value": value })));
        }
        self.set_emulated_media(media).await
    }

    fn emulated_media(&self) -> Value {
        self.kept(MEDIA).unwrap_or_else(|| json!({ "media": "", "features": [] }))
    }

    async fn set_emulated_media(&self, media: Value) -> Result<(), PageError> {
        let plain = json!({ "media": "", "features": [] });
        match media == plain {
            true => self.clear_override(MEDIA, MEDIA, plain).await?,
            false => self.set_override(MEDIA, media).await?,
        }
        Ok(())
    }

    /// Returns the present emulation.
    pub fn surroundings(&self) -> Surroundings {
        let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let side = |value: &Value| value.as_u64().and_then(|side| u32::try_from(side).ok());
        let pair = |params: &Value, width: &str, height: &str| side(&params[width]).zip(side(&params[height]));
        let media = self.emulated_media();
        let features = media["features"].as_array().into_iter().flatten();
        Surroundings {
            screen: self.kept(METRICS).and_then(|params| {
                Some(Screen {
                    viewport: pair(&params, "width", "height")?,
                    screen: pair(&params, "screenWidth", "screenHeight"),
                    scale: params["deviceScaleFactor"].as_f64().unwrap_or_default(),
                    mobile: params["mobile"] == true,
                })
            }),
            touch: self.kept(TOUCH).is_some(),
            user_agent: self.kept(IDENTITY).and_then(|params| text(&params["userAgent"])),
            place: self.kept(PLACE).map(|params| {
                let number = |name: &str| params[name].as_f64().unwrap_or_default();
                Locality { latitude: number("latitude"), longitude: number("longitude"), accuracy: number("accuracy") }
            }),
            timezone: self.kept(TIMEZONE).and_then(|params| text(&params["timezoneId"])),
            locale: self.kept(LOCALE).and_then(|params| text(&params["locale"])),
            media: text(&media["media"]),
            features: features.filter_map(|known| Some((text(&known["name"])?, text(&known["value"])?))).collect(),
        }
    }

    /// Resets all of it to the browser's own values.
    pub async fn reset_surroundings(&self) -> Result<(), PageError> {
        self.set_screen(None).await?;
        self.set_touch(false).await?;
        self.set_user_agent(None).await?;
        self.set_place(None).await?;
        self.set_emulated_media(json!({ "media": "", "features": [] })).await?;
        // Another tab may stand in the way of these.
        let locale = self.set_locale(None).await;
        self.set_timezone(None).await?;
        locale
    }
}

/// Converts an error: a value that the browser rejects is a usage error.
fn refused(error: BrowserError, what: String) -> PageError {
    match error {
        BrowserError::Cdp(CdpError::Protocol { message, .. }) => {
            PageError::Usage(format!("the browser does not accept {what}: {message}"))
        }
        other => other.into(),
    }
}
