import { describe, expect, it } from '@jest/globals';
import { optionsFromEnvironment } from '../../../service/app/config/environment.js';

describe('the environment of a deployment', () => {
  it('sets no options for an empty environment', () => {
    const empty = { DATABASE_URL: '', SMTP_URL: undefined, PATH: '/bin' };
    expect(optionsFromEnvironment(empty)).toEqual({});
  });

  it('leaves variables of other programs', () => {
    const others = { DATABASE: 'a', SMTP: 'b', PATH: '/bin', HOME: '/root', S3_BUCKET_TYPE: 'c' };
    expect(optionsFromEnvironment({ ...others, DATABASE_URL: 'url', DATABASE_URI: 'd' })).toEqual({
      databaseUrl: 'url',
    });
  });

  it('sets the options that the environment names', () => {
    expect(
      optionsFromEnvironment({
        DATABASE_URL: 'postgres://user:secret@db.example/workspace',
        CODE_SIGN_IN: 'same-network',
        CODE_SIGN_IN_APPS: 'official',
        CONTENT_URL: 'https://files.example',
        PLATFORM_CLIENTS: '/etc/clients.json',
        DEMO_ACCOUNT: 'off',
        TRUSTED_PROXIES: '2',
        SHUTDOWN_GRACE_SECONDS: '30',
        METRICS_PORT: '9464',
        METRICS_HOST: '10.0.0.5',
        WORKSPACE_QUOTA_MIB: '500',
        MIN_FREE_DISK_MIB: '2048',
        S3_BUCKET: 'photos',
        S3_ENDPOINT: 'https://s3.example',
        S3_PUBLIC_ENDPOINT: 'https://bytes.example',
        S3_CHECKSUMS: 'on',
        S3_ACCESS_KEY_ID: 'id',
        S3_SECRET_ACCESS_KEY: 'secret',
        SMTP_URL: 'smtps://mail.example',
        MAIL_FROM: 'mail@studio.example',
        HELP_CONTACT: 'help@studio.example',
      }),
    ).toEqual({
      databaseUrl: 'postgres://user:secret@db.example/workspace',
      codeSignIn: { signIn: 'same-network', apps: 'official' },
      contentUrl: 'https://files.example',
      platformClients: '/etc/clients.json',
      demoAccount: false,
      trustedProxies: 2,
      shutdownGraceSeconds: 30,
      metricsPort: 9464,
      metricsHost: '10.0.0.5',
      uploads: { workspaceBytes: 500 * 1024 ** 2, minFreeDiskBytes: 2 * 1024 ** 3 },
      mail: { smtpUrl: 'smtps://mail.example', from: 'mail@studio.example' },
      helpContact: 'help@studio.example',
      s3: {
        bucket: 'photos',
        region: 'us-east-1',
        endpoint: 'https://s3.example',
        publicEndpoint: 'https://bytes.example',
        checksums: true,
        credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      },
    });
  });

  it.each([
    [{ TRUSTED_PROXIES: 'one' }, 'TRUSTED_PROXIES must be a whole number'],
    [{ DEMO_ACCOUNT: 'yes' }, 'DEMO_ACCOUNT must be "on" or "off"'],
    [{ S3_BUCKET: 'b', S3_SECRET_ACCESS_KEY: 'k' }, 'must be set together'],
    ...['S3_REGION', 'S3_ENDPOINT', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'].map(
      (name): [Record<string, string>, string] => [{ [name]: 'x' }, 'S3_BUCKET must be set'],
    ),
    [{ SMTP_URL: 'smtps://user:secret@mail.example' }, 'SMTP_URL and MAIL_FROM must be set'],
    [{ MAIL_FROM: 'mail@studio.example' }, 'SMTP_URL and MAIL_FROM must be set'],
    [{ S3_BUCKET: ' ', S3_CHECKSUMS: 'off' }, 'S3_BUCKET must be set'],
    ...['DATABSE_URL', 'DATABASE_URLS', 'DATABASE_URI', 'DATABSAE_URL', 'database_url'].map(
      (name): [Record<string, string>, string] => [
        { [name]: 'postgres://secret' },
        `no variable ${name}; rename it to DATABASE_URL`,
      ],
    ),
  ])('is refused with %j, in a message without values', (environment, words) => {
    expect(() => optionsFromEnvironment(environment)).toThrow(words);
  });
});
