import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as nodeFs from 'node:fs';
import { tmpdir } from 'node:os';
import * as nodePath from 'node:path';
import { checkBundle, describe as describeProblem } from '../../build/host-check.js';

let dist: string;

beforeEach(() => {
  dist = nodeFs.mkdtempSync(nodePath.join(tmpdir(), 'host-check-'));
  nodeFs.mkdirSync(nodePath.join(dist, 'icons'));
  write('manifest.json', JSON.stringify(goodManifest));
  write('index.html', goodPage);
  write('panel.css', goodStyle);
  write('main.js', goodScript);
  write('icons/panel@1x.png', 'png');
  write('icons/panel@2x.png', 'png');
});

afterEach(() => {
  nodeFs.rmSync(dist, { recursive: true, force: true });
});

const goodManifest = {
  manifestVersion: 5,
  id: 'com.example.tiny',
  name: 'Tiny plugin',
  version: '1.2.3',
  main: 'index.html',
  host: { app: 'PS', minVersion: '26.9.0', data: { apiVersion: 2 } },
  entrypoints: [
    {
      type: 'panel',
      id: 'tinyPanel',
      label: { default: 'Tiny' },
      minimumSize: { width: 230, height: 300 },
      icons: [{ width: 23, height: 23, path: 'icons/panel.png', scale: [1, 2], theme: ['dark'] }],
    },
  ],
  icons: [{ width: 23, height: 23, path: 'icons/panel.png', scale: [1, 2], theme: ['dark'] }],
  requiredPermissions: {
    localFileSystem: 'request',
    clipboard: 'readAndWrite',
    network: { domains: ['https://api.example.com'] },
    launchProcess: { schemes: ['https'], extensions: [] },
  },
};

const goodPage =
  '<!doctype html><html lang="en"><head><link rel="stylesheet" href="panel.css"></head>' +
  '<body><div class="panel" id="panel"></div><script src="main.js"></script></body></html>';

const goodStyle = `
  .panel { display: flex; padding: 8px 4px; color: var(--uxp-host-text-color); width: 50%; }
  .panel > sp-button[disabled]:hover::after { content: "x"; margin-left: calc(2px + 1em); }
  @media (max-width: 300px) { .panel { flex-direction: column; } }
  @media (prefers-color-scheme: darkest) { .panel { background-color: rgb(10, 10, 10); } }
`;

const goodScript = `
  (function () {
    const { storage } = require('uxp');
    const fs = require('fs');
    fs.open('plugin-data:/a', 'r');
    const make = (tag, options) => {
      const made = document.createElement(tag);
      for (const [name, value] of Object.entries(options.attributes || {})) made.setAttribute(name, value);
      return made;
    };
    const button = make('sp-button', { attributes: { variant: 'cta', quiet: '' } });
    button.addEventListener('click', () => navigator.clipboard.writeText('x'), { capture: true });
    button.style.marginTop = '4px';
    button.setAttribute('style', 'display: none');
    const xhr = new XMLHttpRequest();
    xhr.open('GET', 'https://api.example.com/', true);
    setTimeout(() => console.log(window.localStorage, new Error(storage)), 10);
    if (typeof btoa === 'function') btoa('x');
    Promise.resolve().then(() => crypto.getRandomValues(new Uint8Array(2)));
  })();
`;

function write(name: string, content: string): void {
  nodeFs.writeFileSync(nodePath.join(dist, name), content);
}

function problems(): string[] {
  return checkBundle({ distDir: dist }).map(describeProblem);
}

/** Adds something to the valid bundle and returns the result of the check. */
function afterAdding(file: 'main.js' | 'panel.css' | 'index.html', addition: string): string[] {
  if (file === 'main.js') write(file, `${goodScript}\n;${addition}`);
  if (file === 'panel.css') write(file, `${goodStyle}\n${addition}`);
  if (file === 'index.html') write(file, goodPage.replace('</div>', `</div>${addition}`));
  return problems();
}

it('accepts a bundle that uses documented names only', () => {
  expect(problems()).toEqual([]);
});

describe('the host check of scripts', () => {
  it.each([
    ['new URLSearchParams("a=b");', 'URLSearchParams', 'encodeURIComponent'],
    ['new TextEncoder();', 'TextEncoder', 'UTF-8'],
    ['queueMicrotask(() => 1);', 'queueMicrotask', 'Promise.resolve'],
    ['structuredClone({});', 'structuredClone', 'JSON'],
    ['requestAnimationFrame(() => 1);', 'requestAnimationFrame', 'setTimeout'],
    ['performance.now();', 'performance', 'Date.now()'],
    ['new Intl.NumberFormat();', 'Intl', 'test on the host'],
    ['new WeakRef({});', 'WeakRef', 'module of our own'],
    ['new CustomEvent("x");', 'CustomEvent', 'new Event'],
    ['location.reload();', 'location', 'openExternal'],
    ['process.env.NODE_ENV;', 'process', 'build-time constants'],
    ['new URL("https://example.com");', 'new URL', 'own parser'],
    ['new EventTarget();', 'new EventTarget', 'emitter'],
    ['class Queue extends EventTarget {}', 'new EventTarget', 'emitter'],
    ['new Image();', 'Image', 'createElement'],
    ['new File([], "x");', 'new File', 'nothing of the kind'],
    ['new Function("return 1");', 'new Function', 'a function'],
    ['eval("1");', 'eval', 'a function'],
    ['setTimeout("x()", 1);', 'setTimeout', 'a function'],
    ['document.cookie = "a=b";', 'document.cookie', ''],
    ['document["cookie"];', 'document.cookie', ''],
    ['document.execCommand("copy");', 'document.execCommand', 'navigator.clipboard'],
    ['navigator.userAgent;', 'navigator.userAgent', 'os'],
    ['navigator.locks;', 'navigator.locks', ''],
    ['crypto.subtle;', 'crypto.subtle', 'bundle a hash'],
    ['console.table([]);', 'console.table', ''],
    ['window.open("https://example.com");', 'window.open', 'openExternal'],
    ['window.innerWidth;', 'window.innerWidth', 'ResizeObserver'],
    ['AbortSignal.timeout(5);', 'AbortSignal.timeout', 'AbortController'],
    ['Promise.withResolvers();', 'Promise.withResolvers', 'new Promise'],
    ['const e = document.body; e.toggleAttribute("x");', '.toggleAttribute', 'setAttribute'],
    ['const e = document.body; e.ariaLabel = "x";', 'ariaLabel', 'visible text'],
    ['document.body.setAttribute("aria-label", "x");', 'attribute aria-label', 'visible text'],
    ['document.body.setAttribute("hidden", "");', 'attribute hidden', 'display: none'],
    ['document.body.setAttribute("style", "gap: 4px");', 'gap', 'margins'],
    ['document.body.style.gap = "4px";', 'style.gap', 'margins'],
    ['document.createElement("ul");', '<ul>', 'bullets'],
    ['const mk = (t) => document.createElement(t); mk("iframe");', '<iframe>', 'div'],
    [
      'function mk(x, t, o) { return document.createElement(t); } mk(1, "div", { attributes: { role: "x" } });',
      'role on <div>',
      'visible text',
    ],
    [
      'const mk = (t, o) => document.createElement(t); mk("sp-button", { attributes: { variant: "accent" } });',
      'variant="accent" on <sp-button>',
      'cta',
    ],
    ['document.body.addEventListener("keypress", () => 1);', 'event keypress', 'keydown'],
    ['window.addEventListener("unhandledrejection", () => 1);', 'unhandledrejection', 'catch'],
    [
      'document.body.addEventListener("click", () => 1, { once: true });',
      'addEventListener option once',
      'removeEventListener',
    ],
    ['fetch("https://api.example.com", { signal: 1 });', 'fetch option signal', 'Request'],
    ['new XMLHttpRequest().open("GET", "https://a.b/", false);', 'open(…, false)', 'asynchronous'],
    ['new XMLHttpRequest().open("GET", "https://a.b/", !1);', 'open(…, false)', 'asynchronous'],
    ['require("path");', "require('path')", 'uxp, fs, os'],
    ['require("fs").existsSync("x");', "require('fs').existsSync", 'readFile'],
    [
      'const f = require("fs"); f.createWriteStream("x");',
      "require('fs').createWriteStream",
      'open',
    ],
    ['import("./x.js");', 'import()', 'one bundle'],
    ['({}) ?.a.b; class A { #x = 1 }', 'syntax', 'ES2020'],
    ['export default 1;', 'syntax', 'ES2020'],
    ['alert("x");', 'alert', 'module of our own'],
    ['atob("x");', 'atob', 'base64'],
  ])('refuses %s', (code, name, instead) => {
    const found = afterAdding('main.js', code);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('main.js');
    expect(found[0]).toContain(name);
    expect(found[0]).toContain(instead);
  });

  it('names the line and column', () => {
    write('main.js', '\n  indexedDB;\n  caches;');
    expect(checkBundle({ distDir: dist })[0]).toMatchObject({ at: '3:3', name: 'caches' });
  });

  it('accepts typeof tests of missing names and the plugin’s own names', () => {
    expect(
      afterAdding(
        'main.js',
        'typeof matchMedia; (function (location) { location.reload(); })({ reload() {} });',
      ),
    ).toEqual([]);
  });

  it('checks names against the oldest host of the manifest', () => {
    write(
      'manifest.json',
      JSON.stringify({ ...goodManifest, host: { app: 'PS', minVersion: '27.4.0' } }),
    );
    expect(afterAdding('main.js', 'new URLSearchParams("a=b");')).toEqual([]);
    expect(afterAdding('main.js', 'queueMicrotask(() => 1);').join()).toContain('UXP 9.4');
  });
});

describe('the host check of style sheets', () => {
  it.each([
    ['.a { gap: 4px }', 'gap', 'margins'],
    ['.a { display: grid }', 'display: grid', 'flex'],
    ['.a { display: contents }', 'display: contents', 'flex'],
    ['.a { grid-template-columns: 1fr }', 'grid-template-columns', 'flex'],
    ['.a { text-decoration: underline }', 'text-decoration', 'a page'],
    ['.a { float: left }', 'float', 'flex'],
    ['.a { transition: all 1s }', 'transition', 'at once'],
    ['.a { font: 12px Arial }', 'font', 'apart'],
    ['.a { line-height: 1.2 }', 'line-height', 'a page'],
    ['.a { cursor: pointer }', 'cursor', 'a page'],
    ['.a { box-sizing: border-box }', 'box-sizing', 'a page'],
    ['.a { z-index: 2 }', 'z-index', 'a page'],
    ['.a { align-items: baseline }', 'align-items: baseline', 'center'],
    ['.a { font-family: Menlo, monospace }', 'font-family', 'fonts'],
    ['.a { letter-spacing: -1px }', 'letter-spacing', 'positive'],
    ['.a { width: 10ch }', 'unit ch', 'px'],
    ['.a { width: min(10px, 50%) }', 'min()', 'calc'],
    ['.a { color: 5px }', 'color: 5px', 'valid'],
    ['@font-face { font-family: x }', '@font-face', ''],
    ['@keyframes x { from { color: red } }', '@keyframes', ''],
    ['@supports (display: flex) { .a { color: red } }', '@supports', '@media'],
    ['@media (hover: hover) { .a { color: red } }', 'hover', 'min-width'],
    ['@media (prefers-color-scheme: sepia) { .a { color: red } }', 'sepia', 'darkest'],
    ['.a:focus-visible { color: red }', ':focus-visible', 'class'],
    ['.a:not(.b) { color: red }', ':not', 'class'],
    ['.a::placeholder { color: red }', '::placeholder', '::before'],
    ['sp-button:disabled { color: red }', ':disabled', '[disabled]'],
    ['ul { color: red }', '<ul>', 'bullets'],
  ])('refuses %s', (rule, name, instead) => {
    const found = afterAdding('panel.css', rule);
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]).toContain('panel.css');
    expect(found[0]).toContain(name);
    expect(found[0]).toContain(instead);
  });
});

describe('the host check of pages', () => {
  it.each([
    ['<ul></ul>', '<ul>', 'bullets'],
    ['<span>x</span>', '<span>', 'div'],
    ['<title>x</title>', '<title>', 'display: none'],
    ['<div aria-label="x"></div>', 'aria-label on <div>', 'visible text'],
    ['<div role="status"></div>', 'role on <div>', 'visible text'],
    ['<div hidden></div>', 'hidden on <div>', 'display: none'],
    ['<div onclick="go()"></div>', 'onclick on <div>', 'addEventListener'],
    ['<div style="gap: 2px"></div>', 'gap', 'margins'],
    ['<img src="x.png" width="20">', 'width on <img>', '16px'],
    ['<label for="x">x</label>', 'for on <label>', ''],
    ['<input type="file">', 'type on <input>', ''],
    ['<sp-button size="l">x</sp-button>', 'size on <sp-button>', ''],
    ['<sp-tooltip>x</sp-tooltip>', '<sp-tooltip>', 'div'],
    ['<script>go()</script>', '<script> without src', 'a script file'],
    ['<script type="module" src="main.js"></script>', 'module', 'classic'],
    ['<script src="https://example.com/x.js"></script>', 'https://example.com/x.js', 'bundle'],
    ['<script src="none.js"></script>', 'none.js', 'exists'],
  ])('refuses %s', (markup, name, instead) => {
    const found = afterAdding('index.html', markup);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('index.html');
    expect(found[0]).toContain(name);
    expect(found[0]).toContain(instead);
  });
});

describe('the host check of the manifest', () => {
  const permissions = goodManifest.requiredPermissions;

  it.each([
    [
      'fullAccess',
      { requiredPermissions: { ...permissions, localFileSystem: 'fullAccess' } },
      'fullAccess',
    ],
    ['any domain', { requiredPermissions: { network: { domains: 'all' } } }, 'every origin'],
    [
      'a wildcard',
      { requiredPermissions: { network: { domains: ['https://*.example.com'] } } },
      'wildcard',
    ],
    [
      'a wildcard at the top',
      { requiredPermissions: { network: { domains: ['https://*'] } } },
      '7.4',
    ],
    [
      'an IP address',
      { requiredPermissions: { network: { domains: ['http://127.0.0.1:8780'] } } },
      'IP address',
    ],
    [
      'an IPv6 address',
      { requiredPermissions: { network: { domains: ['https://[::1]:8780'] } } },
      'IP address',
    ],
    [
      'plain http',
      { requiredPermissions: { network: { domains: ['http://example.com'] } } },
      'plain http',
    ],
    ['the old name of permissions', { permissions: {} }, 'undocumented key'],
    ['an unknown permission', { requiredPermissions: { camera: true } }, 'undocumented permission'],
    ['a webview', { requiredPermissions: { webview: { allow: 'yes' } } }, 'system browser'],
    [
      'code from strings',
      { requiredPermissions: { allowCodeGenerationFromStrings: true } },
      'strings',
    ],
    [
      'another scheme',
      { requiredPermissions: { launchProcess: { schemes: ['file'], extensions: [] } } },
      'web pages',
    ],
    [
      'an extension',
      { requiredPermissions: { launchProcess: { schemes: [], extensions: ['.exe'] } } },
      'no files',
    ],
    ['an unknown key', { author: 'x' }, 'undocumented key'],
    ['version 6', { manifestVersion: 6 }, 'version 5'],
    ['no id', { id: undefined }, 'missing'],
    ['an unknown app', { host: { app: 'XX', minVersion: '26.9.0' } }, 'undocumented value'],
    ['a vague version', { host: { app: 'PS', minVersion: '26' } }, 'x.y.z'],
    ['a version without its patch', { host: { app: 'PS', minVersion: '26.9' } }, 'x.y.z'],
    ['a missing page', { main: 'none.html' }, 'no such file'],
    ['an unknown flag', { featureFlags: { cssGrid: true } }, 'undocumented flag'],
    [
      'a missing icon',
      { icons: [{ width: 24, height: 24, path: 'icons/none.png' }] },
      'no such file',
    ],
    [
      'an unknown theme',
      { icons: [{ width: 23, height: 23, path: 'icons/panel.png', theme: ['blue'] }] },
      'blue',
    ],
    ['a long name', { name: 'x'.repeat(46) }, '45'],
  ])('refuses %s', (_, changes, text) => {
    write('manifest.json', JSON.stringify({ ...goodManifest, ...changes }));
    const found = problems().join('\n');
    expect(found).toContain('manifest.json');
    expect(found).toContain(text);
  });

  it('accepts the newest app, flags and the icon species of samples', () => {
    const icon = { width: 23, height: 23, path: 'icons/panel.png', species: ['generic', 'chrome'] };
    write(
      'manifest.json',
      JSON.stringify({
        ...goodManifest,
        host: { app: 'ame', minVersion: '26.0.0' },
        featureFlags: { uncaughtException: true, unhandledRejection: true },
        icons: [icon],
      }),
    );
    expect(problems()).toEqual([]);
    write(
      'manifest.json',
      JSON.stringify({ ...goodManifest, icons: [{ ...icon, species: ['x'] }] }),
    );
    expect(problems().join()).toContain('generic, toolbar, pluginList, chrome');
  });

  it('accepts a loopback service without TLS', () => {
    const local = { ...permissions, network: { domains: ['http://localhost:8780'] } };
    write('manifest.json', JSON.stringify({ ...goodManifest, requiredPermissions: local }));
    expect(problems()).toEqual([]);
  });

  it.each([
    'http://127.0.0.1:8780',
    'https://127.1',
    'https://0x7f000001:8443',
    'https://2130706433',
    'http://[::1]:8780',
    'https://203.0.113.7',
  ])('refuses the address %s, which newer hosts drop', (domain) => {
    const byAddress = { ...permissions, network: { domains: [domain] } };
    write('manifest.json', JSON.stringify({ ...goodManifest, requiredPermissions: byAddress }));
    expect(problems()).toEqual([expect.stringContaining(domain)]);
    expect(problems()[0]).toContain('newer hosts drop IP addresses from the manifest');
    expect(problems()[0]).toContain('Permission denied to the url');
  });

  it('refuses a missing manifest', () => {
    write('manifest.json', '{');
    expect(problems()[0]).toContain('cannot be read');
  });
});
