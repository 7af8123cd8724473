/*
 * The page of a one-time link: reads what the approval would do, and answers it if the person presses a button. The secret is
 * behind `#`, so no proxy and no log has it, and it leaves the address bar at once. Everything is set as text.
 */
const secret = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
/** How long a card is in view before it can be answered, as in the side panel. */
const ARMING_MS = 700;
const part = (id) => document.getElementById(id);
const buttons = [part('deny'), part('allow')];

async function post(decision) {
  const response = await fetch(location.pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(decision ? { secret, decision } : { secret }),
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
  });
  const answer = await response.json();
  if (!response.ok) throw new Error([answer.fault?.message, answer.hint].filter(Boolean).join('. '));
  return answer;
}

function fail(error) {
  part('choices').hidden = true;
  part('said').textContent = error.message;
}

async function decide(decision, done) {
  for (const button of buttons) button.disabled = true;
  try {
    await post(decision);
    part('choices').hidden = true;
    part('said').textContent = done;
  } catch (error) {
    fail(error);
  }
}

function show({ from, ask, facts, mayAllow }) {
  part('from').textContent = `${from} asks`;
  part('ask').textContent = ask;
  for (const { label, text } of facts) {
    const [name, value] = [document.createElement('dt'), document.createElement('dd')];
    name.textContent = label;
    value.textContent = text;
    part('facts').append(name, value);
  }
  part('choices').hidden = false;
  part('allow').hidden = !mayAllow;
  setTimeout(() => {
    for (const button of buttons) button.disabled = false;
  }, ARMING_MS);
}

part('deny').addEventListener('click', (event) => event.isTrusted && decide('deny', 'Denied.'));
part('allow').addEventListener('click', (event) => event.isTrusted && decide('allow-once', 'Allowed once.'));
post().then(show, (error) => {
  part('ask').textContent = 'Nothing to answer';
  fail(error);
});
