import { webcrypto } from 'node:crypto';
import * as nodePath from 'node:path';
import * as vm from 'node:vm';
import type { Target } from '../../uxp-api/index.js';
import { absent, exists, globals, membersOf } from '../../uxp-api/index.js';
import { practised } from '../../uxp-api/practice.js';
import { createAbortClasses } from './abort.js';
import { createBlobClass } from './blob.js';
import { HostHeaders, createFetch } from './fetch.js';
import type { Findings } from './findings.js';
import type { HostManifest } from './manifest.js';
import type { Lifetime } from './modules/lifetime.js';
import type { SimulatedPlatform } from './modules/os-module.js';
import type { Realm } from './modules/realm.js';
import type { Network } from './network.js';
import type { Page } from './page.js';
import { createWebStorage } from './storage-object.js';
import type { Timers } from './timers.js';
import { createXmlHttpRequest } from './xml-http-request.js';

/** Makes the context plugin code runs in: the language, less what no document promises. */
export function createContext(manifest: HostManifest): { context: vm.Context; realm: Realm } {
  // A separate global object, not a stand-in for one: each look at a global would cost about a microsecond.
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY, {
    codeGeneration: { strings: manifest.allowCodeGeneration, wasm: true },
  });
  const realm = vm.runInContext(
    '({ Error, TypeError, Promise, ArrayBuffer, Uint8Array, Date })',
    context,
  ) as Realm;
  for (const { kind, object, name } of absent) {
    if (kind === 'global' && object === undefined && !practised().includes(name)) {
      vm.runInContext(`delete globalThis[${JSON.stringify(name)}]`, context);
    }
    if (kind === 'static' && object !== undefined && !practised(object).includes(name)) {
      vm.runInContext(
        `if (typeof ${object} !== 'undefined') delete ${object}[${JSON.stringify(name)}]`,
        context,
      );
    }
  }
  return { context, realm };
}

export interface GlobalsOptions {
  readonly context: vm.Context;
  readonly page: Page;
  readonly target: Target;
  readonly lifetime: Lifetime;
  readonly network: Network;
  readonly timers: Timers;
  readonly findings: Findings;
  readonly clipboard: object;
  readonly platform: SimulatedPlatform;
  readonly uiLocale: string;
  readonly storageDir: string;
  readonly uncaught: (error: unknown) => void;
  readonly log: (level: string, args: readonly unknown[]) => void;
  readonly require: (id: string) => unknown;
}

/** Puts the documented globals of the target version into the context, and nothing else. */
export function defineGlobals(options: GlobalsOptions): void {
  const { context, target, page } = options;
  const provided = provide(options);
  const define = (name: string, value: unknown): void => {
    Object.defineProperty(context, name, {
      value,
      writable: true,
      configurable: true,
      enumerable: true,
    });
  };
  for (const [name, fact] of Object.entries(globals)) {
    if (name.includes('.') || !exists(fact, target)) continue;
    if (fact.onlyUsed === true && !practised().includes(name)) continue;
    const own = provided.get(name);
    if (own !== undefined) define(name, own);
    else if (name !== 'WebAssembly')
      define(name, domClass(options, name) ?? notSimulated(options, name));
  }
  define('document', page.document);
  define('window', vm.runInContext('globalThis', context));
  // window.addEventListener is documented; removeEventListener and dispatchEvent belong to the same class.
  for (const method of ['addEventListener', 'removeEventListener', 'dispatchEvent'] as const) {
    define(method, page.window[method].bind(page.window));
  }
  define('devicePixelRatio', 1);
  page.adoptGlobal(vm.runInContext('globalThis', context) as object);
}

function provide(options: GlobalsOptions): Map<string, unknown> {
  const { page, target, lifetime, network, timers, findings, uncaught } = options;
  const { realm } = lifetime;
  const { window } = page;
  const domException = (message: string, name: string): Error =>
    new window.DOMException(message, name);
  const Blob = createBlobClass(lifetime);
  const abort = createAbortClasses(realm, domException);
  const only = (name: string, members: Record<string, unknown>): object => {
    const allowed = new Set([...membersOf(name, target), ...practised(name)]);
    return Object.fromEntries(Object.entries(members).filter(([member]) => allowed.has(member)));
  };
  const illegal = (name: string, prototype: object): object => {
    const constructor = {
      [name]: function () {
        throw new realm.TypeError('Illegal constructor');
      },
    }[name];
    Object.defineProperty(constructor, 'prototype', { value: prototype });
    return constructor ?? {};
  };
  const path = options.platform === 'win32' ? nodePath.win32 : nodePath.posix;
  const idle = (): void => undefined;
  class Observer {
    constructor(callback: unknown) {
      if (typeof callback !== 'function') throw new realm.TypeError('an observer needs a callback');
    }
    observe = idle;
    unobserve = idle;
    disconnect = idle;
  }

  return new Map<string, unknown>(
    Object.entries({
      crypto: only('crypto', {
        getRandomValues: (array: Uint8Array<ArrayBuffer>) => webcrypto.getRandomValues(array),
        randomUUID: () => webcrypto.randomUUID(),
      }),
      localStorage: createWebStorage(nodePath.join(options.storageDir, 'local-storage.json')),
      sessionStorage: createWebStorage(undefined),
      Blob,
      fetch: createFetch(network, lifetime),
      Headers: HostHeaders,
      XMLHttpRequest: createXmlHttpRequest({
        network,
        lifetime,
        findings,
        timers,
        uxpVersion: target.uxpVersion,
        domException,
        blob: (bytes, type) => new Blob([bytes], { type }),
        uncaught,
      }),
      ...abort,
      getComputedStyle: window.getComputedStyle.bind(window),
      navigator: only('navigator', {
        clipboard: options.clipboard,
        language: options.uiLocale.replace('_', '-'),
      }),
      path: only('path', { ...path }),
      console: only(
        'console',
        Object.fromEntries(
          ['log', 'error', 'warn', 'debug'].map((level) => [
            level,
            (...args: unknown[]) => options.log(level, args),
          ]),
        ),
      ),
      setTimeout: (callback: unknown, delay?: unknown, ...args: unknown[]) =>
        timers.set(callback, delay ?? 0, false, args),
      setInterval: (callback: unknown, delay?: unknown, ...args: unknown[]) =>
        timers.set(callback, delay ?? 0, true, args),
      clearTimeout: (id: unknown) => timers.clear(id),
      clearInterval: (id: unknown) => timers.clear(id),
      queueMicrotask: (callback: unknown) => {
        if (typeof callback !== 'function')
          throw new realm.TypeError('queueMicrotask: no function');
        // An error is handled like any uncaught error.
        void Promise.resolve()
          .then(() => {
            if (lifetime.alive) (callback as () => void)();
          })
          .catch(uncaught);
      },
      require: options.require,
      module: { exports: {} },
      EventTarget: illegal('EventTarget', window.EventTarget.prototype),
      DOMException: illegal('DOMException', window.DOMException.prototype),
      URL: illegal('URL', {}),
      File: illegal('File', {}),
      BaseUIEvent: window.MouseEvent,
      PointerEvent: window.MouseEvent,
      ResizeObserver: class ResizeObserver extends Observer {},
      IntersectionObserver: class IntersectionObserver extends Observer {
        takeRecords = (): unknown[] => [];
      },
      alert: () => findings.add('documented but not simulated', 'alert'),
      confirm: () => findings.add('documented but not simulated', 'confirm'),
      prompt: () => findings.add('documented but not simulated', 'prompt'),
    }),
  );
}

/** jsdom's class of that name, whose prototype was limited when the page was opened. */
function domClass({ page }: GlobalsOptions, name: string): unknown {
  const value = Object.getOwnPropertyDescriptor(page.window, name)?.value as unknown;
  const isDom =
    typeof value === 'function' && !(name in globalThis && value === Reflect.get(globalThis, name));
  return isDom && globals[name]?.kind === 'class' ? value : undefined;
}

/** The name exists, as in a host. Its use reports that it is not simulated. */
function notSimulated({ lifetime, findings }: GlobalsOptions, name: string): unknown {
  const stop = (): never => {
    findings.add('documented but not simulated', name);
    throw new lifetime.realm.Error(`${name} is documented for UXP, but not simulated`);
  };
  return {
    [name]: function () {
      stop();
    },
  }[name];
}
