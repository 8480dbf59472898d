import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { DOMWindow } from 'jsdom';
import type { Target } from '../../uxp-api/index.js';
import { globals, isKindOf, membersOf } from '../../uxp-api/index.js';
import { practised } from '../../uxp-api/practice.js';

/** Runs a task with members in place that the plugin must not see. */
export type Unlimited = <T>(task: () => T) => T;

/** jsdom's interfaces for which the documents have another name, or a wider one. */
const documentedAs: Readonly<Record<string, string>> = {
  UIEvent: 'BaseUIEvent',
  MouseEvent: 'BaseUIEvent',
  PointerEvent: 'BaseUIEvent',
};

const require = createRequire(import.meta.url);
const selectorEngine = createRequire(require.resolve('jsdom')).resolve('nwsapi');
/** The members that the selector engine uses: every word of its source. All others stay removed, because to restore members is slow. */
const ownMembers = new Set(readFileSync(selectorEngine, 'utf8').match(/\w+/g));
/** What all selectors walk by; those of pseudo-classes alone ask for more, which costs ten times as much. */
const TREE = ['Node', 'Attr', 'Element', 'DocumentFragment', 'Document'];
// The members that the simulated user reads.
for (const name of ['textContent', 'value', 'nextSibling', 'querySelectorAll', 'hasAttribute'])
  ownMembers.add(name);

/**
 * Deletes every undocumented member from jsdom's prototypes of this window.
 * @returns functions that run a task with those back that the host's own code needs: to walk through the nodes, or all
 */
export function limitMembers(
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
export function letSelectorsWork(
  window: DOMWindow,
  unlimited: Unlimited,
  unlimitedAll: Unlimited,
): void {
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
export function addMissingMembers(window: DOMWindow): void {
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
