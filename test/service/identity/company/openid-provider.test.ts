import { describe, expect, it } from '@jest/globals';
import { toClaims } from '../../../../service/identity/company/openid-provider.js';

const TENANT = 'https://login.microsoftonline.com/5f1d/v2.0';

describe('the claims of a company account', () => {
  // @threat U13
  it.each([
    ['verified', { email_verified: true }, {}, TENANT],
    ['verified', {}, { email_verified: 'true' }, TENANT],
    ['unverified', { email_verified: false }, { email_verified: true }, TENANT],
    ['unverified', { email_verified: true }, { email_verified: false }, TENANT],
    ['unverified', { email_verified: 1 }, {}, TENANT],
    ['unverified', { email_verified: 'True ' }, {}, TENANT],
    ['unstated', {}, {}, TENANT],
    ['unstated', { email_verified: null }, {}, TENANT],
    ['unverified', {}, {}, 'https://login.microsoftonline.com/{tenantid}/v2.0'],
  ])('are %s for %j and %j of %s', (verification, stated, more, issuer) => {
    expect(toClaims(stated, more, issuer).verification).toBe(verification);
  });

  it('keep names within the size of a cookie', () => {
    expect(toClaims({ name: 'm'.repeat(10_000) }, {}, TENANT).name).toHaveLength(200);
  });
});
