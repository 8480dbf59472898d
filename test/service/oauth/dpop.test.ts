import { beforeAll, describe, expect, it } from '@jest/globals';
import { approveDevice, TestBrowser } from '../support/browser-client.js';
import { makeDpopKey, type DpopKey } from '../support/dpop-key.js';
import {
  CLIENT_ID,
  DEVICE_GRANT,
  listUploads,
  postForm,
  startDevice,
  tokensOf,
  type Answer,
  type Tokens,
} from '../support/oauth-client.js';
import { useService } from '../support/use-service.js';

/** The address that clients use; a proxy hands its requests to the service. */
const BASE = 'https://service.example';

describe('a client with a key (RFC 9449)', () => {
  const service = useService({ baseUrl: BASE, demoAccount: true });
  let key: DpopKey;
  beforeAll(async () => {
    key = await makeDpopKey();
  });

  const at = (): string => `http://${service.listensOn}`;
  const tokenUrl = `${BASE}/api/oauth/token`;
  const tokenRequest = (form: Readonly<Record<string, string>>, proof?: string): Promise<Answer> =>
    postForm(
      `${at()}/api/oauth/token`,
      { client_id: CLIENT_ID, ...form },
      proof === undefined ? {} : { dpop: proof },
    );
  const refresh = (refreshToken: string, proof?: string): Promise<Answer> =>
    tokenRequest({ grant_type: 'refresh_token', refresh_token: refreshToken }, proof);

  async function approve(): Promise<Readonly<Record<string, string>>> {
    const { deviceCode, userCode } = await startDevice(at());
    await approveDevice(BASE, userCode, service.demo, new TestBrowser(BASE, at()));
    return { grant_type: DEVICE_GRANT, device_code: deviceCode };
  }
  async function connect(): Promise<Tokens> {
    const answer = await tokenRequest(await approve(), await key.proof('POST', tokenUrl));
    expect(answer.body).toMatchObject({ token_type: 'DPoP' });
    return tokensOf(answer);
  }
  const call = async (
    { accessToken }: Tokens,
    proof: string | undefined,
    { scheme = 'DPoP', method = 'GET', path = '/api/v1/me' } = {},
  ): Promise<{ status: number; challenge: string }> => {
    const { status, headers } = await fetch(at() + path, {
      method,
      headers: {
        authorization: `${scheme} ${accessToken}`,
        ...(proof !== undefined && { dpop: proof }),
      },
    });
    return { status, challenge: headers.get('www-authenticate') ?? '' };
  };

  it('uses its tokens with proofs, for all methods and behind a proxy', async () => {
    const tokens = await connect();
    const { accessToken } = tokens;
    const me = await key.proof('GET', `${BASE}/api/v1/me?a=b#c`, accessToken);
    expect((await call(tokens, me)).status).toBe(200);
    const head = await key.proof('HEAD', `${BASE}/api/v1/me`, accessToken);
    expect((await call(tokens, head, { method: 'HEAD' })).status).toBe(200);
    const path = '/api/v1/uploads?limit=1';
    const list = await key.proof('GET', `${BASE}/api/v1/uploads`, accessToken);
    expect((await call(tokens, list, { path })).status).toBe(200);
  });

  it('uploads with a proof for each request', async () => {
    const { accessToken } = await connect();
    const send = async (method: string, url: string, headers: object, body?: string) =>
      fetch(url.replace(BASE, at()), {
        method,
        headers: {
          'tus-resumable': '1.0.0',
          authorization: `DPoP ${accessToken}`,
          dpop: await key.proof(method, url, accessToken),
          ...headers,
        },
        ...(body !== undefined && { body }),
      });
    const name = `filename ${Buffer.from('a.txt').toString('base64')}`;
    const headers = { 'upload-length': '4', 'upload-metadata': name };
    const created = await send('POST', `${BASE}/api/v1/uploads`, headers);
    expect(created.status).toBe(201);
    const upload = new URL(created.headers.get('location') ?? '', BASE).href;
    const patch = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
    expect((await send('PATCH', upload, patch, 'body')).status).toBe(204);
  });

  type Changes = Parameters<DpopKey['proof']>[3];
  it.each<[string, Changes]>([
    ['for another address', { claims: { htu: 'https://other.example/api/v1/me' } }],
    ['for another path', { claims: { htu: `${BASE}/api/v1/uploads` } }],
    ['for another method', { claims: { htm: 'POST' } }],
    ['for another token', { claims: { ath: 'x' } }],
    ['for no token', { claims: { ath: undefined } }],
    ['from an hour ago', { claims: { iat: Math.floor(Date.now() / 1000) - 3600 } }],
    ['from the future', { claims: { iat: Math.floor(Date.now() / 1000) + 3600 } }],
    ['without a name', { claims: { jti: undefined } }],
    ['of another type', { header: { typ: 'JWT' } }],
    ['without a key', { header: { jwk: undefined } }],
  ])('is refused with a proof %s', async (_what, changes) => {
    const tokens = await connect();
    const proof = await key.proof('GET', `${BASE}/api/v1/me`, tokens.accessToken, changes);
    const { status, challenge } = await call(tokens, proof);
    expect(status).toBe(401);
    expect(challenge).toMatch(/^DPoP .*algs="ES256 Ed25519 EdDSA", error="invalid_dpop_proof"/);
  });

  // @threat R2
  it('is refused without a proof, and with a proof that was used', async () => {
    const tokens = await connect();
    expect((await call(tokens, undefined)).status).toBe(401);
    const proof = await key.proof('GET', `${BASE}/api/v1/me`, tokens.accessToken);
    const both = await Promise.all([call(tokens, proof), call(tokens, proof)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  // @threat R2
  it('loses nothing to a thief of its tokens', async () => {
    const tokens = await connect();
    const other = await makeDpopKey();
    const { accessToken, refreshToken } = tokens;
    expect((await listUploads(at(), accessToken)).status).toBe(401);
    const stolen = await other.proof('GET', `${BASE}/api/v1/me`, accessToken);
    expect((await call(tokens, stolen)).status).toBe(401);

    const refused = { error: 'invalid_grant' };
    expect((await refresh(refreshToken)).body).toMatchObject(refused);
    expect((await refresh(refreshToken, await other.proof('POST', tokenUrl))).body).toMatchObject(
      refused,
    );

    const renewed = await refresh(refreshToken, await key.proof('POST', tokenUrl));
    expect([renewed.status, renewed.body['token_type']]).toEqual([200, 'DPoP']);
  });

  it('binds the tokens of a repeated refresh, also where those of the first one were not', async () => {
    const first = tokensOf(await tokenRequest(await approve()));
    const form = {
      grant_type: 'refresh_token',
      refresh_token: tokensOf(await refresh(first.refreshToken)).refreshToken,
      refresh_attempt: `${'A'.repeat(42)}E`,
    };
    const unbound = tokensOf(await tokenRequest(form));

    const bound = tokensOf(await tokenRequest(form, await key.proof('POST', tokenUrl)));

    expect(bound.refreshToken).toBe(unbound.refreshToken);
    const refused = { error: 'invalid_grant' };
    expect((await refresh(bound.refreshToken)).body).toMatchObject(refused);
    const proof = await key.proof('POST', tokenUrl);
    expect((await refresh(bound.refreshToken, proof)).body).toMatchObject({ token_type: 'DPoP' });
  });

  it('gets no tokens for a proof that is malformed or was used', async () => {
    const form = await approve();
    const refused = { error: 'invalid_dpop_proof' };
    expect((await tokenRequest(form, 'nonsense')).body).toMatchObject(refused);
    expect((await tokenRequest(form, await key.proof('POST', BASE))).body).toMatchObject(refused);
    const proof = await key.proof('POST', tokenUrl);
    const { refreshToken } = tokensOf(await tokenRequest(form, proof));
    expect((await refresh(refreshToken, proof)).body).toMatchObject(refused);
  });

  it('cannot use an unbound token with a proof', async () => {
    const answer = await tokenRequest(await approve());
    expect(answer.body).toMatchObject({ token_type: 'Bearer' });
    const tokens = tokensOf(answer);
    const proof = await key.proof('GET', `${BASE}/api/v1/me`, tokens.accessToken);
    expect((await call(tokens, proof)).status).toBe(401);
    expect((await call(tokens, proof, { scheme: 'Bearer' })).status).toBe(200);
  });
});
