import { describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { approveDevice, TestBrowser } from '../support/browser-client.js';
import { poll, startDevice } from '../support/oauth-client.js';
import { openSettings } from '../support/users.js';
import { useService } from '../support/use-service.js';

describe('an attacker who reads the database', () => {
  const service = useService();

  /** Everything that is stored for oidc-provider, as text. */
  const dump = async (): Promise<string> =>
    JSON.stringify(await service.database.query('SELECT * FROM oidc_records'));

  it('does not find a device code, neither before nor after it is entered', async () => {
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    expect(await dump()).not.toContain(deviceCode);

    const browser = new TestBrowser(service.baseUrl);
    await browser.open(`/oauth/device?user_code=${userCode}`);
    await browser.submit('Continue');
    expect(await dump()).not.toContain(deviceCode);
    const { username, password } = service.demo;
    await browser.submit('Sign in', { username, password });
    await browser.submit('Allow');
    expect(await dump()).not.toContain(deviceCode);

    expect((await poll(service.baseUrl, deviceCode)).status).toBe(200);
    expect((await poll(service.baseUrl, deviceCode)).status).toBe(400);
  });

  // @threat R11
  it('cannot get tokens with the stored hash of a device code', async () => {
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    await approveDevice(service.baseUrl, userCode, service.demo);
    const stored = await service.database.query<{ id: string }>(
      `SELECT id FROM oidc_records WHERE kind = 'DeviceCode'`,
    );

    for (const { id } of stored) {
      for (const guess of [id, `sha256:${id}`]) {
        expect((await poll(service.baseUrl, guess)).body).toMatchObject({ error: 'invalid_grant' });
      }
    }

    expect((await poll(service.baseUrl, deviceCode)).status).toBe(200);
  });

  it('cannot take over a browser session, even with the key that signs the cookies', async () => {
    const browser = await openSettings(service, service.demo, '/settings/apps');
    expect(browser.page.text).toContain('Connected apps');
    const cookie = browser.cookie('cws_session');
    expect(cookie).not.toBe('');
    expect(await dump()).not.toContain(cookie);
    const [secret] = await service.database.query<{ value: string }>(
      `SELECT value FROM service_secrets WHERE name = 'cookie_key'`,
    );
    const openWith = async (session: string): Promise<number> => {
      const signature = createHmac('sha1', secret?.value ?? '')
        .update(`cws_session=${session}`)
        .digest('base64url');
      const response = await fetch(`${service.baseUrl}/settings/apps`, {
        redirect: 'manual',
        headers: { cookie: `cws_session=${session}; cws_session.sig=${signature}` },
      });
      return response.status;
    };
    // The forged signature is valid: it works with the browser's secret.
    expect(await openWith(cookie)).toBe(200);
    const stored = await service.database.query<{ id: string; session_uid: string }>(
      `SELECT id, session_uid FROM oidc_records WHERE kind = 'Session'`,
    );
    expect(stored.length).toBeGreaterThan(0);

    for (const { id, session_uid: uid } of stored) {
      for (const guess of [id, `sha256:${id}`, uid]) expect(await openWith(guess)).toBe(303);
    }
  });

  it('does not find the URL of an interaction in progress', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    await browser.open(`/oauth/device?user_code=${userCode}`);
    const page = await browser.submit('Continue');
    const uid = page.url.slice(page.url.lastIndexOf('/') + 1);
    expect(uid.length).toBeGreaterThan(20);

    expect(await dump()).not.toContain(uid);
    const { username, password } = service.demo;
    await browser.submit('Sign in', { username, password });
    expect(browser.cookie('cws_session')).not.toBe('');
    expect(await dump()).not.toContain(browser.cookie('cws_session'));
    expect((await browser.submit('Allow')).status).toBe(200);
  });
});
