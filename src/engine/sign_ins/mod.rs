//! Saved sign-ins: users, passwords and one-time codes that are filled in without a model seeing them.
//!
//! Owns the store and what unlocks it. Never fills anything in and never decides who may ask: the command and the policy
//! do. Secrets leave this service only towards the fields that they are for.

mod chosen;
mod error;
mod keyring;
mod origin;
mod provider;
mod record;
mod requests;
mod sealed_file;
mod service;
mod totp;

pub(crate) use service::SignIns;
