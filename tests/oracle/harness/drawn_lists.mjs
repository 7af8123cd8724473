/*
 * Lists, date pickers and masked fields that libraries draw, as they are published: React ones made into one script, the others as
 * their own files.
 *
 * Owns the pages. `held()` returns what each library reports, not what the fields show.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const oracle = fileURLToPath(new URL('..', import.meta.url));
const PACKAGES = ['react-select', 'downshift', '@headlessui/react', 'radix-ui', 'antd', 'esbuild', 'vue', 'vuetify'];
const PLAIN_PACKAGES = ['tom-select', 'select2', 'jquery', 'choices.js', 'flatpickr', 'imask', 'inputmask'];
export const hasDrawnLists = [...PACKAGES, ...PLAIN_PACKAGES].every((name) => existsSync(path.join(oracle, 'node_modules', name)));

const SOURCE = `
  import { createElement as e, useState } from 'react';
  import { createRoot } from 'react-dom/client';
  import Select from 'react-select';
  import Creatable from 'react-select/creatable';
  import Async from 'react-select/async';
  import { useCombobox, useSelect } from 'downshift';
  import * as h from '@headlessui/react';
  import { Select as r } from 'radix-ui';
  import * as antd from 'antd';
  import { createApp, h as vh, ref as vref, watchEffect } from 'vue';
  import { createVuetify } from 'vuetify';
  import { VApp } from 'vuetify/components/VApp';
  import { VSelect } from 'vuetify/components/VSelect';
  import { VAutocomplete } from 'vuetify/components/VAutocomplete';

  const held = {};
  globalThis.held = () => held;
  function useHeld(name, first, words = (value) => value) {
    const [value, set] = useState(first);
    held[name] = words(value);
    return [value, set];
  }
  const CITIES = ['Berlin', 'Bern', 'New York', 'Paris', 'Rome', 'York'];
  const OPTIONS = CITIES.map((label) => ({ label, value: label.toLowerCase() }));
  const value = (chosen) => (Array.isArray(chosen) ? chosen.map((one) => one.value) : (chosen?.value ?? null));
  const MANY = Array.from({ length: 300 }, (none, at) => ({ label: 'Item ' + at, value: at }));

  function ReactSelects() {
    const [one, setOne] = useHeld('reactSelect', null, value);
    const [many, setMany] = useHeld('reactSelectMany', [], value);
    const [made, setMade] = useHeld('reactSelectMade', null, value);
    const [late, setLate] = useHeld('reactSelectLate', null, value);
    const load = (typed) => new Promise((resolve) => setTimeout(() =>
      resolve(OPTIONS.filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()))), 400));
    return e('section', null,
      e(Select, { 'aria-label': 'RS one', options: OPTIONS, value: one, onChange: setOne, isClearable: true }),
      e(Select, { 'aria-label': 'RS many', options: OPTIONS, value: many, onChange: setMany, isMulti: true }),
      e(Creatable, { 'aria-label': 'RS made', options: OPTIONS, value: made, onChange: setMade }),
      e(Async, { 'aria-label': 'RS late', loadOptions: load, value: late, onChange: setLate }));
  }
  function Combo() {
    const [items, setItems] = useState(CITIES);
    const [chosen, setChosen] = useHeld('downshiftCombo', null);
    const box = useCombobox({ items, selectedItem: chosen, onSelectedItemChange: ({ selectedItem }) => setChosen(selectedItem),
      onInputValueChange: ({ inputValue }) => setItems(CITIES.filter((one) => one.toLowerCase().includes(inputValue.toLowerCase()))) });
    return e('section', null, e('label', box.getLabelProps(), 'DS combo'), e('input', box.getInputProps()),
      e('button', box.getToggleButtonProps({ 'aria-label': 'toggle' }), 'v'),
      e('ul', box.getMenuProps(), options(box, items)));
  }
  const options = (box, items) =>
    box.isOpen && items.map((item, index) => e('li', { key: item, ...box.getItemProps({ item, index }) }, item));
  function Chooser() {
    const [chosen, setChosen] = useHeld('downshiftSelect', null);
    const box = useSelect({ items: CITIES, selectedItem: chosen, onSelectedItemChange: ({ selectedItem }) => setChosen(selectedItem) });
    return e('section', null, e('label', box.getLabelProps(), 'DS select'), e('div', box.getToggleButtonProps(), chosen ?? 'Choose'),
      e('ul', box.getMenuProps(), options(box, CITIES)));
  }
  function Headless() {
    const [query, setQuery] = useState('');
    const [one, setOne] = useHeld('headlessCombo', null);
    const [list, setList] = useHeld('headlessList', 'Paris');
    const [many, setMany] = useHeld('headlessMany', []);
    const found = CITIES.filter((city) => city.toLowerCase().includes(query.toLowerCase()));
    return e('section', null,
      e(h.Field, null, e(h.Label, null, 'HU combo'), e(h.Combobox, { value: one, onChange: setOne, onClose: () => setQuery('') },
        e(h.ComboboxInput, { displayValue: (city) => city ?? '', onChange: (event) => setQuery(event.target.value) }),
        e(h.ComboboxButton, { 'aria-label': 'toggle' }, 'v'),
        e(h.ComboboxOptions, { anchor: 'bottom' }, found.map((city) => e(h.ComboboxOption, { key: city, value: city }, city))))),
      e(h.Field, null, e(h.Label, null, 'HU list'), e(h.Listbox, { value: list, onChange: setList }, e(h.ListboxButton, null, list),
        e(h.ListboxOptions, { anchor: 'bottom' }, CITIES.map((city) => e(h.ListboxOption, { key: city, value: city }, city))))),
      e(h.Field, null, e(h.Label, null, 'HU many'), e(h.Listbox, { value: many, onChange: setMany, multiple: true },
        e(h.ListboxButton, null, many.join(', ') || 'None'),
        e(h.ListboxOptions, { anchor: 'bottom' }, CITIES.map((city) => e(h.ListboxOption, { key: city, value: city }, city))))));
  }
  function Radix() {
    const [chosen, setChosen] = useHeld('radix', '');
    return e('section', null, e(r.Root, { value: chosen, onValueChange: setChosen },
      e(r.Trigger, { 'aria-label': 'RX select' }, e(r.Value, { placeholder: 'Choose' }), e(r.Icon)),
      e(r.Portal, null, e(r.Content, { position: 'popper' }, e(r.Viewport, null,
        CITIES.map((city) => e(r.Item, { key: city, value: city }, e(r.ItemText, null, city), e(r.ItemIndicator, null, '✓'))))))));
  }
  function Ant() {
    const [one, setOne] = useHeld('antOne', null);
    const [search, setSearch] = useHeld('antSearch', null);
    const [many, setMany] = useHeld('antMany', []);
    const [long, setLong] = useHeld('antLong', null);
    const [auto, setAuto] = useHeld('antAuto', '');
    const [day, setDay] = useHeld('antDay', null, (value) => value?.format('YYYY-MM-DD') ?? null);
    const [count, setCount] = useHeld('antNumber', 1);
    const width = { style: { width: 240 } };
    const typed = { ...width, showSearch: { optionFilterProp: 'label' } };
    const [far, setFar] = useHeld('antScrolled', null);
    return e('section', { style: { display: 'grid', gap: 8 } },
      e(antd.Select, { 'aria-label': 'AD one', options: OPTIONS, value: one, onChange: setOne, allowClear: true, ...width }),
      e(antd.Select, { 'aria-label': 'AD search', options: OPTIONS, value: search, onChange: setSearch, ...typed }),
      e(antd.Select, { 'aria-label': 'AD many', options: OPTIONS, value: many, onChange: setMany, mode: 'multiple', ...width }),
      e(antd.Select, { 'aria-label': 'AD long', options: MANY, value: long, onChange: setLong, ...typed }),
      e(antd.Select, { 'aria-label': 'AD scrolled', options: MANY, value: far, onChange: setFar, ...width }),
      e(antd.AutoComplete, { 'aria-label': 'AD auto', options: OPTIONS, value: auto, onChange: setAuto, ...width }),
      e(antd.DatePicker, { 'aria-label': 'AD day', value: day, onChange: setDay, ...width }),
      e(antd.InputNumber, { 'aria-label': 'AD number', value: count, onChange: setCount, max: 10, ...width }));
  }
  function App() {
    return e('main', { style: { width: 300, padding: 8 } }, e(ReactSelects), e(Combo), e(Chooser), e(Headless), e(Radix), e(Ant));
  }
  createRoot(document.querySelector('#app')).render(e(App));

  const one = vref(null), many = vref([]), auto = vref(null);
  const bound = (held) => ({ items: CITIES, modelValue: held.value, 'onUpdate:modelValue': (value) => (held.value = value) });
  createApp(() => vh(VApp, () => [
    vh(VSelect, { label: 'VT one', ...bound(one) }),
    vh(VSelect, { label: 'VT many', multiple: true, chips: true, ...bound(many) }),
    vh(VAutocomplete, { label: 'VT auto', ...bound(auto) }),
  ])).use(createVuetify()).mount('#vue');
  watchEffect(() => Object.assign(held, { vuetifyOne: one.value, vuetifyMany: [...many.value], vuetifyAuto: auto.value }));
  document.title = 'ready';
`;

export const DRAWN_LISTS = `<!doctype html><title>Drawn lists</title><meta charset="utf-8">
<link rel="stylesheet" href="/vuetify/dist/vuetify.css">
<div style="display: flex"><div id="app"></div><div id="vue" style="width: 300px"></div></div>
<script src="/drawn-lists.js"></script>`;

const CITIES = ['Berlin', 'Bern', 'New York', 'Paris', 'Rome', 'York'];
const options = CITIES.map((city) => `<option value="${city.toLowerCase()}">${city}`).join('');

export const PLAIN_LISTS = `<!doctype html><title>Plain lists</title><meta charset="utf-8">
<link rel="stylesheet" href="/tom-select/dist/css/tom-select.css"><link rel="stylesheet" href="/select2/dist/css/select2.css">
<link rel="stylesheet" href="/choices.js/public/assets/styles/choices.css"><link rel="stylesheet" href="/flatpickr/dist/flatpickr.css">
<script src="/tom-select/dist/js/tom-select.complete.js"></script><script src="/jquery/dist/jquery.js"></script>
<script src="/select2/dist/js/select2.js"></script><script src="/choices.js/public/assets/scripts/choices.js"></script>
<script src="/flatpickr/dist/flatpickr.js"></script><script src="/imask/dist/imask.js"></script>
<script src="/inputmask/dist/inputmask.js"></script>
<style>main { display: grid; grid-template-columns: 300px 300px; gap: 12px }</style><main>
<div><label for="tom">Tom one</label><select id="tom"><option value="">${options}</select></div>
<div><label for="toms">Tom many</label><select id="toms" multiple>${options}</select></div>
<div><label for="tags">Tom tags</label><input id="tags"></div>
<div><label for="two">Two one</label><select id="two" style="width: 200px"><option value="">${options}</select></div>
<div><label for="twos">Two many</label><select id="twos" multiple style="width: 200px">${options}</select></div>
<div><label for="choice">Choice one</label><select id="choice"><option value="">Choose${options}</select></div>
<div><label for="choices">Choice many</label><select id="choices" multiple>${options}</select></div>
<div><label for="day">Flat day</label><input id="day"></div>
<div><label for="phone">Mask phone</label><input id="phone"></div>
<div><label for="amount">Mask amount</label><input id="amount"></div>
<div><label for="date">Mask date</label><input id="date"></div>
</main><script>
  const tom = new TomSelect('#tom', {}), toms = new TomSelect('#toms', { plugins: ['remove_button'] });
  const tags = new TomSelect('#tags', { create: true });
  $('#two').select2(); $('#twos').select2();
  const choice = new Choices('#choice'), choices = new Choices('#choices', { removeItemButton: true });
  const day = flatpickr('#day', { allowInput: true });
  const phone = IMask(document.querySelector('#phone'), { mask: '+{1} (000) 000-0000' });
  const amount = IMask(document.querySelector('#amount'), { mask: Number, thousandsSeparator: ',', radix: '.', scale: 2 });
  Inputmask('99/99/9999').mask(document.querySelector('#date'));
  globalThis.held = () => ({
    tom: tom.getValue(), toms: toms.getValue() + '', tags: tags.getValue(), two: $('#two').val(), twos: $('#twos').val() + '',
    day: day.selectedDates.map((at) => flatpickr.formatDate(at, 'Y-m-d')) + '',
    phone: phone.unmaskedValue, amount: amount.typedValue, date: document.querySelector('#date').inputmask.unmaskedvalue(),
  });
  document.title = 'ready';
</script>`;

/** Returns the script of the page of React's and Vue's lists. */
export async function drawnListsScript() {
  const { build } = await import('esbuild');
  const built = await build({
    stdin: { contents: SOURCE, resolveDir: oracle },
    bundle: true,
    write: false,
    outdir: 'out',
    loader: { '.css': 'empty' },
    define: { process: JSON.stringify({ env: { NODE_ENV: 'production' } }), 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
  return built.outputFiles[0].text;
}
