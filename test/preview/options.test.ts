import { describe, expect, it } from '@jest/globals';

import { readOptions, writeOptions } from '../../preview/app/options.js';

describe('readOptions', () => {
  it('reads options from the URL', () => {
    expect(readOptions('?theme=light&width=480&lang=de_DE')).toEqual({
      theme: 'light',
      width: 480,
      language: 'de_DE',
      state: null,
    });
    expect(readOptions('?state=code').state).toBe('code');
  });

  it('uses defaults for missing or invalid options', () => {
    const fallback = { theme: 'darkest', width: 300, language: 'en_US', state: null };
    expect(readOptions('')).toEqual(fallback);
    expect(readOptions('?theme=pink&width=wide&lang=%3Cb%3E&state=toString')).toEqual(fallback);
  });

  it.each([
    ['100', 230],
    ['229.9', 230],
    ['300.4', 300],
    ['9999', 600],
  ])('keeps a width of %s within what a panel can have', (width, expected) => {
    expect(readOptions(`?width=${width}`).width).toBe(expected);
  });

  it('reads the output of writeOptions', () => {
    const options = { theme: 'dark', width: 231, language: 'pt_BR', state: 'offline' } as const;
    expect(readOptions(writeOptions({ ...options, state: null })).state).toBeNull();
    expect(readOptions(writeOptions(options))).toEqual(options);
  });
});
