import { beforeAll, describe, expect, it } from '@jest/globals';
import { CLIENT_ID, DEVICE_GRANT, postForm } from '../support/oauth-client.js';
import type { Answer } from '../support/oauth-client.js';
import { basic, DESKTOP_ID } from '../support/code-flow.js';
import { addUser, addWorkspace, openSettings, registerApplication } from '../support/users.js';
import { useService } from '../support/use-service.js';

describe('a client that sends its id with an empty secret (RFC 6749 section 2.3.1)', () => {
  let confidential: { clientId: string; secret: string };

  const service = useService();
  beforeAll(async () => {
    const workspaceId = await addWorkspace(service, 'Secretive');
    const owner = await addUser(service, { [workspaceId]: 'owner' });
    confidential = await registerApplication(await openSettings(service, owner), workspaceId, {
      kind: 'confidential',
      redirectUris: 'https://app.example/callback',
    });
  });

  const post = (
    path: string,
    form: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>>,
  ): Promise<Answer> => postForm(`${service.baseUrl}/api/oauth/${path}`, form, headers);

  it('accepts a public client by its id at every endpoint', async () => {
    const header = basic(CLIENT_ID, '');
    const { status, body } = await post('device_authorization', { scope: 'uploads:write' }, header);
    expect(status).toBe(200);

    const form = { grant_type: DEVICE_GRANT, device_code: String(body['device_code']) };
    expect((await post('token', form, header)).body).toMatchObject({
      error: 'authorization_pending',
    });

    const { accessToken } = await service.connect();
    expect((await post('revoke', { token: accessToken }, header)).status).toBe(200);
    const after = await fetch(`${service.baseUrl}/api/v1/uploads`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(after.status).toBe(401);
  });

  it('may repeat its id in the body', async () => {
    const form = { scope: 'uploads:write', client_id: CLIENT_ID };
    const { status } = await post('device_authorization', form, basic(CLIENT_ID, ''));

    expect(status).toBe(200);
  });

  it('is refused with another id in the body', async () => {
    for (const path of ['token', 'revoke', 'device_authorization']) {
      const form = { client_id: DESKTOP_ID, token: 'x', grant_type: 'refresh_token' };
      const { status, body } = await post(path, form, basic(CLIENT_ID, ''));

      expect([status, body['error']]).toEqual([400, 'invalid_request']);
    }
  });

  it('refuses unknown and confidential clients', async () => {
    for (const id of ['no-such-client', confidential.clientId]) {
      for (const path of ['token', 'revoke', 'device_authorization']) {
        const form = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x' };
        const { status, body, headers } = await post(path, form, basic(id, ''));

        expect([status, body['error']]).toEqual([401, 'invalid_client']);
        expect(headers.get('www-authenticate')).toMatch(/^Basic /);
      }
    }
  });

  it('is refused when the secret of a public client is not empty', async () => {
    for (const path of ['token', 'revoke', 'device_authorization']) {
      const form = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x' };
      const { status, body, headers } = await post(path, form, basic(CLIENT_ID, 'x'));

      expect([status, body['error']]).toEqual([401, 'invalid_client']);
      expect(headers.get('www-authenticate')).toMatch(/^Basic /);
    }
  });

  it('refuses a client that authenticates in two ways at once', async () => {
    const form = {
      grant_type: 'refresh_token',
      refresh_token: 'x',
      client_secret: confidential.secret,
    };
    const { status, body } = await post('token', form, basic(confidential.clientId, ''));

    expect([status, body['error']]).toEqual([400, 'invalid_request']);
  });

  it('refuses a malformed Authorization header without a 500', async () => {
    for (const value of ['', ':', 'a', ':x', '%zz:', '%00:', 'a%00:', '\xff\xfe:']) {
      const header = { authorization: `Basic ${Buffer.from(value, 'latin1').toString('base64')}` };
      const { status } = await post('token', { grant_type: 'refresh_token' }, header);

      expect([400, 401]).toContain(status);
    }
    expect(service.logLines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
