/*
 * Every command of the registry with what it must print, what it must have done, and where Chrome or gstack refuses it. One table for
 * all ways to reach a browser; the rows run in order on one tab.
 */

/** A page in which each command finds something. */
export const EVERY = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Every</title><link rel="icon" href="data:,">
<meta name="description" content="Words about it"><style>h1 { color: rgb(1, 2, 3) } .unused { color: red }</style>
<h1 id="head">Every</h1><a href="/every?next">Next</a>
<a id="get" href="/file.bin" download>Get</a><img alt="Logo" src="/picture.svg" width="20" height="20">
<form id="form" onsubmit="event.preventDefault()"><label>Name <input id="name" name="name"></label>
<select id="pick" aria-label="Pick"><option>a</option><option>b</option></select>
<label><input type="checkbox" id="tick"> Tick</label><input type="file" id="file" aria-label="File"></form>
<button id="go">Go</button><output id="said"></output><p id="words">Some words</p><dl><dt>Price</dt><dd>12</dd></dl>
<table id="table"><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>
<div id="zone" style="width: 200px; height: 60px; border: 1px solid">Zone</div>
<div id="piece" draggable="true" style="width: 60px">Piece</div>
<div id="box" style="width: 100px; height: 50px; overflow: auto"><div style="height: 900px">tall</div></div>
<iframe name="inner" srcdoc="<p>Inner words</p>"></iframe><aside class="ad-banner" id="ad">Buy</aside>
<div style="height: 2500px"></div><p id="last">Last</p>
<script>
  const say = (text) => { said.textContent = text; };
  for (const type of ['click', 'dblclick', 'contextmenu', 'auxclick']) {
    go.addEventListener(type, (event) => { event.preventDefault(); say(type + ' ' + event.detail); });
  }
  zone.addEventListener('touchend', () => say('touched'));
  zone.addEventListener('wheel', (event) => say('wheel ' + event.deltaY), { passive: true });
  zone.addEventListener('mousedown', () => say('mouse down'));
  zone.addEventListener('dragover', (event) => event.preventDefault());
  zone.addEventListener('drop', (event) => { event.preventDefault(); say('dropped ' + (event.dataTransfer.files[0]?.name ?? 'piece')); });
  piece.addEventListener('dragstart', (event) => event.dataTransfer.setData('text/plain', 'piece'));
  document.addEventListener('keydown', (event) => say('key ' + event.key));
  document.addEventListener('keyup', (event) => say('up ' + event.key));
  console.log('hello from every');
  document.modelContext?.registerTool({ name: 'add', description: 'Adds',
    inputSchema: { type: 'object', properties: { a: { type: 'number' } } }, execute: async ({ a }) => 'sum ' + (a + 1) });
</script></html>`;

/** Whether a request takes so many milliseconds. */
const took = (url, limit) =>
  `(async()=>{const began=performance.now();await fetch("${url}",{cache:"no-store"});return performance.now()-began${limit}})()`;
/** The server counts the requests to it; the answer may be cached. */
const COUNTED = 'fetch("/counted").then((answer)=>answer.text())';
/** Whether two requests get the same answer, which is kept. */
const SAME = `${COUNTED}.then((first)=>${COUNTED}.then((second)=>(window.counted=second)===first))`;
/** Until the worker answers the page's requests. */
const REGISTERED = [
  'navigator.serviceWorker.register("/worker.js")',
  'then(()=>navigator.serviceWorker.controller||new Promise((done)=>navigator.serviceWorker.addEventListener("controllerchange",done)))',
  'then(()=>1)',
].join('.');
const FROM_WORKER = 'fetch("/from-worker").then((answer)=>answer.text())';
const UNREGISTERED =
  'navigator.serviceWorker.getRegistrations().then((all)=>Promise.all(all.map((one)=>one.unregister()))).then((done)=>done.length)';

const NOT_EVERYDAY = /does not work in an everyday browser/;
const off = /WebMCP is off/;
const refused = { everyday: NOT_EVERYDAY };

/**
 * `[command line, what it prints, how it differs and what it did]`. In a line, `ORIGIN` is the site's address, `FOLDER` a folder for files.
 * `js` is an expression with its value afterwards; `file` a file that was written, with its first bytes; `everyday` and `attached` the
 * fault there.
 */
export const ROWS = [
  ['goto ORIGIN/every', /Navigated to .*\/every \(200\)/, { js: ['document.title', 'Every'] }],
  ['url', /\/every/],
  ['reload', /Reloaded/],
  ['wait --load', /Page loaded/],
  ['text #words', /Some words/],
  ['html form', /<input id="name"/],
  ['links', /Next → /],
  ['forms', /"name": "name"/],
  ['find Go', /\[button\] "Go"/],
  ['table #table', /\{"A":"1","B":"2"\}/],
  ['extract --schema FOLDER/schema.json', /"price": ?12/],
  ['accessibility', /heading "Every"/],
  ['media', /picture\.svg/],
  ['data', /Words about it/],
  ['count option', /^2$/m],
  ['value #pick', /a/],
  ['box #zone', /^\d/m],
  ['js 6*7', /^42$/m],
  ['eval FOLDER/script.js', /from the file/],
  ['css #head color', /rgb\(1, 2, 3\)/],
  ['attrs #piece', /"draggable": "true"/],
  ['is visible #go', /^true$/m],
  ['inspect #head', /color/],
  ['style #head color:green', /Style modified/, { js: ['getComputedStyle(head).color', 'rgb(0, 128, 0)'] }],
  ['style --undo', /Reverted/, { js: ['getComputedStyle(head).color', 'rgb(1, 2, 3)'] }],
  ['cleanup --ads', /Cleaned up/, { js: ['ad.checkVisibility()', 'false'] }],
  ['console', /hello from every/],
  ['dialog', /no dialogs/],
  ['dialog-accept', /will be accepted/],
  ['js confirm("words")', /^true$/m],
  ['dialog', /words.*accepted/],
  ['dialog-dismiss', /will be dismissed/],
  ['js confirm("again")', /^false$/m],
  ['click #go', /Clicked #go/, { js: ['said.textContent', 'click 1'] }],
  ['dblclick #go', /Double-clicked/, { js: ['said.textContent', 'dblclick 2'] }],
  ['rightclick #go', /Right-clicked/, { js: ['/contextmenu|auxclick/.test(said.textContent)', 'true'] }],
  ['tap #zone', /Tapped/, { js: ['/touched|mouse down/.test(said.textContent)', 'true'] }],
  ['swipe up', /Swiped up/, { js: ['scrollY > 0', 'true'] }],
  ['fill #name Ada', /Filled/, { js: ['document.querySelector("#name").value', 'Ada'] }],
  ['clear #name', /Cleared/, { js: ['document.querySelector("#name").value', ''] }],
  ['sign-ins', /every {2}ada at ORIGIN/],
  ['sign-in every', /Filled in the user name of every/, { js: ['document.querySelector("#name").value', 'ada'] }],
  ['clear #name', /Cleared/],
  ['type Bea --into #name', /Typed 3/, { js: ['document.querySelector("#name").value', 'Bea'] }],
  ['press End', /Pressed/, { js: ['said.textContent', 'up End'] }],
  ['keydown Shift', /Holding Shift/, { js: ['said.textContent', 'key Shift'] }],
  ['keyup Shift', /Released Shift/, { js: ['said.textContent', 'up Shift'] }],
  ['blur', /Left/, { js: ['document.activeElement === document.body', 'true'] }],
  ['focus #name --background', /Focused/, { js: ['document.activeElement.id', 'name'] }],
  ['select #pick b', /Selected/, { js: ['pick.value', 'b'] }],
  ['select-text #words', /Selected 10/, { js: ['String(getSelection())', 'Some words'] }],
  ['hover #zone', /Hovered/, { js: ['zone.matches(":hover")', 'true'] }],
  ['drag #piece #zone', /Dragged/, { js: ['said.textContent', 'dropped piece'] }],
  ['check #tick', /Checked/, { js: ['tick.checked', 'true'] }],
  ['uncheck #tick', /Unchecked/, { js: ['tick.checked', 'false'] }],
  ['scroll #last', /into view/, { js: ['scrollY > 500', 'true'] }],
  ['scroll #box --by 0,50', /Scrolled/, { js: ['box.scrollTop', '50'] }],
  ['scroll #zone', /into view/],
  ['scroll #head', /into view/],
  [
    'mouse move 12 34',
    /Mouse at 12,34/,
    { js: ['[...document.querySelectorAll(":hover")].at(-1) === document.elementFromPoint(12, 34)', 'true'] },
  ],
  ['mouse wheel 60', /Wheel turned/, { js: ['scrollY > 0', 'true'] }],
  ['upload #file FOLDER/note.txt', /Uploaded: note\.txt/, { js: ['file.files[0].name', 'note.txt'] }],
  ['drop #zone FOLDER/note.txt', /Dropped/, { js: ['said.textContent', 'dropped note.txt'] }],
  ['clipboard write copied', /characters on the clipboard/],
  ['clipboard read', /copied/],
  ['webmcp-list', /add {2}Adds/, { attached: off, everyday: off }],
  ['webmcp-call add {"a":1}', /sum 2/, { attached: off, everyday: off }],
  ['viewport 640x480', /640x480/, { js: ['innerWidth', '640'] }],
  ['emulate color-scheme dark', /dark/, { js: ['matchMedia("(prefers-color-scheme: dark)").matches', 'true'] }],
  [
    'emulate permissions grant geolocation',
    /geolocation/,
    { ...refused, js: ['navigator.permissions.query({ name: "geolocation" }).then((answer) => answer.state)', 'granted'] },
  ],
  ['emulate reset', /./, { js: ['matchMedia("(prefers-color-scheme: dark)").matches', 'false'] }],
  ['useragent Tester/1', /User agent set/, { js: ['navigator.userAgent', 'Tester/1'] }],
  ['header X-Own:words', /Header set/],
  ['headers set X-Site:words --site HOST', /Headers for/],
  [
    'goto ORIGIN/echo',
    /200/,
    { js: ['/x-own: words[\\s\\S]*x-site: words|x-site: words[\\s\\S]*x-own: words/.test(document.body.innerText)', 'true'] },
  ],
  ['headers clear', /./],
  ['goto ORIGIN/echo', /200/, { js: ['/x-site: words/.test(document.body.innerText)', 'false'] }],
  ['credentials set ada:secret --site HOST', /Signs in to/],
  ['goto ORIGIN/private', /200/, { js: ['document.title', 'Private'] }],
  ['credentials clear --site HOST', /./],
  ['goto ORIGIN/every', /200/],
  ['route **/picture.svg --status 418', /Routed/, { js: ['fetch("/picture.svg").then((answer) => answer.status)', '418'] }],
  ['unroute', /Removed 1 route/, { js: ['fetch("/picture.svg").then((answer) => answer.status)', '200'] }],
  ['offline on', /Offline on/, { js: ['navigator.onLine', 'false'] }],
  ['offline off', /Offline off/, { js: ['navigator.onLine', 'true'] }],
  ['throttle 3g', /Network: 3g/, { js: [took('/every', '> 400'), 'true'] }],
  ['throttle cpu 2', /CPU: 2 times slower/],
  // It lists what is set in gstack's own browser.
  ['status', /a slow network","a CPU 2 times slower|"mode":"none"/],
  ['throttle off', /off/],
  ['status', /^(?![\s\S]*times slower)/],
  ['har start', /Recording/],
  ['js fetch("/echo?recorded").then(()=>1)', /1/],
  ['har stop FOLDER/requests.har', /HAR saved/, { file: ['requests.har', /"version": ?"1\.2"[\s\S]*echo\?recorded/] }],
  ['network list', /GET .*\/every/],
  ['cache off', /Cache off/, { js: [SAME, 'false'] }],
  ['cache on', /Cache on/, { js: [SAME, 'true'] }],
  ['cache clear', /Cache cleared/, { ...refused, js: [`${COUNTED}.then((number)=>number!==window.counted)`, 'true'] }],
  ['workers', /no service workers/, refused],
  [`js ${REGISTERED}`, /^1$/m, { js: [FROM_WORKER, 'from the worker'] }],
  ['workers', /worker\.js {2}\w+, running/, refused],
  ['workers-stop', /Stopped 1 service worker/, refused],
  ['workers', /worker\.js {2}\w+, stopped/, refused],
  ['workers-bypass on', /Bypassing service workers on/, { js: [FROM_WORKER, 'missing'] }],
  ['workers-bypass off', /Bypassing service workers off/, { js: [FROM_WORKER, 'from the worker'] }],
  [`js ${UNREGISTERED}`, /^1$/m],
  ['storage set theme dark', /Set localStorage/, { js: ['localStorage.theme', 'dark'] }],
  ['storage delete theme', /Deleted/, { js: ['localStorage.length', '0'] }],
  ['cookies set flavour=plain', /Cookie set/, { ...refused, js: ['document.cookie', 'flavour=plain'] }],
  ['cookie other=one', /Cookie set/, { ...refused, js: ['document.cookie', 'flavour=plain; other=one'] }],
  ['cookies clear', /Deleted/, { ...refused, js: ['document.cookie', ''] }],
  ['cookie-import FOLDER/cookies.json', /Loaded 1/, { ...refused, js: ['document.cookie', 'a=b'] }],
  ['cookie-import-browser', /./s],
  ['storage set theme kept', /Set localStorage/],
  ['state save tables', /State saved/, refused],
  ['storage delete theme', /Deleted/],
  ['state load tables', /State loaded/, { ...refused, js: ['localStorage.theme', 'kept'] }],
  ['storage delete theme', /Deleted/, { everyday: /./ }],
  ['init-script add window.early=1', /Added script/],
  ['reload --hard', /Reloaded/, { js: ['window.early', '1'] }],
  ['init-script remove', /Removed/],
  ['reload', /Reloaded/, { js: ['typeof window.early', 'undefined'] }],
  ['perf', /ms/],
  ['vitals', /TTFB/],
  ['audit-a11y', /axe-core|violations/],
  ['trace start', /Recording a trace/, refused],
  ['trace stop FOLDER/trace.json', /Trace saved/, { ...refused, file: ['trace.json', /"traceEvents"/] }],
  ['perf-trace', /Largest paint|No page was loaded/, refused],
  ['coverage css start', /Recording/],
  ['coverage css stop', /unused of/],
  ['coverage js start', /Recording/, refused],
  ['coverage js stop', /./s, refused],
  ['heap usage', /JavaScript/],
  ['heap snapshot FOLDER/heap.heapsnapshot', /Heap snapshot saved/, { ...refused, file: ['heap.heapsnapshot', /"snapshot"/] }],
  ['react-tree', undefined, { fails: /React/ }],
  ['react-component #head', undefined, { fails: /React/ }],
  ['cdp Runtime.getHeapUsage', /usedSize/],
  ['memory', /./s, refused],
  ['screenshot FOLDER/page.png', /Screenshot saved/, { file: ['page.png', /PNG/] }],
  ['diff-image FOLDER/page.png FOLDER/page.png', /are the same/],
  ['pdf FOLDER/page.pdf --landscape', /PDF saved/, { file: ['page.pdf', /%PDF/] }],
  ['mhtml FOLDER/page.mhtml', /MHTML saved/, { file: ['page.mhtml', /multipart\/related/] }],
  ['responsive FOLDER/sizes', /tablet \(768x1024\)/, { file: ['sizes-mobile.png', /PNG/] }],
  ['prettyscreenshot FOLDER/pretty.png', /Screenshot saved/, { file: ['pretty.png', /PNG/] }],
  ['video start FOLDER/clip.webm --size 160x96', /Recording a video/],
  ['fill #name moving', /Filled/],
  ['video stop', /Video saved/, { file: ['clip.webm', /webm/] }],
  ['diff ORIGIN/every ORIGIN/echo', /\+\+\+/],
  ['snapshot -i', /@e\d+ \[button\] "Go"/],
  ['download ORIGIN/file.bin FOLDER/file.bin', /Downloaded/, { file: ['file.bin', /bytes of a file/] }],
  ['click #get', /Clicked/],
  ['downloads', /file\.bin/],
  ['frame --name inner', /Switched to frame/],
  ['text', /Inner words/],
  ['frame main', /main frame/],
  ['load-html FOLDER/own.html', /Loaded HTML/, { js: ['document.body.innerText', 'own words'] }],
  ['back', /Back/],
  ['forward', /Forward/],
  ['chain url | count body', /\[count\]/],
  ['tab-each url', /ORIGIN/],
  ['watch start', /WATCHING/],
  ['js document.body.append(Object.assign(document.createElement("button"),{textContent:"New"})),1', /^1$/m],
  ['watch stop', /WATCH STOPPED \(\d+s, [1-9]\d* snapshots\)[\s\S]*\[button\] "New"/],
  ['inbox', /inbox/],
  ['status', /healthy/],
  ['tabs', /\[\d+\]/],
  ['lease', undefined, { fails: /no driver was given/ }],
  ['release', undefined, { fails: /no driver leases tab/ }],
  ['focus', /Focused tab/, { js: ['document.visibilityState', 'visible'] }],
];

/** Commands whose effect needs rows of their own in the test: they open, close or hand over tabs. */
export const APART = ['newtab', 'tab', 'closetab', 'handoff', 'pause', 'resume'];
