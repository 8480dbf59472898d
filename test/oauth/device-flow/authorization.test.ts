import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CancelSource } from '../../../src/util/cancel.js';
import {
  requestDeviceAuthorization,
  type DeviceAuthorization,
} from '../../../src/oauth/device-flow/authorization.js';
import { pollForTokens } from '../../../src/oauth/device-flow/polling.js';
import type { TokenSet } from '../../../src/oauth/token-endpoint.js';
import { startScriptedServer, type Reaction } from '../../support/http-server.js';
import { createOAuthFixture, tokenAnswer, type OAuthFixture } from '../fixture.js';
import { codeOf } from '../../support/outcome.js';

let fixture: OAuthFixture;

beforeEach(async () => {
  fixture = await createOAuthFixture();
});

afterEach(() => fixture.server.close());

const START = { method: 'POST', path: '/api/oauth/device_authorization' } as const;
const POLL = {
  method: 'POST',
  path: '/api/oauth/token',
  form: {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: 'the-device-code',
    client_id: 'creative-workspace-plugin',
  },
} as const;

/** Exactly the members of the interface. */
const promised = (): Record<string, unknown> => ({
  device_code: 'the-device-code',
  user_code: 'BCDF-GHJK',
  verification_uri: `${fixture.server.origin}/oauth/device`,
});

async function ask(body: object | string, status = 200): Promise<DeviceAuthorization> {
  const answer = typeof body === 'string' ? body : { ...body };
  fixture.server.expect(
    { ...START, form: { client_id: 'creative-workspace-plugin', scope: 'uploads:write' } },
    { status, body: answer },
  );
  const asked = requestDeviceAuthorization(fixture.send, fixture.client, null, () =>
    fixture.clock.now(),
  );
  asked.catch(() => undefined);
  await fixture.server.arrived(1);
  return asked;
}

describe('requestDeviceAuthorization, RFC 8628 §3.2', () => {
  it('needs only the three promised fields', async () => {
    expect(await ask(promised())).toEqual({
      deviceCode: 'the-device-code',
      userCode: 'BCDF-GHJK',
      verificationUri: `${fixture.server.origin}/oauth/device`,
      verificationUriComplete: null,
      expiresAt: fixture.clock.now() + 900_000,
      intervalMs: 5_000,
    });
  });

  it.each([
    ['numbers', { interval: 7, expires_in: 60 }, 7_000, 60_000],
    ['numbers sent as text', { interval: '7', expires_in: '60' }, 7_000, 60_000],
    ['zero', { interval: 0, expires_in: 0 }, 1_000, 900_000],
    ['a negative lifetime', { expires_in: -1 }, 5_000, 900_000],
    ['half a second', { expires_in: 0.5 }, 5_000, 1_000],
    ['far too much', { interval: 1e9, expires_in: 1e9 }, 300_000, 86_400_000],
    ['nonsense', { interval: 'soon', expires_in: null }, 5_000, 900_000],
  ])('takes interval and expires_in as %s', async (_case, fields, intervalMs, lifetimeMs) => {
    const authorization = await ask({ ...promised(), ...fields });
    expect(authorization.intervalMs).toBe(intervalMs);
    expect(authorization.expiresAt).toBe(fixture.clock.now() + lifetimeMs);
  });

  it.each([
    ['not JSON', '<html>', 200, 'CW-304'],
    ['a JSON list', '[]', 200, 'CW-304'],
    ['a page of a filter', '<html>', 403, 'CW-304'],
    ['a login to the network', '<html>', 511, 'CW-304'],
    ['an error with status 200', { error: 'unauthorized_client' }, 200, 'CW-101'],
    ['a service that starts', { error: 'temporarily_unavailable' }, 400, 'CW-303'],
    ['a server of Cloudflare that is away', 'error code: 521', 521, 'CW-303'],
    ['too large', `{"device_code":"${'x'.repeat(70_000)}"}`, 200, 'CW-304'],
    ['unauthorized client', { error: 'unauthorized_client' }, 400, 'CW-101'],
    ['invalid scope', { error: 'invalid_scope' }, 400, 'CW-101'],
    ['a server error', 'oops', 500, 'CW-303'],
    ['too many requests', '', 429, 'CW-303'],
    ['an odd status', {}, 302, 'CW-304'],
  ])('turns %s into a typed error', async (_case, body, status, code) => {
    expect(await codeOf(ask(body, status))).toBe(code);
  });

  it.each(['device_code', 'user_code', 'verification_uri'])(
    'refuses a response without %s',
    async (field) => {
      expect(await codeOf(ask({ ...promised(), [field]: undefined }))).toBe('CW-305');
    },
  );

  // @threat H3
  it.each([
    ['another host', 'https://evil.example/oauth/device'],
    ['another port', 'http://localhost:1/oauth/device'],
    ['a look-alike', 'http://localhost.evil.example/oauth/device'],
    ['another scheme', 'javascript:alert(1)'],
    ['a user name', 'http://localhost@evil.example/'],
    ['not an address', 'oauth/device'],
    ['another host behind two slashes', '//evil.example/oauth/device'],
    ['a backslash', '/\\evil.example/oauth/device'],
  ])('never accepts a sign-in page with %s', async (_case, address) => {
    expect(await codeOf(ask({ ...promised(), verification_uri: address }))).toBe('CW-104');
  });

  it.each(['verification_uri', 'verification_uri_complete'])(
    'refuses a %s of 60 KB',
    async (field) => {
      const long = `${fixture.server.origin}/oauth/device?user_code=${'X'.repeat(60_000)}`;
      expect(await codeOf(ask({ ...promised(), [field]: long }))).toBe('CW-305');
      const longest = `${fixture.server.origin}/`.padEnd(2_000, 'x');
      fixture.server.expect(START, { status: 200, body: { ...promised(), [field]: longest } });
      await requestDeviceAuthorization(fixture.send, fixture.client, null, () =>
        fixture.clock.now(),
      );
    },
  );

  it.each([
    ['a device_code that is too long', { device_code: 'x'.repeat(4_097) }],
    ['a device_code with a line break', { device_code: 'a\r\nX: y' }],
    ['a device_code beyond ASCII', { device_code: 'ä' }],
    ['a user_code that is too long', { user_code: 'A'.repeat(33) }],
    ['a user_code with a line break', { user_code: 'AB\nCD' }],
    ['a user_code that reads backwards', { user_code: 'AB\u202eCD' }],
    ['a user_code of nothing to see', { user_code: '   ' }],
    ['a user_code with a space at its end', { user_code: 'ABCD ' }],
    ['a user_code that is no text', { user_code: { toString: 'x' } }],
  ])('refuses %s', async (_case, fields) => {
    expect(await codeOf(ask({ ...promised(), ...fields }))).toBe('CW-305');
  });

  it('resolves a path as the sign-in page on the service', async () => {
    const path = '/oauth/device';
    const body = { verification_uri: path, verification_uri_complete: `${path}?user_code=X` };
    expect(await ask({ ...promised(), ...body })).toMatchObject({
      verificationUri: `${fixture.server.origin}/oauth/device`,
      verificationUriComplete: `${fixture.server.origin}/oauth/device?user_code=X`,
    });
  });

  it.each([201, 203])('accepts a code with status %d', async (status) => {
    expect((await ask(promised(), status)).userCode).toBe('BCDF-GHJK');
  });

  it('accepts a code after a byte order mark', async () => {
    expect((await ask(`\ufeff${JSON.stringify(promised())}`)).userCode).toBe('BCDF-GHJK');
  });

  it('never accepts a complete address elsewhere', async () => {
    const body = { ...promised(), verification_uri_complete: 'https://evil.example/?user_code=X' };
    expect(await codeOf(ask(body))).toBe('CW-104');
  });
});

describe('pollForTokens, RFC 8628 §3.5', () => {
  interface Polling {
    readonly result: Promise<TokenSet>;
    readonly troubles: (string | null)[];
    /** Seconds between polls: from the start or the last answer to each request. */
    readonly waits: number[];
    readonly cancel: CancelSource;
  }

  function start(answers: readonly Reaction[], more: Partial<DeviceAuthorization> = {}): Polling {
    for (const answer of answers) fixture.server.expect(POLL, answer);
    const authorization: DeviceAuthorization = {
      deviceCode: 'the-device-code',
      userCode: 'BCDF-GHJK',
      verificationUri: `${fixture.server.origin}/oauth/device`,
      verificationUriComplete: null,
      expiresAt: fixture.clock.now() + 900_000,
      intervalMs: 5_000,
      ...more,
    };
    const troubles: (string | null)[] = [];
    const waits: number[] = [];
    const cancel = new CancelSource();
    let lastEvent = fixture.clock.elapsed;
    const result = pollForTokens({
      send: async (request, signal) => {
        waits.push((fixture.clock.elapsed - lastEvent) / 1000);
        try {
          return await fixture.send(request, signal);
        } finally {
          lastEvent = fixture.clock.elapsed;
        }
      },
      client: fixture.client,
      clock: fixture.clock,
      random: () => 0,
      authorization,
      signal: cancel.signal,
      onTrouble: (trouble) => troubles.push(trouble?.code ?? null),
    });
    result.catch(() => undefined);
    return { result, troubles, waits, cancel };
  }

  const error = (word: string, status = 400): Reaction => ({ status, body: { error: word } });
  const pending = error('authorization_pending');
  const finish = <T>(promise: Promise<T>): Promise<T | undefined> =>
    fixture.clock.runUntil(promise, { stepMs: 200, limitMs: 3_000_000 });

  it('understands errors with status 200, and tokens with status 201', async () => {
    const tokens = { ...tokenAnswer(1), status: 201 };
    const polling = start([error('authorization_pending', 200), error('slow_down', 200), tokens]);
    expect(await finish(polling.result)).toMatchObject({ accessToken: 'svc_at_number-1' });
    expect(polling.troubles).toEqual([null, null]);
    expect(polling.waits.map(Math.floor)).toEqual([5, 5, 10]);
  });

  it('waits the interval before each poll, and returns the tokens', async () => {
    const polling = start([pending, pending, tokenAnswer(1)]);
    expect(await finish(polling.result)).toMatchObject({ accessToken: 'svc_at_number-1' });
    expect(polling.waits).toHaveLength(3);
    for (const wait of polling.waits) expect(wait).toBeGreaterThanOrEqual(5);
    for (const wait of polling.waits) expect(wait).toBeLessThan(6);
  });

  it('adds five seconds permanently at each slow_down', async () => {
    const polling = start([error('slow_down'), pending, error('slow_down'), tokenAnswer(1)]);
    await finish(polling.result);
    expect(polling.waits.map(Math.floor)).toEqual([5, 10, 10, 15]);
  });

  it.each<[string, Reaction, string]>([
    ['access_denied', { status: 400, body: { error: 'access_denied' } }, 'CW-103'],
    ['expired_token', { status: 400, body: { error: 'expired_token' } }, 'CW-102'],
    ['invalid_grant', { status: 400, body: { error: 'invalid_grant' } }, 'CW-106'],
    ['access_denied with status 200', { status: 200, body: { error: 'access_denied' } }, 'CW-103'],
    ['expired_token with status 200', { status: 200, body: { error: 'expired_token' } }, 'CW-102'],
    ['invalid_grant with status 200', { status: 200, body: { error: 'invalid_grant' } }, 'CW-106'],
    ['invalid_client', { status: 401, body: { error: 'invalid_client' } }, 'CW-106'],
    ['a token of another service', tokenAnswer(1, { access_token: 'abc' }), 'CW-305'],
    ['another token type', tokenAnswer(1, { token_type: 'mac' }), 'CW-305'],
    [
      'a token that would break a header',
      tokenAnswer(1, { access_token: 'svc_at_a\r\nX: y' }),
      'CW-305',
    ],
  ])('ends at %s', async (_case, answer, code) => {
    const polling = start([answer]);
    expect(await codeOf(finish(polling.result))).toBe(code);
  });

  it.each<[string, Reaction, string]>([
    ['500', { status: 500, body: 'oops' }, 'CW-303'],
    ['502 with a page', { status: 502, body: '<html>' }, 'CW-303'],
    ['503', { status: 503 }, 'CW-303'],
    ['504', { status: 504 }, 'CW-303'],
    ['429', { status: 429 }, 'CW-303'],
    ['408', { status: 408 }, 'CW-303'],
    ['a page with status 200', { status: 200, body: '<html>Welcome to the hotel' }, 'CW-304'],
    ['a page with status 403', { status: 403, body: '<html>' }, 'CW-304'],
    ['an oversized page', { status: 200, body: 'x'.repeat(70_000) }, 'CW-304'],
    ['a cut connection', 'cut', 'CW-301'],
    ['511 with a page', { status: 511, body: '<html>Please log in' }, 'CW-304'],
    ['511 with an error', { status: 511, body: { error: 'login_required' } }, 'CW-304'],
    ['302 with nothing to follow', { status: 302, body: '<html>' }, 'CW-304'],
    ['302 with an error', { status: 302, body: { error: 'login_required' } }, 'CW-304'],
    ['501 with a page', { status: 501, body: '<html>' }, 'CW-304'],
    ['JSON of a portal', { status: 200, body: { portal: true } }, 'CW-304'],
    ...[520, 525, 530, 598, 599].map((status): [string, Reaction, string] => [
      String(status),
      { status, body: '<html>' },
      'CW-303',
    ]),
    ['no content', { status: 204 }, 'CW-304'],
    ['a page of a proxy that requires a sign-in', { status: 407, body: '<html>' }, 'CW-304'],
  ])(
    'continues after %s, never faster than the interval, and reports it',
    async (_case, answer, code) => {
      const polling = start([answer, answer, pending, tokenAnswer(1)]);
      expect(await finish(polling.result)).toMatchObject({ accessToken: 'svc_at_number-1' });
      expect(polling.troubles).toEqual([code, code, null]);
      const [, second = 0, third = 0, fourth = 0] = polling.waits;
      expect(second).toBeGreaterThanOrEqual(5);
      expect(third).toBeGreaterThan(second);
      expect(Math.floor(fourth)).toBe(5);
    },
  );

  it.each([
    ['a separate one', 'CW-304'],
    ['of the service’s name', 'CW-304'],
  ])('continues after a redirect to a captive portal, at a URL %s', async (whose, code) => {
    const portal = await startScriptedServer();
    portal.otherwise({ status: 200, body: '<html>Please log in' });
    const place = whose === 'a separate one' ? portal : fixture.server;
    const redirect = { status: 302, headers: { Location: `${place.origin}/login` } };
    fixture.server.expect(POLL, redirect);
    if (place === fixture.server) {
      fixture.server.expect({ path: '/login' }, { status: 200, body: '<html>Please log in' });
    }
    const polling = start([pending, tokenAnswer(1)]);
    expect(await finish(polling.result)).toMatchObject({ accessToken: 'svc_at_number-1' });
    expect(polling.troubles).toEqual([code, null]);
    await portal.close();
  });

  it('continues after a response that never comes', async () => {
    const polling = start(['hang', tokenAnswer(1)]);
    expect(await finish(polling.result)).toMatchObject({ accessToken: 'svc_at_number-1' });
    expect(polling.troubles).toEqual(['CW-302']);
  });

  it('honours Retry-After', async () => {
    const polling = start([{ status: 429, headers: { 'Retry-After': '100' } }, tokenAnswer(1)]);
    await finish(polling.result);
    expect(polling.waits[1]).toBeGreaterThanOrEqual(100);
  });

  it('stops polling when the code expires', async () => {
    const polling = start([pending, pending], { expiresAt: fixture.clock.now() + 14_000 });
    expect(await codeOf(finish(polling.result))).toBe('CW-102');
    expect(fixture.server.requests).toHaveLength(2);
  });

  it('stops polling when the computer slept past the expiry of the code', async () => {
    const polling = start([pending]);
    await fixture.clock.runUntil(fixture.server.arrived(1), { stepMs: 200 });
    await fixture.clock.settle();
    fixture.clock.jumpWall(3_600_000);
    expect(await codeOf(finish(polling.result))).toBe('CW-102');
    expect(fixture.server.requests).toHaveLength(1);
  });

  it('does not extend the code when the clock is set back', async () => {
    const polling = start([], { expiresAt: fixture.clock.now() + 60_000 });
    fixture.server.otherwise(pending);
    fixture.clock.jumpWall(-86_400_000);
    const begun = fixture.clock.elapsed;
    expect(await codeOf(finish(polling.result))).toBe('CW-102');
    expect(fixture.clock.elapsed - begun).toBeLessThanOrEqual(62_000);
  });

  it('does not poll faster when the clock jumps', async () => {
    const polling = start([], { expiresAt: fixture.clock.now() + 3_000_000 });
    fixture.server.otherwise(pending);
    for (const jump of [600_000, -600_000, 1_000_000, -900_000]) {
      fixture.clock.jumpWall(jump);
      await fixture.clock
        .runUntil(() => false, { stepMs: 500, limitMs: 11_000 })
        .catch(() => undefined);
    }
    polling.cancel.cancel();
    expect(polling.waits.length).toBeGreaterThan(4);
    for (const wait of polling.waits) expect(wait).toBeGreaterThanOrEqual(5);
  });

  it.each(['while waiting', 'while asking'])('stops at once when cancelled %s', async (when) => {
    const polling = start(when === 'while asking' ? ['hang'] : []);
    if (when === 'while asking')
      await fixture.clock.runUntil(fixture.server.arrived(1), { stepMs: 200 });
    else await fixture.clock.advance(1_000);
    polling.cancel.cancel();
    await expect(polling.result).rejects.toThrow('cancelled');
    expect(fixture.clock.pending).toBe(0);
  });
});

describe('the details of the computer', () => {
  const DETAILS = {
    id: 'a3f2'.repeat(8),
    name: 'Studio laptop',
    app: 'Photoshop 27.1',
    os: 'macOS 15',
    softwareVersion: '0.1.0',
  };

  const request = async (details: Partial<typeof DETAILS>): Promise<unknown> => {
    const whole = { ...DETAILS, ...details };
    await requestDeviceAuthorization(fixture.send, fixture.client, whole, () =>
      fixture.clock.now(),
    );
    return fixture.server.requests.at(-1)?.form;
  };

  it('are sent with the request', async () => {
    fixture.server.expect(START, { status: 200, body: promised() });
    expect(await request({})).toEqual({
      client_id: 'creative-workspace-plugin',
      scope: 'uploads:write',
      device_id: DETAILS.id,
      device_name: 'Studio laptop',
      device_app: 'Photoshop 27.1',
      device_os: 'macOS 15',
      software_version: '0.1.0',
    });
  });

  it('are left out where they are unknown or too long, and are one line', async () => {
    fixture.server.expect(START, { status: 200, body: promised() });
    expect(await request({ os: '', app: 'x'.repeat(61), softwareVersion: '0.1\n.0' })).toEqual({
      client_id: 'creative-workspace-plugin',
      scope: 'uploads:write',
      device_id: DETAILS.id,
      device_name: 'Studio laptop',
      software_version: '0.1 .0',
    });
  });

  it('do not prevent a sign-in at a service that refuses them', async () => {
    fixture.server
      .expect(START, { status: 400, body: { error: 'invalid_request' } })
      .expect(START, { status: 200, body: promised() });
    expect(await request({})).toEqual({
      client_id: 'creative-workspace-plugin',
      scope: 'uploads:write',
    });
  });

  it('are not left out after another refusal', async () => {
    fixture.server.expect(START, { status: 400, body: { error: 'unauthorized_client' } });
    expect(await codeOf(request({}))).toBe('CW-101');
  });
});
