import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as nodeFs from 'node:fs';
import * as nodePath from 'node:path';
import { Bench, uncaught, withNetwork } from './fixture.js';
import { HostRefusal } from './host.js';

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

afterEach(async () => {
  await bench.end();
});

describe('the simulated app', () => {
  it.each([
    ['PS', '8.4.0', 'photoshop', '26.9'],
    ['PS', '9.4.1', 'photoshop', '27.9'],
    ['ID', '9.0.3', 'indesign', '21.0'],
    ['ID', '9.3.0', 'indesign', '21.4'],
    ['premierepro', '9.2.1', 'premierepro', '26.2'],
    ['premierepro', '9.3.0', 'premierepro', '26.3'],
  ])('%s with UXP %s reports %s %s', async (app, uxpVersion, name, version) => {
    const plugin = await bench.open({}, { uxpVersion, host: { app } });
    expect(plugin.evaluate('JSON.stringify(require("uxp").host)')).toBe(
      JSON.stringify({ name, version, uiLocale: 'en_US' }),
    );
    expect(plugin.evaluate('require("uxp").versions.uxp')).toBe(`uxp-${uxpVersion}`);
    expect(plugin.evaluate('try { typeof require("photoshop") } catch { "none" }')).toBe(
      app === 'PS' ? 'object' : 'none',
    );
  });

  it('runs microtasks from UXP 9.4 on and records their errors', async () => {
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

  it('reports 0 for offsets on the page', async () => {
    const plugin = await bench.open({ body: '<div id="a" style="margin: 20px">x</div>' });
    const offsets =
      '[document.getElementById("a").offsetLeft, document.getElementById("a").offsetTop].join()';
    expect(plugin.evaluate(offsets)).toBe('0,0');
  });
});

describe('loading a plugin', () => {
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

  it('requires plugin files with their extension only', async () => {
    const plugin = await bench.open({
      script: `console.log(require('./part.js').name); require('./part');`,
      files: { 'part.js': 'module.exports = { name: "part" };' },
    });
    expect(plugin.console).toEqual([{ level: 'log', text: 'part' }]);
    expect(uncaught(plugin)).toContain('ending');
  });
});

it('reports image data that were not disposed of', async () => {
  const plugin = await bench.open(
    {
      script: `
      const { core, imaging, app } = require('photoshop');
      core.executeAsModal(
        () => imaging.getPixels({ documentID: app.activeDocument.id }),
        { commandName: 'Look' },
      ).then(() => console.log('taken'));`,
    },
    { prepare: ({ photoshop }) => photoshop.openDocument({ name: 'a.psd', bytes: {} }) },
  );
  await plugin.waitFor(() => plugin.console.length > 0);
  plugin.kill();
  expect(plugin.findings).toEqual([{ kind: 'imaging', text: '1 image data were not disposed of' }]);
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

describe('permissions', () => {
  it('refuses a scheme that is not granted with a message', async () => {
    const plugin = await bench.open({
      permissions: { launchProcess: { schemes: ['https'], extensions: [] } },
      script: `require('uxp').shell.openExternal('http://example.com/').then((text) => console.log(text));`,
    });
    await plugin.waitFor(() => plugin.console.length === 1);
    expect(plugin.console[0]?.text).toContain('"http" is not in launchProcess.schemes');
    expect(plugin.control.shell.calls).toEqual([]);
  });

  it('returns a message when the user declines', async () => {
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

  it('writes text to the clipboard with permission', async () => {
    const plugin = await bench.open({
      permissions: { clipboard: 'readAndWrite' },
      script: `navigator.clipboard.writeText('ABCD-EFGH').then(() => console.log('copied'));`,
    });
    await plugin.waitFor(() => plugin.console.length === 1);
    expect(plugin.clipboard.text).toBe('ABCD-EFGH');
  });

  it('refuses pickers and outside paths unless the manifest requests them', async () => {
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

describe('closing, killing and opening again', () => {
  it('keeps data, secrets and localStorage of an installation', async () => {
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

  it('loses data in an upgrade to the next major version, and keeps it in a smaller one', async () => {
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

  it('runs no code of a killed plugin and closes its connections', async () => {
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

  it('calls the destroy hooks on close, not on kill', async () => {
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
