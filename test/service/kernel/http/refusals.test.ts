import { describe, expect, it } from '@jest/globals';
import { approveDevice, TestBrowser } from '../../support/browser-client.js';
import {
  CLIENT_ID,
  listUploads,
  poll,
  postForm,
  refresh,
  startDevice,
  tokensOf,
} from '../../support/oauth-client.js';
import {
  authorizePath,
  basic,
  DESKTOP_ID,
  exchangeCode,
  makePkce,
  obtainCode,
} from '../../support/code-flow.js';
import { elementText, openSettings } from '../../support/users.js';
import { useService } from '../../support/use-service.js';

/** The outcome of an attempt: the status, and the OAuth error or words of a page. */
interface Outcome {
  readonly status: number;
  readonly said: string;
  /** A token that must still work afterwards, or must not. */
  readonly token?: string;
}

/** Every refusal in one table. The tests of each part have the details. */
describe('the service refuses', () => {
  const pkce = makePkce();

  const service = useService({ trustedProxies: 1 });

  const answered = ({ status, body }: { status: number; body: Record<string, unknown> }) => ({
    status,
    said: String(body['error']),
  });
  const redirected = async (changes: Record<string, string | undefined>): Promise<Outcome> => {
    const browser = new TestBrowser(service.baseUrl);
    const url = await browser.leaving(browser.open(authorizePath(pkce, changes)));
    return { status: 303, said: url.searchParams.get('error') ?? 'a code' };
  };
  const form = (path: string, values: Record<string, string>, headers = {}) =>
    postForm(service.baseUrl + path, values, headers).then(answered);

  it.each<[string, () => Promise<Outcome>, number, string, 'works' | 'ended' | undefined]>([
    [
      'a wrong redirect, without redirecting',
      async () => {
        const path = authorizePath(pkce, { redirect_uri: 'https://evil.example/callback' });
        const page = await new TestBrowser(service.baseUrl).open(path);
        return { status: page.status, said: page.text };
      },
      400,
      'redirect_uri',
      undefined,
    ],
    [
      'a code without PKCE',
      () => redirected({ code_challenge: undefined, code_challenge_method: undefined }),
      303,
      'invalid_request',
      undefined,
    ],
    [
      'plain PKCE',
      () => redirected({ code_challenge_method: 'plain' }),
      303,
      'invalid_request',
      undefined,
    ],
    [
      'a code that was used, and ends what it gave',
      async () => {
        const code = await obtainCode(service.baseUrl, service.demo, pkce);
        const first = await exchangeCode(service.baseUrl, code, pkce.verifier);
        const again = await exchangeCode(service.baseUrl, code, pkce.verifier);
        return { ...answered(again), token: tokensOf(first).accessToken };
      },
      400,
      'invalid_grant',
      'ended',
    ],
    [
      'a refresh token that was used, and ends the grant',
      async () => {
        const { refreshToken } = await service.connect();
        const next = tokensOf(await refresh(service.baseUrl, refreshToken));
        const again = await refresh(service.baseUrl, refreshToken);
        return { ...answered(again), token: next.accessToken };
      },
      400,
      'invalid_grant',
      'ended',
    ],
    [
      'to revoke a token for another client',
      async () => {
        const { accessToken } = await service.connect();
        const answer = await form('/api/oauth/revoke', {
          client_id: DESKTOP_ID,
          token: accessToken,
        });
        return { ...answer, token: accessToken };
      },
      400,
      'invalid_grant',
      'works',
    ],
    [
      'to refresh for another client',
      async () => {
        const { accessToken, refreshToken } = await service.connect();
        const answer = await form('/api/oauth/token', {
          grant_type: 'refresh_token',
          client_id: DESKTOP_ID,
          refresh_token: refreshToken,
        });
        return { ...answer, token: accessToken };
      },
      400,
      'invalid_grant',
      'works',
    ],
    [
      'a device code that has expired',
      async () => {
        const { deviceCode, userCode } = await startDevice(service.baseUrl);
        await approveDevice(service.baseUrl, userCode, service.demo);
        await service.database.query(
          `UPDATE oidc_records SET payload = jsonb_set(payload, '{exp}', '1000')
            WHERE user_code = $1`,
          [userCode.replace('-', '')],
        );
        return answered(await poll(service.baseUrl, deviceCode));
      },
      400,
      'expired_token',
      undefined,
    ],
    [
      'codes that are guessed at speed',
      async () => {
        const browser = new TestBrowser(service.baseUrl);
        browser.comesFrom('192.0.2.1');
        await browser.open('/oauth/device');
        for (let guess = 0; guess < 20; guess += 1) {
          await browser.submit('Continue', { user_code: 'BCDF-GHJK' });
        }
        const page = await browser.submit('Continue', { user_code: 'BCDF-GHJK' });
        return { status: page.status, said: page.text };
      },
      429,
      'Too many wrong codes',
      undefined,
    ],
    [
      'a consent that another site sends',
      async () => {
        const { userCode } = await startDevice(service.baseUrl);
        const browser = new TestBrowser(service.baseUrl);
        await browser.open(`/oauth/device?user_code=${userCode}`);
        await browser.submit('Continue');
        const { username, password } = service.demo;
        await browser.submit('Sign in', { username, password });
        const page = await browser.submit('Allow', { csrf: '' });
        return { status: page.status, said: page.text };
      },
      403,
      'does not belong to this page',
      undefined,
    ],
    [
      'a secret from a public client in the body',
      () =>
        form('/api/oauth/token', {
          grant_type: 'refresh_token',
          refresh_token: 'x',
          client_id: CLIENT_ID,
          client_secret: 'x',
        }),
      401,
      'invalid_client',
      undefined,
    ],
    [
      'a secret from a public client in the header',
      () =>
        form(
          '/api/oauth/token',
          { grant_type: 'refresh_token', refresh_token: 'x' },
          basic(CLIENT_ID, 'x'),
        ),
      401,
      'invalid_client',
      undefined,
    ],
    [
      'a personal access token as a refresh token',
      async () => {
        const browser = await openSettings(service, service.demo, '/settings/developer/tokens/new');
        const page = await browser.submit('Create token', { name: 'x', scope: 'uploads:read' });
        const token = elementText(page, 'secret');
        return { ...answered(await refresh(service.baseUrl, token)), token };
      },
      400,
      'invalid_grant',
      'works',
    ],
    [
      'a grant that the client is not registered for',
      () =>
        form('/api/oauth/token', {
          grant_type: 'authorization_code',
          client_id: CLIENT_ID,
          code: 'x',
          redirect_uri: 'http://127.0.0.1/callback',
        }),
      400,
      'unauthorized_client',
      undefined,
    ],
  ])('%s', async (_name, attempt, status, said, token) => {
    const outcome = await attempt();

    expect(outcome.status).toBe(status);
    expect(outcome.said).toContain(said);
    if (token !== undefined) {
      const answer = await listUploads(service.baseUrl, outcome.token ?? '');
      expect(answer.status).toBe(token === 'works' ? 200 : 401);
    }
  });
});
