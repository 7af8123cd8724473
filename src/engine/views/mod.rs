//! The pages of `gstack view`: who may open one, what it may show, and taking over a tab from it.
//!
//! Owns the links and the pages that they opened, of whose secrets only hashes are kept. Never speaks HTTP and never sends a
//! DevTools command: the crate `view` does.

mod error;

use crate::approvals::Approvals;
use crate::browsers::{Browsers, BrowsersError};
use crate::drivers::Drivers;
use crate::policy::PolicyService;
use crate::tasks::Tasks;
use error::ViewError;
use gstack_base::clock::now_millis;
use gstack_base::filled_secrets;
use gstack_base::hex::hexadecimal;
use gstack_base::mutex::lock;
use gstack_browser::browser::Browser;
use gstack_protocol::approval_link::LinkedApproval;
use gstack_protocol::audit::{AuditBy, AuditEntry};
use gstack_protocol::chat::{AnsweredBy, Decision};
use gstack_protocol::chat_requests::ApprovalAnswer;
use gstack_protocol::control::WaitingApproval;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{ApprovalId, ConversationId, TabId};
use gstack_protocol::policy::PolicyBrowser;
use gstack_protocol::view::{ViewAct, ViewConnect, ViewEnded, ViewOpen, ViewOpened};
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// The path of the page on the port.
pub const VIEW_PATH: &str = "/view";
/// Long enough to copy a link into a browser.
const UNOPENED: Duration = Duration::from_secs(2 * 60);
/// A day's work. After it, the person asks for another link.
const OPENED: Duration = Duration::from_secs(12 * 60 * 60);
/// The most links and pages: each page has a screencast.
const MOST: usize = 8;
/// The scope of its lines in the audit.
const SCOPE: &str = "view";

type Hash = [u8; 32];

fn hash(secret: &str) -> Hash {
    Sha256::digest(secret.as_bytes()).into()
}

fn is(known: &Hash, presented: &str) -> bool {
    known.as_slice().ct_eq(hash(presented).as_slice()).into()
}

/// Returns 256 random bits in hexadecimal.
fn secret() -> String {
    hexadecimal(&rand::random::<[u8; 32]>())
}

/// A link, or the page that it opened.
pub struct View {
    /// Names its cookie, and it in the audit.
    pub id: String,
    /// The tab that the person chose for it.
    pub tab: Option<TabId>,
    /// The browser that the person chose for it.
    pub browser: Option<String>,
    /// Cancelled when the person ends it.
    pub revoked: CancellationToken,
    state: Mutex<State>,
}

struct State {
    proof: Proof,
    until: Instant,
    /// The newest connection of its page.
    connection: ViewConnect,
    /// Takes the acts of its page while the page is connected.
    acts: Option<mpsc::Sender<ViewAct>>,
    /// The tab that the person took over there. It stays theirs while the page is closed.
    taken: Option<TabId>,
    /// A task forgets `taken` once that is handed back elsewhere.
    is_followed: bool,
}

enum Proof {
    Link(Hash),
    /// The cookie, which no script reads, and the name of the page, which no other tab has.
    Page {
        cookie: Hash,
        page: Hash,
    },
}

/// The answer to a page that opens a link.
pub struct BegunView {
    pub view: Arc<View>,
    pub cookie: String,
    pub page: String,
}

impl View {
    /// Connects its page, in place of the one that was connected.
    ///
    /// # Errors
    ///
    /// Fails if the page has made a newer connection, whose request arrived first.
    pub fn connect(&self, connection: ViewConnect, acts: mpsc::Sender<ViewAct>) -> Result<(), Fault> {
        let mut state = lock(&self.state);
        if connection.document == state.connection.document && connection.number < state.connection.number {
            return Err(ViewError::OldConnection.into());
        }
        state.connection = connection;
        state.acts = Some(acts);
        Ok(())
    }

    /// Returns where the acts of its page go.
    pub fn acts(&self) -> Option<mpsc::Sender<ViewAct>> {
        lock(&self.state).acts.clone()
    }

    /// Returns the tab that the person took over in its page.
    pub fn taken(&self) -> Option<TabId> {
        lock(&self.state).taken
    }

    /// Forgets that tab: it was closed, or handed back.
    pub fn forget_taken(&self) {
        lock(&self.state).taken = None;
    }

    /// Returns whether it ended because its time is over.
    pub fn has_expired(&self) -> bool {
        lock(&self.state).until <= Instant::now()
    }

    fn is_over(&self) -> bool {
        self.revoked.is_cancelled() || self.has_expired()
    }
}

/// A handle to the views. Cheap to clone.
#[derive(Clone)]
pub struct Views {
    approvals: Approvals,
    browsers: Browsers,
    drivers: Drivers,
    policy: PolicyService,
    tasks: Tasks,
    /// The daemon's port on 127.0.0.1.
    port: u16,
    known: Arc<Mutex<Vec<Arc<View>>>>,
}

impl Views {
    pub(crate) fn new(
        approvals: Approvals,
        browsers: Browsers,
        drivers: Drivers,
        policy: PolicyService,
        tasks: Tasks,
        port: u16,
    ) -> Self {
        Self { approvals, browsers, drivers, policy, tasks, port, known: Arc::default() }
    }

    /// Creates a link for the person. Fails if no browser has the name or the tab, or too many pages are open.
    pub fn open(&self, open: ViewOpen) -> Result<ViewOpened, Fault> {
        let browsers = self.browsers.of_request(open.tab_id, open.browser.as_deref())?;
        if let Some(tab) = open.tab_id {
            let (browser, _) = browsers.pages_with(Some(tab)).ok_or(BrowsersError::NotConnected)?;
            browser.tab(tab)?;
        }
        let secret = secret();
        let view = Arc::new(View {
            id: uuid::Uuid::new_v4().simple().to_string().chars().take(8).collect(),
            tab: open.tab_id,
            browser: open.browser,
            revoked: CancellationToken::new(),
            state: Mutex::new(State {
                proof: Proof::Link(hash(&secret)),
                until: Instant::now() + UNOPENED,
                connection: ViewConnect::default(),
                acts: None,
                taken: None,
                is_followed: false,
            }),
        });
        {
            let mut known = lock(&self.known);
            known.retain(|one| !one.is_over());
            if known.len() >= MOST {
                return Err(ViewError::TooMany { most: MOST }.into());
            }
            known.push(view.clone());
        }
        if let Err(fault) = self.record(&format!("view {} create", view.id), AuditBy::Terminal) {
            // Nothing may be opened that the audit does not have.
            view.revoked.cancel();
            return Err(fault);
        }
        // Wherever the person opens it: an agent that reads the address could open it first.
        filled_secrets::remember(&secret, Some(UNOPENED));
        let lifetime = u64::try_from(UNOPENED.as_millis()).unwrap_or_default();
        Ok(ViewOpened {
            // Behind `#`, it is in no history of requests.
            url: format!("http://127.0.0.1:{}{VIEW_PATH}#{secret}", self.port),
            expires_at: now_millis().saturating_add(lifetime),
        })
    }

    /// Opens a link: once.
    pub fn begin(&self, presented: &str) -> Result<BegunView, Fault> {
        let known = lock(&self.known).clone();
        let (cookie, page) = (secret(), secret());
        for view in known.iter().filter(|view| !view.is_over()) {
            let mut state = lock(&view.state);
            if matches!(&state.proof, Proof::Link(known) if is(known, presented)) {
                state.proof = Proof::Page { cookie: hash(&cookie), page: hash(&page) };
                state.until = Instant::now() + OPENED;
                drop(state);
                self.record(&format!("view {} open", view.id), AuditBy::Link)?;
                self.end_in_time(view.clone());
                return Ok(BegunView { view: view.clone(), cookie, page });
            }
        }
        Err(ViewError::Invalid.into())
    }

    /// Returns the view of a page. `cookie`: returns the value of the cookie with this view's id.
    pub fn find<'a>(&self, page: &str, cookie: impl Fn(&str) -> Option<&'a str>) -> Result<Arc<View>, Fault> {
        let known = lock(&self.known).clone();
        let found = known.into_iter().filter(|view| !view.is_over()).find(|view| match &lock(&view.state).proof {
            Proof::Page { cookie: known, page: of } => {
                is(of, page) && cookie(&view.id).is_some_and(|cookie| is(known, cookie))
            }
            Proof::Link(_) => false,
        });
        found.ok_or_else(|| ViewError::Ended.into())
    }

    /// Ends every link and every page, and hands back what was taken over there, also in pages that are closed.
    pub fn end(&self) -> Result<ViewEnded, Fault> {
        let known = std::mem::take(&mut *lock(&self.known));
        let ended: Vec<_> = known.into_iter().filter(|view| !view.is_over()).collect();
        // All of them end, whatever the audit does.
        let outcomes: Vec<_> = ended.iter().map(|view| self.end_one(view, AuditBy::Terminal)).collect();
        outcomes.into_iter().collect::<Result<(), Fault>>()?;
        Ok(ViewEnded { ended: ended.len() })
    }

    fn end_one(&self, view: &View, by: AuditBy) -> Result<(), Fault> {
        view.revoked.cancel();
        // It may have been handed back elsewhere just now.
        let handed_back = match view.taken().filter(|tab| self.drivers.is_paused(*tab)) {
            Some(tab) => self.hand_back(view, tab),
            None => Ok(()),
        };
        self.record(&format!("view {} end", view.id), by).and(handed_back)
    }

    /// Ends a page when its time is over.
    fn end_in_time(&self, view: Arc<View>) {
        let (views, shutdown) = (self.clone(), self.tasks.shutdown());
        self.tasks.spawn(async move {
            tokio::select! {
                () = tokio::time::sleep(OPENED) => {}
                () = view.revoked.cancelled() => return,
                () = shutdown.cancelled() => return,
            }
            lock(&views.known).retain(|known| known.id != view.id);
            if let Err(fault) = views.end_one(&view, AuditBy::Timeout) {
                tracing::warn!(%fault, "the end of a view is not in the audit");
            }
        });
    }

    /// Returns whether this is the address of its page: no agent acts there.
    pub(crate) fn is_page(&self, url: &str) -> bool {
        let own = |host| format!("http://{host}:{}{VIEW_PATH}", self.port);
        ["127.0.0.1", "localhost"].map(own).iter().any(|own| url.starts_with(own))
    }

    /// Returns the browser of a tab, or the one with this name, and its kind. `None` if it is not open.
    pub fn browser(&self, tab: Option<TabId>, name: Option<&str>) -> Option<(Browser, PolicyBrowser)> {
        let browsers = self.browsers.of_request(tab, name).ok()?;
        let (browser, _) = match tab {
            Some(_) => browsers.pages_with(tab),
            None => browsers.pages(),
        }?;
        Some((browser, browsers.kind_of(tab)))
    }

    /// Returns an approval as a page shows it.
    pub fn shown(&self, approval: &WaitingApproval) -> LinkedApproval {
        self.approvals.linked_facts(approval)
    }

    /// Answers an approval: allows it once, or denies it.
    pub fn answer(
        &self,
        conversation_id: ConversationId,
        approval_id: ApprovalId,
        decision: Decision,
    ) -> Result<(), Fault> {
        if !matches!(decision, Decision::AllowOnce | Decision::Deny) {
            return Err(ViewError::NotOffered.into());
        }
        self.approvals.answer(&ApprovalAnswer { conversation_id, approval_id, decision, text: None }, AnsweredBy::Link)
    }

    /// Takes a tab over for the person. Fails if the audit can't be written.
    pub fn take_over(&self, view: &Arc<View>, tab: TabId) -> Result<(), Fault> {
        self.record(&format!("take over tab {tab}"), AuditBy::Link)?;
        self.keep_over(view, tab);
        Ok(())
    }

    /// Pauses whoever works in a tab that the person took over. Returns their names.
    pub fn keep_over(&self, view: &Arc<View>, tab: TabId) -> Vec<String> {
        let names = self.drivers.take_over(tab);
        let is_followed = {
            let mut state = lock(&view.state);
            state.taken = Some(tab);
            let was_followed = state.is_followed;
            state.is_followed |= !names.is_empty();
            was_followed
        };
        if !is_followed && !names.is_empty() {
            self.follow(view.clone(), tab);
        }
        names
    }

    /// Forgets that a tab is taken over once nobody is paused there: it was handed back in the panel or a terminal, or the
    /// turn has ended.
    fn follow(&self, view: Arc<View>, tab: TabId) {
        let (drivers, shutdown) = (self.drivers.clone(), self.tasks.shutdown());
        self.tasks.spawn(async move {
            let mut pauses = drivers.watch_pauses();
            while drivers.is_paused(tab) {
                tokio::select! {
                    changed = pauses.changed() => if changed.is_err() { return },
                    () = view.revoked.cancelled() => return,
                    () = shutdown.cancelled() => return,
                }
            }
            let mut state = lock(&view.state);
            state.taken.take_if(|taken| *taken == tab);
            state.is_followed = false;
        });
    }

    /// Hands a tab back.
    pub fn hand_back(&self, view: &View, tab: TabId) -> Result<(), Fault> {
        view.forget_taken();
        self.drivers.hand_back_as_person(Some(tab), None)?;
        self.record(&format!("hand back tab {tab}"), AuditBy::Link)
    }

    /// Returns whether someone is paused in a tab.
    pub fn is_paused(&self, tab: TabId) -> bool {
        self.drivers.is_paused(tab)
    }

    /// Returns a receiver that is notified when a pause begins or ends.
    pub fn watch_pauses(&self) -> watch::Receiver<()> {
        self.drivers.watch_pauses()
    }

    fn record(&self, action: &str, by: AuditBy) -> Result<(), Fault> {
        self.policy.record(&AuditEntry {
            at: now_millis(),
            conversation_id: None,
            agent: None,
            action: action.to_owned(),
            record: None,
            scope: SCOPE.to_owned(),
            site: None,
            allowed: true,
            by,
            answer: None,
            rule: None,
        })
    }
}
