//! Providers of browsers on other machines, made of what was requested and of `config.toml`.
//!
//! Owns the lookup of settings and keys. Never connects.

use super::service::Browsers;
use crate::config::EndpointConfig;
use gstack_browser::remote::{
    CdpUrl, Endpoint, EndpointSettings, Grid, Hosted, Provider, RemoteError, argument_secret, find_preset,
};
use gstack_protocol::remote::{RemoteBrowser, SecretVariables};
use std::time::Duration;
use url::Url;

impl Browsers {
    /// Returns the provider of a requested browser. `keys`: variables from the requesting terminal.
    pub(super) fn provider(
        &self,
        wanted: &RemoteBrowser,
        keys: &SecretVariables,
    ) -> Result<Box<dyn Provider>, RemoteError> {
        Ok(match wanted {
            RemoteBrowser::Cdp(address) => Box::new(CdpUrl::new(self.endpoint(address)?)),
            RemoteBrowser::Grid { hub, capabilities } => {
                Box::new(Grid::new(self.endpoint(hub)?, capabilities.as_deref())?)
            }
            RemoteBrowser::Hosted(name) => Box::new(self.hosted(name, keys)?),
        })
    }

    /// Returns where a browser runs, for people: an address without path, query and user, or the name of a hosted service.
    pub(super) fn shown(&self, browser: &RemoteBrowser) -> String {
        match browser {
            RemoteBrowser::Hosted(name) => name.clone(),
            RemoteBrowser::Cdp(typed) | RemoteBrowser::Grid { hub: typed, .. } => {
                self.endpoint(typed).map_or_else(|_| "an unknown address".to_owned(), |endpoint| endpoint.shown())
            }
        }
    }

    fn hosted(&self, name: &str, keys: &SecretVariables) -> Result<Hosted, RemoteError> {
        let preset = find_preset(name).ok_or_else(|| RemoteError::NotAnAddress(name.to_owned()))?;
        let config = self.needs().config.get();
        let own = config.browser.endpoints.get(name).cloned().unwrap_or_default();
        let variable = |name: &str| {
            let found = keys.0.get(name).cloned().or_else(|| std::env::var(name).ok());
            found.filter(|value| !value.is_empty())
        };
        let key = match (&own.key, &own.key_variable) {
            (Some(key), _) => Some(key.clone()),
            (None, Some(name)) => variable(name),
            (None, None) => variable(preset.key_variable),
        };
        let key = key.ok_or(RemoteError::NoKey(preset.label))?;
        let account = own.account.clone().or_else(|| variable(preset.account?.1));
        let hosted = Hosted::new(preset, own.url.as_deref(), &settings(name, &own), key, account)?;
        // The configuration has checked its bounds.
        Ok(match own.wait_seconds.map(Duration::try_from_secs_f64) {
            Some(Ok(limit)) => hosted.within(limit),
            _ => hosted,
        })
    }

    /// Returns the endpoint of an address, or of a name in `config.toml`.
    fn endpoint(&self, typed: &str) -> Result<Endpoint, RemoteError> {
        let typed = typed.trim();
        let config = self.needs().config.get();
        if let Some(own) = config.browser.endpoints.get(typed) {
            let missing = || RemoteError::BadSetting { endpoint: typed.to_owned(), why: "it has no url".to_owned() };
            return Endpoint::new(own.url.as_deref().ok_or_else(missing)?, &settings(typed, own));
        }
        let text = match typed.contains("://") {
            true => typed.to_owned(),
            false if typed.contains([':', '.']) => format!("http://{typed}"),
            false => return Err(RemoteError::NotAnAddress(typed.chars().take(64).collect())),
        };
        let url = Url::parse(&text).map_err(|_| RemoteError::NotAnAddress("the given text".to_owned()))?;
        match argument_secret(&url) {
            Some(part) => Err(RemoteError::SecretArgument(part)),
            None => Endpoint::new(&text, &EndpointSettings::default()),
        }
    }
}

fn settings(name: &str, config: &EndpointConfig) -> EndpointSettings {
    EndpointSettings {
        name: Some(name.to_owned()),
        headers: config.headers.clone(),
        ca: config.ca.clone(),
        plaintext: config.plaintext,
    }
}

#[cfg(test)]
mod tests {
    use gstack_browser::remote::PRESETS;
    use gstack_protocol::remote::PROVIDERS;

    #[test]
    fn the_terminal_passes_the_variables_that_the_presets_read() {
        let variables = PRESETS.map(|preset| {
            let account = preset.account.map(|(_, variable)| variable);
            (preset.name, std::iter::once(preset.key_variable).chain(account).collect::<Vec<_>>())
        });
        assert_eq!(variables, PROVIDERS.map(|(name, variables)| (name, variables.to_vec())));
    }
}
