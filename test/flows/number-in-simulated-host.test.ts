import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { buildPlugin } from '../../scripts/kept-build.js';
import { openPlugin, type Plugin } from '../host/host.js';
import { TestBrowser } from '../service/support/browser-client.js';
import { startTestService, type TestService } from '../service/support/running-service.js';

/** The built bundle in the simulated host, against the real service, which requests a number for a typed code. */
describe('the number choice in the simulated host', () => {
  let folder: string;
  let service: TestService;
  let plugin: Plugin | null = null;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'number-'));
    service = await startTestService({ lifetimes: { pollIntervalSeconds: 1 } });
    await buildPlugin(service.baseUrl, join(folder, 'dist'));
  });

  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  afterEach(() => {
    plugin?.kill();
  });

  const open = async (storage: string): Promise<Plugin> => {
    plugin?.kill();
    plugin = await openPlugin({
      dist: join(folder, 'dist'),
      storageDir: join(folder, storage),
      uxpVersion: '9.2.0',
      allowLoopbackHttp: true,
    });
    return plugin;
  };

  /** Types the code into a browser and chooses Allow. @returns the number that the browser shows, and the page's text */
  const allow = async (panel: Plugin): Promise<{ number: string; consent: string }> => {
    panel.click('Connect');
    await panel.waitFor('Your code');
    const code = panel.root.querySelector('#user-code')?.textContent ?? '';
    const browser = new TestBrowser(service.baseUrl);
    await browser.open('/oauth/device');
    await browser.submit('Continue', { user_code: code });
    const { username, password } = service.demo;
    const consent = await browser.submit('Sign in', { username, password });
    const { markup } = await browser.submit('Allow');
    await panel.waitFor('Which number does the browser show?');
    return {
      number: /class="big-number"[^>]*>(\d\d)</.exec(markup)?.[1] ?? '',
      consent: consent.text,
    };
  };

  it('connects after the right number, also over a restart, under the name that the user chose', async () => {
    let panel = await open('right');
    await panel.waitFor('This computer');
    panel.click(/^This computer/);
    await panel.waitFor('Save');
    panel.type('sp-textfield', 'Studio laptop');
    panel.click('Save');
    await panel.waitFor(() => panel.labels().includes('Connect'));
    const { number, consent } = await allow(panel);
    expect(consent).toContain('Studio laptop');
    expect(consent).toMatch(/Photoshop \d+/);
    expect(consent).toMatch(/(macOS|Windows) \d\d/);

    panel = await open('right');
    await panel.waitFor('Which number does the browser show?');
    expect(panel.labels()).toContain(number);
    panel.click(number);
    await panel.waitFor('Connected');

    panel.click('Account menu');
    await panel.waitFor('This computer…');
    panel.click('This computer…');
    await panel.waitFor('Save');
    panel.type('sp-textfield', 'Desk');
    panel.click('Save');
    await panel.waitFor(() => panel.labels().includes('Add photos'));
    // The panel has sent it to the service: the pages show the same name.
    expect(await service.database.query('SELECT device_name FROM consents')).toEqual([
      { device_name: 'Desk' },
    ]);
    panel.click('Account menu');
    await panel.waitFor('Disconnect');
    panel.click('Disconnect');
    await panel.waitFor('Desk');
    expect(panel.uncaught).toEqual([]);
    expect(panel.findings).toEqual([]);
  });

  it('connects nothing after None of these', async () => {
    const panel = await open('none');
    await panel.waitFor('Connect once.');
    await allow(panel);
    panel.click('None of these');
    await panel.waitFor('CW-107');
    expect(panel.labels()).toContain('Get a new code');
  });
});
