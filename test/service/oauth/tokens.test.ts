import { describe, expect, it } from '@jest/globals';
import {
  listUploads,
  postForm,
  refresh,
  requestDevice,
  revoke,
  tokensOf,
} from '../support/oauth-client.js';
import { useService } from '../support/use-service.js';

describe('tokens', () => {
  const service = useService();

  const works = async (accessToken: string): Promise<boolean> =>
    (await listUploads(service.baseUrl, accessToken)).status === 200;

  it('rotates the refresh token at every use', async () => {
    const first = await service.connect();

    const answer = await refresh(service.baseUrl, first.refreshToken);

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^svc_at_/),
      refresh_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'uploads:write',
      refresh_attempt_supported: true,
    });
    const second = tokensOf(answer);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect(second.accessToken).not.toBe(first.accessToken);
    expect(await works(second.accessToken)).toBe(true);
    expect((await refresh(service.baseUrl, second.refreshToken)).status).toBe(200);
  });

  it('refuses a refresh with a wider scope, and the refresh token stays good', async () => {
    const { refreshToken } = await service.connect('uploads:write uploads:read');
    const narrow = await refresh(service.baseUrl, refreshToken, { scope: 'uploads:read' });
    expect(narrow.body).toMatchObject({ scope: 'uploads:read' });
    const narrowed = tokensOf(narrow);

    const wider = await refresh(service.baseUrl, narrowed.refreshToken, {
      scope: 'uploads:read shares:write',
    });

    expect(wider.status).toBe(400);
    expect(wider.body).toMatchObject({ error: 'invalid_scope', scope: 'shares:write' });
    const granted = await refresh(service.baseUrl, narrowed.refreshToken);
    expect(granted.body).toMatchObject({ scope: 'uploads:write uploads:read' });
  });

  // @threat R1
  it('ends the whole grant when a refresh token is used again (RFC 9700 section 4.14)', async () => {
    const first = await service.connect();
    const other = await service.connect();
    const second = tokensOf(await refresh(service.baseUrl, first.refreshToken));

    const reuse = await refresh(service.baseUrl, first.refreshToken);

    expect(reuse.status).toBe(400);
    expect(reuse.body).toMatchObject({ error: 'invalid_grant' });
    expect(await works(first.accessToken)).toBe(false);
    expect(await works(second.accessToken)).toBe(false);
    expect((await refresh(service.baseUrl, second.refreshToken)).body).toMatchObject({
      error: 'invalid_grant',
    });
    expect(await works(other.accessToken)).toBe(true);
  });

  it('accepts exactly one of several concurrent uses of a refresh token', async () => {
    const { refreshToken } = await service.connect();

    const answers = await Promise.all(
      Array.from({ length: 5 }, () => refresh(service.baseUrl, refreshToken)),
    );

    const succeeded = answers.filter(({ status }) => status === 200);
    expect(succeeded).toHaveLength(1);
    // A race is a reuse: the winner's tokens have ended with the grant.
    for (const answer of succeeded) {
      expect(await works(tokensOf(answer).accessToken)).toBe(false);
      expect((await refresh(service.baseUrl, tokensOf(answer).refreshToken)).status).toBe(400);
    }
  });

  it.each([
    ['the refresh token', 'refreshToken', 'refresh_token'],
    ['the access token', 'accessToken', 'access_token'],
    ['the refresh token without a hint', 'refreshToken', undefined],
  ] as const)('ends everything when %s is revoked', async (_name, which, hint) => {
    const tokens = await service.connect();
    const other = await service.connect();

    const { status } = await revoke(service.baseUrl, tokens[which], hint);

    expect(status).toBe(200);
    expect(await works(tokens.accessToken)).toBe(false);
    expect((await refresh(service.baseUrl, tokens.refreshToken)).body).toMatchObject({
      error: 'invalid_grant',
    });
    expect(await works(other.accessToken)).toBe(true);
  });

  it('returns 200 for the revocation of an unknown token (RFC 7009 section 2.2)', async () => {
    expect((await revoke(service.baseUrl, 'svc_at_never-seen')).status).toBe(200);
  });

  it.each([
    ['an unknown grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['no grant type', {}, 'invalid_request'],
    ['no refresh token', { grant_type: 'refresh_token' }, 'invalid_request'],
    [
      'an unknown refresh token',
      { grant_type: 'refresh_token', refresh_token: 'x' },
      'invalid_grant',
    ],
  ])('refuses a token request with %s', async (_name, form, error) => {
    const answer = await postForm(
      `${service.baseUrl}/api/oauth/token`,
      { client_id: 'creative-workspace-plugin', ...form },
      { accept: 'text/html' },
    );

    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.body).toMatchObject({ error });
  });

  it('builds its URLs from the base URL for any Host header', async () => {
    const { body } = await postForm(
      `${service.baseUrl}/api/oauth/device_authorization`,
      { client_id: 'creative-workspace-plugin', scope: 'uploads:write' },
      { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    );

    expect(body['verification_uri']).toBe(`${service.baseUrl}/oauth/device`);
  });

  // @threat R11
  it('writes no secret into its log', async () => {
    const tokens = await service.connect();
    const { body } = await requestDevice(service.baseUrl);
    await fetch(`${service.baseUrl}/oauth/device?user_code=${String(body['user_code'])}`);
    await revoke(service.baseUrl, tokens.refreshToken);

    const log = JSON.stringify(service.logLines);

    expect(service.logLines.length).toBeGreaterThan(5);
    for (const secret of [
      tokens.accessToken,
      tokens.refreshToken,
      String(body['device_code']),
      String(body['user_code']),
      service.demo.password,
      'svc_at_',
    ]) {
      expect(log).not.toContain(secret);
    }
  });
});
