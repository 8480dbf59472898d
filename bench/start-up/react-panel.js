/**
 * A minimal panel with React: the content of bolt-uxp's React starter (a heading, a counter, two buttons, links). The
 * parts of that starter that need undocumented interfaces of the host are left out.
 */
import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';

// React reads this name; the documents of the host do not have it.
window.HTMLIFrameElement ??= class {};

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
    h('a', { href: 'https://react.dev/' }, 'React'),
  );
}

require('uxp').entrypoints.setup({
  panels: {
    reactPanel: {
      show(root) {
        createRoot(root).render(h(App));
      },
    },
  },
});
