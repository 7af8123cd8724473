/**
 * The welcome page's side of the chain panel → background → content script → page.
 * Owns what the page shows. Never says that the panel is connected before the extension did:
 * merely loading the extension hides nothing.
 */
const page = document.querySelector('main');

/** Marks one link of the chain as done. */
function done(step, words) {
  const row = document.querySelector(`li[data-step="${step}"]`);
  if (!row) return;
  row.classList.add('done');
  if (words) row.querySelector('span').textContent = words;
}

// The content script says it once, when background, host and daemon stand behind the panel.
document.addEventListener('gstack-extension-ready', () => {
  done('panel', 'connected');
  done('background', 'answered');
  done('content', 'loaded');
  done('page');
  page.dataset.state = 'ready';
});

document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]');
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.textContent = 'Copied';
});
