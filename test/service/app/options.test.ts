import { describe, expect, it } from '@jest/globals';
import { ServiceStartError } from '../../../service/kernel/errors.js';
import { checkOptions } from '../../../service/app/config/options.js';
import type { ServiceOptions } from '../../../service/app/config/options.js';

const EMBEDDED: unknown = expect.stringContaining('one process and one connection');

describe('the options of the service', () => {
  it('have defaults for everything but the data folder', () => {
    expect(checkOptions({ dataDir: 'data' })).toMatchObject({
      port: 8780,
      host: 'localhost',
      baseUrl: undefined,
      lifetimes: {
        accessTokenSeconds: 3600,
        refreshTokenSeconds: 90 * 24 * 3600,
        deviceCodeSeconds: 900,
        pollIntervalSeconds: 5,
      },
      database: 'embedded',
      demoAccount: true,
      showDemoAccount: true,
      warnings: [],
    });
  });

  it.each([
    ['mail@Studio.example', { name: '', address: 'mail@studio.example' }],
    [
      'North Studio <mail@studio.example>',
      { name: 'North Studio', address: 'mail@studio.example' },
    ],
  ])('read the sender of mail %j', (from, sender) => {
    const mail = { smtpUrl: 'smtp://user:p%40ss@mail.example:587', from };
    expect(checkOptions({ dataDir: 'd', mail }).mail?.from).toEqual(sender);
  });

  it.each([
    ...['mail.example', 'https://mail.example', 'smtp://a:b c@mail.example', 'smtp://m.example/?x'],
    ...['smtp://user:100%@mail.example', 'smtps://mail.example#x'],
  ])('refuse the mail server %j, without repeating it', (smtpUrl) => {
    const mail = { smtpUrl, from: 'mail@studio.example' };
    const must = expect.stringMatching(/SMTP_URL must look like (?!.*mail\.example)/) as unknown;
    expect(() => checkOptions({ dataDir: 'd', mail })).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: must }),
    );
  });

  it.each([
    ...['http://proxy.example:3128', 'https://proxy.example', 'http://[2001:db8::1]:3128/'],
    'http://user:p%40ss@proxy.example:3128',
  ])('accept the proxy %s', (outgoingProxy) => {
    expect(checkOptions({ dataDir: 'd', outgoingProxy }).outgoingProxy).toBe(outgoingProxy);
  });

  it.each([
    ...['proxy.example:3128', 'socks5://proxy.example', 'http://proxy.example/path', 'http://'],
    ...['http://proxy.example/?x', 'http://proxy.example/#x', 'http://user:100%@proxy.example', ''],
  ])('refuse the proxy %j, without repeating it', (outgoingProxy) => {
    const message =
      'Invalid option: OUTGOING_PROXY must look like http://proxy.example:3128 or http://user:password@proxy.example:3128.';
    expect(() => checkOptions({ dataDir: 'd', outgoingProxy })).toThrow(
      expect.objectContaining({ code: 'invalid_option', message }),
    );
  });

  it.each(['Studio', 'A <a@b.example>, B <c@d.example>', 'A\r\nBcc: x <a@b.example>'])(
    'refuse the sender of mail %j',
    (from) => {
      const mail = { smtpUrl: 'smtp://mail.example', from };
      expect(() => checkOptions({ dataDir: 'd', mail })).toThrow('MAIL_FROM must be');
    },
  );

  it('keep the default lifetimes next to a given one', () => {
    expect(
      checkOptions({ dataDir: 'data', lifetimes: { accessTokenSeconds: 5 } }).lifetimes,
    ).toMatchObject({ accessTokenSeconds: 5, deviceCodeSeconds: 900 });
  });

  it('accept a base URL with or without a trailing slash', () => {
    expect(checkOptions({ dataDir: 'd', baseUrl: 'https://service.example/' }).baseUrl).toBe(
      'https://service.example',
    );
  });

  it.each([
    'http://localhost:8780',
    'http://studio.localhost',
    'http://127.0.0.1',
    'http://127.8.0.1:80',
    'http://[::1]:8780',
  ])('accept the loopback base URL %s over http', (baseUrl) => {
    expect(checkOptions({ dataDir: 'd', baseUrl })).toMatchObject({
      baseUrl: new URL(baseUrl).origin,
      demoAccount: true,
      warnings: [],
    });
  });

  // @threat S6
  it.each([
    'http://service.example',
    'http://localhost.service.example',
    'http://127.0.0.1.service.example',
    'http://0.0.0.0:8780',
    'http://192.168.1.2:8780',
    'http://[::2]',
  ])('require https for the base URL %s', (baseUrl) => {
    expect(() => checkOptions({ dataDir: 'd', baseUrl })).toThrow('must be https');
  });

  it.each<[string, Partial<ServiceOptions>]>([
    ['a public base URL', { baseUrl: 'https://service.example' }],
    ['a port that others reach', { host: '0.0.0.0', baseUrl: 'http://localhost:8780' }],
    ['a shared database', { databaseUrl: 'postgres://u:p@db.example/d' }],
  ])('have no demo account at %s by default', (_where, options) => {
    expect(checkOptions({ dataDir: 'd', ...options }).demoAccount).toBe(false);
    expect(checkOptions({ dataDir: 'd', demoAccount: true, ...options }).demoAccount).toBe(true);
  });

  it('accept a content URL with a separate host and warn when it is the same site', () => {
    const check = (baseUrl: string | undefined, contentUrl: string): unknown =>
      checkOptions({ dataDir: 'd', ...(baseUrl !== undefined && { baseUrl }), contentUrl });
    const base = 'https://service.example';
    expect(check(base, 'https://files.example')).toMatchObject({
      contentUrl: 'https://files.example',
      warnings: [EMBEDDED],
    });
    expect(check(undefined, 'http://127.0.0.1:8780')).toMatchObject({ warnings: [] });
    for (const other of ['https://files.service.example', 'https://files.service.example:8443'])
      expect(check(base, other)).toMatchObject({
        warnings: [EMBEDDED, expect.stringContaining('browsers take the two for one site')],
      });
    for (const same of [base, 'https://SERVICE.example:8443'])
      expect(() => check(base, same)).toThrow('another host name');
    expect(() => check(undefined, 'http://localhost:9000')).toThrow('another host name');
    expect(() => check(base, 'http://127.0.0.1')).toThrow('both be https');
    expect(() => check(base, 'http://files.example')).toThrow('the content URL must be https');
    expect(() => check(base, 'https://files.example/photos')).toThrow('must be an origin');
  });

  it('accept storage for browsers on a separate host only', () => {
    const check = (publicEndpoint: string, baseUrl = 'https://service.example'): unknown =>
      checkOptions({
        ...{ dataDir: 'd', baseUrl },
        s3: { bucket: 'photos', region: 'r', endpoint: 'http://10.0.0.5', publicEndpoint },
      });
    expect(check('https://bytes.example/')).toMatchObject({
      s3: { publicEndpoint: 'https://bytes.example' },
    });
    expect(() => check('https://service.example:8443')).toThrow('another host name');
    expect(() => check('http://127.0.0.1')).toThrow('both be https');
    expect(() => check('https://bytes.example', 'http://localhost:8780')).toThrow('both be https');
    expect(() => check('https://bytes.example/photos')).toThrow('must be an origin');
  });

  it('warn about a demo account and about plain http on a reachable address', () => {
    const exposed = { dataDir: 'd', host: '0.0.0.0', baseUrl: 'http://localhost:8780' };
    const behindProxy = { dataDir: 'd', host: '0.0.0.0', baseUrl: 'https://service.example' };

    expect(checkOptions({ ...exposed, demoAccount: true }).warnings).toEqual([
      expect.stringContaining('its password is public'),
      expect.stringContaining('passwords and tokens in clear'),
    ]);
    const databaseUrl = 'postgres://u:p@db.example/d';
    expect(checkOptions({ ...behindProxy, databaseUrl }).warnings).toEqual([]);
  });

  it('warn about the embedded database at a public base URL', () => {
    const open = { dataDir: 'd', baseUrl: 'https://service.example' };
    expect(checkOptions(open).warnings).toEqual([EMBEDDED]);
    expect(checkOptions({ ...open, database: 'memory' }).warnings).toEqual([]);
    expect(checkOptions({ dataDir: 'd' }).warnings).toEqual([]);
  });

  it.each([
    'postgres://user:cleartext/1@db.example/d',
    'postgres://user:1/cleartext@db.example/d',
    'postgres://user:cleartext#1@db.example/d',
    'postgres://user:1#cleartext@db.example/d',
    'postgres://user:1?cleartext@db.example/d',
    'postgres://user:cleartext%@db.example/d',
  ])('refuse the database URL %s without printing any part of it', (databaseUrl) => {
    const check = (): unknown => checkOptions({ dataDir: 'd', databaseUrl });

    expect(check).toThrow('percent-encoded');
    expect(check).not.toThrow('cleartext');
  });

  it.each<[Partial<ServiceOptions>, string]>([
    [{ host: '0.0.0.0' }, 'needs a base URL'],
    [{ host: 'service.example', tls: true }, 'needs a base URL'],
    [{ baseUrl: 'https://u:p@x' }, 'base URL must be'],
    [{ baseUrl: 'https://*' }, 'base URL must be'],
    [{ baseUrl: 'http://localhost', tls: true }, 'base URL must be https'],
    [{ s3: { bucket: 'b', region: 'r', endpoint: 's3.example:9000' } }, 'S3 endpoint must be'],
    [
      { codeSignIn: { signIn: 'always' as never } },
      'CODE_SIGN_IN must be one of standard, number,',
    ],
    [{ codeSignIn: { apps: 'none' as never } }, 'CODE_SIGN_IN_APPS must be one of all, official'],
    [{ port: 70_000 }, 'port must be a whole number from 0 to 65535'],
    [{ metricsPort: 70_000 }, 'METRICS_PORT must be a whole number from 0 to 65535'],
    [{ metricsHost: 'two words' }, 'METRICS_HOST must be a host name'],
    [{ port: 1.5 }, 'port must be'],
    [{ host: 'http://x' }, 'host must be'],
    [{ dataDir: ' ' }, 'data folder must not be empty'],
    [{ baseUrl: 'ftp://x' }, 'base URL must be'],
    [{ baseUrl: 'https://x/path' }, 'base URL must be'],
    [{ baseUrl: 'x' }, 'base URL must be'],
    [{ lifetimes: { accessTokenSeconds: 0 } }, 'accessTokenSeconds must be'],
    [{ lifetimes: { pollIntervalSeconds: Number.NaN } }, 'pollIntervalSeconds must be'],
  ])('refuse %j in one sentence', (options, sentence) => {
    const check = (): unknown => checkOptions({ dataDir: 'data', ...options });

    expect(check).toThrow(ServiceStartError);
    expect(check).toThrow(sentence);
  });
});
