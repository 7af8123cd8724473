//! Taking a browser into use: from an earlier daemon, started by us, or started by someone else.

use super::change::BrowserChange;
use super::current::{Current, tab_key};
use super::error::BrowsersError;
use super::remote::Remote;
use super::service::Browsers;
use super::source::{Attached, Kept, Source};
use crate::folders;
use gstack_base::mutex::lock;
use gstack_base::process::Process;
use gstack_base::site_limits::SiteLimits;
use gstack_browser::browser::{AttachOptions, Browser};
use gstack_browser::downloads::DownloadFolders;
use gstack_browser::endpoint::Endpoint;
use gstack_browser::keeper_link::{self, KeeperLink};
use gstack_browser::page::Pages;
use gstack_browser::page::capture_file::CaptureFile;
use gstack_browser::page::script::early_script;
use gstack_browser::remote::{FileSystem, Opened};
use gstack_browser::tabs::TabRecord;
use gstack_browser::websocket;
use gstack_command::url_guard;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::BrowserRun;
use std::sync::Arc;
use std::time::Duration;

/// A kept browser answers at once. If it does not, the next command tries again.
const RECONNECT_LIMIT: Duration = Duration::from_secs(5);

impl Browsers {
    /// Uses the browsers that an earlier daemon left in their keepers, if there are any.
    pub(crate) async fn reconnect_all(&self) {
        let all = self.all();
        futures_util::future::join_all(all.iter().map(Self::reconnect)).await;
    }

    async fn reconnect(&self) {
        let browser = self.name();
        let link = match tokio::time::timeout(RECONNECT_LIMIT, keeper_link::connect(&self.own.home)).await {
            Ok(Ok(link)) => link,
            Ok(Err(error)) => return tracing::debug!(%browser, %error, "no browser to reconnect to"),
            Err(_) => return tracing::warn!(%browser, "the browser's keeper does not answer"),
        };
        match self.use_kept(link).await {
            Ok(_) => tracing::info!(%browser, "reconnected to the open browser"),
            Err(fault) => tracing::warn!(%browser, %fault, "cannot use the open browser"),
        }
    }

    /// Attaches to the browser of our keeper, makes it the one in use and follows its events.
    pub(crate) async fn use_kept(&self, link: KeeperLink) -> Result<Browser, Fault> {
        let (pid, headless, profile) = (link.pid, link.headless, link.profile.clone());
        let record = self.recorded_tabs(link.run.as_str());
        // The browser's resolver rules refuse addresses to pages.
        let options = AttachOptions {
            limits: SiteLimits { open: link.only_sites.clone(), configured: self.configured_sites() },
            ..self.attach_options(headless, &record, false)?
        };
        let browser = Browser::attach_kept(link, options).await?;
        self.restore_current(&browser, &record);
        let process = i32::try_from(pid).ok().and_then(Process::find);
        self.put_into_use(&browser, Arc::new(Kept { pid, process, profile }));
        Ok(browser)
    }

    /// Attaches to a browser that gstack did not start and makes it the one in use.
    pub(crate) async fn use_foreign(&self, endpoint: &Endpoint) -> Result<Browser, Fault> {
        let transport = websocket::connect(&endpoint.address).await?;
        let record = self.recorded_tabs(&endpoint.address);
        let options = self.attach_options(endpoint.headless, &record, true)?;
        let browser = Browser::attach(transport, None, 1, BrowserRun::random(), options).await?;
        self.restore_current(&browser, &record);
        let pid = browser.pid().await;
        self.put_into_use(&browser, Arc::new(Attached { address: endpoint.address.clone(), pid }));
        Ok(browser)
    }

    fn attach_options(&self, headless: bool, record: &TabRecord, holds_back: bool) -> Result<AttachOptions, Fault> {
        Ok(AttachOptions {
            headless,
            limits: SiteLimits::default(),
            downloads: Some(self.download_folders()?),
            numbers: self.needs().numbers.going_on_from(record),
            early_scripts: vec![early_script()],
            refuses: Some(url_guard::is_refused_address),
            holds_back,
            files: FileSystem::Ours,
            lets_go_after: None,
        })
    }

    /// Downloads go to the folder of screenshots without a path.
    fn download_folders(&self) -> Result<DownloadFolders, Fault> {
        let home = &self.needs().home;
        Ok(DownloadFolders { saved: folders::temporary(home)?, incoming: folders::private(home.incoming())? })
    }

    /// Attaches to a browser on another machine and makes it the one in use.
    pub(super) async fn use_opened(&self, opened: Opened, remote: Arc<Remote>) -> Result<Browser, Fault> {
        let record = TabRecord::default();
        let own = self.attach_options(true, &record, true)?;
        let options = AttachOptions { files: opened.files, ..own };
        let attached = Browser::attach(opened.transport, None, 1, remote.run.clone(), options).await;
        let browser = attached.map_err(|error| remote.unless_silent(error))?;
        self.put_into_use(&browser, remote);
        Ok(browser)
    }

    fn put_into_use(&self, browser: &Browser, source: Arc<dyn Source>) {
        let browser = browser.clone();
        let pages = Pages::default().captured_to(self.capture_file());
        self.leave_everyday();
        self.drop_relays_of(browser.run());
        *lock(&self.own.current) = Some(Current { browser: browser.clone(), pages, source });
        *lock(&self.own.lost) = None;
        for tab in browser.tabs() {
            self.tell(BrowserChange::TabBack { tab: tab.id, key: tab_key(&browser, &tab) });
        }
        self.tell(BrowserChange::Started);
        self.tell(BrowserChange::InUse);
        self.needs().tasks.spawn(self.clone().follow(browser));
        // It does not delay the use of the browser.
        drop(self.start_limiting());
    }

    fn capture_file(&self) -> Option<CaptureFile> {
        if !self.needs().config.get().browser.capture_to_disk {
            return None;
        }
        match CaptureFile::open(self.own.home.capture_file()) {
            Ok(file) => Some(file),
            Err(error) => {
                self.needs().ports.tell_fault(&BrowsersError::CaptureNotWritten(error).into());
                None
            }
        }
    }
}
