//! The policy of one home: its rules, its audit, and what agents have read.
//!
//! Owns the locks on them. Each is held for one short step, and never while another service is called.

use super::audit::Audit;
use super::project::{self, ProjectFault, ProjectRules};
use super::store::PolicyStore;
use super::taint_log::TaintLog;
use crate::ports::Ports;
use crate::tasks::Tasks;
use gstack_base::clock::now_millis;
use gstack_base::home::Home;
use gstack_base::mutex::lock;
use gstack_chat::Store;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::ConversationId;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A handle to the policy. Cheap to clone.
#[derive(Clone)]
pub struct PolicyService(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub(super) rules: Mutex<PolicyStore>,
    pub(super) audit: Mutex<Audit>,
    /// Taint logs: what the conversations' agents have read since the daemon started.
    pub(super) taint_logs: Mutex<HashMap<ConversationId, TaintLog>>,
    /// Receive faults of writing the policy or the audit.
    pub(super) ports: Ports,
    /// Checks that the conversation of a rule exists.
    pub(super) store: Arc<Store>,
    pub(super) tasks: Tasks,
    /// gstack's own folder, which is not a project's.
    home: PathBuf,
}

impl PolicyService {
    /// Reads the home's rules. Unreadable rules allow nothing.
    pub(crate) fn open(home: &Home, ports: Ports, store: Arc<Store>, tasks: Tasks) -> Self {
        let rules = PolicyStore::open(home.policy_file(), now_millis());
        if let Some(fault) = rules.fault() {
            tracing::error!("{fault}");
        }
        let (rules, audit) = (Mutex::new(rules), Mutex::new(Audit::at(home.audit_file())));
        let home = home.shared().to_owned();
        Self(Arc::new(Shared { rules, audit, taint_logs: Mutex::default(), ports, store, tasks, home }))
    }

    /// Returns the rules of the project in which a folder lies. Reads small files.
    pub(super) fn project_rules(&self, folder: &str) -> Result<ProjectRules, ProjectFault> {
        project::rules_in(Path::new(folder), &self.0.home)
    }

    /// Returns the fault if the rules cannot be read.
    pub(crate) fn fault(&self) -> Option<Fault> {
        lock(&self.0.rules).fault().cloned()
    }
}
