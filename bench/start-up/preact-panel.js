/** The least that a panel with Preact can be: a heading, a counter, a button and a link. */
import { h, render } from 'preact';
import { useState } from 'preact/hooks';

function App() {
  const [count, setCount] = useState(0);
  return h(
    'main',
    null,
    h('h1', null, 'Minimal panel'),
    h(
      'div',
      null,
      h('button', { onClick: () => setCount((before) => before + 1) }, 'count is ', count),
      h('button', null, 'Alert'),
    ),
    h('p', null, 'Edit this file and save.'),
    h('a', { href: 'https://preactjs.com/' }, 'Preact'),
  );
}

require('uxp').entrypoints.setup({
  panels: {
    preactPanel: {
      show(root) {
        render(h(App), root);
      },
    },
  },
});
