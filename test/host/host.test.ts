import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as nodeFs from 'node:fs';
import * as nodePath from 'node:path';
import * as vm from 'node:vm';
import { absent, exists, globals, membersOf } from '../../host-surface/index.js';
import { practised } from '../../host-surface/practice.js';
import { Bench, bodyOf } from './fixture.js';
import { HostRefusal } from './host.js';
import type { Plugin } from './host.js';

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

afterEach(async () => {
  await bench.end();
});

const withNetwork = (...domains: string[]): Record<string, unknown> => ({ network: { domains } });

/** The text of the errors nobody in the plugin caught. */
function uncaught(plugin: Plugin): string {
  return plugin.uncaught
    .map((error) =>
      typeof error === 'object' && error !== null && 'message' in error
        ? String(error.message)
        : String(error),
    )
    .join('\n');
}

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

  it('has what is documented, and what practice shows to exist', () => {
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
    'has in UXP %s exactly the documented globals',
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

  it('has nothing of what is listed as absent', () => {
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

  it('knows names by the UXP version', async () => {
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

  it('gives errors and buffers of the realm the plugin runs in', async () => {
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

describe('the app around a plugin', () => {
  it.each([
    ['PS', '8.4.0', 'photoshop', '26.9'],
    ['PS', '9.4.1', 'photoshop', '27.9'],
    ['ID', '9.0.3', 'indesign', '21.0'],
    ['ID', '9.3.0', 'indesign', '21.4'],
    ['premierepro', '9.2.1', 'premierepro', '26.2'],
    ['premierepro', '9.3.0', 'premierepro', '26.3'],
  ])('%s with UXP %s says that it is %s %s', async (app, uxpVersion, name, version) => {
    const plugin = await bench.open({}, { uxpVersion, host: { app } });
    expect(plugin.evaluate('JSON.stringify(require("uxp").host)')).toBe(
      JSON.stringify({ name, version, uiLocale: 'en_US' }),
    );
    expect(plugin.evaluate('require("uxp").versions.uxp')).toBe(`uxp-${uxpVersion}`);
    expect(plugin.evaluate('try { typeof require("photoshop") } catch { "none" }')).toBe(
      app === 'PS' ? 'object' : 'none',
    );
  });

  it('runs microtasks from UXP 9.4 on, and keeps their errors', async () => {
    const plugin = await bench.open(
      {
        script: `
          queueMicrotask(() => console.log('later'));
          queueMicrotask(() => { throw new Error('in a microtask'); });
          console.log('first');`,
      },
      { uxpVersion: '9.4.1' },
    );
    await plugin.waitFor(() => plugin.uncaught.length === 1);
    expect(plugin.console.map(({ text }) => text)).toEqual(['first', 'later']);
    expect(uncaught(plugin)).toBe('in a microtask');
  });

  it('tells where nothing is on the page: offsets are 0', async () => {
    const plugin = await bench.open({ body: '<div id="a" style="margin: 20px">x</div>' });
    const offsets =
      '[document.getElementById("a").offsetLeft, document.getElementById("a").offsetTop].join()';
    expect(plugin.evaluate(offsets)).toBe('0,0');
  });
});

describe('loading', () => {
  it.each([
    ['a manifest of version 4', { manifestVersion: 4 }, 'manifestVersion'],
    ['a manifest without an id', { id: undefined }, '"id"'],
    ['a plugin for another app', { host: { app: 'ID', minVersion: '21.0.0' } }, 'not for PS'],
    ['a plugin that needs a newer app', { host: { app: 'PS', minVersion: '27.4' } }, '27.4'],
    ['a manifest without entry points', { entrypoints: undefined }, 'entrypoints'],
    [
      'a wildcard at the top level of a domain',
      { requiredPermissions: { network: { domains: ['https://*'] } } },
      'wildcard',
    ],
    [
      'a domain with a path',
      { requiredPermissions: { network: { domains: ['https://example.com/api'] } } },
      'nothing more',
    ],
  ])('refuses %s', async (_, manifest, message) => {
    await expect(bench.open({ manifest })).rejects.toThrow(message);
    await expect(bench.open({ manifest })).rejects.toBeInstanceOf(HostRefusal);
  });

  it('does not run module scripts, remote scripts or inline scripts', async () => {
    const plugin = await bench.open({
      body:
        '<script type="module" src="main.js"></script><script src="https://example.com/x.js"></script>' +
        '<script>console.log("inline")</script>',
    });
    expect(plugin.console).toEqual([]);
    expect(plugin.findings.filter((finding) => finding.kind === 'page')).toHaveLength(2);
  });

  it('requires files of the plugin with their ending only', async () => {
    const plugin = await bench.open({
      script: `console.log(require('./part.js').name); require('./part');`,
      files: { 'part.js': 'module.exports = { name: "part" };' },
    });
    expect(plugin.console).toEqual([{ level: 'log', text: 'part' }]);
    expect(uncaught(plugin)).toContain('ending');
  });
});

describe('entry points', () => {
  const setup = (methods: string): string =>
    `require('uxp').entrypoints.setup({ panels: { tinyPanel: ${methods} } });`;

  it('must be set up at start', async () => {
    const script = `setTimeout(() => { ${setup('{ create() {} }')} }, 1);`;
    await expect(bench.open({ script })).rejects.toThrow('did not set up its panel');
  });

  it('must be those of the manifest', async () => {
    const script = `require('uxp').entrypoints.setup({ panels: { otherPanel: { create() {} } } });`;
    await expect(bench.open({ script })).rejects.toThrow('no panel "otherPanel"');
  });

  it('must not block for more than 300 ms', async () => {
    // The limit counts computing time, of which a loop gets only a part on a busy machine: so this is an amount of work.
    const busy = `for (let left = ${looksAtTheClockIn(1_000)}; left > 0; left -= 1) Date.now();`;
    await expect(bench.open({ script: setup(`{ create() { ${busy} } }`) })).rejects.toThrow(
      'longer than 300 ms',
    );
  });

  it('must not wait for more than 300 ms', async () => {
    const script = setup('{ create() { return new Promise(() => undefined); } }');
    await expect(bench.open({ script })).rejects.toThrow('longer than 300 ms');
  });

  it('must not throw', async () => {
    const script = setup('{ create() { throw new Error("no canvas"); } }');
    await expect(bench.open({ script })).rejects.toThrow('no canvas');
  });

  it('get create and show once, and never hide', async () => {
    const plugin = await bench.open({
      script: setup(`{
        create(root) { console.log('create ' + root.localName); },
        show() { console.log('show'); },
        hide() { console.log('hide'); },
        destroy() { console.log('destroy'); },
      }`),
    });
    await plugin.close();
    expect(plugin.console.map((line) => line.text)).toEqual(['create body', 'show', 'destroy']);
  });

  it('answer their menu', async () => {
    const plugin = await bench.open({
      script: setup(`{
        create() {},
        menuItems: [{ id: 'about', label: 'About' }],
        invokeMenu(id) { console.log('menu ' + id); },
      }`),
    });
    await plugin.invokeMenu('about');
    expect(plugin.console.map((line) => line.text)).toEqual(['menu about']);
    await expect(plugin.invokeMenu('help')).rejects.toThrow('no menu item');
  });
});

describe('the network', () => {
  it('refuses an origin the manifest does not name, by another port as well', async () => {
    const origin = await bench.serve((_, response) => response.end('x'));
    const plugin = await bench.open({
      permissions: withNetwork('http://localhost:1'),
      script: `
        const xhr = new XMLHttpRequest();
        xhr.onerror = () => console.log('error ' + xhr.status);
        xhr.open('GET', '${origin}/');
        xhr.send();
        fetch('${origin}/').catch((error) => console.log(error instanceof TypeError));`,
    });
    await plugin.waitFor(() => plugin.console.length === 2);
    expect(plugin.console.map((line) => line.text).sort()).toEqual(['error 0', 'true']);
    expect(plugin.findings[0]?.text).toContain('Manifest entry not found');
  });

  it.each(['8.4.0', '9.4.1'])(
    'drops an IP address from the list without a word, in UXP %s',
    async (uxpVersion) => {
      const origin = (await bench.serve((_, response) => response.end('x'))).replace(
        'localhost',
        '127.0.0.1',
      );
      const plugin = await bench.open(
        {
          permissions: withNetwork(origin, 'http://localhost:1'),
          script: `
          const xhr = new XMLHttpRequest();
          xhr.onload = xhr.onerror = (event) => console.log(event.type);
          xhr.open('GET', '${origin}/');
          xhr.send();`,
        },
        { uxpVersion },
      );
      await plugin.waitFor(() => plugin.console.length === 1);
      expect(plugin.console[0]?.text).toBe('error');
      expect(plugin.requests[0]?.failure).toContain('Permission denied to the url');
      expect(plugin.requests[0]?.failure).toContain('Manifest entry not found');
    },
  );

  it('refuses plain http on macOS unless loopback is allowed', async () => {
    const origin = await bench.serve((_, response) => response.end('x'));
    const tiny = {
      permissions: withNetwork(origin),
      script: `
        const xhr = new XMLHttpRequest();
        xhr.onload = xhr.onerror = (event) => console.log(event.type);
        xhr.open('GET', '${origin}/');
        xhr.send();`,
    };
    const mac = await bench.open(tiny, { allowLoopbackHttp: false });
    await mac.waitFor(() => mac.console.length === 1);
    expect(mac.console[0]?.text).toBe('error');
    mac.kill();
    const windows = await bench.open(tiny, { allowLoopbackHttp: false, platform: 'win32' });
    await windows.waitFor(() => windows.console.length === 1);
    expect(windows.console[0]?.text).toBe('load');
  });

  it.each([
    ['a Blob', 'new Blob(["x"])'],
    ['a typed array', 'new Uint8Array(2)'],
    ['a form', '({ a: 1 })'],
  ])('refuses to send %s by XMLHttpRequest', async (_, body) => {
    const plugin = await bench.open({
      permissions: withNetwork('http://localhost:9'),
      script: `
        const xhr = new XMLHttpRequest();
        xhr.open('POST', 'http://localhost:9/');
        xhr.send(${body});`,
    });
    expect(uncaught(plugin)).toContain('only a string or an ArrayBuffer');
  });

  it('refuses synchronous requests, odd methods and relative addresses', async () => {
    const plugin = await bench.open({});
    const open = (args: string) => () => plugin.evaluate(`new XMLHttpRequest().open(${args})`);
    expect(open('"GET", "https://example.com/", false')).toThrow('synchronous');
    expect(open('"TRACE", "https://example.com/"')).toThrow('not allowed');
    expect(open('"GET", "/relative"')).toThrow('not absolute');
    expect(open('"GET"')).toThrow('needs a method');
  });

  it('drops forbidden headers in silence and sends no cookie', async () => {
    let headers: NodeJS.Dict<string | string[]> = {};
    const origin = await bench.serve((request, response) => {
      headers = request.headers;
      response.setHeader('Set-Cookie', 'a=b').end();
    });
    const plugin = await bench.open({
      permissions: withNetwork(origin),
      script: `
        const send = (next) => {
          const xhr = new XMLHttpRequest();
          xhr.onload = next;
          xhr.open('POST', '${origin}/');
          xhr.setRequestHeader('Content-Length', '99');
          xhr.setRequestHeader('Cookie', 'a=b');
          xhr.setRequestHeader('X-Own', 'yes');
          xhr.send('text');
        };
        send(() => send(() => console.log('done')));`,
    });
    await plugin.waitFor(() => plugin.console.length === 1);
    expect(headers).toMatchObject({ 'content-length': '4', 'x-own': 'yes' });
    expect(headers['cookie']).toBeUndefined();
    expect(plugin.findings.map((finding) => finding.text)).toContain(
      'header Cookie is forbidden and was dropped',
    );
  });

  it('reports upload progress up to the whole body, and the answer as bytes', async () => {
    let received = 0;
    const origin = await bench.serve((request, response) => {
      void bodyOf(request).then((body) => {
        received = body.byteLength;
        response.writeHead(201, { Location: '/uploads/1' }).end(Buffer.from([1, 2, 3]));
      });
    });
    const plugin = await bench.open({
      permissions: withNetwork(origin),
      script: `
        const xhr = new XMLHttpRequest();
        let last = 0, steps = 0;
        xhr.upload.onprogress = (event) => { steps += 1; last = event.loaded; };
        xhr.onload = () => console.log(JSON.stringify({
          status: xhr.status, steps: steps > 2, last, at: xhr.getResponseHeader('LOCATION'),
          bytes: Array.from(new Uint8Array(xhr.response)),
        }));
        xhr.open('PATCH', '${origin}/uploads');
        xhr.responseType = 'arrayBuffer';
        xhr.send(new ArrayBuffer(1000000));`,
    });
    await plugin.waitFor(() => plugin.console.length === 1);
    expect(JSON.parse(plugin.console[0]?.text ?? '')).toEqual({
      status: 201,
      steps: true,
      last: 1_000_000,
      at: '/uploads/1',
      bytes: [1, 2, 3],
    });
    expect(received).toBe(1_000_000);
  });

  it('times out and aborts with the documented handlers', async () => {
    const origin = await bench.serve(() => undefined);
    const plugin = await bench.open(
      {
        permissions: withNetwork(origin),
        script: `
        const late = new XMLHttpRequest();
        late.timeout = 30;
        late.ontimeout = () => console.log('timeout ' + late.status);
        late.open('GET', '${origin}/');
        late.send();
        const stopped = new XMLHttpRequest();
        stopped.onabort = () => console.log('abort');
        stopped.open('GET', '${origin}/');
        stopped.send();
        setTimeout(() => { stopped.abort(); console.log('state ' + stopped.readyState); }, 5);`,
      },
      { uxpVersion: '9.0.2' },
    );
    await plugin.waitFor(() => plugin.console.length === 3);
    expect(plugin.console.map((line) => line.text)).toEqual(['abort', 'state 0', 'timeout 0']);
  });

  it.each([
    ['8.4.0', undefined],
    ['9.0.2', 0],
  ])('in UXP %s tells its state: %s, and has the constants', async (uxpVersion, state) => {
    const plugin = await bench.open({}, { uxpVersion });
    expect(plugin.evaluate('new XMLHttpRequest().readyState')).toBe(state);
    expect(plugin.evaluate('"readyState" in new XMLHttpRequest()')).toBe(state !== undefined);
    const constants = [
      'XMLHttpRequest.DONE',
      'XMLHttpRequest.prototype.OPENED',
      'new XMLHttpRequest().LOADING',
    ];
    expect(constants.map((name) => plugin.evaluate(name))).toEqual([4, 1, 3]);
  });

  it.each([
    ['8.3.0', '26.8', true],
    ['8.4.0', '26.9', false],
  ])(
    'in UXP %s a redirect to another origin keeps Authorization: %s %s',
    async (uxpVersion, minVersion, kept) => {
      let seen: string | undefined;
      const other = await bench.serve((request, response) => {
        seen = request.headers.authorization;
        response.end('there');
      });
      const origin = await bench.serve((_, response) => {
        response.writeHead(302, { Location: `${other}/landed` }).end();
      });
      const plugin = await bench.open(
        {
          permissions: withNetwork(origin, other),
          manifest: { host: { app: 'PS', minVersion } },
          script: `
            const xhr = new XMLHttpRequest();
            xhr.onload = () => console.log(xhr.responseURL);
            xhr.open('GET', '${origin}/');
            xhr.setRequestHeader('Authorization', 'Bearer secret');
            xhr.send();`,
        },
        { uxpVersion },
      );
      await plugin.waitFor(() => plugin.console.length === 1);
      expect(plugin.console[0]?.text).toBe(`${other}/landed`);
      expect(seen).toBe(kept ? 'Bearer secret' : undefined);
    },
  );

  it('refuses a redirect to an origin the manifest does not name', async () => {
    const other = await bench.serve((_, response) => response.end('there'));
    const origin = await bench.serve((_, response) => {
      response.writeHead(307, { Location: other }).end();
    });
    const plugin = await bench.open({
      permissions: withNetwork(origin),
      script: `
        const xhr = new XMLHttpRequest();
        xhr.onerror = () => console.log('error');
        xhr.open('GET', '${origin}/');
        xhr.send();`,
    });
    await plugin.waitFor(() => plugin.console.length === 1);
    expect(plugin.requests.map((request) => request.status ?? request.failure)).toEqual([
      307,
      expect.stringContaining('network.domains'),
    ]);
  });
});

describe('permissions', () => {
  it('refuses a scheme that is not granted, by a text', async () => {
    const plugin = await bench.open({
      permissions: { launchProcess: { schemes: ['https'], extensions: [] } },
      script: `require('uxp').shell.openExternal('http://example.com/').then((text) => console.log(text));`,
    });
    await plugin.waitFor(() => plugin.console.length === 1);
    expect(plugin.console[0]?.text).toContain('"http" is not in launchProcess.schemes');
    expect(plugin.control.shell.calls).toEqual([]);
  });

  it('gives a text when the person declines', async () => {
    const plugin = await bench.open(
      {
        permissions: { launchProcess: { schemes: ['https'] } },
        script: `require('uxp').shell.openExternal('https://example.com/').then((text) => console.log('<' + text + '>'));`,
      },
      {
        prepare: (control) => {
          control.shell.allow = false;
        },
      },
    );
    await plugin.waitFor(() => plugin.console.length === 1);
    expect(plugin.console[0]?.text).toMatch(/^<.+>$/);
  });

  it.each([
    ['none', undefined, 'writeText("x")', 'none'],
    ['read', 'read', 'writeText("x")', 'read'],
    ['readAndWrite', 'readAndWrite', 'writeText({ "text/plain": "x" })', 'takes a string'],
  ])('with clipboard permission %s refuses %s %s', async (_, clipboard, call, message) => {
    const plugin = await bench.open({
      permissions: clipboard === undefined ? {} : { clipboard },
      script: `navigator.clipboard.${call}.catch((error) => console.log(error.message));`,
    });
    await plugin.waitFor(() => plugin.console.length === 1);
    expect(plugin.console[0]?.text).toContain(message);
    expect(plugin.clipboard.text).toBe('');
  });

  it('writes a text to the clipboard when it may', async () => {
    const plugin = await bench.open({
      permissions: { clipboard: 'readAndWrite' },
      script: `navigator.clipboard.writeText('ABCD-EFGH').then(() => console.log('copied'));`,
    });
    await plugin.waitFor(() => plugin.console.length === 1);
    expect(plugin.clipboard.text).toBe('ABCD-EFGH');
  });

  it('refuses pickers and outside paths unless the manifest asks for them', async () => {
    const plugin = await bench.open({
      script: `
        const log = (error) => console.log(error.message);
        require('uxp').storage.localFileSystem.getFileForOpening().catch(log);
        require('fs').readFile('/etc/hostname').catch(log);
        require('fs').writeFile('plugin:/x', 'x').catch(log);
        require('fs').readFile('plugin-data:/../../x').catch(log);`,
    });
    await plugin.waitFor(() => plugin.console.length === 4);
    const text = plugin.console.map((line) => line.text).join('\n');
    expect(text).toContain('"request"');
    expect(text).toContain('"fullAccess"');
    expect(text).toContain('read-only');
    expect(text).toContain('leaves the folder');
  });
});

describe('the page', () => {
  it('reads like a person reads: without what is hidden', async () => {
    const plugin = await bench.open({
      css: '.off { display: none } .gone { visibility: hidden }',
      body: `<div>One <sp-link>two</sp-link></div><div class="off">three</div><p class="gone">four</p>
        <sp-button>Connect</sp-button><sp-button disabled>Wait</sp-button><sp-button class="off">Hidden</sp-button>`,
    });
    expect(plugin.text()).toBe('One two\nConnect\nWait');
    expect(plugin.labels()).toEqual(['two', 'Connect']);
    expect(() => plugin.click('Wait')).toThrow('disabled');
    expect(() => plugin.click('Hidden')).toThrow('nothing to press');
  });

  it('reads what the last word shows: of rules in their order, of a style, of what lies above', async () => {
    const plugin = await bench.open({
      css: `.off { display: none } .on { display: flex } .gone { visibility: hidden } .here { visibility: visible }
        @media print { p { display: none } } @media screen { .narrow { display: none } } p:is(.none) { display: none }`,
      body: `<p class="on off">shown by the later rule</p><p class="narrow on">hidden by the later rule</p>
        <p class="gone here">visible by the later rule</p><p hidden>hidden by itself</p><p hidden class="on">flex</p>
        <p class="off" style="display: block">shown by its style</p><p class="on" style="display: none">by its style</p>
        <p style="visibility: hidden">not visible by its style</p><p class="none">of a selector that asks more</p>
        <div class="off"><p class="on">in what is hidden</p></div><p style="color: red">red</p>`,
    });
    expect(plugin.text()).toBe(
      'shown by the later rule\nvisible by the later rule\nflex\nshown by its style\nred',
    );
    plugin.evaluate(`document.body.setAttribute('style', 'visibility: hidden')`);
    expect(plugin.text()).toBe('');
    plugin.evaluate(`document.body.setAttribute('style', 'display: none')`);
    expect(plugin.text()).toBe('');
    plugin.evaluate(`document.body.setAttribute('style', '')`);
    expect(plugin.text()).toContain('red');
  });

  it('reports elements and attributes that are treated as nothing', async () => {
    const plugin = await bench.open({
      body: '<ul><li>one</li></ul><div aria-label="x" hidden>y</div>',
      script: `
        const span = document.createElement('span');
        span.setAttribute('role', 'status');
        document.body.appendChild(span);`,
    });
    await plugin.waitFor(() => plugin.findings.length >= 6);
    const texts = plugin.findings.map((finding) => finding.text.replace(/:.*/, ''));
    expect(texts.sort()).toEqual([
      '<li>',
      '<span>',
      '<ul>',
      'aria-label on <div>',
      'hidden on <div>',
      'role on <span>',
    ]);
  });

  it('honours no listener option but capture, and never sends keypress or visibilitychange', async () => {
    const plugin = await bench.open({
      body: '<button>Go</button>',
      script: `
        const button = document.querySelector('button');
        button.addEventListener('click', () => console.log('click'), { once: true });
        button.addEventListener('keypress', () => undefined);
        document.addEventListener('visibilitychange', () => undefined);
        window.addEventListener('beforeunload', () => undefined);
        window.addEventListener('awake', () => undefined);`,
    });
    plugin.click('Go');
    plugin.click('Go');
    expect(plugin.console).toHaveLength(2);
    expect(plugin.findings.map((finding) => finding.text)).toEqual([
      'addEventListener ignores the option "once"',
      'the event "keypress" never comes here',
      'the event "visibilitychange" never comes here',
      'the event "beforeunload" never comes here',
      'the event "awake" never comes here',
    ]);
  });

  it('sends sleep and awake from UXP 9.2 on', async () => {
    const plugin = await bench.open(
      {
        script: `window.addEventListener('awake', (event) => console.log(event.type + (event.target === window)));`,
      },
      { uxpVersion: '9.2.0' },
    );
    plugin.system('awake');
    expect(plugin.console[0]?.text).toBe('awaketrue');
  });

  const picking = (guard: string): string => `
    let busy = false;
    document.querySelector('.add').addEventListener('click', async () => {
      ${guard}
      await require('uxp').storage.localFileSystem.getFileForOpening();
      busy = false;
    });`;

  it('repeats the click on a Spectrum widget from which a picker opens', async () => {
    const plugin = await bench.open({
      permissions: { localFileSystem: 'request' },
      body: '<sp-button class="add">Add photos</sp-button>',
      script: picking(''),
    });
    plugin.click('Add photos');
    await plugin.waitFor(() => plugin.control.pickers.calls.length > 3);
    expect(plugin.findings[0]?.kind).toBe('repeated click');
  });

  it.each([
    ['a busy flag', 'sp-button', 'if (busy) return; busy = true;'],
    ['a plain button', 'button', ''],
  ])('opens one picker only with %s', async (_, tag, guard) => {
    const plugin = await bench.open({
      permissions: { localFileSystem: 'request' },
      body: `<${tag} class="add">Add photos</${tag}>`,
      script: picking(guard),
    });
    plugin.click('Add photos');
    await plugin.waitFor(() => plugin.control.pickers.open === 1);
    expect(plugin.control.pickers.calls).toHaveLength(1);
  });

  it('swallows errors nobody catches, and keeps them for the test', async () => {
    const plugin = await bench.open({
      body: '<button>Go</button>',
      script: `
        setTimeout(() => { throw new Error('in a timer'); }, 0);
        document.querySelector('button').addEventListener('click', () => { throw new Error('in a click'); });
        Promise.reject(new Error('in a promise'));
        throw new Error('at start');`,
    });
    plugin.click('Go');
    await plugin.waitFor(() => plugin.uncaught.length === 4);
    expect(uncaught(plugin).split('\n').sort()).toEqual([
      'at start',
      'in a click',
      'in a promise',
      'in a timer',
    ]);
  });
});

describe('closing, killing and opening again', () => {
  it('keeps data, secrets and localStorage, as the same installation', async () => {
    const script = `
      const { storage } = require('uxp');
      (async () => {
        const former = await storage.secureStorage.getItem('count').catch(() => null);
        const count = former === null ? 0 : Number(String.fromCharCode(...former));
        const data = await storage.localFileSystem.getDataFolder();
        const file = await data.createFile('count', { overwrite: true });
        const kept = await file.read().catch(() => 'none');
        console.log([count, kept, localStorage.getItem('count')].join(' '));
        await storage.secureStorage.setItem('count', String(count + 1));
        await file.write(String(count + 1));
        localStorage.setItem('count', String(count + 1));
        console.log('saved');
      })();`;
    const first = await bench.open({ script });
    await first.waitFor(() => first.console.length === 2);
    await first.close();
    const second = await bench.open({ script });
    await second.waitFor(() => second.console.length === 2);
    expect([first.console[0]?.text, second.console[0]?.text]).toEqual(['0 none ', '1 1 1']);
  });

  it('finds nothing after an upgrade to the next major version, and all of it after a lesser one', async () => {
    const script = `
      const { secureStorage } = require('uxp').storage;
      (async () => {
        const former = await secureStorage.getItem('key').catch(() => null);
        console.log((former === null ? 'no secret' : 'a secret') + ', ' + localStorage.getItem('key'));
        await secureStorage.setItem('key', 'x');
        localStorage.setItem('key', 'x');
        console.log('saved');
      })();`;
    const found: (string | undefined)[] = [];
    for (const uxpVersion of ['8.4.0', '9.0.2', '9.2.0', '9.4.1']) {
      const plugin = await bench.open({ script }, { uxpVersion });
      await plugin.waitFor(() => plugin.console.length === 2);
      found.push(plugin.console[0]?.text);
      await plugin.close();
    }
    expect(found).toEqual(['no secret, null', 'a secret, x', 'no secret, null', 'a secret, x']);
  });

  it('runs nothing of a killed plugin, and cuts its connections', async () => {
    let cut: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => {
      cut = resolve;
    });
    let arrived = false;
    const origin = await bench.serve((request) => {
      arrived = true;
      request.socket.on('close', () => cut());
    });
    const plugin = await bench.open({
      permissions: withNetwork(origin),
      script: `
        setInterval(() => console.log('tick'), 1);
        const xhr = new XMLHttpRequest();
        xhr.onerror = xhr.onabort = () => console.log('heard');
        xhr.open('GET', '${origin}/');
        xhr.send();`,
    });
    await plugin.waitFor(() => arrived);
    plugin.kill();
    const before = plugin.console.length;
    await closed;
    expect(plugin.console).toHaveLength(before);
    expect(plugin.waitingTimers).toBe(0);
  });

  it('tells the plugin by its destroy hooks when closing, not when killing', async () => {
    const script = `
      const note = (text) => localStorage.setItem('log', (localStorage.getItem('log') || '') + text);
      require('uxp').entrypoints.setup({
        plugin: { create() {}, destroy() { note('plugin '); } },
        panels: { tinyPanel: { create() {}, destroy() { note('panel '); } } },
      });`;
    const killed = await bench.open({ script });
    killed.kill();
    const path = nodePath.join(bench.folder, 'storage', 'PS', '26', 'local-storage.json');
    expect(nodeFs.existsSync(path)).toBe(false);
    const closed = await bench.open({ script });
    await closed.close();
    expect(JSON.parse(nodeFs.readFileSync(path, 'utf8'))).toEqual([['log', 'panel plugin ']]);
  });
});

/** How often one can look at the clock in so many milliseconds of computing time. */
function looksAtTheClockIn(ms: number): number {
  const before = process.cpuUsage();
  for (let count = 0; ;) {
    for (let more = 0; more < 100_000; more += 1) Date.now();
    count += 100_000;
    const { user, system } = process.cpuUsage(before);
    if (user + system >= ms * 1_000) return count;
  }
}
