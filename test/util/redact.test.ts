import { describe, expect, it } from '@jest/globals';
import { encodeForm } from '../../src/util/form-encoding.js';
import { Redactor } from '../../src/util/redact.js';
import fc from '../support/properties.js';

/** Secrets as services make them: visible ASCII (RFC 6749 appendix A), of any length from 8 on. */
const secret = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((c) => String.fromCharCode(c)),
  minLength: 8,
  maxLength: 60,
});

const encodings: readonly (readonly [string, (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['in a URL', (text) => encodeURIComponent(text)],
  ['in a form', (text) => encodeForm({ x: text }).slice(2)],
  ['in JSON', (text) => JSON.stringify(text).slice(1, -1)],
];

describe('Redactor', () => {
  it.each(encodings)('lets no remembered secret through, %s, wherever it is', (_name, encode) => {
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 4 }),
        fc.array(fc.string(), { minLength: 5, maxLength: 5 }),
        (secrets, around) => {
          const redactor = new Redactor();
          for (const one of secrets) redactor.remember(one);
          const text = around.map((part, index) => part + encode(secrets[index] ?? '')).join('');
          const clean = redactor.redact(text);
          for (const one of secrets) {
            // A secret that is part of the replacement itself cannot be told from it.
            if ('[removed]'.repeat(3).includes(one)) continue;
            expect(clean).not.toContain(one);
            expect(clean).not.toContain(encode(one));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('leaves nothing of a longer secret that begins with a shorter one', () => {
    const redactor = new Redactor();
    redactor.remember('abcdefgh');
    redactor.remember('abcdefgh-and-the-rest');
    expect(redactor.redact('<abcdefgh-and-the-rest>')).toBe('<[removed]>');
    expect(redactor.redact('<abcdefgh>')).toBe('<[removed]>');
  });

  it('removes every occurrence', () => {
    const redactor = new Redactor();
    redactor.remember('0123456789');
    expect(redactor.redact('0123456789 0123456789-0123456789')).toBe(
      '[removed] [removed]-[removed]',
    );
  });

  // @threat H8
  it.each([
    ['svc_at_AbC-123_x.y~z', 'an access token'],
    ['svc_pat_AbC123', 'a personal access token'],
    ['Authorization: Bearer AbC123-xyz', 'a header'],
    ['authorization: basic dXNlcjpwYXNz', 'a basic header'],
    ['refresh_token=AbC123&x=1', 'a form field'],
    ['{"refresh_token":"AbC123"}', 'a JSON field'],
    ['{"device_code" : "AbC123"}', 'a JSON field with spaces'],
    ['user_code: AbC123', 'a header-like field'],
  ])('removes what merely looks like a secret: %s (%s)', (text) => {
    const clean = new Redactor().redact(text);
    expect(clean).toContain('[removed]');
    expect(clean).not.toMatch(/AbC|dXNl/);
  });

  it('leaves ordinary text as it is', () => {
    const redactor = new Redactor();
    redactor.remember('short');
    redactor.remember('');
    const text = 'CW-301: the service could not be reached; a short wait, then again';
    expect(redactor.redact(text)).toBe(text);
  });
});
