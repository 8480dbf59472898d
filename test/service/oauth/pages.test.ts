import { describe, expect, it } from '@jest/globals';
import { approveDevice, denyDevice, TestBrowser } from '../support/browser-client.js';
import { poll, startDevice } from '../support/oauth-client.js';
import { startTestService } from '../support/running-service.js';
import { useService } from '../support/use-service.js';

describe('the pages of the device flow', () => {
  const service = useService();

  const signIn = () => ({ username: service.demo.username, password: service.demo.password });

  const enter = async (userCode: string, browser = new TestBrowser(service.baseUrl)) => {
    await browser.open(`/oauth/device?user_code=${userCode}`);
    await browser.submit('Continue');
    return browser;
  };

  it.each([
    ['small letters', (code: string) => code.toLowerCase()],
    ['no dash', (code: string) => code.replace('-', '')],
    ['spaces', (code: string) => ` ${code.replace('-', ' ').split('').join(' ')} `],
    ['a long dash', (code: string) => code.replace('-', '–')],
  ])('accept a code typed with %s', async (_name, typed) => {
    const { userCode } = await startDevice(service.baseUrl);

    const { page } = await enter(typed(userCode));

    expect(page.form?.fields).toHaveProperty('password');
  });

  it('report a wrong code and accept another', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = await enter('BCDF-GHJK');
    expect(browser.page.status).toBe(400);
    expect(browser.page.text).toContain('No app is waiting with this code');
    expect(browser.page.form?.fields['user_code']).toBe('BCDF-GHJK');

    await browser.submit('Continue', { user_code: userCode });

    expect(browser.page.text).toContain('Sign in');
  });

  it('report a missing code', async () => {
    expect((await enter('')).page.text).toContain('Enter the code that the app shows');
  });

  it.each([
    ['allowed', approveDevice],
    ['denied', denyDevice],
  ])('report a used code that was %s', async (_name, decide) => {
    const { userCode } = await startDevice(service.baseUrl);
    await decide(service.baseUrl, userCode, service.demo);

    const { page } = await enter(userCode);

    expect(page.status).toBe(400);
    expect(page.text).toContain('This code has already been used');
  });

  it('accept a code again after the back button', async () => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const browser = await enter(userCode);
    await browser.open('/oauth/device');

    await approveDevice(service.baseUrl, userCode, service.demo, browser);

    expect((await poll(service.baseUrl, deviceCode)).status).toBe(200);
  });

  it('work in an older tab after another tab has finished', async () => {
    const first = await startDevice(service.baseUrl);
    const second = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    const older = await browser.open(`/oauth/device?user_code=${second.userCode}`);
    await approveDevice(service.baseUrl, first.userCode, service.demo, browser);

    browser.show(older);
    await browser.submit('Continue');
    await browser.submit('Allow');

    expect((await poll(service.baseUrl, second.deviceCode)).status).toBe(200);
  });

  it('accept the code again after the session ended', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const old = await new TestBrowser(service.baseUrl).open('/oauth/device');
    const browser = new TestBrowser(service.baseUrl);
    browser.show(old);

    const again = await browser.submit('Continue', { user_code: userCode });
    expect(again.status).toBe(400);
    expect(again.text).toMatch(/enter the code again/i);

    expect((await browser.submit('Continue', { user_code: userCode })).text).toContain('Sign in');
  });

  it('refuse the anti-forgery token of another browser', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const other = await new TestBrowser(service.baseUrl).open('/oauth/device');
    const browser = new TestBrowser(service.baseUrl);
    await browser.open('/oauth/device');

    const page = await browser.submit('Continue', {
      user_code: userCode,
      xsrf: other.form?.fields['xsrf'] ?? '',
    });

    expect(page.status).toBe(400);
    expect(page.text).toContain('Enter the code again');
  });

  it('accept one decision on a code from two browsers', async () => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const browsers = [await enter(userCode), await enter(userCode)] as const;
    for (const browser of browsers) {
      await browser.submit('Sign in', signIn());
    }

    const pages = [await browsers[0].submit('Allow'), await browsers[1].submit('Deny')];

    expect(pages.map(({ text }) => text.includes('You are connected'))).toEqual([true, false]);
    expect(pages[1]?.text).toContain('This code has already been used');
    expect((await poll(service.baseUrl, deviceCode)).status).toBe(200);
  });

  it('show a code from the URL for comparison, without scripts', async () => {
    const { body, userCode, deviceCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);

    const page = await browser.open(String(body['verification_uri_complete']));

    expect(page.status).toBe(200);
    expect(page.text).toContain(userCode);
    expect(page.markup).not.toContain('<script');
    await browser.submit('Continue');
    await browser.submit('Sign in', signIn());
    await browser.submit('Allow');
    expect((await poll(service.baseUrl, deviceCode)).status).toBe(200);
  });

  it('report wrong credentials, keep the username, and continue after right ones', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = await enter(userCode);

    for (const wrong of [
      { username: 'demo', password: 'wrong' },
      { username: 'nobody', password: service.demo.password },
    ]) {
      const page = await browser.submit('Sign in', wrong);
      expect(page.status).toBe(401);
      expect(page.text).toContain('Wrong username or password');
      expect(page.form?.fields).toMatchObject({ username: wrong.username, password: '' });
    }

    await browser.submit('Sign in', signIn());
    expect(browser.page.form?.buttons.map(({ label }) => label)).toEqual(['Deny', 'Allow']);
  });

  it('show client, scopes and workspace before Allow', async () => {
    const { userCode } = await startDevice(service.baseUrl, 'uploads:write uploads:read');
    const browser = await enter(userCode);
    expect(browser.page.text).toContain('Creative Workspace plugin');
    expect(browser.page.text).toContain(service.demo.password);

    const { text } = await browser.submit('Sign in', signIn());

    expect(text).toContain('Connect Creative Workspace plugin?');
    expect(text).toContain('Upload files to your workspace');
    expect(text).toContain('See the list of files you uploaded');
    expect(text).toContain(service.demo.workspace);
  });

  it('escape untrusted text', async () => {
    const attack = '"><script>alert(1)</script>';

    const browser = new TestBrowser(service.baseUrl);
    await browser.open('/oauth/device');
    const page = await browser.submit('Continue', { user_code: attack });

    expect(page.markup).not.toContain('<script');
    expect(page.form?.fields['user_code']).toBe(attack);
    const linked = await new TestBrowser(service.baseUrl).open(
      `/oauth/device?user_code=${encodeURIComponent(attack)}`,
    );
    expect(linked.markup).not.toContain('<script');
  });

  it('refuse a form without its anti-forgery token', async () => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    await browser.open('/oauth/device');
    const forgedCode = await browser.submit('Continue', { user_code: userCode, xsrf: 'forged' });
    expect(forgedCode.status).toBe(400);
    await browser.submit('Continue', { user_code: userCode });
    await browser.submit('Sign in', signIn());

    const forgedConsent = await browser.submit('Allow', { csrf: 'forged' });

    expect(forgedConsent.status).toBe(403);
    expect((await poll(service.baseUrl, deviceCode)).body).toMatchObject({
      error: 'authorization_pending',
    });
  });

  it('do not show the sign-in of another browser', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const { page } = await enter(userCode);

    const other = await new TestBrowser(service.baseUrl).open(page.url);

    expect(other.status).toBe(400);
    expect(other.form).toBeUndefined();
  });

  it('forbid frames, caching, and scripts and resources of other origins', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = await enter(userCode);
    const pages = [
      browser.page,
      await browser.submit('Sign in', signIn()),
      await browser.submit('Allow'),
      await browser.open('/oauth/device'),
      await browser.open('/oauth/device?user_code=BCDF-GHJK'),
      await browser.open('/nowhere'),
    ];
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 404]);
    for (const { headers } of pages) {
      expect(headers.get('content-security-policy')).toMatch(
        // The sign-in page has the script for passkeys.
        /^default-src 'none'; (script-src 'self'; connect-src 'self'; style-src 'self'|style-src) 'sha256-[\w+/=]+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
      );
      expect(headers.get('cache-control')).toContain('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-type')).toMatch(/^text\/html/);
    }
  });

  it('hide the demo account if the option is set', async () => {
    const quiet = await startTestService({ showDemoAccount: false });
    try {
      const { userCode } = await startDevice(quiet.baseUrl);
      const browser = new TestBrowser(quiet.baseUrl);
      await browser.open(`/oauth/device?user_code=${userCode}`);
      const page = await browser.submit('Continue');
      expect(page.form?.fields).toHaveProperty('password');
      expect(page.markup).not.toContain(quiet.demo.password);
    } finally {
      await quiet.close();
    }
  });
});
