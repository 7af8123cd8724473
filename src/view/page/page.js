/*
 * The page of `gstack view`. It reads one stream (`message.rs` has its form) and draws the newest picture; what the person does goes
 * back in their order, one request at a time. Everything of a browser is set as text. What names this page is in this tab alone.
 */
const part = (id) => document.getElementById(id);
const [picture, keys, take, tabs] = ['picture', 'keys', 'take', 'tabs'].map(part);
/** How long a card is in view before it can be answered, as in the side panel. */
const ARMING_MS = 700;
const MARKS = { running: ['…', 'Running'], ok: ['✓', 'Done'], failed: ['✗', 'Failed'], unknown: ['?', 'Outcome unknown'] };
/** What DevTools counts: Alt 1, Ctrl 2, Meta 4, Shift 8. */
const modifiersOf = (event) => (event.altKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.metaKey ? 4 : 0) | (event.shiftKey ? 8 : 0);

let page = sessionStorage.getItem('page');
let state = { tabs: [], taken: false };
/** The size of the tab, in its own pixels. */
let size = { width: 0, height: 0 };
let over = false;
let connection;
/** How often it has connected since it was loaded: of two requests, the later one may arrive first. */
let connections = 0;
const loaded = crypto.randomUUID();

const element = (name, text, kind) => {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  if (kind) made.className = kind;
  return made;
};

const post = (path, body, signal) =>
  fetch(`/view/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(page ? { 'x-gstack-view': page } : {}) },
    body: JSON.stringify(body),
    cache: 'no-store',
    redirect: 'error',
    signal,
  });

function end(words) {
  over = true;
  connection?.abort();
  state = { ...state, taken: false, can: false, dialog: null };
  draw();
  part('says').textContent = words;
  picture.classList.add('old');
  part('approvals').replaceChildren();
}

/* What the person does, in order. Moves and turns of the wheel that wait are one. */
const waiting = [];
let sending = false;
function act(one) {
  if (over) return;
  const last = waiting.at(-1);
  if (one.do === 'mouse' && last?.do === 'mouse' && last.kind === one.kind && last.modifiers === one.modifiers) {
    if (one.kind === 'moved') waiting.pop();
    if (one.kind === 'wheel') {
      waiting.pop();
      one.deltaX += last.deltaX;
      one.deltaY += last.deltaY;
    }
  }
  waiting.push(one);
  if (!sending) send();
}
async function send() {
  sending = true;
  while (waiting.length > 0 && !over) {
    // An act may cross the end of the page and is refused then. The stream says why the page ended.
    await post('act', waiting.splice(0)).catch(() => undefined);
  }
  sending = false;
}

function drawDialog({ dialog, taken }) {
  part('dialog').hidden = !dialog;
  if (!dialog) {
    delete part('dialog').dataset.shows;
    return;
  }
  const shows = JSON.stringify(dialog);
  if (part('dialog').dataset.shows !== shows) {
    part('dialog').dataset.shows = shows;
    part('dialog-text').textContent = dialog.kind === 'beforeunload' ? 'Leave this page? Changes may be lost.' : dialog.message;
    part('dialog-input').value = dialog.suggests;
  }
  part('dialog-input').hidden = dialog.kind !== 'prompt';
  part('dialog-no').hidden = dialog.kind === 'alert';
  part('dialog-hint').hidden = taken;
  for (const control of part('dialog').elements) control.disabled = !taken;
}

function draw() {
  const { says, note, taken, can, source, chosen, paused, old } = state;
  document.body.classList.toggle('taken', taken);
  const yours = `You have the tab${paused ? ', and the agent is paused' : ''}. Mouse and keys go to the page; F6 leaves it.`;
  part('says').textContent = note ?? says ?? (taken ? yours : '');
  part('source').textContent = source ?? '';
  take.textContent = taken ? 'Hand back' : 'Take over';
  take.disabled = !can && !taken;
  keys.hidden = !taken;
  keys.tabIndex = taken ? 0 : -1;
  picture.classList.toggle('old', Boolean(old || (says && !taken)));
  tabs.disabled = taken;
  const named = (tab) => tab.title || tab.url || `Tab ${tab.id}`;
  const shown = state.tabs.find((tab) => tab.id === state.tab);
  const options = [['', shown && chosen === null ? `In use: ${named(shown)}` : 'The tab in use']];
  for (const tab of state.tabs) options.push([String(tab.id), `${tab.id}: ${named(tab)}`]);
  const listed = JSON.stringify(options);
  if (tabs.dataset.listed !== listed) {
    tabs.dataset.listed = listed;
    tabs.replaceChildren(...options.map(([value, text]) => Object.assign(element('option', text), { value })));
  }
  tabs.value = chosen === null || chosen === undefined ? '' : String(chosen);
  picture.setAttribute('aria-label', shown ? `Picture of ${named(shown)}` : 'No picture');
  document.title = shown ? `${named(shown)} – gstack view` : 'gstack view';
  drawDialog(state);
}

function card({ conversation, approval, shown }) {
  const made = element('article', '', 'card');
  made.dataset.approval = approval;
  const facts = element('dl');
  for (const { label, text } of shown.facts) facts.append(element('dt', label), element('dd', text));
  const choices = element('div', '', 'choices');
  for (const [decision, text] of [['deny', 'Deny'], ...(shown.mayAllow ? [['allow-once', 'Allow once']] : [])]) {
    const button = Object.assign(element('button', text), { type: 'button', disabled: true });
    button.addEventListener('click', (event) => {
      if (!event.isTrusted) return;
      for (const one of choices.children) one.disabled = true;
      act({ do: 'answer', conversationId: conversation, approvalId: approval, decision });
    });
    setTimeout(() => {
      button.disabled = false;
    }, ARMING_MS);
    choices.append(button);
  }
  made.append(element('p', `${shown.from} asks`, 'from'), element('h2', shown.ask, 'ask'), facts, choices);
  return made;
}

/** Cards that wait on stay as they are: a button does not move below the pointer. */
function drawApprovals({ list, questions }) {
  const place = part('approvals');
  const known = new Map([...place.querySelectorAll('.card')].map((one) => [one.dataset.approval, one]));
  const cards = list.map((one) => known.get(one.approval) ?? card(one));
  for (const one of [...place.children]) if (!cards.includes(one)) one.remove();
  for (const one of cards) if (!one.isConnected) place.append(one);
  if (questions > 0) place.append(element('p', 'An agent asks a question. Answer it in the side panel or with gstack approvals.', 'from'));
}

function drawSteps(steps) {
  const list = part('steps');
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  for (const { id, command, args, outcome, result, driver, source } of steps) {
    const line = element('li', '', outcome);
    line.id = `step-${id}`;
    const [sign, name] = MARKS[outcome];
    const mark = Object.assign(element('span', sign), { role: 'img', ariaLabel: name });
    const text = element('span', result || [command, ...args].join(' '));
    if (driver) text.append(element('span', ` · ${driver}`, 'by'));
    else if (source === 'terminal') text.append(element('span', ' · terminal', 'by'));
    line.append(mark, text);
    const before = document.getElementById(line.id);
    if (before) before.replaceWith(line);
    else list.append(line);
  }
  while (list.children.length > 100) list.firstChild.remove();
  if (atEnd) list.scrollTop = list.scrollHeight;
}

/** Shows the whole tab, at most as large as it is. */
function fit() {
  if (size.width === 0) return;
  const room = { width: part('frame').clientWidth, height: Math.max(innerHeight * 0.7, innerHeight - 170) };
  const scale = Math.min(1, room.width / size.width, room.height / size.height);
  Object.assign(picture.style, { width: `${size.width * scale}px`, height: `${size.height * scale}px` });
}

async function drawPicture({ number, width, height }, jpeg) {
  const bitmap = await createImageBitmap(new Blob([jpeg], { type: 'image/jpeg' })).catch(() => undefined);
  if (bitmap) {
    const { width: across, height: down } = bitmap;
    if (picture.width !== across || picture.height !== down) Object.assign(picture, { width: across, height: down });
    picture.getContext('2d', { alpha: false }).drawImage(bitmap, 0, 0);
    bitmap.close();
    size = { width, height };
    fit();
  }
  act({ do: 'seen', number });
}

async function got(message, blob) {
  if (message.picture) return drawPicture(message.picture, blob);
  if (message.state) {
    const had = state.taken;
    state = message.state;
    draw();
    if (state.taken && !had) keys.focus({ preventScroll: true });
    if (!state.taken && had) take.focus();
  }
  if (message.approvals) drawApprovals(message.approvals);
  if (message.steps) drawSteps(message.steps);
  if (message.copied) await navigator.clipboard.writeText(message.copied).catch(() => {});
  if (message.ended) end(message.ended);
}

/** Reads the stream until it ends. */
async function read(body) {
  const reader = body.getReader();
  let bytes = new Uint8Array(0);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const joined = new Uint8Array(bytes.length + value.length);
    joined.set(bytes);
    joined.set(value, bytes.length);
    bytes = joined;
    for (;;) {
      if (bytes.length < 8) break;
      const view = new DataView(bytes.buffer, bytes.byteOffset);
      const [json, blob] = [view.getUint32(0), view.getUint32(4)];
      if (bytes.length < 8 + json + blob) break;
      const text = new TextDecoder().decode(bytes.subarray(8, 8 + json));
      await got(JSON.parse(text), bytes.slice(8 + json, 8 + json + blob));
      bytes = bytes.subarray(8 + json + blob);
    }
  }
}

const tellSize = () => {
  const box = part('frame').getBoundingClientRect();
  const pixels = (length) => Math.round(length * devicePixelRatio);
  // In steps, so that a scroll bar changes nothing.
  const steps = (length) => Math.ceil(pixels(length) / 64) * 64;
  act({ do: 'size', width: steps(box.width), height: steps(innerHeight) });
};

/** Connects while the page is in view: nobody looks at a hidden one, and then the browser draws nothing for it. */
async function connect() {
  // One connection at a time: gstack ends the older one, and would say so.
  connection?.abort();
  const own = new AbortController();
  connection = own;
  try {
    const response = await post('stream', { document: loaded, number: ++connections }, own.signal);
    if (!response.ok) {
      const answer = await response.json().catch(() => ({}));
      return end(answer.says ?? 'This page cannot be shown. Create another link: gstack view');
    }
    tellSize();
    await read(response.body);
    if (!over) end('gstack has ended, or the connection to it broke. Create another link: gstack view');
  } catch {
    if (!own.signal.aborted && !over) end('gstack does not answer. Create another link: gstack view');
  }
}
document.addEventListener('visibilitychange', () => {
  if (over || !page) return;
  if (document.hidden) connection?.abort();
  else connect();
});

/* Taking over. */
take.addEventListener('click', (event) => event.isTrusted && act({ do: state.taken ? 'back' : 'take' }));
tabs.addEventListener('change', () => act({ do: 'tab', id: tabs.value === '' ? null : Number(tabs.value) }));
part('dialog').addEventListener('submit', (event) => {
  event.preventDefault();
  act({ do: 'dialog', accept: true, text: part('dialog-input').value });
});
part('dialog-no').addEventListener('click', () => act({ do: 'dialog', accept: false }));

const BUTTONS = ['left', 'middle', 'right', 'back', 'forward'];
function mouse(kind, event, more = {}) {
  if (!state.taken || !event.isTrusted || size.width === 0) return;
  const box = picture.getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * size.width;
  const y = ((event.clientY - box.top) / box.height) * size.height;
  act({ do: 'mouse', kind, x, y, buttons: event.buttons, modifiers: modifiersOf(event), ...more });
}
picture.addEventListener('mousemove', (event) => {
  const held = event.buttons & 1 ? 'left' : event.buttons & 2 ? 'right' : event.buttons & 4 ? 'middle' : 'none';
  mouse('moved', event, { button: held });
});
for (const [name, kind] of [
  ['mousedown', 'pressed'],
  ['mouseup', 'released'],
]) {
  picture.addEventListener(name, (event) => {
    if (!state.taken) return;
    event.preventDefault();
    keys.focus({ preventScroll: true });
    mouse(kind, event, { button: BUTTONS[event.button] ?? 'none', clicks: Math.max(event.detail, 1) });
  });
}
picture.addEventListener('contextmenu', (event) => state.taken && event.preventDefault());
picture.addEventListener(
  'wheel',
  (event) => {
    if (!state.taken) return;
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 40 : event.deltaMode === 2 ? size.height : 1;
    mouse('wheel', event, { button: 'none', deltaX: event.deltaX * unit, deltaY: event.deltaY * unit });
  },
  { passive: false },
);

/* Keys. The field is where a keyboard layout, dead keys and an input method put their text. */
const pressed = new Set();
function key(event, down) {
  if (!state.taken || !event.isTrusted || event.isComposing || event.keyCode === 229) return;
  if (event.key === 'F6') {
    if (down) take.focus();
    event.preventDefault();
    return;
  }
  const shortcut = (event.ctrlKey || event.metaKey) && !event.getModifierState('AltGraph');
  // The person pastes from their own clipboard: the field gets it.
  if (shortcut && event.key.toLowerCase() === 'v') return;
  if (event.key === 'Dead' || event.key === 'Process' || event.key === 'Unidentified') return;
  event.preventDefault();
  if (down) pressed.add(event.code);
  else if (!pressed.delete(event.code)) return;
  const graph = event.getModifierState('AltGraph');
  const text = event.key === 'Enter' ? '\r' : [...event.key].length === 1 && !shortcut && (!event.altKey || graph) ? event.key : '';
  const modifiers = graph ? modifiersOf(event) & 8 : modifiersOf(event);
  const { code, keyCode, location, repeat } = event;
  act({ do: 'key', down, key: event.key, code, keyCode, text: down ? text : '', modifiers, location, repeat });
}
keys.addEventListener('keydown', (event) => key(event, true));
keys.addEventListener('keyup', (event) => key(event, false));
keys.addEventListener('input', (event) => {
  if (event.isComposing) return;
  const text = keys.value;
  keys.value = '';
  if (state.taken && text) act({ do: 'text', text });
});
keys.addEventListener('compositionend', () => {
  const text = keys.value;
  keys.value = '';
  if (state.taken && text) act({ do: 'text', text });
});

/** Tells the size once it is settled: each one starts the pictures again. */
let settling;
new ResizeObserver(() => {
  fit();
  clearTimeout(settling);
  settling = setTimeout(() => state.can && tellSize(), 200);
}).observe(part('frame'));

async function begin() {
  const secret = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  if (secret) {
    const response = await post('begin', { secret });
    const answer = await response.json();
    if (!response.ok && !page) return end(answer.says);
    if (response.ok) {
      page = answer.page;
      sessionStorage.setItem('page', page);
    }
  }
  if (!page) return end('This page needs a link. Create one: gstack view');
  if (!document.hidden) connect();
}
begin().catch(() => end('gstack does not answer. Create another link: gstack view'));
