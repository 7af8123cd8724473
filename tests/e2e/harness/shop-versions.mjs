/*
 * A shop of lamps in 20 versions that a person would still use: other ids, classes, order, elements and languages. Owns the pages;
 * `flows.test.mjs` and `benches/flow-versions.mjs` run what was recorded on the unchanged one.
 */
const LAMPS = ['Desk lamp', 'Floor lamp', 'Wall lamp'];
const BUYS = `document.addEventListener('click', async (event) => {
  const item = event.composedPath().find((one) => one.dataset?.item)?.dataset.item;
  if (!item) return;
  event.preventDefault();
  await fetch('/buy?item=' + encodeURIComponent(item), { method: 'POST' });
  const said = document.createElement('p');
  said.textContent = 'Bought';
  document.body.append(said);
});`;
export const page = (body) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title><body>${body}<script>${BUYS}</script></body></html>`;
export const button = (lamp, words = 'Buy') => `<button id="buy-${lamp[0]}" class="buy" data-item="${lamp}">${words}</button>`;
export const list = (items) => `<main><h1>Lamps</h1><ul>${items.join('')}</ul></main>`;
const row = (lamp, bought = button(lamp)) => `<li><h2>${lamp}</h2><p>20 €</p>${bought}</li>`;
export const rows = (bought) => LAMPS.map((lamp) => row(lamp, bought?.(lamp)));

/* Versions of the shop that a person would still use, each with whether a run may stop instead. */
export const VERSIONS = {
  unchanged: [list(rows())],
  'other ids': [list(rows((lamp) => `<button id="x${lamp.length}" data-item="${lamp}">Buy</button>`))],
  'other classes': [list(rows((lamp) => `<button class="btn btn-primary" data-item="${lamp}">Buy</button>`))],
  'another order': [list(rows().reverse())],
  'one more lamp before it': [list([row('Ceiling lamp'), ...rows()])],
  'wrapped elements': [`<div><div>${list(rows((lamp) => `<div><span>${button(lamp, '<span>Buy</span>')}</span></div>`))}</div></div>`],
  'buttons that are links': [list(rows((lamp) => `<a href="#" data-item="${lamp}">Buy</a>`))],
  'buttons by role': [list(rows((lamp) => `<div role="button" tabindex="0" data-item="${lamp}">Buy</div>`))],
  'pictures for words': [list(rows((lamp) => `<button aria-label="Buy" data-item="${lamp}">🛒</button>`))],
  'a table': [`<table>${LAMPS.map((lamp) => `<tr><td>${lamp}</td><td>20 €</td><td>${button(lamp)}</td></tr>`).join('')}</table>`],
  articles: [LAMPS.map((lamp) => `<article><h3>${lamp}</h3>${button(lamp)}</article>`).join('')],
  'cards without a role': [`<main>${LAMPS.map((lamp) => `<div><h2>${lamp}</h2><p>20 €</p>${button(lamp)}</div>`).join('')}</main>`],
  'a frame': [`<iframe srcdoc="${page(list(rows())).replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`],
  'a shadow tree': [`<div><template shadowrootmode="open">${list(rows())}</template></div>`],
  'buttons before their lamps': [`<main>${LAMPS.map((lamp) => `<div>${button(lamp)}<h2>${lamp}</h2></div>`).join('')}</main>`, 'may stop'],
  'sold out': [list([row(LAMPS[0], '<p>Sold out</p>'), row(LAMPS[1]), row(LAMPS[2])]), 'stops'],
  'sold out, without rows': [`<h2>Desk lamp</h2><p>Sold out</p><h2>Floor lamp</h2>${button('Floor lamp')}`, 'stops'],
  'another language': [list(['Schreibtischlampe', 'Stehlampe'].map((lamp) => row(lamp, button(lamp, 'Kaufen')))), 'stops'],
  'other words': [list(rows((lamp) => button(lamp, 'Put into the basket'))), 'stops'],
  'a lamp with nearly its name': [list([row('Desk lamp XL'), ...rows()]), 'stops'],
};
