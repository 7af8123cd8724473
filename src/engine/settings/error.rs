//! Faults of refused settings.

use gstack_base::site_list::SiteListError;
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::fault::{Fault, FaultCode};

#[derive(Debug)]
pub(super) enum SettingError {
    NoSetting(String),
    OutOfRange {
        number: f64,
        least: f64,
        most: f64,
    },
    NotWhole(f64),
    IsASwitch(&'static str),
    IsANumber(&'static str),
    IsAText(&'static str),
    /// `choices` are the valid values of the setting.
    NotAValue {
        name: &'static str,
        choices: Vec<String>,
    },
    /// A list of sites with a part that is none, or must not be one.
    NotSites(SiteListError),
}

impl From<SettingError> for Fault {
    fn from(error: SettingError) -> Self {
        let (code, message, hint): (_, _, Sentence) = match error {
            SettingError::NoSetting(name) => (
                FaultCode::NotFound,
                catalogue::NO_SETTING.with([&format!("{name:?}")]),
                catalogue::NO_SETTING_NEXT.into(),
            ),
            SettingError::OutOfRange { number, least, most } => {
                let hint = catalogue::OUT_OF_RANGE_NEXT.with([&least.to_string(), &most.to_string()]);
                (FaultCode::BadRequest, catalogue::OUT_OF_RANGE.with([&number.to_string()]), hint)
            }
            SettingError::NotWhole(number) => (
                FaultCode::BadRequest,
                catalogue::NOT_WHOLE.with([&number.to_string()]),
                catalogue::NOT_WHOLE_NEXT.into(),
            ),
            SettingError::IsASwitch(name) => {
                (FaultCode::BadRequest, catalogue::IS_A_SWITCH.with([name]), catalogue::IS_A_SWITCH_NEXT.into())
            }
            SettingError::IsANumber(name) => {
                (FaultCode::BadRequest, catalogue::IS_A_NUMBER.with([name]), catalogue::IS_A_NUMBER_NEXT.into())
            }
            SettingError::IsAText(name) => {
                (FaultCode::BadRequest, catalogue::IS_A_TEXT.with([name]), catalogue::IS_A_TEXT_NEXT.into())
            }
            SettingError::NotSites(SiteListError::NotAHost(part)) => {
                (FaultCode::BadRequest, catalogue::NOT_A_HOST.with([&part]), catalogue::NOT_A_HOST_NEXT.into())
            }
            SettingError::NotSites(SiteListError::PortBelow(part)) => {
                (FaultCode::BadRequest, catalogue::PORT_BELOW.with([&part]), catalogue::PORT_BELOW_NEXT.into())
            }
            SettingError::NotSites(SiteListError::Metadata(part)) => {
                (FaultCode::BadRequest, catalogue::METADATA_SITE.with([&part]), catalogue::METADATA_SITE_NEXT.into())
            }
            SettingError::NotAValue { name, choices } => {
                let hint = catalogue::NOT_A_VALUE_NEXT.with([&choices.join(", ")]);
                (FaultCode::BadRequest, catalogue::NOT_A_VALUE.with([name]), hint)
            }
        };
        Self::new(code, message).hint(hint)
    }
}
