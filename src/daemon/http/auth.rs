//! Routes for the person's saved sign-ins.
//!
//! Owns the routes. They are in the person's ring: on the unix socket, and for no process of an agent.

use super::route::{Route, get, post};
use gstack_engine::Engine;
use gstack_protocol::basics::Empty;
use gstack_protocol::sign_in::{SignInRemove, SignInSave, SignInUnlock};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get("/auth", "The saved sign-ins, without their secrets", |engine: Engine| async move {
            engine.sign_ins().shown_to_person().await
        }),
        post("/auth/save", "Saves a sign-in", |engine: Engine, save: SignInSave| async move {
            engine.sign_ins().save_for_person(save).await
        }),
        post("/auth/remove", "Removes a sign-in", |engine: Engine, remove: SignInRemove| async move {
            engine.sign_ins().remove_for_person(remove).await
        }),
        post(
            "/auth/unlock",
            "Unlocks or creates the store of sign-ins",
            |engine: Engine, unlock: SignInUnlock| async move { engine.sign_ins().unlock_for_person(unlock).await },
        ),
        post("/auth/lock", "Forgets the passphrase of the sign-ins", |engine: Engine, Empty {}| async move {
            engine.sign_ins().lock_for_person().await
        }),
    ]
}
