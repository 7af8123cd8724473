/*
 * The goals of the measurements: the most that each figure may be, and, where one is missed, why, with the profile that
 * shows it. Data only. A figure above its goal without a reason here fails `node benches/goals.mjs`.
 *
 * `name` is the figure's name in figures.json; ratios are gstack's time divided by the fastest peer's.
 */

const PEERS = 'benches/peers/run.mjs';
const CHAT = 'benches/chat-path.mjs';
const HAND = 'by hand: benches/goals.mjs --set';

const ratio = (operation, page, most, reason) => ({
  name: `${operation}, ${page}`,
  title: `${operation}, ${page}: time ÷ fastest peer's`,
  most,
  unit: '×',
  from: PEERS,
  reason,
});

export const GOALS = [
  ratio(
    'url',
    'tiny',
    0.5,
    "The time is that of starting a process, for both programs: most of `gstack url`'s page faults are the loader's, and the " +
      'daemon answers in 0.5 ms (profiles: the start of a process, what a command says to the browser).',
  ),
  {
    name: 'url, processor ratio',
    title: "url: processor time ÷ agent-browser's",
    most: 0.5,
    unit: '×',
    from: PEERS,
    reason:
      "Half of it is what a process of any size takes, and most of the rest the loader's page faults (profile: the start of a process).",
  },
  ratio(
    'goto',
    'tiny',
    0.8,
    'Nothing is sent between `Page.navigate` and the answer: the browser loads the document, which takes it as long for every client ' +
      '(profile: what a command says to the browser).',
  ),
  ratio(
    'click',
    'tiny',
    0.7,
    'Two exchanges: the element is found and checked, then the pointer moves and presses in one write (profile: what a command says ' +
      'to the browser); the start of the process is a third. ' +
      'agent-browser checks neither that the element stands still nor that it takes the event.',
  ),
  ratio(
    'fill',
    'tiny',
    0.7,
    'The value is read back after the next frame, up to 16.7 ms later: pages that redraw in a frame change it there, and no earlier ' +
      'moment shows it (profile: what a command says to the browser). agent-browser does not read it back.',
  ),
  ratio(
    'snapshot',
    'tiny',
    0.6,
    'One exchange of 2 ms; the start of the process is more than half ' +
      '(profiles: what a command says to the browser, the start of a process).',
  ),
  ratio(
    'screenshot',
    'tiny',
    0.9,
    '`Page.captureScreenshot` is nearly all of it: the browser draws a frame and encodes it (profile: what a command says to the browser).',
  ),
  ratio(
    'snapshot',
    '10k',
    0.05,
    'The page is walked to the limit of what is printed, and once as a whole to count the rest and to find what can be clicked ' +
      'without saying so. ' +
      "In the page's CPU profile a fifth is `checkVisibility`, a fifth style and layout, a fifth collecting garbage, the rest our walk.",
  ),
  ratio(
    'text',
    '10k',
    0.7,
    "After the engine's own `innerText` its lines are compared with the page's text, and shadow roots and fields are looked for: " +
      'that is how they are read as people see them (profile: text). Of 100,000 elements `innerText` takes 24 ms, and looking for ' +
      'shadow roots 45 ms: no selector finds them. agent-browser prints `innerText` alone.',
  ),
  ratio('snapshot', '100k', 0.03, 'As for 10k.'),
  ratio('text', '100k', 0.7, 'As for 10k.'),
  ratio(
    'nothing runs → first page',
    'tiny',
    0.7,
    'Both start the same browser, and its own start is nearly all of it (`connect` prints the time of each step).',
  ),
  {
    name: 'daemon memory, fresh',
    title: "the daemon's memory (PSS) with a browser and one page",
    most: 6,
    unit: 'MiB',
    from: PEERS,
    reason: "Nearly all is the program's own file, of which the pages that were used are counted (`smaps` of the daemon).",
  },
  {
    name: 'daemon memory, after 100k',
    title: "the daemon's memory (PSS) after `snapshot -i` and `text` of 100,000 elements",
    most: 10,
    unit: 'MiB',
    from: PEERS,
    reason: "The allocator keeps what the page's text of several MB needed (`smaps` of the daemon, the heap).",
  },
  {
    name: 'daemon switches, idle',
    title: "the daemon's context switches in 20 s, from 30 s after the last command",
    most: 4,
    unit: '',
    from: PEERS,
    reason: null,
  },
  {
    name: 'url, processor',
    title: '`gstack url`: processor time',
    most: 1.5,
    unit: 'ms',
    from: PEERS,
    reason:
      "Half of it is what a process of any size takes, and most of the rest the loader's page faults (profile: the start of a process).",
  },
  ...[
    ['Enter → agent', 'Enter in the panel → the line at the agent'],
    ['agent → panel', "the agent's line → the text in the panel"],
  ].flatMap(([name, title]) =>
    [
      ['median', 3],
      ['99th percentile', 10],
    ].map(([of, most]) => ({
      name: `${name}, ${of}`,
      title: `${title}, ${of}`,
      most,
      unit: 'ms',
      from: CHAT,
      reason:
        name === 'Enter → agent'
          ? 'Two processes of Chromium (panel and worker), the host and the daemon hand it on, and the message is synced to the ' +
            'disk before the agent is given it. The 99th percentile is the disk and the scheduler.'
          : 'The panel draws at most once in a frame, so a line waits up to 16.7 ms for the next one ' +
            "(`requestAnimationFrame` in the page's profile).",
    })),
  ),
  {
    name: 'program',
    title: 'the program, release build',
    most: 12,
    unit: 'MB',
    from: PEERS,
    reason: '11 MB are code, 4 MB embedded files and tables (0.65 MB of it axe-core), 1.9 MB unwind tables (profile: the program).',
  },
  {
    name: 'cold build',
    title: 'first release build on 2 cores',
    most: 4,
    unit: 'min',
    from: HAND,
    reason: '578 s of processor time, more than half of it for gstack itself (`cargo build --timings`).',
  },
  {
    name: 'tests, cold',
    title: '`tests/run.sh` from nothing on 2 cores',
    most: 25,
    unit: 'min',
    from: HAND,
    reason:
      "Two thirds of the tests' processor time are Chromium's, for 400 browsers and 2,300 processes of pages; the rest are the " +
      'programs under test (tests/slowest.md has the times of the last run, which had its packages).',
  },
];

/** Returns the most that a figure may be; undefined without a goal. @param {string} name */
export const goalOf = (name) => GOALS.find((one) => one.name === name)?.most;
