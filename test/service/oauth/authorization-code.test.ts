import { describe, expect, it } from '@jest/globals';
import { TestBrowser } from '../support/browser-client.js';
import { CLIENT_ID, listUploads, postForm, refresh, tokensOf } from '../support/oauth-client.js';
import {
  allowRequest,
  authorizePath,
  DESKTOP_ID,
  DESKTOP_REDIRECT,
  exchangeCode,
  makePkce,
  obtainCode,
} from '../support/code-flow.js';
import { useService } from '../support/use-service.js';

describe('the authorization code grant with PKCE', () => {
  const pkce = makePkce();

  const service = useService();

  const works = async (accessToken: string): Promise<boolean> =>
    (await listUploads(service.baseUrl, accessToken)).status === 200;

  it('redirects with code, state and iss, and exchanges the code for tokens', async () => {
    const redirect = await allowRequest(
      new TestBrowser(service.baseUrl),
      authorizePath(pkce),
      service.demo,
    );

    expect(redirect.origin + redirect.pathname).toBe(DESKTOP_REDIRECT);
    expect(Object.fromEntries(redirect.searchParams)).toEqual({
      code: expect.stringMatching(/^[\w-]{30,}$/),
      state: 'some-state',
      iss: service.baseUrl,
    });
    const code = redirect.searchParams.get('code') ?? '';
    const answer = await exchangeCode(service.baseUrl, code, pkce.verifier);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toContain('no-store');
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^svc_at_/),
      refresh_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'uploads:write',
      refresh_attempt_supported: true,
    });
    expect(await works(tokensOf(answer).accessToken)).toBe(true);
    const refreshed = await postForm(`${service.baseUrl}/api/oauth/token`, {
      grant_type: 'refresh_token',
      client_id: DESKTOP_ID,
      refresh_token: tokensOf(answer).refreshToken,
    });
    expect(refreshed.status).toBe(200);
  });

  it.each([
    ['another port', 'http://127.0.0.1:51004/callback'],
    ['no port', 'http://127.0.0.1/callback'],
    ['the IPv6 loopback address', 'http://[::1]:50000/callback'],
  ])(
    'accepts the registered loopback address with %s (RFC 8252 section 7.3)',
    async (_name, uri) => {
      const path = authorizePath(pkce, { redirect_uri: uri });

      const redirect = await allowRequest(new TestBrowser(service.baseUrl), path, service.demo);

      expect(redirect.href.startsWith(`${new URL(uri).href}?code=`)).toBe(true);
    },
  );

  it('works without state', async () => {
    const path = authorizePath(pkce, { state: undefined });

    const redirect = await allowRequest(new TestBrowser(service.baseUrl), path, service.demo);

    expect([...redirect.searchParams.keys()]).toEqual(['code', 'iss']);
  });

  it('shows app, scope and workspace, and allows form redirects to the app only', async () => {
    const browser = new TestBrowser(service.baseUrl);
    const signIn = await browser.open(authorizePath(pkce));
    const consent = await browser.submit('Sign in', {
      username: service.demo.username,
      password: service.demo.password,
    });

    expect(consent.text).toContain('Connect Creative Workspace desktop?');
    expect(consent.text).toContain('Upload files to your workspace');
    expect(consent.text).toContain(service.demo.workspace);
    for (const { headers } of [signIn, consent]) {
      expect(headers.get('content-security-policy')).toContain(
        "form-action 'self' http://127.0.0.1:49152;",
      );
    }
  });

  it('reports a denial to the app', async () => {
    const browser = new TestBrowser(service.baseUrl);
    await browser.open(authorizePath(pkce));
    const { username, password } = service.demo;
    await browser.submit('Sign in', { username, password });

    const redirect = await browser.leaving(browser.submit('Deny'));

    expect(Object.fromEntries(redirect.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'some-state',
      iss: service.baseUrl,
    });
  });

  it('revokes the tokens of a code that is used again (RFC 6749 section 4.1.2)', async () => {
    const code = await obtainCode(service.baseUrl, service.demo, pkce);
    const first = await exchangeCode(service.baseUrl, code, pkce.verifier);
    const { accessToken, refreshToken } = tokensOf(first);
    expect(await works(accessToken)).toBe(true);

    const second = await exchangeCode(service.baseUrl, code, pkce.verifier);

    expect(second.status).toBe(400);
    expect(second.body).toMatchObject({ error: 'invalid_grant' });
    expect(await works(accessToken)).toBe(false);
    expect((await refresh(service.baseUrl, refreshToken)).status).toBe(400);
  });

  it('accepts at most one of several concurrent exchanges', async () => {
    const code = await obtainCode(service.baseUrl, service.demo, pkce);

    const answers = await Promise.all(
      Array.from({ length: 5 }, () => exchangeCode(service.baseUrl, code, pkce.verifier)),
    );

    const succeeded = answers.filter(({ status }) => status === 200);
    expect(succeeded.length).toBeLessThanOrEqual(1);
    for (const answer of succeeded) expect(await works(tokensOf(answer).accessToken)).toBe(false);
  });

  it.each([
    ['another verifier', { code_verifier: makePkce().verifier }, 'invalid_grant'],
    ['another redirect', { redirect_uri: 'http://127.0.0.1:49153/callback' }, 'invalid_grant'],
    ['another client', { client_id: CLIENT_ID }, 'unauthorized_client'],
    ['a code that does not exist', { code: 'made-up' }, 'invalid_grant'],
  ])('refuses an exchange with %s', async (_name, changes, error) => {
    const code = await obtainCode(service.baseUrl, service.demo, pkce);

    const answer = await exchangeCode(service.baseUrl, code, pkce.verifier, changes);

    expect(answer.status).toBe(400);
    expect(answer.body['error']).toBe(error);
  });

  it.each([
    ['no redirect', { redirect_uri: undefined }, 'missing required parameter'],
    ['a redirect elsewhere', { redirect_uri: 'https://evil.example/callback' }, 'redirect_uri'],
    ['another path', { redirect_uri: 'http://127.0.0.1:49152/other' }, 'redirect_uri'],
    ['localhost', { redirect_uri: 'http://localhost:49152/callback' }, 'redirect_uri'],
    [
      'a user in the address',
      { redirect_uri: 'http://user@127.0.0.1:49152/callback' },
      'redirect_uri',
    ],
    ['an unknown client', { client_id: 'nobody' }, 'client is invalid'],
    ['a client without this grant', { client_id: CLIENT_ID }, 'redirect_uri'],
  ])('shows a page and does not redirect on %s', async (_name, changes, words) => {
    const page = await new TestBrowser(service.baseUrl).open(authorizePath(pkce, changes));

    expect(page.status).toBe(400);
    expect(page.text).toContain(words);
  });

  it.each([
    [
      'no challenge',
      { code_challenge: undefined, code_challenge_method: undefined },
      'invalid_request',
    ],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge without method', { code_challenge_method: undefined }, 'invalid_request'],
    ['an unknown scope', { scope: 'everything' }, 'invalid_scope'],
    ['no scope', { scope: undefined }, 'invalid_scope'],
    ['another resource', { resource: 'urn:other' }, 'invalid_target'],
    ['another response mode', { response_mode: 'form_post' }, 'unsupported_response_mode'],
    ['no wish for interaction', { prompt: 'none' }, 'login_required'],
  ])('redirects to the app with the error on %s', async (_name, changes, error) => {
    const browser = new TestBrowser(service.baseUrl);

    const page = browser.open(authorizePath(pkce, changes));
    const redirect = await browser.leaving(page);

    expect(redirect.origin + redirect.pathname).toBe(DESKTOP_REDIRECT);
    expect(Object.fromEntries(redirect.searchParams)).toMatchObject({
      error,
      error_description: expect.any(String),
      state: 'some-state',
      iss: service.baseUrl,
    });
  });

  it('refuses the implicit grant', async () => {
    const browser = new TestBrowser(service.baseUrl);

    const page = browser.open(authorizePath(pkce, { response_type: 'token' }));
    const { searchParams } = await browser.leaving(page);

    // An unsupported response type is reported in the query (RFC 6749 sections 3.1.1 and 4.1.2.1).
    expect(searchParams.get('error')).toBe('unsupported_response_type');
  });

  it('publishes its metadata (RFC 8414)', async () => {
    const answer = await fetch(`${service.baseUrl}/.well-known/oauth-authorization-server`);

    const metadata = (await answer.json()) as object;
    expect(metadata).toMatchObject({
      authorization_endpoint: `${service.baseUrl}/oauth/authorize`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      revocation_endpoint_auth_methods_supported: [
        'none',
        'client_secret_basic',
        'client_secret_post',
      ],
    });
    // Metadata of OpenID Connect.
    const others = /acr_|claim|id_token|request_(?:parameter|uri)|subject/;
    expect(Object.keys(metadata).filter((name) => others.test(name))).toEqual([]);
  });

  it('leads a client from the data API to the authorization server (RFC 9728 section 5)', async () => {
    const refused = await fetch(`${service.baseUrl}/api/v1/me`);
    const [, address = ''] =
      /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];

    const answer = await fetch(address);

    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    // Section 3.3: the address of the metadata follows from the resource.
    const { resource, ...metadata } = (await answer.json()) as { resource: string };
    const { origin, pathname } = new URL(resource);
    expect(address).toBe(`${origin}/.well-known/oauth-protected-resource${pathname}`);
    expect(resource).toBe(`${service.baseUrl}/api/v1`);
    expect(metadata).toMatchObject({
      authorization_servers: [service.baseUrl],
      bearer_methods_supported: ['header'],
      scopes_supported: expect.arrayContaining(['uploads:write', 'workspace:read']),
    });
  });

  it.each(['openid-configuration', 'oauth-protected-resource', 'none', ''])(
    'returns 404 in JSON for the missing /.well-known/%s',
    async (name) => {
      const answer = await fetch(`${service.baseUrl}/.well-known/${name}`);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: 'not_found' });
    },
  );
});
