import { beforeAll, describe, expect, it } from '@jest/globals';
import { removeMember, setMember } from '../../../service/identity/accounts/accounts.js';
import { TestBrowser } from '../support/browser-client.js';
import { listUploads, postForm } from '../support/oauth-client.js';
import {
  allowRequest,
  authorizePath,
  basic,
  exchangeCode,
  makePkce,
} from '../support/code-flow.js';
import {
  addUser,
  addWorkspace,
  elementText,
  openSettings,
  registerApplication,
} from '../support/users.js';
import type { TestUser } from '../support/users.js';
import { useService } from '../support/use-service.js';
import { create } from '../support/tus-client.js';

const WEB_REDIRECT = 'https://print-shop.example/callback';

describe('credentials', () => {
  let workspaceId: string;
  let owner: TestUser;

  const service = useService();
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
  });

  const status = async (token: string): Promise<number> =>
    (await listUploads(service.baseUrl, token)).status;

  async function makeToken(user: TestUser, scope = 'uploads:read'): Promise<string> {
    const browser = await openSettings(service, user, '/settings/developer/tokens/new');
    return elementText(
      await browser.submit('Create token', { name: 'Script', scope, days: '7' }),
      'secret',
    );
  }

  async function idOf(user: TestUser): Promise<string> {
    const [row] = await service.database.query<{ id: string }>(
      'SELECT id FROM personal_access_tokens WHERE account_id = $1',
      [user.accountId],
    );
    if (row === undefined) throw new Error('the user has no token');
    return row.id;
  }

  describe('a personal access token', () => {
    it('can be revoked only by its owner', async () => {
      const victim = await addUser(service, { [workspaceId]: 'member' });
      const token = await makeToken(victim);
      const attacker = await addUser(service, { [workspaceId]: 'owner' });
      const own = await makeToken(attacker);
      const browser = await openSettings(service, attacker);

      // The attacker's own form, with the id of the other's token in it.
      await browser.submit('Revoke', { token_id: await idOf(victim) });

      expect(await status(token)).toBe(200);
      expect(await status(own)).toBe(200);
      await browser.open('/settings/developer');
      await browser.submit('Revoke');
      expect(await status(own)).toBe(401);
      expect(await status(token)).toBe(200);
    });

    it('ends at once with its owner’s membership', async () => {
      const user = await addUser(service, { [workspaceId]: 'member' });
      const token = await makeToken(user, 'uploads:write');
      expect(await status(token)).toBe(200);
      expect((await create(service.baseUrl, token, { length: 1 })).status).toBe(201);

      await removeMember(service.database, workspaceId, user.accountId);
      expect(await status(token)).toBe(401);
      expect((await create(service.baseUrl, token, { length: 1 })).status).toBe(401);

      // Also after the user has joined again: the token was reported as revoked.
      await setMember(service.database, workspaceId, user.accountId, 'member');
      expect(await status(token)).toBe(401);
    });
  });

  describe('a stored credential', () => {
    const dump = async (): Promise<string> =>
      JSON.stringify(await service.database.query('SELECT * FROM oidc_records'));

    it('cannot be exchanged as an authorization code', async () => {
      const pkce = makePkce();
      const browser = new TestBrowser(service.baseUrl);
      const redirect = await allowRequest(browser, authorizePath(pkce), service.demo);
      const code = redirect.searchParams.get('code') ?? '';
      expect(code.length).toBeGreaterThan(20);
      expect(await dump()).not.toContain(code);

      const stored = await service.database.query<{ id: string }>(
        `SELECT id FROM oidc_records WHERE kind = 'AuthorizationCode'`,
      );
      expect(stored.length).toBeGreaterThan(0);
      for (const { id } of stored)
        for (const guess of [id, `sha256:${id}`])
          expect((await exchangeCode(service.baseUrl, guess, pkce.verifier)).status).toBe(400);
      expect((await exchangeCode(service.baseUrl, code, pkce.verifier)).status).toBe(200);
      expect(await dump()).not.toContain(code);
    });

    it('is not accepted as a client secret', async () => {
      const { clientId, secret } = await registerApplication(
        await openSettings(service, owner),
        workspaceId,
        { kind: 'confidential', redirectUris: WEB_REDIRECT },
      );
      const [row] = await service.database.query<Record<string, unknown>>(
        'SELECT * FROM oauth_clients WHERE client_id = $1',
        [clientId],
      );
      const stored = Object.values(row ?? {}).filter(
        (value): value is string => typeof value === 'string' && value.length >= 40,
      );
      expect(stored).toHaveLength(1);
      expect(stored).not.toContain(secret);

      const show = async (shown: string) =>
        (
          await postForm(
            `${service.baseUrl}/api/oauth/token`,
            { grant_type: 'refresh_token', refresh_token: 'x' },
            basic(clientId, shown),
          )
        ).body['error'];
      // The right secret is accepted; the error is about the token.
      expect(await show(secret)).toBe('invalid_grant');
      for (const shown of stored) expect(await show(shown)).toBe('invalid_client');
    });
  });
});
