/*
 * `react tree` and `react component` on pages of the published React, in its development and its production build: names, keys, props and
 * state as they are after an update, refs that lead to the elements, and no secret.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import { sides } from './harness/sides.mjs';

const require = createRequire(import.meta.url);
const folderOf = (name) => require.resolve(`${name}/package.json`).replace('/package.json', '');

/** React's CommonJS files as one script, with a `require` of their own. */
function bundled(build) {
  const files = {
    react: `${folderOf('react')}/cjs/react.${build}.js`,
    scheduler: `${folderOf('scheduler')}/cjs/scheduler.${build}.js`,
    'react-dom': `${folderOf('react-dom')}/cjs/react-dom.${build}.js`,
    'react-dom/client': `${folderOf('react-dom')}/cjs/react-dom-client.${build}.js`,
  };
  const parts = Object.entries(files).map(
    ([name, file]) => `${JSON.stringify(name)}: (module, exports, require, process) => {${readFileSync(file, 'utf8')}\n}`,
  );
  return `const parts = {${parts.join(',')}}, loaded = {};
    const load = (name) => {
      if (!loaded[name]) {
        loaded[name] = { exports: {} };
        parts[name](loaded[name], loaded[name].exports, load, { env: { NODE_ENV: '${build}' } });
      }
      return loaded[name].exports;
    };`;
}

const APP = `
  const React = load('react'), { createRoot } = load('react-dom/client'), e = React.createElement;
  function Price({ amount, sessionToken }) {
    const [count, setCount] = React.useState(amount);
    const last = React.useRef('kept apart');
    const [, note] = React.useReducer((state, words) => ({ words }), { words: 'none' });
    React.useEffect(() => {}, []);
    return e('button', { id: 'buy' + amount, onClick: () => { setCount(count + 1); note('bought'); } }, 'Buy ' + count);
  }
  Price.displayName = 'Price';
  const Row = React.memo(function Row({ name, children }) { return e('li', { id: name }, name, children); });
  Row.displayName = 'Row';
  class Basket extends React.Component {
    constructor(props) { super(props); this.state = { open: true }; }
    render() { return e('ul', { id: 'basket' }, this.props.children); }
  }
  Basket.displayName = 'Basket';
  const Login = React.forwardRef(function Login(props, ref) {
    const [typed, setTyped] = React.useState('');
    return e('input', { id: 'pw', type: 'password', value: typed, onChange: (event) => setTyped(event.target.value), ref });
  });
  Login.displayName = 'Login';
  function App() {
    const info = { api_key: 'nor-this', size: 4, get trap() { window.trapped = true; return 1; } };
    const price = e(Price, { amount: 3, sessionToken: 'do-not-tell', info });
    const basket = e(Basket, null, e(Row, { key: 'a', name: 'lamp' }, price), e(Row, { key: 'b', name: 'desk' }));
    return e(React.Fragment, null, basket, e(Login));
  }
  App.displayName = 'App';
  createRoot(document.getElementById('root')).render(e(App));`;

describe('react', () => {
  const them = sides();

  for (const build of ['development', 'production']) {
    test(`the components of a ${build} build`, async () => {
      const { gstack, site } = them;
      await gstack.run(
        'goto',
        site.put(`react-${build}`, `<title>React</title><p id=plain>Plain</p><div id=root></div><script>${bundled(build)}${APP}</script>`),
      );
      await gstack.run('wait', '#basket');
      const tree = await gstack.ask('react-tree');
      assert.deepEqual(
        tree.data.components.map(({ name, key, depth }) => `${' '.repeat(depth)}${name}${key ? ` ${key}` : ''}`),
        ['App', ' Basket', '  Row a', '   Price', '  Row b', ' Login'],
      );
      const price = tree.data.components.find(({ name }) => name === 'Price');
      assert.ok(price.box.width > 0, JSON.stringify(price));
      await gstack.run('click', price.ref);
      await gstack.run('click', '#buy3');
      await gstack.run('wait', 'text=Buy 5');
      const { data } = await gstack.ask('react-component', price.ref);
      assert.equal(data.name, 'Price');
      assert.deepEqual(data.state, [5, { words: 'bought' }], 'of the present render');
      assert.equal(data.props.amount, 3);
      assert.equal(data.props.info.size, 4);
      assert.equal(data.props.info.trap, '(getter)');
      assert.equal(await gstack.js('String(window.trapped)'), 'undefined');
      assert.deepEqual(data.within, ['Row', 'Basket', 'App']);
      const said = await gstack.run('react-component', price.ref);
      for (const secret of ['do-not-tell', 'nor-this']) assert.ok(!said.includes(secret) && !JSON.stringify(data).includes(secret), secret);
      assert.deepEqual((await gstack.ask('react-component', '#basket')).data.state, [{ open: true }]);
      await gstack.run('fill', '#pw', 'hunter2 of ada');
      const login = await gstack.ask('react-component', '#pw');
      assert.equal(login.data.name, 'Login');
      assert.ok(!JSON.stringify(login).includes('hunter2'), JSON.stringify(login.data));
      const few = await gstack.ask('react-tree', '--limit', '2');
      assert.deepEqual([few.data.components.length, few.data.total], [2, 6]);
      await assert.rejects(gstack.run('react-component', '#plain'), /is in no React component/);
    });
  }

  test('a page without React says so', async () => {
    const { gstack, site } = them;
    await gstack.run('goto', site.put('plain', '<title>Plain</title><p id=p>Text</p>'));
    await assert.rejects(gstack.run('react-tree'), /no React was found/);
    await assert.rejects(gstack.run('react-component', '#p'), /no React was found/);
  });
});
