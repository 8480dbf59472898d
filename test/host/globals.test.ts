import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as vm from 'node:vm';
import { absent, exists, globals, membersOf } from '../../uxp-api/index.js';
import { practised } from '../../uxp-api/practice.js';
import { Bench } from './fixture.js';
import type { Plugin } from './host.js';

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

afterEach(async () => {
  await bench.end();
});

describe.each(['8.4.0', '9.4.1'])('the context of a plugin in UXP %s', (uxpVersion) => {
  // Looking at names changes nothing, so one open plugin serves them all.
  const shared = new Bench();
  let plugin: Plugin;

  beforeAll(async () => {
    plugin = await shared.open({}, { uxpVersion });
  });

  afterAll(async () => {
    await shared.end();
  });

  it.each([
    'TextEncoder',
    'TextDecoder',
    'btoa',
    'atob',
    'structuredClone',
    ...(uxpVersion === '8.4.0' ? ['queueMicrotask', 'URLSearchParams'] : []),
    'requestAnimationFrame',
    'performance',
    'indexedDB',
    'FileReader',
    'CustomEvent',
    'MouseEvent',
    'MutationObserver',
    'customElements',
    'matchMedia',
    'location',
    'history',
    'innerWidth',
    'self',
    'global',
    'process',
    'Buffer',
    'setImmediate',
    'Intl',
    'WeakRef',
    'SharedArrayBuffer',
    'Worker',
    'Image',
    'DOMParser',
    'FontFace',
    'Notification',
    'onerror',
    'postMessage',
    'open',
    'HTMLDivElement',
    'UIEvent',
  ])('has no %s', (name) => {
    expect(plugin.evaluate(`typeof ${name}`)).toBe('undefined');
    expect(plugin.evaluate(`${JSON.stringify(name)} in window`)).toBe(false);
  });

  it.each([
    'document.cookie',
    'document.location',
    'document.defaultView',
    'document.fonts',
    'document.createRange',
    'document.readyState',
    'document.body.ariaLabel',
    'document.body.role',
    'document.body.title',
    'document.body.onclick',
    'document.body.animate',
    'document.body.toggleAttribute',
    'document.body.getClientRects',
    'document.body.accessKey',
    'document.createElement("input").files',
    'document.createElement("input").validity',
    'document.createElement("label").htmlFor',
    'document.createElement("form").submit',
    'document.createElement("canvas").toBlob',
    'document.createElement("ul").type',
    'document.querySelectorAll("*")[Symbol.iterator]',
    'new Event("x").timeStamp',
    'new Event("x").cancelBubble',
    'navigator.onLine',
    'navigator.userAgent',
    'navigator.locks',
    'crypto.subtle',
    'AbortSignal.timeout',
    'AbortSignal.any',
    'new AbortController().signal.addEventListener',
    ...(uxpVersion === '8.4.0' ? ['new XMLHttpRequest().readyState'] : []),
    'new XMLHttpRequest().onprogress',
    'new XMLHttpRequest().onloadend',
    'new XMLHttpRequest().upload.onload',
    'new Headers()[Symbol.iterator]',
    'new Headers().getSetCookie',
    'Promise.withResolvers',
    'console.table',
    'path.matchesGlob',
    'require("fs").createWriteStream',
    'require("fs").existsSync',
    'require("os").tmpdir',
    'require("uxp").storage.localFileSystem.getFileForReading',
  ])('has no %s', (member) => {
    expect(plugin.evaluate(member)).toBeUndefined();
  });

  it.each([
    ['new EventTarget()', 'Illegal constructor'],
    ['new DOMException("x")', 'Illegal constructor'],
    ['new URL("https://example.com/")', 'Illegal constructor'],
    ['new File([], "x")', 'Illegal constructor'],
    ['new HTMLElement()', 'constructor'],
    ['new Node()', 'Illegal constructor'],
    ['new AbortSignal()', 'Illegal constructor'],
    ['eval("1")', 'Code generation from strings disallowed'],
    ['new Function("return 1")()', 'Code generation from strings disallowed'],
  ])('refuses %s', (code, message) => {
    expect(() => plugin.evaluate(code)).toThrow(message);
  });

  it.each(['http', 'crypto', 'path', 'process', 'shell', 'indesign', 'node:fs', '../outside.js'])(
    'refuses require("%s")',
    (id) => {
      expect(() => plugin.evaluate(`require(${JSON.stringify(id)})`)).toThrow('Cannot find module');
    },
  );

  it('has documented names and names known from practice', () => {
    for (const name of [
      'document',
      'window',
      'XMLHttpRequest',
      'fetch',
      'Blob',
      'crypto',
      'localStorage',
      'setTimeout',
      'console',
      'navigator',
      'AbortController',
      'Event',
      'KeyboardEvent',
      'HTMLElement',
      'ResizeObserver',
      'path',
    ]) {
      expect([name, plugin.evaluate(`typeof ${name}`)]).not.toEqual([name, 'undefined']);
    }
    expect(plugin.evaluate('document.body.classList.add("x"), document.body.className')).toBe('x');
    expect(plugin.evaluate('window === globalThis')).toBe(true);
    expect(plugin.evaluate('document.body.ownerDocument === document')).toBe(true);
  });

  it.each(['9.0.3', '9.2.1', '9.3.0'].concat(uxpVersion))(
    'has exactly the documented globals in UXP %s',
    async (uxpVersion) => {
      const own = await bench.open({}, { uxpVersion, host: { version: '27.0' } });
      const target = { uxpVersion, flags: new Set<string>() };
      const present = Object.entries(globals)
        .filter(
          ([name, fact]) => !name.includes('.') && fact.onlyUsed !== true && exists(fact, target),
        )
        .map(([name]) => name);
      const expected = new Set([...present, ...practised(), ...membersOf('window', target)]);
      for (const name of ['alert', 'confirm', 'prompt']) expected.delete(name);
      expect(present.filter((name) => own.evaluate(`typeof ${name}`) === 'undefined')).toEqual([]);
      // What the language itself brings is not listed in the documents.
      const language = new Set(
        vm.runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[],
      );
      const names = own.evaluate('Object.getOwnPropertyNames(globalThis)') as string[];
      const others = [...names].filter((name) => !expected.has(name) && !language.has(name));
      // addEventListener is documented for window; the other two belong to the same class.
      expect(others.sort()).toEqual(['dispatchEvent', 'removeEventListener']);
    },
  );

  it('has no name that is listed as absent', () => {
    const known = (name: string, object?: string): boolean => practised(object).includes(name);
    const objects = ['document', 'navigator', 'crypto', 'window', 'AbortSignal', 'Promise'];
    const found = absent.filter(({ kind, name, object }) => {
      // A name with an owner here, or a global; a UXP version in the data is tested above.
      if (kind === 'global' && (object === undefined || object === 'window')) {
        return (
          !known(name) && !(name in globals) && plugin.evaluate(`typeof ${name}`) !== 'undefined'
        );
      }
      if (object === undefined || !objects.includes(object) || !/^\w+$/.test(name)) return false;
      const isMember = kind === 'member' || kind === 'static';
      return (
        isMember &&
        !known(name, object) &&
        plugin.evaluate(`typeof ${object}.${name}`) !== 'undefined'
      );
    });
    expect(found).toEqual([]);
  });

  it('depends on the UXP version', async () => {
    const before = await bench.open({}, { uxpVersion: '8.4.0' });
    expect(before.evaluate('typeof URLSearchParams')).toBe('undefined');
    before.kill();
    const after = await bench.open({}, { uxpVersion: '9.2.0' });
    expect(after.evaluate('typeof URLSearchParams')).toBe('function');
  });

  it('hides what a feature flag of the manifest would switch on', async () => {
    const plain = await bench.open({});
    expect(plain.evaluate('typeof alert')).toBe('undefined');
    expect(plain.evaluate('typeof ShadowRoot')).toBe('undefined');
    plain.kill();
    const flagged = await bench.open({ manifest: { featureFlags: { enableAlerts: true } } });
    expect(flagged.evaluate('typeof alert')).toBe('function');
  });

  it('returns errors and buffers of the plugin’s realm', async () => {
    const plugin = await bench.open({
      script: `
        const fs = require('fs');
        fs.readFile('plugin:/main.js').then((data) => console.log(data instanceof ArrayBuffer));
        fs.readFile('plugin:/none').catch((error) => console.log(error instanceof Error));
        require('uxp').storage.secureStorage.setItem('a', 'b')
          .then(() => require('uxp').storage.secureStorage.getItem('a'))
          .then((value) => console.log(value instanceof Uint8Array));`,
    });
    await plugin.waitFor(() => plugin.console.length === 3);
    expect(plugin.console.map((line) => line.text)).toEqual(['true', 'true', 'true']);
  });
});
