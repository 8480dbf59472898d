import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { addUser, addWorkspace, type TestUser } from '../service/support/users.js';
import { launchBrowser } from './browser.js';
import { CleanUp } from './clean-up.js';

describe('passkeys', () => {
  const cleanUp = new CleanUp();
  let service: TestService;
  let browser: Browser;
  let user: TestUser;

  beforeAll(async () => {
    service = await startTestService();
    cleanUp.add(() => service.close());
    browser = await launchBrowser();
    cleanUp.add(() => browser.close());
    user = await addUser(service, { [await addWorkspace(service, 'Studio')]: 'owner' });
  });
  afterAll(() => cleanUp.run());

  /** Opens a page in a browser with an authenticator that verifies every user; the function removes the authenticator. */
  async function openPage(path: string): Promise<[Page, () => Promise<void>]> {
    const page = await (await browser.createBrowserContext()).newPage();
    const devtools = await page.createCDPSession();
    await devtools.send('WebAuthn.enable');
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
        ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    await page.goto(service.baseUrl + path);
    return [page, () => devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })];
  }

  const press = async (page: Page, selector: string): Promise<void> => {
    await page.waitForSelector(selector, { visible: true });
    await Promise.all([page.waitForNavigation(), page.click(selector)]);
  };

  it('a passkey is added in Settings, signs its user in, and is refused once it is removed', async () => {
    const [page, removeAuthenticator] = await openPage('/settings/account/sign-in');
    await page.type('#username', user.username);
    await page.type('#password', user.password);
    await press(page, 'form:not(.passkey) button[type=submit]');
    await page.waitForSelector('form.passkey #name', { visible: true });
    await page.type('form.passkey #name', 'Studio laptop');
    await press(page, 'form.passkey button');
    expect(await page.content()).toContain('Studio laptop');
    expect(page.url()).toContain('flash=passkeyAdded');

    await page.browserContext().deleteCookie(...(await page.browserContext().cookies()));
    await page.goto(`${service.baseUrl}/settings/account/sign-in`);
    // The browser offers the passkey in the field, and the virtual authenticator takes it at once.
    await page.waitForFunction("location.pathname === '/settings/account/sign-in'");
    expect(await page.content()).toContain('Studio laptop');

    await service.database.query('DELETE FROM passkeys');
    await page.browserContext().deleteCookie(...(await page.browserContext().cookies()));
    const refused = page.waitForResponse((response) => response.status() === 401);
    await page.goto(`${service.baseUrl}/settings/account/sign-in`);
    await refused;
    // The page of the refusal offers passkeys, too: the authenticator would answer it again and again.
    await removeAuthenticator();
    await page.waitForFunction("document.body.innerText.includes('The passkey did not work')");
  });
});
