import { describe, expect, it } from '@jest/globals';
import { Translator } from '../../../../service/kernel/i18n/translator.js';
import type { MediaInfo } from '../../../../service/library/previews/media-info.js';
import { mediaBadge } from '../../../../service/library/photos/pages/media-badge.js';

describe('the badge of a tile', () => {
  it.each<[string, MediaInfo | undefined, string | undefined]>([
    ['a picture', undefined, undefined],
    ['a document of one page', { kind: 'document', pages: 1 }, '1 page'],
    ['a document of many pages', { kind: 'document', pages: 1024 }, '1,024 pages'],
    ['a video of unknown duration', { kind: 'video' }, undefined],
    ['a video of a moment', { kind: 'video', duration: 0.04 }, '0:01'],
    ['a video of seconds', { kind: 'video', duration: 9.4 }, '0:09'],
    ['a video just below a minute', { kind: 'video', duration: 59.7 }, '1:00'],
    ['a video of minutes', { kind: 'video', duration: 92 }, '1:32'],
    ['a video of hours', { kind: 'video', duration: 7505 }, '2:05:05'],
  ])('is right for %s', (_what, media, text) => {
    const badge = mediaBadge(new Translator('en'), { media });
    expect(badge?.toString()).toBe(text && `<p class="media">${text}</p>`);
  });

  it('is in the language of the reader', () => {
    const badge = mediaBadge(new Translator('de'), { media: { kind: 'document', pages: 24 } });
    expect(badge?.toString()).toContain('24 Seiten');
  });
});
