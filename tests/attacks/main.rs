//! Attacks on the running program: one file per rule of docs/SECURITY.md. Each repeats a known attack and its variants,
//! and checks that the person's own use still works.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where its world breaks")]

mod acp_agent;
mod audit;
mod auth;
#[allow(dead_code, reason = "another test program uses more of it")]
#[path = "../agent_programs/bench.rs"]
mod bench;
mod bindings;
mod credentials;
mod disguises;
mod everyday;
mod git_control;
mod home;
mod hostile;
mod keeper;
mod kept;
mod kernel;
mod links;
#[path = "../shared/long.rs"]
mod long;
mod mcp_client;
mod modes;
mod network;
mod newest;
mod other_user;
mod outliving;
#[path = "../shared/panel_key.rs"]
mod panel_key;
mod panels;
mod paths;
mod peers;
mod port;
mod reaching;
mod records;
mod repositories;
mod sandbox;
#[allow(dead_code, reason = "another test program uses more of it")]
#[path = "../terminal/stage.rs"]
mod stage;
mod submit;
mod unconfined;
mod web_mcp;
mod work_trees;
