import { describe, expect, it } from '@jest/globals';
import { tokenExpiry, type TokenExpiry } from '../../../src/oauth/session/token-expiry.js';
import type { TokenSet } from '../../../src/oauth/token-endpoint.js';
import fc from '../../support/properties.js';

const OBTAINED_AT = 1_700_000_000_000;

function tokens(lifetimeMs: number | null): TokenSet {
  return {
    accessToken: 'svc_at_1',
    refreshToken: 'refresh-token-1',
    obtainedAt: OBTAINED_AT,
    expiresAt: lifetimeMs === null ? null : OBTAINED_AT + lifetimeMs,
  };
}

/** How fresh tokens of this lifetime are so long before their end. */
function beforeEnd(lifetimeMs: number, leftMs: number): TokenExpiry {
  return tokenExpiry(tokens(lifetimeMs), OBTAINED_AT + lifetimeMs - leftMs);
}

const ORDER: readonly TokenExpiry[] = ['fresh', 'due', 'urgent', 'expired'];

describe('token expiry', () => {
  it.each([
    // A twentieth of the lifetime, where that is more than a minute.
    { lifetime: 24 * 3_600_000, due: 4_320_000, urgent: 1_080_000 },
    { lifetime: 3_600_000, due: 180_000, urgent: 45_000 },
    // A minute.
    { lifetime: 1_200_000, due: 60_000, urgent: 15_000 },
    { lifetime: 300_000, due: 60_000, urgent: 15_000 },
    { lifetime: 120_000, due: 60_000, urgent: 15_000 },
    // Half of the lifetime, where a minute is more.
    { lifetime: 60_000, due: 30_000, urgent: 7_500 },
    { lifetime: 8_000, due: 4_000, urgent: 1_000 },
  ])(
    'of $lifetime ms: due $due ms and urgent $urgent ms before the end',
    ({ lifetime, due, urgent }) => {
      expect(beforeEnd(lifetime, lifetime)).toBe('fresh');
      expect(beforeEnd(lifetime, due + 1)).toBe('fresh');
      expect(beforeEnd(lifetime, due)).toBe('due');
      expect(beforeEnd(lifetime, urgent + 1)).toBe('due');
      expect(beforeEnd(lifetime, urgent)).toBe('urgent');
      expect(beforeEnd(lifetime, 1)).toBe('urgent');
      expect(beforeEnd(lifetime, 0)).toBe('expired');
      expect(beforeEnd(lifetime, -1)).toBe('expired');
    },
  );

  it('tokens without a known expiry stay fresh', () => {
    expect(tokenExpiry(tokens(null), OBTAINED_AT)).toBe('fresh');
    expect(tokenExpiry(tokens(null), OBTAINED_AT + 1e12)).toBe('fresh');
  });

  it('tokens without a lifetime are expired', () => {
    expect(beforeEnd(0, 0)).toBe('expired');
  });

  it('tokens start fresh and only become less fresh', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e9 }),
        fc.integer({ min: 0, max: 1e9 }),
        fc.nat(1e9),
        (lifetime, left, later) => {
          const now = ORDER.indexOf(beforeEnd(lifetime, left));
          expect(ORDER.indexOf(beforeEnd(lifetime, left - later))).toBeGreaterThanOrEqual(now);
          expect(beforeEnd(lifetime, lifetime)).toBe('fresh');
        },
      ),
    );
  });
});
