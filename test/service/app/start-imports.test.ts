import { describe, expect, it } from '@jest/globals';
import { importsOf } from '../support/imports.js';

/** Libraries that not every service needs, and that take long to load. */
const LATER = /^(?:@aws-sdk|@simplewebauthn|@tus\/s3-store|esbuild|nodemailer)(?:\/|$)/;

describe('the start of the service', () => {
  it('loads the libraries of S3, passkeys and mail when they are first used', async () => {
    const start = await importsOf(['service/start.ts'], 'start');
    const ever = await importsOf(['service/start.ts'], 'any time');
    expect(ever.libraries.filter((one) => LATER.test(one)).sort()).toEqual([
      ...['@aws-sdk/client-s3', '@aws-sdk/s3-request-presigner', '@simplewebauthn/server'],
      ...['@tus/s3-store', 'esbuild', 'nodemailer'],
    ]);
    expect(start.libraries.filter((one) => LATER.test(one))).toEqual([]);
  });
});
