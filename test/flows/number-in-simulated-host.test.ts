import { describe, expect, it } from '@jest/globals';

import type { Plugin } from '../host/host.js';
import { TestBrowser } from '../service/support/browser-client.js';
import { useService } from '../service/support/use-service.js';
import { askForCode, press, usePlugins } from './fixture.js';

/** The built bundle in the simulated host, against the real service, which requests a number for a typed code. */
describe('the number choice in the simulated host', () => {
  const service = useService({ lifetimes: { pollIntervalSeconds: 1 } });
  const plugins = usePlugins(() => service.baseUrl);
  const open = (storage: string): Promise<Plugin> => plugins.open(storage, { uxpVersion: '9.2.0' });

  /** Types the code into a browser and chooses Allow. @returns the number that the browser shows, and the page's text */
  const allow = async (panel: Plugin): Promise<{ number: string; consent: string }> => {
    const code = await askForCode(panel);
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
    const first = await open('right');
    await press(first, /^This computer/);
    await first.waitFor('Save');
    first.type('sp-textfield', 'Studio laptop');
    await press(first, 'Save');
    const { number, consent } = await allow(first);
    expect(consent).toContain('Studio laptop');
    expect(consent).toMatch(/Photoshop \d+/);
    expect(consent).toMatch(/(macOS|Windows) \d\d/);

    first.kill();
    const panel = await open('right');
    await panel.waitFor('Which number does the browser show?');
    expect(panel.labels()).toContain(number);
    panel.click(number);
    await panel.waitFor('Connected');

    await press(panel, 'Account menu');
    await press(panel, 'This computer…');
    await panel.waitFor('Save');
    panel.type('sp-textfield', 'Desk');
    await press(panel, 'Save');
    await panel.waitFor(() => panel.labels().includes('Add photos'));
    // The panel has sent it to the service: the pages show the same name.
    expect(await service.database.query('SELECT device_name FROM consents')).toEqual([
      { device_name: 'Desk' },
    ]);
    await press(panel, 'Account menu');
    await press(panel, 'Disconnect');
    await panel.waitFor('Desk');
    expect([panel.uncaught, panel.findings]).toEqual([[], []]);
  });

  it('connects nothing after None of these', async () => {
    const panel = await open('none');
    await allow(panel);
    panel.click('None of these');
    await panel.waitFor('CW-107');
    expect(panel.labels()).toContain('Get a new code');
  });
});
