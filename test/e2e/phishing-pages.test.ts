import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';
import {
  setCodeSignIn,
  type CodeSignInPolicy,
} from '../../service/identity/access/code-sign-in.js';
import { CLIENT_ID, postForm } from '../service/support/oauth-client.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { addUser, addWorkspace } from '../service/support/users.js';
import { launchBrowser } from './browser.js';
import { CleanUp } from './clean-up.js';
import { screenshot } from './screenshot.js';

const VICTIM = '203.0.113.7';
const ATTACKER = '198.51.100.9';

/** What the victim of `test/service/attacks/phishing-rehearsal.test.ts` sees, as pictures. */
describe('the pages that a victim of phishing sees', () => {
  const cleanUp = new CleanUp();
  let service: TestService;
  let browser: Browser;

  beforeAll(async () => {
    service = await startTestService({ trustedProxies: 1 });
    cleanUp.add(() => service.close());
    browser = await launchBrowser();
    cleanUp.add(() => browser.close());
  });
  afterAll(async () => {
    await cleanUp.run();
  });

  const press = async (page: Page, selector: string): Promise<void> => {
    await Promise.all([page.waitForNavigation(), page.click(selector)]);
  };

  it.each<
    [
      string,
      { policy: CodeSignInPolicy['signIn']; from: string; width: number; scheme: 'light' | 'dark' },
    ]
  >([
    ['standard-far', { policy: 'standard', from: ATTACKER, width: 1280, scheme: 'light' }],
    ['standard-proxied', { policy: 'standard', from: VICTIM, width: 375, scheme: 'dark' }],
    ['number-proxied', { policy: 'number', from: VICTIM, width: 375, scheme: 'light' }],
    ['same-network-far', { policy: 'same-network', from: ATTACKER, width: 375, scheme: 'light' }],
    ['off', { policy: 'off', from: VICTIM, width: 1280, scheme: 'dark' }],
  ])('are drawn for %s', async (name, { policy, from, width, scheme }) => {
    const workspace = await addWorkspace(service, 'North Studio');
    const user = await addUser(service, { [workspace]: 'owner' });
    await service.database.transaction((transaction) =>
      setCodeSignIn(transaction, workspace, { signIn: policy, apps: 'all' }),
    );
    const { body } = await postForm(
      `${service.baseUrl}/api/oauth/device_authorization`,
      {
        client_id: CLIENT_ID,
        scope: 'uploads:write',
        device_app: 'Photoshop 27.1',
        device_os: 'macOS 15.1',
        device_name: 'Studio laptop',
      },
      { 'x-forwarded-for': from },
    );
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.setExtraHTTPHeaders({ 'x-forwarded-for': VICTIM });
    await page.setViewport({ width, height: 800 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);

    await page.goto(String(body['verification_uri_complete']));
    await press(page, 'main form button[type=submit]');
    await page.type('[name=username]', user.username);
    await page.type('[name=password]', user.password);
    await press(page, 'form:has([name=password]) button[type=submit]');
    await screenshot(page, `phishing-${name}-1-consent`);

    const allow = await page.$('button[value=allow]');
    expect(allow !== null).toBe(policy === 'standard' || policy === 'number');
    if (allow !== null) {
      await press(page, 'button[value=allow]');
      await screenshot(page, `phishing-${name}-2-after-allow`);
      const isBound = policy === 'standard' && from === VICTIM;
      expect((await page.$('.big-number')) === null).toBe(isBound);
    }
    await context.close();
  });
});
