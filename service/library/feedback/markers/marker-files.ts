import { csvRows } from '../../../kernel/csv.js';
import { presentPlace } from '../place.js';
import { inOneLine, markersOf, markerText, type FilmComments } from './markers.js';
import { frameRateName, timeCode, type FrameRate } from './time-code.js';

/** The files that comments with times are exported as. */
export const MARKER_FORMATS = {
  edl: { type: 'text/plain; charset=utf-8', write: markerEdl },
  fcpxml: { type: 'application/xml; charset=utf-8', write: markerFcpxml },
  csv: { type: 'text/csv; charset=utf-8', write: markerCsv },
} as const;

export type MarkerFormat = keyof typeof MARKER_FORMATS;

/** The formats with the names that people know. */
export const MARKER_FORMAT_NAMES = [
  { format: 'edl', name: 'EDL' },
  { format: 'fcpxml', name: 'FCPXML' },
  { format: 'csv', name: 'CSV' },
] as const satisfies readonly { readonly format: MarkerFormat; readonly name: string }[];

/** The longest title in a list of edits, in characters. */
const MAX_TITLE = 70;

/**
 * An EDL in the form of CMX 3600. Each event is a frame with a marker, twice: in the line that DaVinci Resolve reads and writes
 * (`|C:` colour, `|M:` name, `|D:` frames), and as a locator (`* LOC:`), which is a comment for others.
 */
function markerEdl(about: FilmComments): string {
  const { film, rate, start } = about;
  const at = (frame: number): string => timeCode(start.frames + frame, rate, start.isDropFrame);
  const events = markersOf(about).map((marker, index) => {
    const [from, to] = [at(marker.frame), at(marker.frame + 1)];
    // The bar separates the parts of the line.
    const text = inOneLine(markerText(marker)).replaceAll('|', '¦');
    const colour = marker.isDone ? 'Green' : 'Blue';
    return [
      `${String(index + 1).padStart(3, '0')}  001      V     C        ${from} ${to} ${from} ${to}  `,
      ` |C:ResolveColor${colour} |M:${text} |D:${marker.frames}`,
      `* LOC: ${from} ${colour.toUpperCase().padEnd(7)} ${text}`,
      '',
    ];
  });
  return [
    `TITLE: ${inOneLine(Array.from(film.name).slice(0, MAX_TITLE).join(''))}`,
    `FCM: ${start.isDropFrame ? 'DROP FRAME' : 'NON-DROP FRAME'}`,
    '',
    ...events.flat(),
  ].join('\r\n');
}

/**
 * A project of Final Cut Pro in [FCPXML](https://developer.apple.com/documentation/professional-video-applications/fcpxml-reference)
 * 1.10: the film with a to-do at each place. All times are whole frames. The film is named only, so it is relinked by its name.
 */
function markerFcpxml(about: FilmComments): string {
  const { film, rate, start, length } = about;
  const name = attribute(film.name);
  const sides = [film.width, film.height].map((side) => (side === undefined ? '' : String(side)));
  const [width = '', height = ''] = sides;
  const format = start.isDropFrame ? 'DF' : 'NDF';
  const from = time(start.frames, rate);
  const duration = time(length, rate);
  const sound =
    film.media?.kind === 'video' && film.media.audioCodec !== undefined ? ' hasAudio="1"' : '';
  const markers = markersOf(about).map(
    (marker) =>
      `              <marker start="${time(start.frames + marker.frame, rate)}" duration="${time(marker.frames, rate)}" value="${attribute(markerText(marker))}" completed="${marker.isDone ? 1 : 0}"/>`,
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE fcpxml>',
    '<fcpxml version="1.10">',
    '  <resources>',
    `    <format id="r1" frameDuration="${rate.seconds}/${rate.frames}s"${width && height && ` width="${width}" height="${height}"`}/>`,
    `    <asset id="r2" name="${name}" start="${from}" duration="${duration}" hasVideo="1"${sound} format="r1">`,
    `      <media-rep kind="original-media" src="./${encodeURIComponent(film.name)}"/>`,
    '    </asset>',
    '  </resources>',
    '  <library>',
    `    <event name="${name}">`,
    `      <project name="${name}">`,
    `        <sequence format="r1" duration="${duration}" tcStart="${from}" tcFormat="${format}">`,
    '          <spine>',
    `            <asset-clip ref="r2" name="${name}" offset="${from}" start="${from}" duration="${duration}" tcFormat="${format}">`,
    ...markers,
    '            </asset-clip>',
    '          </spine>',
    '        </sequence>',
    '      </project>',
    '    </event>',
    '  </library>',
    '</fcpxml>',
    '',
  ].join('\n');
}

/** Whole frames as a fraction of seconds. */
function time(frames: number, rate: FrameRate): string {
  return frames === 0 ? '0s' : `${frames * rate.seconds}/${rate.frames}s`;
}

/** What [XML 1.0](https://www.w3.org/TR/xml/#charsets) has no characters for. */
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

function attribute(text: string): string {
  return text.replace(NOT_XML, '').replace(/[&<>"\t\n\r]/g, (one) => ESCAPES[one] ?? '');
}

const COLUMNS = [
  ...['file', 'timecode', 'timecode_end', 'frame', 'frames', 'rate', 'start', 'end'],
  ...['guest', 'text', 'reply', 'done', 'version', 'at'],
];

/** One comment in a row. The mark at the beginning makes programs read UTF-8. */
function markerCsv({ film, rate, start, comments }: FilmComments): string {
  const at = (frame: number): string => timeCode(start.frames + frame, rate, start.isDropFrame);
  const rows = comments.map(({ comment, frame, frames }) => {
    const { place, guest, text, reply, doneAt, version } = comment;
    const { start: from, end: to } = presentPlace(place);
    return [
      ...[film.name, at(frame), at(frame + frames), frame, frames, frameRateName(rate), from, to],
      ...[guest.name, text, reply?.text, doneAt?.toISOString(), version, comment.at.toISOString()],
    ].map((cell) => String(cell ?? ''));
  });
  return `\uFEFF${csvRows([COLUMNS, ...rows])}`;
}
