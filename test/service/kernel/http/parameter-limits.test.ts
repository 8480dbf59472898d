import { describe, expect, it } from '@jest/globals';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { checkParameterLengths } from '../../../../service/oauth/clients/parameter-limits.js';

describe('the parameters of an anonymous request', () => {
  const check =
    (params: Readonly<Record<string, unknown>> | undefined, route = 'authorization') =>
    (): void =>
      checkParameterLengths({ oidc: { route, params } } as unknown as KoaContextWithOIDC);

  it.each([
    ['client_id', 256],
    ['scope', 512],
    ['nonce', 512],
    ['state', 2048],
    ['redirect_uri', 2048],
  ])('may have a %s of at most %d characters', (name, max) => {
    for (const route of ['authorization', 'device_authorization']) {
      check({ [name]: 'x'.repeat(max) }, route)();
      expect(check({ [name]: 'x'.repeat(max + 1) }, route)).toThrow(errors.InvalidRequest);
      expect(check({ a: 'x', [name]: ['x', 'x'.repeat(max + 1)] }, route)).toThrow(
        errors.InvalidRequest,
      );
    }
  });

  it('may name their resource four times', () => {
    check({ resource: Array(4).fill('urn:a') })();
    expect(check({ resource: Array(5).fill('urn:a') })).toThrow(errors.InvalidRequest);
  });

  it('are optional', () => {
    check(undefined)();
    check({ state: undefined })();
  });

  it('are not limited when nothing is stored', () => {
    check({ refresh_token: 'x'.repeat(10_000) }, 'token')();
  });
});
