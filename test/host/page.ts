import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as nodePath from 'node:path';
import type { DOMWindow } from 'jsdom';
import { attributeProblem, elementProblem } from '../../host-surface/html-rules.js';
import type { Target } from '../../host-surface/index.js';
import { globals, isKindOf, membersOf } from '../../host-surface/index.js';
import { practised } from '../../host-surface/practice.js';
import { isAtLeast } from '../../host-surface/versions.js';
import type { Findings } from './findings.js';

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
   * Runs something of the host's own that reads the tree of nodes or asks for a selector; must not call the plugin.
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

/** jsdom's interfaces for which the documents have another name, or a wider one. */
const documentedAs: Readonly<Record<string, string>> = {
  UIEvent: 'BaseUIEvent',
  MouseEvent: 'BaseUIEvent',
  PointerEvent: 'BaseUIEvent',
};

const require = createRequire(import.meta.url);
const selectorEngine = createRequire(require.resolve('jsdom')).resolve('nwsapi');
/** What the selector engine may use: every word of its source. All else stays away, for bringing members back costs much. */
const ownMembers = new Set(readFileSync(selectorEngine, 'utf8').match(/\w+/g));
/** What all selectors walk by; those of pseudo-classes alone ask for more, which costs ten times as much. */
const TREE = ['Node', 'Attr', 'Element', 'DocumentFragment', 'Document'];
// What Person reads of the page.
for (const name of ['textContent', 'value', 'nextSibling', 'querySelectorAll', 'hasAttribute'])
  ownMembers.add(name);

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
  return {
    window,
    document: documentWithoutLocation(window),
    scripts,
    changes,
    unlimited,
    adoptGlobal: (global) => {
      // What jsdom hands out for the window: event.target, event.currentTarget, the this of listeners.
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
    // Meta tells an HTML tool the encoding; a host ignores it as it ignores the doctype.
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
        checkAttribute(record.target as Element, record.attributeName);
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

type Unlimited = Page['unlimited'];

/**
 * Deletes every undocumented member from jsdom's prototypes of this window.
 * @returns functions that run a task with those back that the host's own code needs: to walk through the nodes, or all
 */
function limitMembers(
  window: DOMWindow,
  target: Target,
): { unlimited: Unlimited; unlimitedAll: Unlimited } {
  const removed: [prototype: object, key: PropertyKey, descriptor: PropertyDescriptor][] = [];
  const roots: unknown[] = [window.EventTarget.prototype, window.Event.prototype];
  const alone = ['NodeList', 'HTMLCollection', 'DOMTokenList', 'NamedNodeMap', 'TreeWalker'];
  for (const name of Object.getOwnPropertyNames(window)) {
    const descriptor = Object.getOwnPropertyDescriptor(window, name);
    const value: unknown = descriptor?.value;
    if (typeof value !== 'function' || name === 'Window') continue;
    const prototype = (value as { prototype?: unknown }).prototype;
    if (typeof prototype !== 'object' || prototype === null) continue;
    const chain = prototypes(prototype);
    if (!alone.includes(name) && !chain.some((link) => roots.includes(link))) continue;
    const known = chain
      .map((link) => (link as { constructor: { name: string } }).constructor.name)
      .map((className) => documentedAs[className] ?? className)
      .find((className) => globals[className] !== undefined);
    if (known === undefined) continue;
    // A member may be documented for classes further down only (nodeName for Element and Text, not for Node).
    const own = known === (documentedAs[name] ?? name);
    const family = own ? Object.keys(globals).filter((other) => isKindOf(other, known)) : [known];
    const allowed = new Set(family.flatMap((other) => [...membersOf(other, target)]));
    for (let at: string | undefined = known; at !== undefined; at = globals[at]?.inherits) {
      for (const member of practised(at)) allowed.add(member);
    }
    limit(prototype, allowed, (key, descriptor) => removed.push([prototype, key, descriptor]));
  }
  const nodes = removed.filter(
    ([prototype, key]) =>
      (typeof key === 'symbol' || ownMembers.has(String(key))) &&
      prototypes(prototype).includes(window.Node.prototype),
  );
  const tree: readonly object[] = TREE.map(
    (name) => (window[name] as { prototype: object }).prototype,
  );
  const unlimited = lender(nodes.filter(([prototype]) => tree.includes(prototype)));
  const further = lender(nodes.filter(([prototype]) => !tree.includes(prototype)));
  return { unlimited, unlimitedAll: (task) => further(() => unlimited(task)) };
}

/** A function that runs a task with these members in place. */
function lender(
  members: readonly (readonly [
    prototype: object,
    key: PropertyKey,
    descriptor: PropertyDescriptor,
  ])[],
): Unlimited {
  let depth = 0;
  return (task) => {
    if (depth === 0) {
      for (const [prototype, key, descriptor] of members)
        Object.defineProperty(prototype, key, descriptor);
    }
    depth += 1;
    try {
      return task();
    } finally {
      depth -= 1;
      if (depth === 0)
        for (const [prototype, key] of members) Reflect.deleteProperty(prototype, key);
    }
  };
}

/** jsdom's selector engine works through the page's own objects and needs members a plugin must not see. */
function letSelectorsWork(window: DOMWindow, unlimited: Unlimited, unlimitedAll: Unlimited): void {
  type Method = (this: unknown, ...args: unknown[]) => unknown;
  const wrap = (owner: object, name: string, lend: (selector: unknown) => Unlimited): void => {
    const original = Reflect.get(owner, name) as Method | undefined;
    if (original === undefined) return;
    const wrapped: Method = function (...args) {
      return lend(args[0])(() => original.apply(this, args));
    };
    Object.defineProperty(owner, name, { value: wrapped, configurable: true, writable: true });
  };
  for (const owner of [window.Document, window.DocumentFragment, window.Element]) {
    for (const name of ['querySelector', 'querySelectorAll', 'matches', 'closest']) {
      if (Object.hasOwn(owner.prototype, name))
        wrap(owner.prototype, name, (selector) =>
          String(selector).includes(':') ? unlimitedAll : unlimited,
        );
    }
  }
  wrap(window, 'getComputedStyle', () => unlimitedAll);
}

function prototypes(prototype: object): object[] {
  const chain: object[] = [];
  for (let at: unknown = prototype; at !== null && at !== Object.prototype;) {
    chain.push(at as object);
    at = Object.getPrototypeOf(at);
  }
  return chain;
}

function limit(
  prototype: object,
  allowed: ReadonlySet<string>,
  removed: (key: PropertyKey, descriptor: PropertyDescriptor) => void,
): void {
  for (const key of Reflect.ownKeys(prototype)) {
    if (key === 'constructor') continue;
    if (typeof key === 'symbol' ? key !== Symbol.iterator : allowed.has(key)) continue;
    const descriptor = Object.getOwnPropertyDescriptor(prototype, key);
    if (descriptor?.configurable !== true) continue;
    Reflect.deleteProperty(prototype, key);
    removed(key, descriptor);
  }
}

/** Documented members that jsdom lacks, as far as a panel needs them. */
function addMissingMembers(window: DOMWindow): void {
  const nothing = (): undefined => undefined;
  const define = (prototype: object, members: Record<string, PropertyDescriptor>): void => {
    for (const [name, descriptor] of Object.entries(members)) {
      if (!(name in prototype))
        Object.defineProperty(prototype, name, { configurable: true, ...descriptor });
    }
  };
  define(window.Element.prototype, {
    disabled: {
      get(this: Element) {
        return this.hasAttribute('disabled');
      },
      set(this: Element, value: unknown) {
        if (value === true) this.setAttribute('disabled', '');
        else this.removeAttribute('disabled');
      },
    },
    scrollTo: { value: nothing },
    scrollIntoView: { value: nothing },
    scrollIntoViewIfNeeded: { value: nothing },
    setPointerCapture: { value: nothing },
    releasePointerCapture: { value: nothing },
    hasPointerCapture: { value: () => false },
  });
  define(window.HTMLElement.prototype, {
    innerText: {
      get(this: HTMLElement) {
        return this.textContent;
      },
      set(this: HTMLElement, value: string) {
        this.textContent = value;
      },
    },
  });
  const collection = {
    forEach: { value: Array.prototype.forEach },
    keys: { value: Array.prototype.keys },
    values: { value: Array.prototype.values },
    entries: { value: Array.prototype.entries },
  };
  define(window.HTMLCollection.prototype, collection);
  define(window.NodeList.prototype, collection);
  define(window.Document.prototype, { onLine: { get: () => true } });
  const closing = new WeakMap<object, (value: string) => void>();
  define(window.HTMLDialogElement.prototype, {
    returnValue: { value: '', writable: true },
    show: {
      value(this: HTMLDialogElement) {
        this.setAttribute('open', '');
      },
    },
    showModal: {
      value(this: HTMLDialogElement) {
        this.setAttribute('open', '');
        return new Promise((resolve) => closing.set(this, resolve));
      },
    },
    close: {
      value(this: HTMLDialogElement, value = '') {
        this.removeAttribute('open');
        closing.get(this)?.(value);
      },
    },
  });
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
