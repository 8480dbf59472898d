import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Peer, UPLOADS, type Ask } from '../../support/tus-peer.js';

describe('X-HTTP-Method-Override', () => {
  let peer: Peer;
  beforeAll(async () => {
    peer = await Peer.start();
  });
  afterAll(() => peer.service.close());
  const as = (method: string, more: Ask['headers'] = {}): Ask['headers'] => ({
    'tus-resumable': '1.0.0',
    'x-http-method-override': method,
    ...more,
  });

  it('returns 405 for a method that the URL does not support', async () => {
    const path = await peer.create();
    for (const [at, method] of [
      [UPLOADS, 'PATCH'],
      [UPLOADS, 'DELETE'],
      [UPLOADS, 'BREW'],
      [UPLOADS, 'post'],
      [UPLOADS, 'POST, POST'],
      [path, 'POST'],
      [path, 'PUT'],
      [path, 'TRACE'],
    ] as const) {
      const told = await peer.ask({ method: 'POST', path: at, headers: as(method) });
      expect([method, told.status, told.headers.allow]).toEqual([
        method,
        405,
        at === UPLOADS ? 'GET, HEAD, POST, OPTIONS' : 'GET, HEAD, PATCH, DELETE, OPTIONS',
      ]);
    }
    expect(await peer.offset(path)).toBe('0');
  });

  it('determines the required scope: list by POST, creation by GET', async () => {
    const reader = (await peer.service.connect('uploads:read')).accessToken;
    const authorization = `Bearer ${reader}`;
    const length = { 'upload-length': '1', authorization };
    const list = await peer.ask({ method: 'POST', headers: as('GET', { authorization }) });
    expect(list.status).toBe(200);
    expect((await peer.ask({ method: 'GET', headers: as('POST', length) })).status).toBe(403);
    const none = { authorization: undefined };
    expect((await peer.ask({ method: 'OPTIONS', headers: as('GET', none) })).status).toBe(401);
    expect((await peer.ask({ method: 'POST', headers: as('OPTIONS', none) })).status).toBe(204);
  });

  it('is independent of preflight requests', async () => {
    const preflight = {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-http-method-override,repr-digest',
    };
    const told = await peer.ask({ method: 'OPTIONS', headers: preflight });
    expect(told.status).toBe(204);
    const allowed = String(told.headers['access-control-allow-headers']);
    expect(allowed).toContain('X-HTTP-Method-Override');
    expect(allowed).toContain('Repr-Digest');
    const path = await peer.create();
    const removed = await peer.ask({
      method: 'OPTIONS',
      path,
      headers: as('DELETE', { ...preflight, authorization: undefined }),
    });
    expect(removed.status).toBe(401);
    expect(await peer.offset(path)).toBe('0');
  });

  it('has no effect outside uploads', async () => {
    const told = await peer.ask({ method: 'GET', path: '/api/v1/me', headers: as('DELETE') });
    expect(told.status).toBe(200);
    expect(told.headers['tus-resumable']).toBeUndefined();
    const token = await peer.ask({ method: 'GET', path: '/api/oauth/token', headers: as('POST') });
    expect(token.status).toBe(405);
  });
});
