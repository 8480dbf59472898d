import { describe, expect, it } from '@jest/globals';
import { parsePlace, placeProblem } from '../../../../service/library/feedback/place.js';
import type { MediaInfo } from '../../../../service/library/previews/media-info.js';

const PDF: MediaInfo = { kind: 'document', pages: 3 };
const FILM: MediaInfo = { kind: 'video', duration: 92.4 };

describe('the place of a comment', () => {
  it.each([
    ['', {}],
    ['x=0.25&y=1', { pin: { x: 0.25, y: 1 } }],
    ['x=0.25&y=', {}],
    ['x=1.5&y=0.5', {}],
    ['page=3', { page: 3 }],
    ['page=3&x=0&y=0.5', { page: 3, pin: { x: 0, y: 0.5 } }],
    ['start=42', { startMs: 42_000 }],
    ['start=0:42', { startMs: 42_000 }],
    ['start= 0:42.04 ', { startMs: 42_040 }],
    ['start=0:42,5&end=0:51', { startMs: 42_500, endMs: 51_000 }],
    ['start=0:42&end=0:42', { startMs: 42_000 }],
    ['start=90:00', { startMs: 5_400_000 }],
    ['start=1:02:03&x=0.5&y=0.5', { startMs: 3_723_000, pin: { x: 0.5, y: 0.5 } }],
    ['start=０：４２', { startMs: 42_000 }],
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=1.5', 'page'],
    ['page=two', 'page'],
    ['page=1&start=1', 'page'],
    ['start=soon', 'time'],
    ['start=-1', 'time'],
    ['start=0:75', 'time'],
    ['start=1:75:00', 'time'],
    ['start=0:51&end=0:42', 'time'],
    ['end=0:42', 'time'],
    ['start=1&end=later', 'time'],
  ])('is read from %j', (form, place) => {
    expect(parsePlace(new URLSearchParams(form))).toEqual(place);
  });

  it.each([
    ['the last page', { page: 3 }, 'application/pdf', PDF, undefined],
    ['a page after the last one', { page: 4 }, 'application/pdf', PDF, 'page'],
    ['a page of a document that was not read', { page: 900 }, 'application/pdf', null, undefined],
    ['a page of a video', { page: 1 }, 'video/mp4', FILM, 'page'],
    ['a page of a picture', { page: 1 }, 'image/jpeg', null, 'page'],
    ['the end of a video', { startMs: 42_000, endMs: 92_500 }, 'video/mp4', FILM, undefined],
    ['a time after the end', { startMs: 93_000 }, 'video/mp4', FILM, 'time'],
    ['an end after the end', { startMs: 1000, endMs: 93_000 }, 'video/mp4', FILM, 'time'],
    [
      'a time of a video without a duration',
      { startMs: 7_200_000 },
      'video/webm',
      { kind: 'video' } as const,
      undefined,
    ],
    ['a time of a video that was not read', { startMs: 93_000 }, 'video/mp4', null, undefined],
    ['more than a week', { startMs: 604_801_000 }, 'video/mp4', null, 'time'],
    ['a time of a document', { startMs: 0 }, 'application/pdf', PDF, 'time'],
    ['a time of a picture', { startMs: 0 }, 'image/jpeg', null, 'time'],
    ['a spot of a picture', { pin: { x: 0, y: 0 } }, null, null, undefined],
  ])('may be only what the file has: %s', (_what, place, mediaType, media, problem) => {
    expect(placeProblem(place, { mediaType, media })).toBe(problem);
  });
});
