import { describe, expect, it } from '@jest/globals';
import { CwError, ERROR_CODES, isTransient, toCwError } from '../../src/util/errors.js';

const SECRET = 'svc_at_a-secret-in-the-cause';

describe('CwError', () => {
  it('begins its message with its code and keeps its details', () => {
    const error = new CwError('CW-303', 'the service answered 503', {
      status: 503,
      oauthError: 'temporarily_unavailable',
      retryAfterMs: 5000,
      requestId: 'r-1',
    });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'CwError',
      code: 'CW-303',
      message: 'CW-303: the service answered 503',
      status: 503,
      oauthError: 'temporarily_unavailable',
      retryAfterMs: 5000,
      requestId: 'r-1',
    });
  });

  it('keeps its cause out of everything that is written by accident', () => {
    const error = new CwError('CW-301', 'unreachable', { cause: new Error(SECRET) });
    expect((error.cause as Error).message).toBe(SECRET);
    expect(Object.keys(error)).not.toContain('cause');
    expect(JSON.stringify(error)).not.toContain(SECRET);
    expect(JSON.stringify(Object.entries(error))).not.toContain(SECRET);
    expect(String(error)).not.toContain(SECRET);
    expect(error.stack).not.toContain(SECRET);
  });
});

describe('toCwError', () => {
  it('gives a CwError as it is', () => {
    const error = new CwError('CW-301', 'unreachable');
    expect(toCwError(error, 'CW-901', 'a fault')).toBe(error);
  });

  it.each([[new Error(SECRET)], [SECRET], [null], [undefined]])(
    'makes of anything else an error with that as its cause',
    (thrown) => {
      const error = toCwError(thrown, 'CW-901', 'a fault');
      expect(error.code).toBe('CW-901');
      expect(error.cause).toBe(thrown);
      expect(error.message).toBe('CW-901: a fault');
    },
  );
});

describe('error codes', () => {
  it('are unique and all of one form', () => {
    expect(new Set(ERROR_CODES).size).toBe(ERROR_CODES.length);
    for (const code of ERROR_CODES) expect(code).toMatch(/^CW-[1-9]\d\d$/);
  });

  it('pass by themselves only where the connection or the service is in trouble', () => {
    const transient = ERROR_CODES.filter((code) => isTransient(new CwError(code, 'x')));
    expect(transient).toEqual(['CW-301', 'CW-302', 'CW-303']);
  });
});
