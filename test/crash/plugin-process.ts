import { inspect } from 'node:util';
import { openPlugin, type Plugin } from '../host/host.js';
import type { Batch, FromPlugin, ToPlugin } from './messages.js';

/**
 * A process that runs the built plugin in the simulated host, and can be killed. Its user connects whenever the panel
 * offers it, adds the photos that the test requests, and replaces earlier versions.
 */
const LOOK_EVERY_MS = 100;
/** While there is nothing to do: looking through a simulated page takes longer than the plugin's work. */
const LOOK_IDLY_EVERY_MS = 1_000;
/** A list that never shows the project is closed. */
const MAX_LOOKS = 10;
const NO_PROJECT = 'No project';

function tell(message: FromPlugin): void {
  process.send?.(message);
}

function reportError(error: unknown): void {
  tell({ kind: 'error', text: inspect(error) });
}

let toAdd: readonly Batch[] = [];
let toMove: Extract<ToPlugin, { kind: 'move' }> | null = null;
/** The project to choose in the open list; undefined when none is open. */
let toChoose: string | null | undefined;
/** How often the open list was looked at. */
let looks = 0;
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
  const replace = buttonOf(buttons, ['Replace']);
  if (replace !== null) {
    plugin.click(replace);
    tell({ kind: 'replaced' });
  }
  const [batch] = toAdd;
  if (plugin.control.pickers.open > 0) {
    plugin.control.pickers.answer(batch?.paths ?? []);
    toAdd = toAdd.slice(1);
    if (toAdd.length === 0) tell({ kind: 'picked' });
  } else if (toChoose !== undefined) {
    choose(plugin, toChoose);
  } else if (add !== null && batch) {
    addBatch(plugin, add, batch);
  } else if (add !== null && toMove) {
    startMove(plugin, toMove.names, toMove.project);
  }
  const errors = [...plugin.uncaught, ...plugin.console.map(({ text }) => text)];
  for (const one of errors.slice(reported)) reportError(one);
  reported = errors.length;
}

/** Chooses the batch's project unless it is chosen, then opens the picker. */
function addBatch(plugin: Plugin, add: Element, { project }: Batch): void {
  const shown = plugin.root.querySelector('.destination .to-name')?.textContent;
  if (project === undefined || shown === (project ?? NO_PROJECT)) {
    plugin.click(add);
  } else if (shown !== undefined) {
    open(plugin, '.destination .to', project);
  }
}

/** Opens the menu of the last waiting photo with one of these names. */
function startMove(plugin: Plugin, names: readonly string[], project: string): void {
  const rows = Array.from(plugin.root.querySelectorAll('.photo') as ArrayLike<Element>);
  const row = rows.findLast(
    (one) =>
      one.querySelector('.photo-state.waiting') !== null &&
      names.includes(one.querySelector('.photo-name')?.textContent ?? ''),
  );
  const more = row?.querySelector('.icon-button') ?? null;
  if (row && more) {
    row.setAttribute('data-moves', '');
    open(plugin, more, project);
  }
}

function open(plugin: Plugin, control: Element | string, project: string | null): void {
  const element = typeof control === 'string' ? plugin.root.querySelector(control) : control;
  if (element === null) return;
  plugin.click(element);
  toChoose = project;
  looks = 0;
}

/** Chooses a project in the open list, and on the way to it the menu entry of a photo. */
function choose(plugin: Plugin, project: string | null): void {
  const entries = Array.from(plugin.root.querySelectorAll('.popover .entry') as ArrayLike<Element>);
  const entry = (label: string): Element | undefined =>
    entries.find((one) => one.querySelector('.entry-label')?.textContent === label);
  const change = entry('Change destination');
  const target = entry(project ?? NO_PROJECT);
  looks += 1;
  if (change) {
    plugin.click(change);
  } else if (target) {
    const moved = plugin.root.querySelector('[data-moves] .photo-name')?.textContent;
    if (toMove && moved !== undefined && project !== null) {
      tell({ kind: 'moved', name: moved, project });
      toMove = null;
    }
    plugin.click(target);
    toChoose = undefined;
  } else if (looks > MAX_LOOKS) {
    // The photo has begun, or the projects are not loaded.
    const backdrop = plugin.root.querySelector('.backdrop');
    if (backdrop !== null) plugin.click(backdrop);
    toChoose = undefined;
  }
  if (toChoose === undefined)
    plugin.root.querySelector('[data-moves]')?.removeAttribute('data-moves');
}

function buttonOf(buttons: readonly Element[], labels: readonly string[]): Element | null {
  const called = buttons.filter(({ textContent }) => labels.includes(textContent.trim()));
  return called.find((button) => isShown(button) && !button.hasAttribute('disabled')) ?? null;
}

/**
 * Whether the panel hides neither the element nor what contains it. It hides by style attributes, and
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
    toAdd = message.batches;
    return;
  }
  if (message.kind === 'move') {
    toMove = message;
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
        const isIdle = wasConnected && toAdd.length === 0 && toMove === null;
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
