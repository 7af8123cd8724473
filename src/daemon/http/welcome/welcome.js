/**
 * The welcome page: the last link of the chain panel → background → content script → page.
 * Owns what the page shows. Never says that the panel is connected before the extension reports it:
 * loading the extension alone changes nothing.
 */
const page = document.querySelector('main');
const opened = performance.now();

/** When the page offers help because the panel has not connected. The page keeps waiting after that. */
const LATE_MS = 12_000;

/** Marks one link of the chain as done. */
function done(step, words) {
  const row = document.querySelector(`li[data-step="${step}"]`);
  row.classList.add('done');
  row.querySelector('span').textContent = words;
}

const late = setTimeout(() => {
  page.dataset.state = 'late';
}, LATE_MS);

// The content script sends this once, when the panel, background, host and daemon are connected.
document.addEventListener(
  'gstack-extension-ready',
  () => {
    clearTimeout(late);
    const seconds = ((performance.now() - opened) / 1000).toFixed(1);
    done('panel', 'connected');
    done('background', 'answered');
    done('content', 'told this page');
    done('page', `ready after ${seconds} s`);
    page.dataset.state = 'ready';
  },
  { once: true },
);

document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]');
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.textContent = 'Copied';
});
