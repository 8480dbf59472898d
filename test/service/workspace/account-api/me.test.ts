import { describe, expect, it, jest } from '@jest/globals';
import { PersonalTokens } from '../../../../service/identity/accounts/personal-access-tokens.js';
import { revoke } from '../../support/oauth-client.js';
import { useService } from '../../support/use-service.js';

describe('GET /api/v1/me', () => {
  const service = useService();

  const me = (token?: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${service.baseUrl}/api/v1/me`, {
      ...init,
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    });

  it('returns user, workspace, app and scopes of the token', async () => {
    const { accessToken } = await service.connect();

    const answer = await me(accessToken);

    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toEqual({
      account: { name: 'Demo Photographer', username: service.demo.username },
      workspace: { id: expect.any(String), name: 'Demo Studio', role: 'owner' },
      client: { id: 'creative-workspace-plugin', name: expect.stringMatching(/./) },
      device_name: null,
      scopes: ['uploads:write'],
    });
  });

  it.each(['uploads:read', 'uploads:write'])(
    'requires no scope: %s alone is enough',
    async (scope) => {
      const { accessToken } = await service.connect(scope);

      const answer = await me(accessToken);

      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ scopes: [scope] });
    },
  );

  it('names no app for a personal access token', async () => {
    const [owner] = await service.database.query<{ account_id: string; workspace_id: string }>(
      'SELECT account_id, workspace_id FROM workspace_members LIMIT 1',
    );
    const tokens = new PersonalTokens(service.database, () => new Date());
    const token = await tokens.create(owner?.account_id ?? '', {
      workspaceId: owner?.workspace_id ?? '',
      name: 'A script',
      scopes: ['uploads:read'],
      days: 7,
    });

    expect(await (await me(token)).json()).toMatchObject({ client: null });
  });

  it.each([
    ['without a token', (): Promise<string | undefined> => Promise.resolve(undefined)],
    ['with an unknown one', () => Promise.resolve('svc_at_unknown')],
    [
      'with one that was revoked',
      async () => {
        const { accessToken } = await service.connect();
        await revoke(service.baseUrl, accessToken);
        return accessToken;
      },
    ],
  ])('rejects a request %s', async (_name, token) => {
    const answer = await me(await token());

    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm=/);
    expect(await answer.json()).toMatchObject({ error: 'invalid_token' });
  });

  it('refuses a token whose user leaves the workspace during the request', async () => {
    const { accessToken } = await service.connect();
    const query = service.database.query.bind(service.database);
    const asked = jest.spyOn(service.database, 'query').mockImplementation(async (sql, params) => {
      if (sql.includes('workspace_name, role')) return [];
      return query(sql, params);
    });

    const answer = await me(accessToken);

    const isAsked = asked.mock.calls.some(([sql]) => sql.includes('workspace_name, role'));
    asked.mockRestore();
    expect([isAsked, answer.status]).toEqual([true, 401]);
    expect(await answer.json()).toMatchObject({ error: 'invalid_token' });
  });

  it('accepts only GET and HEAD, from scripts of any origin', async () => {
    const { accessToken } = await service.connect();

    const head = await me(accessToken, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    expect(head.headers.get('access-control-allow-origin')).toBe('*');
    const post = await me(accessToken, { method: 'POST' });
    expect(post.status).toBe(405);
    expect(post.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });
});
