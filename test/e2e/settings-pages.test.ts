import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';
import { Translator } from '../../service/kernel/i18n/translator.js';
import { startMailServer, type MailServer } from '../service/support/mail-server.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { launchBrowser } from './browser.js';
import { serveAxe, Visitor, WALKED } from './browser-user.js';
import { CleanUp } from './clean-up.js';
import { SettingsWalk } from './settings-walk.js';

describe('the pages about sign-in, security, activity and connections', () => {
  const cleanUp = new CleanUp();
  let service: TestService;
  let mail: MailServer;
  let browser: Browser;
  let axe: string;

  beforeAll(async () => {
    mail = await startMailServer();
    cleanUp.add(() => mail.close());
    service = await startTestService({
      trustedProxies: 1,
      mail: { smtpUrl: mail.url, from: 'Studio <mail@studio.example>' },
      helpContact: 'help@studio.example',
    });
    cleanUp.add(() => service.close());
    browser = await launchBrowser({
      args: ['--disable-threaded-compositing', '--force-prefers-reduced-motion'],
    });
    cleanUp.add(() => browser.close());
    axe = await serveAxe(cleanUp);
  });
  afterAll(() => cleanUp.run());

  const newPage = async (): Promise<Page> => {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    // Scripts injected by the test are not subject to the page's policy.
    await page.setBypassCSP(true);
    return page;
  };

  it.each(WALKED)('have no fault in %s, wide and narrow, light and dark', async (language) => {
    const page = await newPage();
    const visitor = new Visitor(page, service, new Translator(language), axe);
    const walk = new SettingsWalk(page, service, mail, language, (name) => visitor.look(name));
    await walk.walk();
    await page.browserContext().close();
    expect(visitor.faults).toEqual([]);
    expect(visitor.looked.length).toBeGreaterThan(45);
  });

  it('lead to the end without scripts', async () => {
    const page = await newPage();
    await page.setJavaScriptEnabled(false);
    const visited: string[] = [];
    const walk = new SettingsWalk(page, service, mail, 'en', (name) => {
      visited.push(name);
      return Promise.resolve();
    });
    await walk.walk();
    await page.browserContext().close();
    expect(visited).toContain('number-chosen');
    expect(visited.at(-1)).toBe('link-gone');
  });
});
