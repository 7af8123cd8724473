//! Faults of refused settings.

use crate::base::site_list::SiteListError;
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::told::{self, Sentence};

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
            SettingError::NoSetting(name) => {
                (FaultCode::NotFound, told::NO_SETTING.with([&format!("{name:?}")]), told::NO_SETTING_NEXT.into())
            }
            SettingError::OutOfRange { number, least, most } => {
                let hint = told::OUT_OF_RANGE_NEXT.with([&least.to_string(), &most.to_string()]);
                (FaultCode::BadRequest, told::OUT_OF_RANGE.with([&number.to_string()]), hint)
            }
            SettingError::NotWhole(number) => {
                (FaultCode::BadRequest, told::NOT_WHOLE.with([&number.to_string()]), told::NOT_WHOLE_NEXT.into())
            }
            SettingError::IsASwitch(name) => {
                (FaultCode::BadRequest, told::IS_A_SWITCH.with([name]), told::IS_A_SWITCH_NEXT.into())
            }
            SettingError::IsANumber(name) => {
                (FaultCode::BadRequest, told::IS_A_NUMBER.with([name]), told::IS_A_NUMBER_NEXT.into())
            }
            SettingError::IsAText(name) => {
                (FaultCode::BadRequest, told::IS_A_TEXT.with([name]), told::IS_A_TEXT_NEXT.into())
            }
            SettingError::NotSites(SiteListError::NotAHost(part)) => {
                (FaultCode::BadRequest, told::NOT_A_HOST.with([&part]), told::NOT_A_HOST_NEXT.into())
            }
            SettingError::NotSites(SiteListError::Metadata(part)) => {
                (FaultCode::BadRequest, told::METADATA_SITE.with([&part]), told::METADATA_SITE_NEXT.into())
            }
            SettingError::NotAValue { name, choices } => {
                let hint = told::NOT_A_VALUE_NEXT.with([&choices.join(", ")]);
                (FaultCode::BadRequest, told::NOT_A_VALUE.with([name]), hint)
            }
        };
        Self::new(code, message).hint(hint)
    }
}
