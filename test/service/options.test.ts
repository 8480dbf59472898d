import { describe, expect, it } from '@jest/globals';
import { ServiceStartError } from '../../service/errors.js';
import { checkOptions } from '../../service/options.js';
import type { ServiceOptions } from '../../service/options.js';

describe('the options of the service', () => {
  it('have defaults for everything but the data folder', () => {
    expect(checkOptions({ dataDir: 'data' })).toMatchObject({
      port: 8780,
      host: '127.0.0.1',
      baseUrl: undefined,
      lifetimes: {
        accessTokenSeconds: 3600,
        refreshTokenSeconds: 90 * 24 * 3600,
        deviceCodeSeconds: 900,
        pollIntervalSeconds: 5,
      },
      database: 'embedded',
      showDemoAccount: true,
    });
  });

  it('keep the other lifetimes when one is given', () => {
    expect(
      checkOptions({ dataDir: 'data', lifetimes: { accessTokenSeconds: 5 } }).lifetimes,
    ).toMatchObject({ accessTokenSeconds: 5, deviceCodeSeconds: 900 });
  });

  it('take a base URL with or without a slash at its end', () => {
    expect(checkOptions({ dataDir: 'd', baseUrl: 'https://service.example/' }).baseUrl).toBe(
      'https://service.example',
    );
  });

  it.each<[Partial<ServiceOptions>, string]>([
    [{ port: 70_000 }, 'port must be a whole number from 0 to 65535'],
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
