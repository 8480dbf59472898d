import { readFileSync } from 'node:fs';
import * as nodePath from 'node:path';
import type { DOMWindow } from 'jsdom';
import { attributeProblem, elementProblem } from '../../uxp-api/html-rules.js';
import type { Target } from '../../uxp-api/index.js';
import { globals } from '../../uxp-api/index.js';
import { isAtLeast } from '../../uxp-api/versions.js';
import type { Findings } from './findings.js';
import { addMissingMembers, letSelectorsWork, limitMembers } from './page-members.js';

// Large: once for all tests of a process, where it runs tests.
const { JSDOM, VirtualConsole } = globalThis.keptByWorker?.jsdom() ?? (await import('jsdom'));

/** A page of a plugin: jsdom underneath, of whose members only the documented ones are left. */
export interface Page {
  /** jsdom's window, for the host's own use; the plugin never sees it. */
  readonly window: DOMWindow;
  readonly document: Document;
  /** Local scripts of the page in order, as paths relative to dist. */
  readonly scripts: readonly string[];
  /** Grows with every change of the document; not when a field's value alone changes. */
  readonly changes: () => number;
  /**
   * Runs the host's own code that reads the tree of nodes or matches a selector; must not call the plugin.
   */
  unlimited<T>(task: () => T): T;
  /** Lets events bubble to, and be heard at, the plugin's own global object. */
  adoptGlobal(global: object): void;
  close(): void;
}

export interface PageOptions {
  readonly dist: string;
  /** The manifest's `main`: a page, or a script that gets an empty page. */
  readonly main: string;
  readonly target: Target;
  readonly findings: Findings;
  readonly uncaught: (error: unknown) => void;
}

/** Events of the window that a page documents, with the UXP version they came in. */
const windowEvents = globals['window']?.events ?? {};

/** Loads the page. Scripts are listed, not run. @throws Error when the page cannot be read */
export function openPage(options: PageOptions): Page {
  const { dist, main, target, findings, uncaught } = options;
  const virtualConsole = new VirtualConsole();
  virtualConsole.on('jsdomError', (error: Error & { type?: string; detail?: unknown }) => {
    if (error.type === 'unhandled exception') uncaught(error.detail ?? error);
  });
  const isPage = main.endsWith('.html');
  const html = isPage
    ? readFileSync(nodePath.join(dist, main), 'utf8')
    : '<!doctype html><body></body>';
  const dom = new JSDOM(html, { url: 'https://plugin.invalid/', virtualConsole });
  const { window } = dom;
  watchMarkup(window, target, findings);
  loadStyleSheets(window, dist, main, findings);
  const changes = countChanges(window);
  const scripts = isPage ? scriptsOf(window, main, findings) : [main];
  limitListeners(window, target, findings);
  const { unlimited, unlimitedAll } = limitMembers(window, target);
  addMissingMembers(window);
  letSelectorsWork(window, unlimited, unlimitedAll);
  letFocusMove(window);
  return {
    window,
    document: documentWithoutLocation(window),
    scripts,
    changes,
    unlimited,
    adoptGlobal: (global) => {
      // The window that jsdom passes out: event.target, event.currentTarget, the this of listeners.
      Object.assign(window, { _globalProxy: global });
    },
    close: () => window.close(),
  };
}

function local(main: string, reference: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(reference)) return undefined;
  const path = nodePath.posix.normalize(
    nodePath.posix.join(nodePath.posix.dirname(main), reference),
  );
  return path.startsWith('..') ? undefined : path;
}

function scriptsOf(window: DOMWindow, main: string, findings: Findings): string[] {
  const scripts: string[] = [];
  for (const script of window.document.querySelectorAll('script')) {
    const src = script.getAttribute('src');
    const type = script.getAttribute('type') ?? '';
    const path = src === null ? undefined : local(main, src);
    if (type === 'module') findings.add('page', `module script ${src ?? ''} does not run`);
    else if (path === undefined) findings.add('page', 'only local script files run');
    else scripts.push(path);
  }
  return scripts;
}

function loadStyleSheets(window: DOMWindow, dist: string, main: string, findings: Findings): void {
  for (const link of window.document.querySelectorAll('link')) {
    const href = link.getAttribute('href');
    const path = href === null ? undefined : local(main, href);
    if (link.getAttribute('rel') !== 'stylesheet' || path === undefined) {
      findings.add('page', `link to ${href ?? 'nothing'} is not a local style sheet`);
      continue;
    }
    const style = window.document.createElement('style');
    style.textContent = readFileSync(nodePath.join(dist, path), 'utf8');
    link.after(style);
  }
}

/** Reports elements and attributes that no page documents, however they came into the page. */
function watchMarkup(window: DOMWindow, target: Target, findings: Findings): void {
  const check = (element: Element): void => {
    const tag = element.localName;
    // Meta is for HTML tools; a host ignores it like the doctype.
    if (tag === 'meta' || isInSvg(element)) return;
    const problem = elementProblem(tag, target);
    if (problem !== undefined) findings.add('element', `${problem.name}: ${problem.problem}`);
    for (const attribute of all(element.attributes)) checkAttribute(element, attribute.name);
  };
  const checkAttribute = (element: Element, name: string): void => {
    const value = element.getAttribute(name);
    if (value === null) return;
    const problem = attributeProblem(element.localName, name, value, target);
    if (problem !== undefined) findings.add('attribute', `${problem.name}: ${problem.problem}`);
  };
  const { document } = window;
  for (const element of all(document.getElementsByTagName('*'))) check(element);
  new window.MutationObserver((records) => {
    for (const record of records) {
      if (record.type === 'attributes' && record.attributeName !== null) {
        const element = record.target as Element;
        if (!isInSvg(element)) checkAttribute(element, record.attributeName);
      }
      for (const node of all(record.addedNodes)) {
        if (node.nodeType !== 1) continue;
        check(node as Element);
        for (const element of all((node as Element).getElementsByTagName('*'))) check(element);
      }
    }
  }).observe(document, { subtree: true, childList: true, attributes: true });
}

function countChanges(window: DOMWindow): () => number {
  let changes = 0;
  new window.MutationObserver(() => {
    changes += 1;
  }).observe(window.document, {
    subtree: true,
    childList: true,
    attributes: true,
    characterData: true,
  });
  return () => changes;
}

/** Not by a selector: this runs for every change of the page, and selectors are slow here (`letSelectorsWork`). */
function isInSvg(element: Element): boolean {
  for (let at: Element | null = element; at !== null; at = at.parentElement)
    if (at.localName === 'svg') return true;
  return false;
}

/** Lists of the page have no iterator once members are limited; their length stays. */
function all<T>(list: ArrayLike<T>): T[] {
  return Array.from(list);
}

/** addEventListener honours `capture` alone; events a host never sends are not listened for. */
function limitListeners(window: DOMWindow, target: Target, findings: Findings): void {
  const prototype = window.EventTarget.prototype;
  // oxlint-disable-next-line typescript/unbound-method -- called with their object below
  const { addEventListener: add, removeEventListener: remove } = prototype;
  const capture = (options: unknown): boolean =>
    typeof options === 'object' && options !== null
      ? (options as { capture?: unknown }).capture === true
      : options === true;
  prototype.addEventListener = function (this: EventTarget, type, listener, options) {
    if (typeof options === 'object') {
      for (const name of ['once', 'passive', 'signal']) {
        if (name in options)
          findings.add('listener', `addEventListener ignores the option "${name}"`);
      }
    }
    const never =
      type === 'keypress' ||
      type === 'visibilitychange' ||
      ((this as unknown) === window && !isAtLeast(target.uxpVersion, windowEvents[type] ?? '99'));
    if (never) {
      findings.add('listener', `the event "${type}" never comes here`);
      return;
    }
    add.call(this, type, listener, capture(options));
  };
  prototype.removeEventListener = function (this: EventTarget, type, listener, options) {
    remove.call(this, type, listener, capture(options));
  };
}

/** jsdom makes events of the focus only for a window that is its own global object: see `adoptGlobal`. */
function letFocusMove(window: DOMWindow): void {
  const { prototype } = window.HTMLElement;
  const own: unknown = Reflect.get(window, '_globalProxy');
  for (const name of ['focus', 'blur'] as const) {
    const original = prototype[name];
    prototype[name] = function (this: HTMLElement) {
      const adopted: unknown = Reflect.get(window, '_globalProxy');
      Reflect.set(window, '_globalProxy', own);
      try {
        original.call(this);
      } finally {
        Reflect.set(window, '_globalProxy', adopted);
      }
    };
  }
}

/**
 * jsdom gives every document an own `location` that cannot be deleted. A second face on the same document has none.
 */
function documentWithoutLocation(window: DOMWindow): Document {
  const original = window.document;
  const face = Object.create(Object.getPrototypeOf(original) as object) as Document;
  for (const symbol of Object.getOwnPropertySymbols(original)) {
    Object.defineProperty(face, symbol, Object.getOwnPropertyDescriptor(original, symbol) ?? {});
  }
  setWrapper(original, face);
  return face;
}

/** Makes `face` what jsdom hands out for the thing behind `original`: event targets, ownerDocument, ... */
function setWrapper(original: object, face: object): void {
  const implementation = symbolOf(original, 'impl');
  const target = (original as Record<symbol, unknown>)[implementation] as Record<symbol, unknown>;
  target[symbolOf(target, 'wrapper')] = face;
}

function symbolOf(object: object, description: string): symbol {
  const found = Object.getOwnPropertySymbols(object).find(
    (symbol) => symbol.description === description,
  );
  if (found === undefined) throw new Error(`jsdom has changed: no symbol "${description}"`);
  return found;
}
