import { describe, expect, it } from '@jest/globals';
import type { Credential } from '../../../service/oauth/tokens/credential.js';
import { RecentCredentials } from '../../../service/oauth/tokens/recent-credentials.js';

const credential = (id: string): Credential => ({
  id,
  grantId: 'grant',
  payload: {},
  isUsed: false,
  grant: {},
  hasAccount: true,
});

describe('the refresh tokens that were issued last', () => {
  it('are given once each, by their hash', () => {
    const recent = new RecentCredentials();
    recent.keep(credential('one'));
    recent.keep(credential('two'));

    expect(recent.take('one')?.id).toBe('one');
    expect(recent.take('one')).toBeUndefined();
    expect(recent.take('two')?.id).toBe('two');
    expect(recent.take('three')).toBeUndefined();
  });

  it('are at most 5,000, without the oldest', () => {
    const recent = new RecentCredentials();
    for (let count = 0; count <= 5000; count += 1) {
      recent.keep(credential(String(count)));
    }

    expect(recent.take('0')).toBeUndefined();
    expect(recent.take('1')).toBeDefined();
    expect(recent.take('5000')).toBeDefined();
  });
});
