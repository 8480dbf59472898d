import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES } from '../../src/base/errors.js';
import { en } from '../../src/panel/strings/en.js';

describe('English', () => {
  it('says for every error what happened, in whole sentences, without its code', () => {
    for (const code of ERROR_CODES) {
      expect(en.errors[code]).toMatch(/^[A-Z].*\.$/);
      expect(en.errors[code]).not.toContain('CW-');
    }
    const texts = ERROR_CODES.map((code) => en.errors[code]);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1 KB'],
    [999_499, '999 KB'],
    [999_500, '1.0 MB'],
    [12_345_678, '12.3 MB'],
    [999_949_999, '999.9 MB'],
    [999_950_000, '1.0 GB'],
    [5_000_000_000, '5.0 GB'],
  ])('writes %d bytes as %s', (bytes, text) => {
    expect(en.size(bytes)).toBe(text);
  });

  it('minds one and many', () => {
    expect(en.photosWaitingForReconnect(1)).toMatch(/^1 photo is /);
    expect(en.photosWaitingForReconnect(2)).toMatch(/^2 photos are /);
    expect(en.failedCount(1)).toBe('1 photo could not be sent.');
    expect(en.morePhotos(1)).toBe('and 1 photo more');
    expect(en.allUploaded(1)).toBe('Your photo has arrived.');
    expect(en.progress(0, 1)).toBe('0 of 1 photo uploaded');
  });

  it('counts the last minute and the last second as such', () => {
    expect(en.codeTimeLeft(0)).toBe(en.codeTimeLeft(1));
    expect(en.codeTimeLeft(1)).not.toContain('minutes');
    expect(en.codeTimeLeft(2)).toContain('2 more minutes');
    expect(en.tryingAgainIn(0)).toBe(en.tryingAgainIn(1));
    expect(en.tryingAgainIn(2)).toContain('2 seconds');
  });

  it('never counts beyond the photos there are', () => {
    expect(en.adding(0, 3)).toBe('Adding photo 1 of 3…');
    expect(en.adding(3, 3)).toBe('Adding photo 3 of 3…');
  });
});
