/*
 * A page of Material UI as it is published, with its date and time fields, made into one script.
 *
 * Owns the page. `held()` returns what React holds, not what the fields show.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const oracle = fileURLToPath(new URL('..', import.meta.url));
export const PACKAGES = ['@mui/material', '@mui/x-date-pickers', '@emotion/react', '@emotion/styled', 'dayjs', 'esbuild'];
export const hasMaterial = PACKAGES.every((name) => existsSync(path.join(oracle, 'node_modules', name)));

const SOURCE = `
  import { createElement as e, useState } from 'react';
  import { createRoot } from 'react-dom/client';
  import dayjs from 'dayjs';
  import * as m from '@mui/material';
  import { AdapterDayjs } from '@mui/x-date-pickers/AdapterDayjs';
  import { DatePicker, DateTimePicker, LocalizationProvider, TimePicker } from '@mui/x-date-pickers';

  const held = {};
  globalThis.held = () => held;
  function useHeld(name, first, words = (value) => value) {
    const [value, set] = useState(first);
    held[name] = words(value);
    return [value, set];
  }
  const time = (format) => (value) => (value && value.isValid() ? value.format(format) : null);
  const CITIES = ['Berlin', 'Bern', 'Paris', 'Rome'];

  function App() {
    const [name, setName] = useHeld('name', 'old');
    const [notes, setNotes] = useHeld('notes', '');
    const [plain, setPlain] = useHeld('plain', '');
    const [day, setDay] = useHeld('day', null, time('YYYY-MM-DD'));
    const [start, setStart] = useHeld('start', dayjs('2025-05-06'), time('YYYY-MM-DD'));
    const [at, setAt] = useHeld('at', null, time('HH:mm'));
    const [when, setWhen] = useHeld('when', null, time('YYYY-MM-DD HH:mm'));
    const [size, setSize] = useHeld('size', 's');
    const [toppings, setToppings] = useHeld('toppings', []);
    const [city, setCity] = useHeld('city', null);
    const [tags, setTags] = useHeld('tags', []);
    const [volume, setVolume] = useHeld('volume', 30);
    const [range, setRange] = useHeld('range', [20, 40]);
    const [agree, setAgree] = useHeld('agree', false);
    const [loud, setLoud] = useHeld('loud', false);
    const [colour, setColour] = useHeld('colour', 'red');
    const [stars, setStars] = useHeld('stars', null);
    const [tab, setTab] = useHeld('tab', 0);
    const text = (label, value, set, more) => e(m.TextField, { label, value, onChange: (event) => set(event.target.value), ...more });
    return e(LocalizationProvider, { dateAdapter: AdapterDayjs }, e(m.Stack, { spacing: 2, sx: { width: 360, p: 2 } },
      text('Name', name, setName),
      text('Notes', notes, setNotes, { multiline: true }),
      text('Plain day', plain, setPlain, { type: 'date', slotProps: { inputLabel: { shrink: true } } }),
      e(DatePicker, { label: 'Day', value: day, onChange: setDay }),
      e(DatePicker, { label: 'Start', value: start, onChange: setStart, format: 'DD.MM.YYYY' }),
      e(TimePicker, { label: 'At', value: at, onChange: setAt, ampm: false }),
      e(DateTimePicker, { label: 'When', value: when, onChange: setWhen }),
      e(m.FormControl, null, e(m.InputLabel, { id: 'size' }, 'Size'),
        e(m.Select, { labelId: 'size', label: 'Size', value: size, onChange: (event) => setSize(event.target.value) },
          e(m.MenuItem, { value: 's' }, 'Small'), e(m.MenuItem, { value: 'l' }, 'Large'))),
      e(m.FormControl, null, e(m.InputLabel, { id: 'toppings' }, 'Toppings'),
        e(m.Select, { labelId: 'toppings', label: 'Toppings', multiple: true, value: toppings,
          onChange: (event) => setToppings(event.target.value) },
          ['Ham', 'Olives', 'Tuna'].map((one) => e(m.MenuItem, { key: one, value: one }, one)))),
      e(m.Autocomplete, { options: CITIES, value: city, onChange: (event, value) => setCity(value),
        renderInput: (params) => e(m.TextField, { ...params, label: 'City' }) }),
      e(m.Autocomplete, { options: CITIES, multiple: true, value: tags, onChange: (event, value) => setTags(value),
        renderInput: (params) => e(m.TextField, { ...params, label: 'Tags' }) }),
      e(m.Slider, { 'aria-label': 'Volume', value: volume, onChange: (event, value) => setVolume(value) }),
      e(m.Slider, { getAriaLabel: (at) => ['From', 'To'][at], value: range, onChange: (event, value) => setRange(value) }),
      e(m.FormControlLabel, { label: 'Agree',
        control: e(m.Checkbox, { checked: agree, onChange: (event) => setAgree(event.target.checked) }) }),
      e(m.FormControlLabel, { label: 'Loud', control: e(m.Switch, { checked: loud, onChange: (event) => setLoud(event.target.checked) }) }),
      e(m.RadioGroup, { value: colour, onChange: (event) => setColour(event.target.value) },
        ['red', 'blue'].map((one) => e(m.FormControlLabel, { key: one, value: one, label: one, control: e(m.Radio) }))),
      e(m.Rating, { name: 'stars', value: stars, onChange: (event, value) => setStars(value) }),
      e(m.Tabs, { value: tab, onChange: (event, value) => setTab(value) }, e(m.Tab, { label: 'First' }), e(m.Tab, { label: 'Second' })),
    ));
  }
  createRoot(document.querySelector('#app')).render(e(App));
`;

export const MATERIAL = `<!doctype html><title>Material UI</title><meta charset="utf-8">
<div id="app"></div><script src="/material.js"></script>`;

/** Returns the page's script. */
export async function materialScript() {
  const { build } = await import('esbuild');
  const built = await build({
    stdin: { contents: SOURCE, resolveDir: oracle },
    bundle: true,
    write: false,
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
  return built.outputFiles[0].text;
}
