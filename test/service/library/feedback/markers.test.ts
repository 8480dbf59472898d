import { describe, expect, it } from '@jest/globals';
import { parse as parseCsv } from 'csv-parse/sync';
import { JSDOM } from 'jsdom';
import SmpteTimecode, { type FRAMERATE } from 'smpte-timecode';
import type { Comment, Feedback } from '../../../../service/library/feedback/feedback.js';
import { MARKER_FORMATS } from '../../../../service/library/feedback/markers/marker-files.js';
import {
  filmComments,
  readMarkerOptions,
  type Film,
  type FilmComments,
} from '../../../../service/library/feedback/markers/markers.js';
import {
  frameAt,
  frameRateName,
  FRAME_RATE_NAMES,
  frameRateNamed,
  nearestFrameRate,
  parseTimeCode,
  timeCode,
  type FrameRate,
} from '../../../../service/library/feedback/markers/time-code.js';
import fc from '../../../support/properties.js';

const FILM: Film = {
  name: 'Trailer.mp4',
  width: 1920,
  height: 1080,
  media: { kind: 'video', duration: 92.4, frameRate: 25, audioCodec: 'aac' },
};

/** A comment of Mia on the first version. */
function comment(text: string, startMs: number, more: Partial<Comment> = {}): Comment {
  return {
    ...{ id: text, kind: 'comment', shareId: 'link', photoId: 'film', sha256: 'ab' },
    ...{ guest: { id: 'mia', name: 'Mia' }, version: 1, isCurrent: true, currentVersion: 1 },
    ...{ text, place: { startMs }, at: new Date('2026-11-28T12:00:00Z') },
    ...{ doneAt: undefined, reply: undefined },
    ...more,
  };
}

function commentsOf(
  answers: readonly Feedback[],
  query = '',
  film: Partial<Film> = {},
): FilmComments {
  const options = readMarkerOptions(new URLSearchParams(query));
  const found = filmComments({ ...FILM, ...film }, answers, options);
  if (typeof found === 'string') {
    throw new TypeError(found);
  }
  return found;
}

const rateNamed = (name: string): FrameRate => frameRateNamed(name) ?? { frames: 0, seconds: 1 };

describe('time code', () => {
  const FRAMES = fc.integer({ min: 0, max: 24 * 3600 * 24 - 1 });
  const KINDS = [
    ...['23.976', '24', '25', '30', '48', '50', '60'].map((name) => [name, false] as const),
    ...['29.97', '59.94'].flatMap((name) => [[name, false] as const, [name, true] as const]),
  ];
  it.each(KINDS)(
    'of %s frames per second, drop frame %s, is that of smpte-timecode',
    (name, drop) => {
      const rate = rateNamed(name);
      const fraction = [rate.frames, rate.seconds] as unknown as FRAMERATE;
      const isSame = (frame: number): void => {
        const text = timeCode(frame, rate, drop);
        expect(text).toBe(SmpteTimecode(frame, fraction, drop).toString());
        expect(parseTimeCode(text, rate)).toEqual({ frames: frame, isDropFrame: drop });
      };
      fc.assert(fc.property(FRAMES, isSame));
      // Around minutes that leave numbers out, and the tenth, which does not.
      for (const minute of [1, 2, 9, 10, 11]) {
        for (let frame = -3; frame <= 5; frame += 1) {
          isSame(Math.round((minute * 60 * rate.frames) / rate.seconds) + frame);
        }
      }
    },
  );

  it.each([
    '1:00:00:00',
    '24:00:00:00',
    '00:60:00:00',
    '00:00:60:00',
    '00:00:00:25',
    '00:00:00;00',
    '',
  ])('does not read %j at 25 frames per second', (text) => {
    expect(parseTimeCode(text, rateNamed('25'))).toBeUndefined();
  });
  it.each(['00:01:00;00', '00:01:00;01', '23:59:00;01'])(
    'does not read %j, which is left out',
    (text) => {
      expect(parseTimeCode(text, rateNamed('29.97'))).toBeUndefined();
    },
  );

  it.each(FRAME_RATE_NAMES)('finds each frame at %s again by its time in milliseconds', (name) => {
    const rate = rateNamed(name);
    expect(frameRateName(rate)).toBe(name);
    const startOf = (frame: number): number => (frame * rate.seconds * 1000) / rate.frames;
    const frames = Array.from({ length: 1000 }, (_, frame) => frame);
    expect(frames.map((frame) => frameAt(Math.round(startOf(frame)), rate))).toEqual(frames);
    // In the middle of the frame, where a player has stopped.
    expect(frames.map((frame) => frameAt(Math.floor(startOf(frame + 0.5)), rate))).toEqual(frames);
  });

  it.each([
    [23.976, '23.976'],
    [24, '24'],
    [29.97, '29.97'],
    [29.83, '29.97'],
    [30.02, '30'],
    [59.94, '59.94'],
    [12, '23.976'],
    [240, '120'],
  ])('counts a film of %d frames per second in %s', (average, name) => {
    expect(frameRateName(nearestFrameRate(average))).toBe(name);
  });
});

const HARD = 'Two\nlines, "quotes", <b>&amp;</b> |M:x |D:9 🎬 =1+1\u{1}';

describe('comments as an EDL', () => {
  /** The events, as the columns and the lines of CMX 3600 and of DaVinci Resolve have them. */
  function read(text: string): Record<string, string | undefined>[] {
    const [title, mode, ...lines] = text.split('\r\n').filter((line) => line !== '');
    expect(title).toMatch(/^TITLE: ./);
    expect(mode).toMatch(/^FCM: (NON-)?DROP FRAME$/);
    return Array.from({ length: lines.length / 3 }, (_, index) => {
      const [event = '', marker = '', locator = ''] = lines.slice(3 * index, 3 * index + 3);
      return {
        ...{ mode: mode?.slice(5) },
        .../^(?<number>\d{3,}) {2}001 {6}V {5}C {8}(?<from>\S{11}) (?<to>\S{11}) (\S{11}) (\S{11}) {2}$/.exec(
          event,
        )?.groups,
        .../^ \|C:(?<colour>\w+) \|M:(?<name>[^|]*) \|D:(?<frames>\d+)$/.exec(marker)?.groups,
        .../^\* LOC: (?<at>\S{11}) (?<word>[A-Z]+)\s+(?<text>.*)$/.exec(locator)?.groups,
      };
    });
  }

  it('has an event, a marker and a locator at each frame', () => {
    const edl = MARKER_FORMATS.edl.write(
      commentsOf([
        comment('Too dark', 42_000),
        comment('Slower', 1000, { place: { startMs: 1000, endMs: 3000 }, doneAt: new Date() }),
      ]),
    );
    expect(edl).not.toMatch(/[^\r]\n/);
    expect(read(edl)).toEqual([
      expect.objectContaining({
        ...{ number: '001', from: '00:00:01:00', to: '00:00:01:01', mode: 'NON-DROP FRAME' },
        ...{ colour: 'ResolveColorGreen', name: 'Mia: Slower', frames: '50' },
        ...{ at: '00:00:01:00', word: 'GREEN', text: 'Mia: Slower' },
      }),
      expect.objectContaining({
        ...{ number: '002', from: '00:00:42:00', colour: 'ResolveColorBlue', frames: '1' },
        name: 'Mia: Too dark',
      }),
    ]);
  });

  it.each([
    ['rate=29.97&start=01:00:00;00', 'DROP FRAME', '01:01:00;02'],
    ['rate=29.97&start=01:00:00:00', 'NON-DROP FRAME', '01:01:00:00'],
    ['rate=59.94&start=01:00:00;00', 'DROP FRAME', '01:01:00;04'],
    ['rate=23.976&start=01:00:00:00', 'NON-DROP FRAME', '01:01:00:00'],
    ['rate=50&start=10:00:00:00', 'NON-DROP FRAME', '10:01:00:03'],
  ])('counts in %s', (query, mode, from) => {
    // Sixty seconds of frames in NTSC rates are 1001/1000 of a minute.
    const edl = MARKER_FORMATS.edl.write(commentsOf([comment('Here', 60_060)], query));
    expect(read(edl)).toEqual([expect.objectContaining({ mode, from })]);
  });

  it('begins at the time code of the file', () => {
    const own: Film['media'] = {
      ...{ kind: 'video', duration: 92.4, frameRate: 29.97 },
      timeCode: { frames: 107_892, isDropFrame: true },
    };
    const edl = MARKER_FORMATS.edl.write(commentsOf([comment('Here', 0)], '', { media: own }));
    expect(read(edl)).toEqual([
      expect.objectContaining({ mode: 'DROP FRAME', from: '01:00:00;00' }),
    ]);
    const other = MARKER_FORMATS.edl.write(
      commentsOf([comment('Here', 0)], 'rate=25', { media: own }),
    );
    expect(read(other)).toEqual([expect.objectContaining({ mode: 'NON-DROP FRAME' })]);
  });

  it('keeps each text in its line', () => {
    const edl = MARKER_FORMATS.edl.write(
      commentsOf([comment(HARD, 0), comment('é'.repeat(2000), 40)]),
    );
    expect(read(edl)).toEqual([
      expect.objectContaining({
        name: 'Mia: Two lines, "quotes", <b>&amp;</b> ¦M:x ¦D:9 🎬 =1+1',
        frames: '1',
      }),
      expect.objectContaining({ name: `Mia: ${'é'.repeat(2000)}` }),
    ]);
    const title = MARKER_FORMATS.edl.write(
      commentsOf([], '', { name: `A\r\n001 ${'🎬'.repeat(90)}` }),
    );
    expect(title.split('\r\n')[0]).toBe(`TITLE: A 001 ${'🎬'.repeat(63)}`);
  });

  it('has one marker for all comments at a frame', () => {
    const edl = MARKER_FORMATS.edl.write(
      commentsOf([
        comment('No', 1010, {
          guest: { id: 'tom', name: 'Tom' },
          at: new Date('2026-11-28T13:00:00Z'),
        }),
        comment('Yes', 1000, { doneAt: new Date() }),
        comment('Old', 1020, {
          version: 1,
          currentVersion: 2,
          at: new Date('2026-11-28T11:00:00Z'),
        }),
      ]),
    );
    expect(read(edl)).toEqual([
      expect.objectContaining({
        name: 'Mia (v1): Old Mia: Yes Tom: No',
        colour: 'ResolveColorBlue',
      }),
    ]);
  });

  it('puts times beyond the end on the last frame', () => {
    const edl = MARKER_FORMATS.edl.write(
      commentsOf([
        comment('Late', 92_900),
        comment('Long', 92_000, { place: { startMs: 92_000, endMs: 99_000 } }),
      ]),
    );
    expect(read(edl)).toEqual([
      expect.objectContaining({ from: '00:01:32:00', frames: '10' }),
      expect.objectContaining({ from: '00:01:32:09', frames: '1' }),
    ]);
  });

  it('leaves out other links, other states, and what has no time', () => {
    const answers = [
      comment('Open', 0),
      comment('Done', 1000, { doneAt: new Date() }),
      comment('Elsewhere', 2000, { shareId: 'other' }),
      comment('Whole', 0, { place: {} }),
      { ...comment('Star', 0), kind: 'stars' as const, value: 3 },
    ];
    const names = (query: string): unknown[] =>
      read(MARKER_FORMATS.edl.write(commentsOf(answers, query))).map(({ name }) => name);
    expect(names('')).toEqual(['Mia: Open', 'Mia: Done', 'Mia: Elsewhere']);
    expect(names('link=link')).toEqual(['Mia: Open', 'Mia: Done']);
    expect(names('state=open')).toEqual(['Mia: Open', 'Mia: Elsewhere']);
    expect(names('link=link&state=done')).toEqual(['Mia: Done']);
  });
});

describe('comments as FCPXML', () => {
  const readXml = (text: string): Document => {
    const { window } = new JSDOM(text, { contentType: 'application/xml' });
    return window.document;
  };
  const attributes = (element: Element | null): Record<string, string> =>
    Object.fromEntries([...(element?.attributes ?? [])].map(({ name, value }) => [name, value]));

  it('has whole frames at the rate of the film', () => {
    const document = readXml(
      MARKER_FORMATS.fcpxml.write(
        commentsOf(
          [
            comment('Here', 60_060, { place: { startMs: 60_060, endMs: 61_061 } }),
            comment('Ok', 0, {
              doneAt: new Date(),
              reply: { text: 'Yes', by: 'Ada', at: new Date() },
            }),
          ],
          'rate=29.97&start=01:00:00;00',
        ),
      ),
    );
    expect(attributes(document.querySelector('format'))).toEqual({
      ...{ id: 'r1', frameDuration: '1001/30000s', width: '1920', height: '1080' },
    });
    expect(attributes(document.querySelector('asset'))).toEqual({
      ...{ id: 'r2', name: 'Trailer.mp4', format: 'r1', hasVideo: '1', hasAudio: '1' },
      // 2,769 frames of a film of 92.4 s, and 107,892 frames of an hour.
      ...{ start: '107999892/30000s', duration: '2771769/30000s' },
    });
    expect(attributes(document.querySelector('sequence'))).toEqual({
      ...{ format: 'r1', tcFormat: 'DF', tcStart: '107999892/30000s', duration: '2771769/30000s' },
    });
    expect([...document.querySelectorAll('asset-clip > marker')].map(attributes)).toEqual([
      {
        ...{ start: '107999892/30000s', duration: '1001/30000s', completed: '1' },
        value: 'Mia: Ok\n→ Ada: Yes',
      },
      {
        // Frame 1,800 after the first one, for 30 frames.
        ...{ start: '109801692/30000s', duration: '30030/30000s', completed: '0' },
        value: 'Mia: Here',
      },
    ]);
  });

  it('keeps every character that XML has', () => {
    const name = 'A&B "<x>" 100% ü🎬\u{fffe}.mp4';
    const document = readXml(
      MARKER_FORMATS.fcpxml.write(commentsOf([comment(`\t${HARD}]]>\u{8}`, 0)], '', { name })),
    );
    const value = document.querySelector('marker')?.getAttribute('value');
    expect(value).toBe(`Mia: \t${HARD.replace('\u{1}', '')}]]>`);
    expect(document.querySelector('project')?.getAttribute('name')).toBe(
      name.replace('\u{fffe}', ''),
    );
    const source = document.querySelector('media-rep')?.getAttribute('src') ?? '';
    expect(decodeURIComponent(new URL(source, 'file:///').pathname.slice(1))).toBe(name);
  });
});

describe('comments as CSV', () => {
  it('has a row for each, without formulas', () => {
    const csv = MARKER_FORMATS.csv.write(
      commentsOf(
        [
          comment(HARD, 1000, { place: { startMs: 1000, endMs: 2500 } }),
          comment('=1+1', 1000, { doneAt: new Date('2026-11-28T13:00:00Z') }),
        ],
        'start=10:00:00:00',
      ),
    );
    expect(parseCsv(csv, { bom: true, columns: true })).toEqual([
      {
        ...{ file: 'Trailer.mp4', timecode: '10:00:01:00', timecode_end: '10:00:02:12' },
        ...{
          frame: '25',
          frames: '37',
          rate: '25',
          start: '1',
          end: '2.5',
          guest: 'Mia',
          text: HARD,
        },
        ...{ reply: '', done: '', version: '1', at: '2026-11-28T12:00:00.000Z' },
      },
      expect.objectContaining({ text: "'=1+1", end: '', done: '2026-11-28T13:00:00.000Z' }),
    ]);
  });
});

describe('a file without markers', () => {
  const options = (query: string) => readMarkerOptions(new URLSearchParams(query));
  it.each([
    ['film', { media: undefined }, ''],
    ['film', { media: { kind: 'document', pages: 3 } }, ''],
    ['no-rate', { media: { kind: 'video', duration: 3 } }, ''],
    ['rate', {}, 'rate=26'],
    ['start', {}, 'start=01:00:00:25'],
    ['start', {}, 'start=01:00:00;00'],
  ] as const)('is refused as %s', (problem, film, query) => {
    expect(filmComments({ ...FILM, ...film }, [], options(query))).toBe(problem);
  });
  it('has a length where the duration is not known', () => {
    const media = { kind: 'video', frameRate: 25 } as const;
    expect(filmComments({ ...FILM, media }, [comment('Here', 2000)], options(''))).toMatchObject({
      length: 51,
    });
  });
});
