import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PersonalTokens } from '../../../service/identity/accounts/personal-access-tokens.js';
import { useService } from '../support/use-service.js';

const START = Date.now();

describe('a bearer token', () => {
  let accessToken: string;
  let personalToken: string;
  let clock = START;

  const service = useService({ now: () => new Date(clock) });
  beforeAll(async () => {
    ({ accessToken } = await service.connect('uploads:read'));
    const [owner] = await service.database.query<{ account_id: string; workspace_id: string }>(
      'SELECT account_id, workspace_id FROM workspace_members LIMIT 1',
    );
    const tokens = new PersonalTokens(service.database, () => new Date(clock));
    const workspaceId = owner?.workspace_id ?? '';
    const entry = { workspaceId, name: 'Script', scopes: ['uploads:read'], days: 7 } as const;
    personalToken = (await tokens.create(owner?.account_id ?? '', entry)) ?? '';
  });
  beforeEach(() => {
    clock = START;
  });

  const me = (authorization: string): Promise<Response> =>
    fetch(`${service.baseUrl}/api/v1/me`, { headers: { authorization } });

  it.each([
    ['of any case', (token: string) => `bEARER ${token}`],
    ['after several blanks', (token: string) => `Bearer    ${token}`],
  ])('is accepted in a header %s', async (_how, header) => {
    expect((await me(header(accessToken))).status).toBe(200);
    expect((await me(header(personalToken))).status).toBe(200);
  });

  it.each([
    ['with something behind it', (token: string) => `Bearer ${token} more`],
    ['after something else', (token: string) => `Basic x, Bearer ${token}`],
    ['of another scheme', (token: string) => `Token ${token}`],
    ['by itself', (token: string) => token],
  ])('is not accepted in a header %s', async (_how, header) => {
    const answer = await me(header(accessToken));
    expect(answer.status).toBe(401);
    // Nothing was shown that could be wrong (RFC 6750 section 3.1).
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer realm="creative-workspace", resource_metadata="${service.baseUrl}/.well-known/oauth-protected-resource/api/v1"`,
    );
  });

  it.each([
    ['of an app', () => accessToken, 'consents'],
    ['of a person', () => personalToken, 'personal_access_tokens'],
  ])('records the last use of %s, to the minute', async (_whose, token, table) => {
    const useAt = async (afterMs: number): Promise<number> => {
      clock = START + afterMs;
      expect((await me(`Bearer ${token()}`)).status).toBe(200);
      const [row] = await service.database.query<{ last_used_at: Date | null }>(
        `SELECT last_used_at FROM ${table}`,
      );
      return (row?.last_used_at?.getTime() ?? 0) - START;
    };
    await service.database.query(`UPDATE ${table} SET last_used_at = NULL`);
    expect(await useAt(1000)).toBe(1000);
    expect(await useAt(61_000)).toBe(1000);
    expect(await useAt(61_001)).toBe(61_001);
  });
});
