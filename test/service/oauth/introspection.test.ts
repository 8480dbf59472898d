import { beforeAll, describe, expect, it } from '@jest/globals';
import { basic } from '../support/code-flow.js';
import { approveDevice } from '../support/browser-client.js';
import {
  CLIENT_ID,
  poll,
  postForm,
  refresh,
  startDevice,
  tokensOf,
  type Answer,
  type Tokens,
} from '../support/oauth-client.js';
import { useService } from '../support/use-service.js';
import {
  addUser,
  addWorkspace,
  openSettings,
  registerApplication,
  type TestUser,
} from '../support/users.js';

const WEB_REDIRECT = 'https://print-shop.example/callback';

describe('introspection (RFC 7662)', () => {
  const service = useService();
  let workspace: string;
  let owner: TestUser;
  let server: { clientId: string; secret: string };
  let tokens: Tokens;
  let foreign: Tokens;

  const connect = async (user: TestUser): Promise<Tokens> => {
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    await approveDevice(service.baseUrl, userCode, user);
    return tokensOf(await poll(service.baseUrl, deviceCode));
  };

  beforeAll(async () => {
    workspace = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspace]: 'owner' });
    server = await registerApplication(await openSettings(service, owner), workspace, {
      kind: 'confidential',
      redirectUris: WEB_REDIRECT,
    });
    tokens = await connect(owner);
    const other = await addWorkspace(service, 'South Studio');
    foreign = await connect(await addUser(service, { [other]: 'owner' }));
  });

  const introspect = (
    token: string,
    headers: Readonly<Record<string, string>> = basic(server.clientId, server.secret),
    more: Readonly<Record<string, string>> = {},
  ): Promise<Answer> =>
    postForm(`${service.baseUrl}/api/oauth/introspect`, { token, ...more }, headers);

  it('describes an access token of the workspace of the client', async () => {
    const { status, headers, body } = await introspect(tokens.accessToken);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toContain('no-store');
    expect(body).toEqual({
      active: true,
      iss: service.baseUrl,
      aud: 'urn:creative-workspace:api:v1',
      sub: owner.accountId,
      client_id: CLIENT_ID,
      scope: 'uploads:write',
      token_type: 'Bearer',
      iat: expect.any(Number),
      exp: expect.any(Number),
    });
  });

  // @threat R3
  it.each([
    ['of another workspace', () => foreign.accessToken],
    ['that is a refresh token', () => tokens.refreshToken],
    ['that does not exist', () => 'svc_at_unknown'],
  ])('shows nothing about a token %s', async (_which, token) => {
    const answer = await introspect(token());
    expect([answer.status, answer.body]).toEqual([200, { active: false }]);
  });

  it('shows nothing about a token whose user has left the workspace, or whose grant has ended', async () => {
    const member = await addUser(service, { [workspace]: 'member' });
    const { accessToken } = await connect(member);
    expect((await introspect(accessToken)).body['active']).toBe(true);
    await service.database.query('DELETE FROM workspace_members WHERE account_id = $1', [
      member.accountId,
    ]);
    expect((await introspect(accessToken)).body).toEqual({ active: false });

    const ended = await connect(owner);
    await refresh(service.baseUrl, ended.refreshToken);
    await refresh(service.baseUrl, ended.refreshToken);
    expect((await introspect(ended.accessToken)).body).toEqual({ active: false });
  });

  // @threat R3
  it.each([
    ['with a wrong secret', () => [basic(server.clientId, 'wrong'), {}] as const],
    ['without a secret', () => [{}, { client_id: CLIENT_ID }] as const],
    ['without a client', () => [{}, {}] as const],
  ])('refuses a client %s, for every token alike', async (_which, make) => {
    const [headers, more] = make();
    const good = await introspect(tokens.accessToken, headers, more);
    const unknown = await introspect('svc_at_unknown', headers, more);
    expect(good.status).toBeGreaterThanOrEqual(400);
    expect([unknown.status, unknown.body]).toEqual([good.status, good.body]);
  });
});
