import { inspect } from 'node:util';
import { openPlugin, type Plugin } from '../host/host.js';
import type { FromPlugin, ToPlugin } from './messages.js';

/**
 * A process that runs the built plugin in the simulated host, and can be killed. Its user connects whenever the panel
 * offers it, and adds the photos that the test requests.
 */
const LOOK_EVERY_MS = 100;
/** While there is nothing to do: looking through a simulated page takes longer than what the plugin does meanwhile. */
const LOOK_IDLY_EVERY_MS = 1_000;

function tell(message: FromPlugin): void {
  process.send?.(message);
}

function reportError(error: unknown): void {
  tell({ kind: 'error', text: inspect(error) });
}

let toAdd: readonly string[] = [];
let shownCode = '';
let wasConnected = false;
let reported = 0;

function look(plugin: Plugin): void {
  const { root } = plugin;
  const code = root.querySelector('#user-code');
  const userCode = code !== null && isShown(code) ? code.textContent : '';
  const buttons = Array.from(
    root.querySelectorAll('sp-button, sp-action-button, button') as ArrayLike<Element>,
  ).filter(({ children }) => children.length === 0);
  const connect = buttonOf(buttons, ['Connect', 'Reconnect', 'Get a new code']);
  if (userCode !== '' && userCode !== shownCode) {
    shownCode = userCode;
    tell({ kind: 'code', userCode });
  } else if (userCode === '' && connect !== null) {
    plugin.click(connect);
  }
  // Photos of a killed run that have a copy and no record.
  const upload = buttonOf(buttons, ['Upload']);
  if (upload !== null) plugin.click(upload);
  const add = buttonOf(buttons, ['Add photos']);
  if (add !== null && !wasConnected) tell({ kind: 'connected' });
  wasConnected = add !== null;
  if (plugin.control.pickers.open > 0) {
    plugin.control.pickers.answer(toAdd);
    toAdd = [];
    tell({ kind: 'picked' });
  } else if (add !== null && toAdd.length > 0) {
    plugin.click(add);
  }
  const errors = [...plugin.uncaught, ...plugin.console.map(({ text }) => text)];
  for (const one of errors.slice(reported)) reportError(one);
  reported = errors.length;
}

function buttonOf(buttons: readonly Element[], labels: readonly string[]): Element | null {
  const called = buttons.filter(({ textContent }) => labels.includes(textContent.trim()));
  return called.find((button) => isShown(button) && !button.hasAttribute('disabled')) ?? null;
}

/**
 * Whether the panel hides neither the element nor what it lies in. It hides by style attributes, and
 * asking a simulated page for computed styles would cost more than the plugin itself.
 */
function isShown(element: Element): boolean {
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    if (at.getAttribute('style')?.includes('display: none') === true) return false;
  }
  return true;
}

process.on('message', (message: ToPlugin) => {
  if (message.kind === 'add') {
    toAdd = message.paths;
    return;
  }
  openPlugin({
    dist: message.dist,
    storageDir: message.storageDir,
    allowLoopbackHttp: true,
  })
    .then((plugin) => {
      const keepLooking = (): void => {
        try {
          look(plugin);
        } catch (error) {
          reportError(error);
        }
        const isIdle = wasConnected && toAdd.length === 0;
        setTimeout(keepLooking, isIdle ? LOOK_IDLY_EVERY_MS : LOOK_EVERY_MS);
      };
      keepLooking();
    })
    .catch(reportError);
});
// The test is gone: so is this process.
process.on('disconnect', () => {
  process.exit();
});
tell({ kind: 'ready' });
